//! A convex shape placed in the frame of a pair, as the general algorithms see it: a core with a radius around it.
//!
//! Directions of a pair are chosen by support functions `h(n)` and the points at which they are attained. Around a
//! direction a core is described by what is active there: `x(n)`, the furthest point; the second derivative of h, which is
//! the curvature of rims and ellipsoids and zero at corners; and the straight lines (edges, the rulings of a mantle)
//! that lie across n within an angle. Along such a line h has a kink, so a best direction is often exactly across it.

use nalgebra::{Matrix3, Vector3};

use crate::geometry::direction::{axis, dominant, length_and_direction, others, side};
use crate::geometry::shape::kind::Shape;
use crate::spatial::Transform;

/// Most lines that are looked at around one direction.
pub(crate) const LINES: usize = 6;

/// A shape and its pose in the pair's frame.
pub(crate) struct Convex<'a> {
    pub shape: &'a Shape,
    pub pose: Transform,
}

impl Convex<'_> {
    /// Radius of what surrounds the core (m).
    pub(crate) fn radius(&self) -> f64 {
        match self.shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// The point of the core furthest along `n`.
    pub(crate) fn support(&self, n: &Vector3<f64>) -> Vector3<f64> {
        let local = self.pose.inverse_vector(n);
        let point = match self.shape {
            Shape::Sphere { .. } => Vector3::zeros(),
            Shape::Capsule { half_length, .. } => axis(2, side(local.z) * half_length),
            shape => shape.support(&local).unwrap_or_default(),
        };
        self.pose.point(&point)
    }

    /// Support function of shape and radius (m).
    pub(crate) fn height(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.support(n)) + self.radius()
    }

    /// Second derivative of the core's support function at the unit vector `n`, across lines that lie across it.
    pub(crate) fn curvature(&self, n: &Vector3<f64>) -> Matrix3<f64> {
        match self.shape {
            Shape::Cylinder { radius, .. } => {
                let axis: Vector3<f64> = self.pose.rotation.column(2).into();
                let tangent = axis.cross(n);
                let sine_squared = tangent.norm_squared();
                if sine_squared == 0.0 {
                    return Matrix3::zeros();
                }
                tangent * tangent.transpose() * (radius / (sine_squared * sine_squared.sqrt()))
            }
            Shape::Ellipsoid { radii } => {
                let local = self.pose.inverse_vector(n);
                let squares = radii.component_mul(radii);
                let height = radii.component_mul(&local).norm();
                let x = squares.component_mul(&local) / height;
                let local = (Matrix3::from_diagonal(&squares) - x * x.transpose()) / height;
                self.pose.rotation * local * self.pose.rotation.transpose()
            }
            _ => Matrix3::zeros(),
        }
    }

    /// Axis of a shape of revolution that has a mantle.
    pub(crate) fn axis(&self) -> Option<Vector3<f64>> {
        match self.shape {
            Shape::Cylinder { .. } | Shape::Capsule { .. } => Some(self.pose.rotation.column(2).into()),
            _ => None,
        }
    }

    /// Whether all of the surface is plane.
    pub(crate) fn is_polyhedron(&self) -> bool {
        matches!(self.shape, Shape::Box { .. } | Shape::Convex(_))
    }

    /// Number of plane faces.
    pub(crate) fn face_count(&self) -> usize {
        self.shape.plane_face_count()
    }

    /// Outward unit normal of plane face `face`.
    pub(crate) fn face_normal(&self, face: usize) -> Vector3<f64> {
        self.pose.vector(&self.shape.face_normal(face))
    }

    /// The plane face that looks most along `n`, of those at the point furthest along it.
    pub(crate) fn supporting_face(&self, n: &Vector3<f64>) -> Option<usize> {
        let local = self.pose.inverse_vector(n);
        match self.shape {
            Shape::Box { .. } => {
                let k = dominant(&local);
                Some(2 * k + usize::from(local[k] < 0.0))
            }
            Shape::Cylinder { .. } => Some(usize::from(local.z < 0.0)),
            Shape::Convex(mesh) => {
                let top = mesh.support_index(&local) as u32;
                let mut best = None;
                let mut most = f64::NEG_INFINITY;
                for edge in mesh.edges().iter().filter(|edge| edge.ends.contains(&top)) {
                    for face in edge.faces.map(|face| face as usize) {
                        let cosine = mesh.faces()[face].normal.dot(&local);
                        if cosine > most || (cosine == most && Some(face) < best) {
                            (best, most) = (Some(face), cosine);
                        }
                    }
                }
                best
            }
            _ => None,
        }
    }

    /// Number of edges of a polyhedron.
    pub(crate) fn edge_count(&self) -> usize {
        match self.shape {
            Shape::Box { .. } => 12,
            Shape::Convex(mesh) => mesh.edges().len(),
            _ => 0,
        }
    }

    /// Direction of edge `edge`, of any length.
    pub(crate) fn edge_direction(&self, edge: usize) -> Vector3<f64> {
        match self.shape {
            Shape::Convex(mesh) => {
                let [a, b] = mesh.edges()[edge].ends.map(|i| mesh.vertices()[i as usize]);
                self.pose.vector(&(b - a))
            }
            _ => self.pose.rotation.column(edge / 4).into(),
        }
    }

    /// Calls `each` for the unit directions of up to [`LINES`] straight lines of the core at the point furthest along `n`
    /// that lie across it within the sine `width`, with the two ends of the line.
    pub(crate) fn lines_across(
        &self,
        n: &Vector3<f64>,
        width: f64,
        mut each: impl FnMut(Vector3<f64>, [Vector3<f64>; 2]),
    ) {
        let local = self.pose.inverse_vector(n);
        match self.shape {
            Shape::Box { half_extents: h } => {
                for k in (0..3).filter(|&k| local[k].abs() <= width) {
                    let (i, j) = others(k);
                    let middle = axis(i, side(local[i]) * h[i]) + axis(j, side(local[j]) * h[j]);
                    let ends = [-1.0, 1.0].map(|s| self.pose.point(&(middle + axis(k, s * h[k]))));
                    each(self.pose.rotation.column(k).into(), ends);
                }
            }
            Shape::Capsule { half_length, .. } if local.z.abs() <= width && *half_length > 0.0 => {
                let ends = [-1.0, 1.0].map(|s| self.pose.point(&axis(2, s * half_length)));
                each(self.pose.rotation.column(2).into(), ends);
            }
            Shape::Cylinder { radius, half_length } if local.z.abs() <= width => {
                let across = Vector3::new(local.x, local.y, 0.0);
                let Some((_, radial)) = length_and_direction(&across) else { return };
                let ends =
                    [-1.0, 1.0].map(|s| self.pose.point(&(radial * *radius + axis(2, s * half_length))));
                each(self.pose.rotation.column(2).into(), ends);
            }
            Shape::Convex(mesh) => {
                let top = mesh.support_index(&local) as u32;
                let mut left = LINES;
                for edge in mesh.edges().iter().filter(|edge| edge.ends.contains(&top)) {
                    let [a, b] = edge.ends.map(|i| mesh.vertices()[i as usize]);
                    let Some((_, direction)) = length_and_direction(&(b - a)) else { continue };
                    if direction.dot(&local).abs() <= width && left > 0 {
                        left -= 1;
                        each(self.pose.vector(&direction), [a, b].map(|x| self.pose.point(&x)));
                    }
                }
            }
            _ => {}
        }
    }

    /// Smallest extent (m), by which distances are called small.
    pub(crate) fn thickness(&self) -> f64 {
        match self.shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
            Shape::Box { half_extents } => half_extents.min(),
            Shape::Cylinder { radius, half_length } => radius.min(*half_length),
            Shape::Ellipsoid { radii } => radii.min(),
            Shape::Convex(mesh) => mesh.thickness(),
            _ => 0.0,
        }
    }
}
