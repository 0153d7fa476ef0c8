//! The exact friction cone, a nonlinear complementarity problem (De Saxce and Feng 1998; Acary and others 2011), and with
//! it every law of contact.
//!
//! # Problem
//! With `u = G lambda + u_free`, per contact `0 <= lambda_n  perp  u_n + a_n >= 0` and, tangentially,
//!
//! | law | tangential impulse |
//! |---|---|
//! | frictionless | none |
//! | Coulomb | `|lambda_t| <= mu lambda_n`; sliding, `lambda_t = -mu lambda_n u_t / |u_t|`: in whatever direction |
//! | no slip | any while `lambda_n > 0`, and then `u_t = 0` |
//! | viscous | `-h c u_t` where the gap is closed before the step or after it, of the velocity after it (implicit) or before it (explicit) |
//! | Coulomb and viscous | the sum |
//!
//! Limits keep the normal law, joint friction is a bounded impulse. Under the *associated* law a sliding contact opens with
//! the speed `mu |u_t|`, which makes the problem convex and wrong (Anitescu 2006); it is here to be compared with.
//!
//! # Method
//! 1. Contacts become blocks of a cone problem. An implicit viscous impulse is a held row with the compliance `1 / (h c)`,
//!    which is unconditionally stable; next to dry friction it has rows of its own. Contacts that close in the step are found by
//!    solving again ([`ViscousContacts`]).
//!    A preload `p` of an impact enlarges the cone to `|lambda_t| <= mu (lambda_n + p)`, which is the sum of the cone and
//!    of a disk of radius `mu p`; both parts of the friction oppose the same sliding. The disk is the friction of a second
//!    contact with the same tangents, whose normal row nothing else moves and whose normal impulse is `p` therefore. So
//!    the problem stays one of cones, exactly.
//! 2. The solver, by default the chain of [`stiction_solvers::cones::chain`], starts from the impulses that the same blocks
//!    had in the last step. The chain goes on well below its tolerance: residuals add up over the steps and move bodies that
//!    should rest.
//! 3. Bodies that jam may have no motion without slip. Contacts without slip then count as ones of friction 1000, and the
//!    report says so as a regularization of a thousandth.
//!
//! # References
//! - G. De Saxce, Z.-Q. Feng, *The bipotential method*, Mathematical and Computer Modelling 28 (1998).
//! - V. Acary, F. Cadoux, C. Lemarechal, J. Malick, *A formulation of the linear discrete Coulomb friction problem via convex
//!   optimization*, ZAMM 91 (2011).
//! - M. Anitescu, *Optimization-based simulation of nonsmooth rigid multibody dynamics*, Mathematical Programming 105
//!   (2006).
//! - E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models* (2015), sections IV and VI.

mod layout;

use layout::Layout;

use super::viscous::{ViscousContacts, ViscousRule};
use super::{FormulationError, IslandSolver, PosedIsland};
use crate::contact::island::{Block, BlockKind, IslandProblem, IslandReport, Memory};
use crate::model::Law;
use serde::{Deserialize, Serialize};
use std::fmt::{Debug, Formatter};
use stiction_solvers::{
    BlockRows, ConeNcp, ConeSolver, Delassus, FrictionLaw, Report, Residual, Solution, Solver, SolverError,
    Start, Status,
};

/// Coefficient of friction of a contact without slip that jams.
const JAMMED: f64 = 1e3;

/// The source of a normal row that holds a preload: no row of the island.
const PRELOADED: usize = usize::MAX;

/// Settings of the exact cone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactConeSettings {
    /// Coulomb's law, or its convex relaxation.
    pub law: FrictionLaw,
    /// Law of all contacts that have friction, in place of their own; serialized as scenes write it, `viscous 2`.
    #[serde(with = "law_text")]
    pub replacement: Option<Law>,
    /// Which velocity viscous friction answers.
    pub viscous: ViscousRule,
    /// Compliance of every contact row (velocity per impulse, 1/kg): 0 for rigid contacts.
    pub compliance: f64,
    /// The solver with its settings; for real-time users, [`ChainSettings`](stiction_solvers::ChainSettings) bounds the
    /// factorizations per island and step.
    pub solver: ConeSolver,
}

/// A law as text.
mod law_text {
    use crate::model::Law;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    pub(super) fn serialize<S: Serializer>(law: &Option<Law>, serializer: S) -> Result<S::Ok, S::Error> {
        law.map(|law| law.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Law>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|text| text.parse()).transpose().map_err(de::Error::custom)
    }
}

