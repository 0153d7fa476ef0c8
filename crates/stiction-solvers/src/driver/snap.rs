//! Unknowns a rounding away from a bound are put there.
//!
//! Basic solutions of degenerate problems leave rounding where zeros belong. Rows whose terms are nothing but such
//! noise are then wrong by as much as they are large, and the residual, which measures every row by its terms, says so.

use crate::linalg::dense::largest_abs;

/// Distance from a bound, as a part of the largest `|z|`, that is rounding.
const NOISE: f64 = 1e-12;

/// Puts every `z_i` next to a bound on it; says whether any moved.
pub(crate) fn snap(z: &mut [f64], bounds: impl Fn(usize) -> [f64; 2]) -> bool {
    let near = NOISE * largest_abs(z);
    let mut moved = false;
    for (i, z) in z.iter_mut().enumerate() {
        for bound in bounds(i) {
            if *z != bound && (*z - bound).abs() <= near {
                *z = bound;
                moved = true;
            }
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_left_beside_a_bound_is_put_on_it_and_all_else_stays() {
        let bounds = [[0.0, f64::INFINITY], [0.0, 1.0], [f64::NEG_INFINITY, f64::INFINITY]];
        let mut z = [1e-16, 1.0 - 1e-15, 3.0];
        assert!(snap(&mut z, |i| bounds[i]));
        assert_eq!(z, [0.0, 1.0, 3.0]);
        let mut z = [1e-3, 0.5, 1e-20];
        assert!(!snap(&mut z, |i| bounds[i]));
    }
}
