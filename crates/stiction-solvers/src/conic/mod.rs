//! The interior-point method of the conic library Clarabel; behind the feature `conic`.
//!
//! Minimize `1/2 x . P x + c . x` subject to `A x + s = b`, `s` in a product of cones. Convex problems are handed over in the
//! units of their residual, and the library's answer is evaluated here, on the original data.
//!
//! | file | what it is |
//! |---|---|
//! | `interior_point` | [`InteriorPoint`] for boxes and factored problems; `cones::interior` adds friction cones |
//!
//! # References
//! P. Goulart, Y. Chen, *Clarabel: an interior-point solver for conic programs with quadratic objectives*, 2024.

pub mod interior_point;

pub use interior_point::{InteriorPoint, InteriorPointSettings};
