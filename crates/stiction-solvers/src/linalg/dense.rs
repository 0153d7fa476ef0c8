//! Loops over dense vectors and rows that run in vector registers and give the same bits everywhere.

/// A row-major square matrix.
#[derive(Clone, Copy)]
pub(crate) struct Square<'a> {
    /// Number of rows.
    pub(crate) n: usize,
    /// `n * n` entries.
    pub(crate) entries: &'a [f64],
}

impl<'a> Square<'a> {
    /// Row `i`.
    pub(crate) fn row(self, i: usize) -> &'a [f64] {
        &self.entries[i * self.n..(i + 1) * self.n]
    }

    /// Whether entries that mirror each other differ by at most `difference`.
    pub(crate) fn is_symmetric(self, difference: f64) -> bool {
        (0..self.n).all(|i| {
            let row = &self.row(i)[..i];
            row.iter().enumerate().all(|(j, entry)| (entry - self.row(j)[i]).abs() <= difference)
        })
    }
}

/// The places where a vector is not zero. A basic solution has many zeros, and its products with the matrix cost most
/// of the time of a basis start.
pub(crate) struct Support {
    indices: [u16; Support::LARGEST],
    count: usize,
}

impl Support {
    /// Longest vector whose support is worth a list on the stack.
    const LARGEST: usize = 1024;

    /// `None` where going through the whole vector is no slower.
    pub(crate) fn of(z: &[f64]) -> Option<Support> {
        if z.len() > Self::LARGEST {
            return None;
        }
        let mut support = Support { indices: [0; Self::LARGEST], count: 0 };
        for (i, z) in z.iter().enumerate() {
            // NaN is not zero and stays in.
            if *z != 0.0 {
                support.indices[support.count] = i as u16;
                support.count += 1;
            }
        }
        (2 * support.count < z.len()).then_some(support)
    }

    /// `(a . z, |a| . |z|)`, in four partial sums in a fixed order.
    pub(crate) fn dot_and_magnitude(&self, a: &[f64], z: &[f64]) -> (f64, f64) {
        let (chunks, rest) = self.indices[..self.count].as_chunks::<4>();
        let mut sum = [0.0; 4];
        let mut magnitude = [0.0; 4];
        for chunk in chunks {
            for (lane, &i) in chunk.iter().enumerate() {
                let product = a[usize::from(i)] * z[usize::from(i)];
                sum[lane] += product;
                magnitude[lane] += product.abs();
            }
        }
        for (lane, &i) in rest.iter().enumerate() {
            let product = a[usize::from(i)] * z[usize::from(i)];
            sum[lane] += product;
            magnitude[lane] += product.abs();
        }
        (sum.iter().sum(), magnitude.iter().sum())
    }
}

/// Whether all entries are finite: only then are all products with zero zero. In eight lanes, without branches.
pub(crate) fn all_finite(v: &[f64]) -> bool {
    let (chunks, rest) = v.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += 0.0 * x;
        }
    }
    sums.iter().sum::<f64>() == 0.0 && rest.iter().all(|x| x.is_finite())
}

/// Largest absolute value; NaN if any entry is NaN.
pub(crate) fn largest_abs(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |worst: f64, x| if x.abs() <= worst { worst } else { x.abs() })
}

/// Inner product of slices of equal length. Eight partial sums in a fixed order, as in [`dot_and_magnitude`].
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sum = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sum[lane] += x[lane] * y[lane];
        }
    }
    for (lane, (x, y)) in a_rest.iter().zip(b_rest).enumerate() {
        sum[lane] += x * y;
    }
    sum.iter().sum()
}

/// `(a . b, |a| . |b|)`. Eight partial sums in a fixed order, so that the loop runs in vector registers and
/// gives the same bits everywhere.
pub(crate) fn dot_and_magnitude(a: &[f64], b: &[f64]) -> (f64, f64) {
    const LANES: usize = 8;
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sum = [0.0; LANES];
    let mut magnitude = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            let product = x[lane] * y[lane];
            sum[lane] += product;
            magnitude[lane] += product.abs();
        }
    }
    for (lane, (x, y)) in a_rest.iter().zip(b_rest).enumerate() {
        sum[lane] += x * y;
        magnitude[lane] += (x * y).abs();
    }
    (sum.iter().sum(), magnitude.iter().sum())
}

/// The units of `w` and `z` of a linear problem with the row-major matrix `m`: `w` is measured in `a = max |q|` (1 if
/// `q = 0`), `z` in `a / s`, where `s` is the mean of `|M_ii|` (the mean row max-norm if the diagonal vanishes, 1 if
/// the matrix does). Returns `(1 / a, s / a)`.
pub(crate) fn scales(m: &[f64], q: &[f64]) -> (f64, f64) {
    let n = q.len();
    if n == 0 {
        return (1.0, 1.0);
    }
    let diagonal = (0..n).map(|i| m[i * n + i].abs()).sum::<f64>() / n as f64;
    let rows = || m.chunks_exact(n).map(largest_abs).sum::<f64>() / n as f64;
    units(diagonal, rows, q)
}

/// The same from the mean diagonal; `rows` gives the mean row max-norm, should the diagonal vanish.
pub(crate) fn units(diagonal: f64, rows: impl FnOnce() -> f64, q: &[f64]) -> (f64, f64) {
    let largest = largest_abs(q);
    let a = if largest == 0.0 { 1.0 } else { largest };
    let mut s = diagonal;
    if s == 0.0 {
        s = rows();
    }
    if s == 0.0 {
        s = 1.0;
    }
    (1.0 / a, s / a)
}
