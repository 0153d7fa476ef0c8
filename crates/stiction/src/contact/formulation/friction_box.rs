//! Friction as a box, a symmetric linear complementarity problem (Arechavaleta, Lopez-Damian and Morales 2010).
//!
//! # Problem
//! With `u = G lambda + u_free`, per contact `0 <= lambda_n  perp  u_n + a_n >= 0` and, for each of the two tangents,
//! ```text
//! -mu c <= lambda_t <= mu c,   u_t >= 0 at the lower bound, u_t <= 0 at the upper, u_t = 0 between them
//! ```
//! where `c` estimates the normal impulse from outside the problem. Joint friction has constant bounds, limits keep the
//! normal law. The matrix is symmetric positive semidefinite, the problem a convex quadratic program.
//!
//! # Method
//! 1. Scale each block by `s = (mean diagonal of its Delassus block)^(-1/2)`, which keeps the form and makes the problem
//!    independent of units and mass ratios, and add the constraint force mixing to the diagonal.
//! 2. `c` is the contact's normal impulse in the last step. A contact that was not there takes that of a first solve in
//!    which contacts of its kind have no friction.
//! 3. In the fixed-point variant (Haslinger's), `c` becomes the normal impulse just found until it settles. How redundant
//!    contacts share a load is left to rounding by so little mixing, and would never settle: solves after the first are
//!    proximal-point steps, `(G + rho I) z + q - rho z_last`, which leave the shares as they are and end at the same
//!    solutions.
//! 4. The solver starts from the impulses that the same blocks had in the last step.
//!
//! # Error of the box
//! The box is drawn around the cone: sliding across the tangents, friction is up to `sqrt(2)` times too large, and turns
//! the motion towards them. Without the fixed point friction lags behind its load by a step. Friction never adds energy:
//! at fixed bounds it opposes the velocity after the step, tangent by tangent.
//!
//! # Convergence and failure
//! The solver's status is reported. Bounds that do not settle within the rounds allowed are reported as
//! [`Status::MaxIterations`]; iterations count the solves.
//!
//! # References
//! - G. Arechavaleta, E. Lopez-Damian, J. L. Morales, *On the use of iterative LCP solvers for dry frictional contacts in
//!   grasping*, 2010, eq. 16-17. One slack for both bounds is printed there; what is meant is the mixed problem above.
//! - J. Haslinger, *Approximation of the Signorini problem with friction, obeying the Coulomb law*, Mathematical Methods in
//!   the Applied Sciences 5 (1983).

use super::tight_solver::TightSolver;
use super::{FormulationError, IslandSolver, PosedIsland};
use crate::contact::island::{BlockKind, IslandProblem, IslandReport, Memory};
use crate::model::Law;
use serde::{Deserialize, Serialize};
use stiction_solvers::{BoxLcp, BoxLcpSolver, Report, Solution, Start, Status};

/// Bounds that change by less than this part of the largest normal impulse have settled. Shares of redundant contacts
/// creep by the ratio of mixing and [`PROXIMITY`] in every round, a hundred-thousandth of their unevenness.
const SETTLED: f64 = 1e-8;

/// Weight of a proximal-point step: far above the rounding of redundant contacts, far below what loads them.
const PROXIMITY: f64 = 1e-6;

/// Relative rounding of velocities.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Settings of the friction box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrictionBoxSettings {
    /// `None`: bounds are those of the last step's normal impulses. Otherwise they are re-estimated within the step, at
    /// most so many times.
    pub fixed_point: Option<usize>,
    /// Constraint force mixing: what is added to the diagonal, in units of the mean diagonal of each block.
    pub mixing: f64,
    /// The solver. It goes on below its tolerance, to 1e-14: what counts as solved is not all that can be had.
    pub solver: BoxLcpSolver,
}

impl FrictionBoxSettings {
    /// Rounds of the fixed point unless said otherwise.
    pub const ROUNDS: usize = 100;
}

impl Default for FrictionBoxSettings {
    fn default() -> Self {
        Self { fixed_point: None, mixing: 1e-11, solver: BoxLcpSolver::default() }
    }
}

