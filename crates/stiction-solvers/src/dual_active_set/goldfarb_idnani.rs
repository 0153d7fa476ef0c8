//! The dual active-set method of Goldfarb and Idnani for convex quadratic programs.
//!
//! # Problem
//! `min 1/2 v^T G v + g^T v` subject to `E v + e = 0`, `N v + a >= 0` ([`QuadraticProgram`]), `G` positive definite; or
//! the program behind a [`FactoredLcp`]. In coordinates in which `G` is the identity: the `p` of least length with `y_i . p
//! + q_i = 0` or `>= 0`.
//!
//! # Method
//! Kept are the active rows, their multipliers `z_a`, `p = Y_a^T z_a`, an orthogonal `Q`, and `R` with `Y_a^T = Q (R; 0)`.
//! 1. Start from `p = 0` without active rows. Activate the equalities, in order, by steps 3 to 5.
//! 2. Take the row `i` that is violated most. None: `p` is the answer.
//! 3. `(d_1, d_2) = Q^T y_i`, `r = R^-1 d_1`. Raising the multiplier of `i` moves `z_a` along `-r` and `p` along `Q_2 d_2`.
//! 4. The move ends where the row is satisfied, after `-w_i / |d_2|^2`, or where the first multiplier of an inequality
//!    vanishes, the least `z_j / r_j` with `r_j > 0`. If neither happens the rows contradict each other.
//! 5. At the first end `i` becomes active (rotations make `d_2` one number, the new last column of `R`). At the second `j` is
//!    dropped (rotations make `R` triangular again); go to 3.
//! 6. With all rows satisfied, correct `z_a` once by what the active rows are off, and judge the answer.
//!
//! # Convergence and failure
//! Every row that becomes active lets the objective grow, and `p` is the least point for the active rows all along: no active
//! set repeats, and the method ends, degenerate or not. A row that depends on active equalities and contradicts none of
//! them is left out. *Infeasible* comes with multipliers `lambda` (nonnegative for inequalities) for which `Y^T lambda` is
//! rounding and `lambda . q < 0` ([`ActiveSetQp::certificate`]). `Q` stays orthogonal to rounding, whereas the products of
//! rows, which [`Ppm`](crate::dual_active_set::ppm::Ppm) works with, square the condition: this is the method for badly conditioned rows.
//!
//! # Cost
//! `2 n m` for step 2, `2 m^2` for step 3, up to `6 m^2` for a rotation of `Q` in step 5.
//!
//! # References
//! D. Goldfarb, A. Idnani, *A numerically stable dual method for solving strictly convex quadratic programs*, Mathematical
//! Programming 27 (1983) 1-33, section 4.

use serde::{Deserialize, Serialize};

use crate::driver::check_tolerance;
use crate::dual_active_set::normal_rows::NormalRows;
use crate::linalg::capacity::reserve_to;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::dense::dot;
use crate::problem::{
    ActiveSet, FactoredLcp, Problem, QuadraticProgram, Report, Residual, Solution, Solver, SolverError,
    Start, Status,
};

/// A row depends on the active ones if what is across them is shorter than this multiple of `1 + |r|` (rows have length
/// about one): a hundred times the rounding of `Q` at 100 unknowns.
const DEPENDENT: f64 = 1e-11;

/// A component of `r` below this multiple of the largest (or of one) is zero.
const STILL: f64 = 1e-12;

/// Settings of [`ActiveSetQp`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActiveSetQpSettings {
    /// Largest natural map (dimensionless) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most iterations, that is rows taken up. `None`: the larger of 1000 and `50 m`.
    pub max_iterations: Option<usize>,
    /// Whether the natural map is recorded in every iteration, which doubles the cost. Default false.
    pub history: bool,
}

impl Default for ActiveSetQpSettings {
    fn default() -> ActiveSetQpSettings {
        ActiveSetQpSettings { tolerance: 1e-10, max_iterations: None, history: false }
    }
}

