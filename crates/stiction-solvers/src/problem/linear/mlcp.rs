//! The mixed linear complementarity problem: free unknowns with equations, nonnegative ones with complementarity.
//!
//! `A u + C v + a = 0`, `0 <= v  perp  D u + B v + b >= 0`. The unknowns of the solution are `z = (u, v)`, its values
//! `w = (A u + C v + a, D u + B v + b)`.
//!
//! # References
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992 (SIAM 2009), section 1.5;
//! H. Mylapilli, A. Jain, *Complementarity techniques for minimal coordinate contact dynamics*, 2014, section 3.

use serde::{Deserialize, Serialize};

use crate::linalg::lu::Lu;
use crate::problem::error::SolverError;
use crate::problem::linear::box_lcp::BoxLcp;
use crate::problem::linear::lcp::Lcp;
use crate::problem::traits::{Bounded, Problem, Residual, Solution};

/// Find free `u` (`n` entries) and nonnegative `v` (`m` entries); see the [module](self).
///
/// Kept as one [`BoxLcp`] in the unknowns `(u, v)`, which evaluates the answers.
///
/// ```
/// use stiction_solvers::{Mlcp, MlcpBlocks, Path, PathSettings, Solution, Solver, Start, Status};
/// // u is free with u + v = 1; 0 <= v  perp  v - u >= 0.
/// let blocks = MlcpBlocks {
///     a: &[1.0], c: &[1.0], d: &[-1.0], b: &[1.0], a_vector: &[-1.0], b_vector: &[0.0],
/// };
/// let mut solver = Path::new(PathSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(solver.solve(&Mlcp::new(&blocks)?, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 0.5).abs() < 1e-12 && (x.z[1] - 0.5).abs() < 1e-12);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mlcp {
    free: usize,
    problem: BoxLcp,
}

/// The blocks of a mixed problem, each row-major.
#[derive(Clone, Copy, Debug)]
pub struct MlcpBlocks<'a> {
    /// `A`, `n x n`.
    pub a: &'a [f64],
    /// `C`, `n x m`.
    pub c: &'a [f64],
    /// `D`, `m x n`.
    pub d: &'a [f64],
    /// `B`, `m x m`.
    pub b: &'a [f64],
    /// `a`, `n`.
    pub a_vector: &'a [f64],
    /// `b`, `m`.
    pub b_vector: &'a [f64],
}

impl Mlcp {
    /// The problem with these blocks; `n` and `m` are the lengths of the two vectors.
    ///
    /// # Errors
    /// [`SolverError::Length`] names the block with the wrong number of entries; an entry that is not finite.
    pub fn new(blocks: &MlcpBlocks) -> Result<Mlcp, SolverError> {
        let (n, m) = (blocks.a_vector.len(), blocks.b_vector.len());
        let sizes =
            [("A", blocks.a, n * n), ("C", blocks.c, n * m), ("D", blocks.d, m * n), ("B", blocks.b, m * m)];
        for (what, block, needed) in sizes {
            if block.len() != needed {
                return Err(SolverError::Length { what, given: block.len(), needed });
            }
        }
        let mut problem = BoxLcp::default();
        problem.resize(n + m);
        for (i, row) in problem.matrix_mut().chunks_exact_mut((n + m).max(1)).enumerate() {
            let (left, right) = row.split_at_mut(n);
            if i < n {
                left.copy_from_slice(&blocks.a[i * n..(i + 1) * n]);
                right.copy_from_slice(&blocks.c[i * m..(i + 1) * m]);
            } else {
                let i = i - n;
                left.copy_from_slice(&blocks.d[i * n..(i + 1) * n]);
                right.copy_from_slice(&blocks.b[i * m..(i + 1) * m]);
            }
        }
        problem.q_mut()[..n].copy_from_slice(blocks.a_vector);
        problem.q_mut()[n..].copy_from_slice(blocks.b_vector);
        for i in n..n + m {
            problem.set_bounds(i, 0.0, f64::INFINITY)?;
        }
        problem.check_finite()?;
        Ok(Mlcp { free: n, problem })
    }

    /// Number of free unknowns.
    pub fn free(&self) -> usize {
        self.free
    }

    /// The same problem as a box LCP in `(u, v)`.
    pub fn as_box_lcp(&self) -> &BoxLcp {
        &self.problem
    }

