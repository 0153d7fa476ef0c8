//! Step 7, for linear problems: Lemke's path from the point of the box closest to zero.
//!
//! An artificial variable covers all wrong signs there; each row gets as much of it as its unit is beside the largest one.

use super::Path;
use crate::pivoting::face::Face;
use crate::pivoting::tableaus::bounded_tableau::{Line, PathEnd};
use crate::problem::{Bounded, Solution, Status};

/// Step 7: smallest entry of the covering vector (equilibrated).
const SMALLEST_COVER: f64 = 0.1;

impl Path {
    /// Step 7: Lemke's path for boxes.
    pub(super) fn cover_path<P: Bounded>(&mut self, problem: &P, epsilon: f64, x: &mut Solution) -> Status {
        let n = problem.dim();
        self.start.clear();
        self.start.resize(n, 0.0);
        self.here.settle(problem, &mut self.driver.units, &self.start);
        for (i, [lower, upper]) in self.driver.units.bounds.iter().enumerate() {
            let to_lower = self.here.z[i] - lower <= upper - self.here.z[i];
            self.here.faces[i] = match (lower.is_finite(), upper.is_finite()) {
                (false, false) => Face::Free,
                (true, false) => Face::Lower,
                (false, true) => Face::Upper,
                (true, true) if to_lower => Face::Lower,
                (true, true) => Face::Upper,
            };
        }
        if !self.linearize(problem) {
            return Status::NumericalFailure;
        }
        self.set_proximal(epsilon);
        let units = &self.driver.units;
        let largest = (0..n).map(|i| 1.0 / units.value_unit(i)).fold(0.0, f64::max);
        for (i, cover) in self.cover.iter_mut().enumerate() {
            let size = (1.0 / units.value_unit(i) / largest).max(SMALLEST_COVER);
            *cover = match self.here.faces[i] {
                Face::Lower => size,
                Face::Free => 0.0,
                Face::Upper => -size,
            };
        }
        let line = Line {
            matrix: &self.matrix,
            constant: &self.constant,
            cover: &self.cover,
            bounds: &self.driver.units.bounds,
        };
        if self.tableau.start(line, &self.here.faces, 0.0).is_err() {
            return Status::NumericalFailure;
        }
        let mut end = PathEnd::Reached;
        if self.tableau.rise(line.bounds) > 0.0 {
            let (reached, pivots) = self.tableau.follow(line, 0.0, self.settings.pivot_limit(n));
            self.driver.incumbent.pivots += pivots;
            end = reached;
        }
        self.collect(problem);
        if self.finish(problem, x) {
            self.driver.incumbent.regularization = epsilon;
        }
        match end {
            PathEnd::Ray => Status::Ray,
            PathEnd::Limit => Status::MaxIterations,
            PathEnd::Reached | PathEnd::Lost => Status::NumericalFailure,
        }
    }
}
