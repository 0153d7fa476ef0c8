//! The problem of the normal impulses alone: what is left of an island where tangential impulses are eliminated or known.
//!
//! # Problem
//! `0 <= z  perp  Y Y^T z + q >= 0`, one unknown per block: the normal impulse of a contact, the impulse of a limit; that of a
//! joint's friction has two bounds instead. The matrix is symmetric and positive semidefinite.
//!
//! # Method
//! The problem goes to the solver as `Y` where it takes that (`ppm`, `active-set-qp`: nothing of the size of the matrix is ever
//! formed), otherwise multiplied out. Islands with joint friction go to `dantzig` where the solver knows no bounds. Pivoting
//! solvers start from the blocks that carried an impulse in the last step, others from their impulses.
//!
//! | file | what |
//! |---|---|
//! | `solver` | which solver |
//! | `factored_island` | the rows `Y` of an island in the space of its velocities |
//! | `dense_factor` | `Y` of an operator that is given by its entries |
//! | `normal_impulses` | islands without tangential impulses as this problem |

mod dense_factor;
mod factored_island;
mod normal_impulses;
mod solver;

pub(crate) use dense_factor::DenseFactor;
pub(crate) use factored_island::{FactoredIsland, Push, bias, dot};
pub(crate) use normal_impulses::NormalImpulses;
pub use solver::NormalSolver;

use super::FormulationError;
use super::tight_solver::TightSolver;
use crate::contact::formulation::PosedIsland;
use crate::contact::island::{Block, BlockKind, Memory};
use stiction_solvers::{ActiveSet, BoxLcp, FactoredLcp, Report, Solution, Start, Status};

/// Solvers that start from the set of contacts that press; others start from their impulses.
const PIVOTING: [&str; 4] = ["ppm", "active-set-qp", "dantzig", "lemke"];

/// The problem and its solver. Allocates nothing for an island no larger than one seen before.
#[derive(Debug)]
pub(crate) struct NormalProblem {
    /// Largest natural map of a solved problem.
    pub(crate) tolerance: f64,
    /// Whether the solver starts from a set.
    pivoting: bool,
    /// Takes `Y`.
    factored: Option<TightSolver<FactoredLcp>>,
    factored_problem: FactoredLcp,
    /// Takes bounds.
    bounded: TightSolver<BoxLcp>,
    bounded_problem: BoxLcp,
    /// Number of columns of `Y`; `Y`, row-major; and `q`.
    pub(crate) columns: usize,
    pub(crate) half: Vec<f64>,
    pub(crate) q: Vec<f64>,
    /// Blocks whose impulse is between its bounds.
    pub(crate) basis: ActiveSet,
    pub(crate) solution: Solution,
}

impl NormalProblem {
    /// With this solver; refuses settings out of range.
    pub(crate) fn new(choice: &NormalSolver) -> Result<Self, FormulationError> {
        let factored = match choice {
            NormalSolver::Factored(solver) => Some(TightSolver::<FactoredLcp>::new(solver)?),
            NormalSolver::Bounded(_) => None,
        };
        Ok(Self {
            tolerance: choice.tolerance(),
            pivoting: PIVOTING.contains(&choice.name()),
            factored,
            factored_problem: FactoredLcp::default(),
            bounded: TightSolver::<BoxLcp>::new(&choice.bounded())?,
            bounded_problem: BoxLcp::default(),
            columns: 0,
            half: Vec::new(),
            q: Vec::new(),
            basis: ActiveSet::default(),
            solution: Solution::default(),
        })
    }

    /// Starts from what blocks remember: whether the first bit is set, and normal impulses without the `preload` of each.
    pub(crate) fn recall(&mut self, memory: &[Memory], preload: impl Fn(usize) -> f64) {
        self.basis.resize(memory.len());
        self.solution.resize(memory.len());
        for (b, memory) in memory.iter().enumerate() {
            self.basis.set(b, memory.basic & 1 == 1);
            self.solution.z[b] = memory.impulse[0] - preload(b);
        }
    }

    /// Starts `n` blocks from nothing.
    pub(crate) fn restart(&mut self, n: usize) {
        self.basis.resize(n);
        self.solution.resize(n);
        self.solution.z.fill(0.0);
        (0..n).for_each(|b| self.basis.set(b, false));
    }

