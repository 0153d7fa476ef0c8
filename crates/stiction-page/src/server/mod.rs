//! One page over HTTP, for the browser on this machine only.
//!
//! There is one document and one reader, so the standard library's listener is enough: a thread per connection reads
//! a request line and headers, answers, and closes. It listens on the loopback address, and answers
//! only requests that name it as their host, so that no web page elsewhere can read the answer through a name of its
//! own that it points here.
//!
//! | file | what it is |
//! |---|---|
//! | `mod` | the listener, and what it does when the machine gives no more |
//! | `connections` | how many there are at most, and who makes room |
//! | `patience` | reading and writing that end by a given time |
//! | `request` | what a browser asks |
//! | `answer` | what it is told |
//! | `policy` | what the page may do in the browser |
//! | `sha256` | the hash by which a policy names a script |
//!
//! # References
//! RFC 9112, *HTTP/1.1* (2022); RFC 9110, *HTTP Semantics* (2022).

mod answer;
mod connections;
mod patience;
mod policy;
mod request;
mod sha256;
#[cfg(test)]
mod tests;

use answer::{Answer, Document};
use connections::{Connections, Seat};
use patience::HeadError;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much the server bears.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Connections, each of which is a thread.
    connections: usize,
    /// A request line and headers longer than this (bytes) are no browser's.
    head: usize,
    /// Time for the whole of them.
    asking: Duration,
    /// Time for a part of the answer to be taken.
    stall: Duration,
    /// Time for the whole of it.
    answering: Duration,
    /// Time for a connection that is answered to be closed by the other side.
    lingering: Duration,
}

const LIMITS: Limits = Limits {
    connections: 64,
    head: 64 << 10,
    asking: Duration::from_secs(5),
    stall: Duration::from_secs(10),
    answering: Duration::from_secs(120),
    lingering: Duration::from_secs(1),
};

/// How long the listener rests when the machine gives no connection or thread: often none is given for a while.
const REST: Duration = Duration::from_millis(20);

/// A thread of a connection holds some kilobytes.
const STACK: usize = 256 << 10;

/// A listener on 127.0.0.1 that serves one page.
#[derive(Debug)]
pub struct PageServer {
    listener: TcpListener,
    document: Arc<Document>,
    connections: Arc<Connections>,
    limits: Limits,
}

impl PageServer {
    /// Takes the port; 0 takes any free one.
    ///
    /// # Errors
    /// The machine does not give the port.
    pub fn bind(port: u16, page: String) -> std::io::Result<Self> {
        Self::with_limits(port, page, LIMITS)
    }

    fn with_limits(port: u16, page: String, limits: Limits) -> std::io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, port))?,
            document: Arc::new(Document::new(page)),
            connections: Arc::new(Connections::at_most(limits.connections)),
            limits,
        })
    }

    /// Where the page is.
    ///
    /// # Errors
    /// The machine does not say which port it gave.
    pub fn url(&self) -> std::io::Result<String> {
        Ok(format!("http://{}/", self.listener.local_addr()?))
    }

    /// Answers requests until the process ends.
    ///
    /// Whoever is slow to ask, or one of too many, is closed and told so where there is time; the others are answered.
    pub fn serve(&self) {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.take(stream),
                Err(_) => {
                    // Mostly the process has no descriptor left, and asking again at once would ask for ever.
                    self.connections.make_room();
                    std::thread::sleep(REST);
                }
            }
        }
    }

    /// Gives a connection its thread.
    fn take(&self, stream: TcpStream) {
        let (document, limits) = (self.document.clone(), self.limits);
        let stream = Arc::new(stream);
        let Some(seat) = Connections::seat(&self.connections, &stream) else {
            let _ = document.answer(Answer::Busy, true).send(&stream, Instant::now() + REST, REST);
            return;
        };
        // A reader that goes away or sends nonsense is no concern of the others.
        let serving = move || drop(serve_one(&stream, &seat, &document, limits));
        if std::thread::Builder::new().stack_size(STACK).spawn(serving).is_err() {
            std::thread::sleep(REST);
        }
    }
}

/// Reads one request, answers it, and closes.
fn serve_one(stream: &TcpStream, seat: &Seat, document: &Document, limits: Limits) -> std::io::Result<()> {
    let (answer, body) = match patience::read_head(stream, Instant::now() + limits.asking, limits.head) {
        Ok(head) => request::read(&head),
        Err(HeadError::TooLong) => (Answer::TooLong, true),
        Err(HeadError::TooSlow { begun: true }) => (Answer::TooSlow, true),
        // Browsers open connections in case they need them.
        Err(HeadError::TooSlow { begun: false } | HeadError::Gone) => return Ok(()),
    };
    // Whoever had to make room for others is gone.
    if !seat.begin_answer() {
        return Ok(());
    }
    let answer = document.answer(answer, body);
    answer.send(stream, Instant::now() + limits.answering, limits.stall)?;
    patience::close(stream, Instant::now() + limits.lingering)
}
