//! Collision shapes and what can be said about one of them alone: validity, bounds, mass, support point.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::sync::Arc;

use crate::geometry::aabb::Aabb;
use crate::geometry::direction::{axis, length_and_direction, side};
use crate::geometry::shape::convex_mesh::ConvexMesh;
use crate::geometry::shape::height_field::HeightField;
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
    /// A solid cylinder about the z axis.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Half the length (m).
        half_length: f64,
    },
    /// An ellipsoid about the origin.
    Ellipsoid {
        /// Semi-axes along x, y and z (m).
        radii: Vector3<f64>,
    },
    /// A convex polyhedron.
    Convex(Arc<ConvexMesh>),
    /// Ground given by heights on a grid.
    HeightField(Arc<HeightField>),
}

/// Why a shape is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The radius of a sphere, capsule or cylinder is not a positive finite number.
    #[error("{shape} radius is {value} m; it must be a finite number greater than 0")]
    Radius {
        /// `sphere`, `capsule` or `cylinder`.
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
    /// A cylinder's half length is not a positive finite number.
    #[error("cylinder half length is {value} m; it must be a finite number greater than 0")]
    CylinderHalfLength {
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
    /// One of an ellipsoid's semi-axes is not a positive finite number.
    #[error("ellipsoid semi-axis along {axis} is {value} m; it must be a finite number greater than 0")]
    SemiAxis {
        /// `x`, `y` or `z`.
        axis: char,
        /// The semi-axis given (m).
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
            Shape::Cylinder { radius, .. } if !positive(radius) => {
                Err(ShapeError::Radius { shape: "cylinder", value: radius })
            }
            Shape::Cylinder { half_length, .. } if !positive(half_length) => {
                Err(ShapeError::CylinderHalfLength { value: half_length })
            }
            Shape::Ellipsoid { radii } => match (0..3).find(|&k| !positive(radii[k])) {
                Some(k) => Err(ShapeError::SemiAxis { axis: ['x', 'y', 'z'][k], value: radii[k] }),
                None => Ok(()),
            },
            // Checked when they were made.
            Shape::Cylinder { .. } | Shape::Convex(_) | Shape::HeightField(_) => Ok(()),
        }
    }

    /// Axis-aligned bounding box in the frame `pose` is given in; `None` for unbounded shapes.
    pub fn aabb(&self, pose: &Transform) -> Option<Aabb> {
        let about =
            |center: Vector3<f64>, half: Vector3<f64>| Aabb { min: center - half, max: center + half };
        let half = match self {
            Shape::Plane => return None,
            Shape::Sphere { radius } => Vector3::repeat(*radius),
            Shape::Capsule { radius, half_length } => {
                pose.rotation.column(2).abs() * *half_length + Vector3::repeat(*radius)
            }
            Shape::Box { half_extents } => pose.rotation.abs() * half_extents,
            Shape::Cylinder { radius, half_length } => {
                let axis = pose.rotation.column(2);
                axis.abs() * *half_length + axis.map(|c| (1.0 - c * c).max(0.0).sqrt() * radius)
            }
            Shape::Ellipsoid { radii } => {
                Vector3::from_fn(|k, _| pose.rotation.row(k).transpose().component_mul(radii).norm())
            }
            Shape::Convex(mesh) => {
                let mut aabb = about(pose.translation, Vector3::repeat(f64::NEG_INFINITY));
                for vertex in mesh.vertices() {
                    let x = pose.point(vertex);
                    aabb = Aabb { min: aabb.min.inf(&x), max: aabb.max.sup(&x) };
                }
                return Some(aabb);
            }
            Shape::HeightField(field) => {
                let [low, high] = field.bounds();
                let center = pose.point(&((low + high) * 0.5));
                return Some(about(center, pose.rotation.abs() * ((high - low) * 0.5)));
            }
        };
        Some(about(pose.translation, half))
    }

    /// Radius (m) of the smallest ball about the frame's origin that holds the shape; `None` for unbounded
    /// shapes.
    pub fn bounding_radius(&self) -> Option<f64> {
        match self {
            Shape::Plane => None,
            Shape::Sphere { radius } => Some(*radius),
            Shape::Capsule { radius, half_length } => Some(radius + half_length),
            Shape::Box { half_extents } => Some(half_extents.norm()),
            Shape::Cylinder { radius, half_length } => Some(libm::hypot(*radius, *half_length)),
            Shape::Ellipsoid { radii } => Some(radii.max()),
            Shape::Convex(mesh) => Some(mesh.vertices().iter().fold(0.0, |r: f64, v| r.max(v.norm()))),
            // Of the bounding box, which is a little more.
            Shape::HeightField(field) => {
                let [low, high] = field.bounds();
                Some(low.abs().sup(&high.abs()).norm())
            }
        }
    }

    /// Volume (m^3); `None` for unbounded shapes and for ground, which has no mass.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Shape::Plane | Shape::HeightField(_) => None,
            Shape::Sphere { radius } => Some(ball_volume(*radius)),
            Shape::Capsule { radius, half_length } => {
                Some(ball_volume(*radius) + cylinder_volume(*radius, *half_length))
            }
            Shape::Box { half_extents: h } => Some(8.0 * h.x * h.y * h.z),
            Shape::Cylinder { radius, half_length } => Some(cylinder_volume(*radius, *half_length)),
            Shape::Ellipsoid { radii: r } => Some(4.0 / 3.0 * PI * r.x * r.y * r.z),
            Shape::Convex(mesh) => Some(mesh.mass_properties().mass),
        }
    }

    /// Mass properties of the solid shape at density 1 kg/m^3; `None` for unbounded shapes and for ground.
    ///
    /// ```
    /// use stiction::geometry::Shape;
    ///
    /// let ball = Shape::Sphere { radius: 0.5 };
    /// let unit = ball.unit_inertia().unwrap();
    /// assert!((unit.inertia[(0, 0)] - 0.4 * unit.mass * 0.25).abs() < 1e-15);
    /// assert!(Shape::Plane.unit_inertia().is_none());
    /// ```
    pub fn unit_inertia(&self) -> Option<MassProperties> {
        let mass = self.volume()?;
        // Of a body whose second moments along its axes are mass times these.
        let from_squares =
            |s: Vector3<f64>, factor: f64| Vector3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass * factor);
        let diagonal = match self {
            Shape::Plane | Shape::HeightField(_) => return None,
            Shape::Convex(mesh) => return Some(mesh.mass_properties()),
            Shape::Sphere { radius } => Vector3::repeat(0.4 * mass * radius * radius),
            Shape::Capsule { radius, half_length } => capsule_inertia(*radius, *half_length),
            Shape::Box { half_extents: h } => from_squares(h.component_mul(h), 1.0 / 3.0),
            Shape::Cylinder { radius, half_length } => {
                let across = mass * (radius * radius / 4.0 + half_length * half_length / 3.0);
                Vector3::new(across, across, mass * radius * radius / 2.0)
            }
            Shape::Ellipsoid { radii: r } => from_squares(r.component_mul(r), 0.2),
        };
        Some(MassProperties {
            mass,
            center_of_mass: Vector3::zeros(),
            inertia: Matrix3::from_diagonal(&diagonal),
        })
    }

    /// A point of the shape that lies furthest along `direction` (own frame, any length); `None` for unbounded
    /// shapes and for ground, which is not convex. The zero direction counts as a direction of the shape's choice.
    pub fn support(&self, direction: &Vector3<f64>) -> Option<Vector3<f64>> {
        let ball = |radius: f64| match length_and_direction(direction) {
            Some((_, unit)) => unit * radius,
            None => Vector3::z() * radius,
        };
        match self {
            Shape::Plane | Shape::HeightField(_) => None,
            Shape::Sphere { radius } => Some(ball(*radius)),
            Shape::Capsule { radius, half_length } => {
                Some(ball(*radius) + Vector3::z() * (side(direction.z) * half_length))
            }
            Shape::Box { half_extents: h } => Some(direction.zip_map(h, |d, h| side(d) * h)),
            Shape::Cylinder { radius, half_length } => {
                let across = Vector3::new(direction.x, direction.y, 0.0);
                let rim = length_and_direction(&across).map_or(Vector3::x(), |(_, unit)| unit);
                Some(rim * *radius + Vector3::z() * (side(direction.z) * half_length))
            }
            Shape::Ellipsoid { radii } => {
                let stretched = direction.component_mul(radii);
                let unit = length_and_direction(&stretched).map_or(Vector3::z(), |(_, unit)| unit);
                Some(unit.component_mul(radii))
            }
            Shape::Convex(mesh) => Some(mesh.support(direction)),
        }
    }
}

