//! A compact tableau with bounded variables that follows the path of a linear mixed complementarity problem.
//!
//! # Problem
//! `l <= z <= u`, `s = M z + g + d a`, with `z_i` at a bound or `s_i = 0`; `s_i >= 0` at the lower bound, `<= 0` at the
//! upper. At `a = a0` a solution is known; follow the solutions as `a` changes, until it reaches a target.
//!
//! # Method
//! 1. A dictionary writes `n` basic variables in terms of the `n + 1` nonbasic ones, each nonbasic one at a bound (`s` at
//!    zero). Of `z_i` and `s_i` one is basic; `a` is basic all along the path.
//! 2. `a` enters, decreasing. Whichever variable leaves, its complement enters, in the direction that keeps its sign:
//!    `z_i` leaves at a bound, `s_i` enters; `s_i` reaches zero, `z_i` enters from its bound.
//! 3. The ratio test admits rows beyond rounding. An entering `z_i` may reach its other bound first: no pivot then, `s_i`
//!    enters in turn. Free `z_i` never leave, fixed ones never enter.
//! 4. Ties are broken lexicographically: each variable basic at the start is thought moved into its range by a power of
//!    an infinitesimal, a tied row is judged by what that does to its ratio.
//! 5. `a` leaves as soon as it ties. No row blocks: a ray.
//! 6. Every 32 pivots the dictionary is compared with the data; when rounding has grown it is built anew.
//!
//! # Convergence and failure
//! No basis repeats, so a path ends. On a ray the smallest `a` met is remembered. Whoever follows the path checks its end.
//!
//! # Cost
//! `2 n^2` operations a pivot, and as many for each basic `z` at the start.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *The PATH solver: a non-monotone stabilization scheme for mixed complementarity problems*,
//! Optimization Methods and Software 5 (1995) 123-156, section 3. R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear
//! Complementarity Problem*, 1992, section 4.9.

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::{dot, dot_and_magnitude};
use crate::linalg::lu::Singular;
use crate::pivoting::face::Face;

/// A pivot smaller than this multiple of its column (or of 1, the size of equilibrated entries) is noise.
const SMALLEST_PIVOT: f64 = 1e-10;
/// The same in a dictionary built anew, where entries carry less noise.
const SMALLEST_PIVOT_FRESH: f64 = 1e-14;
/// A pivot of the initial exchange must be larger: the whole path is built on it.
const SMALLEST_EXCHANGE: f64 = 1e-10;
/// Values (equilibrated) closer than this tie.
const TIE: f64 = 1e-11;
/// Entries of the basis inverse that differ by less than this multiple of their size are equal.
const EQUAL: f64 = 1e-9;
/// An entry of the basis inverse below this (equilibrated) is zero.
const ZERO: f64 = 1e-10;
/// Pivots between two comparisons of the dictionary with the data.
const CHECK_EVERY: usize = 32;
/// Errors of the dictionary (relative) beyond this lead to a new one.
const NOISE: f64 = 1e-11;

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

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Row(usize),
    Column(usize),
}

/// What stops the entering variable.
enum Block {
    /// The variable of a row, at its lower or upper bound, after this step.
    Row(usize, Face, f64),
    /// Its own other bound, after this step.
    Own(f64),
}

/// The dictionary. Variable `i < n` is `s_i`, `n + i` is `z_i`, `2 n` is `a`.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundedTableau {
    n: usize,
    /// Row-major, `n` rows of `n + 1`.
    entries: Vec<f64>,
    /// The values of the basic variables, row by row, and of all nonbasic ones (zero for basic).
    values: Vec<f64>,
    fixed: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    place: Vec<Place>,
    /// The bound a nonbasic `z_i` is at; `Free` while it is basic.
    faces: Vec<Face>,
    /// The variables basic at the start in row order, and which way each is moved.
    reference: Vec<(usize, f64)>,
    pivot_row: Vec<f64>,
    /// The entering column, times the direction.
    column: Vec<f64>,
    /// Candidates for leaving: the row (`n`: the entering variable itself) and the bound it meets.
    ties: Vec<(usize, Face)>,
    test: Vec<f64>,
    wanted: Vec<usize>,
    target: f64,
    /// The smallest `a` met.
    lowest: f64,
    smallest_pivot: f64,
}

