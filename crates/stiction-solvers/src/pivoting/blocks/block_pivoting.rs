//! Block principal pivoting: a few exchanges of whole index sets, for starts next to the answer.
//!
//! # Problem
//! `0 <= z  perp  M z + q >= 0`, given a complementary basis (the set `a` of basic `z_i`) expected to be right
//! or nearly so.
//!
//! # Method
//! 1. Solve the principal block of `a` for `z_a`; `w` follows.
//! 2. If no sign is grossly wrong, set negative `z_i` to zero; done when the answer is certified on the original
//!    data.
//! 3. Exchange every index whose sign is wrong: `z_i < 0` leaves `a`, `w_i < 0` enters it.
//! 4. If that gives a set seen before, exchange the least such index only (Murty's rule).
//! 5. Repeat, for a bounded number of rounds.
//!
//! # Convergence and failure
//! For P-matrices the least-index rule alone ends always, and exchanging blocks is fast in practice; for others
//! neither need end, and a block may be singular. The caller then follows Lemke's path from the set with the
//! fewest wrong signs. If `a` is right, no exchange takes place.
//!
//! # Cost
//! One factorization of the block, `2/3 |a|^3`, and `2 n^2` to `6 n^2` operations per round.
//!
//! # References
//! M. M. Kostreva, Block pivot methods for solving the complementarity problem, Linear Algebra and its
//! Applications 21 (1978) 207-215. K. G. Murty, Note on a Bard-type scheme for solving the complementarity
//! problem, Opsearch 11 (1974) 123-130. J. J. Judice, F. M. Pires, A block principal pivoting algorithm for
//! large-scale strictly monotone linear complementarity problems, Computers & Operations Research 21 (1994)
//! 587-596.

use crate::driver;
use crate::linalg::capacity::reserve_to;
use crate::pivoting::blocks::principal_block::PrincipalBlock;
use crate::problem::residual::REASONABLE;
use crate::problem::{ActiveSet, Lcp, Problem, Residual, Solution};

/// A sign is grossly wrong beyond this fraction of the largest `z_i`, or for `w_i` of `(|M||z| + |q|)_i` (of 16
/// times the largest constant if that is less). Below it the certificate decides whether it may be set to zero, which absorbs
/// rounding errors of gaps and of ill-conditioned blocks.
const GROSS: f64 = 1e-6;
/// What is exchanged where the certificate fails: signs wrong beyond this fraction of the tolerance.
const WRONG_SIGN: f64 = 0.25;

/// What the rounds came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Residual and rounding floor of the certified answer, if there is one.
    pub(crate) certified: Option<(Residual, f64)>,
    /// Number of exchanges.
    pub(crate) rounds: usize,
}

/// The current set and the memory of those before.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockPivoting {
    set: ActiveSet,
    best: ActiveSet,
    wrong: Vec<usize>,
    /// Bits of the sets seen, one after the other.
    seen: Vec<u64>,
}

impl BlockPivoting {
    /// Reserves the workspace for problems of `n` unknowns and the given number of rounds.
    pub(crate) fn reserve(&mut self, n: usize, rounds: usize) {
        self.set.reserve(n);
        self.best.reserve(n);
        reserve_to(&mut self.wrong, n);
        reserve_to(&mut self.seen, (rounds + 1) * self.set.words().len().max(n.div_ceil(64)));
    }

    /// The set of the last answer.
    pub(crate) fn set(&self) -> &ActiveSet {
        &self.set
    }

    /// The set with the fewest wrong signs, whose block is regular; the given one if none was.
    pub(crate) fn best(&self) -> &ActiveSet {
        &self.best
    }

    /// Exchanges for at most `rounds` rounds, from `start`; the last basic solution is left in `x`.
    pub(crate) fn run(
        &mut self,
        problem: &Lcp,
        block: &mut PrincipalBlock,
        start: &ActiveSet,
        tolerance: f64,
        rounds: usize,
        x: &mut Solution,
    ) -> Outcome {
        self.set.clone_from(start);
        self.best.clone_from(start);
        self.seen.clear();
        let (mut fewest, mut done) = (usize::MAX, 0);
        // Step 1; a singular block ends the rounds.
        while let Ok((mut residual, mut floor)) = block.solve(problem, &self.set, x) {
            if !residual.certifies(tolerance, floor) && driver::snap(&mut x.z, |_| [0.0, f64::INFINITY]) {
                (residual, floor) = problem.assess(&x.z, &mut x.w);
            }
            let noise = floor.min(Residual::LARGEST_FLOOR);
            self.find_wrong_signs(problem, x, GROSS, noise);
            let gross = !self.wrong.is_empty();
            self.find_wrong_signs(problem, x, WRONG_SIGN * tolerance, noise);
            // A row of which all terms are rounding beside others may be wrong by as much as it is large.
            if !gross || residual.certifies(tolerance, floor) {
                if residual.primal > 0.0 {
                    problem.project(&mut x.z); // step 2
                    (residual, floor) = problem.assess(&x.z, &mut x.w);
                }
                let certified = residual.certifies(tolerance, floor).then_some((residual, floor));
                if certified.is_some() || self.wrong.is_empty() {
                    return Outcome { certified, rounds: done };
                }
            }
            if self.wrong.len() < fewest {
                fewest = self.wrong.len();
                self.best.clone_from(&self.set);
            }
            if done == rounds {
                break;
            }
            self.exchange();
            done += 1;
        }
        Outcome { certified: None, rounds: done }
    }

    /// Collects the indices whose sign is wrong by more than `threshold` and, for `w`, rounding (`noise`) explain.
    fn find_wrong_signs(&mut self, problem: &Lcp, x: &Solution, threshold: f64, noise: f64) {
        let (w_unit, z_unit) = problem.scales();
        let largest = x.z.iter().fold(0.0, |worst: f64, z| worst.max(z.abs()));
        let z_threshold = threshold * largest.min(1.0 / z_unit);
        self.wrong.clear();
        for i in 0..x.z.len() {
            let wrong = if self.set.contains(i) {
                x.z[i] < -z_threshold
            } else {
                let size = || problem.magnitude(i, &x.z).min(REASONABLE / w_unit);
                x.w[i] < 0.0 && x.w[i] < -threshold.max(noise) * size()
            };
            if wrong {
                self.wrong.push(i);
            }
        }
    }

    /// Steps 3 and 4.
    fn exchange(&mut self) {
        self.seen.extend_from_slice(self.set.words());
        for &i in &self.wrong {
            self.set.set(i, !self.set.contains(i));
        }
        if self.is_seen() {
            for &i in &self.wrong[1..] {
                self.set.set(i, !self.set.contains(i));
            }
        }
    }

    fn is_seen(&self) -> bool {
        let words = self.set.words();
        self.seen.chunks_exact(words.len().max(1)).any(|seen| seen == words)
    }
}
