//! The nonlinear mixed complementarity problem: a function, its Jacobian and bounds.
//!
//! `l <= z <= u` with `F_i(z) >= 0` at the lower bound, `<= 0` at the upper and `= 0` between them.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *MCPLIB: a collection of nonlinear mixed complementarity problems*, Optimization
//! Methods and Software 5 (1995) 319-345.

use crate::linalg::dense::dot_and_magnitude;
use crate::problem::error::SolverError;
use crate::problem::linear::box_lcp::check_bounds;
use crate::problem::residual::{Assessed, Dense};
use crate::problem::traits::{Bounded, Problem, Residual, Solution};

/// A function of `n` unknowns with its Jacobian.
pub trait Smooth {
    /// Number `n` of unknowns and values.
    fn dim(&self) -> usize;

    /// Writes `F(z)` into `f`; both have length `n`. Outside its domain it may write NaN.
    fn value(&self, z: &[f64], f: &mut [f64]);

    /// Writes `dF_i / dz_j` at `z`, row-major, into `n * n` entries.
    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]);
}

/// A mixed complementarity problem in a [`Smooth`] function.
///
/// An answer is judged by the linearization of the function there, `F(z) = J z + (F(z) - J z)`, row by row in the unit of the
/// terms of this sum: see [`Residual`]. The function need not be defined in the whole box.
///
/// ```
/// use stiction_solvers::{FbPlm, FbPlmSettings, Mcp, Smooth, Solution, Solver, Start, Status};
/// /// `F(z) = z^2 - 4`.
/// #[derive(Debug)]
/// struct Square;
/// impl Smooth for Square {
///     fn dim(&self) -> usize {
///         1
///     }
///     fn value(&self, z: &[f64], f: &mut [f64]) {
///         f[0] = z[0] * z[0] - 4.0;
///     }
///     fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
///         jacobian[0] = 2.0 * z[0];
///     }
/// }
/// let problem = Mcp::new(Square, vec![1.0], vec![f64::INFINITY])?;
/// let mut solver = FbPlm::new(FbPlmSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 2.0).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mcp<F> {
    function: F,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<F: Smooth> Mcp<F> {
    /// The problem with bounds of the function's length; lower bounds may be `-inf`, upper ones `+inf`.
    ///
    /// # Errors
    /// [`SolverError::Length`] and [`SolverError::Bounds`]. The function is not evaluated: a solve does that where it goes.
    pub fn new(function: F, lower: Vec<f64>, upper: Vec<f64>) -> Result<Mcp<F>, SolverError> {
        let n = function.dim();
        check_bounds(&lower, &upper, n)?;
        Ok(Mcp { function, lower, upper })
    }

    /// The function.
    pub fn function(&self) -> &F {
        &self.function
    }

    /// Writes `w = F(z)` and returns the residual of `z` and its rounding floor. `jacobian` is memory to reuse.
    ///
    /// Wrong lengths, and NaN anywhere, give infinite numbers.
    pub fn assess(&self, z: &[f64], w: &mut [f64], jacobian: &mut Vec<f64>) -> (Residual, f64) {
        let n = self.lower.len();
        if z.len() != n || w.len() != n {
            return (Residual::INFINITE, f64::INFINITY);
        }
        jacobian.resize(n * n, 0.0);
        self.function.value(z, w);
        self.function.jacobian(z, jacobian);
        // An infinite slope, say of a root at zero, makes any distance matter and what is at rest none.
        let slopes = jacobian.iter_mut().filter(|slope| slope.is_infinite());
        slopes.for_each(|slope| *slope = f64::MAX.copysign(*slope));
        let mut assessed = Assessed::begin();
        for i in 0..n {
            let (sum, terms) = dot_and_magnitude(&jacobian[i * n..(i + 1) * n], z);
            assessed.push(w[i], w[i] - sum, terms);
        }
        assessed.finish(&Dense(jacobian), z, |i| [self.lower[i], self.upper[i]])
    }
}

/// [`Mcp::assess`] does the same without allocating.
impl<F: Smooth> Problem for Mcp<F> {
    fn dim(&self) -> usize {
        self.lower.len()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        self.function.value(z, w);
    }

    fn project(&self, z: &mut [f64]) {
        for (z, (l, u)) in z.iter_mut().zip(self.lower.iter().zip(&self.upper)) {
            *z = z.max(*l).min(*u);
        }
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.assess(&x.z, &mut vec![0.0; self.lower.len()], &mut Vec::new()).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.assess(&x.z, &mut vec![0.0; self.lower.len()], &mut Vec::new()).1
    }
}

impl<F: Smooth> Bounded for Mcp<F> {
    fn bounds(&self, i: usize) -> [f64; 2] {
        [self.lower[i], self.upper[i]]
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        self.function.jacobian(z, jacobian);
    }

    fn assess_answer(&self, x: &mut Solution, scratch: &mut Vec<f64>) -> (Residual, f64) {
        x.w.resize(self.dim(), 0.0);
        self.assess(&x.z, &mut x.w, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `F(z) = z^3 - 8`.
    struct Cube;

    impl Smooth for Cube {
        fn dim(&self) -> usize {
            1
        }

        fn value(&self, z: &[f64], f: &mut [f64]) {
            f[0] = z[0] * z[0] * z[0] - 8.0;
        }

        fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
            jacobian[0] = 3.0 * z[0] * z[0];
        }
    }

    #[test]
    fn a_root_inside_the_box_and_a_bound_short_of_it_are_solutions() {
        let at = |z: f64, upper: f64| {
            let problem = Mcp::new(Cube, vec![0.0], vec![upper]).unwrap();
            problem.residual(&Solution { z: vec![z], w: vec![] }).natural_map
        };
        assert_eq!(at(2.0, f64::INFINITY), 0.0);
        assert_eq!(at(1.0, 1.0), 0.0);
        assert!(at(1.0, f64::INFINITY) > 0.1);
    }
}
