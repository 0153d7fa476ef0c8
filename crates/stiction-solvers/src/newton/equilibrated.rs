//! A bounded problem in equilibrated units.
//!
//! Newton methods measure steps, damping and merit in numbers; those mean something only where rows and columns are of
//! one size. The units are powers of two, so that nothing is rounded on the way there and back. Two candidates: the
//! symmetric scaling of [`Scaling`], right where rows and columns have the same units (masses, say), and one that
//! normalizes the rows first, right where equations were multiplied by anything. A symmetric Jacobian keeps its symmetry;
//! of others the constants tell: the candidate is taken that leaves them closest in size.

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::{Square, all_finite, dot, largest_abs};
use crate::linalg::scaling::{Scaling, power_of_two};
use crate::problem::Bounded;

/// An infinite slope (equilibrated).
const STEEP: f64 = 1e8;

/// `zhat = z / (c scale)`, `what = r w / scale`, `Jhat = R J C`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Equilibrated {
    scaling: Scaling,
    /// The other candidate.
    by_rows: Scaling,
    /// The bounds in these units.
    pub(crate) bounds: Vec<[f64; 2]>,
    /// A point and its value in the problem's units.
    z: Vec<f64>,
    w: Vec<f64>,
}

impl Equilibrated {
    /// Reserves the workspace for problems of `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.scaling.reserve(n);
        self.by_rows.reserve(n);
        reserve_to(&mut self.bounds, n);
        reserve_to(&mut self.z, n);
        reserve_to(&mut self.w, n);
    }

    /// Takes the units from the Jacobian at `at` and from the values: of a linear problem at the point of the box closest to
    /// zero (`q`, if that is zero), of another the larger of `F` and the constant of its linearization at `at`.
    /// `jacobian` is memory. False if these are not finite.
    pub(crate) fn prepare<P: Bounded>(&mut self, problem: &P, at: &[f64], jacobian: &mut Vec<f64>) -> bool {
        let n = problem.dim();
        self.z.clear();
        self.z.resize(n, 0.0);
        self.w.resize(n, 0.0);
        jacobian.resize(n * n, 0.0);
        problem.jacobian(at, jacobian);
        if problem.is_affine() {
            problem.project(&mut self.z);
            problem.eval(&self.z, &mut self.w);
        } else {
            problem.eval(at, &mut self.w);
            for (w, row) in self.w.iter_mut().zip(jacobian.chunks_exact(n.max(1))) {
                let constant = *w - dot(row, at);
                *w = if constant.abs() > w.abs() { constant } else { *w };
            }
        }
        if !all_finite(jacobian) || !all_finite(&self.w) {
            return false;
        }
        self.scaling.update(jacobian, &self.w);
        if !(Square { n, entries: jacobian }).is_symmetric(0.0) {
            normalize_rows(&mut self.by_rows, jacobian, &self.w);
            if spread(&self.by_rows, &self.w) < spread(&self.scaling, &self.w) {
                std::mem::swap(&mut self.scaling, &mut self.by_rows);
            }
        }
        self.bounds.clear();
        for i in 0..n {
            let [lower, upper] = problem.bounds(i);
            let unit = self.unit(i);
            self.bounds.push([lower / unit, upper / unit]);
        }
        true
    }

    /// One equilibrated unit of `z_i`.
    pub(crate) fn unit(&self, i: usize) -> f64 {
        self.scaling.c[i] * self.scaling.scale
    }

    /// One equilibrated unit of `w_i`.
    pub(crate) fn value_unit(&self, i: usize) -> f64 {
        self.scaling.scale / self.scaling.r[i]
    }

    /// Largest factor by which a unit is larger or smaller than in `other`.
    pub(crate) fn distance_from(&self, other: &Equilibrated) -> f64 {
        let factor = |a: f64, b: f64| (a / b).max(b / a);
        (0..self.bounds.len()).fold(1.0, |worst: f64, i| {
            worst
                .max(factor(self.unit(i), other.unit(i)))
                .max(factor(self.value_unit(i), other.value_unit(i)))
        })
    }

    /// From the problem's units.
    pub(crate) fn shrink(&self, z: &[f64], scaled: &mut [f64]) {
        scaled.iter_mut().zip(z).enumerate().for_each(|(i, (to, z))| *to = z / self.unit(i));
    }

    /// To the problem's units.
    pub(crate) fn expand(&self, scaled: &[f64], z: &mut [f64]) {
        z.iter_mut().zip(scaled).enumerate().for_each(|(i, (to, z))| *to = z * self.unit(i));
    }

    /// The projection on the box.
    pub(crate) fn project(&self, scaled: &mut [f64]) {
        scaled.iter_mut().zip(&self.bounds).for_each(|(z, [lower, upper])| *z = z.max(*lower).min(*upper));
    }

    /// Writes `what` at `zhat`; may be NaN outside the domain of the function.
    pub(crate) fn value<P: Bounded>(&mut self, problem: &P, scaled: &[f64], w: &mut [f64]) {
        let mut z = std::mem::take(&mut self.z);
        self.expand(scaled, &mut z);
        problem.eval(&z, w);
        self.z = z;
        let unit = 1.0 / self.scaling.scale;
        w.iter_mut().zip(&self.scaling.r).for_each(|(w, r)| *w *= r * unit);
    }

    /// Writes the Jacobian at `zhat`, row-major. False if it is not finite, where an infinite slope, say of a root at its bound, counts
    /// as [`STEEP`]: a step then leaves the bound by next to nothing, and the slope is finite there.
    pub(crate) fn jacobian<P: Bounded>(&mut self, problem: &P, scaled: &[f64], jacobian: &mut [f64]) -> bool {
        let mut z = std::mem::take(&mut self.z);
        self.expand(scaled, &mut z);
        problem.jacobian(&z, jacobian);
        self.z = z;
        for (row, r) in jacobian.chunks_exact_mut(self.bounds.len().max(1)).zip(&self.scaling.r) {
            row.iter_mut().zip(&self.scaling.c).for_each(|(entry, c)| *entry *= r * c);
        }
        let infinite = jacobian.iter_mut().filter(|entry| entry.is_infinite());
        infinite.for_each(|entry| *entry = STEEP.copysign(*entry));
        all_finite(jacobian)
    }
}

