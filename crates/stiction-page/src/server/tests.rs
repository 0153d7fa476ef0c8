//! The server against real sockets of clients that are slow, many, rude or deceived.

use super::*;
use std::io::{Read, Write};
use std::net::SocketAddr;

const QUICK: Limits = Limits {
    connections: 16,
    head: 4096,
    asking: Duration::from_millis(400),
    stall: Duration::from_millis(400),
    answering: Duration::from_millis(1200),
    lingering: Duration::from_millis(200),
};

/// Larger than what a connection holds under way.
const SIZE: usize = 20 << 20;

struct Running {
    address: SocketAddr,
    server: Arc<PageServer>,
}

impl Running {
    fn with(limits: Limits, size: usize) -> Self {
        let server = Arc::new(PageServer::with_limits(0, "x".repeat(size), limits).unwrap());
        let address = server.listener.local_addr().unwrap();
        let serving = server.clone();
        std::thread::spawn(move || serving.serve());
        Self { address, server }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The whole answer.
    fn ask(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(request).unwrap();
        rest(stream)
    }

    /// Threads of connections that are not over.
    fn open(&self) -> usize {
        self.server.connections.count()
    }
}

fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

const ASK: &[u8] = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

fn assert_page(answer: &str, size: usize) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains(&format!("Content-Length: {size}")));
    assert!(body.len() == size && body.bytes().all(|byte| byte == b'x'), "{} bytes", body.len());
}

/// Waits until something holds, for at most five seconds.
#[track_caller]
fn eventually(holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(5), "it does not come to hold");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_client_that_sends_a_byte_now_and_then_is_told_that_it_is_too_slow() {
    let running = Running::with(QUICK, 10);
    let mut slow = running.connect();
    let start = Instant::now();
    for byte in ASK.iter().cycle() {
        if slow.write_all(&[*byte]).is_err() || start.elapsed() > 2 * QUICK.asking {
            break;
        }
        // No byte is late by itself; 34 of them at this pace would be a request.
        std::thread::sleep(Duration::from_millis(30));
    }
    assert!(rest(slow).starts_with("HTTP/1.1 408 Request Timeout\r\n"));
    eventually(|| running.open() == 0);
    // One that says nothing is closed without a word.
    let start = Instant::now();
    assert_eq!(rest(running.connect()), "");
    assert!(start.elapsed() < 5 * QUICK.asking);
}

#[test]
fn a_client_that_takes_the_page_drop_by_drop_is_given_up() {
    let running = Running::with(QUICK, SIZE);
    let mut slow = running.connect();
    slow.write_all(ASK).unwrap();
    let start = Instant::now();
    let mut byte = [0];
    while running.open() > 0 || start.elapsed() < Duration::from_millis(100) {
        slow.read_exact(&mut byte).unwrap();
        std::thread::sleep(Duration::from_millis(10));
        assert!(start.elapsed() < 3 * QUICK.answering, "its thread still waits");
    }
    assert_page(&running.ask(ASK), SIZE);
}

#[test]
fn five_hundred_connections_that_say_nothing_hold_few_threads_and_keep_nobody_out() {
    let patient = Limits { asking: Duration::from_secs(60), ..QUICK };
    let running = Running::with(patient, SIZE);
    let idle: Vec<TcpStream> = (0..500).map(|_| running.connect()).collect();
    eventually(|| running.open() == QUICK.connections);
    for _ in 0..20 {
        let start = Instant::now();
        assert_page(&running.ask(ASK), SIZE);
        assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        assert!(running.open() <= QUICK.connections);
    }
    drop(idle);
    eventually(|| running.open() == 0);
}

#[test]
fn where_all_connections_are_being_answered_the_next_is_told_so_and_none_is_cut() {
    let patient = Limits { stall: Duration::from_secs(30), answering: Duration::from_secs(30), ..QUICK };
    let running = Running::with(patient, SIZE);
    let asked: Vec<TcpStream> = (0..QUICK.connections)
        .map(|_| {
            let mut stream = running.connect();
            stream.write_all(ASK).unwrap();
            // Its answer has begun.
            stream.peek(&mut [0]).unwrap();
            stream
        })
        .collect();
    let mut one_more = running.connect();
    let mut said = [0; 12];
    one_more.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"HTTP/1.1 503");
    asked.into_iter().for_each(|stream| assert_page(&rest(stream), SIZE));
}

#[test]
fn what_follows_a_request_does_not_take_its_answer_back() {
    let running = Running::with(QUICK, SIZE);
    let garbage: Vec<u8> = (0..200_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    for more in [&garbage[..], &ASK.repeat(100), b"POST / HTTP/1.1\r\n\r\n\0\0"] {
        // The other side need not take all of it.
        let mut stream = running.connect();
        stream.write_all(ASK).unwrap();
        let mut sending = stream.try_clone().unwrap();
        let more = more.to_vec();
        let sent = std::thread::spawn(move || sending.write_all(&more));
        assert_page(&rest(stream), SIZE);
        let _ = sent.join().unwrap();
    }
    // Where it comes first, it is no request.
    assert!(running.ask(&[b"\xff\x00\x01 \r\n\r\n", ASK].concat()).starts_with("HTTP/1.1 400 Bad Request"));
}

#[test]
fn requests_of_any_size_without_end_are_too_long() {
    let running = Running::with(QUICK, 10);
    for line in ["GET /", "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: "] {
        let request = format!("{line}{}", "a".repeat(QUICK.head + 4096));
        assert!(running.ask(request.as_bytes()).starts_with("HTTP/1.1 431 "), "{line}");
    }
}

#[test]
fn two_hosts_and_hosts_elsewhere_are_refused_and_learn_nothing_of_the_page() {
    let running = Running::with(QUICK, 10);
    for hosts in [
        "Host: localhost\r\nHost: localhost",
        "Host: 127.0.0.1\r\nhost: example.org",
        "Host: example.org",
        "Host: rebound.example:8000",
        "X: y",
    ] {
        for method in ["GET", "HEAD", "POST"] {
            let answer = running.ask(format!("{method} / HTTP/1.1\r\n{hosts}\r\n\r\n").as_bytes());
            assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{hosts}: {answer}");
            assert!(!answer.contains("xxx"), "{hosts}: {answer}");
        }
    }
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let running = Running::with(QUICK, 10);
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK"),
        ("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"),
        ("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"),
        ("\r\n\r\n", "400 Bad Request"),
    ] {
        let answer = running.ask(request.as_bytes());
        let lines: Vec<&str> = answer.lines().collect();
        assert_eq!(lines[0], format!("HTTP/1.1 {status}"));
        for field in [
            "X-Frame-Options: DENY",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cache-Control: no-store",
            "Connection: close",
        ] {
            assert!(lines.contains(&field), "{status}: {field}");
        }
        let policy = lines.iter().find(|line| line.starts_with("Content-Security-Policy: ")).unwrap();
        assert!(policy.contains("default-src 'none';") && policy.ends_with("frame-ancestors 'none'"));
        assert_eq!(lines.contains(&"Allow: GET, HEAD"), status.starts_with("405"));
    }
}
