//! Trying all complementary bases: certain for small problems, whatever the matrix.
//!
//! # Problem
//! `0 <= z  perp  M z + q >= 0`, `M` any square matrix of at most [`EnumerationSettings::largest`] rows.
//!
//! # Method
//! 1. For every subset `a` of the indices, fewest members first: solve `M_aa z_a = -q_a`, `z = 0` elsewhere.
//! 2. Evaluate the answer; the first one certified is returned.
//! 3. If none was, and all principal blocks are regular, there is no solution.
//!
//! # Convergence and failure
//! Every solvable problem whose blocks are regular is solved. Solutions that exist at singular blocks only (of which
//! there is a continuum) may be missed, and then nothing is proved. For step 3 the best answer must fail clearly, by
//! [`CLEARLY`].
//!
//! # Cost
//! `2^n` small LU factorizations: 10 ms at `n = 12`.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992 (SIAM 2009), sections 1.3 (bases)
//! and 3.6 (nondegenerate matrices: finitely many solutions, all basic).

use serde::{Deserialize, Serialize};

use crate::driver::{self, Incumbent, check_limits};
use crate::pivoting::blocks::principal_block::PrincipalBlock;
use crate::problem::{ActiveSet, Lcp, Problem, Report, Solution, Solver, SolverError, Start, Status};

/// Natural map above which an answer is wrong beyond doubt (dimensionless).
pub const CLEARLY: f64 = 1e-6;

/// Settings of [`Enumeration`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnumerationSettings {
    /// Largest natural map (dimensionless) that counts as solved. Default `1e-10`.
    pub tolerance: f64,
    /// Most time of a solve (s); `None`: no limit. When it is over the best answer so far is returned
    /// ([`Status::TimeLimit`]). Default `None`: then nothing depends on a clock.
    pub time_limit: Option<f64>,
    /// Largest number of unknowns, at most 24; larger problems are [`Status::MaxIterations`] at `z = 0`. Default 12.
    pub largest: usize,
}

impl Default for EnumerationSettings {
    fn default() -> EnumerationSettings {
        EnumerationSettings { tolerance: 1e-10, time_limit: None, largest: 12 }
    }
}

impl EnumerationSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SolverError::Setting`] unless `0 <= tolerance < 1` and `largest <= 24`.
    pub fn validate(&self) -> Result<(), SolverError> {
        check_limits(self.tolerance, self.time_limit)?;
        if self.largest > 24 {
            let value = self.largest as f64;
            return Err(SolverError::Setting { name: "largest", value, requirement: "at most 24" });
        }
        Ok(())
    }
}

/// All complementary bases, one after the other; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{Enumeration, EnumerationSettings, Lcp, Solution, Solver, Start, Status};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut x = Solution::default();
/// let mut solver = Enumeration::new(EnumerationSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 4.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    settings: EnumerationSettings,
    block: PrincipalBlock,
    set: ActiveSet,
    trial: Solution,
    incumbent: Incumbent,
}

impl Enumeration {
    /// A solver with the given settings.
    ///
    /// # Errors
    /// [`SolverError::Setting`] when a setting is out of range.
    pub fn new(settings: EnumerationSettings) -> Result<Enumeration, SolverError> {
        settings.validate()?;
        Ok(Enumeration { settings, ..Enumeration::default() })
    }
}

impl Solver<Lcp> for Enumeration {
    /// A guess that is certified is returned; other starts make no difference. `pivots` counts the bases.
    fn solve(&mut self, problem: &Lcp, start: Start, x: &mut Solution) -> Report {
        let n = problem.dim();
        let Enumeration { settings, block, set, trial, incumbent } = self;
        incumbent.open(settings.tolerance);
        incumbent.limit_time(settings.time_limit);
        if problem.check_finite().is_err() {
            return driver::refuse(problem, x);
        }
        if !driver::take_guess(start, n, x) {
            x.z.fill(0.0);
        }
        incumbent.adopt(problem.assess(&x.z, &mut x.w));
        if incumbent.is_certified() || n > settings.largest {
            return incumbent.report(Status::MaxIterations);
        }
        block.reserve(n);
        trial.resize(n);
        set.resize(n);
        let mut all_regular = true;
        for count in 0..=n as u32 {
            for members in (0..1u32 << n).filter(|members| members.count_ones() == count) {
                if incumbent.is_out_of_time() {
                    return incumbent.report(Status::MaxIterations);
                }
                incumbent.pivots += 1;
                (0..n).for_each(|i| set.set(i, members >> i & 1 == 1));
                let Ok(assessment) = block.solve(problem, set, trial) else {
                    all_regular = false;
                    continue;
                };
                incumbent.offer(assessment, trial, x);
                if incumbent.is_certified() {
                    return incumbent.report(Status::Solved);
                }
            }
        }
        let proved = all_regular && incumbent.residual().natural_map > CLEARLY;
        incumbent.report(if proved { Status::Infeasible } else { Status::Stalled })
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.settings.time_limit = seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(m: &[f64], q: &[f64]) -> (Status, Vec<f64>) {
        let problem = Lcp::new(m.to_vec(), q.to_vec()).unwrap();
        let mut x = Solution::default();
        let report =
            Enumeration::new(EnumerationSettings::default()).unwrap().solve(&problem, Start::Cold, &mut x);
        assert_eq!(report.residual, problem.residual(&x));
        (report.status, x.z)
    }

    #[test]
    fn a_bimatrix_game_on_which_lemke_ends_on_a_ray_is_solved() {
        let m = [0.0, 0.0, 10.0, 20.0, 0.0, 0.0, 30.0, 15.0, 10.0, 20.0, 0.0, 0.0, 30.0, 15.0, 0.0, 0.0];
        assert_eq!(solve(&m, &[-1.0; 4]).0, Status::Solved);
    }

    #[test]
    fn absence_of_a_solution_is_proved_where_all_blocks_are_regular_and_only_there() {
        // Feasible for large z2, but w2 = 0 forces z2 < 0.
        assert_eq!(solve(&[-1.0, 1.0, 0.0, 1.0], &[-1.0, 1.0]).0, Status::Infeasible);
        assert_eq!(solve(&[0.0], &[-1.0]).0, Status::Stalled);
        assert_eq!(solve(&[-1.0], &[1.0]), (Status::Solved, vec![0.0]));
    }

    #[test]
    fn a_problem_too_large_to_enumerate_is_returned_at_once() {
        let mut m = vec![0.0; 400];
        (0..20).for_each(|i| m[21 * i] = 1.0);
        assert_eq!(solve(&m, &[-1.0; 20]), (Status::MaxIterations, vec![0.0; 20]));
    }
}
