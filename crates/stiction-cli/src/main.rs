//! The `stiction` command line.
fn main() {}
