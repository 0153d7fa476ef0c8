//! Loops over rows that are mostly six long, the velocities of a body. The order of the sums is fixed, so the bits are
//! the same everywhere.

/// `row += sum_k factors[k] y[k]`.
pub(crate) fn add_multiples<const K: usize>(row: &mut [f64], factors: [f64; K], y: [&[f64]; K]) {
    let width = row.len();
    let y = y.map(|v| &v[..width]);
    for j in 0..width {
        let mut sum = 0.0;
        for k in 0..K {
            sum += factors[k] * y[k][j];
        }
        row[j] += sum;
    }
}

/// `into += from`.
pub(crate) fn add(into: &mut [f64], from: &[f64]) {
    for (v, w) in into.iter_mut().zip(from) {
        *v += w;
    }
}

/// Inner product of slices of equal length, in two partial sums.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_pairs, a_rest) = a.as_chunks::<2>();
    let (b_pairs, b_rest) = b.as_chunks::<2>();
    let mut sum = [0.0; 2];
    for (x, y) in a_pairs.iter().zip(b_pairs) {
        sum[0] += x[0] * y[0];
        sum[1] += x[1] * y[1];
    }
    for (x, y) in a_rest.iter().zip(b_rest) {
        sum[0] += x * y;
    }
    sum[0] + sum[1]
}
