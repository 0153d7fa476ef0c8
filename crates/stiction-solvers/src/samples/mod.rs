//! Contact problems of bodies, made from a seed: what tests and benchmarks run on.
//!
//! | module | problems | for |
//! |---|---|---|
//! | [`islands`] | 936 of 1 to 40 contacts: a box, stacks, grasps, piles | success and work from a cold start |
//! | [`large`] | towers and piles of 48 to 400 contacts | growth with size |
//! | [`random`] | random bodies and blocks of any kind | behaviour on anything solvable |
//! | [`sequences`] | five motions, step after step | warm starts |
//! | [`normals`] | any number of frictionless contacts of a few velocities | growth with the number of contacts |
//! | [`grasp`] | hands that hold an object, with friction boxes | time of small bounded problems |
//! | [`frictionless`] | columns of bodies, and normal contacts of all the above | large ill-conditioned problems |
//!
//! [`system`] holds a problem in rows and gives it as a [`ConeNcp`](crate::problem::ConeNcp) with its operator in any form;
//! [`bodies`] makes one from bodies and contacts; [`dice`] draws the random numbers.
//!
//! The Delassus operator is `W = J M^-1 J^T` and the constant `q = J v + a` for the free velocities `v` and biases `a`.
//! Without biases, and with biases that are not negative, the problem of Coulomb contacts has a solution: at `v = 0` no
//! contact approaches (Acary, Cadoux, Lemarechal, Malick, ZAMM 91 (2011) 155-175, assumption of theorem 1, up to strictness).
//! The same seed gives the same bits on every platform.

pub mod bodies;
pub mod dice;
pub mod frictionless;
pub mod grasp;
pub mod islands;
pub mod large;
pub mod normals;
pub mod random;
pub mod sequences;
pub mod system;

pub use crate::samples::bodies::{Body, Contact};
pub use crate::samples::dice::Dice;
pub use crate::samples::islands::Family;
pub use crate::samples::sequences::{Motion, Sequence, Step, StepClass};
pub use crate::samples::system::{Form, System};

/// A problem with a name.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What it shows and its number, unique in its set.
    pub name: String,
    /// The problem.
    pub system: System,
}
