//! The behaviour of the engine, by topic. One binary, because linking the engine is what tests spend most time on; a topic
//! is run by its name: `cargo test -p stiction --test engine constraint::cable`. Tests that take longer than some seconds
//! are ignored by default; `-- --include-ignored` runs them too, as `.ci/run` does.
// Test code, where a panic is a failed test.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::panic)]

mod common;
mod constraint;
mod contact;
mod dynamics;
mod field_cases;
mod geometry;
mod layers;
mod model;
mod report;
mod scene;
mod step;
