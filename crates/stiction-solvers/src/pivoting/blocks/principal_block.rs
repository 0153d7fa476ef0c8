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
use crate::problem::residual::part;
use crate::problem::{ActiveSet, Lcp, Residual, Solution};

/// At most so many corrections: the second one already repeats the first where the block is regular.
const REFINEMENTS: usize = 2;

/// A correction that multiplies the largest error by more than this is taken back, unless it helps the small equations.
const DIVERGED: f64 = 2.0;

/// An equation left so much of the size of its terms is solved.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

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
        let (mut verdict, mut error) = evaluate(problem, set, x); // step 3
        for _ in 0..REFINEMENTS {
            if error.of_terms <= ROUND_OFF {
                break;
            }
            self.kept.clear();
            self.kept.extend_from_slice(&x.z);
            self.correct(x); // step 4
            let before = error;
            (verdict, error) = evaluate(problem, set, x);
            if error.of_terms >= before.of_terms && error.largest > DIVERGED * before.largest {
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
}

/// What is left of the equations of the block; infinite if one is NaN.
#[derive(Clone, Copy, Default)]
struct Error {
    /// Largest `|w_i|`.
    largest: f64,
    /// Largest `|w_i|` beside the terms that make it.
    of_terms: f64,
}

/// Evaluates `x.z`.
fn evaluate(problem: &Lcp, set: &ActiveSet, x: &mut Solution) -> ((Residual, f64), Error) {
    let Solution { z, w } = x;
    let mut error = Error::default();
    let verdict = problem.assess_rows(z, |i, value, size| {
        w[i] = value;
        if set.contains(i) {
            let finite = |number: f64| if number.is_nan() { f64::INFINITY } else { number };
            error.largest = error.largest.max(finite(value.abs()));
            error.of_terms = error.of_terms.max(finite(part(value, size)));
        }
    });
    (verdict, error)
}