/// Solves islands with friction boxes. Allocates nothing for an island no larger than one seen before.
#[derive(Debug)]
pub struct FrictionBox {
    settings: FrictionBoxSettings,
    solver: TightSolver<BoxLcp>,
    problem: BoxLcp,
    solution: Solution,
    /// Constants of the scaled problem, and the weight of staying near the last answer.
    q: Vec<f64>,
    proximity: f64,
    /// Scale of each block's impulses: `lambda = scale z`.
    scale: Vec<f64>,
    /// Estimate of each block's normal impulse (N s).
    estimate: Vec<f64>,
}

impl FrictionBox {
    /// A solver; refuses settings out of range.
    pub fn new(settings: FrictionBoxSettings) -> Result<Self, FormulationError> {
        let range = |setting, value, expected| Err(FormulationError::Range { setting, value, expected });
        let mixing = settings.mixing;
        if !(mixing.is_finite() && mixing >= 0.0) {
            return range("constraint force mixing", mixing, "a number of at least 0");
        }
        if settings.fixed_point == Some(0) {
            return range("rounds of the fixed point", 0.0, "at least 1");
        }
        let solver = TightSolver::<BoxLcp>::new(&settings.solver)?;
        Ok(Self {
            settings,
            solver,
            problem: BoxLcp::default(),
            solution: Solution::default(),
            q: Vec::new(),
            proximity: 0.0,
            scale: Vec::new(),
            estimate: Vec::new(),
        })
    }

    /// Step 1: matrix and constants, scaled.
    fn write_problem(&mut self, island: &IslandProblem) {
        let n = island.rows();
        self.problem.resize(n);
        self.scale.clear();
        for block in island.blocks {
            let rows = block.row..block.row + block.kind.rows();
            let count = rows.len() as f64;
            let mean = rows.map(|r| island.dense()[r * n + r]).sum::<f64>() / count;
            // A block that nothing can move (both sides prescribed) keeps the unit scale.
            self.scale.push(if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 });
        }
        let matrix = self.problem.matrix_mut();
        for (a, sa) in island.blocks.iter().zip(&self.scale) {
            for (b, sb) in island.blocks.iter().zip(&self.scale) {
                for i in a.row..a.row + a.kind.rows() {
                    for j in b.row..b.row + b.kind.rows() {
                        matrix[i * n + j] = sa * sb * island.dense()[i * n + j];
                    }
                }
            }
        }
        (0..n).for_each(|i| matrix[i * n + i] += self.settings.mixing);
        self.proximity = 0.0;
        self.q.resize(n, 0.0);
        for (block, scale) in island.blocks.iter().zip(&self.scale) {
            for k in 0..block.kind.rows() {
                let bias = if k == 0 { bias(block.kind) } else { 0.0 };
                self.q[block.row + k] = scale * (island.free[block.row + k] + bias);
            }
        }
    }

    /// Steps 2 and 4: the bounds and the start.
    fn recall(&mut self, island: &IslandProblem, memory: &[Memory]) {
        self.estimate.clear();
        self.estimate.extend(memory.iter().map(|m| if m.known { m.impulse[0].max(0.0) } else { 0.0 }));
        self.solution.resize(island.rows());
        for ((block, scale), memory) in island.blocks.iter().zip(&self.scale).zip(memory) {
            for k in 0..block.kind.rows() {
                self.solution.z[block.row + k] = memory.impulse[k] / scale;
            }
        }
    }

    /// Solves the problem with the bounds as they are estimated.
    fn attempt(&mut self, island: &IslandProblem) -> Report {
        if !self.write_bounds(island) {
            return Report::NOT_FINITE;
        }
        self.solver.solve(&self.problem, Start::Warm, &mut self.solution)
    }

    /// Bounds as they are estimated, and constants with the pull of the last answer. Returns whether all are numbers.
    fn write_bounds(&mut self, island: &IslandProblem) -> bool {
        for ((block, scale), estimate) in island.blocks.iter().zip(&self.scale).zip(&self.estimate) {
            let one_sided = [0.0, f64::INFINITY];
            let around = |bound: f64| [-bound / scale, bound / scale];
            for k in 0..block.kind.rows() {
                let [lower, upper] = match block.kind {
                    BlockKind::Friction { bound } => around(bound),
                    BlockKind::Contact { law, .. } if k > 0 => around(law.mu() * estimate),
                    _ => one_sided,
                };
                if self.problem.set_bounds(block.row + k, lower, upper).is_err() {
                    return false;
                }
            }
        }
        for ((q, constant), z) in self.problem.q_mut().iter_mut().zip(&self.q).zip(&self.solution.z) {
            *q = constant - self.proximity * z;
        }
        true
    }

    /// Step 3: from now on solves are proximal-point steps.
    fn stay_near(&mut self) {
        self.proximity = PROXIMITY;
        let n = self.q.len();
        self.problem.matrix_mut().iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal += PROXIMITY);
    }

    /// Steps 2 and 3: takes the normal impulses just found for estimates, of new contacts or with the fixed point of all.
    /// Returns whether nothing has changed.
    fn estimate_again(&mut self, island: &IslandProblem, memory: &[Memory]) -> bool {
        let (mut largest, mut change): (f64, f64) = (0.0, 0.0);
        let everywhere = self.settings.fixed_point.is_some();
        // Shares of redundant contacts creep by the rounding of their velocities over the weight of a proximal-point step.
        let fastest = self.q.iter().fold(0.0, |fastest: f64, q| fastest.max(q.abs()));
        let creep = ROUNDING * fastest / PROXIMITY;
        for (b, block) in island.blocks.iter().enumerate() {
            if has_friction(block.kind) && (everywhere || !memory[b].known) {
                let impulse = self.scale[b] * self.solution.z[block.row].max(0.0);
                largest = largest.max(impulse);
                change = change.max((impulse - self.estimate[b]).abs() - self.scale[b] * creep);
                self.estimate[b] = impulse;
            }
        }
        change <= SETTLED * largest
    }

    fn remember(&self, island: &IslandProblem, memory: &mut [Memory]) {
        for ((block, scale), memory) in island.blocks.iter().zip(&self.scale).zip(memory) {
            *memory = Memory { known: true, ..Default::default() };
            for k in 0..block.kind.rows() {
                memory.impulse[k] = scale * self.solution.z[block.row + k];
            }
        }
    }
}

