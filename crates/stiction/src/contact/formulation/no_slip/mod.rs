//! Contacts that do not slip, by elimination of the tangent rows (Drumwright 2015, section VI).
//!
//! # Problem
//! With `u = G lambda + u_free`: every contact that presses and has friction, whatever its coefficient, holds its tangents,
//! `u_t = 0` (rows `X`), and all contacts and limits obey `0 <= lambda_n  perp  u_n + a_n >= 0`. With the largest independent
//! set of `X` and
//! ```text
//! P = M^-1 - M^-1 X^T (X M^-1 X^T)^-1 X M^-1,    v_X = v_free - M^-1 X^T (X M^-1 X^T)^-1 X v_free
//! 0 <= lambda_n  perp  N P N^T lambda_n + N v_X + a_n >= 0
//! ```
//! is what remains: one unknown per contact, a symmetric positive semidefinite matrix. The tangential impulses are the
//! multipliers of `X`; what friction they needed is what they are to the normal impulses. Frictionless contacts have no
//! rows in `X`. (The formulas in the paper leave external forces out, and use the block of another inverse for `P`.)
//!
//! Two readings:
//! - *paper*: tangents are held at all contacts that touch before the step or close in it, even at those that carry no normal
//!   impulse: a wall that is only touched holds a ball by friction alone;
//! - *releasing*, the default: tangents are held where the contact presses, touching before the step or closing in it.
//!
//! Under the second reading there may be no answer. A rod of 1 kg and 1 m leans at 45 degrees and its tip slides at 1 m/s
//! towards the side it leans to: released, the tip is pressed down by gravity; to stop it takes an impulse of 0.625 N s
//! along the floor and one of -0.375 N s along the normal, which would pull. Neither set of contacts, none or one, is
//! consistent. Under Coulomb's law such a tip slides, however large the coefficient. In heaps of bodies that tumble this
//! is common.
//!
//! # Method
//! With `M = L L^T` and the half-solved rows `Y = J L^-T`, every product of the problem is one of rows in the space of
//! velocities ([`FactoredIsland`]).
//! 1. The largest independent set of the tangent rows held ([`IndependentRows`]), and what normal rows have across them: the rows
//!    of a factor of `N P N^T`.
//! 2. The remaining problem goes to the solver ([`NormalProblem`]).
//! 3. Tangential impulses from the factor, and a correction of all impulses by what the rows are off on the original data.
//! 4. Releasing: if every contact whose rows were chosen presses, and every contact that presses is held, that is the answer.
//!    Else: normal impulses of redundant contacts are not unique, and a pivoting solver loads few of them. Another solution with
//!    the same `Y^T lambda_n` is sought in which all contacts held that can press do (least squares with a small load on each; by
//!    Stiemke's lemma, contacts at which the residual points outwards can carry none).
//! 5. Releasing: the contacts that press are held from now on, the others released, until nothing changes. To begin with these
//!    are the contacts that pressed in the last step, and new ones that close. As published: contacts that close are held too,
//!    until nothing changes.
//! 6. Releasing: if that takes too many rounds, the set of a small island is sought by principal pivoting ([`PressingSet`]), and
//!    the impulses that it comes with are the answer.
//! 7. Releasing: if there is none, or the rows contradict each other, or there are too many velocities to
//!    make rows dense in them, the exact cone answers with friction 1000 ([`ExactCone`]). Where nothing that presses slips, that
//!    is a motion without slip; where something does, the report counts it as a regularization of a thousandth.
//!
//! | file | what it is |
//! |---|---|
//! | `eliminate`, `tangential`, `spread` | steps 1, 3 and 4 |
//! | `active_contacts` | the search of step 6 |
//! | `independent_rows` | a largest independent set of rows |
//! | `settings` | the settings |
//!
//! # Convergence and failure
//! Iterations count the rounds of step 5, or of the cone. As published, [`Status::Infeasible`]: the rows contradict each other,
//! say tangents held on belts of different speed; then nothing is held in this step. A solution of `ppm` has at most as many
//! pressing contacts as the rank of `N` (theorem 1); step 4 may have others. Friction never adds energy: held tangents have no
//! power, released ones no force.
//!
//! # References
//! E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015, sections V and VI. Step 4:
//! E. Stiemke, *Ueber positive Loesungen homogener linearer Gleichungen*, Mathematische Annalen 76 (1915).

mod active_contacts;
mod eliminate;
mod independent_rows;
mod settings;
mod spread;
mod tangential;

