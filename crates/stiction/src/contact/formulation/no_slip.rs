//! Contacts that do not slip, by elimination of the tangent rows (Drumwright 2015, section VI).
//!
//! # Problem
//! With `u = G lambda + u_free`: every contact that touches and has friction, whatever its coefficient, holds its tangents,
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
//! - *paper*: tangents of all touching contacts are held, even of those that carry no normal impulse: a wall that is only
//!   touched holds a ball by friction alone;
//! - *releasing*, the default: tangents are held where the contact presses, touching before the step or closing in it.
//!
//! Under the second reading there may be no answer. A rod of 1 kg and 1 m leans at 45 degrees and its tip slides at 1 m/s
//! towards the side it leans to: released, the tip is pressed down by gravity; to stop it takes an impulse of 0.625 N s
//! along the floor and one of -0.375 N s along the normal, which would pull. Neither set of contacts, none or one, is
//! consistent. Under Coulomb's law such a tip slides, however large the coefficient. In heaps of bodies that tumble this
//! is common.
//!
//! # Method
//! 1. One Cholesky factor ([`IndependentRows`]) over the tangent rows held, then the normal rows: what a normal row has
//!    across the tangents is its row of `Y` in `N P N^T = Y Y^T`, of as many columns as there are independent rows.
//! 2. The remaining problem goes to the solver as `Y` where it takes that (`ppm`, `active-set-qp`), otherwise multiplied out.
//!    Joint friction is an unknown with two bounds; islands that have some go to `dantzig` where the solver knows no bounds.
//!    Pivoting solvers start from the contacts that pressed in the last step.
//! 3. Tangential impulses from the factor, corrected once by what the rows are off on the original data. Should normal rows
//!    be off there, `q` is corrected by that, and the problem solved again.
//! 4. Releasing: to begin with no tangents are held. If every contact whose rows were chosen presses, and every contact that
//!    presses is held, that is the answer. Else: normal impulses of redundant contacts are not unique, and a pivoting solver
//!    loads few of them. Another solution with the same `Y^T lambda_n` is sought in which all contacts that can press do
//!    (least squares with a small load on each; by Stiemke's lemma, contacts at which the residual points outwards can
//!    carry none).
//! 5. The contacts that press are held from now on, the others released, until nothing changes. Contacts that press are
//!    offered first in step 1, so that their rows carry the friction.
//! 6. If that takes too many rounds, the set is sought by principal pivoting ([`PressingSet`]), and the impulses that it
//!    comes with are the answer.
//! 7. If there is none: changes of step 5 come one at a time, and who is released is not held again. In the end a contact
//!    presses that was released.
//!
//! # Convergence and failure
//! Iterations count the rounds of step 5. It ends, by step 7 without an answer: contacts that were released slip in this
//! step, without friction, and the status is [`Status::Stalled`]. Of 10 000 steps of random heaps 15 % are such; trying all
//! sets of up to nine contacts finds one in 1.4 % of those islands, whose tangents nearly contradict each other. On random problems of up to six contacts the search misses less
//! than 1 % of the sets that there are. [`Status::Infeasible`]: the rows contradict each other, say tangents held on belts
//! of different speed; then nothing is held in this step. A solution of `ppm` has at most as many pressing contacts as the
//! rank of `N` (theorem 1); steps 4 and 6 may have others. Friction never adds energy: held tangents have no power,
//! released ones no force.
//!
//! # References
//! E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015, sections V and VI. Step 4:
//! E. Stiemke, *Ueber positive Loesungen homogener linearer Gleichungen*, Mathematische Annalen 76 (1915).

use super::independent_rows::{DEPENDENT, IndependentRows, dot};
use super::tight_solver::TightSolver;
use super::{FormulationError, IslandSolver, NoSlipSolver, PosedIsland};
use crate::contact::formulation::active_contacts::PressingSet;
use crate::contact::island::{BlockKind, IslandProblem, IslandReport, Memory};
use crate::model::Law;
use serde::{Deserialize, Serialize};
use stiction_solvers::{
    ActiveSet, BoxLcp, FactoredLcp, Ppm, PpmSettings, Report, Residual, Solution, Solver, Start, Status,
};

