//! `stiction bench`: the experiments of the laboratory as the command line tells them. No verdict depends on a time.

mod a10;
mod cones;
mod convergence;
mod d15;
mod mj14;
mod solvers;

use serde_json::Value;

/// A number under a key.
fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}
