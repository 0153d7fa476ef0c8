//! Contact points of two boxes.
//!
//! 1. *Separating axes.* Of the 3 + 3 face normals and 9 edge cross products, the one with the largest separation
//!    `s(n) = -h_A(n) - h_B(-n)`, an earlier kind and index winning within rounding (S. Gottschalk, M. Lin,
//!    D. Manocha, *OBBTree*, SIGGRAPH 1996). For overlapping boxes it is the shortest way out, for disjoint ones a
//!    lower bound of the distance.
//! 2. *Facing faces* are clipped along a face normal; the deepest corner attains s(n), unless the boxes are
//!    apart and pass each other sideways. Crossing edges attain s(n) in one point.
//! 3. Where neither attains s(n), the boxes are disjoint and closest at a vertex: the *closest points* over all
//!    features give distance and normal, accepted only if their direction separates better than the axis did.
//!
//! Edges that cross while the faces they bound lie nearly flat on each other (an overhanging box turned on a table)
//! touch with the whole common area in any simulation, so the corners of that area are added with their own
//! gaps. Parallel edges facing each other give the two ends of what they share.

use nalgebra::{Matrix3, Vector3};

use crate::geometry::analytic::box_closest::{ClosestPoints, closest_points, supporting_edges};
use crate::geometry::analytic::face_clip::{FacingPair, FacingPairs, clip_faces, facing_faces, pair_feature};
use crate::geometry::contact_point::Manifold;
use crate::geometry::direction::{BOX_FEATURES, axis, length_and_direction, others, side, weakest};
use crate::spatial::Transform;

/// Edges with a smaller sine between them have no cross product to speak of: what their axis could add to the
/// separation is below the sine times the size of the boxes.
pub(crate) const PARALLEL_EDGES: f64 = 1e-12;
/// Sine up to which two facing edges share a stretch instead of a point; gaps along it differ by no more than
/// this times its length.
const EDGE_ON_EDGE: f64 = 1e-7;
/// Cosine of the angle (0.1 rad) up to which faces count as lying on each other beside an edge normal.
const NEARLY_FLAT: f64 = 0.995;

/// Two boxes in the frame of the first.
pub(crate) struct Boxes {
    /// Half extents of the first box (m).
    pub a: Vector3<f64>,
    /// Half extents of the second box (m).
    pub b: Vector3<f64>,
    /// Axes of the second box in the first one's frame, as columns.
    pub rotation: Matrix3<f64>,
    /// Centre of the second box in the first one's frame (m).
    pub offset: Vector3<f64>,
    /// Bound on the rounding of a separation (m).
    pub tolerance: f64,
    /// Distance (m) below which two points of a manifold are one.
    pub merge: f64,
}

impl Boxes {
    fn new(
        first: &Transform,
        first_half_extents: &Vector3<f64>,
        second: &Transform,
        second_half_extents: &Vector3<f64>,
    ) -> Self {
        let rotation = first.rotation.tr_mul(&second.rotation);
        let offset = first.inverse_point(&second.translation);
        let (a, b) = (*first_half_extents, *second_half_extents);
        Self {
            a,
            b,
            rotation,
            offset,
            tolerance: 64.0 * f64::EPSILON * (a.amax() + b.amax() + offset.amax()),
            merge: 4e-6 * a.min().min(b.min()),
        }
    }

    /// Axis `j` of the second box.
    pub(crate) fn axis_b(&self, j: usize) -> Vector3<f64> {
        self.rotation.column(j).into()
    }

    /// A vector in the second box's axes.
    pub(crate) fn in_b(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation.tr_mul(x)
    }

    /// A vector given in the second box's axes.
    pub(crate) fn vector_of_b(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * x
    }

