//! One page over HTTP, for the browser on this machine only.
//!
//! There is one document and one reader, so the standard library's listener is enough: a thread per connection reads
//! a request line and headers (RFC 9112), answers, and closes. It listens on the loopback address, and answers
//! only requests that name it as their host, so that no web page elsewhere can read the answer through a name of its
//! own that it points here.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// A request line and headers longer than this (bytes) are no browser's.
const LONGEST_HEAD: u64 = 64 << 10;

/// Patience with a silent connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// A listener on 127.0.0.1 that serves one page.
#[derive(Debug)]
pub struct PageServer {
    listener: TcpListener,
    page: Arc<[u8]>,
}

impl PageServer {
    /// Takes the port; 0 takes any free one.
    ///
    /// # Errors
    /// The machine does not give the port.
    pub fn bind(port: u16, page: Vec<u8>) -> std::io::Result<Self> {
        Ok(Self { listener: TcpListener::bind((Ipv4Addr::LOCALHOST, port))?, page: page.into() })
    }

    /// Where the page is.
    ///
    /// # Errors
    /// The machine does not say which port it gave.
    pub fn url(&self) -> std::io::Result<String> {
        Ok(format!("http://{}/", self.listener.local_addr()?))
    }

    /// Answers requests until the process ends.
    pub fn serve(&self) {
        for stream in self.listener.incoming().flatten() {
            let page = self.page.clone();
            // A reader that goes away or sends nonsense is no concern of the others.
            let answering = move || answer(&stream, &page);
            let _ = std::thread::Builder::new().spawn(answering);
        }
    }
}

fn answer(mut stream: &TcpStream, page: &[u8]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(LONGEST_HEAD)).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    let mut host = String::new();
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("host") => host = value.trim().to_string(),
            _ if line.is_empty() => break,
            _ => {}
        }
    }
    let (status, content_type, body) = respond(&request, &host, page);
    let length = body.len();
    let mut head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n");
    head += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    if !request.starts_with("HEAD ") {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// Status, type and content of the answer to a request line.
fn respond<'a>(request: &str, host: &str, page: &'a [u8]) -> (&'static str, &'static str, &'a [u8]) {
    const TEXT: &str = "text/plain; charset=utf-8";
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let mut words = request.split(' ');
    match (words.next(), words.next(), words.next()) {
        (_, _, Some("HTTP/1.0" | "HTTP/1.1")) if name != "127.0.0.1" && name != "localhost" => {
            ("403 Forbidden", TEXT, b"This page is for this machine only.\n")
        }
        (Some("GET" | "HEAD"), Some("/"), Some("HTTP/1.0" | "HTTP/1.1")) => {
            ("200 OK", "text/html; charset=utf-8", page)
        }
        (Some("GET" | "HEAD"), Some(_), Some("HTTP/1.0" | "HTTP/1.1")) => {
            ("404 Not Found", TEXT, b"The page is at /.\n")
        }
        (Some(_), Some(_), Some("HTTP/1.0" | "HTTP/1.1")) => {
            ("405 Method Not Allowed", TEXT, b"There is one page to read.\n")
        }
        _ => ("400 Bad Request", TEXT, b"Not a request.\n"),
    }
}