impl Shape {
    /// Outward unit normals of the plane faces of a bounded shape in its own frame, with the distance of each face's plane
    /// from the origin (m).
    pub(crate) fn plane_faces(&self) -> impl Iterator<Item = (Vector3<f64>, f64)> {
        (0..self.plane_face_count()).map(|i| {
            let normal = self.face_normal(i);
            (normal, self.support(&normal).map_or(0.0, |x| normal.dot(&x)))
        })
    }

    /// How far (m) from its origin the shape reaches along the unit vector `n` once it has turned by the rotation vector
    /// `turn` (own frame), to first order and never too little; a turn about an axis of symmetry changes nothing. `None`
    /// for unbounded shapes and ground.
    pub(crate) fn reach(&self, n: &Vector3<f64>, turn: &Vector3<f64>) -> Option<f64> {
        // The height of a point x is then n . (x + turn x x).
        let turned = |turn: &Vector3<f64>| n + n.cross(turn);
        let across = Vector3::new(turn.x, turn.y, 0.0);
        match self {
            Shape::Sphere { radius } => Some(*radius),
            Shape::Capsule { radius, half_length } => Some(radius + half_length * turned(&across).z.abs()),
            Shape::Cylinder { .. } => {
                let n = turned(&across);
                self.support(&n).map(|x| n.dot(&x))
            }
            // May have three axes of symmetry, about which the first order would stretch it.
            Shape::Ellipsoid { radii } => Some(turned(turn).normalize().component_mul(radii).norm()),
            Shape::Box { .. } | Shape::Convex(_) => {
                let n = turned(turn);
                self.support(&n).map(|x| n.dot(&x))
            }
            Shape::Plane | Shape::HeightField(_) => None,
        }
    }

