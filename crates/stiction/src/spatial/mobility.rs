//! Mobility of a link: the inverse of what its inertia is, seen from outside (the operational-space compliance of
//! Rodriguez, Jain and Kreutz-Delgado).

use crate::spatial::motion::{Force, Motion};
use nalgebra::{Matrix3, Vector3};

/// The symmetric operator from an impulse on a link to the velocity it gives the link, all joints of the tree being
/// free to move:
///
/// ```text
/// omega = angular n + mixed f,   v = mixed^T n + linear f
/// ```
///
/// World axes, about one reference point. Positive semidefinite: a link on few joints resists some impulses fully.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mobility {
    /// Angular velocity per moment (1/(kg m^2)), symmetric.
    pub angular: Matrix3<f64>,
    /// Angular velocity per force (1/(kg m)).
    pub mixed: Matrix3<f64>,
    /// Linear velocity per force (1/kg), symmetric.
    pub linear: Matrix3<f64>,
}

impl Mobility {
    /// Of what nothing moves.
    pub fn zero() -> Self {
        Self { angular: Matrix3::zeros(), mixed: Matrix3::zeros(), linear: Matrix3::zeros() }
    }

    /// Velocity of an impulse.
    #[inline]
    pub fn times(&self, force: &Force) -> Motion {
        Motion {
            angular: self.angular * force.angular + self.mixed * force.linear,
            linear: self.mixed.tr_mul(&force.angular) + self.linear * force.linear,
        }
    }

    /// Adds `s u^T + u s^T`.
    #[inline]
    pub fn add_symmetric(&mut self, s: &Motion, u: &Motion) {
        for c in 0..3 {
            for r in 0..3 {
                self.angular[(r, c)] += s.angular[r] * u.angular[c] + u.angular[r] * s.angular[c];
                self.mixed[(r, c)] += s.angular[r] * u.linear[c] + u.angular[r] * s.linear[c];
                self.linear[(r, c)] += s.linear[r] * u.linear[c] + u.linear[r] * s.linear[c];
            }
        }
    }

    /// The same operator about the point of the link that is `offset` away (m).
    #[inline]
    pub fn at(&self, offset: &Vector3<f64>) -> Self {
        // With O = [offset]x:  B' = B + A O,   C' = C - (O B)^T - O B'.
        let mixed = self.mixed - cross_columns(offset, &self.angular).transpose();
        let linear =
            self.linear - cross_columns(offset, &self.mixed).transpose() - cross_columns(offset, &mixed);
        Self { angular: self.angular, mixed, linear }
    }
}

/// `[o]x m`: the cross product with every column.
#[inline]
fn cross_columns(o: &Vector3<f64>, m: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[o.cross(&m.column(0)), o.cross(&m.column(1)), o.cross(&m.column(2))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::inertia::Inertia;

    #[test]
    fn a_free_body_has_the_mobility_that_inverts_its_inertia_at_any_point() {
        let central = Matrix3::new(1.0, 0.1, 0.2, 0.1, 1.5, -0.1, 0.2, -0.1, 2.0);
        let inertia = Inertia::new(2.0, &Vector3::zeros(), &central);
        let inverse = central.try_inverse().expect("a body");
        let center = Mobility {
            angular: inverse,
            mixed: Matrix3::zeros(),
            linear: Matrix3::from_diagonal_element(0.5),
        };
        let offset = Vector3::new(0.4, -0.8, 1.1);
        let force = Force::new(Vector3::new(0.3, 1.0, -0.7), Vector3::new(2.0, 0.1, 0.4));
        let motion = center.at(&offset).times(&force);
        let back = inertia.about(&-offset).times(&motion);
        assert!((back.angular - force.angular).amax() < 1e-14);
        assert!((back.linear - force.linear).amax() < 1e-14);
    }
}
