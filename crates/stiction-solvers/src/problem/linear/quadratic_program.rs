//! The convex quadratic program as a complementarity problem for its multipliers.
//!
//! `min 1/2 v^T G v + g^T v` subject to `E v + e = 0` and `N v + a >= 0`, with `G` (`m x m`) symmetric positive definite. A
//! step with normal contacts and bilateral rows is such a program: the velocity nearest to the free one, in the metric of
//! the inertia, that the rows admit.
//!
//! With multipliers `z = (lambda, mu)` of the rows `A = (E; N)` the best point is `v = G^-1 (A^T z - g)`. With the
//! Cholesky factor `G = L L^T` and `Y = A L^-T` what remains is `w = Y Y^T z + q`, `q = (e; a) - A G^-1 g`: `w = 0` where
//! `z` is free (equalities), `0 <= z  perp  w >= 0` elsewhere. That is the problem here: `z` the unknowns, `w` the value
//! of the rows; [`QuadraticProgram::point`] gives `v`. Without equalities it is a [`FactoredLcp`].
//!
//! # References
//! S. Boyd, L. Vandenberghe, *Convex Optimization*, 2004, section 5.5.3.

use crate::linalg::cholesky::Cholesky;
use crate::problem::error::SolverError;
use crate::problem::linear::factored_lcp::FactoredLcp;
use crate::problem::traits::{Problem, Residual, Solution};

/// The data of a program of `m` unknowns, `k` equalities and `n` inequalities; matrices are row-major.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuadraticBlocks<'a> {
    /// `G`, `m x m`, symmetric positive definite.
    pub hessian: &'a [f64],
    /// `g`, `m` entries.
    pub gradient: &'a [f64],
    /// `E`, `k x m`.
    pub equalities: &'a [f64],
    /// `e`, `k` entries.
    pub equality_constants: &'a [f64],
    /// `N`, `n x m`.
    pub inequalities: &'a [f64],
    /// `a`, `n` entries.
    pub inequality_constants: &'a [f64],
}

/// Find the multipliers `z` (`k` free ones, then `n >= 0`) of the least point; see the [module documentation](self).
///
/// ```
/// use stiction_solvers::{
///     ActiveSetQp, ActiveSetQpSettings, QuadraticBlocks, QuadraticProgram, Solution, Solver, Start,
///     Status,
/// };
/// // The point nearest to zero with v_0 + v_1 = 2 and v_0 >= 1.5.
/// let problem = QuadraticProgram::new(&QuadraticBlocks {
///     hessian: &[1.0, 0.0, 0.0, 1.0],
///     gradient: &[0.0, 0.0],
///     equalities: &[1.0, 1.0],
///     equality_constants: &[-2.0],
///     inequalities: &[1.0, 0.0],
///     inequality_constants: &[-1.5],
/// })?;
/// let mut solver = ActiveSetQp::new(ActiveSetQpSettings::default())?;
/// let (mut x, mut v) = (Solution::default(), Vec::new());
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// problem.point(&x.z, &mut v);
/// assert!((v[0] - 1.5).abs() < 1e-12 && (v[1] - 0.5).abs() < 1e-12);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct QuadraticProgram {
    /// The problem of the multipliers, the first `free` of which are free.
    dual: FactoredLcp,
    free: usize,
    factor: Cholesky,
    /// `L^-1 g`.
    gradient: Vec<f64>,
}

