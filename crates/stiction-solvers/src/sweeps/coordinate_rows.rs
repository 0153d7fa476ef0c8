//! What coordinate methods need of a symmetric problem in a box: a row at a time, and products with the matrix.

use crate::linalg::dense::{Square, dot};
use crate::linalg::sparse_rows::SparseRows;
use crate::problem::checks::check_finite;
use crate::problem::linear::dense_linear::Linear;
use crate::problem::{Bounded, FactoredLcp, Problem, Residual, Solution};

/// A problem `l <= z <= u`, `w = M z + q` whose rows can be visited one by one.
///
/// `state` is what the problem keeps up to date between visits, see [`Rows::start`].
pub(crate) trait Rows: Problem {
    /// Bounds of `z_i`.
    fn bounds(&self, i: usize) -> [f64; 2];

    /// `M_ii`.
    fn diagonal(&self, i: usize) -> f64;

    /// `M_ij`.
    fn entry(&self, i: usize, j: usize) -> f64;

    /// Prepares visits from `z`, where `w` belongs to it.
    fn start(&self, z: &[f64], w: &[f64], state: &mut Vec<f64>);

    /// `w_i` at the present `z`.
    fn visit(&self, i: usize, z: &[f64], state: &[f64]) -> f64;

    /// Tells that `z_i` has grown by `delta`.
    fn moved(&self, i: usize, delta: f64, state: &mut [f64]);

    /// Writes `w` at the present `z`.
    fn value(&self, z: &[f64], state: &[f64], w: &mut [f64]) {
        w.iter_mut().enumerate().for_each(|(i, w)| *w = self.visit(i, z, state));
    }

    /// The factors from `w` and `z` to the dimensionless numbers of the residual.
    fn scales(&self) -> (f64, f64);

    /// The constant vector.
    fn constant(&self) -> &[f64];

    /// Writes `y = M x`; `state` is overwritten.
    fn multiply(&self, x: &[f64], y: &mut [f64], state: &mut Vec<f64>);

    /// Writes `w` and returns the residual of `z` and its rounding floor; `state` is overwritten.
    fn assess(&self, z: &[f64], w: &mut [f64], state: &mut Vec<f64>) -> (Residual, f64);

    /// `Y` of `M = Y Y^T`, if that is known and sparse.
    fn sparse_half(&self) -> Option<&SparseRows> {
        None
    }

    /// Whether every number of the problem is finite.
    fn is_finite(&self) -> bool;
}

/// Row `i` of a dense problem.
fn row<P: Linear>(problem: &P, i: usize) -> &[f64] {
    let n = Linear::constant(problem).len();
    &problem.matrix()[i * n..(i + 1) * n]
}

/// A dense problem, perhaps not symmetric, keeps no state: a visit goes through its row.
impl<P: Linear> Rows for P {
    fn bounds(&self, i: usize) -> [f64; 2] {
        Bounded::bounds(self, i)
    }

    fn diagonal(&self, i: usize) -> f64 {
        row(self, i)[i]
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        row(self, i)[j]
    }

    fn start(&self, _z: &[f64], _w: &[f64], _state: &mut Vec<f64>) {}

    fn visit(&self, i: usize, z: &[f64], _state: &[f64]) -> f64 {
        dot(row(self, i), z) + Linear::constant(self)[i]
    }

    fn moved(&self, _i: usize, _delta: f64, _state: &mut [f64]) {}

    fn scales(&self) -> (f64, f64) {
        self.units()
    }

    fn constant(&self) -> &[f64] {
        Linear::constant(self)
    }

    fn multiply(&self, x: &[f64], y: &mut [f64], _state: &mut Vec<f64>) {
        y.iter_mut().enumerate().for_each(|(i, y)| *y = dot(row(self, i), x));
    }

    fn assess(&self, z: &[f64], w: &mut [f64], _state: &mut Vec<f64>) -> (Residual, f64) {
        Linear::assess(self, z, w)
    }

    fn is_finite(&self) -> bool {
        check_finite(self.matrix(), Linear::constant(self)).is_ok()
    }
}

/// A dense problem known to be symmetric. The state is `w`: a visit costs nothing, and what has not moved costs nothing.
pub(crate) struct Symmetric<'a, P>(&'a P);

/// Entries that mirror each other may differ by so many roundings of the largest one.
const SYMMETRY: f64 = 64.0 * f64::EPSILON;

