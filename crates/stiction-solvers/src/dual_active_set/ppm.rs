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
//! 7. When a set of active contacts comes back, go on with rules that cannot cycle: let passive every contact with `z_j <
//!    0`; then activate the violated contact of least index by the dual method, along which no `z_j` becomes negative
//!    (the ratio test of 6 at every change).
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

use serde::{Deserialize, Serialize};

use crate::driver::check_tolerance;
use crate::dual_active_set::normal_rows::NormalRows;
use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::problem::{
    ActiveSet, FactoredLcp, Problem, Report, Residual, Solution, Solver, SolverError, Start, Status,
};

/// A row (of length about one) is dependent on the active ones if what is across them is shorter than this multiple of `1 +
/// |r|`. The block, of the products of rows, has the square of this for a pivot: near enough to `eps` that corrections
/// of its solution still gain two digits each.
const DEPENDENT: f64 = 1e-7;

/// Impulses above minus this multiple of the largest are not negative.
const NEGATIVE: f64 = 1e-12;

/// Settings of [`Ppm`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PpmSettings {
    /// Largest natural map (dimensionless) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most iterations. `None`: the larger of 1000 and `50 m`; contact takes about `3 m`.
    pub max_iterations: Option<usize>,
    /// Whether the natural map is recorded in every iteration, which doubles the cost. Default false.
    pub history: bool,
}

impl Default for PpmSettings {
    fn default() -> PpmSettings {
        PpmSettings { tolerance: 1e-10, max_iterations: None, history: false }
    }
}

/// Principal pivoting in factored form with its workspace; see the [module documentation](self).
///
/// `pivots` of the report counts contacts that became active or passive.
#[derive(Clone, Debug, Default)]
pub struct Ppm {
    settings: PpmSettings,
    rows: NormalRows,
    /// Active contacts in the order of the factor, their impulses, and the factor.
    indices: Vec<usize>,
    z: Vec<f64>,
    factor: Cholesky,
    active: Vec<bool>,
    /// `Y^T z`.
    p: Vec<f64>,
    /// A row against the active ones: see [`Ppm::resolve`].
    products: Vec<f64>,
    l: Vec<f64>,
    r: Vec<f64>,
    s: Vec<f64>,
    /// Fingerprints of the active sets so far.
    seen: Vec<u64>,
    answer: ActiveSet,
    trial: Solution,
    scratch: Vec<f64>,
    certificate: Vec<f64>,
    history: Vec<f64>,
    pivots: usize,
}

/// What becomes of a row that is to be active.
enum Entry {
    Done,
    /// The rows contradict each other, and the multipliers are in `certificate`.
    Contradiction,
    /// Rounding: neither.
    Unclear,
}

impl Ppm {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn new(settings: PpmSettings) -> Result<Ppm, SolverError> {
        check_tolerance(settings.tolerance)?;
        Ok(Ppm { settings, ..Ppm::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &PpmSettings {
        &self.settings
    }

    /// The active contacts of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.answer
    }

    /// After [`Status::Infeasible`]: the `n` multipliers that prove it; otherwise empty.
    pub fn certificate(&self) -> &[f64] {
        &self.certificate
    }

    /// The natural map of each iteration of the last solve, if [`PpmSettings::history`] asks for it.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    fn load(&mut self, problem: &FactoredLcp) {
        let (n, m) = (problem.dim(), problem.columns());
        self.rows.load(problem, 0);
        self.factor.clear();
        self.factor.reserve(m + 1);
        self.indices.clear();
        reserve_to(&mut self.indices, m + 1);
        self.active.clear();
        self.active.resize(n, false);
        for vector in [&mut self.z, &mut self.products, &mut self.l, &mut self.r, &mut self.s] {
            vector.clear();
            reserve_to(vector, m + 2);
        }
        self.p.clear();
        self.p.resize(m, 0.0);
        self.scratch.clear();
        reserve_to(&mut self.scratch, 2 * m);
        reserve_to(&mut self.certificate, n);
        self.seen.clear();
        let limit = self.limit();
        reserve_to(&mut self.seen, limit + 1);
        self.pivots = 0;
    }

    fn limit(&self) -> usize {
        self.settings.max_iterations.unwrap_or_else(|| (50 * self.rows.columns()).max(1000))
    }

    /// Writes the `r` with `y_i` nearest to `Y_a^T r`, the row `l` that the factor would get, and the rest `s = y_i - Y_a^T r`.
    /// Returns `|s|`, zero if that is rounding.
    ///
    /// The products of rows know `|s|^2` to `eps` only, `|s|` to `1e-8`. So `r` and `l` are corrected once by the products of
    /// the rows with `s` (corrected seminormal equations), after which `|s|` itself is right to some `eps`.
    fn resolve(&mut self, i: usize) -> f64 {
        let row = self.rows.row(i);
        let k = self.indices.len();
        self.l.clear();
        self.l.resize(k, 0.0);
        self.r.clear();
        self.r.resize(k, 0.0);
        self.s.clear();
        self.s.extend_from_slice(row);
        for _ in 0..2 {
            self.products.clear();
            self.products.extend(self.indices.iter().map(|&j| dot(self.rows.row(j), &self.s)));
            self.factor.solve_lower(&mut self.products);
            self.l.iter_mut().zip(&self.products).for_each(|(l, step)| *l += step);
            self.factor.solve_upper(&mut self.products);
            self.r.iter_mut().zip(&self.products).for_each(|(r, step)| *r += step);
            self.s.copy_from_slice(row);
            for (&j, r) in self.indices.iter().zip(&self.r) {
                self.rows.push(j, -r, &mut self.s);
            }
        }
        let length = dot(&self.s, &self.s).sqrt();
        if length > DEPENDENT * (1.0 + dot(&self.r, &self.r).sqrt()) { length } else { 0.0 }
    }