    /// `s(n)` of a unit vector n (m).
    fn separation(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.offset) - self.a.dot(&n.abs()) - self.b.dot(&self.in_b(n).abs())
    }

    /// The direction of closest points `distance` apart, without components along the axes of either box or of both
    /// that may be nothing but rounding of the points, whichever separates best. Such a component costs its
    /// size times the box in s(n), while errors of a direction that is across all edges it should be across
    /// are of second order.
    fn polished(&self, direction: &Vector3<f64>, distance: f64) -> Vector3<f64> {
        // A point beside the closest one by sqrt(2 tolerance distance) is as close to rounding.
        let noise = (self.tolerance / distance).max((2.0 * self.tolerance / distance).sqrt()).min(1e-3);
        let snap = |n: &Vector3<f64>| n.map(|x| if x.abs() < noise { 0.0 } else { x });
        let snap_in_b = |n: &Vector3<f64>| self.vector_of_b(&snap(&self.in_b(n)));
        let mut best = (*direction, self.separation(direction));
        for n in [snap(direction), snap_in_b(direction), snap_in_b(&snap(direction))] {
            let n = n.normalize();
            let separation = self.separation(&n);
            if separation > best.1 {
                best = (n, separation);
            }
        }
        best.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Face,
    Edges(usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct Axis {
    kind: Kind,
    normal: Vector3<f64>,
    separation: f64,
}

/// Box and box, given as (pose, half extents).
pub(crate) fn box_box(
    first: (&Transform, &Vector3<f64>),
    second: (&Transform, &Vector3<f64>),
    manifold: &mut Manifold,
) {
    let boxes = Boxes::new(first.0, first.1, second.0, second.1);
    let Some(axis) = separating_axis(&boxes, manifold.prediction()) else {
        return;
    };
    let Some((normal, pairs)) = facing_pairs(&boxes, &axis, manifold.prediction()) else {
        return;
    };
    let world_normal = first.0.vector(&normal);
    for pair in pairs.as_slice() {
        if pair.gap <= manifold.prediction() {
            let point = first.0.point(&((pair.on_a + pair.on_b) * 0.5));
            let feature = pair_feature(&boxes, pair);
            manifold.push(point, world_normal, pair.gap, feature, BOX_FEATURES * BOX_FEATURES);
        }
    }
}

/// Step 1. `None` when some axis separates the boxes by more than the prediction.
fn separating_axis(boxes: &Boxes, prediction: f64) -> Option<Axis> {
    let extents = boxes.rotation.abs();
    let mut best = Axis { kind: Kind::Face, normal: Vector3::x(), separation: f64::NEG_INFINITY };

    let reach = boxes.a + extents * boxes.b;
    for k in 0..3 {
        let separation = boxes.offset[k].abs() - reach[k];
        if separation > best.separation + boxes.tolerance {
            best = Axis { kind: Kind::Face, normal: axis(k, side(boxes.offset[k])), separation };
        }
    }
    if best.separation > prediction {
        return None;
    }
    let offset_in_b = boxes.in_b(&boxes.offset);
    let reach = boxes.b + extents.tr_mul(&boxes.a);
    for k in 0..3 {
        let separation = offset_in_b[k].abs() - reach[k];
        if separation > best.separation + boxes.tolerance {
            best = Axis { kind: Kind::Face, normal: boxes.axis_b(k) * side(offset_in_b[k]), separation };
        }
    }
    if best.separation > prediction {
        return None;
    }
    for i in 0..3 {
        for j in 0..3 {
            if let Some(candidate) = edge_axis(boxes, &extents, i, j, best.separation) {
                best = candidate;
                if best.separation > prediction {
                    return None;
                }
            }
        }
    }
    Some(best)
}

/// The axis across edge directions `i` and `j` if it separates by more than `least`.
fn edge_axis(boxes: &Boxes, extents: &Matrix3<f64>, i: usize, j: usize, least: f64) -> Option<Axis> {
    let ((i1, i2), (j1, j2)) = (others(i), others(j));
    let (c1, c2) = (-boxes.rotation[(i2, j)], boxes.rotation[(i1, j)]);
    let sine = (c1 * c1 + c2 * c2).sqrt();
    if sine < PARALLEL_EDGES {
        return None;
    }
    // Cheap estimate of sine * s(n), with a margin for its rounding; most axes end here.
    let along = boxes.offset[i1] * c1 + boxes.offset[i2] * c2;
    let reach = boxes.a[i1] * c1.abs()
        + boxes.a[i2] * c2.abs()
        + boxes.b[j1] * extents[(i, j2)]
        + boxes.b[j2] * extents[(i, j1)];
    if along.abs() - reach + boxes.tolerance <= (least + boxes.tolerance) * sine {
        return None;
    }
    let mut normal = Vector3::zeros();
    let s = side(along) / sine;
    (normal[i1], normal[i2]) = (c1 * s, c2 * s);
    let separation = boxes.separation(&normal);
    (separation > least + boxes.tolerance).then_some(Axis { kind: Kind::Edges(i, j), normal, separation })
}

/// Steps 2 and 3: the normal and the pairs of points. `None` when the boxes are further apart than the
/// prediction.
fn facing_pairs(boxes: &Boxes, axis: &Axis, prediction: f64) -> Option<(Vector3<f64>, FacingPairs)> {
    let mut pairs = flat_pairs(boxes, axis.kind == Kind::Face, &axis.normal);
    if pairs.smallest_gap() <= axis.separation + boxes.tolerance {
        return Some((axis.normal, pairs));
    }
    if let Kind::Edges(i, j) = axis.kind
        && let Some(crossing) = supporting_edges(boxes, &axis.normal, i, j)
    {
        pairs.insert(crossing.pair(axis.separation), boxes.merge);
        return Some((axis.normal, pairs));
    }

    // Overlapping faces miss s(n) only by what the preference for an earlier axis gave away, a rounding.
    if axis.separation < -boxes.tolerance && !pairs.as_slice().is_empty() {
        return Some((axis.normal, pairs));
    }
    let closest = closest_points(boxes);
    if let Some((distance, direction)) = length_and_direction(&(closest.on_b - closest.on_a))
        && let direction = boxes.polished(&direction, distance)
        && boxes.separation(&direction) > axis.separation + boxes.tolerance
    {
        if distance > prediction {
            return None;
        }
        let mut pairs = flat_pairs(boxes, false, &direction);
        insert_shared_edge(boxes, &direction, &closest, &mut pairs);
        if pairs.smallest_gap() > distance + boxes.tolerance {
            pairs.insert(closest.pair(distance), boxes.merge);
        }
        return Some((direction, pairs));
    }
    insert_shared_edge(boxes, &axis.normal, &closest, &mut pairs);
    if pairs.smallest_gap() > axis.separation + boxes.tolerance {
        pairs.insert(closest.pair(axis.separation), boxes.merge);
    }
    Some((axis.normal, pairs))
}

impl ClosestPoints {
    fn pair(&self, gap: f64) -> FacingPair {
        FacingPair { on_a: self.on_a, on_b: self.on_b, gap }
    }
}

/// The clipped faces, if the normal is a face's own (`forced`) or both faces lie nearly across it.
fn flat_pairs(boxes: &Boxes, forced: bool, normal: &Vector3<f64>) -> FacingPairs {
    let flat = || {
        let ((a, _), (b, _)) = facing_faces(boxes, normal);
        normal[a].abs() > NEARLY_FLAT && normal.dot(&boxes.axis_b(b)).abs() > NEARLY_FLAT
    };
    if forced || flat() { clip_faces(boxes, normal) } else { FacingPairs::new() }
}

/// Adds the ends of the stretch along which both closest points can move on parallel edges, across the normal.
fn insert_shared_edge(
    boxes: &Boxes,
    normal: &Vector3<f64>,
    closest: &ClosestPoints,
    pairs: &mut FacingPairs,
) {
    let in_b = boxes.in_b(normal);
    let (i, j) = (weakest(normal), weakest(&in_b));
    let (i1, i2) = others(i);
    let edge_b = boxes.axis_b(j);
    let lies_across = normal[i].abs() < EDGE_ON_EDGE && in_b[j].abs() < EDGE_ON_EDGE;
    if !lies_across || edge_b[i1].hypot(edge_b[i2]) > EDGE_ON_EDGE {
        return;
    }
    let on_a = closest.on_a - axis(i, closest.on_a[i]);
    let on_b = closest.on_b - edge_b * edge_b.dot(&(closest.on_b - boxes.offset));
    let low = (-boxes.a[i]).max(on_b[i] - boxes.b[j]);
    let high = boxes.a[i].min(on_b[i] + boxes.b[j]);
    if low > high {
        return;
    }
    for x in [low, high] {
        let on_a = on_a + axis(i, x);
        let on_b = on_b + edge_b * ((x - on_b[i]) / edge_b[i]);
        pairs.insert(FacingPair { on_a, on_b, gap: normal.dot(&(on_b - on_a)) }, boxes.merge);
    }
}
