//! From bounds and equations to a linear complementarity problem, and back.
//!
//! # Problem
//! A [`BoxLcp`] as an [`Lcp`], so that every method for the latter serves the former.
//!
//! # Method
//! 1. Free rows are equations. Eliminate free unknowns with them by Gauss-Jordan steps; any equation may serve for
//!    any free unknown, so the pivot is the largest entry of all that are left, after equilibration.
//! 2. A free unknown `u_j` that no equation determines (the free block is singular) is determined by a one-sided row
//!    `i` instead, and the equation `e` left over determines `z_i`: a principal pivot on `e`, `j` and `i` after which
//!    `w_i` is the unknown and `z_i` its complement. If there is no such row, `u_j` becomes `x+ - x-`, its equation
//!    two inequalities.
//! 3. An unknown with a lower bound becomes `l + x`, one with an upper bound only `u - x`, its row changing sign.
//! 4. A second bound adds an unknown `y`, the multiplier of `x <= u - l`:
//!    `0 <= x  perp  w + s y >= 0`, `0 <= y  perp  s (u - l - x) >= 0`, `s` a unit of `w` over one of `z`.
//! 5. Back: bounded unknowns from `x`, eliminated ones from their equations.
//!
//! # Convergence and failure
//! Always possible. Principal pivots, step 3 and step 4 keep a positive semidefinite matrix positive
//! semidefinite. Elimination adds rounding: callers evaluate and polish on the original data.
//!
//! # Cost
//! `2 f n^2` operations for `f` free of `n` unknowns.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992 (SIAM 2009), section 1.5 (mixed
//! problems), 1.2 (bounds as in quadratic programs) and 2.3 (principal pivot transforms).

use crate::linalg::budget::Budget;
use crate::linalg::dense::{largest_abs, scales};
use crate::problem::{BoxLcp, Lcp, Problem};

/// Equilibrated pivots below this are the rounding left by earlier ones (dimensionless).
const NEGLIGIBLE: f64 = 1e-11;

/// A diagonal pivot this close to the largest one is preferred: it keeps a semidefinite rest semidefinite.
const NEARLY_LARGEST: f64 = 0.1;

/// One unknown `x >= 0`: the value of the independent variable `column` changes by `sign * x`, and
/// `sign * (row - bound) >= 0` is its inequality.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    /// The index of the problem that it comes from.
    index: usize,
    column: usize,
    row: usize,
    sign: f64,
    /// The bound that the row keeps to: 0 for a value `w`, that of `z` after a principal pivot.
    bound: f64,
}

/// A principal pivot of step 2 on the row of `index`.
#[derive(Clone, Copy, Debug)]
struct Swap {
    index: usize,
    /// Where the unknown `w[index]` stands now.
    column: usize,
    /// Where its complement `z[index]` stands now.
    row: usize,
}

/// The reduced problem with what is needed to return, in reused memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxReduction {
    /// A reduction that is not done when the time is over is not finite.
    pub(crate) budget: Budget,
    lcp: Lcp,
    /// `n x (n + 1)`: rows `(M, q)` after elimination. A pivot row holds its eliminated unknown.
    rows: Vec<f64>,
    /// Largest entries of the rows and columns before elimination.
    row_size: Vec<f64>,
    column_size: Vec<f64>,
    row_unit: Vec<f64>,
    column_unit: Vec<f64>,
    /// Eliminated `(row, variable)`, and which rows and variables these are.
    pivots: Vec<(usize, usize)>,
    row_used: Vec<bool>,
    variable_used: Vec<bool>,
    swaps: Vec<Swap>,
    unknowns: Vec<Unknown>,
    /// The independent variables at `x = 0`, and at the answer.
    offset: Vec<f64>,
    values: Vec<f64>,
    /// Which unknowns have a second bound, in the order of their `y`.
    second: Vec<usize>,
    slack_unit: f64,
}

impl BoxReduction {
    /// The reduced problem.
    pub(crate) fn lcp(&self) -> &Lcp {
        &self.lcp
    }

    /// Steps 1 to 4.
    pub(crate) fn reduce(&mut self, problem: &BoxLcp) {
        let n = problem.dim();
        self.rows.clear();
        for i in 0..n {
            self.rows.extend_from_slice(problem.row(i));
            self.rows.push(problem.q()[i]);
        }
        let (w_unit, z_unit) = scales(problem.matrix(), problem.q());
        self.slack_unit = z_unit / w_unit;
        self.eliminate(problem);
        self.choose_unknowns(problem);
        self.assemble(problem);
    }