impl<'a, P: Linear> Symmetric<'a, P> {
    /// `None` if the matrix is not symmetric.
    pub(crate) fn new(problem: &'a P) -> Option<Symmetric<'a, P>> {
        let n = Linear::constant(problem).len();
        let largest = (0..n).fold(0.0, |largest: f64, i| largest.max(row(problem, i)[i].abs()));
        let matrix = Square { n, entries: problem.matrix() };
        matrix.is_symmetric(SYMMETRY * largest).then_some(Symmetric(problem))
    }
}

impl<P: Linear> Problem for Symmetric<'_, P> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        self.0.eval(z, w);
    }

    fn project(&self, z: &mut [f64]) {
        self.0.project(z);
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.0.residual(x)
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.0.residual_floor(x)
    }
}

impl<P: Linear> Rows for Symmetric<'_, P> {
    fn bounds(&self, i: usize) -> [f64; 2] {
        Bounded::bounds(self.0, i)
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.0.diagonal(i)
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.0.entry(i, j)
    }

    fn start(&self, _z: &[f64], w: &[f64], state: &mut Vec<f64>) {
        state.clear();
        state.extend_from_slice(w);
    }

    fn visit(&self, i: usize, _z: &[f64], state: &[f64]) -> f64 {
        state[i]
    }

    fn moved(&self, i: usize, delta: f64, state: &mut [f64]) {
        state.iter_mut().zip(row(self.0, i)).for_each(|(w, m)| *w += m * delta);
    }

    fn scales(&self) -> (f64, f64) {
        self.0.units()
    }

    fn constant(&self) -> &[f64] {
        Linear::constant(self.0)
    }

    fn multiply(&self, x: &[f64], y: &mut [f64], _state: &mut Vec<f64>) {
        y.fill(0.0);
        (0..x.len()).filter(|&i| x[i] != 0.0).for_each(|i| self.moved(i, x[i], y));
    }

    fn assess(&self, z: &[f64], w: &mut [f64], _state: &mut Vec<f64>) -> (Residual, f64) {
        Linear::assess(self.0, z, w)
    }

    fn is_finite(&self) -> bool {
        Rows::is_finite(self.0)
    }
}

/// The state is `p = Y^T z`, so that a visit costs `m` and not `n`.
impl Rows for FactoredLcp {
    fn bounds(&self, _i: usize) -> [f64; 2] {
        [0.0, f64::INFINITY]
    }

    fn diagonal(&self, i: usize) -> f64 {
        FactoredLcp::diagonal(self, i)
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        FactoredLcp::entry(self, i, j)
    }

    fn start(&self, z: &[f64], _w: &[f64], state: &mut Vec<f64>) {
        state.resize(self.columns(), 0.0);
        self.push(z, state);
    }

    fn visit(&self, i: usize, _z: &[f64], state: &[f64]) -> f64 {
        self.row_dot(i, state) + self.q()[i]
    }

    fn moved(&self, i: usize, delta: f64, state: &mut [f64]) {
        self.add_row(i, delta, state);
    }

    fn scales(&self) -> (f64, f64) {
        self.units()
    }

    fn constant(&self) -> &[f64] {
        self.q()
    }

    fn multiply(&self, x: &[f64], y: &mut [f64], state: &mut Vec<f64>) {
        self.start(x, &[], state);
        y.iter_mut().enumerate().for_each(|(i, y)| *y = self.row_dot(i, state));
    }

    fn assess(&self, z: &[f64], w: &mut [f64], state: &mut Vec<f64>) -> (Residual, f64) {
        FactoredLcp::assess(self, z, w, state)
    }

    fn sparse_half(&self) -> Option<&SparseRows> {
        FactoredLcp::sparse_half(self)
    }

    fn is_finite(&self) -> bool {
        self.check_finite().is_ok()
    }
}

/// One sweep of projected successive over-relaxation: every `z_i` in turn takes the step that makes its own row's `w_i`
/// vanish, times `relaxation`, as far as its bounds let it. Rows without a positive diagonal are left alone.
///
/// Returns the largest change in units of `w`: `|M_ii dz_i|`.
pub(crate) fn sweep<P: Rows>(problem: &P, relaxation: f64, z: &mut [f64], state: &mut [f64]) -> f64 {
    let mut largest: f64 = 0.0;
    for i in 0..z.len() {
        let diagonal = problem.diagonal(i);
        if diagonal > 0.0 {
            let [lower, upper] = problem.bounds(i);
            let w = problem.visit(i, z, state);
            let next = (z[i] - relaxation * w / diagonal).max(lower).min(upper);
            let delta = next - z[i];
            if delta != 0.0 {
                z[i] = next;
                problem.moved(i, delta, state);
                largest = largest.max((diagonal * delta).abs());
            }
        }
    }
    largest
}
