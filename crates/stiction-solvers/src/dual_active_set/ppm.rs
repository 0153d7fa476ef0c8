//! Principal pivoting for normal contacts in factored form: work for a contact is proportional to the velocities.
//!
//! # Problem
//! `0 <= z  perp  w = Y Y^T z + q >= 0` ([`FactoredLcp`]), `n` contacts and `m` velocities, `n` possibly far above `m`.
//!
//! # Method
//! 1. Start with no contact active, or with those of a known set that do not depend on each other.
//! 2. Solve `Y_a Y_a^T z_a = -q_a` for the active contacts by the Cholesky factor of that block, of at most `m` rows;
//!    `p = Y_a^T z_a`.
//! 3. Find the contact with the most negative `w_i = y_i . p + q_i`, row by row.
//! 4. If there is none: take the contact with the most negative `z_j` out and go to 2; without one the end is reached.
//! 5. Otherwise `i` becomes active and, if there is one, the contact with the most negative `z_j` passive; go to 2.
//! 6. If `y_i = sum_j r_j y_j` depends on the active rows, the block would be singular. Instead `i` takes the place of the
//!    first `j` whose impulse vanishes when `i` takes load over: the least `z_j / r_j` with `r_j > 0`. Without such a `j`
//!    the rows contradict each other: no velocity satisfies them.
//! 7. When a set of active contacts comes back, go on with rules that cannot cycle: deactivate every contact with `z_j <
//!    0`; then activate the violated contact of least index by the dual method (`method`, on a
//!    `gram_factor`), along which no `z_j` becomes negative (the ratio test of 6 at every change).
//!
//! # Convergence and failure
//! The rules of step 7 increase the dual objective with every contact that becomes active, so no set repeats and the method
//! ends; steps 2 to 6 alone need not, but nearly always do, and sooner. The active rows are independent throughout: never
//! more than `rank(Y)` impulses are positive. *Infeasible* comes with multipliers `lambda >= 0` for which `Y^T lambda` is
//! rounding and `lambda . q < 0` ([`Ppm::certificate`]).
//!
//! # Cost
//! `2 n m` operations for step 3 and `O(m^2)` for the rest of an iteration; `O(m)` iterations on contact problems.
//!
//! # References
//! E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015, section V, algorithm 1 and
//! theorem 1. Step 6: D. Goldfarb, A. Idnani, *A numerically stable dual method for solving strictly convex quadratic
//! programs*, Mathematical Programming 27 (1983) 1-33, section 3.

use super::gram_factor::GramFactor;
use super::method::{DualActiveSet, DualActiveSetSettings, Entry};
use crate::linalg::capacity::reserve_to;
use crate::problem::{
    ActiveSet, FactoredLcp, HistoryEntry, Report, Solution, Solver, SolverError, Start, Status,
};

/// Settings of [`Ppm`].
pub type PpmSettings = DualActiveSetSettings;

/// Principal pivoting in factored form with its workspace; see the [module documentation](self).
///
/// `pivots` of the report counts contacts that became active or passive.
#[derive(Clone, Debug, Default)]
pub struct Ppm {
    method: DualActiveSet<GramFactor>,
    /// Fingerprints of the active sets so far.
    seen: Vec<u64>,
}

impl Ppm {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// See [`DualActiveSetSettings::validate`].
    pub fn new(settings: PpmSettings) -> Result<Ppm, SolverError> {
        Ok(Ppm { method: DualActiveSet::new(settings)?, seen: Vec::new() })
    }

    /// The settings.
    pub fn settings(&self) -> &PpmSettings {
        &self.method.settings
    }

    /// The active contacts of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.method.answer
    }

    /// After [`Status::Infeasible`]: the `n` multipliers that prove it; otherwise empty.
    pub fn certificate(&self) -> &[f64] {
        &self.method.certificate
    }

    /// The convergence history of the last solve, an entry for every iteration; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.method.incumbent.history()
    }
}

impl Solver<FactoredLcp> for Ppm {
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        let Ppm { method, seen } = self;
        method.solve(problem, 0, start, x, |method, problem, set| {
            method.start_from(set); // step 1
            pivot(method, seen, problem)
        })
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn certificate(&self) -> &[f64] {
        self.certificate()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.method.settings.time_limit = seconds;
    }
}

/// Steps 2 to 7. Returns what the end says of the problem, should the answer not be certified.
fn pivot(method: &mut DualActiveSet<GramFactor>, seen: &mut Vec<u64>, problem: &FactoredLcp) -> Status {
    let limit = method.limit();
    seen.clear();
    reserve_to(seen, limit + 1);
    let mut careful = false;
    loop {
        method.solve_block(); // step 2
        method.record(problem);
        careful |= is_seen(&method.indices, seen);
        if careful {
            while let Some(at) = method.most_negative() {
                method.remove(at);
                method.solve_block();
            }
        }
        let entering = method.rows.most_violated(&method.p, &method.active, careful); // step 3
        let leaving = method.most_negative();
        if entering.is_none() && leaving.is_none() {
            return Status::Stalled;
        }
        if method.incumbent.iterations == limit || method.incumbent.is_out_of_time() {
            return Status::MaxIterations;
        }
        method.incumbent.iterations += 1;
        let entry = match entering {
            Some(i) if careful => method.activate(i),
            Some(i) => exchange(method, i, leaving),
            None => {
                leaving.into_iter().for_each(|at| method.remove(at)); // step 4
                continue;
            }
        };
        match entry {
            Entry::Active => {}
            Entry::Contradiction => return Status::Infeasible,
            Entry::Redundant | Entry::Unclear if careful => return Status::Stalled,
            Entry::Redundant | Entry::Unclear => careful = true,
        }
    }
}

/// Steps 5 and 6: contact `i` becomes active, maybe in exchange for the one at place `leaving`.
fn exchange(method: &mut DualActiveSet<GramFactor>, i: usize, leaving: Option<usize>) -> Entry {
    if method.resolve(i) > 0.0 {
        method.append(i, 0.0);
        leaving.into_iter().for_each(|at| method.remove(at));
        return Entry::Active;
    }
    let Some((at, _)) = method.first_to_vanish(1.0) else { return method.contradiction(i, 1.0) };
    method.remove(at);
    if method.resolve(i) == 0.0 {
        return Entry::Unclear;
    }
    method.append(i, 0.0);
    Entry::Active
}

/// Whether the active set has been here before; remembers it. Sets are told apart by a sum of scrambled indices: should
/// two ever have the same, step 7 begins early, and nothing is lost.
fn is_seen(indices: &[usize], seen: &mut Vec<u64>) -> bool {
    let scramble = |i: &usize| {
        let x = (*i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let print = indices.iter().map(scramble).fold(0, u64::wrapping_add);
    let repeated = seen.contains(&print);
    seen.push(print);
    repeated
}
