//! The dual active-set method on a factorization of the active rows.
//!
//! # Problem
//! The `p` of least length with `w_i = y_i . p + q_i = 0` for the first `free` rows and `w_i >= 0` for the others: a strictly
//! convex quadratic program in the coordinates in which its Hessian is the identity, and the dual of `0 <= z  perp  Y Y^T z
//! + q >= 0`, with `p = Y^T z`.
//!
//! # Method
//! Kept are the active rows `a`, independent of each other, their multipliers `z_a`, `p = Y_a^T z_a`, and a [`Factor`] of
//! `Y_a`. [`DualActiveSet::activate`] takes up row `i`:
//! 1. `y_i = Y_a^T r + s` with `Y_a s = 0`. A multiplier of `i` that grows moves `z_a` along `-r` and `p` along `s`.
//! 2. The move ends where the row is satisfied, after `-w_i / |s|^2`, or where the first multiplier of an inequality
//!    vanishes, the least `z_j / r_j` with `r_j > 0`. If neither happens the rows contradict each other.
//! 3. At the first end `i` becomes active. At the second `j` is deactivated; go to 1.
//!
//! # Convergence and failure
//! From a `p` of least length for its active rows, every activation increases that length: no active set repeats.
//! A contradiction comes with multipliers `lambda` (nonnegative for inequalities) for which `Y^T lambda` is rounding and
//! `lambda . q < 0`. An equality that depends on active ones and contradicts none of them is redundant.
//!
//! # References
//! D. Goldfarb, A. Idnani, *A numerically stable dual method for solving strictly convex quadratic programs*, Mathematical
//! Programming 27 (1983) 1-33, section 3.

use serde::{Deserialize, Serialize};

use super::factor::Factor;
use super::normal_rows::NormalRows;
use crate::driver::{self, Incumbent, check_limits};
use crate::linalg::capacity::reserve_to;
use crate::problem::{ActiveSet, FactoredLcp, Problem, Report, Solution, SolverError, Start, Status};

/// Numbers within this multiple of the largest of their kind are zero: components of `r`, and negative multipliers.
const ZERO: f64 = 1e-12;

/// An equality that depends on active ones and is off by no more than this (in the unit of the largest constant) is
/// redundant: multipliers of active rows are not worth a contradiction of rounding.
const REDUNDANT: f64 = 1e-10;

/// Settings of the dual active-set methods.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DualActiveSetSettings {
    /// Largest natural map (dimensionless) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Most iterations, that is rows taken up. `None`: the larger of 1000 and `50 m`; contact takes about `3 m`.
    pub max_iterations: Option<usize>,
    /// Whether the natural map is recorded in every iteration, which doubles the cost. Default false.
    pub history: bool,
}

impl Default for DualActiveSetSettings {
    fn default() -> DualActiveSetSettings {
        DualActiveSetSettings { tolerance: 1e-10, time_limit: None, max_iterations: None, history: false }
    }
}

impl DualActiveSetSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)
    }
}

/// The state of the method: the active rows with their multipliers, and the point.
#[derive(Clone, Debug, Default)]
pub(crate) struct DualActiveSet<F> {
    pub(crate) settings: DualActiveSetSettings,
    pub(crate) rows: NormalRows,
    factor: F,
    /// Active rows in the order of the factor, and their multipliers.
    pub(crate) indices: Vec<usize>,
    z: Vec<f64>,
    pub(crate) active: Vec<bool>,
    /// `Y^T z`.
    pub(crate) p: Vec<f64>,
    r: Vec<f64>,
    /// The active rows of the best answer.
    pub(crate) answer: ActiveSet,
    trial: Solution,
    scratch: Vec<f64>,
    pub(crate) certificate: Vec<f64>,
    pub(crate) incumbent: Incumbent,
}

/// What becomes of a row that is to be active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Active,
    /// It depends on active equalities and contradicts none.
    Redundant,
    /// The rows contradict each other; the multipliers that prove it are in `certificate`.
    Contradiction,
    /// Rounding: none of these.
    Unclear,
}

impl<F: Factor> DualActiveSet<F> {
    /// # Errors
    /// See [`DualActiveSetSettings::validate`].
    pub(crate) fn new(settings: DualActiveSetSettings) -> Result<DualActiveSet<F>, SolverError> {
        settings.validate()?;
        Ok(DualActiveSet { settings, ..DualActiveSet::default() })
    }

    /// Takes a problem whose first `free` unknowns are free, with no row active.
    fn load(&mut self, problem: &FactoredLcp, free: usize) {
        let (n, m) = (problem.dim(), problem.columns());
        self.rows.load(problem, free);
        self.factor.restart(m);
        self.indices.clear();
        reserve_to(&mut self.indices, m + 1);
        self.active.clear();
        self.active.resize(n, false);
        for vector in [&mut self.z, &mut self.r] {
            vector.clear();
            reserve_to(vector, m + 1);
        }
        self.p.clear();
        self.p.resize(m, 0.0);
        self.scratch.clear();
        reserve_to(&mut self.scratch, 2 * m);
        reserve_to(&mut self.certificate, n);
        self.incumbent.pivots = 0;
    }