impl QuadraticProgram {
    /// The program with the given data.
    ///
    /// # Errors
    /// [`SolverError::Length`] names the block with the wrong number of entries, [`SolverError::NotPositiveDefinite`] the
    /// hessian; an entry that is not finite.
    pub fn new(blocks: &QuadraticBlocks) -> Result<QuadraticProgram, SolverError> {
        let (m, k, n) =
            (blocks.gradient.len(), blocks.equality_constants.len(), blocks.inequality_constants.len());
        for (what, list, needed) in [
            ("hessian", blocks.hessian, m * m),
            ("equalities", blocks.equalities, k * m),
            ("inequalities", blocks.inequalities, n * m),
        ] {
            if list.len() != needed {
                return Err(SolverError::Length { what, given: list.len(), needed });
            }
        }
        let mut factor = Cholesky::default();
        factor
            .factor(blocks.hessian, m)
            .map_err(|failure| SolverError::not_positive_definite("hessian", failure))?;
        let mut gradient = blocks.gradient.to_vec();
        factor.solve_lower(&mut gradient);
        let mut half = [blocks.equalities, blocks.inequalities].concat();
        half.chunks_exact_mut(m.max(1)).for_each(|row| factor.solve_lower(row));
        let constants = blocks.equality_constants.iter().chain(blocks.inequality_constants);
        let q = constants.enumerate().map(|(i, constant)| {
            let row = &half[i * m..(i + 1) * m];
            constant - row.iter().zip(&gradient).map(|(y, g)| y * g).sum::<f64>()
        });
        let q = q.collect();
        Ok(QuadraticProgram { dual: FactoredLcp::from_half(m, half, q)?, free: k, factor, gradient })
    }

    /// Number `k` of equalities: the multipliers `z[..k]` are free.
    pub fn equalities(&self) -> usize {
        self.free
    }

    /// The problem of the multipliers as if none were free.
    pub(crate) fn dual(&self) -> &FactoredLcp {
        &self.dual
    }

    /// Writes the point `v = G^-1 (A^T z - g)` that belongs to multipliers `z` (`k + n` entries).
    pub fn point(&self, z: &[f64], v: &mut Vec<f64>) {
        v.resize(self.gradient.len(), 0.0);
        self.dual.push(z, v);
        v.iter_mut().zip(&self.gradient).for_each(|(v, g)| *v -= g);
        self.factor.solve_upper(v);
    }
}

impl Problem for QuadraticProgram {
    fn dim(&self) -> usize {
        self.dual.dim()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        self.dual.eval(z, w);
    }

    fn project(&self, z: &mut [f64]) {
        self.dual.project(&mut z[self.free..]);
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.dual.assess_with(self.free, &x.z, &mut vec![0.0; self.dim()], &mut Vec::new()).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.dual.assess_with(self.free, &x.z, &mut vec![0.0; self.dim()], &mut Vec::new()).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_of_no_multipliers_is_the_unconstrained_least_one() {
        let blocks = QuadraticBlocks {
            hessian: &[2.0, 1.0, 1.0, 3.0],
            gradient: &[-4.0, -7.0],
            equalities: &[1.0, 1.0],
            equality_constants: &[-2.0],
            ..QuadraticBlocks::default()
        };
        let program = QuadraticProgram::new(&blocks).unwrap();
        let mut v = Vec::new();
        program.point(&[0.0], &mut v);
        // (2 v1 + v2, v1 + 3 v2) = (4, 7): v = (1, 2), where the equality is off by 1.
        assert!((v[0] - 1.0).abs() < 1e-15 && (v[1] - 2.0).abs() < 1e-15);
        let mut w = [0.0];
        program.eval(&[0.0], &mut w);
        assert!((w[0] - 1.0).abs() < 1e-15);
        assert!(program.residual(&Solution::new(1)).natural_map > 0.1);
    }

    #[test]
    fn blocks_of_the_wrong_length_and_an_indefinite_hessian_are_refused_by_name() {
        let blocks = QuadraticBlocks { hessian: &[1.0], gradient: &[1.0, 2.0], ..QuadraticBlocks::default() };
        assert!(QuadraticProgram::new(&blocks).unwrap_err().to_string().contains("hessian"));
        let blocks = QuadraticBlocks { hessian: &[-1.0], gradient: &[1.0], ..QuadraticBlocks::default() };
        assert!(QuadraticProgram::new(&blocks).unwrap_err().to_string().contains("not positive definite"));
        let blocks = QuadraticBlocks {
            hessian: &[1.0],
            gradient: &[1.0],
            inequality_constants: &[1.0],
            ..QuadraticBlocks::default()
        };
        assert!(QuadraticProgram::new(&blocks).unwrap_err().to_string().contains("inequalities"));
    }
}
