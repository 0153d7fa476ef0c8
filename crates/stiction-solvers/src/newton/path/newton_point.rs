//! Steps 2 and 3: the linear model at a point, and the path to its solution.

use super::point::Point;
use super::{Path, SHORTEST};
use crate::linalg::dense::dot;
use crate::pivoting::tableaus::bounded_tableau::{Line, PathEnd};
use crate::problem::Bounded;

/// Step 3: the proximal terms tried, relative to a matrix of unit diagonal.
const PROXIMAL: [f64; 4] = [1e-8, 1e-6, 1e-4, 1e-2];

impl Path {
    /// Steps 2 and 3: the Newton point of `here` in `there`, or as far as its path goes.
    pub(super) fn newton_point<P: Bounded>(&mut self, problem: &P) -> PathEnd {
        if self.linearize(problem) { self.end_of_path(problem) } else { PathEnd::Lost }
    }

    /// The same for a linear model that is there.
    pub(super) fn end_of_path<P: Bounded>(&mut self, problem: &P) -> PathEnd {
        let mut end = self.trace(problem, 0.0);
        for epsilon in PROXIMAL {
            let far = self.tableau.lowest() < 1.0 - SHORTEST;
            if end == PathEnd::Reached || far || self.driver.incumbent.is_out_of_time() {
                break;
            }
            self.set_proximal(epsilon);
            end = self.trace(problem, 0.0);
        }
        end
    }

    /// The linear model at `here`.
    pub(super) fn linearize<P: Bounded>(&mut self, problem: &P) -> bool {
        let n = self.here.z.len();
        self.matrix.resize(n * n, 0.0);
        self.proximal = 0.0;
        if !self.driver.units.jacobian(problem, &self.here.z, &mut self.matrix) {
            return false;
        }
        self.constant.clear();
        self.cover.clear();
        for i in 0..n {
            self.constant.push(self.here.w[i] - dot(&self.matrix[i * n..(i + 1) * n], &self.here.z));
            self.cover.push(self.here.s[i] - self.here.w[i]);
        }
        true
    }

    pub(super) fn set_proximal(&mut self, epsilon: f64) {
        let n = self.here.z.len();
        for i in 0..n {
            self.matrix[i * n + i] += epsilon - self.proximal;
            self.constant[i] -= (epsilon - self.proximal) * self.here.z[i];
        }
        self.proximal = epsilon;
    }

    /// Follows the path of the model from `here` to where `target` of the residual is left, and puts that point into
    /// `there`.
    pub(super) fn trace<P: Bounded>(&mut self, problem: &P, target: f64) -> PathEnd {
        let line = Line {
            matrix: &self.matrix,
            constant: &self.constant,
            cover: &self.cover,
            bounds: &self.driver.units.bounds,
        };
        if self.tableau.start(line, &self.here.faces, 1.0).is_err() {
            return PathEnd::Lost;
        }
        let limit = self.settings.pivot_limit(self.here.z.len());
        let (end, pivots) = self.tableau.follow(line, target, limit);
        self.driver.incumbent.pivots += pivots;
        if end == PathEnd::Reached {
            self.collect(problem);
        }
        end
    }

    pub(super) fn collect<P: Bounded>(&mut self, problem: &P) {
        let Point { z, s, faces, .. } = &mut self.there;
        self.tableau.extract(&self.driver.units.bounds, z, s, faces);
        self.there.evaluate(problem, &mut self.driver.units);
    }
}