impl Default for ExactConeSettings {
    fn default() -> Self {
        Self {
            law: FrictionLaw::Coulomb,
            replacement: None,
            viscous: ViscousRule::Implicit,
            compliance: 0.0,
            solver: ConeSolver::default(),
        }
    }
}

impl ExactConeSettings {
    /// The law that holds at a contact whose own law is `law`.
    pub(crate) fn law_in_force(&self, law: Law) -> Law {
        match law {
            Law::Frictionless => law,
            law => self.replacement.unwrap_or(law),
        }
    }
}

/// Solves islands with exact friction cones. Allocates nothing for an island no larger than one seen before.
pub struct ExactCone {
    settings: ExactConeSettings,
    solver: Box<dyn Solver<ConeNcp> + Send>,
    problem: ConeNcp,
    /// Memory of the form of the operator that is not in use.
    spare: Delassus,
    solution: Solution,
    /// The island's row of every row of the problem, or [`PRELOADED`].
    source: Vec<usize>,
    /// Delassus diagonal of the [`PRELOADED`] rows, in their order.
    mobility: Vec<f64>,
    /// First row in the problem, and number of rows, of every block.
    blocks: Vec<[usize; 2]>,
    viscous: ViscousContacts,
    /// Impulses by row of the island (N s).
    impulse: Vec<f64>,
    /// What blocks remembered at the beginning.
    start: Vec<Memory>,
}

impl ExactCone {
    /// Largest natural map of an answer to a large island that counts as solved. For a pile of boxes of 1 kg that settles at 5 ms it
    /// means 1e-9 m/s and a millionth of a weight; where it hits at 1 m/s, 1e-8 m/s.
    const TOLERANCE_OF_LARGE: f64 = 1e-8;

    /// Number of rows (20 contacts) above which equations in velocities, sparse by trees, are faster than dense ones in
    /// impulses.
    pub(crate) const FACTORED_FROM: usize = 60;

    /// With the solver of the settings; refuses settings out of range.
    pub fn new(settings: ExactConeSettings) -> Result<Self, FormulationError> {
        let refuse = |error| FormulationError::SolverSetting { solver: settings.solver.name(), error };
        let solver = settings.solver.make().map_err(refuse)?;
        Self::with_solver(settings, solver)
    }

    /// With a solver of the user's own in place of the settings'.
    ///
    /// # Errors
    /// A compliance out of range.
    pub fn with_solver(
        settings: ExactConeSettings,
        solver: Box<dyn Solver<ConeNcp> + Send>,
    ) -> Result<Self, FormulationError> {
        let value = settings.compliance;
        if !(value.is_finite() && value >= 0.0) {
            let expected = "a number of at least 0";
            return Err(FormulationError::Range { setting: "compliance", value, expected });
        }
        let problem = ConeNcp::default().with_law(settings.law);
        Ok(Self {
            settings,
            solver,
            problem,
            spare: Delassus::Factored(BlockRows::default()),
            solution: Solution::default(),
            source: Vec::new(),
            mobility: Vec::new(),
            blocks: Vec::new(),
            viscous: ViscousContacts::default(),
            impulse: Vec::new(),
            start: Vec::new(),
        })
    }

    /// Solves the problem until its contacts with viscous friction are those that touch; `held` is the friction of contacts
    /// without slip, if they are to have one. Remembers the answer.
    fn attempt(&mut self, island: &IslandProblem, memory: &mut [Memory], held: Option<f64>) -> Report {
        self.begin_viscous(island, memory);
        let mut effort = [0, 0];
        loop {
            let report = self.attempt_once(island, memory, held);
            effort = [effort[0] + report.iterations, effort[1] + report.pivots];
            self.remember(island, memory);
            if self.solution.z.is_empty() || !self.viscous.revise(island, &self.impulse) {
                return Report { iterations: effort[0], pivots: effort[1], ..report };
            }
        }
    }

    /// Solves an island with friction 1000 at contacts without slip, as step 3 does.
    pub(super) fn solve_jammed(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        let solver = self.attempt(island, memory, Some(JAMMED));
        IslandReport::of(Report { regularization: 1.0 / JAMMED, ..solver }, self.source.len())
    }

