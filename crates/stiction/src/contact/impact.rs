//! Impacts: how restitution enters the problem of an island.
//!
//! # Which contacts bounce
//! A contact *closes* in a step when `u_free + a_n < 0` along its normal (`a_n = gap / h`: the free motion would overlap).
//! It *bounces* when it closes, has a coefficient of restitution `e > 0`, and approaches at the beginning faster than
//! what the applied forces give in one step, `|u-| > |u_free - u-|`, and than a threshold of the user's. (Without gravity
//! nothing is too slow to bounce; what rests does not.) Bouncing contacts hit at once, touching or predicted: a gap in
//! their rows would brake the bodies before `e` acts. For the same reason a gap that the free motion leaves open does not
//! stop what a bounce sends its way: next to a bounce such a contact, if its `e > 0`, has the fastest speed at any contact
//! of the island added to `a_n`, and hits in the next step.
//!
//! Limits of joints and tendons are inelastic.
//!
//! # Laws
//! *Newton*: the normal rows become `0 <= lambda_n  perp  u_n + e u-_n >= 0`. One solve. With friction the law can add
//! energy (Kane and Levinson 1985), and a wedged body may have no motion that meets it.
//!
//! *Poisson* (Glocker and Pfeiffer 1995, with friction bounded by the whole impulse):
//! 1. compression, `0 <= lambda_n  perp  u_n >= 0`: impulses `c`;
//! 2. expansion, `0 <= lambda_n - p  perp  u_n >= 0` with the *preload* `p = (1 + e r) c_n`, what compression has taken and
//!    `e` times as much again. `r = u-_n / u_free_n` takes out of `c` what resists the applied forces during the step
//!    and is no impact.
//!
//! Both start from the free velocity, so that friction acts once and on the total, `|lambda_t| <= mu lambda_n`. For one
//! contact without friction both give `u_n = -e u-_n` exactly.
//!
//! # Energy
//! With positions moved by the mean of the velocities before and after, `1/2 lambda . (u- + u+)` is the work of the
//! impulses. Where it is positive, the impact is solved again with all coefficients multiplied by the largest factor
//! for which it is not, found by the Illinois variant of false position; a problem without a solution, with the
//! factor zero. Both are counted.
//!
//! # References
//! - C. Glocker, F. Pfeiffer, *Multiple impacts with friction in rigid multibody systems*, Nonlinear Dynamics 7 (1995).
//! - T. R. Kane, D. A. Levinson, *Dynamics: theory and applications* (1985), section 5.8.
//! - M. Anitescu, F. Potra, *Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//!   complementarity problems*, Nonlinear Dynamics 14 (1997).

use crate::contact::IslandSolver;
use crate::contact::island::{Block, BlockKind, IslandProblem, IslandReport, Memory};
use crate::suggestion::did_you_mean;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use stiction_solvers::Status;

/// What a coefficient of restitution relates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ImpactLaw {
    /// Impulses: expansion gives back `e` times the impulse of compression. Adds no energy where there is friction.
    #[default]
    Poisson,
    /// Velocities: what approaches parts `e` times as fast.
    Newton,
}

impl ImpactLaw {
    /// The names, as the command line and scene files write them.
    pub const NAMES: [&'static str; 2] = ["poisson", "newton"];

    /// Its name.
    pub fn name(&self) -> &'static str {
        ImpactLaw::NAMES[*self as usize]
    }
}

impl fmt::Display for ImpactLaw {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No impact law of this name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("impact law '{0}' is unknown; available: {available}{hint}", available = ImpactLaw::NAMES.join(", "),
    hint = did_you_mean(.0, ImpactLaw::NAMES))]
pub struct ImpactLawError(String);

impl FromStr for ImpactLaw {
    type Err = ImpactLawError;

    fn from_str(text: &str) -> Result<ImpactLaw, ImpactLawError> {
        match text {
            "poisson" => Ok(ImpactLaw::Poisson),
            "newton" => Ok(ImpactLaw::Newton),
            _ => Err(ImpactLawError(text.into())),
        }
    }
}

impl TryFrom<String> for ImpactLaw {
    type Error = ImpactLawError;

    fn try_from(text: String) -> Result<ImpactLaw, ImpactLawError> {
        text.parse()
    }
}

impl From<ImpactLaw> for String {
    fn from(law: ImpactLaw) -> String {
        law.name().into()
    }
}

/// Work of an impact that is round-off, relative to the impulses times the velocities before.
const ROUND_OFF: f64 = 1e-9;

/// A tangential velocity so much smaller than the terms of the normal one is rounding: a few dozen of it in this impact, more of those before.
const ROUNDING: f64 = 1024.0 * f64::EPSILON;

