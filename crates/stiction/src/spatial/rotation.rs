//! Unit quaternions `[w, x, y, z]` as exponential coordinates of rotations (Hairer, Lubich, Wanner, *Geometric
//! Numerical Integration*, 2006, ch. IV.8; Solà, *Quaternion kinematics*, 2017).
//!
//! Quaternions come from configurations, that is from users and files, so they are plain numbers here and every
//! function copes with a length that is not one.

use nalgebra::{Matrix3, Vector3};

/// A quaternion, scalar part first.
pub type Quaternion = [f64; 4];

/// The quaternion in the first four entries of a slice.
#[inline]
pub fn quaternion_from(q: &[f64]) -> Quaternion {
    [q[0], q[1], q[2], q[3]]
}

/// Rotation matrix of a quaternion of any length but zero; zero stands for no rotation.
#[inline]
pub fn quaternion_matrix(q: &Quaternion) -> Matrix3<f64> {
    let [w, x, y, z] = *q;
    let length_squared = w * w + x * x + y * y + z * z;
    if length_squared == 0.0 {
        return Matrix3::identity();
    }
    let s = 2.0 / length_squared;
    let (wx, wy, wz) = (s * w * x, s * w * y, s * w * z);
    let (xx, xy, xz) = (s * x * x, s * x * y, s * x * z);
    let (yy, yz, zz) = (s * y * y, s * y * z, s * z * z);
    Matrix3::new(
        1.0 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1.0 - (xx + yy),
    )
}

/// Hamilton product: first `b`, then `a`.
#[inline]
pub fn quaternion_product(a: &Quaternion, b: &Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The opposite rotation (of a unit quaternion).
#[inline]
pub fn quaternion_conjugate(q: &Quaternion) -> Quaternion {
    [q[0], -q[1], -q[2], -q[3]]
}

/// The quaternion of length one; zero becomes no rotation.
#[inline]
pub fn quaternion_normalized(q: &Quaternion) -> Quaternion {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if length == 0.0 {
        return [1.0, 0.0, 0.0, 0.0];
    }
    [q[0] / length, q[1] / length, q[2] / length, q[3] / length]
}

/// Unit quaternion of a rotation vector (axis times angle, rad).
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::spatial::{quaternion_exponential, quaternion_logarithm};
///
/// let turn = Vector3::new(0.1, -0.2, 0.3);
/// assert!((quaternion_logarithm(&quaternion_exponential(&turn)) - turn).norm() < 1e-15);
/// ```
#[inline]
pub fn quaternion_exponential(rotation: &Vector3<f64>) -> Quaternion {
    let angle_squared = rotation.norm_squared();
    // Below 1e-4 rad the Taylor series is exact to round-off and needs no division by the angle.
    let (cosine, scale) = if angle_squared < 1e-8 {
        (1.0 - angle_squared / 8.0, 0.5 - angle_squared / 48.0)
    } else {
        let angle = angle_squared.sqrt();
        let (sine, cosine) = libm::sincos(0.5 * angle);
        (cosine, sine / angle)
    };
    [cosine, scale * rotation.x, scale * rotation.y, scale * rotation.z]
}

/// Rotation vector of a quaternion of any length but zero, its angle at most pi (rad).
#[inline]
pub fn quaternion_logarithm(q: &Quaternion) -> Vector3<f64> {
    // q and -q are the same rotation; the one with w >= 0 has the smaller angle.
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    let (w, imaginary) = (sign * q[0], Vector3::new(q[1], q[2], q[3]) * sign);
    let sine = imaginary.norm();
    if sine == 0.0 {
        return Vector3::zeros();
    }
    imaginary * (2.0 * libm::atan2(sine, w) / sine)
}

/// Rotation matrix about a unit axis (rad), Rodrigues' formula.
#[inline]
pub fn axis_angle_matrix(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (sine, cosine) = libm::sincos(angle);
    // 1 - cos without cancellation for small angles.
    let versine = if cosine > 0.0 { sine * sine / (1.0 + cosine) } else { 1.0 - cosine };
    let (x, y, z) = (axis.x, axis.y, axis.z);
    let (vx, vy, vz) = (versine * x, versine * y, versine * z);
    let (sx, sy, sz) = (sine * x, sine * y, sine * z);
    Matrix3::new(
        cosine + vx * x,
        vx * y - sz,
        vx * z + sy,
        vx * y + sz,
        cosine + vy * y,
        vy * z - sx,
        vx * z - sy,
        vy * z + sx,
        cosine + vz * z,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_undoes_the_exponential_up_to_half_a_turn() {
        for angle in [0.0, 1e-12, 1e-5, 9.9e-5, 1.01e-4, 0.3, 2.0, 3.1] {
            let rotation = Vector3::new(2.0, -1.0, 2.0) / 3.0 * angle;
            let back = quaternion_logarithm(&quaternion_exponential(&rotation));
            assert!((back - rotation).amax() <= 4e-16 * (1.0 + angle), "{angle}");
        }
    }

    #[test]
    fn quaternion_and_axis_angle_give_the_same_matrix() {
        let axis = Vector3::new(2.0, -1.0, 2.0) / 3.0;
        for angle in [-3.0, -1e-5, 0.0, 1e-3, 1.5, 3.0, 7.0] {
            let q = quaternion_exponential(&(axis * angle)).map(|x| 3.0 * x);
            let difference = quaternion_matrix(&q) - axis_angle_matrix(&axis, angle);
            assert!(difference.amax() < 1e-15, "{angle}: {difference}");
        }
    }

    #[test]
    fn the_product_of_quaternions_is_the_product_of_their_matrices() {
        let a = quaternion_exponential(&Vector3::new(0.3, -1.0, 0.2));
        let b = quaternion_exponential(&Vector3::new(-0.7, 0.1, 1.4));
        let product = quaternion_matrix(&quaternion_product(&a, &b));
        assert!((product - quaternion_matrix(&a) * quaternion_matrix(&b)).amax() < 1e-15);
    }
}