    /// Counts pivots from here on.
    pub(crate) fn forget_pivots(&mut self) {
        self.incumbent.pivots = 0;
    }

    /// Most iterations.
    pub(crate) fn limit(&self) -> usize {
        self.settings.max_iterations.unwrap_or_else(|| (50 * self.rows.columns()).max(1000))
    }

    /// Step 1: writes `r`, and returns `|s|^2`, zero if that is rounding.
    pub(crate) fn resolve(&mut self, i: usize) -> f64 {
        self.factor.resolve(&self.rows, &self.indices, i, &mut self.r)
    }

    /// Row `i`, just [resolved](DualActiveSet::resolve), becomes active with multiplier `z`.
    pub(crate) fn append(&mut self, i: usize, z: f64) {
        self.factor.append();
        self.indices.push(i);
        self.z.push(z);
        self.active[i] = true;
        self.incumbent.pivots += 1;
    }

    /// The row at place `at` is deactivated.
    pub(crate) fn remove(&mut self, at: usize) {
        self.factor.remove(at);
        let i = self.indices.remove(at);
        self.z.remove(at);
        self.active[i] = false;
        self.incumbent.pivots += 1;
    }

    /// The inequalities of a known set become active, except those that depend on others, with multipliers of zero.
    pub(crate) fn start_from(&mut self, set: &ActiveSet) {
        let inequalities = self.rows.free()..self.rows.len();
        for i in set.iter().filter(|i| inequalities.contains(i)) {
            if self.indices.len() < self.rows.columns() && self.resolve(i) > 0.0 {
                self.append(i, 0.0);
            }
        }
        self.incumbent.pivots = 0;
    }

    /// Solves `Y_a Y_a^T z_a = -q_a` for the multipliers of the active rows, with corrections of what the first solution
    /// leaves.
    pub(crate) fn solve_block(&mut self) {
        self.z.fill(0.0);
        self.p.fill(0.0);
        for _ in 0..3 {
            self.correct();
        }
    }

    /// Corrects the multipliers by what the active rows are off, and `p` with them.
    pub(crate) fn correct(&mut self) {
        self.r.clear();
        self.r.extend(self.indices.iter().map(|&i| self.rows.value(i, &self.p).0));
        self.factor.solve(&mut self.r);
        self.z.iter_mut().zip(&self.r).for_each(|(z, r)| *z -= r);
        self.update_point();
    }

    /// `p = Y_a^T z_a`.
    pub(crate) fn update_point(&mut self) {
        self.p.fill(0.0);
        for (&i, z) in self.indices.iter().zip(&self.z) {
            self.rows.push(i, *z, &mut self.p);
        }
    }

    /// The place of the most negative multiplier of an inequality, of equals that of least index.
    pub(crate) fn most_negative(&self) -> Option<usize> {
        let threshold = -ZERO * self.z.iter().fold(0.0, |size: f64, z| size.max(z.abs()));
        let inequality = |at: &usize| self.indices[*at] >= self.rows.free();
        let negative = (0..self.z.len()).filter(inequality).filter(|&at| self.z[at] < threshold);
        negative.min_by(|&a, &b| self.z[a].total_cmp(&self.z[b]).then(self.indices[a].cmp(&self.indices[b])))
    }

    /// The place of the first multiplier of an inequality to vanish when `z` moves along `-sign r`, and how far that is.
    pub(crate) fn first_to_vanish(&self, sign: f64) -> Option<(usize, f64)> {
        let size = self.r.iter().fold(1.0, |size: f64, r| size.max(r.abs()));
        let inequality = |at: &usize| self.indices[*at] >= self.rows.free();
        let falling = (0..self.r.len()).filter(inequality).filter(|&at| sign * self.r[at] > ZERO * size);
        let ratios = falling.map(|at| (at, self.z[at].max(0.0) / (sign * self.r[at])));
        ratios.min_by(|a, b| a.1.total_cmp(&b.1).then(self.indices[a.0].cmp(&self.indices[b.0])))
    }

