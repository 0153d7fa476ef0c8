//! What the page may do in the browser: run its one program in its one style, and nothing else.
//!
//! Everything the page needs is in it, so it may load and send nothing, and stand in no frame of another page, which could
//! lead the hand of whoever looks at it. A recording may come from a stranger; what it might bring to run has another
//! hash than the page's program and does not run.
//!
//! # References
//! W3C, *Content Security Policy Level 3*: sources by hash, `frame-ancestors`. WHATWG, *HTML*, 13.2.3.5: newlines.

use super::sha256::sha256;
use crate::base64::base64;

/// The fields of an answer that say so, each with its end of line.
pub(super) fn policy(page: &str) -> String {
    // A browser hashes what it has read, in which every newline is a line feed.
    let page = page.replace("\r\n", "\n").replace('\r', "\n");
    let source = |start, end| match between(&page, start, end) {
        Some(text) => format!("'sha256-{}'", base64(&sha256(text.as_bytes()))),
        None => "'none'".to_string(),
    };
    let script = source("<script type=\"module\">", "</script>");
    let style = source("<style>", "</style>");
    format!(
        "Content-Security-Policy: default-src 'none'; script-src {script}; style-src {style}; img-src data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
         X-Frame-Options: DENY\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n"
    )
}

/// The content of the first element that begins so.
fn between<'a>(page: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(page.split_once(start)?.1.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_are_named_by_their_hashes_whatever_newlines_the_file_has() {
        let page = "<style>a\nb</style><script type=\"module\">f(1);\n</script>";
        let policy = policy(page);
        // Both from `openssl dgst -sha256 -binary | base64`.
        assert!(
            policy.contains("style-src 'sha256-fhj3NzEbLcOy8mndeDlrA1HxT7Zu+oefdoyyMYGIPHg='"),
            "{policy}"
        );
        assert!(
            policy.contains("script-src 'sha256-qh3/6wJdJwLNBZS1s8ez4h/huR9kmze43jR8nBAyVNI='"),
            "{policy}"
        );
        assert_eq!(super::policy(&page.replace('\n', "\r\n")), policy);
        assert!(super::policy("").contains("script-src 'none'; style-src 'none'"));
    }
}
