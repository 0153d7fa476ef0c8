//! Dense and sparse linear algebra, equilibration, and workspaces that do not allocate twice.
//!
//! Matrices are row-major slices of `f64`. Factorizations keep their memory: factoring again at equal or smaller size does
//! not allocate. Failures are values ([`lu::Singular`], [`cholesky::NotPositiveDefinite`]) that say where.
//!
//! | file | what it is |
//! |---|---|
//! | `dense` | products with magnitudes for rounding floors, norms, symmetry, the units of a linear problem |
//! | `lu`, `block_lu` | `P A = L U` with partial pivoting; the same by blocks of small cells |
//! | `cholesky` | `A = L L^T` with rows appended and removed |
//! | `low_rank` | solutions of least norm of singular systems |
//! | `envelope` | Cholesky's factor in an envelope, for `M = Y Y^T` with sparse rows, ordered by `cuthill_mckee` |
//! | `minimum_degree` | elimination order of the sparse systems in velocities |
//! | `sparse_rows`, `short_rows` | rows of few entries |
//! | `scaling` | equilibration by powers of two, which rounds nothing |
//! | `budget` | the time of a solve, which long factorizations look at |
//! | `watch` | who may end a solve, and hears of its iterations |
//! | `capacity` | reservation of memory |
//!
//! Uses nothing of the crate.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, 4th edition 2013.

pub(crate) mod block_lu;
pub(crate) mod budget;
pub(crate) mod capacity;
pub(crate) mod cholesky;
pub(crate) mod cuthill_mckee;
pub(crate) mod dense;
pub(crate) mod envelope;
pub(crate) mod low_rank;
pub(crate) mod lu;
pub(crate) mod minimum_degree;
pub(crate) mod scaling;
pub(crate) mod short_rows;
pub(crate) mod sparse_rows;
pub(crate) mod watch;
