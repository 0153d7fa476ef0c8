//! What a browser asks: the head of a request, and which answer it deserves.
//!
//! Whatever is not exactly a request is refused: two readings of one request are how one side is deceived by another.
//!
//! # References
//! RFC 9112, sections 3 (request line, host) and 5 (fields); RFC 9110, section 5.6.2 (tokens).

use super::answer::Answer;

/// The answer to a head, and whether its content goes with it: all but `HEAD` have it.
pub(super) fn read(head: &[u8]) -> (Answer, bool) {
    let Some((method, target, host)) = parse(head) else { return (Answer::NoRequest, true) };
    let body = method != b"HEAD";
    let (authority, path) = split(target);
    // The host of a target that has one counts, and the field must be there all the same.
    if !is_local(host) || authority.is_some_and(|authority| !is_local(authority)) {
        return (Answer::OtherHost, body);
    }
    match (method, path) {
        (b"GET" | b"HEAD", b"/") => (Answer::Page, body),
        (b"GET" | b"HEAD", _) => (Answer::OtherPath, body),
        _ => (Answer::OtherMethod, body),
    }
}

/// Method, target and host. `None` if the head is not one of HTTP/1.
fn parse(head: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let head = head.strip_suffix(b"\n")?;
    let mut lines = head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut words = lines.next()?.split(|&byte| byte == b' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let graphic = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_graphic);
    if words.next().is_some() || !is_token(method) || !graphic(target) {
        return None;
    }
    if !matches!(version, b"HTTP/1.0" | b"HTTP/1.1") {
        return None;
    }
    let mut host = None;
    for line in lines {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
        if !is_token(name) || value.iter().any(control) {
            return None;
        }
        if name.eq_ignore_ascii_case(b"host") && host.replace(value).is_some() {
            return None;
        }
    }
    Some((method, target, host?))
}

/// Host, if there is one, and path of a target.
fn split(target: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(rest) = target.strip_prefix(b"http://") else { return (None, target) };
    let slash = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
    let path = if slash == rest.len() { b"/" } else { &rest[slash..] };
    (Some(&rest[..slash]), path)
}

/// Whether a host is this machine by its address or its own name for it; any port is, as it may be passed on.
fn is_local(host: &[u8]) -> bool {
    let colon = host.iter().position(|&byte| byte == b':');
    let (name, port) = host.split_at(colon.unwrap_or(host.len()));
    let known = name == b"127.0.0.1" || name.eq_ignore_ascii_case(b"localhost");
    known && (port.is_empty() || port[1..].iter().all(u8::is_ascii_digit))
}

fn is_token(text: &[u8]) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(head: &str) -> Answer {
        read(head.as_bytes()).0
    }

    #[test]
    fn a_request_for_this_machine_is_answered_by_method_and_path() {
        for (line, expected) in [
            ("GET / HTTP/1.1", Answer::Page),
            ("HEAD / HTTP/1.0", Answer::Page),
            ("GET http://127.0.0.1:80/ HTTP/1.1", Answer::Page),
            ("GET http://localhost HTTP/1.1", Answer::Page),
            ("GET http://example.org/ HTTP/1.1", Answer::OtherHost),
            ("GET /?a HTTP/1.1", Answer::OtherPath),
            ("GET /../../etc/passwd HTTP/1.1", Answer::OtherPath),
            ("OPTIONS * HTTP/1.1", Answer::OtherMethod),
            ("POST / HTTP/1.1", Answer::OtherMethod),
            ("get / HTTP/1.1", Answer::OtherMethod),
        ] {
            assert_eq!(answer(&format!("{line}\r\nHost: localhost:8000\r\n")), expected, "{line}");
            assert_eq!(answer(&format!("{line}\nA: b\nhost:\t127.0.0.1 \n")), expected, "{line}");
        }
    }

    #[test]
    fn only_the_names_of_this_machine_are_its_hosts() {
        for host in ["127.0.0.1", "localhost", "LocalHost:1", "127.0.0.1:65535", "localhost:"] {
            assert_eq!(answer(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n")), Answer::Page, "{host}");
        }
        for host in [
            "example.org",
            "",
            "localhost.example.org",
            "example.org:127.0.0.1",
            "127.0.0.1:80@example.org",
            "127.0.0.1.nip.io",
            "localhost:80:80",
            "127.0.0.10",
            "0.0.0.0",
            "[::1]",
            "localhost localhost",
        ] {
            assert_eq!(answer(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n")), Answer::OtherHost, "{host}");
        }
    }

    #[test]
    fn what_is_not_exactly_a_request_is_refused() {
        for head in [
            "",
            "\r\n",
            "nonsense\r\n",
            "GET /\r\nHost: localhost\r\n",
            "GET  / HTTP/1.1\r\nHost: localhost\r\n",
            "GET / HTTP/1.1 \r\nHost: localhost\r\n",
            "GET / HTTP/2.0\r\nHost: localhost\r\n",
            " GET / HTTP/1.1\r\nHost: localhost\r\n",
            "G\u{e9}T / HTTP/1.1\r\nHost: localhost\r\n",
            "GET /\0 HTTP/1.1\r\nHost: localhost\r\n",
            "GET / HTTP/1.1\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nhOST: example.org\r\n",
            "GET / HTTP/1.1\r\nHost : localhost\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\rX: y\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n: no name\r\n",
        ] {
            assert_eq!(answer(head), Answer::NoRequest, "{head:?}");
        }
    }

    #[test]
    fn the_answer_to_head_has_no_content() {
        assert_eq!(read(b"HEAD /a HTTP/1.1\r\nHost: localhost\r\n"), (Answer::OtherPath, false));
        assert_eq!(read(b"GET /a HTTP/1.1\r\nHost: localhost\r\n"), (Answer::OtherPath, true));
    }
}
