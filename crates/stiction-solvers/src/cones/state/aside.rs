//! An answer that is set aside while a better one is looked for, and what makes one better: less norm with the same velocities,
//! and no contact that creeps. See `chain/least_norm.rs`.

use crate::cones::newton::damped_newton::length;
use crate::cones::normalized::{Cell, Law};
use crate::cones::state::State;
use crate::linalg::dense::largest_abs;
use crate::problem::cones::cone::tangent_norm;
use crate::problem::{ConeNcp, Residual};

/// How good the best answer was when it was set aside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aside {
    least: f64,
    floor: f64,
    passed: bool,
    good: bool,
}

/// Velocities are the same to this part of the largest free one.
const ALIKE: f64 = 1e-6;

/// Sliding up to this part of the largest free velocity, and friction within this part of its bound, may be sticking.
const CREEP: f64 = 1e-6;

/// Sliding up to this part of the largest free velocity is rounding.
const STILL: f64 = 1e-14;

fn creeping(cell: &Cell, x: &[f64], y: &[f64]) -> bool {
    let Law::Coulomb { mu } = cell.law else { return false };
    let sliding = tangent_norm(&y[cell.rows()]);
    let bound = mu * x[cell.row];
    sliding > STILL
        && sliding <= CREEP
        && tangent_norm(&x[cell.rows()]) >= (1.0 - CREEP) * bound
        && bound > 0.0
}

/// A square norm is less by more than this part.
const LESS: f64 = 1e-9;

/// Impulses of so many times the largest constant press against each other: no stack is as high.
const SELF_STRESS: f64 = 100.0;

impl State {
    /// Whether an impulse of the best answer is far beyond what the data ask for.
    pub(crate) fn has_self_stress(&self) -> bool {
        let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        largest(&self.best) > SELF_STRESS * largest(&self.problem.q)
    }

    /// Whether the natural map of the best answer is all rounding, more of it than excuses an answer of any norm, but not than
    /// excuses that of least norm.
    pub(crate) fn needs_least_norm(&self) -> bool {
        self.least <= (0.9 * self.tolerance).max(0.5 * self.least_floor)
            && (Residual::LARGEST_FLOOR..=Residual::LARGEST_FLOOR_OF_LEAST_NORM).contains(&self.least_floor)
    }

    /// Whether answers may be excused as the one of least norm is.
    pub(crate) fn excuse_as_least(&mut self, least: bool) {
        self.incumbent.largest_floor =
            if least { Residual::LARGEST_FLOOR_OF_LEAST_NORM } else { Residual::LARGEST_FLOOR };
    }

    /// Sets the best answer aside, where the start was, goes there, and lets methods look for a better one. Returns how good
    /// it is.
    pub(crate) fn set_aside(&mut self, problem: &ConeNcp) -> Aside {
        self.start.copy_from_slice(&self.best);
        self.return_to_best();
        self.problem.velocity(problem, &self.x, &mut self.y, &mut self.size);
        self.velocity_aside.copy_from_slice(&self.y);
        self.rounding_aside = f64::EPSILON * self.size.iter().fold(0.0, |most: f64, size| most.max(*size));
        let aside =
            Aside { least: self.least, floor: self.least_floor, passed: self.passed, good: self.good };
        (self.least, self.least_floor) = (f64::INFINITY, 0.0);
        (self.passed, self.good) = (false, false);
        self.forget();
        aside
    }

    /// Sliding velocities of the answer that was set aside below this are rounding.
    pub(crate) fn sliding_in_doubt(&self) -> f64 {
        64.0 * self.rounding_aside
    }

    /// Whether the point itself passes the target, whatever the best answer does.
    pub(crate) fn point_passes(&mut self, problem: &ConeNcp) -> bool {
        self.look(problem);
        self.passes(self.natural_map.0, self.target, self.natural_map.1)
    }

    /// Makes the point the best answer if it is within the tolerance, though another may have a smaller natural map.
    pub(crate) fn prefer_point(&mut self, problem: &ConeNcp) -> bool {
        self.passed = self.point_passes(problem);
        let (e, floor) = self.natural_map;
        self.good = self.passes(e, self.tolerance, floor);
        if self.good {
            self.best.copy_from_slice(&self.x);
            (self.least, self.least_floor) = (e, floor);
        }
        self.good
    }

    /// Whether the best answer has less norm than the one that was set aside, and the same velocities.
    pub(crate) fn is_less_than_aside(&mut self, problem: &ConeNcp) -> bool {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        if square(&self.best) >= (1.0 - LESS) * square(&self.start) {
            return false;
        }
        self.return_to_best();
        self.look(problem);
        let apart = self.y.iter().zip(&self.velocity_aside).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max) <= ALIKE * largest_abs(&self.problem.q) + self.sliding_in_doubt()
    }

    /// Whether a contact of the best answer slides at no more than a weight of the norm makes of sticking.
    pub(crate) fn creeps(&mut self, problem: &ConeNcp) -> bool {
        self.return_to_best();
        self.look(problem);
        let (x, y) = (&self.x, &self.y);
        self.problem.cells.iter().any(|cell| creeping(cell, x, y))
    }

    /// Presses the contacts of the point that creep a little more.
    pub(crate) fn press_what_creeps(&mut self) {
        for cell in &self.problem.cells {
            if creeping(cell, &self.x, &self.y) {
                self.x[cell.row] *= 1.0 + 2.0 * CREEP;
            }
        }
        self.forget();
    }

    /// Norm of the answer that was set aside.
    pub(crate) fn norm_aside(&self) -> f64 {
        length(&self.start)
    }

    /// Whether the best answer passes by what is excused now.
    pub(crate) fn assess_best(&mut self) -> bool {
        self.passed = self.passes(self.least, self.target, self.least_floor);
        self.good = self.passes(self.least, self.tolerance, self.least_floor);
        self.good
    }

    /// Makes the answer that was set aside the best again.
    pub(crate) fn take_back(&mut self, aside: Aside) {
        self.best.copy_from_slice(&self.start);
        (self.least, self.least_floor) = (aside.least, aside.floor);
        (self.passed, self.good) = (aside.passed, aside.good);
        self.forget();
    }
}
