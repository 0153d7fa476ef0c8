//! Problems with an affine map `F(z) = M z + q`, one file a class.
//!
//! | file | `K` | `M` |
//! |---|---|---|
//! | [`lcp`] | `z >= 0` | dense |
//! | [`box_lcp`] | `lower <= z <= upper` | dense |
//! | [`mlcp`] | free rows first, then `z >= 0` | dense, in blocks; reduced to an [`Lcp`] where the free block allows |
//! | [`factored_lcp`] | `z >= 0` | `Y Y^T`, never formed |
//! | [`quadratic_program`] | free rows first, then `z >= 0` | the dual's, of a strictly convex program |
//!
//! `dense_linear` is what the classes with a dense matrix offer to methods that take any of them.

pub mod box_lcp;
pub(crate) mod dense_linear;
pub mod factored_lcp;
pub mod lcp;
pub mod mlcp;
pub mod quadratic_program;

pub use box_lcp::BoxLcp;
pub use factored_lcp::FactoredLcp;
pub use lcp::Lcp;
pub use mlcp::{Mlcp, MlcpBlocks, ReducedMlcp};
pub use quadratic_program::{QuadraticBlocks, QuadraticProgram};
