//! Impulses of least norm, and what follows from them: which rounding is excused, and that nothing creeps.
//!
//! # Least norm
//! A box on four corners has many impulses that do the same. Of those that give the same velocities the one of least norm
//! `sum_c tr(W_cc) / d_c |r_c|^2` over the contacts `c` of `d_c` rows is wanted (`|x|^2` in the units of `normalized`): it is
//! unique where the operator is monotone, continuous in the data, and remembers nothing of earlier steps. Corners that
//! pull at each other would be carried on for ever otherwise. It is found in two steps:
//! 1. Newton's method on Tikhonov's regularization with the weight `eps = 1e-8`, whose answer is that one but for about `eps`;
//! 2. steps back to the problem itself with the factorization there is, which move nothing within the kernel of `W'`.
//!
//! From carried impulses this comes first. After another stage it begins at its answer, and the term `mu |u_t|` of Coulomb's law
//! is held at the velocities of that: what is left is monotone, and its answers are the impulses with the same velocities, from
//! which the least is wanted; under Coulomb's law itself others can be answers with other velocities, and what is held must
//! not fall for them. If Newton's method fails there, it goes along the weights 1e-2, 1e-4, 1e-6 and 1e-8, all in at most 60
//! factorizations. What passes, has less norm and the same velocities is taken. Where a weight fails, the answer is that of the
//! last one (49 problems in 50 reach the least norm to 1e-4, the others are some percent off).
//!
//! Large sparse islands with friction do without where there is no self-stress, that is no impulse a hundred times what the data ask
//! for: it would cost more than the solve.
//!
//! Impulses that press against each other raise the rounding floor as they like. So a floor above 1e-6 excuses only an answer of
//! at most ten times the least norm: after a stage that ends at rounding the search for that one follows at once. The answer with a
//! weight has at most the least norm of those without (while the sliding is held, the problem is monotone), so it shows whether
//! the norm is needed, even where masses 1e8 apart leave no way back from the weight to the problem itself.

use crate::cones::chain::{Chain, POLISH_STEPS, WARM_STEPS};
use crate::cones::newton::damped_newton::{Centre, NewtonEnd, Parameters, length};
use crate::cones::newton::newton_solver::WEIGHT;
use crate::cones::state::Outcome;
use crate::problem::ConeNcp;

/// Factorizations of the search for impulses of less norm.
const SMALLER_BUDGET: usize = 60;

/// Weights of the norm on the way to the least one.
const WEIGHTS: [f64; 4] = [1e-2, 1e-4, 1e-6, WEIGHT];

/// Impulses of at most this many times the least norm are what the data ask for.
const NEEDED: f64 = 10.0;

impl Chain {
    /// From the point of the state to the answer of least norm, with the last factorization of Newton's method where
    /// that is the last.
    pub(super) fn reach_least_norm(&mut self, problem: &ConeNcp) -> Outcome {
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: WARM_STEPS, allowance: 3 };
        match self.regularize(problem, how) {
            NewtonEnd::OutOfBudget => Outcome::OutOfBudget,
            NewtonEnd::Solved(_) if self.proximal.newton.refine(&mut self.state, problem, how) => {
                Outcome::Passed
            }
            _ => Outcome::Exhausted,
        }
    }

    /// Tikhonov's regularization of some weight. The norm of its answer is at most the least norm of the problem.
    fn regularize(&mut self, problem: &ConeNcp, how: Parameters) -> NewtonEnd {
        let end = self.proximal.newton.run(&mut self.state, problem, Centre::Zero, how);
        if matches!(end, NewtonEnd::Solved(_)) {
            self.least_norm = self.least_norm.max(length(&self.state.x));
        }
        end
    }

    /// The same along decreasing weights of the norm.
    fn descend_to_least_norm(&mut self, problem: &ConeNcp) -> Outcome {
        let mut reached = None;
        for eps in WEIGHTS {
            let how = Parameters { eps, rho: 1.0 / (eps * (1.0 + eps)).sqrt(), cap: 15, allowance: 3 };
            match self.regularize(problem, how) {
                NewtonEnd::OutOfBudget => return Outcome::OutOfBudget,
                NewtonEnd::Solved(_) => reached = Some(how),
                _ => break,
            }
        }
        let Some(how) = reached else { return Outcome::Exhausted };
        if self.proximal.newton.refine(&mut self.state, problem, how) {
            return Outcome::Passed;
        }
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: WARM_STEPS, allowance: 1 };
        self.proximal.newton.run(&mut self.state, problem, Centre::Point, how);
        if self.state.prefer_point(problem) { Outcome::Passed } else { Outcome::Exhausted }
    }

    /// From the answer that is set aside to that of least norm with the same velocities.
    fn look_for_least(&mut self, problem: &ConeNcp) -> Outcome {
        let whole = self.state.limit_within(SMALLER_BUDGET);
        self.proximal.newton.hold_sliding(&self.state);
        let mut outcome = self.reach_least_norm(problem);
        if outcome == Outcome::Exhausted {
            self.state.x.copy_from_slice(&self.state.start);
            outcome = self.descend_to_least_norm(problem);
        }
        self.proximal.newton.release_sliding();
        self.state.limit(whole);
        outcome
    }

    /// Of impulses that press against each other the least are those that just hold: the weight makes what they hold creep, and
    /// creeping is an answer too. From slightly larger normal impulses Newton's method finds that it sticks.
    pub(super) fn stop_what_creeps(&mut self, problem: &ConeNcp) {
        if !self.state.is_good() || !self.state.creeps(problem) {
            return;
        }
        let aside = self.state.set_aside(problem);
        self.state.press_what_creeps();
        let how = Parameters { eps: WEIGHT, rho: 1.0, cap: POLISH_STEPS, allowance: 1 };
        self.proximal.newton.run(&mut self.state, problem, Centre::Point, how);
        if !self.state.point_passes(problem) || self.state.creeps(problem) {
            self.state.take_back(aside);
        }
    }

    /// Looks for an answer of less norm and the same velocities.
    pub(super) fn shrink(&mut self, problem: &ConeNcp) {
        if !self.state.is_good() || self.is_least {
            return;
        }
        let aside = self.state.set_aside(problem);
        let outcome = self.look_for_least(problem);
        if outcome != Outcome::Passed || !self.state.is_less_than_aside(problem) {
            self.state.take_back(aside);
        }
    }

    /// Whether the best answer is one up to rounding: if its norm is at most ten times the least, or that of least norm is.
    pub(super) fn settle(&mut self, problem: &ConeNcp) -> bool {
        let aside = self.state.set_aside(problem);
        self.state.excuse_as_least(true);
        self.least_norm = 0.0;
        let outcome = self.look_for_least(problem);
        self.is_least = outcome == Outcome::Passed || self.state.norm_aside() <= NEEDED * self.least_norm;
        self.state.excuse_as_least(self.is_least);
        if outcome != Outcome::Passed {
            self.state.take_back(aside);
        }
        self.is_least && self.state.assess_best()
    }
}
