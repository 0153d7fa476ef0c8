//! A tableau with bounded variables that follows the path of a linear mixed complementarity problem.
//!
//! # Problem
//! `l <= z <= u`, `s = M z + g + d a`, with `z_i` at a bound or `s_i = 0`; `s_i >= 0` at the lower bound, `<= 0` at the
//! upper. At `a = a0` a solution is known; follow the solutions as `a` changes, until it reaches a target.
//!
//! # Method
//! On a [`Dictionary`], as in `tableau`, with `a` for its parameter:
//! 1. It writes `n` basic variables in terms of the `n + 1` nonbasic ones, each nonbasic one at a bound (`s` at
//!    zero). Of `z_i` and `s_i` one is basic; `a` is basic all along the path.
//! 2. `a` enters, decreasing. Whichever variable leaves, its complement enters, in the direction that keeps its sign:
//!    `z_i` leaves at a bound, `s_i` enters; `s_i` reaches zero, `z_i` enters from its bound.
//! 3. The ratio test admits rows beyond rounding. An entering `z_i` may reach its other bound first: no pivot then, `s_i`
//!    enters in turn. Free `z_i` never leave, fixed ones never enter.
//! 4. Of rows that tie the one with the largest pivot leaves, until a basis comes back (`cycle_watch`); from there on ties are
//!    broken lexicographically: each variable basic then is thought moved into its range by a power of
//!    an infinitesimal, a tied row is ranked by what that does to its ratio.
//! 5. `a` leaves as soon as it ties. No row blocks: a ray.
//! 6. Every 32 pivots the dictionary is compared with the data; when rounding has grown it is rebuilt.
//!
//! # Convergence and failure
//! In lexicographic order no basis repeats, so a path ends; where rounding makes one repeat, the path is lost. On a ray the smallest `a` met is remembered. The end of a path must be checked.
//!
//! # Cost
//! `2 n^2` operations a pivot, and as many for each basic `z` at the start.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *The PATH solver: a non-monotone stabilization scheme for mixed complementarity problems*,
//! Optimization Methods and Software 5 (1995) 123-156, section 3. R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear
//! Complementarity Problem*, 1992, section 4.9.

mod ratio_test;

use ratio_test::Block;

use super::cycle_watch::CycleWatch;
use super::dictionary::{Dictionary, Equations, NOISE, Place, SMALLEST_PIVOT, SMALLEST_PIVOT_FRESH, Tie};
use crate::linalg::budget::Budget;
use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::{dot, dot_and_magnitude};
use crate::linalg::lu::Singular;
use crate::pivoting::face::Face;

/// Where a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathEnd {
    /// `a` reached its target.
    Reached,
    /// No row blocks the entering variable.
    Ray,
    /// As many pivots as allowed.
    Limit,
    /// Rounding errors destroyed the dictionary.
    Lost,
}

/// The linear problem along the path.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// `M`, row-major, `n x n`.
    pub(crate) matrix: &'a [f64],
    /// `g`.
    pub(crate) constant: &'a [f64],
    /// `d`.
    pub(crate) cover: &'a [f64],
    /// `l` and `u`.
    pub(crate) bounds: &'a [[f64; 2]],
}

impl Equations for Line<'_> {
    fn dim(&self) -> usize {
        self.constant.len()
    }

    fn write_row(&self, i: usize, row: &mut [f64]) {
        row.copy_from_slice(&self.matrix[i * row.len()..(i + 1) * row.len()]);
    }

    fn product(&self, i: usize, z: &[f64]) -> (f64, f64) {
        dot_and_magnitude(&self.matrix[i * z.len()..(i + 1) * z.len()], z)
    }

    /// The dictionary has no constants: values are kept apart, because nonbasic variables are not zero at their bounds.
    fn constant(&self, _: usize) -> f64 {
        0.0
    }

    fn cover(&self, i: usize) -> f64 {
        self.cover[i]
    }
}

