//! Collision shapes and what can be said about one of them alone: validity, bounds, mass, support point.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

use super::Aabb;
use super::direction::{length_and_direction, side};
use crate::spatial::Transform;

/// A collision shape in its own frame; lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// The half space `z <= 0`, infinite, with the normal +z.
    Plane,
    /// A ball about the origin.
    Sphere {
        /// Radius (m).
        radius: f64,
    },
    /// All points within `radius` of the segment from `-half_length` to `half_length` on the z axis.
    Capsule {
        /// Radius (m).
        radius: f64,
        /// Half the length of the cylindrical part (m), without the caps.
        half_length: f64,
    },
    /// A box about the origin with faces across the axes.
    Box {
        /// Half the edge lengths (m).
        half_extents: Vector3<f64>,
    },
}

/// Why a shape is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A sphere's or capsule's radius is not a positive finite number.
    #[error("{shape} radius is {value} m; it must be a finite number greater than 0")]
    Radius {
        /// `sphere` or `capsule`.
        shape: &'static str,
        /// The radius given (m).
        value: f64,
    },
    /// A capsule's half length is negative or not finite.
    #[error("capsule half length is {value} m; it must be a finite number of at least 0")]
    HalfLength {
        /// The half length given (m).
        value: f64,
    },
    /// One of a box's half extents is not a positive finite number.
    #[error("box half extent along {axis} is {value} m; it must be a finite number greater than 0")]
    HalfExtent {
        /// `x`, `y` or `z`.
        axis: char,
        /// The half extent given (m).
        value: f64,
    },
}

/// Mass, centre of mass and inertia of a solid in the frame of its shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the shape's frame (m).
    pub center_of_mass: Vector3<f64>,
    /// Rotational inertia about the centre of mass along the axes of the shape's frame (kg m^2).
    pub inertia: Matrix3<f64>,
}

impl Shape {
    /// Checks the dimensions.
    ///
    /// # Errors
    /// [`ShapeError`] naming the first dimension that is out of range.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match *self {
            Shape::Plane => Ok(()),
            Shape::Sphere { radius } if positive(radius) => Ok(()),
            Shape::Sphere { radius } => Err(ShapeError::Radius { shape: "sphere", value: radius }),
            Shape::Capsule { radius, .. } if !positive(radius) => {
                Err(ShapeError::Radius { shape: "capsule", value: radius })
            }
            Shape::Capsule { half_length, .. } if !(half_length.is_finite() && half_length >= 0.0) => {
                Err(ShapeError::HalfLength { value: half_length })
            }
            Shape::Capsule { .. } => Ok(()),
            Shape::Box { half_extents } => match (0..3).find(|&k| !positive(half_extents[k])) {
                Some(k) => Err(ShapeError::HalfExtent { axis: ['x', 'y', 'z'][k], value: half_extents[k] }),
                None => Ok(()),
            },
        }
    }

    /// Axis-aligned bounding box in the frame `pose` is given in; `None` for unbounded shapes.
    pub fn aabb(&self, pose: &Transform) -> Option<Aabb> {
        let half = match *self {
            Shape::Plane => return None,
            Shape::Sphere { radius } => Vector3::repeat(radius),
            Shape::Capsule { radius, half_length } => {
                pose.rotation.column(2).abs() * half_length + Vector3::repeat(radius)
            }
            Shape::Box { half_extents } => pose.rotation.abs() * half_extents,
        };
        Some(Aabb { min: pose.translation - half, max: pose.translation + half })
    }

    /// Radius (m) of the smallest ball about the frame's origin that holds the shape; `None` for unbounded
    /// shapes.
    pub fn bounding_radius(&self) -> Option<f64> {
        match *self {
            Shape::Plane => None,
            Shape::Sphere { radius } => Some(radius),
            Shape::Capsule { radius, half_length } => Some(radius + half_length),
            Shape::Box { half_extents } => Some(half_extents.norm()),
        }
    }

    /// Volume (m^3); `None` for unbounded shapes.
    pub fn volume(&self) -> Option<f64> {
        match *self {
            Shape::Plane => None,
            Shape::Sphere { radius } => Some(ball_volume(radius)),
            Shape::Capsule { radius, half_length } => {
                Some(ball_volume(radius) + cylinder_volume(radius, half_length))
            }
            Shape::Box { half_extents: h } => Some(8.0 * h.x * h.y * h.z),
        }
    }

    /// Mass properties of the solid shape at density 1 kg/m^3; `None` for unbounded shapes.
    pub fn unit_inertia(&self) -> Option<MassProperties> {
        let mass = self.volume()?;
        let diagonal = match *self {
            Shape::Plane => return None,
            Shape::Sphere { radius } => Vector3::repeat(0.4 * mass * radius * radius),
            Shape::Capsule { radius, half_length } => capsule_inertia(radius, half_length),
            Shape::Box { half_extents: h } => {
                let square = h.component_mul(&h);
                Vector3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 3.0)
            }
        };
        Some(MassProperties {
            mass,
            center_of_mass: Vector3::zeros(),
            inertia: Matrix3::from_diagonal(&diagonal),
        })
    }

    /// A point of the shape that lies furthest along `direction` (own frame, any length); `None` for unbounded
    /// shapes. The zero direction counts as a direction of the shape's choice.
    pub fn support(&self, direction: &Vector3<f64>) -> Option<Vector3<f64>> {
        let ball = |radius: f64| match length_and_direction(direction) {
            Some((_, unit)) => unit * radius,
            None => Vector3::z() * radius,
        };
        match *self {
            Shape::Plane => None,
            Shape::Sphere { radius } => Some(ball(radius)),
            Shape::Capsule { radius, half_length } => {
                Some(ball(radius) + Vector3::z() * (side(direction.z) * half_length))
            }
            Shape::Box { half_extents: h } => Some(direction.zip_map(&h, |d, h| side(d) * h)),
        }
    }
}