/// The factor of the coefficients is found to this part of one.
const RESOLUTION: f64 = 1e-6;

/// Trials of factors at most.
const MAX_TRIALS: usize = 40;

/// Solves islands in which something may bounce. Allocates nothing for an island no larger than one seen before.
#[derive(Debug, Default)]
pub struct Impacts {
    law: ImpactLaw,
    threshold: f64,
    /// The problem that is posed: blocks with their biases and preloads, and free velocities with the preloads' part.
    blocks: Vec<Block>,
    free: Vec<f64>,
    /// Normal impulse of each block in compression (N s).
    compression: Vec<f64>,
    /// Answer to the largest factor so far that adds no energy, and the problem it solves.
    kept: Vec<Memory>,
    kept_blocks: Vec<Block>,
    /// Iterations and pivots of all solves of an island.
    effort: [usize; 2],
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
}

/// A trial of a factor.
struct Trial {
    report: IslandReport,
    /// Work of the impulses beyond round-off (J); positive where energy is added.
    work: f64,
}

impl Trial {
    fn solved(&self) -> bool {
        self.report.solver.status == Status::Solved
    }
}

impl Impacts {
    /// A workspace for this law; approaches up to `threshold` (m/s) do not bounce.
    pub fn new(law: ImpactLaw, threshold: f64) -> Self {
        Self { law, threshold, ..Default::default() }
    }

    /// The blocks as they were posed last: the coefficients of those that do not bounce are zero, biases and preloads
    /// those of the impact.
    pub fn posed(&self) -> &[Block] {
        &self.blocks
    }

