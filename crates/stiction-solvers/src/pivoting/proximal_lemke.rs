//! Proximal-point steps around Lemke's method, for problems whose solution is not unique.
//!
//! # Problem
//! `0 <= z  perp  M z + q >= 0` where some unknowns (contact impulses, say) are redundant: `M` is singular on them, and
//! many `z` give the same `w`. Lemke's method ends at a vertex of the solution set. A vertex carries a box on as few
//! corners as can hold it, maybe two across a face, a basis that the next rounding error makes wrong, and it jumps
//! when the data change a little.
//!
//! # Method
//! 1. Take the centre `c` (the last step's impulses, or zero), the basis to start from, and a small `eps`.
//! 2. Solve the problem with `M + eps D` and `q - eps D c`, where `D` selects the redundant unknowns, by Lemke's
//!    method from the basis.
//! 3. Evaluate the answer on the original data; keep the best.
//! 4. Stop at the rounding floor, or below the tolerance when a step no longer halves the residual.
//! 5. Otherwise the answer and its basis are the next centre and start; go to 2. If the step failed, raise `eps`.
//! 6. Without success solve the original problem from scratch, and return the better answer.
//!
//! # Convergence and failure
//! For a monotone problem the centres converge to a solution from every start and every `eps > 0` (Rockafellar), with
//! a factor `eps / (eps + g)` per step along an eigenvalue `g` of `M`; there is no bias, unlike with a fixed
//! regularisation, since the centre moves along. From zero the answer is nearly the least-norm one, from a last answer
//! nearly the closest one. Friction makes the problem non-monotone; there it is a heuristic, and step 6 what remains.
//!
//! # Cost
//! One basis start (see [`crate::pivoting::lemke`]) per step. One step suffices when nothing changes; two or three do otherwise.
//!
//! # References
//! R. T. Rockafellar, *Monotone operators and the proximal point algorithm*, SIAM Journal on Control and Optimization
//! 14 (1976) 877-898, theorems 1 and 2.

use crate::driver::{self, Incumbent, check_between, check_limits};
use crate::linalg::scaling::power_of_two;
use crate::pivoting::lemke::{Lemke, LemkeSettings};
use crate::problem::{
    ActiveSet, HistoryEntry, Lcp, Problem, Report, Solution, Solver, SolverError, Start, Status,
};
use serde::{Deserialize, Serialize};

/// Lemke's method works to this part of the tolerance, so that its own slack does not decide.
const INNER: f64 = 0.01;

/// A failed step raises `eps` by this factor, up to [`LARGEST`]: better conditioned, but slower.
const RAISE: f64 = 100.0;

/// Beyond this the steps would take hundreds to converge.
const LARGEST: f64 = 1e-2;

/// Residual at which the steps end, if the rounding floor is lower still.
const ROUND_OFF: f64 = 1e-13;

/// Settings of [`ProximalLemke`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProximalSettings {
    /// Largest natural map (dimensionless) that counts as solved, on the original data. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// First proximal term, relative to a matrix of unit diagonal. Default `1e-8`: with a contact problem at mass
    /// ratio 1e6 the smallest eigenvalue that matters is 1e-6, and three steps gain six digits, while the block that
    /// is factored keeps eight digits for the spread of redundant unknowns.
    pub epsilon: f64,
    /// Most proximal steps. Default 30.
    pub steps: usize,
    /// Whether to keep the natural map after every proximal step for [`ProximalLemke::history`]. Default false.
    pub history: bool,
}

impl Default for ProximalSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10, time_limit: None, epsilon: 1e-8, steps: 30, history: false }
    }
}