impl BoundedTableau {
    /// Makes room for problems of `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.entries, n * (n + 1));
        reserve_to(&mut self.values, n);
        reserve_to(&mut self.fixed, 2 * n + 1);
        reserve_to(&mut self.basic, n);
        reserve_to(&mut self.nonbasic, n + 1);
        reserve_to(&mut self.place, 2 * n + 1);
        reserve_to(&mut self.faces, n);
        reserve_to(&mut self.reference, n);
        reserve_to(&mut self.pivot_row, n + 1);
        reserve_to(&mut self.column, n);
        reserve_to(&mut self.ties, n + 1);
        reserve_to(&mut self.test, 2 * n + 1);
        reserve_to(&mut self.wanted, n + 1);
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * (self.n + 1) + column]
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
        self.n = n;
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
        self.wanted.clear();
        self.wanted.extend((0..n).filter(|&i| faces[i] == Face::Free).map(|i| n + i));
        self.lowest = a0;
        self.load(line);
        self.exchange(None)?;
        self.evaluate(line);
        Ok(())
    }

    /// Fills the dictionary with `s` basic.
    fn load(&mut self, line: Line) {
        let n = self.n;
        self.entries.clear();
        if n > 0 {
            for (row, cover) in line.matrix.chunks_exact(n).zip(line.cover) {
                self.entries.extend_from_slice(row);
                self.entries.push(*cover);
            }
        }
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..=2 * n);
        self.place.clear();
        self.place.extend((0..n).map(Place::Row));
        self.place.extend((0..=n).map(Place::Column));
        self.pivot_row.resize(n + 1, 0.0);
        self.column.resize(n, 0.0);
    }

    /// Makes the variables `wanted` (none of them an `s`) basic in a freshly loaded dictionary. They take the rows of
    /// the `s_i` whose `z_i` is wanted and, with `a`, of `s_extra`: the largest entry of the column.
    fn exchange(&mut self, extra: Option<usize>) -> Result<(), Singular> {
        let n = self.n;
        // 1 marks a row still to be taken.
        self.test.clear();
        self.test.resize(n, 0.0);
        for row in self.wanted.iter().filter(|&&v| v < 2 * n).map(|v| v - n).chain(extra) {
            self.test[row] = 1.0;
        }
        for at in 0..self.wanted.len() {
            let column = self.wanted[at] - n;
            let mut best = (SMALLEST_EXCHANGE, None);
            for row in (0..n).filter(|&row| self.test[row] == 1.0) {
                let size = self.at(row, column).abs();
                if size > best.0 {
                    best = (size, Some(row));
                }
            }
            let row = best.1.ok_or(Singular)?;
            self.test[row] = 0.0;
            self.pivot(row, column);
        }
        Ok(())
    }

    /// Computes the values of the basic variables: those of the right-hand side at the nonbasic values, carried through
    /// the dictionary. `s_i` nonbasic is the unit column of row `i`, so the dictionary holds what is needed.
    fn evaluate(&mut self, line: Line) {
        let n = self.n;
        // h = M z_N + g + d a_N, with the basic ones at zero: the basic variables must make up for it.
        self.test.clear();
        self.test.extend_from_slice(line.constant);
        for (i, test) in self.test.iter_mut().enumerate() {
            let row = &line.matrix[i * n..(i + 1) * n];
            *test += dot(row, &self.fixed[n..2 * n]) + line.cover[i] * self.fixed[2 * n];
        }
        // Moving the nonbasic s_i by -h_i has the same effect as the constant h_i; a basic s_i has it at once.
        self.values.clear();
        self.values.resize(n, 0.0);
        for (row, entries) in self.entries.chunks_exact(n + 1).enumerate() {
            let mut sum = 0.0;
            for (entry, &variable) in entries.iter().zip(&self.nonbasic) {
                if variable < n {
                    sum -= entry * self.test[variable];
                }
            }
            if self.basic[row] < n {
                sum += self.test[self.basic[row]];
            }
            self.values[row] = sum;
        }
    }

    /// Builds the dictionary of the current basis anew.
    fn refactor(&mut self, line: Line) -> Result<(), Singular> {
        let n = self.n;
        let nonbasic = |v: usize| matches!(self.place[v], Place::Column(_));
        let extra = (0..n).find(|&i| nonbasic(i) && nonbasic(n + i)).filter(|_| !nonbasic(2 * n));
        self.wanted.clear();
        self.wanted.extend((n..=2 * n).filter(|&v| matches!(self.place[v], Place::Row(_))));
        self.load(line);
        self.exchange(extra)?;
        self.evaluate(line);
        Ok(())
    }

    /// Largest relative error of the dictionary: gives the nonbasic variables fixed values, reads off the basic ones and
    /// inserts all of them into `s = M z + d a`.
    fn noise(&mut self, line: Line) -> f64 {
        let n = self.n;
        let test = |column: usize| 1.0 + 0.1 * ((7 * column) % 5) as f64;
        self.test.clear();
        self.test.resize(2 * n + 1, 0.0);
        for (column, &variable) in self.nonbasic.iter().enumerate() {
            self.test[variable] = test(column);
        }
        for (row, entries) in self.entries.chunks_exact(n + 1).enumerate() {
            self.test[self.basic[row]] = entries.iter().enumerate().map(|(j, t)| t * test(j)).sum();
        }
        let mut worst: f64 = 0.0;
        for i in 0..n {
            let (sum, magnitude) = dot_and_magnitude(&line.matrix[i * n..(i + 1) * n], &self.test[n..2 * n]);
            let cover = line.cover[i] * self.test[2 * n];
            let error = (sum + cover - self.test[i]).abs();
            let size = magnitude + cover.abs() + self.test[i].abs();
            if error.is_nan() {
                return f64::INFINITY;
            } else if size > 0.0 {
                worst = worst.max(error / size);
            }
        }
        worst
    }

    /// Raises `a` from zero to the least value at which every basic variable is in its range, which the covering vector
    /// must be able to do, and returns it.
    pub(crate) fn rise(&mut self, bounds: &[[f64; 2]]) -> f64 {
        let n = self.n;
        let Place::Column(column) = self.place[2 * n] else { return 0.0 };
        let mut least: f64 = 0.0;
        for row in 0..n {
            let [lower, upper] = self.range(self.basic[row], bounds);
            let missing = (lower - self.values[row]).max(self.values[row] - upper);
            if missing > 0.0 {
                least = least.max(missing / self.at(row, column).abs());
            }
        }
        for row in 0..n {
            self.values[row] += least * self.at(row, column);
        }
        self.fixed[2 * n] = least;
        self.lowest = least;
        least
    }

    /// Follows the path until `a` has come down to `target`, for at most `limit` pivots. Returns the end and the number of
    /// pivots.
    pub(crate) fn follow(&mut self, line: Line, target: f64, limit: usize) -> (PathEnd, usize) {
        let n = self.n;
        self.target = target;
        self.reference.clear();
        for row in 0..n {
            let [lower, upper] = self.range(self.basic[row], line.bounds);
            let inwards = if upper - self.values[row] < self.values[row] - lower { -1.0 } else { 1.0 };
            self.reference.push((self.basic[row], inwards));
        }
        let (mut entering, mut direction) = (2 * n, -1.0);
        let mut pivots = 0;
        let mut tolerated = NOISE;
        self.smallest_pivot = SMALLEST_PIVOT;
        loop {
            if pivots % CHECK_EVERY == CHECK_EVERY - 1 {
                if self.noise(line) > tolerated {
                    if self.refactor(line).is_err() {
                        return (PathEnd::Lost, pivots);
                    }
                    tolerated = NOISE.max(4.0 * self.noise(line));
                } else {
                    self.evaluate(line);
                }
            }
            let Place::Column(column) = self.place[entering] else {
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
            pivots += 1;
            let leaving = match block {
                Block::Own(step) => {
                    self.advance(entering, direction * step, step);
                    entering
                }
                Block::Row(row, face, step) => {
                    self.advance(entering, direction * step, step);
                    let leaving = self.basic[row];
                    let [lower, upper] = self.range(leaving, line.bounds);
                    let value = self.fixed[entering];
                    self.fixed[entering] = 0.0;
                    self.pivot(row, column);
                    self.values[row] = value;
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
            if let Place::Row(row) = self.place[2 * n] {
                self.lowest = self.lowest.min(self.values[row]);
            }
            if leaving == 2 * n {
                self.lowest = target;
                return (PathEnd::Reached, pivots);
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

    /// Moves the nonbasic variable and with it the basic ones; `self.column` is its column times the direction.
    fn advance(&mut self, entering: usize, signed: f64, step: f64) {
        self.fixed[entering] += signed;
        self.values.iter_mut().zip(&self.column).for_each(|(value, slope)| *value += slope * step);
    }

    /// The range of a basic or entering variable.
    fn range(&self, variable: usize, bounds: &[[f64; 2]]) -> [f64; 2] {
        let n = self.n;
        if variable == 2 * n {
            [self.target, f64::INFINITY]
        } else if variable >= n {
            bounds[variable - n]
        } else if bounds[variable][0] == bounds[variable][1] {
            [f64::NEG_INFINITY, f64::INFINITY]
        } else if self.faces[variable] == Face::Upper {
            [f64::NEG_INFINITY, 0.0]
        } else {
            [0.0, f64::INFINITY]
        }
    }

    /// Steps 3 to 5: what stops the variable of `column` moving in `direction`; nothing on a ray.
    fn block(&mut self, column: usize, direction: f64, bounds: &[[f64; 2]]) -> Option<Block> {
        let n = self.n;
        let mut largest: f64 = 1.0;
        for row in 0..n {
            self.column[row] = direction * self.at(row, column);
            largest = largest.max(self.column[row].abs());
        }
        let smallest = self.smallest_pivot * largest;
        // The distance of a row to the bound it moves to.
        let distance = |tableau: &Self, row: usize| {
            let slope = tableau.column[row];
            if slope.abs() <= smallest {
                return None;
            }
            let [lower, upper] = tableau.range(tableau.basic[row], bounds);
            let (distance, face) = if slope < 0.0 {
                (tableau.values[row] - lower, Face::Lower)
            } else {
                (upper - tableau.values[row], Face::Upper)
            };
            (distance < f64::INFINITY).then_some((distance.max(0.0), face))
        };
        let entering = self.nonbasic[column];
        let [lower, upper] = self.range(entering, bounds);
        let own = if entering == 2 * n { self.fixed[entering] - lower } else { upper - lower };
        let mut step = own;
        for row in 0..n {
            if let Some((distance, _)) = distance(self, row) {
                step = step.min(distance / self.column[row].abs());
            }
        }
        if step == f64::INFINITY || step.is_nan() {
            return None;
        }
        self.ties.clear();
        if own - step <= TIE * step.max(1.0) {
            if entering == 2 * n {
                return Some(Block::Own(own));
            }
            self.ties.push((n, Face::Free));
        }
        for row in 0..n {
            if let Some((distance, face)) = distance(self, row) {
                let way = step * self.column[row].abs();
                if distance - way <= TIE * way.max(1.0) {
                    if self.basic[row] == 2 * n {
                        return Some(Block::Row(row, face, step));
                    }
                    self.ties.push((row, face));
                }
            }
        }
        let (row, face) = self.lexicographic_minimum()?;
        Some(if row == n { Block::Own(step) } else { Block::Row(row, face, step) })
    }

    /// Step 4: among the tied candidates, the one whose perturbed ratio is lexicographically smallest.
    fn lexicographic_minimum(&mut self) -> Option<(usize, Face)> {
        let (n, stride) = (self.n, self.n + 1);
        let mut at = 0;
        while self.ties.len() > 1 && at < n {
            let (variable, inwards) = self.reference[at];
            let place = self.place[variable];
            let (entries, column) = (&self.entries, &self.column);
            let value = |&(row, face): &(usize, Face)| {
                if row == n {
                    return (0.0, 1.0);
                }
                let moved = match place {
                    Place::Column(column) => -entries[row * stride + column],
                    Place::Row(r) if r == row => 1.0,
                    Place::Row(_) => 0.0,
                };
                let towards = if face == Face::Upper { -1.0 } else { 1.0 };
                (inwards * towards * moved / column[row].abs(), column[row].abs())
            };
            let lowest = self.ties.iter().map(|tie| value(tie).0).fold(f64::INFINITY, f64::min);
            self.ties.retain(|tie| {
                let (v, slope) = value(tie);
                v - lowest <= EQUAL * (v.abs() + lowest.abs()) + ZERO / slope
            });
            at += 1;
        }
        self.ties.first().copied()
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`.
    fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.n + 1;
        let inverse = 1.0 / self.at(row, column);
        let pivot_row = &mut self.entries[row * stride..(row + 1) * stride];
        pivot_row.iter_mut().for_each(|v| *v *= -inverse);
        pivot_row[column] = inverse;
        self.pivot_row.copy_from_slice(pivot_row);
        for (i, other) in self.entries.chunks_exact_mut(stride).enumerate() {
            let factor = other[column];
            if i != row && factor != 0.0 {
                other[column] = 0.0;
                other.iter_mut().zip(&self.pivot_row).for_each(|(v, u)| *v += factor * u);
            }
        }
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        self.place[entering] = Place::Row(row);
        self.place[leaving] = Place::Column(column);
    }

    /// Writes the point: `z`, projected on its bounds, `s`, and the faces.
    pub(crate) fn extract(&self, bounds: &[[f64; 2]], z: &mut [f64], s: &mut [f64], faces: &mut Vec<Face>) {
        let n = self.n;
        z.copy_from_slice(&self.fixed[n..2 * n]);
        s.fill(0.0);
        faces.clone_from(&self.faces);
        for (value, &variable) in self.values.iter().zip(&self.basic) {
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
        // w = z - 5 on [0, 2]: held at 2, pushed by -3.
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