fn ball_volume(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

fn cylinder_volume(radius: f64, half_length: f64) -> f64 {
    2.0 * PI * radius * radius * half_length
}

/// Principal moments of a solid capsule of density 1: a cylinder and two half balls. A half ball's centre of
/// mass lies 3/8 r from its flat side, and its moment about a diameter of the flat side is 2/5 m r^2; moving
/// both to the capsule's middle by Steiner's theorem gives `2/5 m r^2 + m (l^2 + 3/4 l r)`.
fn capsule_inertia(radius: f64, half_length: f64) -> Vector3<f64> {
    let (r, l) = (radius, half_length);
    let (cylinder, caps) = (cylinder_volume(r, l), ball_volume(r));
    let across = cylinder * (r * r / 4.0 + l * l / 3.0) + caps * (0.4 * r * r + l * l + 0.75 * l * r);
    let along = cylinder * r * r / 2.0 + caps * 0.4 * r * r;
    Vector3::new(across, across, along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    fn shapes() -> [Shape; 3] {
        [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.2, half_length: 0.5 },
            Shape::Box { half_extents: Vector3::new(0.1, 0.4, 0.7) },
        ]
    }

    fn contains(shape: &Shape, x: &Vector3<f64>) -> bool {
        match *shape {
            Shape::Plane => x.z <= 0.0,
            Shape::Sphere { radius } => x.norm() <= radius,
            Shape::Capsule { radius, half_length } => {
                (x - Vector3::z() * x.z.clamp(-half_length, half_length)).norm() <= radius
            }
            Shape::Box { half_extents } => (0..3).all(|k| x[k].abs() <= half_extents[k]),
        }
    }

    #[test]
    fn mass_properties_are_the_integrals_over_the_solid() {
        for shape in shapes() {
            let bounds = shape.aabb(&Transform::identity()).unwrap();
            let n = 100;
            let step = (bounds.max - bounds.min) / n as f64;
            let (mut mass, mut inertia) = (0.0, Matrix3::zeros());
            for i in 0..n {
                for j in 0..n {
                    for k in 0..n {
                        let cell = Vector3::new(i as f64, j as f64, k as f64).add_scalar(0.5);
                        let x = bounds.min + cell.component_mul(&step);
                        if contains(&shape, &x) {
                            let dm = step.product();
                            mass += dm;
                            inertia += (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * dm;
                        }
                    }
                }
            }
            let exact = shape.unit_inertia().unwrap();
            assert!((exact.mass / mass - 1.0).abs() < 5e-3, "{shape:?}: {} {mass}", exact.mass);
            assert!((exact.inertia - inertia).amax() < 5e-3 * exact.inertia.amax(), "{shape:?}");
        }
    }

    #[test]
    fn bounding_boxes_touch_the_support_points_along_the_axes() {
        let pose =
            Transform::new(Vector3::new(1.0, -2.0, 0.5), &UnitQuaternion::from_euler_angles(0.4, 1.1, -2.0));
        for shape in shapes() {
            let aabb = shape.aabb(&pose).unwrap();
            for k in 0..3 {
                for sign in [-1.0, 1.0] {
                    let mut direction = Vector3::zeros();
                    direction[k] = sign;
                    let far = pose.point(&shape.support(&pose.inverse_vector(&direction)).unwrap());
                    let bound = if sign > 0.0 { aabb.max[k] } else { aabb.min[k] };
                    assert!((far[k] - bound).abs() < 1e-15);
                }
            }
        }
        assert!(Shape::Plane.aabb(&pose).is_none());
    }

    #[test]
    fn dimensions_that_are_not_positive_finite_numbers_are_refused_by_name() {
        let refused = |shape: Shape, text: &str| {
            let message = shape.validate().unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        };
        refused(Shape::Sphere { radius: f64::NAN }, "sphere radius is NaN");
        refused(Shape::Sphere { radius: 0.0 }, "sphere radius is 0 m");
        refused(Shape::Capsule { radius: -1.0, half_length: 1.0 }, "capsule radius is -1 m");
        refused(Shape::Capsule { radius: 1.0, half_length: f64::INFINITY }, "half length is inf");
        refused(Shape::Box { half_extents: Vector3::new(1.0, 0.0, 1.0) }, "along y is 0 m");
        for shape in shapes() {
            shape.validate().unwrap();
        }
        Shape::Plane.validate().unwrap();
        Shape::Capsule { radius: 0.1, half_length: 0.0 }.validate().unwrap();
    }
}
