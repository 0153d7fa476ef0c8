//! The contact region of two shapes along a direction: the points at which contact is to be kept.
//!
//! Along the normal n each shape shows a *supporting feature*: a point, a line (edge, ruling, axis of a capsule), a polygon
//! (plane face with any number of corners) or a disc (cap of a cylinder). What both cover, seen along n, is a convex
//! region, and its corners span every load the two can exchange. The corners are
//!
//! * vertices of either feature inside the other,
//! * crossings of their borders: line with line, line with circle, circle with circle.
//!
//! They are listed without order, each as a pair of points one above the other; those that coincide are merged by the
//! manifold. A disc has no vertices; its rim is represented by [`RIM`] points fixed to the body, of which the one nearest
//! to where the rim comes closest to the other feature's plane moves there. So the deepest point is exact at every tilt,
//! a cylinder standing on its cap is carried all around, and points keep their place and identity when it turns.

mod disc;
mod feature;
mod label;
mod witness;

pub(crate) use disc::{CYLINDER_LABELS, Disc, lowest_label};
pub(crate) use feature::Feature;
pub(crate) use witness::{shared_stretch, witness};

use disc::ON_RIM;
use feature::{NEARLY_FLAT, lift};

use crate::geometry::direction::{axis, weakest};
use nalgebra::{Vector2, Vector3};

/// Steps of Newton's method for the crossing of two rims.
const NEWTON_STEPS: usize = 8;

/// Two points of the cores, one above the other along the normal, with labels where the maker knows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WitnessPair {
    pub on_a: Vector3<f64>,
    pub on_b: Vector3<f64>,
    pub label_a: Option<u32>,
    pub label_b: Option<u32>,
}
/// The corners of what `a` and `b` cover along n, sides belonging to them within `tolerance` (m).
pub(crate) fn common_corners(
    a: &Feature,
    b: &Feature,
    n: &Vector3<f64>,
    tolerance: f64,
    mut each: impl FnMut(WitnessPair),
) {
    a.each_vertex(b, n, |on_a, label_a| {
        if let Some(on_b) = b.over(&on_a, n, tolerance) {
            each(WitnessPair { on_a, on_b, label_a, label_b: None });
        }
    });
    b.each_vertex(a, &-n, |on_b, label_b| {
        if let Some(on_a) = a.over(&on_b, n, tolerance) {
            each(WitnessPair { on_a, on_b, label_a: None, label_b });
        }
    });
    // A line over a line is a matter of `witness`.
    if let (Feature::Line(_), Feature::Line(_)) = (a, b) {
        return;
    }
    let view = View::new(n);
    for i in 0..a.border_count() {
        for j in 0..b.border_count() {
            if let Some((on_a, on_b)) = view.crossing(&a.border(i), &b.border(j), tolerance) {
                each(WitnessPair { on_a, on_b, label_a: None, label_b: None });
            }
        }
    }
    match (a, b) {
        (Feature::Disc(disc), Feature::Disc(other)) => rims_cross(disc, other, n, |on_a, on_b| {
            let (label_a, label_b) = (Some(disc.label + ON_RIM), Some(other.label + ON_RIM));
            each(WitnessPair { on_a, on_b, label_a, label_b });
        }),
        (Feature::Disc(disc), other) => borders_cross_rim(other, disc, n, |on_b, on_a| {
            each(WitnessPair { on_a, on_b, label_a: Some(disc.label + ON_RIM), label_b: None });
        }),
        (other, Feature::Disc(disc)) => borders_cross_rim(other, disc, n, |on_a, on_b| {
            each(WitnessPair { on_a, on_b, label_a: None, label_b: Some(disc.label + ON_RIM) });
        }),
        _ => {}
    }
}

