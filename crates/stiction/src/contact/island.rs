//! The problem of one island: unilateral rows that share moving trees, whatever the formulation.
//!
//! Find impulses `lambda` and velocities `u = G lambda + free` such that every block meets its law, where
//! `G = J M^-1 J^T` is the Delassus operator (with bilateral rows already eliminated).

use crate::model::Law;
use serde::{Deserialize, Serialize};
use stiction_solvers::{BlockRows, Report};

/// What a block of rows stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlockKind {
    /// A contact; rows are normal and, unless frictionless, two tangents:
    /// `0 <= lambda_n - preload  perp  u_n + bias >= 0`.
    Contact {
        /// Law.
        law: Law,
        /// a_n (m/s): positive while there is a gap, zero when it is closed, negative where Newton's impact law wants the
        /// bodies to part.
        bias: f64,
        /// Normal impulse that acts in any case (N s). It is a part of the impulse that bounds friction, and its effect
        /// on the velocities is in [`IslandProblem::free`] already.
        preload: f64,
    },
    /// One unilateral row: `0 <= lambda  perp  u + bias >= 0` (joint limits).
    Limit {
        /// Position margin over the step (m/s or rad/s).
        bias: f64,
    },
    /// One row with a bounded impulse that opposes its velocity (joint friction).
    Friction {
        /// Largest impulse (N s or N m s).
        bound: f64,
    },
}

impl BlockKind {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            BlockKind::Contact { law, .. } => law.rows(),
            _ => 1,
        }
    }
}

/// What a formulation remembers of a block from one step to the next: the impulse and, as bits, which of its
/// complementarity variables were basic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Whether the block existed in the last step.
    pub known: bool,
    /// Impulse by row (N s), in the block's rows.
    pub impulse: [f64; 3],
    /// Basic variables, by bit.
    pub basic: u64,
}

/// A block of an island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Kind and data.
    pub kind: BlockKind,
    /// First row in the island.
    pub row: usize,
    /// Coefficient of restitution of a contact, which [`Impacts`](crate::contact::impact::Impacts) turns into biases and preloads.
    pub restitution: f64,
}

/// The Delassus operator of an island.
#[derive(Clone, Copy, Debug)]
pub enum Operator<'a> {
    /// All n x n entries, row-major.
    Dense(&'a [f64]),
    /// Rows `Y = J L^-T` of `G = Y Y^T`, where `M = L L^T`: sparse by trees. Only formulations that say so get it
    /// ([`IslandSolver::factored_from`](crate::contact::IslandSolver::factored_from)).
    Factored(&'a BlockRows),
}

/// One island, as the formulations see it. `n` rows. (The acceleration stepper poses its islands in the same form: what is a
/// velocity here is an acceleration there, and what is an impulse a force; see
/// [`ContactForces`](crate::contact::ContactForces).)
#[derive(Clone, Copy, Debug)]
pub struct IslandProblem<'a> {
    /// Blocks in the order of their rows.
    pub blocks: &'a [Block],
    /// Delassus operator (1/kg and mixed units).
    pub delassus: Operator<'a>,
    /// Free row velocities `J v_free + drift`, with what preloads change of them (n).
    pub free: &'a [f64],
    /// Row velocities at the beginning of the step, `J v + drift` (n).
    pub before: &'a [f64],
    /// Time step (s).
    pub timestep: f64,
}

impl IslandProblem<'_> {
    /// Number of blocks above which an island is large: methods for large problems serve it.
    pub const LARGE: usize = 100;

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.free.len()
    }

    /// What the rank of the operator is at most.
    pub(crate) fn largest_rank(&self) -> usize {
        match self.delassus {
            Operator::Dense(_) => self.rows(),
            Operator::Factored(rows) => self.rows().min(rows.columns),
        }
    }

    /// Entry `(i, j)` of the operator, whatever its form.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        match self.delassus {
            Operator::Dense(matrix) => matrix[i * self.rows() + j],
            Operator::Factored(rows) => {
                let block = |i: usize| rows.starts.partition_point(|start| *start <= i) - 1;
                let (a, b) = (block(i), block(j));
                let mut sum = 0.0;
                for (piece, values) in rows.pieces(a) {
                    let left = &values[(i - rows.starts[a]) * piece.width..][..piece.width];
                    for (other, values) in rows.pieces(b).filter(|(other, _)| other.column == piece.column) {
                        let right = &values[(j - rows.starts[b]) * other.width..][..other.width];
                        sum += left.iter().zip(right).map(|(x, y)| x * y).sum::<f64>();
                    }
                }
                sum
            }
        }
    }

    /// Adds `G impulse` to `velocity` (n each); `scratch` is memory to reuse.
    pub(crate) fn add_velocities(&self, impulse: &[f64], velocity: &mut [f64], scratch: &mut Vec<f64>) {
        match self.delassus {
            Operator::Dense(matrix) => {
                for (u, line) in velocity.iter_mut().zip(matrix.chunks_exact(impulse.len().max(1))) {
                    *u += line.iter().zip(impulse).map(|(g, l)| g * l).sum::<f64>();
                }
            }
            Operator::Factored(rows) => {
                scratch.clear();
                scratch.resize(rows.columns, 0.0);
                for (b, ends) in rows.starts.windows(2).enumerate() {
                    for (piece, values) in rows.pieces(b) {
                        for (l, y) in
                            impulse[ends[0]..ends[1]].iter().zip(values.chunks_exact(piece.width.max(1)))
                        {
                            let push = &mut scratch[piece.column..piece.column + piece.width];
                            push.iter_mut().zip(y).for_each(|(p, y)| *p += l * y);
                        }
                    }
                }
                for (b, ends) in rows.starts.windows(2).enumerate() {
                    for (piece, values) in rows.pieces(b) {
                        let push = &scratch[piece.column..piece.column + piece.width];
                        let lines = values.chunks_exact(piece.width.max(1));
                        for (u, y) in velocity[ends[0]..ends[1]].iter_mut().zip(lines) {
                            *u += y.iter().zip(push).map(|(y, p)| y * p).sum::<f64>();
                        }
                    }
                }
            }
        }
    }

    /// The operator as a dense matrix; empty if it is given in another form.
    pub(crate) fn dense(&self) -> &[f64] {
        match self.delassus {
            Operator::Dense(matrix) => matrix,
            Operator::Factored(_) => &[],
        }
    }
}

/// How an island's solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct IslandReport {
    /// The solver's own certified report.
    pub solver: Report,
    /// Number of complementarity variables.
    pub variables: usize,
    /// Number of contacts that bounce.
    pub bounces: usize,
    /// Whether they bounce less than their coefficients of restitution say, because the impact would have added energy or
    /// has no solution otherwise.
    pub reduced: bool,
}

impl IslandReport {
    /// Of an island in which nothing bounces.
    pub(crate) fn of(solver: Report, variables: usize) -> Self {
        Self { solver, variables, bounces: 0, reduced: false }
    }
}
