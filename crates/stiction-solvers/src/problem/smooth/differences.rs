//! A function that is known by its values only: its Jacobian by differences.
//!
//! # Method
//! Column `j` is the central difference over `z_j -+ h`, with `h = eps^(1/3) max(|z_j|, 1)`, where the bounds and the domain leave both
//! sides, and otherwise the three-point one over `z_j, z_j + h / 2, z_j + h` (or below). Both are of second order and exact for
//! a parabola. How far the middle value is from the straight line between the others tells whether the function bends within the
//! step: beside a pole, say a demand `1 / p` at `p = 1e-8`, a step fit for `p = 1` says nothing of the slope. The step is then
//! shortened until it does not, to `eps^(1/3) |z_j|` at most.
//!
//! # Cost
//! Two values a column, and two more for every shorter step.

use crate::problem::smooth::mcp::Smooth;

/// Relative step, the cube root of the rounding: there the errors of second-order differences and of rounding are the same.
const STEP: f64 = 6e-6;

/// The step is shortened by this factor.
const SHORTEN: f64 = 1.0 / 32.0;

/// The shortest step at zero.
const SHORTEST: f64 = STEP * 1e-10;

/// A bend no more than this part of the change, or this part of the value, is none.
const BEND: f64 = 1e-3;
const FLAT: f64 = 1e-9;

/// Room for a step (relative) below which an unknown is fixed by its bounds.
const ROOM: f64 = 1.5e-8;

/// A function by its values, in bounds that differences stay within.
///
/// ```
/// use stiction_solvers::{Differences, Mcp, Path, PathSettings, Solution, Solver, Start, Status};
/// let (lower, upper) = (vec![1e-8], vec![f64::INFINITY]);
/// let demand = Differences::new(lower.clone(), upper.clone(), |p: &[f64], f: &mut [f64]| f[0] = 2.0 - 1.0 / p[0]);
/// let problem = Mcp::new(demand, lower, upper)?;
/// let mut x = Solution::default();
/// let mut solver = Path::new(PathSettings::default())?;
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 0.5).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Differences<F> {
    lower: Vec<f64>,
    upper: Vec<f64>,
    value: F,
}

impl<F: Fn(&[f64], &mut [f64])> Differences<F> {
    /// The function that writes its `n` values at the first argument (n) into the second, and bounds of the unknowns (n). A
    /// point beyond them is differenced to both sides. Outside its domain the function may write NaN.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>, value: F) -> Differences<F> {
        Differences { lower, upper, value }
    }

    /// Writes column `j` of the Jacobian at `z`, where the value is `here`; NaN where it cannot be told.
    fn column(&self, z: &[f64], j: usize, here: &[f64], jacobian: &mut [f64]) {
        let n = z.len();
        let size = z[j].abs().max(1.0);
        let room = self.upper[j] - self.lower[j];
        let mut values = Values { of: self, at: z.to_vec(), j };
        let shortest = if z[j] == 0.0 { SHORTEST } else { STEP * z[j].abs() };
        let mut step = (STEP * size).min(0.5 * room);
        // An unknown whose bounds leave no room for a step is no unknown.
        let is_unknown = room > ROOM * size;
        let mut best: Option<Vec<f64>> = None;
        let mut shortening = is_unknown;
        while shortening {
            let bends = match values.slopes(here, step) {
                Some((slopes, bends)) => {
                    best = Some(slopes);
                    bends
                }
                // Out of the domain: a shorter step may be in it.
                None => true,
            };
            shortening = bends && step > shortest;
            step = (step * SHORTEN).max(shortest);
        }
        let missing = if is_unknown { f64::NAN } else { 0.0 };
        for i in 0..n {
            jacobian[i * n + j] = best.as_ref().map_or(missing, |slopes| slopes[i]);
        }
    }
}

/// The values of a function along one unknown.
struct Values<'a, F> {
    of: &'a Differences<F>,
    at: Vec<f64>,
    j: usize,
}

/// A point on the line and the values there.
type Sample = (f64, Vec<f64>);

impl<F: Fn(&[f64], &mut [f64])> Values<'_, F> {
    /// The values so far from the point, if they are within the bounds and in the domain.
    fn sample(&mut self, step: f64) -> Option<Sample> {
        let (j, from) = (self.j, self.at[self.j]);
        let bounds = self.of.lower[j]..=self.of.upper[j];
        let there = from + step;
        if (bounds.contains(&from) && !bounds.contains(&there)) || there == from {
            return None;
        }
        self.at[j] = there;
        let mut value = vec![0.0; self.at.len()];
        (self.of.value)(&self.at, &mut value);
        self.at[j] = from;
        value.iter().all(|v| v.is_finite()).then_some((there - from, value))
    }

    /// The slopes by differences over `step`, and whether the function bends within it.
    fn slopes(&mut self, here: &[f64], step: f64) -> Option<(Vec<f64>, bool)> {
        let (up, down) = (self.sample(step), self.sample(-step));
        if let (Some((h, above)), Some((k, below))) = (&up, &down) {
            // The middle value is `here`.
            return Some(central((*h, above), (*k, below), here));
        }
        let (far, side) = up.map(|up| (up, 0.5)).or_else(|| down.map(|down| (down, -0.5)))?;
        let near = self.sample(side * step)?;
        Some(one_sided(here, &near, &far))
    }
}