    /// The problem in `v` alone: `M = B - D A^-1 C`, `q = b - D A^-1 a`.
    ///
    /// # Errors
    /// [`SolverError::SingularBlock`] if `A` has no reliable inverse.
    pub fn reduce(&self) -> Result<ReducedMlcp, SolverError> {
        let (n, size) = (self.free, self.problem.q().len());
        let m = size - n;
        let mut lu = Lu::default();
        let a = lu.matrix_mut(n);
        // Rows of A divided by their largest entry: the factorization compares pivots with the largest of all.
        let mut row_units = vec![1.0; n];
        for i in 0..n {
            let row = &self.problem.row(i)[..n];
            let largest = row.iter().fold(0.0, |worst: f64, v| worst.max(v.abs()));
            row_units[i] = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            for (to, from) in a[i * n..(i + 1) * n].iter_mut().zip(row) {
                *to = from * row_units[i];
            }
        }
        lu.factor().map_err(|_| SolverError::SingularBlock { what: "A" })?;
        // Column m holds A^-1 a.
        let mut inverse = vec![0.0; (m + 1) * n];
        for (j, column) in inverse.chunks_exact_mut(n.max(1)).enumerate() {
            for i in 0..n {
                let value = if j < m { self.problem.row(i)[n + j] } else { self.problem.q()[i] };
                column[i] = value * row_units[i];
            }
            lu.solve(column);
        }
        let mut lcp = Lcp::empty();
        lcp.resize(m);
        let through = |row: &[f64], j: usize| -> f64 {
            row[..n].iter().zip(&inverse[j * n..(j + 1) * n]).map(|(d, x)| d * x).sum()
        };
        for i in 0..m {
            let row = self.problem.row(n + i);
            for j in 0..m {
                lcp.matrix_mut()[i * m + j] = row[n + j] - through(row, j);
            }
            lcp.q_mut()[i] = self.problem.q()[n + i] - through(row, m);
        }
        lcp.check_finite().map_err(|_| SolverError::SingularBlock { what: "A" })?;
        Ok(ReducedMlcp { lcp, free: n, inverse })
    }
}

/// A mixed problem reduced to its nonnegative unknowns, and the way back.
#[derive(Clone, Debug)]
pub struct ReducedMlcp {
    lcp: Lcp,
    free: usize,
    /// Columns of `A^-1 C`, then `A^-1 a`, each `n` long.
    inverse: Vec<f64>,
}

impl ReducedMlcp {
    /// The problem in `v`.
    pub fn lcp(&self) -> &Lcp {
        &self.lcp
    }

    /// Writes `z = (u, v)` with `u = -A^-1 (C v + a)` into `x`; `x.w` is left for the problem to fill.
    pub fn expand(&self, v: &[f64], x: &mut Solution) {
        let (n, m) = (self.free, self.lcp.q().len());
        x.resize(n + m);
        let constant = &self.inverse[m * n..];
        for i in 0..n {
            let sum: f64 = v.iter().enumerate().map(|(j, v)| self.inverse[j * n + i] * v).sum();
            x.z[i] = -(sum + constant[i]);
        }
        x.z[n..].copy_from_slice(v);
    }
}

impl Problem for Mlcp {
    fn dim(&self) -> usize {
        self.problem.dim()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        self.problem.eval(z, w);
    }

    fn project(&self, z: &mut [f64]) {
        self.problem.project(z);
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.problem.residual(x)
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.problem.residual_floor(x)
    }
}

impl Bounded for Mlcp {
    fn bounds(&self, i: usize) -> [f64; 2] {
        self.problem.bounds(i)
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        self.problem.jacobian(z, jacobian);
    }

    fn is_affine(&self) -> bool {
        true
    }

    fn assess_answer(&self, x: &mut Solution, _scratch: &mut Vec<f64>) -> (Residual, f64) {
        x.w.resize(self.dim(), 0.0);
        self.problem.assess(&x.z, &mut x.w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pivoting::{Lemke, LemkeSettings};
    use crate::problem::report::{Solver, Start, Status};

    #[test]
    fn the_reduced_problem_has_the_solution_of_the_mixed_one() {
        // u free: 2 u - v + 1 = 0; 0 <= v perp u + 3 v - 4 >= 0. So u = (v - 1) / 2 and v = 9 / 7, u = 1 / 7.
        let blocks =
            MlcpBlocks { a: &[2.0], c: &[-1.0], d: &[1.0], b: &[3.0], a_vector: &[1.0], b_vector: &[-4.0] };
        let mixed = Mlcp::new(&blocks).unwrap();
        let reduced = mixed.reduce().unwrap();
        let mut v = Solution::default();
        let mut lemke = Lemke::new(LemkeSettings::default()).unwrap();
        assert_eq!(lemke.solve(reduced.lcp(), Start::Cold, &mut v).status, Status::Solved);
        let mut x = Solution::default();
        reduced.expand(&v.z, &mut x);
        assert!((x.z[0] - 1.0 / 7.0).abs() < 1e-15 && (x.z[1] - 9.0 / 7.0).abs() < 1e-15);
        assert!(mixed.residual(&x).natural_map < 1e-15);
    }

    #[test]
    fn a_singular_free_block_and_a_wrong_shape_are_refused_by_name() {
        let mut blocks =
            MlcpBlocks { a: &[0.0], c: &[1.0], d: &[1.0], b: &[0.0], a_vector: &[-1.0], b_vector: &[0.0] };
        assert_eq!(
            Mlcp::new(&blocks).unwrap().reduce().unwrap_err(),
            SolverError::SingularBlock { what: "A" }
        );
        blocks.c = &[];
        assert_eq!(Mlcp::new(&blocks), Err(SolverError::Length { what: "C", given: 0, needed: 1 }));
    }
}