    /// Step 1.
    fn eliminate(&mut self, problem: &BoxLcp) {
        let n = problem.dim();
        let free = |i: usize| problem.lower()[i] == f64::NEG_INFINITY && problem.upper()[i] == f64::INFINITY;
        for used in [&mut self.row_used, &mut self.variable_used] {
            used.clear();
            used.extend((0..n).map(|i| !free(i)));
        }
        self.pivots.clear();
        self.swaps.clear();
        self.measure(n);
        self.equilibrate(n);
        loop {
            if self.budget.is_spent() {
                self.rows.fill(f64::INFINITY);
                return;
            }
            if let Some((row, variable)) = self.find_pivot(n) {
                self.exchange(n, row, variable, false);
                self.row_used[row] = true;
                self.variable_used[variable] = true;
            } else if let Some((swap, equation, free)) = self.find_swap(problem) {
                self.exchange(n, equation, swap.index, false);
                self.exchange(n, swap.index, free, true);
                self.row_used[equation] = true;
                self.variable_used[free] = true;
                self.swaps.push(swap);
            } else {
                return;
            }
        }
    }

    /// Makes `variable` the dependent one of `row`. The independent one in its place is the value that the row had:
    /// zero for an equation, kept otherwise.
    fn exchange(&mut self, n: usize, row: usize, variable: usize, kept: bool) {
        let width = n + 1;
        let pivot = self.rows[row * width + variable];
        let inverse = if kept { 1.0 / pivot } else { 0.0 };
        for k in 0..width {
            self.rows[row * width + k] /= -pivot;
        }
        self.rows[row * width + variable] = inverse;
        for i in (0..n).filter(|&i| i != row) {
            let factor = self.rows[i * width + variable];
            if factor == 0.0 {
                continue;
            }
            self.rows[i * width + variable] = 0.0;
            for k in 0..width {
                self.rows[i * width + k] += factor * self.rows[row * width + k];
            }
        }
        self.pivots.push((row, variable));
    }

    fn measure(&mut self, n: usize) {
        self.row_size.clear();
        self.column_size.clear();
        self.column_size.resize(n, 0.0);
        for row in self.rows.chunks_exact(n + 1) {
            self.row_size.push(largest_abs(&row[..n]));
            self.column_size.iter_mut().zip(row).for_each(|(size, v)| *size = size.max(v.abs()));
        }
    }

    /// Step 2: the one-sided row that joins an equation and a free unknown left over with the largest entries.
    fn find_swap(&self, problem: &BoxLcp) -> Option<(Swap, usize, usize)> {
        let n = problem.dim();
        let size = |i: usize, j: usize| self.rows[i * (n + 1) + j].abs();
        let one_sided = |i: usize| problem.lower()[i].is_finite() != problem.upper()[i].is_finite();
        let mut best = (NEGLIGIBLE, None);
        for index in (0..n).filter(|&i| one_sided(i) && !self.swaps.iter().any(|swap| swap.index == i)) {
            for row in (0..n).filter(|&e| !self.row_used[e]) {
                let here = size(row, index) / self.row_size[row];
                if here.is_nan() || here <= best.0 {
                    continue;
                }
                for column in (0..n).filter(|&j| !self.variable_used[j]) {
                    let least = here.min(size(index, column) / self.column_size[column]);
                    if least > best.0 {
                        best = (least, Some((Swap { index, column, row }, row, column)));
                    }
                }
            }
        }
        best.1
    }

    fn equilibrate(&mut self, n: usize) {
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        self.row_unit.clear();
        self.column_unit.clear();
        self.column_unit.resize(n, 0.0);
        for i in 0..n {
            let row = &self.rows[i * (n + 1)..i * (n + 1) + n];
            let free = row.iter().zip(&self.variable_used).filter(|(_, used)| !**used);
            let unit = inverse(free.fold(0.0, |worst: f64, (v, _)| worst.max(v.abs())));
            self.row_unit.push(unit);
            if !self.row_used[i] {
                for (largest, v) in self.column_unit.iter_mut().zip(row) {
                    *largest = largest.max(v.abs() * unit);
                }
            }
        }
        self.column_unit.iter_mut().for_each(|unit| *unit = inverse(*unit));
    }