impl IslandSolver for FrictionBox {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        self.write_problem(island);
        self.recall(island, memory);
        let mut report = self.attempt(island);
        if self.settings.fixed_point.is_some() {
            self.stay_near();
        }
        let mut solves = 1;
        let news = island.blocks.iter().zip(memory.iter()).any(|(b, m)| !m.known && has_friction(b.kind));
        if news || self.settings.fixed_point.is_some() {
            let rounds = self.settings.fixed_point.unwrap_or(1);
            let mut settled = false;
            while report.status == Status::Solved && !settled && solves <= rounds {
                settled = self.estimate_again(island, memory);
                if !settled {
                    let again = self.attempt(island);
                    report = Report { pivots: report.pivots + again.pivots, ..again };
                    solves += 1;
                }
            }
            let open = self.settings.fixed_point.is_some() && !settled;
            if open && report.status == Status::Solved && !self.estimate_again(island, memory) {
                report.status = Status::MaxIterations;
            }
        }
        self.remember(island, memory);
        IslandReport::of(Report { iterations: solves, ..report }, island.rows())
    }

    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        self.write_problem(island);
        self.recall(island, memory);
        self.write_bounds(island)
            .then(|| PosedIsland { problem: self.problem.clone().into(), start: self.solution.z.clone() })
    }
}

fn has_friction(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Contact { law: Law::Coulomb { .. }, .. })
}

/// a_n of the first row (m/s).
fn bias(kind: BlockKind) -> f64 {
    match kind {
        BlockKind::Contact { bias, .. } | BlockKind::Limit { bias } => bias,
        BlockKind::Friction { .. } => 0.0,
    }
}