/// Solvers that start from the set of contacts that press; others start from their impulses.
const PIVOTING: [&str; 4] = ["ppm", "active-set-qp", "dantzig", "lemke"];

/// Load, in parts of the largest, that a contact must be able to carry to count as pressing.
const SHARE: f64 = 1e-6;

/// What two solutions with the same effect may differ in, in parts of the largest impulse: rounding.
const SAME: f64 = 1e-11;

/// A contact that opens slower than this part of the largest speed touches.
const IDLE: f64 = 1e-9;

/// Rounds of step 5: most that lead to an answer do in two or three.
const PATIENCE: usize = 4;

/// Corrections of step 3 at most: nearly dependent tangents lose as many digits as their pivots have.
const CORRECTIONS: usize = 3;

/// A residual above which an answer is not used: it could add energy.
const USELESS: f64 = 1e-6;

/// Settings of the formulation without slip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoSlipSettings {
    /// Whether contacts that do not press are released; as published they are not.
    pub releasing: bool,
    /// Rounds of releasing and holding at most.
    pub max_rounds: usize,
    /// The solver of the normal impulses. It goes on below its tolerance, to 1e-14.
    pub solver: NoSlipSolver,
}

impl Default for NoSlipSettings {
    fn default() -> Self {
        Self { releasing: true, max_rounds: 100, solver: NoSlipSolver::default() }
    }
}

/// Solves islands without slip. Allocates nothing for an island no larger than one seen before.
///
/// Every block has one unknown: the normal impulse of a contact, that of a limit, that of a joint's friction.
#[derive(Debug)]
pub struct NoSlip {
    settings: NoSlipSettings,
    /// Largest natural map of a solved island.
    tolerance: f64,
    /// Whether the solver starts from a set of contacts.
    pivoting: bool,
    /// Takes `Y`.
    factored: Option<TightSolver<FactoredLcp>>,
    factored_problem: FactoredLcp,
    /// Takes bounds.
    bounded: TightSolver<BoxLcp>,
    bounded_problem: BoxLcp,
    rows: IndependentRows,
    /// Number of tangent rows among the chosen ones, and the block of each.
    tangents: usize,
    owners: Vec<usize>,
    /// Per row of the island: whether it is a tangent row that was chosen.
    chosen: Vec<bool>,
    /// Per block: whether its tangents are held, and whether it presses.
    held: Vec<bool>,
    presses: Vec<bool>,
    /// Per block: whether it has been released for the rest of the step.
    released: Vec<bool>,
    /// Per block: the products of its row with the directions of all chosen rows begin here.
    starts: Vec<usize>,
    products: Vec<f64>,
    l: Vec<f64>,
    /// `L^-1 u_free` of the tangent rows.
    drift: Vec<f64>,
    /// `Y`, row-major, and the problem's constants.
    columns: usize,
    half: Vec<f64>,
    q: Vec<f64>,
    /// Largest free velocity, rows in units in which each has the length one.
    speed: f64,
    basis: ActiveSet,
    solution: Solution,
    /// Impulses by row of the island (N s).
    impulse: Vec<f64>,
    multipliers: Vec<f64>,
    spreading: Spreading,
    search: PressingSet,
}

/// Step 4's least-squares problem.
#[derive(Debug, Default)]
struct Spreading {
    solver: Ppm,
    problem: FactoredLcp,
    solution: Solution,
    /// Blocks in the problem, and which of them are given a share.
    blocks: Vec<usize>,
    given: Vec<bool>,
    /// `Y^T lambda_n` to be had, and what is missing.
    target: Vec<f64>,
    missing: Vec<f64>,
}

impl NoSlip {
    /// Number of rows above which the entries of the operator that are needed are fewer than all of them by far.
    pub(crate) const FACTORED_FROM: usize = 300;

