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
//! | file | what it is |
//! |---|---|
//! | `eliminate`, `normals`, `tangential`, `spread` | steps 1, 2, 3 and 4 |
//! | `active_contacts` | the search of step 6 |
//! | `independent_rows` | the Cholesky factor of a largest independent set of rows |
//! | `island_rows` | what is asked of the rows of an island |
//! | `solver`, `settings` | which solver, and the settings |
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

mod active_contacts;
mod eliminate;
mod independent_rows;
mod island_rows;
mod normals;
mod settings;
mod solver;
mod spread;
mod tangential;

pub use settings::NoSlipSettings;
pub use solver::NoSlipSolver;

use active_contacts::PressingSet;
use independent_rows::IndependentRows;
use island_rows::{bias, has_friction, unit, velocity};
use normals::{is_two_sided, write_bounded, write_factored};
use spread::Spreading;

use super::tight_solver::TightSolver;
use super::{FormulationError, IslandSolver, PosedIsland};
use crate::contact::island::{IslandProblem, IslandReport, Memory};
use stiction_solvers::{ActiveSet, BoxLcp, FactoredLcp, Report, Residual, Solution, Status};

/// Solvers that start from the set of contacts that press; others start from their impulses.
const PIVOTING: [&str; 4] = ["ppm", "active-set-qp", "dantzig", "lemke"];

/// Rounds of step 5: most that lead to an answer do in two or three.
const PATIENCE: usize = 4;

/// Corrections of step 3 at most: nearly dependent tangents lose as many digits as their pivots have.
const CORRECTIONS: usize = 3;

/// A residual above which an answer is not used: it could add energy.
const USELESS: f64 = 1e-6;

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
            spreading: Spreading::new()?,
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

    /// Velocity of a row (m/s) that is nothing beside the others.
    fn noise(&self, island: &IslandProblem, row: usize) -> f64 {
        self.tolerance * self.speed / unit(island, row)
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

    /// Without a usable answer the contacts slip, without friction; the report stays what it is.
    fn give_up(&mut self, island: &IslandProblem) {
        self.held.fill(false);
        self.eliminate(island);
        let _ = self.solve_normals(island);
        self.find_tangential(island);
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
