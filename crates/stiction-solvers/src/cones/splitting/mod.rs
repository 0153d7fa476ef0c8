//! Gauss-Seidel and splitting methods for the cone problem: contact by contact, or one kind of equation after the other.
//!
//! # Equations
//! Impulses `x`, velocities `y = W' x + q'` in the units of `normalized`. Gauss-Seidel solves each contact exactly at the
//! impulses of the others. The alternating directions minimize `1/2 x . W' x + (q' + s) . x` and project on the cones in
//! turn, with De Saxce's correction `s` of the last velocities. The normal-friction split solves for normal impulses at
//! given friction, then for friction within disks of given radii.
//!
//! # Files
//! | file | what it is |
//! |---|---|
//! | [`nsgs`] | [`Nsgs`]: Gauss-Seidel with the exact solution of one contact (`single_contact`) |
//! | [`admm`] | [`Admm`]: alternating directions of multipliers |
//! | [`qp_split`] | [`QpSplit`]: the method of Nguyen and Trinkle, on two programs in turn |
//! | `disk_program` | the friction program of `qp_split`: a convex quadratic over disks |

pub mod admm;
pub(crate) mod disk_program;
pub mod nsgs;
pub mod qp_split;

pub use admm::{Admm, AdmmSettings};
pub use nsgs::{Nsgs, NsgsSettings};
pub use qp_split::{QpSplit, QpSplitSettings};