    /// Makes it a problem of `n` blocks and `m` columns, all zero, with `q` still to be pushed.
    pub(crate) fn clear(&mut self, n: usize, m: usize) {
        self.columns = m;
        self.half.clear();
        self.half.resize(n * m, 0.0);
        self.q.clear();
        self.q.reserve(n);
    }

    /// Row `b` of `Y`.
    pub(crate) fn row(&self, b: usize) -> &[f64] {
        &self.half[b * self.columns..(b + 1) * self.columns]
    }

    /// Solves the problem of these blocks. What does not lead to an answer from the start that is remembered is tried from none.
    pub(crate) fn solve(&mut self, blocks: &[Block]) -> Report {
        let report = self.attempt(blocks, false);
        if matches!(report.status, Status::Solved | Status::Infeasible) {
            return report;
        }
        let again = self.attempt(blocks, true);
        Report { pivots: report.pivots + again.pivots, ..again }
    }

    fn attempt(&mut self, blocks: &[Block], cold: bool) -> Report {
        let two_sided = is_two_sided(blocks);
        let start = match (cold, self.pivoting) {
            (true, _) => Start::Cold,
            (false, true) => Start::Basis(&self.basis),
            (false, false) => Start::Warm,
        };
        let report = match &mut self.factored {
            Some(solver) if !two_sided => {
                write_factored(&mut self.factored_problem, &self.half, &self.q, self.columns);
                solver.solve(&self.factored_problem, start, &mut self.solution)
            }
            _ if write_bounded(&mut self.bounded_problem, &self.half, &self.q, self.columns, blocks) => {
                self.bounded.solve(&self.bounded_problem, start, &mut self.solution)
            }
            _ => return Report::NOT_FINITE,
        };
        for (b, block) in blocks.iter().enumerate() {
            let z = self.solution.z[b];
            let inside = match block.kind {
                BlockKind::Friction { bound } => z.abs() < bound,
                _ => z > 0.0,
            };
            self.basis.set(b, inside);
        }
        report
    }

    /// The problem as its solver gets it.
    pub(crate) fn pose(&self, blocks: &[Block]) -> Option<PosedIsland> {
        let start = self.solution.z.clone();
        if self.factored.is_some() && !is_two_sided(blocks) {
            let mut problem = FactoredLcp::default();
            write_factored(&mut problem, &self.half, &self.q, self.columns);
            return Some(PosedIsland { problem: problem.into(), start });
        }
        let mut problem = BoxLcp::default();
        write_bounded(&mut problem, &self.half, &self.q, self.columns, blocks)
            .then(|| PosedIsland { problem: problem.into(), start })
    }
}

/// Whether a joint's friction needs bounds on both sides.
fn is_two_sided(blocks: &[Block]) -> bool {
    blocks.iter().any(|b| matches!(b.kind, BlockKind::Friction { .. }))
}

/// The problem by the rows of `Y`, `m` numbers each.
fn write_factored(problem: &mut FactoredLcp, half: &[f64], q: &[f64], m: usize) {
    problem.refill(q.len(), m, |to, constants| {
        to.copy_from_slice(half);
        constants.copy_from_slice(q);
    });
}

/// The problem by its matrix `Y Y^T` and bounds. Returns whether the bounds are numbers.
fn write_bounded(problem: &mut BoxLcp, half: &[f64], q: &[f64], m: usize, blocks: &[Block]) -> bool {
    let n = q.len();
    problem.resize(n);
    for i in 0..n {
        for j in 0..n {
            let [a, b] = [i, j].map(|i| &half[i * m..(i + 1) * m]);
            problem.matrix_mut()[i * n + j] = dot(a, b);
        }
    }
    problem.q_mut().copy_from_slice(q);
    blocks.iter().enumerate().all(|(b, block)| {
        let (lower, upper) = match block.kind {
            BlockKind::Friction { bound } => (-bound, bound),
            _ => (0.0, f64::INFINITY),
        };
        problem.set_bounds(b, lower, upper).is_ok()
    })
}