pub use settings::NoSlipSettings;

use active_contacts::PressingSet;
use independent_rows::IndependentRows;
use spread::Spreading;

use super::normal::{DenseFactor, FactoredIsland, NormalProblem, Push, bias};
use super::{ExactCone, ExactConeSettings, FormulationError, IslandSolver, PosedIsland};
use crate::contact::island::{BlockKind, IslandProblem, IslandReport, Memory};
use crate::model::Law;
use stiction_solvers::{Report, Residual, Status};

/// Rounds of step 5 before step 6: most that lead to an answer do in two or three.
const PATIENCE: usize = 4;

/// The bit of [`Memory::basic`] that says that a contact pressed; the first is the solver's.
const PRESSED: u64 = 1 << 1;

/// Velocities beyond which the cone, sparse by trees, answers at once: fifty bodies. The cost of independent rows is cubic.
const LARGE: usize = 300;

/// A residual above which an answer is not used: it could add energy.
const USELESS: f64 = 1e-6;

/// A tangential speed above this part of the largest is slip: far above what solvers leave.
const SLIPS: f64 = 1e-9;

/// A contact that closes up to this part of the largest speed is closed.
const CLOSED: f64 = 1e-9;

/// Solves islands without slip. Allocates nothing for an island no larger than one seen before.
///
/// Every block has one unknown: the normal impulse of a contact, that of a limit, that of a joint's friction.
#[derive(Debug)]
pub struct NoSlip {
    settings: NoSlipSettings,
    normal: NormalProblem,
    dense: DenseFactor,
    rows: IndependentRows,
    /// Block of each chosen row.
    owners: Vec<usize>,
    /// Per block: whether its tangents are held, and whether it presses.
    held: Vec<bool>,
    presses: Vec<bool>,
    /// Per block: the products of its normal row with the directions of the chosen rows.
    products: Vec<f64>,
    l: Vec<f64>,
    rest: Vec<f64>,
    /// `L^-1 u_free` of the chosen rows.
    drift: Vec<f64>,
    /// Largest free velocity, rows in units in which each has the length one.
    speed: f64,
    /// Impulses by row of the island (N s), and what they do.
    impulse: Vec<f64>,
    push: Push,
    velocity: Vec<f64>,
    multipliers: Vec<f64>,
    spreading: Spreading,
    search: PressingSet,
    cone: ExactCone,
    /// Rows and velocities of the largest island so far, and what its blocks would remember.
    reserved: [usize; 2],
    trial: Vec<Memory>,
}

impl NoSlip {
    /// A solver; refuses settings out of range.
    pub fn new(settings: NoSlipSettings) -> Result<Self, FormulationError> {
        if settings.max_rounds == 0 {
            return Err(FormulationError::Range { setting: "rounds", value: 0.0, expected: "at least 1" });
        }
        let cone = ExactConeSettings { replacement: Some(Law::NoSlip), ..Default::default() };
        Ok(Self {
            normal: NormalProblem::new(&settings.solver)?,
            settings,
            dense: DenseFactor::default(),
            rows: IndependentRows::default(),
            owners: Vec::new(),
            held: Vec::new(),
            presses: Vec::new(),
            products: Vec::new(),
            l: Vec::new(),
            rest: Vec::new(),
            drift: Vec::new(),
            speed: 0.0,
            impulse: Vec::new(),
            push: Push::default(),
            velocity: Vec::new(),
            multipliers: Vec::new(),
            spreading: Spreading::new()?,
            search: PressingSet::default(),
            cone: ExactCone::new(cone)?,
            reserved: [0; 2],
            trial: Vec::new(),
        })
    }

    /// Which tangents are held to begin with, and where the solver starts.
    fn recall(&mut self, rows: &FactoredIsland, memory: &[Memory]) {
        let island = rows.island;
        self.speed =
            (0..island.rows()).map(|row| rows.unit(row) * island.free[row].abs()).fold(0.0, f64::max);
        self.presses.clear();
        self.presses.extend(memory.iter().map(|m| m.basic & PRESSED != 0));
        self.held.clear();
        self.held.extend(island.blocks.iter().zip(memory).map(|(block, memory)| {
            has_friction(block.kind)
                && match (self.settings.releasing, memory.known) {
                    (true, true) => memory.basic & PRESSED != 0,
                    (true, false) => {
                        let slow = CLOSED * self.speed / rows.unit(block.row);
                        island.free[block.row] + bias(block.kind) < -slow
                    }
                    (false, _) => bias(block.kind) <= 0.0,
                }
        }));
        self.normal.recall(memory, |_| 0.0);
    }