/// Every row, then every column of the matrix gets a largest entry of about 1.
fn normalize_rows(scaling: &mut Scaling, matrix: &[f64], q: &[f64]) {
    let n = q.len();
    let unit = |largest: f64| if largest > 0.0 { power_of_two(1.0 / largest) } else { 1.0 };
    scaling.r.clear();
    scaling.c.clear();
    scaling.c.resize(n, 0.0);
    for row in matrix.chunks_exact(n.max(1)) {
        let r = unit(largest_abs(row));
        scaling.r.push(r);
        scaling.c.iter_mut().zip(row).for_each(|(c, entry)| *c = f64::max(*c, (entry * r).abs()));
    }
    scaling.c.iter_mut().for_each(|c| *c = unit(*c));
    let size = q.iter().zip(&scaling.r).fold(0.0, |worst: f64, (q, r)| worst.max((q * r).abs()));
    scaling.scale = if size > 0.0 { power_of_two(size) } else { 1.0 };
}

/// Ratio of the largest to the smallest scaled constant that is not zero.
fn spread(scaling: &Scaling, q: &[f64]) -> f64 {
    let sizes = q.iter().zip(&scaling.r).map(|(q, r)| (q * r).abs()).filter(|size| *size > 0.0);
    let [low, high] = sizes.fold([f64::INFINITY, 0.0], |[low, high], size| [size.min(low), size.max(high)]);
    if high > 0.0 { high / low } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::BoxLcp;

    #[test]
    fn values_and_jacobians_of_rows_in_other_units_are_of_size_one_and_come_back_without_rounding() {
        let m = vec![2e9, 1e3, 3e3, 5e-3];
        let problem = BoxLcp::new(m, vec![7e4, -3e-2], vec![0.0, -2.0], vec![f64::INFINITY, 3.0]).unwrap();
        let (mut units, mut jacobian) = (Equilibrated::default(), Vec::new());
        assert!(units.prepare(&problem, &[0.0; 2], &mut jacobian));
        let (mut scaled, mut z, mut w) = ([0.3, -0.7], [0.0; 2], [0.0; 2]);
        units.expand(&scaled, &mut z);
        units.shrink(&z, &mut scaled);
        assert_eq!(scaled, [0.3, -0.7]);
        assert!(units.jacobian(&problem, &scaled, &mut jacobian));
        assert!([0, 3].iter().all(|&at| (0.2..5.0).contains(&jacobian[at])), "{jacobian:?}");
        units.value(&problem, &[0.0; 2], &mut w);
        assert!(w.iter().fold(0.0, |worst: f64, w| worst.max(w.abs())) < 2.0, "{w:?}");
        assert_eq!(units.bounds[1][1] * units.unit(1), 3.0);
    }
}
