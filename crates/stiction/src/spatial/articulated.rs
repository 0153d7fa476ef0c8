//! Articulated-body inertia (Featherstone, *Rigid Body Dynamics Algorithms*, 2008, section 7.1).

use crate::spatial::inertia::Inertia;
use crate::spatial::motion::{Force, Motion};
use nalgebra::{Matrix3, Vector3};

/// The symmetric operator from a link's acceleration to the force that causes it while the joints below it are
/// free to move:
///
/// ```text
/// moment = angular alpha + mixed a,   force = mixed^T alpha + linear a
/// ```
///
/// World axes, about one reference point. Unlike a rigid body's, the mass depends on the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticulatedInertia {
    /// Moment per angular acceleration (kg m^2), symmetric.
    pub angular: Matrix3<f64>,
    /// Moment per linear acceleration (kg m).
    pub mixed: Matrix3<f64>,
    /// Force per linear acceleration (kg), symmetric.
    pub linear: Matrix3<f64>,
}

impl ArticulatedInertia {
    /// Nothing.
    pub fn zero() -> Self {
        Self { angular: Matrix3::zeros(), mixed: Matrix3::zeros(), linear: Matrix3::zeros() }
    }

    /// Of a rigid body.
    #[inline]
    pub fn rigid(inertia: &Inertia) -> Self {
        Self {
            angular: inertia.rotational,
            mixed: inertia.moment.cross_matrix(),
            linear: Matrix3::from_diagonal_element(inertia.mass),
        }
    }

    /// Force of an acceleration.
    #[inline]
    pub fn times(&self, motion: &Motion) -> Force {
        Force {
            angular: self.angular * motion.angular + self.mixed * motion.linear,
            linear: self.mixed.tr_mul(&motion.angular) + self.linear * motion.linear,
        }
    }

    /// Takes away `f f^T / pivot`: what is left when the dof whose axis maps to the force `f` moves freely.
    #[inline]
    pub fn release(&mut self, f: &Force, pivot: f64) {
        let inverse = 1.0 / pivot;
        let (angular, linear) = (f.angular * inverse, f.linear * inverse);
        for c in 0..3 {
            for r in 0..3 {
                self.angular[(r, c)] -= f.angular[r] * angular[c];
                self.mixed[(r, c)] -= f.angular[r] * linear[c];
                self.linear[(r, c)] -= f.linear[r] * linear[c];
            }
        }
    }

    /// The same operator about a new reference point, from which the old one is `offset` away (m).
    #[inline]
    pub fn about(&self, offset: &Vector3<f64>) -> Self {
        if *offset == Vector3::zeros() {
            return *self; // several joints of a body at one anchor
        }
        // With O = [offset]x:  H' = H + O M,   I' = I + (O H'^T)^T + O H^T.
        let mixed = self.mixed + cross_columns(offset, &self.linear);
        let first = cross_columns(offset, &mixed.transpose());
        let second = cross_columns(offset, &self.mixed.transpose());
        Self { angular: self.angular + first.transpose() + second, mixed, linear: self.linear }
    }
}

impl std::ops::AddAssign for ArticulatedInertia {
    #[inline]
    fn add_assign(&mut self, o: ArticulatedInertia) {
        self.angular += o.angular;
        self.mixed += o.mixed;
        self.linear += o.linear;
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

    fn body() -> Inertia {
        let central = Matrix3::new(1.0, 0.1, 0.2, 0.1, 1.5, -0.1, 0.2, -0.1, 2.0);
        Inertia::new(2.0, &Vector3::new(0.1, -0.3, 0.2), &central)
    }

    #[test]
    fn a_rigid_body_moves_the_same_as_an_articulated_one_about_any_point() {
        let offset = Vector3::new(0.4, -0.8, 1.1);
        let motion = Motion::new(Vector3::new(0.3, 1.0, -0.7), Vector3::new(2.0, 0.1, 0.4));
        let rigid = body().about(&offset).times(&motion);
        let articulated = ArticulatedInertia::rigid(&body()).about(&offset).times(&motion);
        assert!((rigid.angular - articulated.angular).amax() < 1e-14);
        assert!((rigid.linear - articulated.linear).amax() < 1e-14);
    }

    #[test]
    fn a_released_dof_offers_no_inertia_along_its_axis() {
        let axis = Motion::new(Vector3::new(0.6, 0.0, 0.8), Vector3::new(0.1, 0.2, -0.3));
        let mut inertia = ArticulatedInertia::rigid(&body());
        let force = inertia.times(&axis);
        inertia.release(&force, axis.dot(&force));
        let left = inertia.times(&axis);
        assert!(left.angular.amax() < 1e-14 && left.linear.amax() < 1e-14);
    }
}
