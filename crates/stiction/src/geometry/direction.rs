//! Small vector helpers: safe normalization and sign without zero.

use nalgebra::Vector3;

/// Length and direction of `v`, scaled so that neither tiny nor huge vectors lose them; `None` for the zero
/// vector and for vectors that are not finite.
pub(crate) fn length_and_direction(v: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
    let scale = v.amax();
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    let w = v / scale;
    let norm = w.norm();
    Some((scale * norm, w / norm))
}

/// -1 for negative numbers, +1 for all others: zero has a side too.
pub(crate) fn side(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// Unit vector of axis `k`, scaled by `s`.
pub(crate) fn axis(k: usize, s: f64) -> Vector3<f64> {
    let mut e = Vector3::zeros();
    e[k] = s;
    e
}

/// The two axes after `k`, cyclically.
pub(crate) fn others(k: usize) -> (usize, usize) {
    ((k + 1) % 3, (k + 2) % 3)
}

/// The point of the box of half extents `h` closest to `x`. (Not `f64::clamp`, which panics on NaN bounds.)
pub(crate) fn clamp(x: &Vector3<f64>, h: &Vector3<f64>) -> Vector3<f64> {
    x.zip_map(h, |x, h| x.max(-h).min(h))
}

/// Index of the component of largest magnitude (the first of equals).
pub(crate) fn dominant(v: &Vector3<f64>) -> usize {
    let mut k = 0;
    for i in 1..3 {
        if v[i].abs() > v[k].abs() {
            k = i;
        }
    }
    k
}

/// Index of the component of smallest magnitude (the first of equals).
pub(crate) fn weakest(v: &Vector3<f64>) -> usize {
    let mut k = 0;
    for i in 1..3 {
        if v[i].abs() < v[k].abs() {
            k = i;
        }
    }
    k
}

/// Which vertex, edge, face or interior of a box of half extents `h` the point `x` of it belongs to: one digit
/// to the base 3 per coordinate (0 low side, 1 between, 2 high side), sides being `tolerance` (m) thick.
pub(crate) fn box_feature(x: &Vector3<f64>, h: &Vector3<f64>, tolerance: f64) -> u32 {
    let digit = |k: usize| match x[k] {
        c if c >= h[k] - tolerance => 2,
        c if c <= tolerance - h[k] => 0,
        _ => 1,
    };
    digit(0) + 3 * digit(1) + 9 * digit(2)
}

/// Number of values of [`box_feature`].
pub(crate) const BOX_FEATURES: u32 = 27;
