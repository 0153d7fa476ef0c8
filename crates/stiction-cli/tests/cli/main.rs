//! The command line, by command: what it prints, writes and answers. One binary, because linking is what tests spend most
//! time on; a command is run by its name: `cargo test -p stiction-cli --test cli bench::mj14`.
// Test code, where a panic is a failed test.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_files;
mod bench;
mod check;
mod common;
mod completions;
mod documents;
mod run;
mod solve;
mod strangers;
mod targets;
mod verify;
mod view;
