//! Step 3: elimination of a front's own columns, in panels, with row exchanges inside the front's own rows.

use crate::linalg::lu::Singular;
use crate::linalg::short_rows::add_multiples;

/// A pivot below this multiple of the largest entry of its block has no correct digit (dimensionless).
const SINGULAR: f64 = f64::EPSILON;

/// Columns eliminated per pass over the rest of a front.
const PANEL: usize = 8;

/// Eliminates the first `exchanged.len()` columns of a row-major matrix of `n` rows.
pub(super) fn eliminate(matrix: &mut [f64], n: usize, exchanged: &mut [usize]) -> Result<(), Singular> {
    let own = exchanged.len();
    let largest = matrix
        .chunks_exact(n.max(1))
        .take(own)
        .flat_map(|row| &row[..own])
        .fold(0.0, |worst: f64, v| worst.max(v.abs()));
    let threshold = SINGULAR * largest;
    for start in (0..own).step_by(PANEL) {
        let end = (start + PANEL).min(own);
        for k in start..end {
            exchanged[k] = eliminate_column(&mut matrix[..own * n], n, k, end, threshold)?;
        }
        match end - start {
            1 => eliminate_panel::<1>(matrix, n, own, start),
            2 => eliminate_panel::<2>(matrix, n, own, start),
            3 => eliminate_panel::<3>(matrix, n, own, start),
            4 => eliminate_panel::<4>(matrix, n, own, start),
            5 => eliminate_panel::<5>(matrix, n, own, start),
            6 => eliminate_panel::<6>(matrix, n, own, start),
            7 => eliminate_panel::<7>(matrix, n, own, start),
            _ => eliminate_panel::<PANEL>(matrix, n, own, start),
        }
    }
    Ok(())
}

/// Column `k` in the rows that may be exchanged, acting on the columns up to `end` of its panel only. Returns the row
/// exchanged with row `k`.
fn eliminate_column(
    rows: &mut [f64],
    n: usize,
    k: usize,
    end: usize,
    threshold: f64,
) -> Result<usize, Singular> {
    let mut best = k;
    let mut largest = rows[k * n + k].abs();
    for (i, row) in rows.chunks_exact(n).enumerate().skip(k + 1) {
        if row[k].abs() > largest {
            (best, largest) = (i, row[k].abs());
        }
    }
    if largest.is_nan() || largest <= threshold {
        return Err(Singular);
    }
    let (upper, lower) = rows.split_at_mut((k + 1) * n);
    let pivot_row = &mut upper[k * n..];
    if best != k {
        let other = (best - k - 1) * n;
        pivot_row.swap_with_slice(&mut lower[other..other + n]);
    }
    let inverse = 1.0 / pivot_row[k];
    for row in lower.chunks_exact_mut(n) {
        let factor = row[k] * inverse;
        row[k] = factor;
        for (v, u) in row[k + 1..end].iter_mut().zip(&pivot_row[k + 1..end]) {
            *v -= factor * u;
        }
    }
    Ok(best)
}

/// Carries the elimination of the `K` columns from `start` on over to the columns right of them, and to the rows from
/// `own` on.
fn eliminate_panel<const K: usize>(matrix: &mut [f64], n: usize, own: usize, start: usize) {
    let end = start + K;
    let (upper, lower) = matrix.split_at_mut(end * n);
    let panel = &mut upper[start * n..];
    // Forward substitution of the panel's unit lower triangle on its rows right of it.
    for k in 1..K {
        let (above, row) = panel.split_at_mut(k * n);
        let (left, right) = row[..n].split_at_mut(end);
        for (p, above) in above.chunks_exact(n).enumerate() {
            let factor = left[start + p];
            for (v, u) in right.iter_mut().zip(&above[end..]) {
                *v -= factor * u;
            }
        }
    }
    let mut triangle = [[0.0; K]; K];
    let mut inverse = [0.0; K];
    let mut right = [&[][..]; K];
    for (k, row) in panel.chunks_exact(n).enumerate().take(K) {
        triangle[k].copy_from_slice(&row[start..end]);
        inverse[k] = 1.0 / triangle[k][k];
        right[k] = &row[end..];
    }
    let inside = (own - end) * n;
    for row in lower[..inside].chunks_exact_mut(n) {
        let (left, row) = row.split_at_mut(end);
        let mut factors = [0.0; K];
        factors.copy_from_slice(&left[start..]);
        add_multiples(row, factors.map(|f| -f), right);
    }
    for row in lower[inside..].chunks_exact_mut(n) {
        let (left, row) = row.split_at_mut(end);
        let mut factors = [0.0; K];
        factors.copy_from_slice(&left[start..]);
        for k in 0..K {
            factors[k] *= inverse[k];
            for j in k + 1..K {
                factors[j] -= factors[k] * triangle[k][j];
            }
        }
        left[start..].copy_from_slice(&factors);
        add_multiples(row, factors.map(|f| -f), right);
    }
}