    /// A solver; refuses settings out of range.
    pub fn new(settings: NoSlipSettings) -> Result<Self, FormulationError> {
        if settings.max_rounds == 0 {
            return Err(FormulationError::Range { setting: "rounds", value: 0.0, expected: "at least 1" });
        }
        let factored = match &settings.solver {
            NoSlipSolver::Factored(solver) => Some(TightSolver::<FactoredLcp>::new(solver)?),
            NoSlipSolver::Bounded(_) => None,
        };
        let bounded = TightSolver::<BoxLcp>::new(&settings.solver.bounded())?;
        let ppm = PpmSettings { tolerance: 0.1 * SAME, ..Default::default() };
        let refuse = |error| FormulationError::SolverSetting { solver: "ppm", error };
        let solver = Ppm::new(ppm).map_err(refuse)?;
        Ok(Self {
            tolerance: settings.solver.tolerance(),
            pivoting: PIVOTING.contains(&settings.solver.name()),
            settings,
            factored,
            factored_problem: FactoredLcp::default(),
            bounded,
            bounded_problem: BoxLcp::default(),
            rows: IndependentRows::default(),
            tangents: 0,
            owners: Vec::new(),
            chosen: Vec::new(),
            held: Vec::new(),
            presses: Vec::new(),
            released: Vec::new(),
            starts: Vec::new(),
            products: Vec::new(),
            l: Vec::new(),
            drift: Vec::new(),
            columns: 0,
            half: Vec::new(),
            q: Vec::new(),
            speed: 0.0,
            basis: ActiveSet::default(),
            solution: Solution::default(),
            impulse: Vec::new(),
            multipliers: Vec::new(),
            spreading: Spreading { solver, ..Default::default() },
            search: PressingSet::default(),
        })
    }

    /// Held are the tangents of all contacts that touch, or to begin with of none.
    fn recall(&mut self, island: &IslandProblem, memory: &[Memory]) {
        let n = island.blocks.len();
        self.speed =
            (0..island.rows()).map(|row| unit(island, row) * island.free[row].abs()).fold(0.0, f64::max);
        self.held.clear();
        let all = !self.settings.releasing;
        self.held.extend(island.blocks.iter().map(|b| all && has_friction(b.kind) && bias(b.kind) <= 0.0));
        self.released.clear();
        self.released.resize(n, false);
        self.presses.clear();
        self.presses.extend(memory.iter().map(|m| m.basic & 1 == 1));
        self.basis.resize(n);
        (0..n).for_each(|b| self.basis.set(b, self.presses[b]));
        self.solution.resize(n);
        self.solution.z.iter_mut().zip(memory).for_each(|(z, m)| *z = m.impulse[0]);
        self.search.reserve(island);
    }

    /// Step 1: chooses rows, tangents first, and writes `Y` and `q`.
    fn eliminate(&mut self, island: &IslandProblem) {
        let blocks = island.blocks;
        let rank = island.largest_rank();
        self.rows.clear(rank);
        self.owners.clear();
        self.chosen.clear();
        self.chosen.resize(island.rows(), false);
        for first in [true, false] {
            for (b, block) in blocks.iter().enumerate() {
                if self.held[b] && self.presses[b] == first {
                    for row in [block.row + 1, block.row + 2] {
                        if self.rows.offer(island, row, &mut self.l) {
                            self.chosen[row] = true;
                            self.owners.push(b);
                        }
                    }
                }
            }
        }
        let x = self.owners.len();
        self.tangents = x;
        self.starts.clear();
        self.products.clear();
        self.products.reserve(blocks.len() * rank);
        for block in blocks {
            self.rows.offer(island, block.row, &mut self.l);
            self.starts.push(self.products.len());
            self.products.extend_from_slice(&self.l);
        }
        self.starts.push(self.products.len());
        self.drift.clear();
        self.drift.extend(self.rows.chosen()[..x].iter().map(|&row| island.free[row]));
        self.rows.solve_lower(&mut self.drift);
        self.columns = self.rows.chosen().len() - x;
        self.half.clear();
        self.half.reserve(blocks.len() * rank);
        self.half.resize(blocks.len() * self.columns, 0.0);
        self.q.clear();
        for (b, block) in blocks.iter().enumerate() {
            let (along, across) = self.products[self.starts[b]..self.starts[b + 1]].split_at(x);
            let free = island.free[block.row];
            let mut q = free + bias(block.kind) - dot(along, &self.drift);
            if dot(across, across) > DEPENDENT * island.entry(block.row, block.row) {
                self.half[b * self.columns..][..across.len()].copy_from_slice(across);
            } else {
                // No impulse moves this row. Its square is rounding, so the root of that is rounding of its velocity.
                let size =
                    free.abs() + along.iter().zip(&self.drift).map(|(l, d)| (l * d).abs()).sum::<f64>();
                if q.abs() <= DEPENDENT.sqrt() * size + self.noise(island, block.row) {
                    q = 0.0;
                }
            }
            self.q.push(q);
        }
    }

