//! Dense and sparse linear algebra, equilibration, and workspaces that do not allocate twice.

pub(crate) mod block_lu;
pub(crate) mod capacity;
pub(crate) mod cholesky;
pub(crate) mod cuthill_mckee;
pub(crate) mod dense;
pub(crate) mod envelope;
pub(crate) mod lu;
pub(crate) mod minimum_degree;
pub(crate) mod scaling;
pub(crate) mod short_rows;
pub(crate) mod sparse_rows;
