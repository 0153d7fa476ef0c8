//! A cell of the system: the rows of a Coulomb contact, or any other single row, with its blocks of `P` and `Q`.
//!
//! `P^-1` and `C = P^-1 Q` come from Gauss-Jordan elimination of `[P | I Q]` with partial pivoting (Golub and Van Loan,
//! section 3.4): at most three rows, so that everything stays in registers.

use crate::linalg::dense::largest_abs;
use crate::linalg::lu::Singular;

/// A `d x d` matrix of a cell, row-major in its first `d * d` entries.
pub(super) type Block = [f64; 9];

/// A cell with what belongs to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) row: usize,
    pub(super) dim: usize,
    pub(super) block: usize,
    /// Where its rows of `S Y` begin.
    pub(super) y: usize,
    /// Whether `Q` is not zero.
    pub(super) closed: bool,
    /// One over the largest entry of `P` and `Q`.
    pub(super) unit: f64,
    pub(super) p: Block,
    pub(super) q: Block,
    pub(super) inverse: Block,
    pub(super) coupling: Block,
}

impl Cell {
    pub(super) fn new(row: usize, dim: usize, block: usize, y: usize) -> Cell {
        let zero = [0.0; 9];
        Cell { row, dim, block, y, closed: false, unit: 1.0, p: zero, q: zero, inverse: zero, coupling: zero }
    }

    /// Takes `P` and `Q` and computes `P^-1` and `C`.
    pub(super) fn set(&mut self, p: &Block, q: &Block) -> Result<(), Singular> {
        (self.p, self.q) = (*p, *q);
        let entries = self.dim * self.dim;
        let coupled = largest_abs(&q[..entries]);
        self.closed = coupled != 0.0;
        self.unit = 1.0 / largest_abs(&p[..entries]).max(coupled);
        match self.dim {
            1 => self.invert::<1>(),
            2 => self.invert::<2>(),
            _ => self.invert::<3>(),
        }
    }

    /// Gauss-Jordan elimination of `[P | I Q]` with partial pivoting.
    fn invert<const D: usize>(&mut self) -> Result<(), Singular> {
        let row = |block: &Block, i: usize| std::array::from_fn::<f64, D, _>(|j| block[i * D + j]);
        let mut p: [[f64; D]; D] = std::array::from_fn(|i| row(&self.p, i));
        let mut q: [[f64; D]; D] = std::array::from_fn(|i| row(&self.q, i));
        let mut unit: [[f64; D]; D] =
            std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        for k in 0..D {
            let mut best = k;
            for i in k + 1..D {
                if p[i][k].abs() > p[best][k].abs() {
                    best = i;
                }
            }
            p.swap(k, best);
            q.swap(k, best);
            unit.swap(k, best);
            let inverse = 1.0 / p[k][k];
            if !inverse.is_finite() {
                return Err(Singular);
            }
            for j in 0..D {
                p[k][j] *= inverse;
                q[k][j] *= inverse;
                unit[k][j] *= inverse;
            }
            for i in (0..D).filter(|i| *i != k) {
                let factor = p[i][k];
                for j in 0..D {
                    p[i][j] -= factor * p[k][j];
                    q[i][j] -= factor * q[k][j];
                    unit[i][j] -= factor * unit[k][j];
                }
            }
        }
        for i in 0..D {
            self.inverse[i * D..(i + 1) * D].copy_from_slice(&unit[i]);
            self.coupling[i * D..(i + 1) * D].copy_from_slice(&q[i]);
        }
        Ok(())
    }

    /// Multiplies the cell's part of a vector by one of its matrices.
    pub(super) fn apply(&self, block: &Block, v: &mut [f64]) {
        match v {
            [a] => *a *= block[0],
            [a, b] => (*a, *b) = (block[0] * *a + block[1] * *b, block[2] * *a + block[3] * *b),
            [a, b, c] => {
                let row = |k: usize| block[k] * *a + block[k + 1] * *b + block[k + 2] * *c;
                (*a, *b, *c) = (row(0), row(3), row(6));
            }
            _ => {}
        }
    }
}
