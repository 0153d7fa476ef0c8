//! `stiction run --out FILE.html` and `stiction view`: the page that is written is the one that is served, to this
//! machine only; what is not a recording is refused with a sentence.

use crate::common::{scratch, shipped, stiction, stiction_in};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A `stiction view` that is running; it ends with the value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(directory: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
            .current_dir(directory)
            .args(["view", "--no-open", "--quiet"])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_string();
        Self { child, address }
    }

    /// The whole answer to a request.
    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The page.
    fn page(&self) -> String {
        let answer = self.ask(&format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", self.address));
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{}", &answer[..100]);
        answer.split_once("\r\n\r\n").unwrap().1.to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_page_of_ten_thousand_steps_with_twelve_contacts_each_is_below_three_megabytes() {
    let dir = scratch("page");
    stiction_in(&dir, &["run", &shipped("grasp"), "--out", "a.html"]).exits_with(0);
    let page = std::fs::read_to_string(dir.join("a.html")).unwrap();
    assert!(page.len() < 3_000_000, "{}", page.len());
    assert!(page.contains("\"steps\":10000,\"stride\":1,\"frames\":10000"));
    // It asks the network for nothing.
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
    stiction_in(&dir, &["run", &shipped("grasp"), "--out", "b.html", "--quiet"]).exits_with(0);
    assert_eq!(page, std::fs::read_to_string(dir.join("b.html")).unwrap());
}

#[test]
fn recording_page_and_scene_are_served_as_the_page_that_run_writes() {
    let dir = scratch("served");
    let scene = shipped("sphere_slide");
    let run = ["run", &scene, "--duration", "0.1", "--out", "a.npz", "--out", "a.html"];
    stiction_in(&dir, &run).exits_with(0);
    let written = std::fs::read_to_string(dir.join("a.html")).unwrap();
    assert_eq!(Server::start(&dir, &["a.npz"]).page(), written);
    assert_eq!(Server::start(&dir, &["a.html"]).page(), written);
    assert_eq!(Server::start(&dir, &[&scene, "--duration", "0.1"]).page(), written);
}

#[test]
fn only_this_machine_is_answered_and_only_about_the_page() {
    let dir = scratch("answers");
    stiction_in(&dir, &["run", &shipped("belt"), "--duration", "0.01", "--out", "a.html"]).exits_with(0);
    let server = Server::start(&dir, &["a.html"]);
    assert!(server.address.starts_with("127.0.0.1:"));
    let status = |request: &str| server.ask(request).lines().next().unwrap_or_default().to_string();
    assert_eq!(status("GET /other HTTP/1.1\r\nHost: localhost:80\r\n\r\n"), "HTTP/1.1 404 Not Found");
    assert_eq!(status("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"), "HTTP/1.1 403 Forbidden");
    assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 403 Forbidden");
    assert_eq!(status("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
    assert_eq!(status("nonsense\r\n\r\n"), "HTTP/1.1 400 Bad Request");
    let head = server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 OK") && head.ends_with("\r\n\r\n"));

    let port = server.address.rsplit_once(':').unwrap().1;
    let second = stiction_in(&dir, &["view", "a.html", "--no-open", "--port", port]).exits_with(2);
    assert!(
        second.stderr.contains(&format!("--port {port}: 127.0.0.1 does not give it")),
        "{}",
        second.stderr
    );
}

#[test]
fn what_is_not_a_recording_is_refused_with_a_sentence() {
    let dir = scratch("refused");
    std::fs::write(dir.join("text.npz"), "not a zip archive").unwrap();
    std::fs::write(dir.join("other.html"), "<p>something else</p>").unwrap();
    for (file, expected) in [
        ("absent.npz", "absent.npz: cannot be read: "),
        ("text.npz", "text.npz: not a recording: not a NumPy archive"),
        ("absent.html", "absent.html: cannot be read: "),
        ("other.html", "other.html: not a page that `stiction run SCENE --out FILE.html` wrote"),
        ("absent.xml", "absent.xml"),
    ] {
        let outcome = stiction_in(&dir, &["view", file, "--no-open"]).exits_with(2);
        assert!(outcome.stderr.contains(expected), "{file}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "");
    }
    let outcome = stiction(&["run", &shipped("belt"), "--out", "a.htm"]).exits_with(2);
    assert!(outcome.stderr.contains(".npz or .html"), "{}", outcome.stderr);
    let outcome = stiction(&["view", &shipped("belt"), "--duration=-1"]).exits_with(2);
    assert!(outcome.stderr.contains("--duration is -1"), "{}", outcome.stderr);
}