/// Proximal-point steps around Lemke's method with their workspace; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{Lcp, ProximalLemke, ProximalSettings, Solution, Solver, Start, Status};
/// // One load on two redundant contacts: the answer is the one of least norm.
/// let problem = Lcp::new(vec![1.0; 4], vec![-1.0; 2])?;
/// let mut solver = ProximalLemke::new(ProximalSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(Solver::solve(&mut solver, &problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 0.5).abs() < 1e-7 && (x.z[1] - 0.5).abs() < 1e-7);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProximalLemke {
    settings: ProximalSettings,
    lemke: Lemke,
    incumbent: Incumbent,
    /// Diagonal and right-hand side of the original problem, while the proximal ones are in place.
    diagonal: Vec<f64>,
    offset: Vec<f64>,
    center: Vec<f64>,
    trial: Solution,
    /// The basis to start from, and that of the best answer.
    basis: ActiveSet,
    answer: ActiveSet,
    /// Any problem made fit for [`ProximalLemke::solve`]: scaled, with the units of unknowns and of `q`.
    scaled: Lcp,
    units: Vec<f64>,
    q_unit: f64,
    redundant: Vec<bool>,
    guess: Vec<f64>,
    guessed: ActiveSet,
}

impl ProximalLemke {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: ProximalSettings) -> Result<Self, SolverError> {
        check_between("epsilon", settings.epsilon, [0.0, LARGEST], "positive and below 0.01")?;
        check_limits(settings.tolerance, settings.time_limit)?;
        let inner = LemkeSettings { tolerance: INNER * settings.tolerance, ..Default::default() };
        Ok(Self { settings, lemke: Lemke::new(inner)?, ..Self::default() })
    }

    /// The basis of the last answer, to start the next solve from.
    pub fn active_set(&self) -> &ActiveSet {
        &self.answer
    }

    /// The convergence history of the last solve, in the scaled problem; see [`Report`].
    pub fn history(&self) -> &[HistoryEntry] {
        self.incumbent.history()
    }

    /// Solves a problem whose diagonal is about 1 where `redundant` is true; `center` is the guess of `z` and `basis`
    /// that of the basic unknowns, all of the problem's dimension (otherwise they count as empty). The problem is
    /// changed while the solver works and is as before when it returns.
    pub fn solve(
        &mut self,
        problem: &mut Lcp,
        redundant: &[bool],
        center: &[f64],
        basis: &ActiveSet,
        x: &mut Solution,
    ) -> Report {
        let n = problem.dim();
        self.center.clear();
        self.center.extend_from_slice(if center.len() == n { center } else { &[] });
        self.center.resize(n, 0.0);
        self.basis.clone_from(basis);
        self.basis.resize(n);
        x.resize(n);
        x.z.fill(0.0);
        x.w.fill(0.0);
        self.incumbent.open(self.settings.tolerance);
        self.incumbent.limit_time(self.settings.time_limit);
        self.incumbent.keep_history(self.settings.history, self.settings.steps);
        let mut end = self.proximal_steps(problem, redundant, x);
        if !self.incumbent.is_certified() && !self.incumbent.is_out_of_time() {
            end = self.solve_cold(problem, x).unwrap_or(end); // step 6
        }
        self.incumbent.report(end)
    }

    /// Steps 2 to 5. Returns the status of an answer that is not certified.
    fn proximal_steps(&mut self, problem: &mut Lcp, redundant: &[bool], x: &mut Solution) -> Status {
        let n = problem.dim();
        self.diagonal.clear();
        self.diagonal.extend((0..n).map(|i| problem.row(i)[i]));
        self.offset.clear();
        self.offset.extend_from_slice(problem.q());
        let mut status = Status::Stalled;
        let mut epsilon = self.settings.epsilon;
        for _ in 0..self.settings.steps {
            if self.incumbent.is_out_of_time() {
                break;
            }
            self.install_term(problem, redundant, epsilon);
            self.lemke.limit_time(self.incumbent.budget().left());
            let step = self.lemke.solve(problem, Start::Basis(&self.basis), &mut self.trial);
            self.remove_term(problem);
            self.incumbent.add_work(&step);

            let (residual, floor) = problem.assess(&self.trial.z, &mut self.trial.w);
            // Within an adapter the iterate is not one of the problem that is watched.
            self.incumbent.record(residual.natural_map, &[]);
            let solved = step.status == Status::Solved;
            let gain = residual.natural_map / self.incumbent.residual().natural_map;
            let better = self.incumbent.offer((residual, floor), &self.trial, x);
            if solved || better {
                self.basis.clone_from(self.lemke.active_set());
                self.center.clone_from(&self.trial.z);
            }
            if better {
                self.answer.clone_from(&self.basis);
            }
            if self.incumbent.is_certified() {
                if residual.natural_map <= floor.max(ROUND_OFF) || gain > 0.5 || !solved {
                    break;
                }
            } else if !solved {
                status = step.status;
                epsilon *= RAISE;
                if epsilon > LARGEST {
                    break;
                }
            }
        }
        status
    }

    /// Step 6. If this answer is the better one, returns its status, should it not be certified.
    fn solve_cold(&mut self, problem: &Lcp, x: &mut Solution) -> Option<Status> {
        self.lemke.limit_time(self.incumbent.budget().left());
        let cold = self.lemke.solve(problem, Start::Cold, &mut self.trial);
        self.incumbent.add_work(&cold);
        let assessment = problem.assess(&self.trial.z, &mut self.trial.w);
        let better = self.incumbent.offer(assessment, &self.trial, x);
        if better {
            self.answer.clone_from(self.lemke.active_set());
            self.incumbent.regularization = cold.regularization;
        }
        better.then_some(cold.status)
    }

    /// Writes the problem with symmetrically scaled rows and columns, a positive diagonal near 1, into `self.scaled`.
    fn scale(&mut self, problem: &Lcp) {
        let n = problem.dim();
        self.units.clear();
        self.units.extend(
            (0..n)
                .map(|i| problem.row(i)[i])
                .map(|d| if d > 0.0 { power_of_two(1.0 / d.sqrt()) } else { 1.0 }),
        );
        self.redundant.clear();
        self.redundant.extend((0..n).map(|i| problem.row(i)[i] > 0.0));
        let largest = (0..n).fold(0.0, |worst: f64, i| worst.max((problem.q()[i] * self.units[i]).abs()));
        self.q_unit = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        self.scaled.resize(n);
        for i in 0..n {
            let row = &mut self.scaled.matrix_mut()[i * n..(i + 1) * n];
            for (j, (to, from)) in row.iter_mut().zip(problem.row(i)).enumerate() {
                *to = from * self.units[i] * self.units[j];
            }
            self.scaled.q_mut()[i] = problem.q()[i] * self.units[i] / self.q_unit;
        }
    }

    fn install_term(&self, problem: &mut Lcp, redundant: &[bool], epsilon: f64) {
        let n = self.offset.len();
        for (i, _) in redundant.iter().take(n).enumerate().filter(|(_, redundant)| **redundant) {
            problem.matrix_mut()[i * n + i] = self.diagonal[i] + epsilon;
            problem.q_mut()[i] = self.offset[i] - epsilon * self.center[i];
        }
    }

    fn remove_term(&self, problem: &mut Lcp) {
        let n = self.offset.len();
        for (i, diagonal) in self.diagonal.iter().enumerate() {
            problem.matrix_mut()[i * n + i] = *diagonal;
        }
        problem.q_mut().copy_from_slice(&self.offset);
    }
}

