//! The principal block `M_aa` of a basis `a`, and methods that work on it alone.
//!
//! | file | what it is |
//! |---|---|
//! | `principal_block` | factored anew for a basis, and solved with refinement |
//! | `active_block` | a factor that follows single exchanges, for [`crate::pivoting::Dantzig`] |
//! | `block_pivoting` | exchanges of whole groups of indices, as a start for [`crate::pivoting::Lemke`] |

pub(crate) mod active_block;
pub(crate) mod block_pivoting;
pub(crate) mod principal_block;
