//! What a browser is told: the page, or one sentence.

use super::{patience, policy};
use std::io::Result;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Which answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    Page,
    OtherPath,
    OtherMethod,
    OtherHost,
    NoRequest,
    TooLong,
    TooSlow,
    Busy,
}

/// The page, and what its browser must know.
#[derive(Debug)]
pub(super) struct Document {
    page: Vec<u8>,
    policy: String,
}

/// The bytes of an answer.
pub(super) struct Reply<'a> {
    head: String,
    content: &'a [u8],
}

impl Answer {
    fn status(self) -> &'static str {
        match self {
            Self::Page => "200 OK",
            Self::OtherPath => "404 Not Found",
            Self::OtherMethod => "405 Method Not Allowed",
            Self::OtherHost | Self::NoRequest => "400 Bad Request",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::TooSlow => "408 Request Timeout",
            Self::Busy => "503 Service Unavailable",
        }
    }

    fn sentence(self) -> &'static [u8] {
        match self {
            Self::Page => b"",
            Self::OtherPath => b"The page is at /.\n",
            Self::OtherMethod => b"There is one page, to GET.\n",
            Self::OtherHost => {
                b"This page is for this machine only: the host must be 127.0.0.1 or localhost.\n"
            }
            Self::NoRequest => b"Not a request of HTTP/1.1 with one Host.\n",
            Self::TooLong => b"The request is too long.\n",
            Self::TooSlow => b"The request took too long.\n",
            Self::Busy => b"Too many connections; try again.\n",
        }
    }
}

impl Document {
    pub(super) fn new(page: String) -> Self {
        Self { policy: policy::policy(&page), page: page.into_bytes() }
    }

    /// The answer's bytes, with or without its content.
    pub(super) fn answer(&self, answer: Answer, body: bool) -> Reply<'_> {
        let (kind, content) = match answer {
            Answer::Page => ("text/html", &self.page[..]),
            _ => ("text/plain", answer.sentence()),
        };
        let mut head = format!("HTTP/1.1 {}\r\n", answer.status());
        head += &format!("Content-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n", content.len());
        if answer == Answer::OtherMethod {
            head += "Allow: GET, HEAD\r\n";
        }
        head += "Cache-Control: no-store\r\nConnection: close\r\n";
        head += &self.policy;
        head += "\r\n";
        Reply { head, content: if body { content } else { b"" } }
    }
}

impl Reply<'_> {
    /// # Errors
    /// The other side is gone, or takes too long.
    pub(super) fn send(&self, stream: &TcpStream, by: Instant, stall: Duration) -> Result<()> {
        patience::write(stream, self.head.as_bytes(), by, stall)?;
        patience::write(stream, self.content, by, stall)
    }
}