    /// Appends row `i`, just [resolved](Ppm::resolve), whose rest has the given length.
    fn append(&mut self, i: usize, z: f64, length: f64) {
        self.l.push(length);
        self.factor.push(&self.l);
        self.indices.push(i);
        self.z.push(z);
        self.active[i] = true;
        self.pivots += 1;
    }

    fn remove(&mut self, at: usize) {
        self.factor.remove(at);
        let i = self.indices.remove(at);
        self.z.remove(at);
        self.active[i] = false;
        self.pivots += 1;
    }

    /// Step 1.
    fn start_from(&mut self, set: &ActiveSet) {
        let contacts = 0..self.rows.len();
        for i in set.iter().filter(|i| contacts.contains(i)) {
            let length = self.resolve(i);
            if self.indices.len() < self.rows.columns() && length > 0.0 {
                self.append(i, 0.0, length);
            }
        }
        self.pivots = 0;
    }

    /// Step 2, with corrections of what the first solution leaves.
    fn solve_block(&mut self) {
        self.z.fill(0.0);
        self.p.fill(0.0);
        for _ in 0..3 {
            self.r.clear();
            self.r.extend(self.indices.iter().map(|&i| self.rows.value(i, &self.p).0));
            self.factor.solve(&mut self.r);
            self.z.iter_mut().zip(&self.r).for_each(|(z, r)| *z -= r);
            self.push();
        }
    }

    fn push(&mut self) {
        self.p.fill(0.0);
        for (&i, z) in self.indices.iter().zip(&self.z) {
            self.rows.push(i, *z, &mut self.p);
        }
    }

    /// The place of the most negative impulse, of equals that of least index.
    fn most_negative(&self) -> Option<usize> {
        let threshold = -NEGATIVE * self.z.iter().fold(0.0, |size: f64, z| size.max(z.abs()));
        let negative = (0..self.z.len()).filter(|&at| self.z[at] < threshold);
        negative.min_by(|&a, &b| self.z[a].total_cmp(&self.z[b]).then(self.indices[a].cmp(&self.indices[b])))
    }

    /// The place of the first impulse to vanish when `z` moves along `-r`, and how far that is.
    fn first_to_vanish(&self) -> Option<(usize, f64)> {
        let size = self.r.iter().fold(1.0, |size: f64, r| size.max(r.abs()));
        let falling = (0..self.r.len()).filter(|&at| self.r[at] > NEGATIVE * size);
        let ratios = falling.map(|at| (at, self.z[at].max(0.0) / self.r[at]));
        ratios.min_by(|a, b| a.1.total_cmp(&b.1).then(self.indices[a.0].cmp(&self.indices[b.0])))
    }

    /// Steps 5 and 6: contact `i` becomes active, maybe in exchange.
    fn activate(&mut self, i: usize) -> Entry {
        let length = self.resolve(i);
        if length > 0.0 {
            let negative = self.most_negative();
            self.append(i, 0.0, length);
            if let Some(at) = negative {
                self.remove(at);
            }
            return Entry::Done;
        }
        let Some((at, _)) = self.first_to_vanish() else { return self.contradiction(i) };
        self.remove(at);
        let length = self.resolve(i);
        if length == 0.0 {
            return Entry::Unclear;
        }
        self.append(i, 0.0, length);
        Entry::Done
    }

    /// Step 7: contact `i` becomes active along the dual method's path; `z` and `p` are kept up to date.
    fn activate_by_ratio(&mut self, i: usize) -> Entry {
        let mut own = 0.0;
        loop {
            let length = self.resolve(i);
            let need = -self.rows.value(i, &self.p).0 / (length * length);
            let need = if length > 0.0 { need.max(0.0) } else { f64::INFINITY };
            let vanishing = self.first_to_vanish();
            let step = vanishing.map_or(f64::INFINITY, |(_, way)| way).min(need);
            if step == f64::INFINITY {
                return self.contradiction(i);
            }
            own += step;
            self.z.iter_mut().zip(&self.r).for_each(|(z, r)| *z -= step * r);
            match vanishing {
                Some((at, way)) if way < need => self.remove(at),
                _ => {
                    self.append(i, own, length);
                    return Entry::Done;
                }
            }
            self.push();
            self.rows.push(i, own, &mut self.p);
        }
    }