/// Where the border of a feature crosses the rim of a disc: the points of the feature and of the disc.
fn borders_cross_rim(
    feature: &Feature,
    disc: &Disc,
    n: &Vector3<f64>,
    mut each: impl FnMut(Vector3<f64>, Vector3<f64>),
) {
    for i in 0..feature.border_count() {
        let [p, q] = feature.border(i);
        let [x, y] = [p, q].map(|p| lift(&p, n, &disc.normal, &disc.center));
        for t in disc.crossings(&x, &y) {
            if (0.0..=1.0).contains(&t) {
                each(p + (q - p) * t, x + (y - x) * t);
            }
        }
    }
}

/// Where the rims of two discs cross that lie nearly flat on each other: of the two circles as if they were parallel,
/// improved by Newton's method on the angle about the first.
fn rims_cross(a: &Disc, b: &Disc, n: &Vector3<f64>, mut each: impl FnMut(Vector3<f64>, Vector3<f64>)) {
    if -a.normal.dot(&b.normal) < NEARLY_FLAT {
        return;
    }
    let center = lift(&b.center, n, &a.normal, &a.center) - a.center;
    let offset = Vector2::new(center.dot(&a.x), center.dot(&a.y));
    let distance = offset.norm();
    let cosine =
        (distance * distance + a.radius * a.radius - b.radius * b.radius) / (2.0 * distance * a.radius);
    // Apart, one in the other, or concentric (then it is not a number).
    if cosine.is_nan() || cosine.abs() >= 1.0 {
        return;
    }
    let toward = offset / distance;
    let beside = Vector2::new(-toward.y, toward.x);
    for sign in [1.0, -1.0] {
        let mut u = toward * cosine + beside * (sign * (1.0 - cosine * cosine).sqrt());
        let mut error = f64::INFINITY;
        for _ in 0..NEWTON_STEPS {
            let on_b = lift(&a.at(&u), n, &b.normal, &b.center) - b.center;
            error = 0.5 * (on_b.norm_squared() / (b.radius * b.radius) - 1.0);
            let tangent = (a.y * u.x - a.x * u.y) * a.radius;
            // The tangent as it appears in the other plane.
            let seen = tangent - n * (b.normal.dot(&tangent) / b.normal.dot(n));
            let slope = on_b.dot(&seen) / (b.radius * b.radius);
            let step = -error / slope;
            if !(step.abs() > f64::EPSILON && step.abs() < 1.0) {
                break;
            }
            u = (u + Vector2::new(-u.y, u.x) * step).normalize();
        }
        if error.abs() <= 1e-12 {
            let on_a = a.at(&u);
            each(on_a, lift(&on_a, n, &b.normal, &b.center));
        }
    }
}

/// Two directions across the normal.
struct View {
    u: Vector3<f64>,
    v: Vector3<f64>,
}

impl View {
    fn new(n: &Vector3<f64>) -> Self {
        let u = n.cross(&axis(weakest(n), 1.0)).normalize();
        Self { u, v: n.cross(&u) }
    }

    fn project(&self, x: &Vector3<f64>) -> Vector2<f64> {
        Vector2::new(self.u.dot(x), self.v.dot(x))
    }

    /// The points of two segments that cross, seen along the normal. Segments that do not turn away from each other by
    /// more than `tolerance` (m) over their length do not cross, they lie on each other, and their ends tell.
    fn crossing(
        &self,
        [p, q]: &[Vector3<f64>; 2],
        [r, s]: &[Vector3<f64>; 2],
        tolerance: f64,
    ) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let (d, e, w) = (self.project(&(q - p)), self.project(&(s - r)), self.project(&(r - p)));
        let area = d.perp(&e);
        let (length, other) = (d.norm(), e.norm());
        if area.abs() <= tolerance * length.max(other) {
            return None;
        }
        let (t, u) = (w.perp(&e) / area, w.perp(&d) / area);
        let on = |t: f64, length: f64| t * length >= -tolerance && (t - 1.0) * length <= tolerance;
        (on(t, length) && on(u, other)).then(|| (p + (q - p) * t, r + (s - r) * u))
    }
}
