//! The second-order cone `|x_t| <= x_n` of two or three dimensions: its Jordan algebra, the scaling of Nesterov and Todd,
//! and the way to its boundary.
//!
//! # References
//! L. Vandenberghe, *The CVXOPT linear and quadratic cone program solvers*, 2010, sections 4 and 5; Y. Nesterov, M. Todd,
//! *Self-scaled barriers and interior-point methods for convex programming*, 1997.

/// A vector; in the plane the last entry is zero.
pub(super) type Vector = [f64; 3];

/// `x_n^2 - |x_t|^2` without the cancellation of the plain formula.
fn determinant(x: &Vector) -> f64 {
    let t = (x[1] * x[1] + x[2] * x[2]).sqrt();
    (x[0] - t) * (x[0] + t)
}

pub(super) fn inner(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The Jordan product.
pub(super) fn product(a: &Vector, b: &Vector) -> Vector {
    [inner(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// The `u` with `a o u = b`, for `a` inside the cone.
pub(super) fn quotient(b: &Vector, a: &Vector) -> Vector {
    let u = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a);
    [u, (b[1] - u * a[1]) / a[0], (b[2] - u * a[2]) / a[0]]
}

/// The symmetric map `N` with `N x = N^-1 v` for `x` and `v` inside the cone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    axis: Vector,
    stretch: f64,
}

impl Scaling {
    /// The map of a pair; `None` if one is not inside the cone to working precision.
    pub(super) fn new(x: &Vector, v: &Vector) -> Option<Scaling> {
        let (dx, dv) = (determinant(x), determinant(v));
        if !(dx > 0.0 && dv > 0.0 && x[0] > 0.0 && v[0] > 0.0) {
            return None;
        }
        let (sx, sv) = (dx.sqrt(), dv.sqrt());
        let gamma = (0.5 * (1.0 + inner(x, v) / (sx * sv))).sqrt();
        let axis = [
            (v[0] / sv + x[0] / sx) / (2.0 * gamma),
            (v[1] / sv - x[1] / sx) / (2.0 * gamma),
            (v[2] / sv - x[2] / sx) / (2.0 * gamma),
        ];
        Some(Scaling { axis, stretch: (sv / sx).sqrt() })
    }

    /// Its axis, of determinant 1.
    pub(super) fn axis(&self) -> Vector {
        self.axis
    }

    /// Its stretch: the fourth root of the ratio of the determinants of `v` and `x`.
    pub(super) fn stretch(&self) -> f64 {
        self.stretch
    }

    /// `N x`.
    pub(super) fn apply(&self, x: &Vector) -> Vector {
        self.map(x, 1.0, self.stretch)
    }

    /// `N^-1 x`.
    pub(super) fn invert(&self, x: &Vector) -> Vector {
        self.map(x, -1.0, 1.0 / self.stretch)
    }

    fn map(&self, x: &Vector, sign: f64, stretch: f64) -> Vector {
        let [w, a, b] = self.axis;
        let along = a * x[1] + b * x[2];
        let side = sign * x[0] + along / (1.0 + w);
        [stretch * (w * x[0] + sign * along), stretch * (x[1] + side * a), stretch * (x[2] + side * b)]
    }
}

/// The largest `alpha` at most 1 with `x + alpha dx` in the cone, for `x` in it.
pub(super) fn step_to_boundary(x: &Vector, dx: &Vector) -> f64 {
    // det(x + alpha dx) = c + 2 b alpha + a alpha^2.
    let a = determinant(dx);
    let b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    let c = determinant(x).max(0.0);
    let mut alpha: f64 = 1.0;
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        let root = discriminant.sqrt();
        // The root nearest to zero from above, in the form without cancellation.
        let q = -(b + if b >= 0.0 { root } else { -root });
        for candidate in [q / a, c / q] {
            if candidate > 0.0 {
                alpha = alpha.min(candidate);
            }
        }
    }
    if x[0] + alpha * dx[0] < 0.0 {
        alpha = alpha.min(-x[0] / dx[0]);
    }
    alpha
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    fn random_inside(random: &mut rand_pcg::Pcg64) -> Vector {
        let (a, b): (f64, f64) = (random.random_range(-1.0..1.0), random.random_range(-1.0..1.0));
        [(a * a + b * b).sqrt() + random.random_range(1e-6..1.0), a, b]
    }

    #[test]
    fn the_scaling_takes_both_vectors_of_its_pair_to_the_same_point() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        for _ in 0..1000 {
            let (x, v) = (random_inside(&mut random), random_inside(&mut random));
            let scaling = Scaling::new(&x, &v).unwrap();
            let (a, b) = (scaling.apply(&x), scaling.invert(&v));
            let twice = scaling.apply(&scaling.apply(&x));
            let size = inner(&a, &a).sqrt();
            for k in 0..3 {
                assert!((a[k] - b[k]).abs() < 1e-9 * size, "{a:?} {b:?}");
                assert!((twice[k] - v[k]).abs() < 1e-9 * size * (1.0 + scaling.stretch));
            }
            let u = quotient(&v, &x);
            let back = product(&x, &u);
            (0..3).for_each(|k| assert!((back[k] - v[k]).abs() < 1e-9));
        }
    }

    #[test]
    fn a_step_to_the_boundary_ends_on_it_and_not_beyond() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(2);
        let mut cut = 0;
        for _ in 0..2000 {
            let x = random_inside(&mut random);
            let dx: Vector = std::array::from_fn(|_| random.random_range(-2.0..2.0));
            let alpha = step_to_boundary(&x, &dx);
            let at = |s: f64| -> Vector { std::array::from_fn(|k| x[k] + s * dx[k]) };
            for s in [0.25, 0.5, 0.75, 0.999] {
                let p = at(s * alpha);
                assert!(p[0] >= (p[1] * p[1] + p[2] * p[2]).sqrt() - 1e-12);
            }
            if alpha < 1.0 {
                cut += 1;
                assert!(determinant(&at(alpha)).abs() < 1e-9);
            }
        }
        assert!(cut > 500);
    }
}