    /// Velocity of a row (m/s) that is nothing beside the others.
    fn noise(&self, island: &IslandProblem, row: usize) -> f64 {
        self.tolerance * self.speed / unit(island, row)
    }

    /// Step 2.
    fn solve_normals(&mut self, island: &IslandProblem) -> Report {
        let start = if self.pivoting { Start::Basis(&self.basis) } else { Start::Warm };
        let report = match &mut self.factored {
            Some(solver) if !is_two_sided(island) => {
                write_factored(&mut self.factored_problem, &self.half, &self.q, self.columns);
                solver.solve(&self.factored_problem, start, &mut self.solution)
            }
            _ if write_bounded(&mut self.bounded_problem, &self.half, &self.q, self.columns, island) => {
                self.bounded.solve(&self.bounded_problem, start, &mut self.solution)
            }
            _ => Report::NOT_FINITE,
        };
        for (b, block) in island.blocks.iter().enumerate() {
            let z = self.solution.z[b];
            let one_sided = !matches!(block.kind, BlockKind::Friction { .. });
            self.presses[b] = one_sided && z > self.tolerance * self.speed * unit(island, block.row);
            let inside = match block.kind {
                BlockKind::Friction { bound } => z.abs() < bound,
                _ => z > 0.0,
            };
            self.basis.set(b, inside);
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

    /// Step 5: holds the contacts that press and no others, but late in the rounds none that has been released before.
    /// Returns whether that changes anything.
    fn hold_what_presses(&mut self, island: &IslandProblem, late: bool) -> bool {
        let mut changed = false;
        for b in (0..island.blocks.len()).filter(|&b| has_friction(island.blocks[b].kind)) {
            if self.held[b] && !self.presses[b] {
                (self.held[b], self.released[b]) = (false, late);
                changed = true;
            } else if !self.held[b] && self.presses[b] && !self.released[b] {
                self.held[b] = true;
                changed = true;
            }
            if changed && late {
                break; // one at a time
            }
        }
        changed
    }

    /// Takes the set that was found, and its impulses. Returns the worst normal velocity of those that press, in parts of
    /// the largest speed.
    fn adopt(&mut self, island: &IslandProblem) -> f64 {
        self.presses.copy_from_slice(self.search.members());
        self.impulse.clear();
        self.impulse.extend_from_slice(self.search.impulse());
        self.chosen.fill(false);
        self.search.rows().iter().for_each(|&row| self.chosen[row] = true);
        let mut worst: f64 = 0.0;
        for (b, block) in island.blocks.iter().enumerate() {
            self.basis.set(b, self.presses[b]);
            self.held[b] = self.presses[b] && has_friction(block.kind);
            if self.presses[b] {
                let (speed, size) = velocity(island, &self.impulse, block.row);
                let off = (speed + bias(block.kind)).abs();
                if off > 16.0 * f64::EPSILON * (size + bias(block.kind).abs()) {
                    worst = worst.max(off * unit(island, block.row) / self.speed.max(f64::MIN_POSITIVE));
                }
            }
        }
        worst
    }

    /// Step 4: loads every contact that can press, at the same effect.
    fn spread(&mut self, island: &IslandProblem, all: bool) {
        let (m, z) = (self.columns, &mut self.solution.z);
        let line = |b: usize| &self.half[b * m..(b + 1) * m];
        let length = |b: usize| dot(line(b), line(b)).sqrt();
        let s = &mut self.spreading;
        s.target.clear();
        s.target.resize(m, 0.0);
        let (mut size, mut speed): (f64, f64) = (0.0, 0.0);
        for (b, block) in island.blocks.iter().enumerate() {
            let length = length(b);
            if length > 0.0 {
                speed = speed.max(self.q[b].abs() / length);
            }
            if !matches!(block.kind, BlockKind::Friction { .. }) {
                size = size.max(z[b] * length);
                s.target.iter_mut().zip(line(b)).for_each(|(t, y)| *t += z[b] * y);
            }
        }
        let share = SHARE * size;
        s.blocks.clear();
        s.blocks.extend((0..z.len()).filter(|&b| {
            let length = length(b);
            let one_sided = !matches!(island.blocks[b].kind, BlockKind::Friction { .. });
            one_sided && length > 0.0 && self.solution.w[b] <= IDLE * speed * length
        }));
        s.given.clear();
        let presses = &self.presses;
        let wanted = |b: usize| has_friction(island.blocks[b].kind) && (all || self.held[b] || presses[b]);
        s.given.extend(s.blocks.iter().map(|&b| wanted(b)));
        while share > 0.0 && s.given.contains(&true) {
            let (n, given) = (s.blocks.len(), s.given.iter());
            s.missing.clone_from(&s.target);
            for (&b, _) in s.blocks.iter().zip(given).filter(|(_, given)| **given) {
                let part = share / length(b);
                s.missing.iter_mut().zip(line(b)).for_each(|(t, y)| *t -= part * y);
            }
            let (blocks, missing) = (&s.blocks, &s.missing);
            s.problem.refill(n, m, |half, q| {
                for (i, &b) in blocks.iter().enumerate() {
                    half[i * m..(i + 1) * m].copy_from_slice(line(b));
                    q[i] = -dot(line(b), missing);
                }
            });
            let report = s.solver.solve(&s.problem, Start::Cold, &mut s.solution);
            for (&b, z) in s.blocks.iter().zip(&s.solution.z) {
                s.missing.iter_mut().zip(line(b)).for_each(|(t, y)| *t -= z * y);
            }
            if dot(&s.missing, &s.missing).sqrt() <= SAME * size {
                for ((&b, given), more) in s.blocks.iter().zip(&s.given).zip(&s.solution.z) {
                    z[b] = more + if *given { share / length(b) } else { 0.0 };
                    self.presses[b] = z[b] > self.tolerance * self.speed * unit(island, island.blocks[b].row);
                }
                return;
            }
            let mut lost = false;
            for (&b, given) in s.blocks.iter().zip(&mut s.given) {
                if *given && -dot(line(b), &s.missing) > IDLE * share * length(b) {
                    (*given, lost) = (false, true);
                }
            }
            if !lost || report.status != Status::Solved {
                return;
            }
        }
    }

    /// Step 3.
    fn find_tangential(&mut self, island: &IslandProblem) {
        let x = self.tangents;
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        self.multipliers.clear();
        self.multipliers.extend(self.drift.iter().map(|d| -d));
        for (b, block) in island.blocks.iter().enumerate() {
            let z = self.solution.z[b];
            self.impulse[block.row] = z;
            let along = &self.products[self.starts[b]..][..x];
            self.multipliers.iter_mut().zip(along).for_each(|(r, l)| *r -= z * l);
        }
        self.rows.solve_upper(&mut self.multipliers);
        self.add_multipliers();
        for k in 0..x {
            self.multipliers[k] = -velocity(island, &self.impulse, self.rows.chosen()[k]).0;
        }
        self.rows.solve_lower(&mut self.multipliers);
        self.rows.solve_upper(&mut self.multipliers);
        self.add_multipliers();
    }

    fn add_multipliers(&mut self) {
        for (&row, step) in self.rows.chosen().iter().zip(&self.multipliers) {
            self.impulse[row] += step;
        }
    }

    /// Without a usable answer the contacts slip, without friction; the report stays what it is.
    fn give_up(&mut self, island: &IslandProblem) {
        self.held.fill(false);
        self.eliminate(island);
        let _ = self.solve_normals(island);
        self.find_tangential(island);
    }

    /// Step 3: corrects `q` by what normal rows are off on the original data; returns the worst of that in parts of the
    /// largest speed.
    fn correct(&mut self, island: &IslandProblem) -> f64 {
        let mut worst: f64 = 0.0;
        for (b, block) in island.blocks.iter().enumerate() {
            let (speed, size) = velocity(island, &self.impulse, block.row);
            let off = speed + bias(block.kind) - self.solution.w[b];
            let movable = self.half[b * self.columns..(b + 1) * self.columns].iter().any(|y| *y != 0.0);
            if movable && off.abs() > 16.0 * f64::EPSILON * (size + bias(block.kind).abs()) {
                self.q[b] += off;
                worst = worst.max(off.abs() * unit(island, block.row) / self.speed.max(f64::MIN_POSITIVE));
            }
        }
        worst
    }

    /// The slip that is left on the original data, in parts of the largest speed, is part of the residual.
    fn assess(&self, island: &IslandProblem, report: &mut Report) {
        for (_, block) in island.blocks.iter().enumerate().filter(|(b, _)| self.held[*b]) {
            for row in [block.row + 1, block.row + 2] {
                let (slip, size) = velocity(island, &self.impulse, row);
                if !self.chosen[row] {
                    // A dependent row follows from the others, unless they contradict it.
                    let noise = DEPENDENT.sqrt() * size + self.noise(island, row);
                    if slip.abs() > noise && report.status == Status::Solved {
                        report.status = Status::Infeasible;
                    }
                    continue;
                }
                let relative = slip.abs() * unit(island, row) / self.speed.max(f64::MIN_POSITIVE);
                if slip.abs() <= 16.0 * f64::EPSILON * size {
                    continue;
                }
                report.residual.natural_map = report.residual.natural_map.max(relative);
            }
        }
        if report.residual.natural_map > self.tolerance && report.status == Status::Solved {
            report.status = Status::NumericalFailure;
        }
    }

    fn remember(&self, island: &IslandProblem, memory: &mut [Memory]) {
        for (b, (block, memory)) in island.blocks.iter().zip(memory).enumerate() {
            *memory = Memory { known: true, basic: u64::from(self.basis.contains(b)), ..Default::default() };
            for k in 0..block.kind.rows() {
                memory.impulse[k] = self.impulse[block.row + k];
            }
        }
    }
}

impl IslandSolver for NoSlip {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        self.recall(island, memory);
        let mut report = Report::NOT_FINITE;
        let (mut pivots, mut found) = (0, false);
        for round in 1..=self.settings.max_rounds {
            self.eliminate(island);
            report = self.solve_normals(island);
            pivots += report.pivots;
            report.iterations = round;
            if report.status != Status::Solved || !self.settings.releasing || self.is_consistent(island) {
                break;
            }
            self.spread(island, round == 1);
            if self.is_consistent(island) {
                break;
            }
            if round == PATIENCE {
                found = self.search.search(island);
                if found {
                    break;
                }
            }
            if !self.hold_what_presses(island, round >= PATIENCE) {
                report.status = Status::Stalled;
                break;
            }
            if round == self.settings.max_rounds {
                report.status = Status::MaxIterations;
            }
        }
        if found {
            report.residual = Residual { natural_map: self.adopt(island), ..Default::default() };
        } else {
            self.find_tangential(island);
            let mut off = self.correct(island);
            for _ in 0..CORRECTIONS {
                if report.status == Status::Solved && off > self.tolerance {
                    let again = self.solve_normals(island);
                    pivots += again.pivots;
                    report = Report { iterations: report.iterations, ..again };
                    self.find_tangential(island);
                    off = self.correct(island);
                }
            }
            report.residual.natural_map = report.residual.natural_map.max(off);
        }
        report.pivots = pivots;
        self.assess(island, &mut report);
        if report.status == Status::Infeasible || report.residual.natural_map > USELESS {
            self.give_up(island);
        }
        self.remember(island, memory);
        IslandReport::of(report, island.blocks.len())
    }

    fn factored_from(&self) -> usize {
        Self::FACTORED_FROM
    }

    /// The normal problem of the first round.
    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        self.recall(island, memory);
        self.eliminate(island);
        let start = self.solution.z.clone();
        if self.factored.is_some() && !is_two_sided(island) {
            let mut problem = FactoredLcp::default();
            write_factored(&mut problem, &self.half, &self.q, self.columns);
            return Some(PosedIsland { problem: problem.into(), start });
        }
        let mut problem = BoxLcp::default();
        write_bounded(&mut problem, &self.half, &self.q, self.columns, island)
            .then(|| PosedIsland { problem: problem.into(), start })
    }
}