/// Goldfarb's and Idnani's method with its workspace; see the [module documentation](self).
///
/// `iterations` of the report counts the rows taken up, `pivots` the changes of the active set.
#[derive(Clone, Debug, Default)]
pub struct ActiveSetQp {
    settings: ActiveSetQpSettings,
    rows: NormalRows,
    /// Active rows in the order of the factor, equalities first, and their multipliers.
    indices: Vec<usize>,
    z: Vec<f64>,
    active: Vec<bool>,
    /// The columns of `Q`, one after the other, and `R^T`.
    basis: Vec<f64>,
    factor: Cholesky,
    p: Vec<f64>,
    d: Vec<f64>,
    r: Vec<f64>,
    answer: ActiveSet,
    trial: Solution,
    scratch: Vec<f64>,
    certificate: Vec<f64>,
    history: Vec<f64>,
    pivots: usize,
}

/// What becomes of a row that is taken up.
enum Entry {
    Active,
    Redundant,
    Contradiction,
    /// Rounding: none of these.
    Unclear,
}

impl ActiveSetQp {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1`.
    pub fn new(settings: ActiveSetQpSettings) -> Result<ActiveSetQp, SolverError> {
        check_tolerance(settings.tolerance)?;
        Ok(ActiveSetQp { settings, ..ActiveSetQp::default() })
    }

    /// The settings.
    pub fn settings(&self) -> &ActiveSetQpSettings {
        &self.settings
    }

    /// The active rows of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.answer
    }

    /// After [`Status::Infeasible`]: the multipliers, one a row, that prove it; otherwise empty.
    pub fn certificate(&self) -> &[f64] {
        &self.certificate
    }

    /// The natural map of each iteration of the last solve, if [`ActiveSetQpSettings::history`] asks for it.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    fn load(&mut self, problem: &FactoredLcp, free: usize) {
        let (n, m) = (problem.dim(), problem.columns());
        self.rows.load(problem, free);
        self.factor.reserve(m + 1);
        self.active.clear();
        self.active.resize(n, false);
        reserve_to(&mut self.indices, m + 1);
        for vector in [&mut self.z, &mut self.d, &mut self.r] {
            reserve_to(vector, m + 1);
        }
        reserve_to(&mut self.scratch, 2 * m);
        reserve_to(&mut self.certificate, n);
        self.reset();
        self.pivots = 0;
    }

    /// No row active, `Q` the identity.
    fn reset(&mut self) {
        let m = self.rows.columns();
        self.indices.clear();
        self.z.clear();
        self.active.fill(false);
        self.factor.clear();
        self.basis.clear();
        self.basis.resize(m * m, 0.0);
        (0..m).for_each(|j| self.basis[j * m + j] = 1.0);
        self.p.clear();
        self.p.resize(m, 0.0);
    }

    /// Step 3. Returns `|d_2|^2`, zero if that is rounding.
    fn resolve(&mut self, i: usize) -> f64 {
        let (m, k) = (self.rows.columns(), self.indices.len());
        let row = self.rows.row(i);
        self.d.clear();
        self.d.extend(self.basis.chunks_exact(m.max(1)).map(|column| dot(column, row)));
        self.r.clear();
        self.r.extend_from_slice(&self.d[..k]);
        self.factor.solve_upper(&mut self.r);
        let across = dot(&self.d[k..], &self.d[k..]);
        let size = 1.0 + dot(&self.r, &self.r).sqrt();
        if across.sqrt() > DEPENDENT * size { across } else { 0.0 }
    }

    /// The place of the first inequality whose multiplier vanishes along `-sign r`, and how far that is.
    fn first_to_vanish(&self, sign: f64) -> Option<(usize, f64)> {
        let size = self.r.iter().fold(1.0, |size: f64, r| size.max(r.abs()));
        let inequality = |at: &usize| self.indices[*at] >= self.rows.free();
        let falling = (0..self.r.len()).filter(inequality).filter(|&at| sign * self.r[at] > STILL * size);
        let ratios = falling.map(|at| (at, self.z[at].max(0.0) / (sign * self.r[at])));
        ratios.min_by(|a, b| a.1.total_cmp(&b.1).then(self.indices[a.0].cmp(&self.indices[b.0])))
    }

    /// Steps 3 to 5 for row `i`. An equality may be violated upwards: then everything moves the other way.
    fn activate(&mut self, i: usize) -> Entry {
        let (w, noise) = self.rows.value(i, &self.p);
        let sign = if w > 0.0 { -1.0 } else { 1.0 };
        let mut own = 0.0;
        loop {
            let across = self.resolve(i);
            let w = self.rows.value(i, &self.p).0;
            let need = if across > 0.0 { (-sign * w / across).max(0.0) } else { f64::INFINITY };
            let vanishing = self.first_to_vanish(sign);
            let step = vanishing.map_or(f64::INFINITY, |(_, length)| length).min(need);
            if step == f64::INFINITY {
                // The multipliers of active rows may not be worth a contradiction of rounding.
                let redundant = i < self.rows.free() && w.abs() <= noise.max(1e-10);
                return if redundant { Entry::Redundant } else { self.contradiction(i, sign) };
            }
            own += sign * step;
            self.z.iter_mut().zip(&self.r).for_each(|(z, r)| *z -= sign * step * r);
            if across > 0.0 {
                let m = self.rows.columns();
                for (column, d) in self.basis.chunks_exact(m).zip(&self.d).skip(self.indices.len()) {
                    self.p.iter_mut().zip(column).for_each(|(p, q)| *p += sign * step * d * q);
                }
            }
            match vanishing {
                Some((at, length)) if length < need => self.drop(at),
                _ => {
                    self.append(i, own);
                    return Entry::Active;
                }
            }
        }
    }

    /// Row `i`, just [resolved](ActiveSetQp::resolve), becomes active.
    fn append(&mut self, i: usize, z: f64) {
        let (m, k) = (self.rows.columns(), self.indices.len());
        for j in (k..m - 1).rev() {
            let [a, b] = [self.d[j], self.d[j + 1]];
            let length = (a * a + b * b).sqrt();
            if b != 0.0 && length > 0.0 {
                rotate(&mut self.basis, m, j, [a / length, b / length]);
                self.d[j] = length;
            }
        }
        // The last number is a length unless no rotation touched it.
        if self.d[k] < 0.0 {
            self.d[k] = -self.d[k];
            self.basis[k * m..(k + 1) * m].iter_mut().for_each(|q| *q = -*q);
        }
        self.factor.push(&self.d);
        self.indices.push(i);
        self.z.push(z);
        self.active[i] = true;
        self.pivots += 1;
    }

    fn drop(&mut self, at: usize) {
        let m = self.rows.columns();
        for (j, rotation) in (at..).zip(self.factor.remove(at)) {
            rotate(&mut self.basis, m, j, *rotation);
        }
        let i = self.indices.remove(at);
        self.z.remove(at);
        self.active[i] = false;
        self.pivots += 1;
    }

    /// Row `i` moves nothing, and no multiplier stops its own: `y_i = sum_j r_j y_j`.
    fn contradiction(&mut self, i: usize, sign: f64) -> Entry {
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

    /// The equalities, then the rows of a known set that do not depend on others, then the multipliers that belong to
    /// them; those of inequalities that are negative leave.
    fn start_from(&mut self, set: &ActiveSet) {
        let inequalities = self.rows.free()..self.rows.len();
        for i in set.iter().filter(|i| inequalities.contains(i)) {
            if self.indices.len() < self.rows.columns() && self.resolve(i) > 0.0 {
                self.append(i, 0.0);
            }
        }
        self.correct();
        self.correct();
        while let Some(at) = self.most_negative() {
            self.drop(at);
            self.correct();
        }
        self.pivots = 0;
    }

    fn most_negative(&self) -> Option<usize> {
        let size = self.z.iter().fold(0.0, |size: f64, z| size.max(z.abs()));
        let inequality = |at: &usize| self.indices[*at] >= self.rows.free();
        let negative = (0..self.z.len()).filter(inequality).filter(|&at| self.z[at] < -STILL * size);
        negative.min_by(|&a, &b| self.z[a].total_cmp(&self.z[b]))
    }

    /// Step 6: corrects the multipliers by what the active rows are off, and `p` with them.
    fn correct(&mut self) {
        self.push();
        self.r.clear();
        self.r.extend(self.indices.iter().map(|&i| self.rows.value(i, &self.p).0));
        self.factor.solve(&mut self.r);
        self.z.iter_mut().zip(&self.r).for_each(|(z, r)| *z -= r);
        self.push();
    }

    fn push(&mut self) {
        self.p.fill(0.0);
        for (&i, z) in self.indices.iter().zip(&self.z) {
            self.rows.push(i, *z, &mut self.p);
        }
    }

    /// Steps 1 to 6. Returns what the end says of the problem, should the answer not be certified.
    fn iterate(&mut self, problem: &FactoredLcp, set: &ActiveSet, report: &mut Report) -> Status {
        let limit = self.settings.max_iterations.unwrap_or_else(|| (50 * self.rows.columns()).max(1000));
        let mut doubtful = false;
        for i in 0..self.rows.free() {
            match self.activate(i) {
                Entry::Active | Entry::Redundant => {}
                Entry::Contradiction => return Status::Infeasible,
                Entry::Unclear => doubtful = true,
            }
        }
        if set.count() > 0 {
            self.start_from(set);
        }
        self.record(problem);
        while let Some(i) = self.rows.most_violated(&self.p, &self.active, false) {
            if report.iterations == limit {
                return Status::MaxIterations;
            }
            report.iterations += 1;
            match self.activate(i) {
                Entry::Active => {}
                Entry::Contradiction => return Status::Infeasible,
                Entry::Redundant | Entry::Unclear => {
                    // Given up: most_violated passes over it from now on.
                    self.active[i] = true;
                    doubtful = true;
                }
            }
            self.record(problem);
        }
        self.correct();
        if doubtful { Status::NumericalFailure } else { Status::Stalled }
    }

    fn record(&mut self, problem: &FactoredLcp) {
        if self.settings.history {
            self.extract();
            let free = self.rows.free();
            let (residual, _) = problem.judge_into(free, &self.trial.z, &mut self.trial.w, &mut self.scratch);
            self.history.push(residual.natural_map);
        }
    }

    fn extract(&mut self) {
        self.trial.z.fill(0.0);
        for (&i, &z) in self.indices.iter().zip(&self.z) {
            let z = if i < self.rows.free() { z } else { z.max(0.0) };
            self.trial.z[i] = self.rows.impulse(i, z);
        }
    }

    /// Keeps the trial in `x`, with its active rows, if it is the best so far.
    fn judge(&mut self, problem: &FactoredLcp, free: usize, x: &mut Solution, report: &mut Report) {
        let (residual, floor) = problem.judge_into(free, &self.trial.z, &mut self.trial.w, &mut self.scratch);
        if residual.natural_map < report.residual.natural_map {
            x.z.copy_from_slice(&self.trial.z);
            x.w.copy_from_slice(&self.trial.w);
            self.answer.clear();
            x.z.iter().enumerate().filter(|(_, z)| **z != 0.0).for_each(|(i, _)| self.answer.set(i, true));
            report.residual = residual;
            if residual.certifies(self.settings.tolerance, floor) {
                report.status = Status::Solved;
            }
        }
    }

    fn run(&mut self, problem: &FactoredLcp, free: usize, start: Start, x: &mut Solution) -> Report {
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
            self.judge(problem, free, x, &mut report);
            self.trial.z.fill(0.0);
        }
        if report.status == Status::Solved {
            return report;
        }
        if report.residual == Residual::INFINITE {
            x.z.fill(0.0);
            x.w.fill(0.0);
        }
        self.judge(problem, free, x, &mut report);
        if report.status == Status::Solved {
            return report;
        }
        self.load(problem, free);
        let own = std::mem::take(&mut self.answer);
        let end = match start {
            Start::Basis(set) if set.len() == n => self.iterate(problem, set, &mut report),
            _ => self.iterate(problem, &own, &mut report),
        };
        self.answer = own;
        report.pivots = self.pivots;
        self.extract();
        self.judge(problem, free, x, &mut report);
        if report.status != Status::Solved {
            report.status = end;
        }
        report
    }
}

/// Columns `j` and `j + 1` of `Q` become `c x + s y` and `c y - s x`.
fn rotate(basis: &mut [f64], m: usize, j: usize, [c, s]: [f64; 2]) {
    let (left, right) = basis[j * m..(j + 2) * m].split_at_mut(m);
    for (x, y) in left.iter_mut().zip(right) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

impl Solver<FactoredLcp> for ActiveSetQp {
    fn solve(&mut self, problem: &FactoredLcp, start: Start, x: &mut Solution) -> Report {
        self.run(problem, 0, start, x)
    }
}

impl Solver<QuadraticProgram> for ActiveSetQp {
    fn solve(&mut self, problem: &QuadraticProgram, start: Start, x: &mut Solution) -> Report {
        self.run(problem.dual(), problem.equalities(), start, x)
    }
}