    /// No row gives way to row `i`: `y_i = sum_j r_j y_j` with no positive `r_j`.
    fn contradiction(&mut self, i: usize) -> Entry {
        let others = self.indices.iter().copied().zip(self.r.iter().map(|r| (-r).max(0.0)));
        self.scratch.resize(self.rows.columns(), 0.0);
        let multipliers = others.chain([(i, 1.0)]);
        if !self.rows.contradict(multipliers.clone(), &mut self.scratch) {
            return Entry::Unclear;
        }
        self.certificate.resize(self.rows.len(), 0.0);
        for (i, lambda) in multipliers {
            self.certificate[i] = self.rows.impulse(i, lambda);
        }
        Entry::Contradiction
    }

    /// Whether the active set has been here before; remembers it. Sets are told apart by a sum of scrambled indices: should
    /// two ever have the same, step 7 begins early, and nothing is lost.
    fn is_seen(&mut self) -> bool {
        let scramble = |i: &usize| {
            let x = (*i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        let print = self.indices.iter().map(scramble).fold(0, u64::wrapping_add);
        let seen = self.seen.contains(&print);
        self.seen.push(print);
        seen
    }

    /// Steps 2 to 7. Returns what the end says of the problem, should the answer not be certified.
    fn pivot(&mut self, problem: &FactoredLcp, report: &mut Report) -> Status {
        let limit = self.limit();
        let mut careful = false;
        loop {
            self.solve_block(); // step 2
            self.record(problem);
            careful |= self.is_seen();
            if careful {
                while let Some(at) = self.most_negative() {
                    self.remove(at);
                    self.solve_block();
                }
            }
            let entering = self.rows.most_violated(&self.p, &self.active, careful); // step 3
            let leaving = self.most_negative();
            if entering.is_none() && leaving.is_none() {
                return Status::Stalled;
            }
            if report.iterations == limit {
                return Status::MaxIterations;
            }
            report.iterations += 1;
            let entry = match (entering, leaving) {
                (Some(i), _) if careful => self.activate_by_ratio(i),
                (Some(i), _) => self.activate(i),
                (None, Some(at)) => {
                    self.remove(at); // step 4
                    Entry::Done
                }
                (None, None) => Entry::Unclear,
            };
            match entry {
                Entry::Done => {}
                Entry::Contradiction => return Status::Infeasible,
                Entry::Unclear if careful => return Status::Stalled,
                Entry::Unclear => careful = true,
            }
        }
    }

    fn record(&mut self, problem: &FactoredLcp) {
        if self.settings.history {
            self.extract();
            let (residual, _) = problem.assess(&self.trial.z, &mut self.trial.w, &mut self.scratch);
            self.history.push(residual.natural_map);
        }
    }

    /// Writes the impulses into the trial, in the units of the problem.
    fn extract(&mut self) {
        self.trial.z.fill(0.0);
        for (&i, &z) in self.indices.iter().zip(&self.z) {
            self.trial.z[i] = self.rows.impulse(i, z.max(0.0));
        }
    }

    /// Keeps the trial in `x`, with its active contacts, if it is the best so far.
    fn judge(&mut self, problem: &FactoredLcp, x: &mut Solution, report: &mut Report) {
        let (residual, floor) = problem.assess(&self.trial.z, &mut self.trial.w, &mut self.scratch);
        if residual.natural_map < report.residual.natural_map {
            x.z.copy_from_slice(&self.trial.z);
            x.w.copy_from_slice(&self.trial.w);
            self.answer.clear();
            x.z.iter().enumerate().filter(|(_, z)| **z > 0.0).for_each(|(i, _)| self.answer.set(i, true));
            report.residual = residual;
            if residual.certifies(self.settings.tolerance, floor) {
                report.status = Status::Solved;
            }
        }
    }
}

impl Solver<FactoredLcp> for Ppm {
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        let mut report = Report {
            status: Status::NumericalFailure,
            iterations: 0,
            pivots: 0,
            residual: Residual::INFINITE,
            regularization: 0.0,
        };
        self.history.clear();
        self.certificate.clear();
        self.trial.resize(n);
        self.answer.resize(n);
        self.answer.clear();
        let guess = matches!(start, Start::Warm) && x.z.len() == n;
        x.resize(n);
        if problem.check_finite().is_err() {
            x.z.fill(0.0);
            x.w.fill(0.0);
            return report;
        }
        self.trial.z.fill(0.0);
        if guess {
            std::mem::swap(&mut self.trial.z, &mut x.z);
            self.judge(problem, x, &mut report);
            self.trial.z.fill(0.0);
        }
        if report.status == Status::Solved {
            return report;
        }
        if report.residual == Residual::INFINITE {
            x.z.fill(0.0);
            x.w.fill(0.0);
        }
        self.judge(problem, x, &mut report);
        if report.status == Status::Solved {
            return report;
        }
        self.load(problem);
        match start {
            Start::Basis(set) if set.len() == n => self.start_from(set),
            _ => {
                let set = std::mem::take(&mut self.answer);
                self.start_from(&set);
                self.answer = set;
            }
        }
        let end = self.pivot(problem, &mut report);
        report.pivots = self.pivots;
        self.extract();
        self.judge(problem, x, &mut report);
        if report.status != Status::Solved {
            report.status = end;
        }
        report
    }
}
