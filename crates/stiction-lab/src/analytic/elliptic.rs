//! Elliptic integrals of the first kind, for the exact times of pendulums and spinning bodies.
//!
//! # References
//! - B. C. Carlson (1979), "Computing elliptic integrals by duplication", Numerische Mathematik 33, 1-16.
//! - M. Abramowitz, I. Stegun (1964), *Handbook of Mathematical Functions*, 17.6 (arithmetic-geometric mean).

/// Complete elliptic integral K of the modulus k, by the arithmetic-geometric mean: `pi / (2 agm(1, sqrt(1 - k^2)))`.
pub(super) fn complete(k: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - k * k).sqrt());
    // Quadratic convergence: this many rounds are plenty for every double k < 1.
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// Incomplete elliptic integral F of the amplitude whose sine is `s` (0 to 1) and the modulus k:
/// `s R_F(1 - s^2, 1 - k^2 s^2, 1)`.
pub(super) fn incomplete(s: f64, k: f64) -> f64 {
    s * carlson(1.0 - s * s, 1.0 - k * k * s * s, 1.0)
}

/// Carlson's symmetric integral R_F, by duplication.
fn carlson(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    // The differences shrink by four a round and the error with their sixth power.
    for _ in 0..32 {
        let shift = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        (x, y, z) = (0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift));
    }
    1.0 / ((x + y + z) / 3.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn without_a_modulus_the_integrals_are_angles() {
        assert!((complete(0.0) - FRAC_PI_2).abs() < 1e-15);
        assert!((incomplete(0.5, 0.0) - PI / 6.0).abs() < 1e-15);
    }

    #[test]
    fn the_complete_integral_has_its_tabulated_value_and_is_the_incomplete_one_at_a_right_angle() {
        // K at k^2 = 1/2 is Gamma(1/4)^2 / (4 sqrt(pi)).
        let k = 0.5_f64.sqrt();
        assert!((complete(k) - 1.854_074_677_301_372).abs() < 1e-14);
        assert!((incomplete(1.0, k) - complete(k)).abs() < 1e-14);
    }

    #[test]
    fn the_incomplete_integral_agrees_with_a_fine_sum() {
        let (phi, k, n) = (1.1_f64, 0.8_f64, 20_000);
        let h = phi / f64::from(n);
        let sum: f64 =
            (0..n).map(|i| (f64::from(i) + 0.5) * h).map(|t| h / (1.0 - (k * t.sin()).powi(2)).sqrt()).sum();
        assert!((incomplete(phi.sin(), k) - sum).abs() < 1e-8);
    }
}
