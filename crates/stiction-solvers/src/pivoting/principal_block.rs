//! The basic solution of a complementary basis, from the original data.
//!
//! # Problem
//! Given a set `a` of indices: `M_aa z_a = -q_a`, `z = 0` elsewhere, `w = M z + q`.
//!
//! # Method
//! 1. Gather the principal block, equilibrated, and factor it ([`Lu`]).
//! 2. Solve for `z_a`.
//! 3. Evaluate `w = M z + q` on the original data: `w_a` is the residual of step 2, the rest is the answer's `w`.
//! 4. While `w_a` exceeds rounding, at most twice: correct `z_a` with the same factors (iterative refinement)
//!    and keep the better of the two.
//!
//! # Convergence and failure
//! Refinement reaches the rounding floor of the data while the block's condition stays below about `1e15`;
//! beyond it the block is reported singular.
//!
//! # Cost
//! `2/3 |a|^3` for the factors, `2 n^2` for every evaluation; usually one evaluation or two.
//!
//! # References
//! N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition 2002, chapter 12.

use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::lu::{Lu, Singular};
use crate::linalg::scaling::power_of_two;
use crate::problem::{ActiveSet, Lcp, Residual, Solution};

/// At most so many corrections: the second one already repeats the first where the block is regular.
const REFINEMENTS: usize = 2;

/// Factors of one principal block, and workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrincipalBlock {
    lu: Lu,
    indices: Vec<usize>,
    /// Row and column scales of the block, powers of two.
    rows: Vec<f64>,
    columns: Vec<f64>,
    step: Vec<f64>,
    kept: Vec<f64>,
}

impl PrincipalBlock {
    /// Sets the time that factorizations may take; one that is cut short is singular.
    pub(crate) fn limit_time(&mut self, budget: Budget) {
        self.lu.budget = budget;
    }

    /// Writes the basic solution of `set` into `x` (length `n`), signs as they come, and evaluates it.
    ///
    /// # Errors
    /// [`Singular`] when the block has no reliable inverse; `x` is then unspecified.
    pub(crate) fn solve(
        &mut self,
        problem: &Lcp,
        set: &ActiveSet,
        x: &mut Solution,
    ) -> Result<(Residual, f64), Singular> {
        self.factor(problem, set)?; // step 1
        x.z.fill(0.0);
        x.w.copy_from_slice(problem.q());
        self.correct(x); // step 2: from z = 0, w = q
        let mut verdict = problem.assess(&x.z, &mut x.w); // step 3
        for _ in 0..REFINEMENTS {
            let error = self.error(x);
            if error * problem.scales().0 <= verdict.1 / 4.0 {
                break;
            }
            self.kept.clear();
            self.kept.extend_from_slice(&x.z);
            self.correct(x); // step 4
            verdict = problem.assess(&x.z, &mut x.w);
            if self.error(x) >= error {
                x.z.copy_from_slice(&self.kept);
                verdict = problem.assess(&x.z, &mut x.w);
                break;
            }
        }
        Ok(verdict)
    }

    /// Reserves the workspace for problems of `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.lu.reserve(n);
        reserve_to(&mut self.indices, n);
        for vector in [&mut self.rows, &mut self.columns, &mut self.step, &mut self.kept] {
            reserve_to(vector, n);
        }
    }

    fn factor(&mut self, problem: &Lcp, set: &ActiveSet) -> Result<(), Singular> {
        self.indices.clear();
        self.indices.extend(set.iter());
        let size = self.indices.len();
        let block = self.lu.matrix_mut(size);
        self.rows.clear();
        self.columns.clear();
        self.columns.resize(size, 0.0);
        if size > 0 {
            for (entries, &i) in block.chunks_exact_mut(size).zip(&self.indices) {
                let row = problem.row(i);
                let mut largest: f64 = 0.0;
                for (entry, &j) in entries.iter_mut().zip(&self.indices) {
                    *entry = row[j];
                    largest = largest.max(row[j].abs());
                }
                let scale = power_of_two(1.0 / largest);
                self.rows.push(scale);
                for (entry, column) in entries.iter_mut().zip(&mut self.columns) {
                    *entry *= scale;
                    *column = column.max(entry.abs());
                }
            }
            for column in &mut self.columns {
                *column = power_of_two(1.0 / *column);
            }
            for entries in block.chunks_exact_mut(size) {
                for (entry, column) in entries.iter_mut().zip(&self.columns) {
                    *entry *= column;
                }
            }
        }
        self.lu.factor()
    }

    /// One Newton step on `w_a = 0`.
    fn correct(&mut self, x: &mut Solution) {
        self.step.clear();
        self.step.extend(self.indices.iter().zip(&self.rows).map(|(&i, scale)| -scale * x.w[i]));
        self.lu.solve(&mut self.step);
        for ((&i, scale), step) in self.indices.iter().zip(&self.columns).zip(&self.step) {
            x.z[i] += scale * step;
        }
    }

    /// Largest `|w_i|` over the block, in the units of `w`; infinite if one is NaN.
    fn error(&self, x: &Solution) -> f64 {
        let sizes = self.indices.iter().map(|&i| x.w[i].abs());
        sizes.fold(0.0, |worst: f64, size| if size.is_nan() { f64::INFINITY } else { worst.max(size) })
    }
}
