//! What a shape shows along a direction: a point, a line, a polygon or a disc, with its vertices, its border and its plane.

use super::disc::Disc;
use crate::geometry::convex::support::Convex;
use crate::geometry::direction::{axis, others};
use crate::geometry::shape::kind::Shape;
use nalgebra::Vector3;

/// Cosine of the angle (0.1 rad) up to which a face counts as across a direction that is not its normal.
pub(super) const NEARLY_FLAT: f64 = 0.995;
/// The same for lines, as a sine.
const NEARLY_ACROSS: f64 = 0.1;

/// What a core shows along a direction.
pub(crate) enum Feature<'a> {
    Point(Vector3<f64>),
    Line([Vector3<f64>; 2]),
    Polygon(Polygon<'a>),
    Disc(Disc),
}

/// A plane face with corners.
pub(crate) struct Polygon<'a> {
    core: &'a Convex<'a>,
    face: usize,
    normal: Vector3<f64>,
}

impl<'a> Feature<'a> {
    /// The feature along `n`. When n is the normal of a face of either shape (`forced`), the feature lies over or under
    /// that face at any tilt; otherwise it must itself be nearly across n.
    pub(crate) fn supporting(core: &'a Convex<'a>, n: &Vector3<f64>, forced: bool) -> Self {
        match core.shape {
            Shape::Box { .. } | Shape::Convex(_) => {
                if let Some(face) = core.supporting_face(n) {
                    let normal = core.face_normal(face);
                    if normal.dot(n) > if forced { NEARLY_ACROSS } else { NEARLY_FLAT } {
                        return Feature::Polygon(Polygon { core, face, normal });
                    }
                }
            }
            Shape::Cylinder { radius, half_length } => {
                let cosine = n.dot(&core.pose.rotation.column(2));
                if cosine.abs() > if forced { std::f64::consts::FRAC_1_SQRT_2 } else { NEARLY_FLAT } {
                    return Feature::Disc(Disc::cap(core, *radius, *half_length, cosine > 0.0));
                }
                if cosine.abs() < if forced { 1.0 } else { NEARLY_ACROSS } {
                    return Self::across(core, n, 1.0).unwrap_or_else(|| Feature::Point(core.support(n)));
                }
            }
            Shape::Capsule { .. } => {
                let width = if forced { 1.0 } else { NEARLY_ACROSS };
                if let Some(line) = Self::across(core, n, width) {
                    return line;
                }
            }
            _ => {}
        }
        Feature::Point(core.support(n))
    }

    /// A line within the sine `width` across n.
    fn across(core: &'a Convex<'a>, n: &Vector3<f64>, width: f64) -> Option<Self> {
        let mut found = None;
        core.lines_across(n, width, |_, ends| found = Some(Feature::Line(ends)));
        found
    }

    pub(super) fn each_vertex(
        &self,
        other: &Feature,
        n: &Vector3<f64>,
        mut each: impl FnMut(Vector3<f64>, Option<u32>),
    ) {
        match self {
            Feature::Point(x) => each(*x, None),
            Feature::Line(ends) => ends.iter().for_each(|x| each(*x, None)),
            Feature::Polygon(polygon) => {
                (0..polygon.count()).for_each(|i| each(polygon.corner(i), None));
            }
            Feature::Disc(disc) => {
                let toward = other.plane().map(|(normal, _)| normal / normal.dot(n));
                disc.each_rim_point(toward, |x, label| each(x, Some(label)));
            }
        }
    }

    /// Normal and a point of the feature's plane.
    fn plane(&self) -> Option<(Vector3<f64>, Vector3<f64>)> {
        match self {
            Feature::Point(_) | Feature::Line(_) => None,
            Feature::Polygon(polygon) => Some((polygon.normal, polygon.corner(0))),
            Feature::Disc(disc) => Some((disc.normal, disc.center)),
        }
    }

    /// The point of the feature above or below `x` along n, if there is one (within `tolerance`, m).
    pub(super) fn over(&self, x: &Vector3<f64>, n: &Vector3<f64>, tolerance: f64) -> Option<Vector3<f64>> {
        let (normal, origin) = self.plane()?;
        let x = lift(x, n, &normal, &origin);
        let inside = match self {
            Feature::Polygon(polygon) => polygon.contains(&x, tolerance),
            Feature::Disc(disc) => (x - disc.center).norm() <= disc.radius + tolerance,
            _ => false,
        };
        inside.then_some(x)
    }

    /// Straight parts of the border.
    pub(super) fn border_count(&self) -> usize {
        match self {
            Feature::Line(_) => 1,
            Feature::Polygon(polygon) => polygon.count(),
            _ => 0,
        }
    }

    pub(super) fn border(&self, i: usize) -> [Vector3<f64>; 2] {
        match self {
            Feature::Line(ends) => *ends,
            Feature::Polygon(polygon) => [polygon.corner(i), polygon.corner((i + 1) % polygon.count())],
            Feature::Point(x) => [*x; 2],
            Feature::Disc(disc) => [disc.center; 2],
        }
    }

    /// The face a polygon is.
    pub(crate) fn face(&self) -> Option<usize> {
        match self {
            Feature::Polygon(polygon) => Some(polygon.face),
            _ => None,
        }
    }
}

impl Polygon<'_> {
    fn count(&self) -> usize {
        match self.core.shape {
            Shape::Convex(mesh) => mesh.faces()[self.face].corners.len(),
            _ => 4,
        }
    }

    fn corner(&self, i: usize) -> Vector3<f64> {
        let local = match self.core.shape {
            Shape::Convex(mesh) => mesh.vertices()[mesh.faces()[self.face].corners[i] as usize],
            Shape::Box { half_extents: h } => {
                let k = self.face / 2;
                let (p, q) = others(k);
                let sign = if self.face.is_multiple_of(2) { 1.0 } else { -1.0 };
                let [s, t] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][i];
                // Counter-clockwise seen from outside.
                axis(k, sign * h[k]) + axis(p, sign * s * h[p]) + axis(q, t * h[q])
            }
            _ => Vector3::zeros(),
        };
        self.core.pose.point(&local)
    }

    fn contains(&self, x: &Vector3<f64>, tolerance: f64) -> bool {
        let mut from = self.corner(self.count() - 1);
        (0..self.count()).all(|i| {
            let to = self.corner(i);
            let along = to - from;
            let outside = along.cross(&self.normal).dot(&(x - from));
            let within = outside <= tolerance * along.norm();
            from = to;
            within
        })
    }
}

/// The point of the plane across `normal` through `origin` that lies above or below `x` along n.
pub(super) fn lift(
    x: &Vector3<f64>,
    n: &Vector3<f64>,
    normal: &Vector3<f64>,
    origin: &Vector3<f64>,
) -> Vector3<f64> {
    x + n * (normal.dot(&(origin - x)) / normal.dot(n))
}
