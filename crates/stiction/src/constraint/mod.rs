//! Constraints: what each kind adds to the problem of a step, the rows, and the islands they form.

pub(crate) mod cable;
pub mod closure;
pub(crate) mod contact;
pub(crate) mod coupling;
pub(crate) mod equality;
pub(crate) mod islands;
pub(crate) mod joint_friction;
pub(crate) mod kind;
pub(crate) mod limit;
pub(crate) mod rows;
pub(crate) mod softness;
pub(crate) mod tendon;

pub use closure::{Assembled, Mobility};
pub use rows::Limited;