/// Whether a joint's friction needs bounds on both sides.
fn is_two_sided(island: &IslandProblem) -> bool {
    island.blocks.iter().any(|b| matches!(b.kind, BlockKind::Friction { .. }))
}

/// The normal problem by the rows of `Y`, `m` numbers each.
fn write_factored(problem: &mut FactoredLcp, half: &[f64], q: &[f64], m: usize) {
    problem.refill(q.len(), m, |to, constants| {
        to.copy_from_slice(half);
        constants.copy_from_slice(q);
    });
}

/// The normal problem by its matrix `Y Y^T` and bounds. Returns whether the bounds are numbers.
fn write_bounded(problem: &mut BoxLcp, half: &[f64], q: &[f64], m: usize, island: &IslandProblem) -> bool {
    let n = q.len();
    problem.resize(n);
    for i in 0..n {
        for j in 0..n {
            let [a, b] = [i, j].map(|i| &half[i * m..(i + 1) * m]);
            problem.matrix_mut()[i * n + j] = dot(a, b);
        }
    }
    problem.q_mut().copy_from_slice(q);
    island.blocks.iter().enumerate().all(|(b, block)| {
        let (lower, upper) = match block.kind {
            BlockKind::Friction { bound } => (-bound, bound),
            _ => (0.0, f64::INFINITY),
        };
        problem.set_bounds(b, lower, upper).is_ok()
    })
}

/// What makes the length of a row one.
fn unit(island: &IslandProblem, row: usize) -> f64 {
    let diagonal = island.entry(row, row);
    if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 }
}

/// Velocity of a row under these impulses, and the size of its terms.
pub(crate) fn velocity(island: &IslandProblem, impulse: &[f64], row: usize) -> (f64, f64) {
    let free = island.free[row];
    let loaded = impulse.iter().enumerate().filter(|(_, lambda)| **lambda != 0.0);
    loaded.fold((free, free.abs()), |(sum, size), (j, lambda)| {
        let term = island.entry(row, j) * lambda;
        (sum + term, size + term.abs())
    })
}

pub(crate) fn has_friction(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Contact { law: Law::Coulomb { .. } | Law::NoSlip, .. })
}

/// a_n of the first row (m/s).
pub(crate) fn bias(kind: BlockKind) -> f64 {
    match kind {
        BlockKind::Contact { bias, .. } | BlockKind::Limit { bias } => bias,
        BlockKind::Friction { .. } => 0.0,
    }
}