    /// The free equation and unknown with the largest entry, if any is left.
    fn find_pivot(&self, n: usize) -> Option<(usize, usize)> {
        let size =
            |i: usize, j: usize| (self.rows[i * (n + 1) + j] * self.row_unit[i]).abs() * self.column_unit[j];
        let mut best = (NEGLIGIBLE, None);
        let mut diagonal = (NEGLIGIBLE, None);
        for i in (0..n).filter(|&i| !self.row_used[i]) {
            for j in (0..n).filter(|&j| !self.variable_used[j]) {
                let size = size(i, j);
                if size > best.0 {
                    best = (size, Some((i, j)));
                }
                if i == j && size > diagonal.0 {
                    diagonal = (size, Some((i, i)));
                }
            }
        }
        if diagonal.0 >= NEARLY_LARGEST * best.0 && diagonal.1.is_some() { diagonal.1 } else { best.1 }
    }

    /// Steps 2 to 4: what the unknowns of the reduced problem are.
    fn choose_unknowns(&mut self, problem: &BoxLcp) {
        let n = problem.dim();
        self.unknowns.clear();
        self.second.clear();
        self.offset.clear();
        self.offset.resize(n, 0.0);
        for index in 0..n {
            let (lower, upper) = (problem.lower()[index], problem.upper()[index]);
            let (bound, sign) = match (lower.is_finite(), upper.is_finite()) {
                (true, _) => (lower, 1.0),
                (false, true) => (upper, -1.0),
                (false, false) => continue,
            };
            if let Some(swap) = self.swaps.iter().find(|swap| swap.index == index) {
                self.unknowns.push(Unknown { index, column: swap.column, row: swap.row, sign, bound });
                continue;
            }
            if lower.is_finite() && upper.is_finite() {
                self.second.push(self.unknowns.len());
            }
            self.offset[index] = bound;
            self.unknowns.push(Unknown { index, column: index, row: index, sign, bound: 0.0 });
        }
        // Undetermined free unknowns and equations without one, in pairs: first those of one index.
        let pair = |row: usize, column: usize, unknowns: &mut Vec<Unknown>| {
            unknowns.extend([1.0, -1.0].map(|sign| Unknown { index: column, column, row, sign, bound: 0.0 }));
        };
        for i in 0..n {
            if !self.row_used[i] && !self.variable_used[i] {
                pair(i, i, &mut self.unknowns);
            }
        }
        let mut variables = (0..n).filter(|&j| !self.variable_used[j] && self.row_used[j]);
        for row in (0..n).filter(|&i| !self.row_used[i] && self.variable_used[i]) {
            if let Some(variable) = variables.next() {
                pair(row, variable, &mut self.unknowns);
            }
        }
    }

    fn assemble(&mut self, problem: &BoxLcp) {
        let (n, p) = (problem.dim(), self.unknowns.len());
        let size = p + self.second.len();
        self.lcp.resize(size);
        for (a, to) in self.unknowns.iter().enumerate() {
            let row = &self.rows[to.row * (n + 1)..(to.row + 1) * (n + 1)];
            let constant: f64 = row.iter().zip(&self.offset).map(|(m, z)| m * z).sum();
            self.lcp.q_mut()[a] = to.sign * (row[n] + constant - to.bound);
            for (b, from) in self.unknowns.iter().enumerate() {
                self.lcp.matrix_mut()[a * size + b] = to.sign * row[from.column] * from.sign;
            }
        }
        for (k, &a) in self.second.iter().enumerate() {
            let (y, i) = (p + k, self.unknowns[a].index);
            self.lcp.matrix_mut()[a * size + y] = self.slack_unit;
            self.lcp.matrix_mut()[y * size + a] = -self.slack_unit;
            self.lcp.q_mut()[y] = self.slack_unit * (problem.upper()[i] - problem.lower()[i]);
        }
    }

    /// Writes the guess of the reduced unknowns that stands for `z` with the values `w`.
    pub(crate) fn contract(&self, z: &[f64], w: &[f64], x: &mut Vec<f64>) {
        let swapped = |unknown: &Unknown| self.swaps.iter().any(|swap| swap.index == unknown.index);
        let value = |u: &Unknown| if swapped(u) { w[u.index] } else { z[u.index] - self.offset[u.column] };
        x.clear();
        x.extend(self.unknowns.iter().map(|u| (u.sign * value(u)).max(0.0)));
        x.extend(self.second.iter().map(|&a| (-w[self.unknowns[a].row]).max(0.0) / self.slack_unit));
    }