fn central((h, above): (f64, &[f64]), (k, below): (f64, &[f64]), here: &[f64]) -> (Vec<f64>, bool) {
    let slopes = above.iter().zip(below).map(|(above, below)| (above - below) / (h - k)).collect();
    let bends = (0..here.len()).any(|i| bends([below[i], here[i], above[i]]));
    (slopes, bends)
}

/// The parabola through the three values.
fn one_sided(here: &[f64], (h, near): &Sample, (k, far): &Sample) -> (Vec<f64>, bool) {
    let slope = |i: usize| {
        let (first, second) = ((near[i] - here[i]) / h, (far[i] - here[i]) / k);
        first + (first - second) * h / (k - h)
    };
    let bends = (0..here.len()).any(|i| bends([here[i], near[i], far[i]]));
    ((0..here.len()).map(slope).collect(), bends)
}

fn bends([first, middle, last]: [f64; 3]) -> bool {
    let bend = (first - middle + (last - middle)).abs();
    bend > BEND * (last - first).abs() + FLAT * (1.0 + middle.abs())
}

impl<F: Fn(&[f64], &mut [f64])> Smooth for Differences<F> {
    fn dim(&self) -> usize {
        self.lower.len()
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        (self.value)(z, f);
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        let mut here = vec![0.0; z.len()];
        self.value(z, &mut here);
        for j in 0..z.len() {
            self.column(z, j, &here, jacobian);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    fn slope(value: fn(f64) -> f64, z: f64, lower: f64, upper: f64) -> f64 {
        let function =
            Differences::new(vec![lower], vec![upper], |z: &[f64], f: &mut [f64]| f[0] = value(z[0]));
        let mut jacobian = [0.0];
        function.jacobian(&[z], &mut jacobian);
        jacobian[0]
    }

    #[test]
    fn slopes_are_right_to_five_digits_from_a_pole_to_far_away_from_it_within_bounds_and_at_them() {
        // Where a bend of 1e-3 just passes, the step is 1e-3 (1 / z), 2e-3 (logarithm) or 4e-3 (root) of z, and the error of
        // second order 1e-6, 1.3e-6 or 2e-6.
        for exponent in -12..=12 {
            let z = 1.7 * 10f64.powi(exponent);
            for [lower, upper] in [[-INF, INF], [0.0, INF], [z, INF], [-INF, z], [0.1 * z, 1.1 * z]] {
                // Narrower bounds fix the unknown.
                if upper - lower <= ROOM * z.max(1.0) {
                    continue;
                }
                let within = |tolerance: f64, value: f64, exact: f64| {
                    assert!(
                        (value - exact).abs() <= tolerance * exact.abs(),
                        "{z:e} in {lower:e}..{upper:e}: {value:e}, not {exact:e}"
                    );
                };
                let near = |value: f64, exact: f64| within(3e-6, value, exact);
                near(slope(|z| 1.0 / z, z, lower, upper), -1.0 / z / z);
                near(slope(|z| if z > 0.0 { z.ln() } else { f64::NAN }, z, lower, upper), 1.0 / z);
                // Of values far below 1 a bend of FLAT passes too, which is this part of the slope.
                within(3e-6 + FLAT / z.sqrt(), slope(f64::sqrt, z, lower, upper), 0.5 / z.sqrt());
                near(slope(|z| 3.0 * z, z, lower, upper), 3.0);
            }
        }
        assert_eq!(slope(|z| z * z, 0.0, -INF, INF), 0.0);
        assert!(slope(|z| z * z - 2.0 * z, 0.0, 0.0, INF) + 2.0 < 1e-9);
    }

    #[test]
    fn a_fixed_unknown_has_no_slope_and_a_function_that_is_nowhere_defined_has_none_either() {
        assert_eq!(slope(|z| z, 1.0, 1.0, 1.0), 0.0);
        assert!(slope(|_| f64::NAN, 1.0, 0.0, INF).is_nan());
    }

    #[test]
    fn the_function_is_called_within_its_bounds_only() {
        let function = Differences::new(vec![0.25, -1.0], vec![1.0, 1.0], |z: &[f64], f: &mut [f64]| {
            assert!((0.25..=1.0).contains(&z[0]) && (-1.0..=1.0).contains(&z[1]), "{z:?}");
            f.copy_from_slice(&[z[0].recip() + z[1], z[0] * z[1]]);
        });
        for z in [[0.25, -1.0], [1.0, 1.0], [0.25, 1.0], [0.5, 0.0]] {
            let mut jacobian = [0.0; 4];
            function.jacobian(&z, &mut jacobian);
            let exact = [-1.0 / z[0] / z[0], 1.0, z[1], z[0]];
            assert!(jacobian.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-6), "{jacobian:?} {exact:?}");
        }
    }
}
