//! The Fischer-Burmeister function: a complementarity condition as one equation.
//!
//! # Problem
//! For every index of a bounded problem `l <= z <= u`, `w = F(z)`, an equation `phi_i(z_i, w_i) = 0` that holds exactly
//! where the index is solved, and its generalized Jacobian.
//!
//! # Method
//! 1. `phi(a, b) = sqrt(a^2 + b^2) - a - b`, zero exactly where `a, b >= 0` and `a b = 0`.
//! 2. Lower bound: `phi(z - l, w)`. Upper bound: `-phi(u - z, -w)`. Free: `-w`. Both bounds:
//!    `phi(z - l, phi(u - z, -w))`, which becomes each of the others as a bound goes to infinity.
//! 3. Gradient: `(a / r - 1, b / r - 1)` with `r = sqrt(a^2 + b^2)`. At `a = b = 0` any limit of gradients belongs to
//!    the generalized Jacobian; taken here is that along `e_i`, along which `(a, b)` moves like `(1, dF_i/dz_i)`.
//!    MJ14 prints the diagonal of this choice, `sqrt(1 + m^2) - 1 - m`, but zeros beside it; the row that belongs to
//!    it has `(m / sqrt(1 + m^2) - 1) dF_i/dz_j` there.
//!
//! # Convergence and failure
//! `phi` is semismooth and `phi^2` smooth: Gauss-Newton methods converge quadratically where the generalized Jacobian is
//! regular. Where `a` and `b` are positive and of different size `r - a - b` would cancel; it is computed as
//! `-2 a b / (r + a + b)`, good to the last digit.
//!
//! # Cost
//! Two square roots an index.
//!
//! # References
//! A. Fischer, *A special Newton-type optimization method*, Optimization 24 (1992) 269-284. S. C. Billups, *Algorithms
//! for complementarity problems and generalized equations*, thesis, University of Wisconsin-Madison 1995 (two bounds).
//! F. Facchinei, J. Soares, *A new merit function for nonlinear complementarity problems and a related algorithm*, SIAM
//! Journal on Optimization 7 (1997) 225-247 (limits at the origin). H. Mylapilli, A. Jain, *Evaluation of
//! complementarity techniques for minimal coordinate contact dynamics*, DETC2014-34322, eq. 23-25 (MJ14).

/// Step 1.
pub fn phi(a: f64, b: f64) -> f64 {
    let r = (a * a + b * b).sqrt();
    if a + b > 0.0 { -2.0 * a * b / (r + a + b) } else { r - a - b }
}

/// Step 3: `(dphi/da, dphi/db)`; at the origin the limit along `(da, db)`, which is not zero.
fn slopes(a: f64, b: f64, da: f64, db: f64) -> [f64; 2] {
    let r = (a * a + b * b).sqrt();
    if r > 0.0 {
        [a / r - 1.0, b / r - 1.0]
    } else {
        let r = (da * da + db * db).sqrt();
        [da / r - 1.0, db / r - 1.0]
    }
}

/// Step 2: the equation of an index with these bounds.
pub fn equation(z: f64, w: f64, [lower, upper]: [f64; 2]) -> f64 {
    let w = if upper < f64::INFINITY { phi(upper - z, -w) } else { w };
    if lower > f64::NEG_INFINITY { phi(z - lower, w) } else { -w }
}

/// The weights of `e_i` and of the row `F'_i` in the generalized Jacobian of [`equation`]; `slope` is `dF_i/dz_i`.
pub fn weights(z: f64, w: f64, [lower, upper]: [f64; 2], slope: f64) -> [f64; 2] {
    // v stands for w behind the upper bound: its value, its derivatives, its slope along e_i.
    let (mut v, mut v_z, mut v_w) = (w, 0.0, 1.0);
    if upper < f64::INFINITY {
        let [a, b] = slopes(upper - z, -w, -1.0, -slope);
        (v, v_z, v_w) = (phi(upper - z, -w), -a, -b);
    }
    if lower > f64::NEG_INFINITY {
        let [a, b] = slopes(z - lower, v, 1.0, v_z + v_w * slope);
        [a + b * v_z, b * v_w]
    } else {
        [-v_z, -v_w]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const INF: f64 = f64::INFINITY;
    const KINDS: [[f64; 2]; 4] = [[-INF, INF], [-1.0, INF], [-INF, 2.0], [-1.0, 2.0]];

    #[test]
    fn the_equation_vanishes_exactly_where_the_index_is_solved() {
        for bounds in KINDS {
            for step in -40..=40 {
                for w in [-3.0, -1e-8, 0.0, 1e-8, 3.0] {
                    let z = 0.1 * f64::from(step);
                    let natural = z - (z - w).max(bounds[0]).min(bounds[1]);
                    let value = equation(z, w, bounds);
                    // Equivalent up to a factor of about 2 + sqrt 2 per composition (Tseng 1996).
                    assert!(value.abs() <= 12.0 * natural.abs() + 1e-15, "{z} {w} {bounds:?} {value}");
                    assert!(value.abs() >= 0.1 * natural.abs() - 1e-15, "{z} {w} {bounds:?} {value}");
                }
            }
        }
    }

    #[test]
    fn a_small_product_keeps_its_digits() {
        // -2 a b / (r + a + b) with b = 1: -a (1 - a/2 + ..).
        assert!((equation(1e-20, 1.0, [0.0, INF]) / -1e-20 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_weights_are_the_derivatives() {
        let mut random = Pcg64::seed_from_u64(4);
        for _ in 0..2000 {
            for bounds in KINDS {
                let (z, w) = (random.random_range(-3.0..3.0), random.random_range(-3.0..3.0));
                let [by_z, by_w] = weights(z, w, bounds, 1.0);
                let h = 1e-6;
                let difference = |dz: f64, dw: f64| {
                    (equation(z + dz, w + dw, bounds) - equation(z - dz, w - dw, bounds)) / (2.0 * h)
                };
                assert!((by_z - difference(h, 0.0)).abs() < 1e-3, "{z} {w} {bounds:?}");
                assert!((by_w - difference(0.0, h)).abs() < 1e-3, "{z} {w} {bounds:?}");
            }
        }
    }

    #[test]
    fn at_a_doubly_zero_index_the_weights_are_the_limit_along_its_own_axis() {
        for slope in [-2.0, 0.0, 0.5, 3.0] {
            for (bounds, z) in [([0.0, INF], 0.0), ([-INF, 0.0], 0.0), ([0.0, 1.0], 0.0), ([-1.0, 0.0], 0.0)]
            {
                let t = 1e-9;
                let near = weights(z + t, slope * t, bounds, slope);
                let at = weights(z, 0.0, bounds, slope);
                assert!((0..2).all(|k| (near[k] - at[k]).abs() < 1e-6), "{bounds:?} {near:?} {at:?}");
            }
        }
        // The diagonal that MJ14 prints.
        let [by_z, by_w] = weights(0.0, 0.0, [0.0, INF], 2.0);
        assert!((by_z + by_w * 2.0 - (5f64.sqrt() - 3.0)).abs() < 1e-15);
    }
}