    /// Solves an island; without a contact that bounces as `solver` does. `memory` as in [`IslandSolver::solve`].
    pub fn solve(
        &mut self,
        island: &IslandProblem,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> IslandReport {
        let bounces = self.find_bounces(island);
        if bounces == 0 {
            return solver.solve(island, memory);
        }
        self.effort = [0, 0];
        let compression = match self.law {
            ImpactLaw::Newton => None,
            ImpactLaw::Poisson => Some(self.compress(island, solver, memory)),
        };
        let whole = self.expand(island, 1.0, solver, memory);
        let reduced = !whole.solved() || whole.work > 0.0;
        let answer = if reduced { self.reduce(island, whole, solver, memory) } else { whole };
        let mut report = IslandReport { bounces, reduced, ..answer.report };
        [report.solver.iterations, report.solver.pivots] = self.effort;
        // An expansion is no better than the compression it continues.
        if let Some(compression) = compression.filter(|c| !c.solved()) {
            report.solver.status = compression.report.solver.status;
            report.solver.residual = compression.report.solver.residual;
        }
        report
    }

    /// Copies the blocks, with the coefficient zero where a contact does not bounce. Returns how many do.
    fn find_bounces(&mut self, island: &IslandProblem) -> usize {
        self.blocks.clear();
        self.blocks.extend_from_slice(island.blocks);
        let mut bounces = 0;
        let mut fastest: f64 = 0.0;
        for block in &mut self.blocks {
            let BlockKind::Contact { bias, .. } = block.kind else { continue };
            let (before, free) = (island.before[block.row], island.free[block.row]);
            fastest = fastest.max(free.abs());
            let closes = free + bias < 0.0;
            if closes && before < 0.0 && -before > (free - before).abs().max(self.threshold) {
                bounces += usize::from(block.restitution > 0.0);
            } else {
                block.restitution = 0.0;
            }
        }
        if bounces > 0 {
            self.keep_open(island, fastest);
        }
        bounces
    }

    /// Lets a bounce use up gaps that the free motion leaves open, where it will be followed by a bounce there.
    fn keep_open(&mut self, island: &IslandProblem, fastest: f64) {
        for (block, own) in self.blocks.iter_mut().zip(island.blocks) {
            if let BlockKind::Contact { bias, .. } = &mut block.kind
                && own.restitution > 0.0
                && *bias > 0.0
                && island.free[block.row] + *bias >= 0.0
            {
                *bias += fastest;
            }
        }
    }

    /// Poisson's first problem.
    fn compress(
        &mut self,
        island: &IslandProblem,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> Trial {
        let trial = self.attempt(island, 0.0, solver, memory);
        self.compression.clear();
        self.compression.extend(memory.iter().map(|m| m.impulse[0].max(0.0)));
        trial
    }

    /// The problem of the whole impact with all coefficients multiplied by `factor`.
    fn expand(
        &mut self,
        island: &IslandProblem,
        factor: f64,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> Trial {
        if self.law == ImpactLaw::Newton {
            return self.attempt(island, factor, solver, memory);
        }
        for (block, compression) in self.blocks.iter_mut().zip(&self.compression) {
            if let BlockKind::Contact { preload, .. } = &mut block.kind
                && block.restitution > 0.0
            {
                let impact = island.before[block.row] / island.free[block.row];
                *preload = (1.0 + factor * block.restitution * impact) * compression;
            }
        }
        self.attempt(island, 0.0, solver, memory)
    }

    /// Solves with the preloads as they are and the biases of Newton's law, `factor` times the coefficients.
    fn attempt(
        &mut self,
        island: &IslandProblem,
        factor: f64,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> Trial {
        self.free.clear();
        self.free.extend_from_slice(island.free);
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        for block in &mut self.blocks {
            if let BlockKind::Contact { bias, preload, .. } = &mut block.kind
                && block.restitution > 0.0
            {
                *bias = factor * block.restitution * island.before[block.row];
                self.impulse[block.row] = *preload;
            }
        }
        island.add_velocities(&self.impulse, &mut self.free, &mut self.scratch);
        self.clear_rounding(island);
        let problem = IslandProblem { blocks: &self.blocks, free: &self.free, ..*island };
        let report = solver.solve(&problem, memory);
        self.effort[0] += report.solver.iterations;
        self.effort[1] += report.solver.pivots;
        Trial { report, work: self.work(island, memory) }
    }

    /// Takes tangential velocities for zero that rounding alone explains: what preloads of decades more give cancels where
    /// a body falls flat, and nobody can tell the sign of what is left.
    fn clear_rounding(&mut self, island: &IslandProblem) {
        for block in &self.blocks {
            if !matches!(block.kind, BlockKind::Contact { .. }) || block.kind.rows() < 3 {
                continue;
            }
            let row = block.row;
            let size = island.free[row].abs() + (self.free[row] - island.free[row]).abs();
            for tangent in &mut self.free[row + 1..row + 3] {
                if tangent.abs() <= ROUNDING * size {
                    *tangent = 0.0;
                }
            }
        }
    }

    /// Work of the impulses beyond round-off.
    fn work(&mut self, island: &IslandProblem, memory: &[Memory]) -> f64 {
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        for (block, memory) in self.blocks.iter().zip(memory) {
            let count = block.kind.rows();
            self.impulse[block.row..block.row + count].copy_from_slice(&memory.impulse[..count]);
        }
        self.velocity.clear();
        self.velocity.extend(island.free.iter().zip(island.before).map(|(free, before)| free + before));
        island.add_velocities(&self.impulse, &mut self.velocity, &mut self.scratch);
        let sum = |velocity: &[f64]| self.impulse.iter().zip(velocity).map(|(l, u)| l * u).sum::<f64>();
        let size: f64 = self.impulse.iter().zip(island.before).map(|(l, u)| (l * u).abs()).sum();
        0.5 * sum(&self.velocity) - ROUND_OFF * size
    }

    /// Finds the largest factor that adds no energy, where 1 does or has no solution.
    fn reduce(
        &mut self,
        island: &IslandProblem,
        whole: Trial,
        solver: &mut dyn IslandSolver,
        memory: &mut [Memory],
    ) -> Trial {
        let none = self.expand(island, 0.0, solver, memory);
        if !whole.solved() || none.work > 0.0 {
            // Without a bounce there is a solution; and what adds energy without a bounce is not the bounce.
            return none;
        }
        self.keep(memory);
        let (mut low, mut low_work) = (0.0, none.work);
        let (mut high, mut high_work) = (1.0, whole.work);
        let mut answer = none;
        let mut rose = None;
        for _ in 0..MAX_TRIALS {
            if high - low <= RESOLUTION {
                break;
            }
            let chord = low - low_work * (high - low) / (high_work - low_work);
            // Not at an end, so that the last trials close the bracket.
            let factor = chord.clamp(low + 0.5 * RESOLUTION, high - 0.5 * RESOLUTION);
            let trial = self.expand(island, factor, solver, memory);
            let rises = trial.solved() && trial.work <= 0.0;
            if rises {
                (low, low_work) = (factor, trial.work);
                high_work *= if rose == Some(true) { 0.5 } else { 1.0 };
                self.keep(memory);
                answer = trial;
            } else {
                (high, high_work) = (factor, trial.work.max(0.0));
                low_work *= if rose == Some(false) { 0.5 } else { 1.0 };
            }
            rose = Some(rises);
        }
        memory.copy_from_slice(&self.kept);
        self.blocks.copy_from_slice(&self.kept_blocks);
        answer
    }

    fn keep(&mut self, memory: &[Memory]) {
        self.kept.clear();
        self.kept.extend_from_slice(memory);
        self.kept_blocks.clear();
        self.kept_blocks.extend_from_slice(&self.blocks);
    }
}
