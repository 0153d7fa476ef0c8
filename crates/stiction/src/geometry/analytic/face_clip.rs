//! Where two faces of two boxes lie over each other, seen along a direction.
//!
//! Given a unit vector n from the first box to the second, the face of each box that looks most along (against)
//! n is projected along n onto the plane across it. One parallelogram is clipped against the other (I. Sutherland
//! and G. Hodgman, *Reentrant Polygon Clipping*, CACM 17, 1974), and every vertex of what both cover, at most
//! eight, becomes a pair of points, one on each face, with the gap between them along n. Which box is clipped
//! against which makes no difference to the polygon, hence none to gaps and features either: a tie between the
//! boxes' face normals is harmless.

use nalgebra::{Vector2, Vector3};

use crate::geometry::analytic::box_box::Boxes;
use crate::geometry::direction::{axis, box_feature, dominant, others, side};

/// Vertices of the intersection of two parallelograms.
const CORNERS: usize = 8;

/// A pair of points of two boxes that face each other, in the first box's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacingPair {
    /// Point of the first box (m).
    pub on_a: Vector3<f64>,
    /// Point of the second box (m).
    pub on_b: Vector3<f64>,
    /// Distance from the first to the second along the normal (m).
    pub gap: f64,
}

/// Up to nine pairs: the corners of a clipped face and the closest points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacingPairs {
    pairs: [FacingPair; CORNERS + 1],
    count: usize,
}

impl FacingPairs {
    pub(crate) fn new() -> Self {
        let none = FacingPair { on_a: Vector3::zeros(), on_b: Vector3::zeros(), gap: 0.0 };
        Self { pairs: [none; CORNERS + 1], count: 0 }
    }

    pub(crate) fn as_slice(&self) -> &[FacingPair] {
        &self.pairs[..self.count]
    }

    /// Removes corners of the polygon on the straight line between their neighbours (within `width`, m), where edges
    /// of the two boxes lie on each other: the neighbours carry all they could, unless they are the deepest by more
    /// than `rounding` (m).
    fn drop_straight_corners(&mut self, width: f64, rounding: f64) {
        let mut k = 0;
        while k < self.count && self.count > 2 {
            let [before, here, after] =
                [self.count - 1, 0, 1].map(|step| self.pairs[(k + step) % self.count]);
            let chord = after.on_a - before.on_a;
            let along = chord.dot(&(here.on_a - before.on_a)) / chord.norm_squared();
            let aside = (here.on_a - before.on_a - chord * along).norm();
            let straight = (0.0..=1.0).contains(&along) && aside <= width;
            if straight && here.gap >= before.gap.min(after.gap) - rounding {
                self.pairs.copy_within(k + 1..self.count, k);
                self.count -= 1;
            } else {
                k += 1;
            }
        }
    }

    /// Smallest gap (m); infinite when there is none.
    pub(crate) fn smallest_gap(&self) -> f64 {
        self.as_slice().iter().fold(f64::INFINITY, |least, pair| least.min(pair.gap))
    }

    /// Adds a pair; one closer than `merge` (m) to another on both boxes shares its place, and the deeper stays.
    pub(crate) fn insert(&mut self, pair: FacingPair, merge: f64) {
        let near = |p: &FacingPair| {
            (p.on_a - pair.on_a).norm_squared() <= merge * merge
                && (p.on_b - pair.on_b).norm_squared() <= merge * merge
        };
        if let Some(twin) = self.pairs[..self.count].iter_mut().find(|p| near(p)) {
            if pair.gap < twin.gap {
                *twin = pair;
            }
        } else if self.count < self.pairs.len() {
            self.pairs[self.count] = pair;
            self.count += 1;
        }
    }
}

/// A face seen along n: the plane it lies in and the parallelogram of its shadow.
struct Face {
    /// Outward normal and offset: points of the face have `normal . x = offset`.
    normal: Vector3<f64>,
    offset: f64,
    /// Shadow: centre, and the half diagonals' halves `p`, `q` (the corners are `center +- p +- q`).
    center: Vector2<f64>,
    p: Vector2<f64>,
    q: Vector2<f64>,
}

/// Orthonormal basis whose third vector is the normal.
struct View {
    u: Vector3<f64>,
    v: Vector3<f64>,
    n: Vector3<f64>,
}

impl View {
    /// A basis with axes along the edges of whichever face is exactly across `n`, so that its shadow is an
    /// axis-aligned rectangle without rounding.
    fn new(boxes: &Boxes, n: &Vector3<f64>, a: usize, b: usize) -> Self {
        let (u, v) = if n[a].abs() == 1.0 {
            let (i, j) = others(a);
            (axis(i, 1.0), axis(j, 1.0))
        } else if boxes.axis_b(b) == *n || boxes.axis_b(b) == -n {
            let (i, j) = others(b);
            (boxes.axis_b(i), boxes.axis_b(j))
        } else {
            let e = axis(others(a).0, 1.0);
            let u = (e - n * n.dot(&e)).normalize();
            (u, n.cross(&u))
        };
        Self { u, v, n: *n }
    }

    fn project(&self, x: &Vector3<f64>) -> Vector2<f64> {
        Vector2::new(self.u.dot(x), self.v.dot(x))
    }

