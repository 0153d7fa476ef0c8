//! Pivoting methods for linear complementarity problems, and what puts them to work on the other linear classes.
//!
//! `0 <= z  perp  w = M z + q >= 0`. A *basis* says of every index which of `z_i` and `w_i` is basic; the others are zero.
//! At a complementary basis `a` (the indices with `z_i` basic) the principal block `M_aa z_a = -q_a` gives the answer, and
//! signs decide whether it is one. The methods differ in how they go from basis to basis.
//!
//! | file | what it is |
//! |---|---|
//! | `lemke` | [`Lemke`]: Lemke's path, started from a basis by `block_pivoting` where there is one; on a tableau |
//! | `lemke_howson` | [`LemkeHowson`]: the paths of the labels of a bimatrix game, on a tableau |
//! | `proximal_lemke` | [`ProximalLemke`]: proximal-point steps around Lemke's method, for redundant unknowns |
//! | `dantzig` | [`Dantzig`]: principal pivoting, index by index in major cycles (`major_cycle` on an active block) |
//! | `baraff` | the same with friction bounded by the normal unknowns, as Baraff published it |
//! | `enumeration` | [`Enumeration`]: all complementary bases of a small problem |
//! | `infeasibility` | a proof that a problem has no solution |
//! | `lcp_adapter` | [`Reduced`]: any of these for bounds, equations and low rank, through `box_to_lcp` |
//! | `tableaus/` | dictionaries for Lemke's path, and for the paths of [`crate::newton::Path`] in a box |
//! | `blocks/` | the block of a basis: solved anew, updated, exchanged in groups |
//! | `face` | where an unknown lies in its box |
//!
//! Calls `linalg`, `problem` and `driver`; called by `newton`, `cones` and `select`.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992 (SIAM 2009).

pub mod baraff;
pub(crate) mod blocks;
pub(crate) mod box_to_lcp;
pub mod dantzig;
pub mod enumeration;
pub(crate) mod face;
pub mod infeasibility;
pub mod lcp_adapter;
pub mod lemke;
pub mod lemke_howson;
pub(crate) mod major_cycle;
pub mod proximal_lemke;
pub(crate) mod tableaus;

pub use dantzig::{Dantzig, DantzigSettings, NextIndex};
pub use enumeration::{Enumeration, EnumerationSettings};
pub use lcp_adapter::Reduced;
pub use lemke::{Lemke, LemkeSettings, TieRule};
pub use lemke_howson::{LemkeHowson, LemkeHowsonSettings};
pub use proximal_lemke::{ProximalLemke, ProximalSettings};