    /// Reserves the workspaces of steps that few islands need, when an island is larger than any before.
    fn reserve(&mut self, rows: &FactoredIsland, memory: &[Memory]) {
        let size = [rows.island.rows(), rows.columns()];
        if size.iter().zip(&self.reserved).all(|(size, reserved)| size <= reserved) {
            return;
        }
        self.reserved = [size[0].max(self.reserved[0]), size[1].max(self.reserved[1])];
        self.owners.reserve(size[1]);
        self.search.reserve(rows);
        self.spreading.reserve(rows.island.blocks.len(), size[1]);
        self.trial.clear();
        self.trial.extend_from_slice(memory);
        let _ = self.cone.solve_jammed(rows.island, &mut self.trial);
    }

    /// Velocity of a row (m/s) that is nothing beside the others.
    fn noise(&self, rows: &FactoredIsland, row: usize) -> f64 {
        self.normal.tolerance * self.speed / rows.unit(row)
    }

    /// Step 2.
    fn solve_normals(&mut self, rows: &FactoredIsland) -> Report {
        let report = self.normal.solve(rows.island.blocks);
        for (b, block) in rows.island.blocks.iter().enumerate() {
            let one_sided = !matches!(block.kind, BlockKind::Friction { .. });
            let noise = self.normal.tolerance * self.speed * rows.unit(block.row);
            self.presses[b] = one_sided && self.normal.solution.z[b] > noise;
        }
        report
    }

    /// Step 4: whether the tangents that were chosen belong to contacts that press, and contacts that press are held.
    fn is_consistent(&self, island: &IslandProblem) -> bool {
        let blocks = island.blocks.iter().enumerate();
        self.owners.iter().all(|&b| self.presses[b])
            && blocks
                .filter(|(_, block)| has_friction(block.kind))
                .all(|(b, _)| self.held[b] || !self.presses[b])
    }

    /// Step 5: holds the contacts that press and no others. Returns whether that changes anything.
    fn hold_what_presses(&mut self, island: &IslandProblem) -> bool {
        let mut changed = false;
        for (b, _) in island.blocks.iter().enumerate().filter(|(_, block)| has_friction(block.kind)) {
            changed |= self.held[b] != self.presses[b];
            self.held[b] = self.presses[b];
        }
        changed
    }

    /// Step 5 as published: holds contacts that close in the step. Returns whether that changes anything.
    fn hold_what_closes(&mut self, rows: &FactoredIsland) -> bool {
        let mut changed = false;
        for (b, block) in rows.island.blocks.iter().enumerate() {
            let slow = CLOSED * self.speed / rows.unit(block.row);
            if has_friction(block.kind) && !self.held[b] && self.normal.solution.w[b] <= slow {
                (self.held[b], changed) = (true, true);
            }
        }
        changed
    }

    /// Steps 1 to 5. Without an answer the status is not [`Status::Solved`].
    fn eliminate_and_solve(&mut self, rows: &FactoredIsland) -> Report {
        let releasing = self.settings.releasing;
        let mut pivots = 0;
        let mut round = 1;
        let mut report = loop {
            self.eliminate(rows);
            let report = self.solve_normals(rows);
            pivots += report.pivots;
            let report = Report { iterations: round, pivots, ..report };
            if report.status != Status::Solved || releasing && self.is_consistent(rows.island) {
                break report;
            }
            let changed = if releasing {
                self.spread(rows);
                if self.is_consistent(rows.island) {
                    break report;
                }
                self.hold_what_presses(rows.island)
            } else {
                self.hold_what_closes(rows)
            };
            // As published every round holds a contact more, so that they end; otherwise sets may repeat.
            let status = match (releasing, changed) {
                (false, false) => break report,
                (false, true) => Status::Solved,
                (true, false) => Status::Stalled,
                (true, true) if round >= self.settings.max_rounds.min(PATIENCE) => Status::MaxIterations,
                (true, true) => Status::Solved,
            };
            if status != Status::Solved {
                break Report { status, ..report };
            }
            round += 1;
        };
        self.find_tangential(rows);
        self.correct(rows);
        self.assess(rows, &mut report);
        report
    }

