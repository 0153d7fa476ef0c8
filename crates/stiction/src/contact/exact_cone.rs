//! The exact friction cone, a nonlinear complementarity problem (De Saxce and Feng 1998; Acary and others 2011).
//!
//! # Problem
//! Per contact `|lambda_t| <= mu lambda_n`, with `u = G lambda + u_free`:
//! - open: `lambda = 0`, `u_n + a_n >= 0`;
//! - sticking: `u_n + a_n = 0`, `u_t = 0`;
//! - sliding: `u_n + a_n = 0`, `lambda_t = -mu lambda_n u_t / |u_t|`: friction opposes sliding, in whatever direction.
//!
//! Limits and frictionless contacts keep the normal law, joint friction is a bounded impulse. Under the *associated* law a
//! sliding contact opens with the speed `mu |u_t|`, which makes the problem convex and wrong (Anitescu 2006); it is here
//! to be compared with.
//!
//! # Method
//! The chain of [`stiction_solvers::ncp::chain`], from the impulses that the same blocks had in the last step. It aims well
//! below its tolerance: what a solver leaves as residual moves bodies that should rest.
//!
//! # References
//! - G. De Saxce, Z.-Q. Feng, *The bipotential method*, Mathematical and Computer Modelling 28 (1998).
//! - V. Acary, F. Cadoux, C. Lemarechal, J. Malick, *A formulation of the linear discrete Coulomb friction problem via convex
//!   optimization*, ZAMM 91 (2011).
//! - M. Anitescu, *Optimization-based simulation of nonsmooth rigid multibody dynamics*, Mathematical Programming 105
//!   (2006).

use super::{BlockKind, FormulationError, IslandProblem, IslandReport, Law, Memory, Operator};
use serde::{Deserialize, Serialize};
use stiction_solvers::{
    BlockRows, Chain, ChainSettings, Cone, ConeNcp, Delassus, FrictionLaw, Report, Residual, Solution,
    Solver, Start, Status,
};

/// Natural map that the solver aims for (dimensionless): a hundred roundings. Left over in every step, it moves what
/// should rest by 1e-14 of the largest displacement.
const AIM: f64 = 1e-14;

/// Settings of the exact cone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactConeSettings {
    /// Coulomb's law, or its convex relaxation.
    pub law: FrictionLaw,
    /// Largest scaled natural-map residual of a solved island.
    pub tolerance: f64,
    /// Factorizations per island and step at most, for real-time users.
    pub max_factorizations: usize,
}

impl Default for ExactConeSettings {
    fn default() -> Self {
        let ChainSettings { tolerance, max_factorizations, .. } = ChainSettings::default();
        Self { law: FrictionLaw::Coulomb, tolerance, max_factorizations }
    }
}

/// Solves islands with exact friction cones. Allocates nothing for an island no larger than one seen before.
#[derive(Debug)]
pub struct ExactCone {
    solver: Chain,
    problem: ConeNcp,
    /// Memory of the form of the operator that is not in use.
    spare: Delassus,
    solution: Solution,
}

impl ExactCone {
    /// Number of rows (20 contacts) above which equations in velocities, sparse by trees, are faster than dense ones in
    /// impulses.
    pub(super) const FACTORED_FROM: usize = 60;

    /// A solver; refuses settings out of range.
    pub fn new(settings: ExactConeSettings) -> Result<Self, FormulationError> {
        let ExactConeSettings { law, tolerance, max_factorizations } = settings;
        let chain =
            ChainSettings { tolerance, aim: AIM.min(tolerance), max_factorizations, ..Default::default() };
        let solver = Chain::new(chain).map_err(|error| FormulationError::Setting(error.to_string()))?;
        Ok(Self {
            solver,
            problem: ConeNcp::default().with_law(law),
            spare: Delassus::Factored(BlockRows::default()),
            solution: Solution::default(),
        })
    }

    /// Solves an island from the impulses in `memory` (N s), and writes those it finds there.
    pub fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        let variables = island.rows();
        if self.pose(island).is_err() {
            memory.iter_mut().for_each(|m| *m = Memory::default());
            return IslandReport { solver: not_finite(), variables };
        }
        self.solution.resize(variables);
        for (block, memory) in island.blocks.iter().zip(memory.iter()) {
            let count = block.kind.rows();
            self.solution.z[block.row..block.row + count].copy_from_slice(&memory.impulse[..count]);
        }
        let solver = self.solver.solve(&self.problem, Start::Warm, &mut self.solution);
        for (block, memory) in island.blocks.iter().zip(memory) {
            let count = block.kind.rows();
            *memory = Memory { known: true, ..Default::default() };
            memory.impulse[..count].copy_from_slice(&self.solution.z[block.row..block.row + count]);
        }
        IslandReport { solver, variables }
    }

    fn pose(&mut self, island: &IslandProblem) -> Result<(), stiction_solvers::SolverError> {
        self.problem.refill(|data| {
            data.cones.clear();
            data.q.clear();
            data.q.extend_from_slice(island.free);
            for block in island.blocks {
                let (cone, bias) = match block.kind {
                    BlockKind::Contact { law: Law::Coulomb { mu }, bias } => {
                        (Cone::Coulomb { dim: 3, mu }, bias)
                    }
                    BlockKind::Contact { law: Law::Frictionless, bias } | BlockKind::Limit { bias } => {
                        (Cone::Nonnegative { dim: 1 }, bias)
                    }
                    BlockKind::Friction { bound } => (Cone::Interval { lower: -bound, upper: bound }, 0.0),
                };
                data.cones.push(cone);
                data.q[block.row] += bias;
            }
            data.compliance.clear();
            data.compliance.resize(data.q.len(), 0.0);
            write_operator(island, data.delassus, &mut self.spare);
        })
    }
}

/// Copies the operator of an island; `spare` is of the other form and changes places when the form changes.
fn write_operator(island: &IslandProblem, delassus: &mut Delassus, spare: &mut Delassus) {
    let same = matches!(
        (&island.delassus, &*delassus),
        (Operator::Dense(_), Delassus::Dense(_)) | (Operator::Factored(_), Delassus::Factored(_))
    );
    if !same {
        std::mem::swap(delassus, spare);
    }
    match (island.delassus, delassus) {
        (Operator::Dense(from), Delassus::Dense(to)) => {
            to.clear();
            to.extend_from_slice(from);
        }
        (Operator::Factored(from), Delassus::Factored(to)) => to.copy_from(from),
        _ => {}
    }
}

/// The report on a problem whose numbers are not finite.
fn not_finite() -> Report {
    Report {
        status: Status::NumericalFailure,
        iterations: 0,
        pivots: 0,
        residual: Residual::INFINITE,
        regularization: 0.0,
    }
}