    fn face(&self, outward: Vector3<f64>, center: Vector3<f64>, p: Vector3<f64>, q: Vector3<f64>) -> Face {
        Face {
            normal: outward,
            offset: outward.dot(&center),
            center: self.project(&center),
            p: self.project(&p),
            q: self.project(&q),
        }
    }

    /// Point of the face's plane over the shadow point `x`.
    fn lift(&self, face: &Face, x: &Vector2<f64>) -> (Vector3<f64>, f64) {
        let beside = self.u * x.x + self.v * x.y;
        let height = (face.offset - face.normal.dot(&beside)) / face.normal.dot(&self.n);
        (beside + self.n * height, height)
    }
}

/// The faces of the two boxes that look most along n: axis index and side of each.
pub(crate) fn facing_faces(boxes: &Boxes, n: &Vector3<f64>) -> ((usize, f64), (usize, f64)) {
    let in_b = boxes.in_b(n);
    let (a, b) = (dominant(n), dominant(&in_b));
    ((a, side(n[a])), (b, -side(in_b[b])))
}

/// All corners of the region where the facing faces cover each other along n (none if they do not).
pub(crate) fn clip_faces(boxes: &Boxes, n: &Vector3<f64>) -> FacingPairs {
    let ((a, side_a), (b, side_b)) = facing_faces(boxes, n);
    let view = View::new(boxes, n, a, b);
    let (i, j) = others(a);
    let outward = axis(a, side_a);
    let face_a = view.face(outward, outward * boxes.a[a], axis(i, boxes.a[i]), axis(j, boxes.a[j]));
    let (i, j) = others(b);
    let outward = boxes.axis_b(b) * side_b;
    let face_b = view.face(
        outward,
        boxes.offset + outward * boxes.b[b],
        boxes.axis_b(i) * boxes.b[i],
        boxes.axis_b(j) * boxes.b[j],
    );

    let mut pairs = FacingPairs::new();
    let b_is_across = boxes.axis_b(b) == *n || boxes.axis_b(b) == -n;
    let polygon = if b_is_across && n[a].abs() != 1.0 {
        clip(&face_a, &face_b, boxes.tolerance)
    } else {
        clip(&face_b, &face_a, boxes.tolerance)
    };
    for x in polygon.as_slice() {
        let (on_a, height_a) = view.lift(&face_a, x);
        let (on_b, height_b) = view.lift(&face_b, x);
        pairs.insert(FacingPair { on_a, on_b, gap: height_b - height_a }, boxes.merge);
    }
    pairs.drop_straight_corners(0.25 * boxes.merge, boxes.tolerance);
    pairs
}

/// Feature id of a pair: the vertex, edge or face of either box its points lie on.
pub(crate) fn pair_feature(boxes: &Boxes, pair: &FacingPair) -> u32 {
    let tolerance = 0.25 * boxes.merge;
    let on_b = boxes.in_b(&(pair.on_b - boxes.offset));
    box_feature(&pair.on_a, &boxes.a, tolerance)
        + crate::geometry::direction::BOX_FEATURES * box_feature(&on_b, &boxes.b, tolerance)
}

/// A convex polygon of bounded size.
struct Polygon {
    corners: [Vector2<f64>; CORNERS],
    count: usize,
}

impl Polygon {
    fn new() -> Self {
        Self { corners: [Vector2::zeros(); CORNERS], count: 0 }
    }

    fn as_slice(&self) -> &[Vector2<f64>] {
        &self.corners[..self.count]
    }

    fn push(&mut self, x: Vector2<f64>) {
        if self.count < CORNERS {
            self.corners[self.count] = x;
            self.count += 1;
        }
    }
}

/// The part of `subject`'s shadow that lies in `window`'s, sides belonging to it within `tolerance` (m).
fn clip(subject: &Face, window: &Face, tolerance: f64) -> Polygon {
    let mut polygon = Polygon::new();
    for (p, q) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
        polygon.push(subject.center + subject.p * p + subject.q * q);
    }
    for (along, across) in [(&window.q, &window.p), (&window.p, &window.q)] {
        let normal = Vector2::new(along.y, -along.x) / along.norm();
        let half_width = normal.dot(across).abs();
        for sign in [1.0, -1.0] {
            let depth = |x: &Vector2<f64>| half_width - sign * normal.dot(&(x - window.center));
            polygon = clip_side(&polygon, depth, tolerance);
        }
    }
    polygon
}

/// The part of a polygon where `depth >= -tolerance`.
fn clip_side(polygon: &Polygon, depth: impl Fn(&Vector2<f64>) -> f64, tolerance: f64) -> Polygon {
    let mut kept = Polygon::new();
    let Some(mut from) = polygon.as_slice().last().copied() else {
        return kept;
    };
    let mut from_depth = depth(&from);
    for &to in polygon.as_slice() {
        let to_depth = depth(&to);
        let (from_in, to_in) = (from_depth >= -tolerance, to_depth >= -tolerance);
        // A side that starts or ends on the border has its crossing there already.
        if from_in != to_in && from_depth.max(to_depth) > tolerance {
            kept.push(from + (to - from) * (from_depth / (from_depth - to_depth)));
        }
        if to_in {
            kept.push(to);
        }
        (from, from_depth) = (to, to_depth);
    }
    kept
}