    /// Step 6: takes the set that was found, and its impulses.
    fn adopt(&mut self, rows: &FactoredIsland, report: Report) -> Report {
        self.presses.copy_from_slice(self.search.members());
        self.impulse.clear();
        self.impulse.extend_from_slice(self.search.impulse());
        rows.push(&self.impulse, &mut self.push);
        let mut worst: f64 = 0.0;
        for (b, block) in rows.island.blocks.iter().enumerate() {
            self.normal.basis.set(b, false);
            if self.presses[b] {
                let (speed, size) = rows.velocity(block.row, &self.push);
                let off = (speed + bias(block.kind)).abs();
                if off > 16.0 * f64::EPSILON * (size + bias(block.kind).abs()) {
                    worst = worst.max(off * rows.unit(block.row) / self.speed.max(f64::MIN_POSITIVE));
                }
            }
        }
        let residual = Residual { natural_map: worst, ..Default::default() };
        let status = if worst <= self.normal.tolerance { Status::Solved } else { Status::NumericalFailure };
        Report { status, residual, ..report }
    }

    /// Without a usable answer the contacts slip, without friction; the report stays what it is.
    fn give_up(&mut self, rows: &FactoredIsland) {
        self.held.fill(false);
        self.eliminate(rows);
        let _ = self.solve_normals(rows);
        self.find_tangential(rows);
    }

    fn remember(&self, island: &IslandProblem, memory: &mut [Memory]) {
        for (b, (block, memory)) in island.blocks.iter().zip(memory).enumerate() {
            let presses = if self.presses[b] { PRESSED } else { 0 };
            let basic = u64::from(self.normal.basis.contains(b)) | presses;
            *memory = Memory { known: true, basic, ..Default::default() };
            for k in 0..block.kind.rows() {
                memory.impulse[k] = self.impulse[block.row + k];
            }
        }
    }

    /// Step 7.
    fn solve_by_cone(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        let mut report = self.cone.solve_jammed(island, memory);
        self.impulse.clear();
        for (block, memory) in island.blocks.iter().zip(memory.iter_mut()) {
            // Redundant contacts press together: that is no basis to start from.
            memory.basic = if memory.impulse[0] > 0.0 { PRESSED } else { 0 };
            self.impulse.extend_from_slice(&memory.impulse[..block.kind.rows()]);
        }
        if !self.slips(island) {
            report.solver.regularization = 0.0;
        }
        report
    }

    /// Whether a contact that should not slips under these impulses.
    fn slips(&mut self, island: &IslandProblem) -> bool {
        self.velocity.clear();
        self.velocity.extend_from_slice(island.free);
        island.add_velocities(&self.impulse, &mut self.velocity, &mut self.rest);
        let largest = |lists: &[f64]| lists.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let least = SLIPS * largest(island.free);
        island.blocks.iter().filter(|block| has_friction(block.kind)).any(|block| {
            self.impulse[block.row] > 0.0 && largest(&self.velocity[block.row + 1..block.row + 3]) > least
        })
    }
}

impl IslandSolver for NoSlip {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        if self.settings.releasing && island.largest_rank() > LARGE {
            return self.solve_by_cone(island, memory);
        }
        let mut dense = std::mem::take(&mut self.dense);
        let rows = &FactoredIsland::new(island, dense.rows(island));
        if self.settings.releasing {
            self.reserve(rows, memory);
        }
        self.recall(rows, memory);
        let mut report = self.eliminate_and_solve(rows);
        if report.status != Status::Solved && self.settings.releasing && self.search.search(rows) {
            report = self.adopt(rows, report);
        }
        let usable = report.status == Status::Solved;
        let useless = report.status == Status::Infeasible || report.residual.natural_map > USELESS;
        if useless && !self.settings.releasing {
            self.give_up(rows);
        }
        self.dense = dense;
        if !usable && self.settings.releasing {
            return self.solve_by_cone(island, memory);
        }
        self.remember(island, memory);
        IslandReport::of(report, island.blocks.len())
    }

    /// Rows in the space of velocities are what it works on.
    fn factored_from(&self) -> usize {
        0
    }

    /// The normal problem of the first round.
    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        let mut dense = std::mem::take(&mut self.dense);
        let rows = &FactoredIsland::new(island, dense.rows(island));
        self.recall(rows, memory);
        self.eliminate(rows);
        self.dense = dense;
        self.normal.pose(island.blocks)
    }
}

fn has_friction(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Contact { law: Law::Coulomb { .. } | Law::NoSlip, .. })
}