    /// Number of plane faces of a bounded shape.
    pub(crate) fn plane_face_count(&self) -> usize {
        match self {
            Shape::Box { .. } => 6,
            Shape::Cylinder { .. } => 2,
            Shape::Convex(mesh) => mesh.faces().len(),
            _ => 0,
        }
    }

    /// Outward unit normal of plane face `i`: +x, -x, +y, -y, +z, -z of a box, +z, -z of a cylinder.
    pub(crate) fn face_normal(&self, i: usize) -> Vector3<f64> {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        match self {
            Shape::Convex(mesh) => mesh.faces()[i].normal,
            Shape::Box { .. } => axis(i / 2, sign),
            _ => axis(2, sign),
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

    fn shapes() -> [Shape; 6] {
        let mesh = ConvexMesh::from_points(&[
            Vector3::new(0.02, -0.13, 0.07),
            Vector3::new(0.53, 0.09, 0.011),
            Vector3::new(-0.31, 0.79, -0.057),
            Vector3::new(0.113, 0.17, 0.613),
        ]);
        [
            Shape::Cylinder { radius: 0.2, half_length: 0.5 },
            Shape::Ellipsoid { radii: Vector3::new(0.1, 0.4, 0.7) },
            Shape::Convex(Arc::new(mesh.unwrap())),
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.2, half_length: 0.5 },
            Shape::Box { half_extents: Vector3::new(0.1, 0.4, 0.7) },
        ]
    }

    fn contains(shape: &Shape, x: &Vector3<f64>) -> bool {
        match shape {
            Shape::Plane => x.z <= 0.0,
            Shape::Sphere { radius } => x.norm() <= *radius,
            Shape::Capsule { radius, half_length } => {
                (x - Vector3::z() * x.z.clamp(-half_length, *half_length)).norm() <= *radius
            }
            Shape::Box { half_extents } => (0..3).all(|k| x[k].abs() <= half_extents[k]),
            Shape::Cylinder { radius, half_length } => x.xy().norm() <= *radius && x.z.abs() <= *half_length,
            Shape::Ellipsoid { radii } => x.component_div(radii).norm() <= 1.0,
            Shape::Convex(mesh) => mesh.triangles().iter().all(|t| {
                let [a, b, c] = t.map(|i| mesh.vertices()[i as usize]);
                (b - a).cross(&(c - a)).dot(&(x - a)) <= 0.0
            }),
            Shape::HeightField(_) => false,
        }
    }

    #[test]
    fn mass_properties_are_the_integrals_over_the_solid() {
        for shape in shapes() {
            let bounds = shape.aabb(&Transform::identity()).unwrap();
            let n = 100;
            let step = (bounds.max - bounds.min) / n as f64;
            let (mut mass, mut first, mut inertia) = (0.0, Vector3::zeros(), Matrix3::zeros());
            for i in 0..n {
                for j in 0..n {
                    for k in 0..n {
                        let cell = Vector3::new(i as f64, j as f64, k as f64).add_scalar(0.5);
                        let x = bounds.min + cell.component_mul(&step);
                        if contains(&shape, &x) {
                            let dm = step.product();
                            mass += dm;
                            first += x * dm;
                            inertia += (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * dm;
                        }
                    }
                }
            }
            let exact = shape.unit_inertia().unwrap();
            let c: Vector3<f64> = first / mass;
            inertia -= (Matrix3::identity() * c.norm_squared() - c * c.transpose()) * mass;
            assert!((exact.center_of_mass - c).norm() < 5e-3, "{shape:?}");
            assert!((exact.mass / mass - 1.0).abs() < 5e-3, "{shape:?}: {} {mass}", exact.mass);
            let error = (exact.inertia - inertia).amax() / exact.inertia.amax();
            assert!(error < 5e-3, "{shape:?}: {error}");
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