/// The dictionary with the values of its variables. Variable `i < n` is `s_i`, `n + i` is `z_i`, `2 n` is `a`.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundedTableau {
    dictionary: Dictionary,
    /// The values of the basic variables, row by row, and of all nonbasic ones (zero for basic).
    values: Vec<f64>,
    fixed: Vec<f64>,
    /// The bound a nonbasic `z_i` is at; `Free` while it is basic.
    faces: Vec<Face>,
    /// After a cycle: the variables that were basic then in row order, and which way each is moved.
    reference: Vec<(usize, f64)>,
    /// The entering column, times the direction.
    column: Vec<f64>,
    /// Candidates for leaving.
    ties: Vec<Tie>,
    /// What the right-hand side is at the nonbasic values.
    offset: Vec<f64>,
    target: f64,
    /// The smallest `a` met.
    lowest: f64,
    smallest_pivot: f64,
}

impl BoundedTableau {
    /// Reserves memory for problems of `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.dictionary.reserve(n);
        for vector in [&mut self.values, &mut self.column, &mut self.offset] {
            reserve_to(vector, n);
        }
        reserve_to(&mut self.fixed, 2 * n + 1);
        reserve_to(&mut self.faces, n);
        reserve_to(&mut self.reference, n);
        reserve_to(&mut self.ties, n + 1);
    }

    /// Sets the time that paths may take; one that is cut short is lost.
    pub(crate) fn limit_time(&mut self, budget: Budget) {
        self.dictionary.budget = budget;
    }

    /// The smallest `a` met on the path.
    pub(crate) fn lowest(&self) -> f64 {
        self.lowest
    }

    /// The dictionary with `z_i` basic where `faces` says free and at its bound elsewhere, at `a = a0`.
    ///
    /// # Errors
    /// [`Singular`] when the block of the basic `z` has no reliable inverse.
    pub(crate) fn start(&mut self, line: Line, faces: &[Face], a0: f64) -> Result<(), Singular> {
        let n = line.constant.len();
        self.faces.clear();
        self.faces.extend_from_slice(faces);
        self.fixed.clear();
        self.fixed.resize(2 * n + 1, 0.0);
        self.fixed[2 * n] = a0;
        for (i, face) in faces.iter().enumerate() {
            match face {
                Face::Lower => self.fixed[n + i] = line.bounds[i][0],
                Face::Upper => self.fixed[n + i] = line.bounds[i][1],
                Face::Free => {}
            }
        }
        self.lowest = a0;
        self.column.resize(n, 0.0);
        self.dictionary.load_basis(&line, (0..n).filter(|&i| faces[i] == Face::Free))?;
        self.evaluate(line);
        Ok(())
    }

    /// Computes the values of the basic variables: those of the right-hand side at the nonbasic values, carried through
    /// the dictionary. `s_i` nonbasic is the unit column of row `i`, so the dictionary holds what is needed.
    fn evaluate(&mut self, line: Line) {
        let Dictionary { n, ref basic, ref nonbasic, .. } = self.dictionary;
        // h = M z_N + g + d a_N, with the basic ones at zero: the basic variables must make up for it.
        self.offset.clear();
        self.offset.extend_from_slice(line.constant);
        for (i, offset) in self.offset.iter_mut().enumerate() {
            let row = &line.matrix[i * n..(i + 1) * n];
            *offset += dot(row, &self.fixed[n..2 * n]) + line.cover[i] * self.fixed[2 * n];
        }
        // Moving the nonbasic s_i by -h_i has the same effect as the constant h_i; a basic s_i has it at once.
        self.values.clear();
        for (entries, &owner) in self.dictionary.rows().zip(basic) {
            let mut sum = 0.0;
            for (entry, &variable) in entries.iter().zip(nonbasic) {
                if variable < n {
                    sum -= entry * self.offset[variable];
                }
            }
            if owner < n {
                sum += self.offset[owner];
            }
            self.values.push(sum);
        }
    }

    /// Rebuilds the dictionary of the current basis.
    fn refactor(&mut self, line: Line) -> Result<(), Singular> {
        self.dictionary.refactor(&line)?;
        self.evaluate(line);
        Ok(())
    }

    /// Raises `a` from zero to the least value at which every basic variable is in its range, which the covering vector
    /// must be able to do, and returns it.
    pub(crate) fn rise(&mut self, bounds: &[[f64; 2]]) -> f64 {
        let n = self.dictionary.n;
        let Place::Column(column) = self.dictionary.place[2 * n] else { return 0.0 };
        let mut least: f64 = 0.0;
        for row in 0..n {
            let [lower, upper] = self.range(self.dictionary.basic[row], bounds);
            let missing = (lower - self.values[row]).max(self.values[row] - upper);
            if missing > 0.0 {
                least = least.max(missing / self.dictionary.at(row, column).abs());
            }
        }
        for row in 0..n {
            self.values[row] += least * self.dictionary.at(row, column);
        }
        self.fixed[2 * n] = least;
        self.lowest = least;
        least
    }

    /// Follows the path until `a` has come down to `target`, for at most `limit` pivots. Returns the end and the number of
    /// pivots.
    pub(crate) fn follow(&mut self, line: Line, target: f64, limit: usize) -> (PathEnd, usize) {
        let n = self.dictionary.n;
        self.target = target;
        self.reference.clear();
        let mut watch = CycleWatch::new();
        let (mut entering, mut direction) = (2 * n, -1.0);
        let mut pivots = 0;
        let mut tolerated = NOISE;
        self.smallest_pivot = SMALLEST_PIVOT;
        loop {
            if Dictionary::is_check_due(pivots) {
                if self.dictionary.noise(&line) > tolerated {
                    if self.refactor(line).is_err() {
                        return (PathEnd::Lost, pivots);
                    }
                    tolerated = NOISE.max(4.0 * self.dictionary.noise(&line));
                } else {
                    self.evaluate(line);
                }
            }
            let Place::Column(column) = self.dictionary.place[entering] else {
                return (PathEnd::Lost, pivots);
            };
            let Some(block) = self.block(column, direction, line.bounds) else {
                // A ray is believed only when the dictionary is fresh and smaller pivots are no help either.
                if self.smallest_pivot == SMALLEST_PIVOT_FRESH {
                    return (PathEnd::Ray, pivots);
                }
                if self.refactor(line).is_err() {
                    return (PathEnd::Lost, pivots);
                }
                self.smallest_pivot = SMALLEST_PIVOT_FRESH;
                continue;
            };
            self.smallest_pivot = SMALLEST_PIVOT;
            if pivots == limit {
                return (PathEnd::Limit, pivots);
            }
            if self.dictionary.budget.is_spent() {
                return (PathEnd::Lost, pivots);
            }
            pivots += 1;
            let mut changes = [None; 4];
            let leaving = match block {
                Block::Own(step) => {
                    changes[0] = Some(2 * n + 1 + entering);
                    self.advance(entering, direction * step, step);
                    entering
                }
                Block::Row(row, face, step) => {
                    self.advance(entering, direction * step, step);
                    let leaving = self.dictionary.basic[row];
                    let [lower, upper] = self.range(leaving, line.bounds);
                    let value = self.fixed[entering];
                    self.fixed[entering] = 0.0;
                    self.dictionary.pivot(row, column);
                    self.values[row] = value;
                    // At its upper bound a variable is another one.
                    let is_upper = |at_upper: bool, variable| at_upper.then_some(2 * n + 1 + variable);
                    let was = entering >= n && entering < 2 * n && self.faces[entering - n] == Face::Upper;
                    changes = [
                        Some(entering),
                        Some(leaving),
                        is_upper(was, entering),
                        is_upper(face == Face::Upper && leaving >= n, leaving),
                    ];
                    self.fixed[leaving] = if face == Face::Upper { upper } else { lower };
                    if (n..2 * n).contains(&entering) {
                        self.faces[entering - n] = Face::Free;
                    }
                    if (n..2 * n).contains(&leaving) {
                        self.faces[leaving - n] = face;
                    }
                    leaving
                }
            };
            if let Place::Row(row) = self.dictionary.place[2 * n] {
                self.lowest = self.lowest.min(self.values[row]);
            }
            if leaving == 2 * n {
                self.lowest = target;
                return (PathEnd::Reached, pivots);
            }
            if watch.repeats(changes.into_iter().flatten()) {
                // From here on in lexicographic order; a second cycle is rounding.
                if !self.reference.is_empty() {
                    return (PathEnd::Lost, pivots);
                }
                self.order_ties(line.bounds);
                watch = CycleWatch::new();
            }
            if leaving >= n {
                // z_i came to a bound: s_i enters, into the range it has there.
                let i = leaving - n;
                if matches!(block, Block::Own(_)) {
                    self.faces[i] = if direction > 0.0 { Face::Upper } else { Face::Lower };
                    self.fixed[leaving] = line.bounds[i][usize::from(direction > 0.0)];
                }
                direction = if self.faces[i] == Face::Upper { -1.0 } else { 1.0 };
                entering = i;
            } else {
                // s_i came to zero: z_i enters from its bound.
                direction = if self.faces[leaving] == Face::Upper { -1.0 } else { 1.0 };
                entering = n + leaving;
            }
        }
    }

    /// Makes ties lexicographic from here on: the variables basic now, and which way each is moved.
    fn order_ties(&mut self, bounds: &[[f64; 2]]) {
        for row in 0..self.dictionary.n {
            let [lower, upper] = self.range(self.dictionary.basic[row], bounds);
            let inwards = if upper - self.values[row] < self.values[row] - lower { -1.0 } else { 1.0 };
            self.reference.push((self.dictionary.basic[row], inwards));
        }
    }

    /// Moves the nonbasic variable and with it the basic ones; `self.column` is its column times the direction.
    fn advance(&mut self, entering: usize, signed: f64, step: f64) {
        self.fixed[entering] += signed;
        self.values.iter_mut().zip(&self.column).for_each(|(value, slope)| *value += slope * step);
    }

    /// Writes the point: `z`, projected on its bounds, `s`, and the faces.
    pub(crate) fn extract(&self, bounds: &[[f64; 2]], z: &mut [f64], s: &mut [f64], faces: &mut Vec<Face>) {
        let n = self.dictionary.n;
        z.copy_from_slice(&self.fixed[n..2 * n]);
        s.fill(0.0);
        faces.clone_from(&self.faces);
        for (value, &variable) in self.values.iter().zip(&self.dictionary.basic) {
            if variable < n {
                let [lower, upper] = self.range(variable, bounds);
                s[variable] = value.max(lower).min(upper);
            } else if variable < 2 * n {
                let [lower, upper] = bounds[variable - n];
                z[variable - n] = value.max(lower).min(upper);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    /// Follows the path of `s = M z + g + d a` from `a = 1`, everything at its lower bound, down to `a = 0`.
    fn follow(matrix: &[f64], constant: &[f64], bounds: &[[f64; 2]]) -> (PathEnd, f64, Vec<f64>, Vec<f64>) {
        let n = constant.len();
        let cover: Vec<f64> = constant.iter().map(|g| (-g).max(0.0)).collect();
        let line = Line { matrix, constant, cover: &cover, bounds };
        let mut tableau = BoundedTableau::default();
        tableau.reserve(n);
        tableau.start(line, &vec![Face::Lower; n], 1.0).unwrap();
        let (end, _) = tableau.follow(line, 0.0, 100);
        let (mut z, mut s, mut faces) = (vec![0.0; n], vec![0.0; n], Vec::new());
        tableau.extract(bounds, &mut z, &mut s, &mut faces);
        (end, tableau.lowest(), z, s)
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 4e-15)
    }

    #[test]
    fn a_variable_that_meets_its_other_bound_stays_there_and_its_slack_changes_sign() {
        // w = z - 5 on [0, 2]: stops at 2, with slack -3.
        let (end, _, z, s) = follow(&[1.0], &[-5.0], &[[0.0, 2.0]]);
        assert!(end == PathEnd::Reached && z == [2.0] && close(&s, &[-3.0]), "{end:?} {z:?} {s:?}");
        // The matrix need not hold it: w = -z - 1 flips at once.
        let (end, _, z, s) = follow(&[-1.0], &[-1.0], &[[0.0, 2.0]]);
        assert!(end == PathEnd::Reached && z == [2.0] && close(&s, &[-3.0]), "{end:?} {z:?} {s:?}");
    }

    #[test]
    fn a_fixed_variable_never_moves_and_the_others_solve_around_it() {
        let (end, _, z, _) = follow(&[2.0, 1.0, 1.0, 2.0], &[-3.0, -3.0], &[[1.0, 1.0], [0.0, INF]]);
        // 2 z_2 + 1 - 3 = 0; at a = 1 the second row has slack 1.
        assert!(end == PathEnd::Reached && z[0] == 1.0 && close(&z, &[1.0, 1.0]), "{end:?} {z:?}");
    }

    #[test]
    fn a_ray_tells_how_far_the_path_went() {
        // w = -z - 1 on [0, inf) has no solution: increasing z only makes it worse.
        let (end, lowest, ..) = follow(&[-1.0], &[-1.0], &[[0.0, INF]]);
        assert_eq!((end, lowest), (PathEnd::Ray, 1.0));
    }
}
