//! Contact problems of bodies, made from a seed: what tests and benchmarks run on.
//!
//! # Equations
//! The Delassus operator is `W = J M^-1 J^T = Y Y^T` and the constant `q = J v + a` for the free velocities `v` and biases
//! `a`. Without biases, and with biases that are not negative, the problem of Coulomb contacts has a solution: at `v = 0` no
//! contact approaches (Acary and others 2011, assumption of theorem 1, up to strictness). The same seed gives the same bits
//! on every platform.
//!
//! # Files
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
//! These call, from the top down: [`mod@pile`], a heap of bodies at random; [`bodies`], boxes with point contacts and the cone
//! problem of one time step of theirs; [`system`], a problem in rows, given as a [`ConeNcp`](crate::problem::ConeNcp) with its
//! operator in any form; [`rng`], the random numbers. `large` takes its towers from `islands`.
//!
//! # References
//! V. Acary, F. Cadoux, C. Lemarechal, J. Malick, *A formulation of the linear discrete Coulomb friction problem via convex
//! optimization*, ZAMM 91 (2011) 155-175.

pub mod bodies;
pub mod frictionless;
pub mod grasp;
pub mod islands;
pub mod large;
pub mod normals;
pub mod pile;
pub mod random;
pub mod rng;
pub mod sequences;
pub mod system;

pub use crate::samples::bodies::{Body, Contact};
pub use crate::samples::islands::Family;
pub use crate::samples::rng::Rng;
pub use crate::samples::sequences::{Motion, Sequence, Step, StepClass};
pub use crate::samples::system::{Form, Sample, System};