    /// Steps 1 to 3 for row `i`. An equality may be violated upwards: then everything moves the other way.
    pub(crate) fn activate(&mut self, i: usize) -> Entry {
        let (w, noise) = self.rows.value(i, &self.p);
        let sign = if w > 0.0 { -1.0 } else { 1.0 };
        let mut own = 0.0;
        loop {
            let across = self.resolve(i);
            let w = self.rows.value(i, &self.p).0;
            let need = if across > 0.0 { (-sign * w / across).max(0.0) } else { f64::INFINITY };
            let vanishing = self.first_to_vanish(sign);
            let step = vanishing.map_or(f64::INFINITY, |(_, length)| length).min(need);
            if self.incumbent.is_out_of_time() {
                return Entry::Unclear;
            }
            if step == f64::INFINITY {
                let redundant = i < self.rows.free() && w.abs() <= noise.max(REDUNDANT);
                return if redundant { Entry::Redundant } else { self.contradiction(i, sign) };
            }
            own += sign * step;
            self.z.iter_mut().zip(&self.r).for_each(|(z, r)| *z -= sign * step * r);
            let along = if across > 0.0 { sign * step } else { 0.0 };
            let moved = self.factor.move_point(along, &mut self.p);
            match vanishing {
                Some((at, length)) if length < need => {
                    self.remove(at);
                    if !moved {
                        self.update_point();
                        self.rows.push(i, own, &mut self.p);
                    }
                }
                _ => {
                    self.append(i, own);
                    return Entry::Active;
                }
            }
        }
    }

    /// Row `i` depends on the active ones, `y_i = sum_j r_j y_j`, and no multiplier stops its own: whether that proves
    /// that no point satisfies all rows.
    pub(crate) fn contradiction(&mut self, i: usize, sign: f64) -> Entry {
        let free = self.rows.free();
        let others = self.indices.iter().zip(&self.r).map(|(&j, r)| {
            let lambda = -sign * r;
            (j, if j < free { lambda } else { lambda.max(0.0) })
        });
        let multipliers = others.chain([(i, sign)]);
        self.scratch.resize(self.rows.columns(), 0.0);
        if !self.rows.contradict(multipliers.clone(), &mut self.scratch) {
            return Entry::Unclear;
        }
        self.certificate.resize(self.rows.len(), 0.0);
        for (i, lambda) in multipliers {
            self.certificate[i] = self.rows.impulse(i, lambda);
        }
        Entry::Contradiction
    }

    /// Adds the natural map to the history, if there is to be one.
    pub(crate) fn record(&mut self, problem: &FactoredLcp) {
        if self.incumbent.keeps_history() {
            self.extract();
            let free = self.rows.free();
            let (residual, _) =
                problem.assess_with(free, &self.trial.z, &mut self.trial.w, &mut self.scratch);
            self.incumbent.record(residual.natural_map, &self.trial.z);
        }
    }

    /// Writes the multipliers into the trial, in the units of the problem.
    fn extract(&mut self) {
        self.trial.z.fill(0.0);
        for (&i, &z) in self.indices.iter().zip(&self.z) {
            let z = if i < self.rows.free() { z } else { z.max(0.0) };
            self.trial.z[i] = self.rows.impulse(i, z);
        }
    }

    /// Evaluates the trial and keeps it in `x`, with its active rows, if it is the best so far.
    fn offer(&mut self, problem: &FactoredLcp, free: usize, x: &mut Solution) {
        let assessment = problem.assess_with(free, &self.trial.z, &mut self.trial.w, &mut self.scratch);
        if self.incumbent.offer(assessment, &self.trial, x) {
            self.answer.clear();
            let active = |(i, z): &(usize, &f64)| **z > 0.0 || (*i < free && **z != 0.0);
            x.z.iter().enumerate().filter(active).for_each(|(i, _)| self.answer.set(i, true));
        }
    }

    /// Solves a problem whose first `free` unknowns are free: evaluates the guess and zero, then runs `iterate` from the
    /// known active rows, and evaluates what it leaves. `iterate` returns what its end says of the problem, should the
    /// answer not be certified.
    pub(crate) fn solve(
        &mut self,
        problem: &FactoredLcp,
        free: usize,
        start: Start,
        x: &mut Solution,
        iterate: impl FnOnce(&mut Self, &FactoredLcp, &ActiveSet) -> Status,
    ) -> Report {
        let n = problem.dim();
        self.incumbent.open(self.settings.tolerance);
        self.incumbent.limit_time(self.settings.time_limit);
        self.certificate.clear();
        self.trial.resize(n);
        self.answer.resize(n);
        self.answer.clear();
        if problem.check_finite().is_err() {
            return driver::refuse(problem, x);
        }
        if driver::take_guess(start, n, x) {
            self.trial.z.copy_from_slice(&x.z);
            self.offer(problem, free, x);
        }
        if !self.incumbent.is_certified() {
            self.trial.z.fill(0.0);
            self.offer(problem, free, x);
        }
        if self.incumbent.is_certified() {
            return self.incumbent.report(Status::Solved);
        }
        self.load(problem, free);
        let limit = self.limit();
        self.incumbent.keep_history(self.settings.history, limit + 1);
        let own = std::mem::take(&mut self.answer);
        let end = iterate(self, problem, driver::basis(start, n).unwrap_or(&own));
        self.answer = own;
        self.extract();
        self.offer(problem, free, x);
        self.incumbent.report(end)
    }
}
