//! Rigid-body inertia about an arbitrary point.

use crate::spatial::motion::{Force, Motion};
use crate::spatial::transform::Transform;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign};

/// Mass, first moment and rotational inertia about a reference point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inertia {
    /// Mass (kg).
    pub mass: f64,
    /// Mass times the centre of mass as seen from the reference point (kg m).
    pub moment: Vector3<f64>,
    /// Rotational inertia about the reference point (kg m^2), symmetric.
    pub rotational: Matrix3<f64>,
}

impl Inertia {
    /// Nothing.
    #[inline]
    pub fn zero() -> Self {
        Self { mass: 0.0, moment: Vector3::zeros(), rotational: Matrix3::zeros() }
    }

    /// From mass (kg), centre of mass (m) and inertia about the centre of mass (kg m^2).
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use stiction::spatial::{Inertia, Motion};
    ///
    /// let body = Inertia::new(2.0, &Vector3::x(), &Matrix3::identity());
    /// let momentum = body.times(&Motion::new(Vector3::zeros(), Vector3::y()));
    /// assert_eq!((momentum.linear, momentum.angular), (2.0 * Vector3::y(), 2.0 * Vector3::z()));
    /// ```
    #[inline]
    pub fn new(mass: f64, center_of_mass: &Vector3<f64>, central: &Matrix3<f64>) -> Self {
        let c = center_of_mass;
        let steiner = (Matrix3::identity() * c.norm_squared() - c * c.transpose()) * mass;
        Self { mass, moment: c * mass, rotational: central + steiner }
    }

    /// The same inertia in the frame that sees this one's frame at `pose` (about that frame's origin).
    #[inline]
    pub fn transformed(&self, pose: &Transform) -> Self {
        self.rotated(&pose.rotation).about(&pose.translation)
    }

    /// The same inertia about a new reference point, from which the old one is `offset` away (m).
    #[inline]
    pub fn about(&self, offset: &Vector3<f64>) -> Self {
        let (o, h) = (offset, &self.moment);
        let mixed = o * h.transpose() + h * o.transpose() + o * o.transpose() * self.mass;
        Self {
            mass: self.mass,
            moment: h + o * self.mass,
            rotational: self.rotational + Matrix3::identity() * mixed.trace() - mixed,
        }
    }

    /// The same inertia about the same point in axes turned by `rotation`.
    #[inline]
    pub fn rotated(&self, rotation: &Matrix3<f64>) -> Self {
        let turned = rotation * self.rotational;
        let entry = |r: usize, c: usize| {
            turned[(r, 0)] * rotation[(c, 0)]
                + turned[(r, 1)] * rotation[(c, 1)]
                + turned[(r, 2)] * rotation[(c, 2)]
        };
        let (xy, xz, yz) = (entry(0, 1), entry(0, 2), entry(1, 2));
        Self {
            mass: self.mass,
            moment: rotation * self.moment,
            rotational: Matrix3::new(entry(0, 0), xy, xz, xy, entry(1, 1), yz, xz, yz, entry(2, 2)),
        }
    }

    /// The force that a rotation with this angular velocity (rad/s) needs without any acceleration of the
    /// reference point: centripetal force and gyroscopic moment.
    #[inline]
    pub fn gyroscopic(&self, angular_velocity: &Vector3<f64>) -> Force {
        let w = angular_velocity;
        Force { angular: w.cross(&(self.rotational * w)), linear: w.cross(&w.cross(&self.moment)) }
    }

    /// Momentum of a motion, or inertial force of an acceleration (without velocity terms).
    #[inline]
    pub fn times(&self, motion: &Motion) -> Force {
        Force {
            angular: self.rotational * motion.angular + self.moment.cross(&motion.linear),
            linear: motion.linear * self.mass - self.moment.cross(&motion.angular),
        }
    }
}

impl Add for Inertia {
    type Output = Inertia;
    #[inline]
    fn add(self, o: Inertia) -> Inertia {
        Inertia {
            mass: self.mass + o.mass,
            moment: self.moment + o.moment,
            rotational: self.rotational + o.rotational,
        }
    }
}

impl AddAssign for Inertia {
    #[inline]
    fn add_assign(&mut self, o: Inertia) {
        *self = *self + o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    #[test]
    fn kinetic_energy_does_not_depend_on_the_reference_point_or_the_axes() {
        let inertia = Inertia::new(
            2.0,
            &Vector3::new(0.1, -0.3, 0.2),
            &Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 2.5)),
        );
        let motion = Motion::new(Vector3::new(0.3, 1.0, -0.7), Vector3::new(2.0, 0.1, 0.4));
        let energy = motion.dot(&inertia.times(&motion));
        let pose =
            Transform::new(Vector3::new(1.0, 2.0, -1.0), &UnitQuaternion::from_euler_angles(0.4, 1.0, -2.0));
        let turned = Motion::new(pose.vector(&motion.angular), pose.vector(&motion.linear));
        let moved = turned.at(&-pose.translation);
        assert!((moved.dot(&inertia.transformed(&pose).times(&moved)) - energy).abs() < 1e-13);
    }
}
