//! Equilibration of a linear complementarity problem by powers of two.
//!
//! Positive scaling of rows and columns (`R M C`, `R q`) changes neither complementarity nor the pivots of
//! Lemke's method (as long as the covering vector is scaled along), but makes absolute tolerances meaningful
//! whatever the masses and units. Powers of two make it exact: not one rounding error is added or removed.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition 2013, section 3.5.2. D. Ruiz, A scaling
//! algorithm to equilibrate both rows and columns norms in matrices, Rutherford Appleton Laboratory report
//! RAL-TR-2001-034, 2001.

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::Square;

/// A diagonal entry below this multiple of its row's largest is noise, not a unit to scale by.
const NEGLIGIBLE: f64 = 1e-14;

/// Rounds of row and column scaling after the diagonal one. Contact problems need none; problems whose rows were
/// scaled at random over twelve decades are equilibrated after three.
const ROUNDS: usize = 3;

/// `z_i = c_i scale zhat_i`, `w_i = scale what_i / r_i`, `Mhat = R M C`, `qhat = R q / scale`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaling {
    pub(crate) r: Vec<f64>,
    pub(crate) c: Vec<f64>,
    pub(crate) scale: f64,
    /// Largest entry of each column.
    largest: Vec<f64>,
}

impl Scaling {
    /// Rows with a diagonal get a diagonal of about 1 by symmetric scaling; then every row and column a largest
    /// entry of about 1 (within a factor of 4, so that symmetry is kept where it can be).
    pub(crate) fn update(&mut self, matrix: &[f64], q: &[f64]) {
        let rows = Square { n: q.len(), entries: matrix };
        self.scale_by_diagonal(rows);
        for _ in 0..ROUNDS {
            if !(self.scale_rows(rows) | self.scale_columns(rows)) {
                break;
            }
        }
        let size = q.iter().zip(&self.r).map(|(q, r)| (q * r).abs()).fold(0.0, f64::max);
        self.scale = if size > 0.0 { power_of_two(size) } else { 1.0 };
    }

    /// Reserves the workspace for problems of `n` unknowns.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.r, n);
        reserve_to(&mut self.c, n);
        reserve_to(&mut self.largest, n);
    }

    fn scale_by_diagonal(&mut self, rows: Square) {
        let n = rows.n;
        self.r.clear();
        self.r.resize(n, 1.0);
        for i in 0..n {
            let row = rows.row(i);
            let diagonal = row[i].abs();
            let largest = row.iter().fold(0.0, |worst: f64, v| worst.max(v.abs()));
            if diagonal > NEGLIGIBLE * largest {
                self.r[i] = power_of_two(1.0 / diagonal.sqrt());
            }
        }
        self.c.clone_from(&self.r);
        for i in 0..n {
            let row = rows.row(i);
            if row[i] == 0.0 {
                // A multiplier: a unit of its own, for row and column alike.
                let entries = row.iter().zip(&self.c).enumerate().filter(|&(j, _)| rows.row(j)[j] != 0.0);
                let largest = entries.map(|(_, (m, c))| (m * c).abs()).fold(0.0, f64::max);
                if largest > 0.0 {
                    self.r[i] = power_of_two(1.0 / largest);
                }
            }
        }
        self.c.clone_from(&self.r);
    }

    fn scale_rows(&mut self, rows: Square) -> bool {
        let mut changed = false;
        for (i, r) in self.r.iter_mut().enumerate() {
            let entries = rows.row(i).iter().zip(&self.c);
            let largest = entries.fold(0.0, |worst: f64, (m, c)| worst.max((m * c).abs()));
            changed |= adjust(r, largest);
        }
        changed
    }

    fn scale_columns(&mut self, rows: Square) -> bool {
        self.largest.clear();
        self.largest.resize(rows.n, 0.0);
        // Along the rows, as they lie in memory.
        for (i, r) in self.r.iter().enumerate() {
            for (largest, m) in self.largest.iter_mut().zip(rows.row(i)) {
                *largest = f64::max(*largest, (m * r).abs());
            }
        }
        let mut changed = false;
        for (c, largest) in self.c.iter_mut().zip(&self.largest) {
            changed |= adjust(c, *largest);
        }
        changed
    }
}

/// Changes `factor` so that `factor * largest` is about 1, if it is off by more than a factor of 4.
fn adjust(factor: &mut f64, largest: f64) -> bool {
    let size = *factor * largest;
    if size == 0.0 || (0.25..=4.0).contains(&size) {
        return false;
    }
    *factor *= power_of_two(1.0 / size);
    true
}

/// The power of two next below a positive finite `x`, kept far from overflow.
pub(crate) fn power_of_two(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    f64::from_bits(x.clamp(1e-150, 1e150).to_bits() & !MANTISSA)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    #[test]
    fn every_row_and_column_ends_with_a_largest_entry_of_about_one() {
        let mut random = Pcg64::seed_from_u64(3);
        for n in 1..20 {
            let decades = |random: &mut Pcg64| 10f64.powf(random.random_range(-6.0..6.0));
            let rows: Vec<f64> = (0..n).map(|_| decades(&mut random)).collect();
            let columns: Vec<f64> = (0..n).map(|_| decades(&mut random)).collect();
            let m = (0..n * n).map(|at| rows[at / n] * columns[at % n] * random.random_range(-1.0..1.0));
            let m: Vec<f64> = m.collect();
            let mut scaling = Scaling::default();
            scaling.update(&m, &vec![1.0; n]);
            let scaled = |i: usize, j: usize| (m[i * n + j] * scaling.r[i] * scaling.c[j]).abs();
            for i in 0..n {
                let row = (0..n).map(|j| scaled(i, j)).fold(0.0, f64::max);
                let column = (0..n).map(|j| scaled(j, i)).fold(0.0, f64::max);
                assert!((0.05..=20.0).contains(&row) && (0.05..=20.0).contains(&column), "{row} {column}");
            }
            assert!(scaling.r.iter().chain(&scaling.c).all(|d| d.to_bits() << 12 == 0));
        }
    }
}