    fn attempt_once(&mut self, island: &IslandProblem, memory: &[Memory], held: Option<f64>) -> Report {
        if self.write_problem(island, held).is_err() {
            self.solution.resize(0);
            return Report::NOT_FINITE;
        }
        self.recall(island, memory);
        let large = island.blocks.len() > IslandProblem::LARGE;
        self.solver.accept(large.then_some(Self::TOLERANCE_OF_LARGE));
        self.solver.solve(&self.problem, Start::Warm, &mut self.solution)
    }

    fn begin_viscous(&mut self, island: &IslandProblem, memory: &[Memory]) {
        let settings = &self.settings;
        let viscosity = |kind| match kind {
            BlockKind::Contact { law, .. } => settings.law_in_force(law).viscosity(),
            _ => 0.0,
        };
        self.viscous.begin(island, memory, viscosity);
    }

    fn law_of(&self, kind: BlockKind) -> Option<Law> {
        match kind {
            BlockKind::Contact { law, .. } => Some(self.settings.law_in_force(law)),
            _ => None,
        }
    }

    /// Step 1.
    fn write_problem(&mut self, island: &IslandProblem, held: Option<f64>) -> Result<(), SolverError> {
        let Self { settings, viscous, problem, spare, source, mobility, blocks, .. } = self;
        problem.refill(|data| {
            let mut layout = Layout { settings, viscous, source, mobility, blocks };
            layout.fill(island, held, data, spare);
        })
    }

    /// Starts from what the blocks remember; where a row of the island has several in the problem, the first takes all,
    /// but for the share of the friction that a preload carries.
    fn recall(&mut self, island: &IslandProblem, memory: &[Memory]) {
        self.solution.resize(self.source.len());
        for ((&[first, count], memory), block) in self.blocks.iter().zip(memory).zip(island.blocks) {
            let Some(&origin) = self.source.get(first) else { continue };
            let mut left = memory.impulse;
            let preload = preload(block);
            let mut share = 0.0;
            if preload > 0.0 {
                share = preload / left[0].max(preload);
                left[0] = (left[0] - preload).max(0.0);
            }
            for i in first..first + count {
                if self.source[i] == PRELOADED {
                    self.solution.z[i] = preload;
                    continue;
                }
                let k = self.source[i] - origin;
                let part = if k > 0 && i < first + 3 { 1.0 - share } else { 1.0 };
                self.solution.z[i] = part * left[k];
                left[k] -= self.solution.z[i];
            }
        }
    }

    fn remember(&mut self, island: &IslandProblem, memory: &mut [Memory]) {
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        let blocks = self.blocks.iter().zip(memory).zip(island.blocks);
        for (b, ((&[first, count], memory), block)) in blocks.enumerate() {
            *memory = Memory::default();
            let (Some(&origin), true) = (self.source.get(first), !self.solution.z.is_empty()) else {
                continue;
            };
            memory.known = true;
            memory.basic = self.viscous.bits(b);
            memory.impulse[0] = preload(block);
            for i in (first..first + count).filter(|&i| self.source[i] != PRELOADED) {
                let impulse = self.solution.z[i];
                memory.impulse[self.source[i] - origin] += impulse;
                // What a preload does is in the free velocities.
                self.impulse[self.source[i]] += impulse;
            }
        }
    }
}

impl IslandSolver for ExactCone {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        let held = island.blocks.iter().any(|b| self.law_of(b.kind) == Some(Law::NoSlip));
        self.start.clear();
        self.start.extend_from_slice(memory);
        let mut solver = self.attempt(island, memory, None);
        if held && solver.status != Status::Solved && solver.residual != Residual::INFINITE {
            memory.copy_from_slice(&self.start);
            solver = self.attempt(island, memory, Some(JAMMED)); // step 3
            solver.regularization = 1.0 / JAMMED;
        }
        IslandReport::of(solver, self.source.len())
    }

    fn asks_velocities(&self) -> bool {
        self.settings.viscous == ViscousRule::Explicit
    }

    fn limit_iterations(&mut self, iterations: Option<usize>) {
        self.solver.limit_iterations(iterations);
    }

    fn factored_from(&self) -> usize {
        Self::FACTORED_FROM
    }

    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        self.begin_viscous(island, memory);
        self.write_problem(island, None).ok()?;
        self.recall(island, memory);
        Some(PosedIsland { problem: self.problem.clone().into(), start: self.solution.z.clone() })
    }
}

impl Debug for ExactCone {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.debug_struct("ExactCone").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Normal impulse of a block that acts in any case (N s).
fn preload(block: &Block) -> f64 {
    if let BlockKind::Contact { preload, .. } = block.kind { preload } else { 0.0 }
}