    /// Step 5: writes `z` for the reduced unknowns `x`.
    pub(crate) fn expand(&mut self, x: &[f64], z: &mut [f64]) {
        let n = z.len();
        self.values.clone_from(&self.offset);
        for (unknown, x) in self.unknowns.iter().zip(x) {
            self.values[unknown.column] += unknown.sign * x;
        }
        z.copy_from_slice(&self.values);
        for &(row, variable) in &self.pivots {
            // Pivot rows have no entry left in the columns of eliminated unknowns.
            let row = &self.rows[row * (n + 1)..(row + 1) * (n + 1)];
            z[variable] = row[..n].iter().zip(&self.values).map(|(m, v)| m * v).sum::<f64>() + row[n];
        }
    }

    /// Whether the reduced data are worth a solve: elimination may overflow.
    pub(crate) fn is_finite(&self) -> bool {
        self.lcp.check_finite().is_ok() && largest_abs(&self.rows).is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pivoting::{Lemke, LemkeSettings};
    use crate::problem::{Solution, Solver, Start, Status};

    const INF: f64 = f64::INFINITY;

    fn solve(problem: &BoxLcp) -> Vec<f64> {
        let mut reduction = BoxReduction::default();
        reduction.reduce(problem);
        let mut x = Solution::default();
        let report =
            Lemke::new(LemkeSettings::default()).unwrap().solve(reduction.lcp(), Start::Cold, &mut x);
        assert_eq!(report.status, Status::Solved);
        let mut z = vec![0.0; problem.dim()];
        reduction.expand(&x.z, &mut z);
        let mut w = vec![0.0; z.len()];
        assert!(problem.assess(&z, &mut w).0.natural_map < 1e-13, "{z:?} {w:?}");
        // There and back.
        let mut again = Vec::new();
        reduction.contract(&z, &w, &mut again);
        let mut z_again = vec![0.0; z.len()];
        reduction.expand(&again, &mut z_again);
        assert!(z.iter().zip(&z_again).all(|(a, b)| (a - b).abs() < 1e-13), "{z:?} {z_again:?}");
        z
    }

    #[test]
    fn every_kind_of_bound_is_met_where_the_diagonal_problem_says() {
        // z - t with targets t beyond, at and within the bounds.
        let n = 6;
        let mut m = vec![0.0; n * n];
        (0..n).for_each(|i| m[i * n + i] = 2.0);
        let q = [-3.0, 3.0, 3.0, -8.0, -8.0, 1.0].to_vec();
        let lower = vec![-INF, -1.0, -INF, 0.0, -INF, -4.0];
        let upper = vec![INF, INF, -2.0, 1.0, 3.0, 4.0];
        let z = solve(&BoxLcp::new(m, q, lower, upper).unwrap());
        assert_eq!(z, [1.5, -1.0, -2.0, 1.0, 3.0, -0.5]);
    }

    #[test]
    fn a_free_block_without_a_diagonal_is_eliminated_with_other_pairs() {
        // Equations z1 = 2 and z0 + z2 = 1; z2 >= 0 with w2 = z2 - z0.
        let m = vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, -1.0, 0.0, 1.0];
        let problem =
            BoxLcp::new(m, vec![-2.0, -1.0, 0.0], vec![-INF, -INF, 0.0], vec![INF, INF, INF]).unwrap();
        assert_eq!(solve(&problem), [0.5, 2.0, 0.5]);
    }

    #[test]
    fn a_free_unknown_that_no_equation_determines_changes_places_with_a_one_sided_one() {
        // A saddle point: minimize 1/2 x^2 - x with x + y = 1, x, y >= 0; the multiplier is free and A = 0.
        let m = vec![0.0, 1.0, 1.0, -1.0, 1.0, 0.0, -1.0, 0.0, 0.0];
        let problem = BoxLcp::new(m, vec![-1.0, -1.0, 1.0], vec![-INF, 0.0, 0.0], vec![INF; 3]).unwrap();
        let mut reduction = BoxReduction::default();
        reduction.reduce(&problem);
        assert_eq!(reduction.lcp().q().len(), 2);
        let z = solve(&problem);
        assert!((z[1] + z[2] - 1.0).abs() < 1e-14, "{z:?}");
    }

    #[test]
    fn a_free_unknown_and_its_equation_are_split_where_only_two_sided_rows_are_near() {
        // The same with x, y <= 3, which is never reached.
        let m = vec![0.0, 1.0, 1.0, -1.0, 1.0, 0.0, -1.0, 0.0, 0.0];
        let bounds = [vec![-INF, 0.0, 0.0], vec![INF, 3.0, 3.0]];
        let [lower, upper] = bounds;
        let problem = BoxLcp::new(m, vec![-1.0, -1.0, 1.0], lower, upper).unwrap();
        let z = solve(&problem);
        assert!((z[1] + z[2] - 1.0).abs() < 1e-14, "{z:?}");
    }
}
