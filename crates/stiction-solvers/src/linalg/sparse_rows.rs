//! A matrix by its entries that are not zero, row after row.
//!
//! A contact touches two bodies, so that its row of the Jacobian has at most twelve entries, however many bodies there
//! are. The same by columns tells which contacts a body has. Sums run in the order of the columns: the same bits everywhere.

/// Rows with more than this part of their entries run faster as full rows in vector registers.
const SPARSE: usize = 8;

/// Lists of entries, one after the other: place in the list's own line, and value.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lists {
    /// List `i` is `starts[i]..starts[i + 1]` of the entries.
    starts: Vec<usize>,
    entries: Vec<(usize, f64)>,
}

impl Lists {
    fn list(&self, i: usize) -> &[(usize, f64)] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    /// The same entries by the other index, of which there are `count`.
    fn transposed(&self, count: usize) -> Lists {
        let mut starts = vec![0; count + 1];
        self.entries.iter().for_each(|&(k, _)| starts[k + 1] += 1);
        (0..count).for_each(|k| starts[k + 1] += starts[k]);
        let (mut next, mut entries) = (starts.clone(), vec![(0, 0.0); self.entries.len()]);
        for i in 0..self.starts.len() - 1 {
            for &(k, v) in self.list(i) {
                entries[next[k]] = (i, v);
                next[k] += 1;
            }
        }
        Lists { starts, entries }
    }
}

/// The matrix, by rows and by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SparseRows {
    rows: Lists,
    columns: Lists,
}

impl SparseRows {
    /// The rows of a row-major matrix, if at most an eighth of its entries is not zero.
    pub(crate) fn of(matrix: &[f64], columns: usize) -> Option<SparseRows> {
        let count = matrix.iter().filter(|v| **v != 0.0).count();
        if columns == 0 || SPARSE * count > matrix.len() {
            return None;
        }
        let mut rows = Lists { starts: vec![0], entries: Vec::with_capacity(count) };
        for row in matrix.chunks_exact(columns) {
            rows.entries.extend(row.iter().copied().enumerate().filter(|(_, v)| *v != 0.0));
            rows.starts.push(rows.entries.len());
        }
        let columns = rows.transposed(columns);
        Some(SparseRows { rows, columns })
    }

    /// Number of entries that are not zero.
    pub(crate) fn count(&self) -> usize {
        self.rows.entries.len()
    }

    /// Columns and values of row `i`.
    pub(crate) fn row(&self, i: usize) -> &[(usize, f64)] {
        self.rows.list(i)
    }

    /// Rows and values of column `k`.
    pub(crate) fn column(&self, k: usize) -> &[(usize, f64)] {
        self.columns.list(k)
    }

    /// `(row . x, |row| . |x|)`.
    pub(crate) fn dot_and_magnitude(&self, i: usize, x: &[f64]) -> (f64, f64) {
        self.row(i).iter().fold((0.0, 0.0), |(sum, magnitude), &(k, v)| {
            let product = v * x[k];
            (sum + product, magnitude + product.abs())
        })
    }

    /// `row . x`.
    pub(crate) fn dot(&self, i: usize, x: &[f64]) -> f64 {
        self.row(i).iter().fold(0.0, |sum, &(k, v)| sum + v * x[k])
    }

    /// The inner product of two rows.
    pub(crate) fn product(&self, i: usize, j: usize) -> f64 {
        let (mut a, mut b) = (self.row(i).iter().peekable(), self.row(j).iter().peekable());
        let mut sum = 0.0;
        while let (Some((k, x)), Some((l, y))) = (a.peek(), b.peek()) {
            if k == l {
                sum += x * y;
            }
            let order = k.cmp(l);
            if order.is_le() {
                a.next();
            }
            if order.is_ge() {
                b.next();
            }
        }
        sum
    }

    /// `x += scale row`.
    pub(crate) fn add(&self, i: usize, scale: f64, x: &mut [f64]) {
        for &(k, v) in self.row(i) {
            x[k] += v * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dense;

    #[test]
    fn sparse_rows_give_the_products_of_the_full_ones() {
        let (n, m) = (5, 40);
        let mut matrix = vec![0.0; n * m];
        for i in 0..n {
            for k in 0..4 {
                matrix[i * m + (7 * i + 3 * k) % m] = 1.0 + i as f64 - 0.5 * k as f64;
            }
        }
        let rows = SparseRows::of(&matrix, m).unwrap();
        let x: Vec<f64> = (0..m).map(|k| k as f64 - 11.0).collect();
        let full = |i: usize| &matrix[i * m..(i + 1) * m];
        for i in 0..n {
            // Small integers and halves: no rounding.
            assert_eq!(rows.dot_and_magnitude(i, &x), dense::dot_and_magnitude(full(i), &x));
            assert_eq!(rows.dot(i, &x), dense::dot(full(i), &x));
            assert!(rows.row(i).iter().all(|&(k, v)| rows.column(k).contains(&(i, v))));
            let mut sum = x.clone();
            rows.add(i, 2.0, &mut sum);
            assert!((0..m).all(|k| sum[k] == x[k] + 2.0 * full(i)[k]));
            for j in 0..n {
                assert_eq!(rows.product(i, j), dense::dot(full(i), full(j)));
            }
        }
        matrix.fill(1.0);
        assert!(SparseRows::of(&matrix, m).is_none());
    }
}
