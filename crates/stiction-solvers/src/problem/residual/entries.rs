//! What the residual asks of a matrix beside its products, and the answers of a dense one.

use crate::linalg::dense::largest_abs;
use crate::problem::residual::{CONNECTS, part};

/// What the residual needs to know of a matrix beside its products.
pub(crate) trait Entries {
    /// Size `m_i` of row `i`.
    fn row_size(&self, i: usize) -> f64;

    /// Number of unknowns, or of what else connects the rows.
    fn links(&self) -> usize;

    /// No less than `max_i |M_ij| / m_i`, at hand without a look at the column.
    fn column_limit(&self, j: usize) -> f64;

    /// What unknown `j` is, among rows and the links behind them.
    fn unknown(&self, j: usize) -> usize;

    /// Visits the links of row `i`.
    fn visit_links(&self, i: usize, visit: impl FnMut(usize));

    /// `max_i |M_ij| / sizes_i`, zero for a column of zeros; `None` if all columns at once cost hardly more than one.
    fn weight(&self, j: usize, sizes: &[f64]) -> Option<f64>;

    /// Makes the same for all columns the first entries of `weights`, which may keep more behind them.
    fn weights(&self, sizes: &[f64], weights: &mut Vec<f64>);
}

/// Entries of a row-major square matrix.
pub(crate) struct Dense<'a>(pub(crate) &'a [f64]);

impl Entries for Dense<'_> {
    fn row_size(&self, i: usize) -> f64 {
        let n = self.0.len().isqrt();
        largest_abs(&self.0[i * n..(i + 1) * n])
    }

    fn links(&self) -> usize {
        self.0.len().isqrt()
    }

    fn column_limit(&self, _j: usize) -> f64 {
        1.0
    }

    fn unknown(&self, j: usize) -> usize {
        self.links() + j
    }

    fn visit_links(&self, i: usize, mut visit: impl FnMut(usize)) {
        let (n, least) = (self.links(), CONNECTS * self.row_size(i));
        let row = self.0[i * n..(i + 1) * n].iter().enumerate();
        row.filter(|(_, entry)| **entry != 0.0 && entry.abs() >= least).for_each(|(j, _)| visit(j));
    }

    fn weight(&self, j: usize, sizes: &[f64]) -> Option<f64> {
        let column = self.0.iter().skip(j).step_by(sizes.len().max(1));
        Some(column.zip(sizes).fold(0.0, |worst: f64, (entry, size)| worst.max(part(*entry, *size))))
    }

    fn weights(&self, sizes: &[f64], weights: &mut Vec<f64>) {
        weights.clear();
        weights.resize(sizes.len(), 0.0);
        for (row, size) in self.0.chunks_exact(sizes.len().max(1)).zip(sizes) {
            weights.iter_mut().zip(row).for_each(|(worst, entry)| *worst = worst.max(part(*entry, *size)));
        }
    }
}
