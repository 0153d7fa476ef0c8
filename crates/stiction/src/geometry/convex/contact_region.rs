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

use nalgebra::{Vector2, Vector3};

use crate::geometry::convex::support::Convex;
use crate::geometry::direction::{axis, length_and_direction, others, side, weakest};
use crate::geometry::segment::{Segment, closest_segments};
use crate::geometry::shape::kind::Shape;

/// Points that stand for the rim of a cap.
pub(crate) const RIM: usize = 8;
/// Sine of a tilt below which no point of a rim is closest: what it lifts is below rounding of the points.
const LEVEL: f64 = 1e-9;
/// Cosine of the angle (0.1 rad) up to which a face counts as across a direction that is not its normal.
const NEARLY_FLAT: f64 = 0.995;
/// The same for lines, as a sine.
const NEARLY_ACROSS: f64 = 0.1;
/// Sine up to which lines lie along each other rather than cross, and are across the normal.
const PARALLEL: f64 = 1e-9;
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

/// A cap.
#[derive(Clone, Copy)]
pub(crate) struct Disc {
    center: Vector3<f64>,
    normal: Vector3<f64>,
    x: Vector3<f64>,
    y: Vector3<f64>,
    radius: f64,
    /// Label of its interior; rim points and the rest of the rim follow.
    label: u32,
}

/// Labels of a cylinder: 0 to 10 for the cap at -z, 11 to 21 for that at +z, 22 for the mantle.
pub(crate) const CYLINDER_LABELS: u32 = 23;
const CAP_LABELS: u32 = 11;
/// Of a cap: the interior, `RIM` fixed points, the point closest to the other shape, the rest of the rim.
const LOWEST: u32 = 1 + RIM as u32;
const ON_RIM: u32 = 2 + RIM as u32;

