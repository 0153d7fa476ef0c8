//! Frames: position and the five ways to write an orientation.
//!
//! `quat`, `axisangle`, `euler`, `xyaxes` and `zaxis` as defined by MuJoCo's XML reference ("Frame orientations").

use crate::scene::error::SceneError;
use crate::scene::mjcf::compiler::Compiler;
use crate::scene::mjcf::document::element::Element;
use crate::spatial::Transform;
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

/// The attributes a frame is written with.
pub(crate) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Vectors shorter than this (before normalisation) have no direction; MuJoCo's bound.
const SHORTEST: f64 = 1e-14;

/// The orientation an element gives itself; `None` when it gives none.
pub(crate) fn orientation(
    element: Element<'_>,
    compiler: &Compiler,
) -> Result<Option<UnitQuaternion<f64>>, SceneError> {
    let mut given = ORIENTATIONS.iter().copied().filter(|name| element.has(name));
    let Some(form) = given.next() else { return Ok(None) };
    if let Some(second) = given.next() {
        return Err(
            element.invalid(Some(second), format!("the orientation is already given by {form}; keep one"))
        );
    }
    let value = element.attribute(form).unwrap_or_default();
    let no_direction = |what: &str| {
        element.invalid(Some(form), format!("{value:?} has no direction; {what} must not be zero"))
    };
    let rotation = match form {
        "quat" => {
            element.numbers::<4>(form)?.map(|q| quaternion(q).ok_or_else(|| no_direction("a quaternion")))
        }
        "axisangle" => element.numbers::<4>(form)?.map(|[x, y, z, angle]| {
            direction(Vector3::new(x, y, z))
                .map(|axis| turn(axis, angle * compiler.angle_unit))
                .ok_or_else(|| no_direction("the axis"))
        }),
        "euler" => element.numbers::<3>(form)?.map(|angles| Ok(compiler.euler(angles))),
        "xyaxes" => element.numbers::<6>(form)?.map(|[a, b, c, d, e, f]| {
            let x = direction(Vector3::new(a, b, c)).ok_or_else(|| no_direction("the x axis"))?;
            let y = Vector3::new(d, e, f);
            let y = direction(y - x * x.dot(&y)).ok_or_else(|| {
                element.invalid(
                    Some(form),
                    format!("{value:?} has parallel axes; x and y must differ in direction"),
                )
            })?;
            let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
            Ok(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)))
        }),
        _ => element
            .vector(form)?
            .map(|axis| direction(axis).map(from_z).ok_or_else(|| no_direction("the axis"))),
    };
    rotation.transpose()
}

/// The pose an element gives itself, with zero position and no rotation where it is silent.
pub(crate) fn pose(element: Element<'_>, compiler: &Compiler) -> Result<Transform, SceneError> {
    let position = element.vector("pos")?.unwrap_or_default();
    let orientation = orientation(element, compiler)?.unwrap_or_else(UnitQuaternion::identity);
    Ok(Transform::new(position, &orientation))
}

/// A quaternion from four numbers, w first; `None` for zero.
pub(crate) fn quaternion([w, x, y, z]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    // Scaled first, so that neither tiny nor huge components under- or overflow when squared.
    let largest = w.abs().max(x.abs()).max(y.abs()).max(z.abs());
    (largest > SHORTEST).then(|| {
        UnitQuaternion::from_quaternion(Quaternion::new(w / largest, x / largest, y / largest, z / largest))
    })
}

/// A vector's direction; `None` when it is too short to have one.
pub(crate) fn direction(vector: Vector3<f64>) -> Option<Vector3<f64>> {
    let largest = vector.amax();
    (largest > SHORTEST).then(|| (vector / largest).normalize())
}

/// Rotation about a unit axis (rad).
pub(crate) fn turn(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(0.5 * angle);
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, axis * sin))
}

/// The least rotation that turns the z axis into a unit vector (about x when that is -z).
pub(crate) fn from_z(target: Vector3<f64>) -> UnitQuaternion<f64> {
    let normal = Vector3::new(-target.y, target.x, 0.0);
    let sine = libm::hypot(target.x, target.y);
    let axis = if sine < 1e-10 { Vector3::x() } else { normal / sine };
    turn(axis, libm::atan2(sine, target.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_rotation_from_z_reaches_its_target_and_turns_about_a_level_axis() {
        let targets = [
            Vector3::z(),
            -Vector3::z(),
            Vector3::x(),
            Vector3::new(-0.3, 0.4, -0.2),
            Vector3::new(1e-12, 0.0, -1.0),
        ];
        for target in targets.map(|t| t.normalize()) {
            let rotation = from_z(target);
            assert!((rotation * Vector3::z() - target).amax() < 1e-11, "{target}");
            assert_eq!(rotation.k, 0.0);
        }
    }

    #[test]
    fn quaternions_and_directions_of_any_size_are_normalised_and_zero_has_none() {
        for scale in [1e-13, 1.0, 1e300] {
            let unit = quaternion([scale, -scale, scale, scale]).unwrap();
            assert!((unit.coords.norm() - 1.0).abs() < 1e-15 && unit.w == 0.5);
            let axis = direction(Vector3::new(0.0, 3.0 * scale, 4.0 * scale)).unwrap();
            assert!((axis - Vector3::new(0.0, 0.6, 0.8)).amax() < 1e-15);
        }
        assert!(quaternion([0.0; 4]).is_none() && direction(Vector3::zeros()).is_none());
    }
}
