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
        let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
        command.current_dir(directory).args(["view", "--no-open", "--quiet"]).args(args);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
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
    assert_eq!(status("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"), "HTTP/1.1 400 Bad Request");
    assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400 Bad Request");
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
    std::fs::write(dir.join("latin.html"), b"<p>\n\xe9").unwrap();
    stiction_in(&dir, &["run", &shipped("belt"), "--duration", "0.01", "--out", "cut.html"]).exits_with(0);
    let page = std::fs::read(dir.join("cut.html")).unwrap();
    std::fs::write(dir.join("cut.html"), &page[..page.len() / 2]).unwrap();
    for (file, expected) in [
        ("absent.npz", "absent.npz: cannot be read: "),
        ("text.npz", "text.npz: not a recording: not a NumPy archive"),
        ("absent.html", "absent.html: cannot be read: "),
        ("other.html", "other.html: not a page that `stiction run SCENE --out FILE.html` wrote"),
        ("cut.html", "cut.html: not the whole of a page: "),
        ("latin.html", "latin.html: cannot be read: line 2 is not UTF-8"),
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

/// Devices never end, and a pipe begins when its writer likes.
#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_refused_at_once_under_every_name() {
    use std::os::unix::fs::symlink;
    let dir = scratch("devices");
    for extension in ["npz", "html", "xml"] {
        symlink("/dev/zero", dir.join(format!("zero.{extension}"))).unwrap();
        let pipe = dir.join(format!("pipe.{extension}"));
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    std::fs::write(
        dir.join("mesh.xml"),
        "<mujoco><asset><mesh name=\"m\" file=\"pipe.obj\"/></asset></mujoco>",
    )
    .unwrap();
    assert!(Command::new("mkfifo").arg(dir.join("pipe.obj")).status().unwrap().success());
    let viewed = ["/dev/zero", "zero.npz", "zero.html", "zero.xml", "pipe.npz", "pipe.html", "pipe.xml"];
    let viewed = viewed.map(|file| vec!["view", "--no-open", file]);
    let solved = ["/dev/zero", "pipe.npz"].map(|file| vec!["solve", file]);
    let scene = shipped("belt");
    let state = vec!["run", &scene, "--load-state", "pipe.npz"];
    let mesh = vec!["check", "mesh.xml"];
    for args in viewed.iter().cloned().chain(solved).chain([state, mesh]) {
        let patient = [&["10", env!("CARGO_BIN_EXE_stiction")][..], &args[..]].concat();
        let out = Command::new("timeout").args(patient).current_dir(&dir).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        let expected = if args == viewed[0] { "unknown scene format" } else { "it is not a file" };
        assert!(said.contains(expected), "{args:?}: {said}");
        assert_eq!(crate::common::sentences(&said).len(), 1, "{args:?}: {said}");
    }
}

/// What a process has used of the processor (s).
#[cfg(target_os = "linux")]
fn used(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let after_name: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    // Fields 14 and 15 of proc(5), in hundredths of a second.
    (after_name[11].parse::<f64>().unwrap() + after_name[12].parse::<f64>().unwrap()) / 100.0
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_out_of_descriptors_rests_and_still_answers() {
    let dir = scratch("descriptors");
    stiction_in(&dir, &["run", &shipped("belt"), "--duration", "0.01", "--out", "a.html"]).exits_with(0);
    let limited =
        format!("ulimit -n 16; exec {} view --no-open --quiet a.html", env!("CARGO_BIN_EXE_stiction"));
    let mut command = Command::new("sh");
    command.args(["-c", &limited]).current_dir(&dir);
    let server = Server::of(command);
    let idle: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    let (before, start) = (used(server.child.id()), std::time::Instant::now());
    // While they wait for their turn, and while the listener has nothing to give them.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let share = (used(server.child.id()) - before) / start.elapsed().as_secs_f64();
    assert!(share < 0.1, "{share} of a processor");
    assert!(server.page().contains("</html>"));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    drop(idle);
    assert!(server.page().contains("</html>"));
}