/// Label of the closest rim point of the cap at +z or -z.
pub(crate) fn lowest_label(upper: bool) -> u32 {
    LOWEST + if upper { CAP_LABELS } else { 0 }
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

    fn each_vertex(
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
    fn over(&self, x: &Vector3<f64>, n: &Vector3<f64>, tolerance: f64) -> Option<Vector3<f64>> {
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
    fn border_count(&self) -> usize {
        match self {
            Feature::Line(_) => 1,
            Feature::Polygon(polygon) => polygon.count(),
            _ => 0,
        }
    }

    fn border(&self, i: usize) -> [Vector3<f64>; 2] {
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

impl Disc {
    pub(crate) fn cap(core: &Convex, radius: f64, half_length: f64, upper: bool) -> Self {
        let [x, y, z] = [0, 1, 2].map(|k| Vector3::from(core.pose.rotation.column(k)));
        let normal = if upper { z } else { -z };
        let center = core.pose.translation + normal * half_length;
        Disc { center, normal, x, y, radius, label: if upper { CAP_LABELS } else { 0 } }
    }

    /// The rim points and their labels; one of them the furthest along `toward`, unless that is straight up.
    pub(crate) fn each_rim_point(
        &self,
        toward: Option<Vector3<f64>>,
        mut each: impl FnMut(Vector3<f64>, u32),
    ) {
        let lowest = toward.and_then(|v| {
            let (length, _) = length_and_direction(&v)?;
            let (sine, u) = length_and_direction(&Vector3::new(self.x.dot(&v), self.y.dot(&v), 0.0))?;
            (sine > LEVEL * length).then_some(u.xy())
        });
        let nearest = lowest.map(|u| {
            let mut best = 0;
            for k in 1..RIM {
                if rim_direction(k).dot(&u) > rim_direction(best).dot(&u) {
                    best = k;
                }
            }
            best
        });
        for k in 0..RIM {
            match lowest {
                Some(u) if nearest == Some(k) => each(self.at(&u), self.label + LOWEST),
                _ => each(self.at(&rim_direction(k)), self.label + 1 + k as u32),
            }
        }
    }

    fn at(&self, u: &Vector2<f64>) -> Vector3<f64> {
        self.center + (self.x * u.x + self.y * u.y) * self.radius
    }

    /// Parameters of the line from `p` to `q` (in the disc's plane) at which it crosses the rim.
    fn crossings(&self, p: &Vector3<f64>, q: &Vector3<f64>) -> [f64; 2] {
        let (along, from) = (q - p, p - self.center);
        let square = along.norm_squared();
        let nearest = -along.dot(&from) / square;
        let beside = (from + along * nearest).norm_squared();
        let half = ((self.radius * self.radius - beside) / square).sqrt();
        [nearest - half, nearest + half]
    }
}

/// Direction of rim point `k` in the plane of the cap; exact along the axes.
fn rim_direction(k: usize) -> Vector2<f64> {
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let (x, y) = [(1.0, 0.0), (D, D), (0.0, 1.0), (-D, D), (-1.0, 0.0), (-D, -D), (0.0, -1.0), (D, -D)][k];
    Vector2::new(x, y)
}

/// The point of the plane across `normal` through `origin` that lies above or below `x` along n.
fn lift(x: &Vector3<f64>, n: &Vector3<f64>, normal: &Vector3<f64>, origin: &Vector3<f64>) -> Vector3<f64> {
    x + n * (normal.dot(&(origin - x)) / normal.dot(n))
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

/// A pair of points of the cores `between` apart along n, with the distance at which they miss that: of all points and
/// lines active along n within rounding, those that meet best.
pub(crate) fn witness(a: &Convex, b: &Convex, n: &Vector3<f64>, between: f64) -> (WitnessPair, f64) {
    let point = |core: &Convex, n: &Vector3<f64>| {
        let x = core.support(n);
        [x, x]
    };
    let none = WitnessPair { on_a: a.support(n), on_b: b.support(&-n), label_a: None, label_b: None };
    let mut best = (none, f64::INFINITY);
    let mut consider = |first: [Vector3<f64>; 2], second: [Vector3<f64>; 2]| {
        let flat = |ends: [Vector3<f64>; 2]| {
            let along = ends[1] - ends[0];
            let along = along - n * n.dot(&along);
            let middle = (ends[0] + ends[1]) * 0.5;
            let center = middle - n * n.dot(&middle);
            let (length, direction) = length_and_direction(&along).unwrap_or((0.0, Vector3::zeros()));
            Segment { center, direction, half_length: 0.5 * length }
        };
        let (p, q) = (flat(first), flat(second));
        let (s, t) = closest_segments(&p, &q);
        let at = |ends: [Vector3<f64>; 2], t: f64, half_length: f64| {
            let middle = (ends[0] + ends[1]) * 0.5;
            if half_length > 0.0 { middle + (ends[1] - ends[0]) * (0.5 * t / half_length) } else { middle }
        };
        let (on_a, on_b) = (at(first, s, p.half_length), at(second, t, q.half_length));
        let miss = (on_b - on_a - n * between).norm();
        if miss < best.1 {
            best = (WitnessPair { on_a, on_b, ..none }, miss);
        }
    };
    let (first, second) = (point(a, n), point(b, &-n));
    consider(first, second);
    a.lines_across(n, PARALLEL, |_, first| consider(first, second));
    b.lines_across(&-n, PARALLEL, |_, second| {
        consider(first, second);
        a.lines_across(n, PARALLEL, |_, first| consider(first, second));
    });
    best
}

/// Where lines of the two surfaces lie over each other along n: the two ends of the stretch they share.
pub(crate) fn shared_stretch(a: &Convex, b: &Convex, n: &Vector3<f64>, mut each: impl FnMut(WitnessPair)) {
    a.lines_across(n, PARALLEL, |along, first| {
        b.lines_across(&-n, PARALLEL, |other, second| {
            if along.cross(&other).norm() > PARALLEL {
                return;
            }
            let length = (first[1] - first[0]).norm();
            let [p, q] = second.map(|x| along.dot(&(x - first[0])));
            let (low, high) = (p.min(q).max(0.0), p.max(q).min(length));
            if low >= high {
                return;
            }
            for t in [low, high] {
                let on_a = first[0] + along * t;
                let on_b = second[0] + (second[1] - second[0]) * ((t - p) / (q - p));
                let between = on_b - on_a;
                if (between - n * n.dot(&between)).norm() <= PARALLEL * length {
                    each(WitnessPair { on_a, on_b, label_a: None, label_b: None });
                }
            }
        });
    });
}

impl Convex<'_> {
    /// Which vertex, edge, face or other part of the shape the surface point `x` is on (parts being `tolerance` wide, m),
    /// where the shape looks along n with `face`.
    pub(crate) fn label(
        &self,
        x: &Vector3<f64>,
        n: &Vector3<f64>,
        face: Option<usize>,
        tolerance: f64,
    ) -> u32 {
        let local = self.pose.inverse_point(x);
        match self.shape {
            Shape::Box { half_extents } => {
                crate::geometry::direction::box_feature(&local, half_extents, tolerance)
            }
            Shape::Capsule { half_length, .. } => end_label(local.z, *half_length, tolerance),
            Shape::Cylinder { radius, half_length } => {
                if local.z.abs() < half_length - tolerance {
                    return CYLINDER_LABELS - 1;
                }
                let cap = if local.z > 0.0 { CAP_LABELS } else { 0 };
                // On the rim, the point that supports the cylinder is the closest one.
                cap + if local.xy().norm() < radius - tolerance { 0 } else { LOWEST }
            }
            Shape::Convex(mesh) => {
                let (vertices, edges) = (mesh.vertices().len(), mesh.edges().len());
                let near = |v: u32| (mesh.vertices()[v as usize] - local).norm() <= tolerance;
                let beside = |[a, b]: [u32; 2]| {
                    let [p, q] = [a, b].map(|v| mesh.vertices()[v as usize]);
                    let along = q - p;
                    let t = (along.dot(&(local - p)) / along.norm_squared()).clamp(0.0, 1.0);
                    (p + along * t - local).norm() <= tolerance
                };
                let label = |[a, b]: [u32; 2]| {
                    [a, b].into_iter().find(|&v| near(v)).or_else(|| {
                        let ends = [a.min(b), a.max(b)];
                        let edge = mesh.edges().binary_search_by_key(&ends, |edge| edge.ends).ok()?;
                        beside(ends).then_some((vertices + edge) as u32)
                    })
                };
                match face {
                    Some(face) => {
                        let corners = &mesh.faces()[face].corners;
                        let count = corners.len();
                        let sides = (0..count).map(|i| [corners[i], corners[(i + 1) % count]]);
                        let vertex = corners.iter().copied().find(|&v| near(v));
                        vertex
                            .or_else(|| sides.filter_map(label).next())
                            .unwrap_or((vertices + edges + face) as u32)
                    }
                    None => {
                        let top = mesh.support_index(&self.pose.inverse_vector(n)) as u32;
                        let at_top = mesh.edges().iter().filter(|edge| edge.ends.contains(&top));
                        if near(top) {
                            top
                        } else {
                            at_top.filter_map(|edge| label(edge.ends)).next().unwrap_or(top)
                        }
                    }
                }
            }
            _ => 0,
        }
    }

    /// Number of labels.
    pub(crate) fn label_count(&self) -> u32 {
        match self.shape {
            Shape::Box { .. } => crate::geometry::direction::BOX_FEATURES,
            Shape::Capsule { .. } => 3,
            Shape::Cylinder { .. } => CYLINDER_LABELS,
            Shape::Convex(mesh) => (mesh.vertices().len() + mesh.edges().len() + mesh.faces().len()) as u32,
            _ => 1,
        }
    }
}

/// 0 between the ends, 1 at -z, 2 at +z.
fn end_label(z: f64, half_length: f64, tolerance: f64) -> u32 {
    match half_length - z.abs() {
        beside if beside > tolerance => 0,
        _ if side(z) < 0.0 => 1,
        _ => 2,
    }
}
