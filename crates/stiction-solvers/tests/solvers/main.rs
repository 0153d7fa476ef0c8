//! The tests of the solvers, one module a topic: `cargo test -p stiction-solvers --test solvers pivoting::lemke`.
//!
//! Long tests are marked `#[ignore = "slow: .."]` and run with `--include-ignored`. The tests of allocation have a binary of
//! their own, because they count in its allocator.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/suites.rs"]
mod suites;

mod cones {
    mod chain;
    mod invariance;
    mod least_norm;
    mod mncp_and_split;
    mod random;
    mod repeats;
    mod suite;
    mod sweeps;
}
mod newton {
    mod methods;
    mod suites;
}
mod pivoting {
    mod baraff;
    mod dantzig;
    mod games;
    mod lemke;
    mod lemke_suite;
    mod normal_contacts;
    mod suites;
}
mod problems {
    mod field_cases;
    mod files;
    mod random;
}
mod economics;
mod extremes;
mod robust;
mod solved_is_true;
mod sweeps;
mod time_limit;
mod watch;