/// Any problem, scaled; unknowns with a positive diagonal count as redundant. The centre is the solution passed in for
/// [`Start::Warm`], zero otherwise.
impl Solver<Lcp> for ProximalLemke {
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        self.incumbent.open(self.settings.tolerance);
        if problem.check_finite().is_err() {
            return driver::refuse(problem, x);
        }
        let mut center = std::mem::take(&mut self.guess);
        let mut basis = std::mem::take(&mut self.guessed);
        center.clear();
        basis.resize(n);
        basis.clear();
        self.scale(problem);
        if driver::take_guess(start, n, x) {
            center.extend(x.z.iter().zip(&self.units).map(|(z, unit)| z / (unit * self.q_unit)));
            center.iter().enumerate().for_each(|(i, z)| basis.set(i, *z > 0.0));
            self.incumbent.adopt(problem.assess(&x.z, &mut x.w));
        } else if let Some(set) = driver::basis(start, n) {
            basis.clone_from(set);
        }
        let end = if self.incumbent.is_certified() {
            self.answer.clone_from(&basis);
            Status::Solved
        } else {
            let mut scaled = std::mem::take(&mut self.scaled);
            let redundant = std::mem::take(&mut self.redundant);
            let report = ProximalLemke::solve(self, &mut scaled, &redundant, &center, &basis, x);
            (self.scaled, self.redundant) = (scaled, redundant);
            x.z.iter_mut().zip(&self.units).for_each(|(z, unit)| *z *= unit * self.q_unit);
            self.incumbent.adopt(problem.assess(&x.z, &mut x.w));
            report.status
        };
        (self.guess, self.guessed) = (center, basis);
        self.incumbent.report(end)
    }

    fn history(&self) -> &[HistoryEntry] {
        self.history()
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate of weight 1 on four corners, normals only: eigenvalues 0, 4, 6 and 6.
    fn plate() -> Lcp {
        let m = [4.0, 1.0, 1.0, -2.0, 1.0, 4.0, -2.0, 1.0, 1.0, -2.0, 4.0, 1.0, -2.0, 1.0, 1.0, 4.0];
        Lcp::new(m.map(|v| v / 4.0).to_vec(), vec![-1.0; 4]).unwrap()
    }

    #[test]
    fn from_zero_the_answer_is_the_least_norm_one() {
        let mut solver = ProximalLemke::new(ProximalSettings::default()).unwrap();
        let mut problem = plate();
        let before = problem.clone();
        let mut x = Solution::default();
        let report = solver.solve(&mut problem, &[true; 4], &[], &ActiveSet::default(), &mut x);
        assert_eq!(report.status, Status::Solved);
        assert!(x.z.iter().all(|z| (z - 1.0).abs() < 1e-7), "{:?}", x.z);
        assert_eq!(problem, before);
    }

    #[test]
    fn from_a_solution_the_answer_is_that_solution() {
        let mut solver = ProximalLemke::new(ProximalSettings::default()).unwrap();
        // The null vector is (1, -1, -1, 1).
        let center = [1.3, 0.7, 0.7, 1.3];
        let mut basis = ActiveSet::new(4);
        (0..4).for_each(|i| basis.set(i, true));
        let mut x = Solution::default();
        let report = solver.solve(&mut plate(), &[true; 4], &center, &basis, &mut x);
        assert_eq!((report.status, report.pivots), (Status::Solved, 0));
        assert!(x.z.iter().zip(&center).all(|(z, c)| (z - c).abs() < 1e-7), "{:?}", x.z);
        assert!(report.residual.natural_map < 1e-14);
    }

    #[test]
    fn an_unsolvable_problem_is_never_called_solved() {
        let mut solver = ProximalLemke::new(ProximalSettings::default()).unwrap();
        let mut problem = Lcp::new(vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -1.0]).unwrap();
        let mut x = Solution::default();
        let report = solver.solve(&mut problem, &[true; 2], &[], &ActiveSet::default(), &mut x);
        assert_ne!(report.status, Status::Solved);
        assert!(x.z.len() == 2 && x.z.iter().all(|z| z.is_finite()));
    }

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let error = ProximalLemke::new(ProximalSettings { epsilon: 0.0, ..Default::default() }).unwrap_err();
        assert!(error.to_string().contains("epsilon"), "{error}");
        assert!(ProximalLemke::new(ProximalSettings { tolerance: f64::NAN, ..Default::default() }).is_err());
    }
}
