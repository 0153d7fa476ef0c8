//! Rigid transforms: a rotation matrix and a translation.
//!
//! Quaternions live in configurations only; everything computed from a configuration works with matrices,
//! because a pose is applied to far more vectors than it is composed.

use super::rotation::{quaternion_conjugate, quaternion_product};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// The pose of a frame B seen from a frame A: `x_A = rotation x_B + translation` (m).
///
/// ```
/// use nalgebra::{UnitQuaternion, Vector3};
/// use stiction::spatial::Transform;
///
/// let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
/// let pose = Transform::new(Vector3::new(1.0, 0.0, 0.0), &turn);
/// assert!((pose.point(&Vector3::x()) - Vector3::new(1.0, 1.0, 0.0)).norm() < 1e-15);
/// assert!(((pose * pose.inverse()).translation).norm() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Rotation matrix; its columns are B's axes in A.
    pub rotation: Matrix3<f64>,
    /// B's origin in A (m).
    pub translation: Vector3<f64>,
}

impl Transform {
    /// The identity.
    #[inline]
    pub fn identity() -> Self {
        Self { rotation: Matrix3::identity(), translation: Vector3::zeros() }
    }

    /// A pose without rotation.
    #[inline]
    pub fn from_translation(translation: Vector3<f64>) -> Self {
        Self { rotation: Matrix3::identity(), translation }
    }

    /// A pose from position (m) and orientation.
    #[inline]
    pub fn new(translation: Vector3<f64>, orientation: &UnitQuaternion<f64>) -> Self {
        Self { rotation: orientation.to_rotation_matrix().into_inner(), translation }
    }

    /// The orientation as a unit quaternion `[w, x, y, z]`.
    pub fn quaternion(&self) -> [f64; 4] {
        let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(self.rotation));
        [q.w, q.i, q.j, q.k]
    }

    /// Angle between the orientations of two frames (rad), to rounding where it is small.
    pub fn angle_to(&self, other: &Self) -> f64 {
        let turn = quaternion_product(&other.quaternion(), &quaternion_conjugate(&self.quaternion()));
        2.0 * libm::atan2(libm::hypot(libm::hypot(turn[1], turn[2]), turn[3]), turn[0].abs())
    }

    /// A point of B in A (m).
    #[inline]
    pub fn point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * x + self.translation
    }

    /// A direction of B in A.
    #[inline]
    pub fn vector(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * x
    }

    /// A point of A in B (m).
    #[inline]
    pub fn inverse_point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation.tr_mul(&(x - self.translation))
    }

    /// A direction of A in B.
    #[inline]
    pub fn inverse_vector(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation.tr_mul(x)
    }

    /// A seen from B.
    #[inline]
    pub fn inverse(&self) -> Self {
        Self { rotation: self.rotation.transpose(), translation: -self.rotation.tr_mul(&self.translation) }
    }
}

impl std::ops::Mul for Transform {
    type Output = Transform;
    #[inline]
    fn mul(self, other: Transform) -> Transform {
        Transform { rotation: self.rotation * other.rotation, translation: self.point(&other.translation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_times_its_inverse_is_the_identity() {
        let x =
            Transform::new(Vector3::new(1.0, -2.0, 3.0), &UnitQuaternion::from_euler_angles(0.3, -1.2, 2.0));
        let y = x * x.inverse();
        assert!((y.rotation - Matrix3::identity()).amax() < 1e-15 && y.translation.amax() < 1e-15);
        let p = Vector3::new(0.2, 0.5, -0.7);
        assert!((x.inverse_point(&x.point(&p)) - p).amax() < 1e-15);
    }
}
