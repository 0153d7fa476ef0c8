//! A contact point of two shapes, and the buffer a pair writes its points into.

use nalgebra::Vector3;

/// Sides to which a reduced manifold keeps its reach.
const SIDES: usize = 8;

/// One point at which two shapes touch or are about to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Midpoint of the two witness points, in world coordinates (m).
    pub point: Vector3<f64>,
    /// Unit normal from the first shape to the second, in world coordinates.
    pub normal: Vector3<f64>,
    /// Signed distance of the two surfaces along the normal (m): positive when separated.
    pub gap: f64,
    /// Id of the pair of features (vertices, edges, faces, ends) that made the point. It stays the same under
    /// small motions and is unique within the points of one pair of shapes.
    pub feature: u32,
}

/// The points of one pair: appends to the caller's list what lies within the prediction.
pub(crate) struct Manifold<'a> {
    points: &'a mut Vec<ContactPoint>,
    start: usize,
    prediction: f64,
}

impl<'a> Manifold<'a> {
    pub(crate) fn new(points: &'a mut Vec<ContactPoint>, prediction: f64) -> Self {
        let start = points.len();
        Self { points, start, prediction }
    }

    /// Largest gap (m) that is kept.
    pub(crate) fn prediction(&self) -> f64 {
        self.prediction
    }

    /// Appends a point unless its gap exceeds the prediction. A point that overflowed is dropped as well (the
    /// comparison with the prediction refuses NaN). A feature id already taken by this pair moves on by
    /// `stride`, the number of different ids the pair can produce.
    pub(crate) fn push(
        &mut self,
        point: Vector3<f64>,
        normal: Vector3<f64>,
        gap: f64,
        feature: u32,
        stride: u32,
    ) {
        // One sum shows whether anything in it is NaN or infinite.
        let finite = (point.sum() + normal.sum() + gap).is_finite();
        if !finite || gap > self.prediction {
            return;
        }
        let mut feature = feature;
        while self.points[self.start..].iter().any(|p| p.feature == feature) {
            feature = feature.wrapping_add(stride);
        }
        self.points.push(ContactPoint { point, normal, gap, feature });
    }

    /// Appends a point unless another of the pair is closer than `merge` (m); of the two the deeper stays.
    pub(crate) fn push_merged(&mut self, contact: ContactPoint, stride: u32, merge: f64) {
        let near = |p: &&mut ContactPoint| (p.point - contact.point).norm_squared() <= merge * merge;
        match self.points[self.start..].iter_mut().find(near) {
            Some(twin) if contact.gap < twin.gap => {
                *twin = ContactPoint { feature: twin.feature, ..contact };
            }
            Some(_) => {}
            None => self.push(contact.point, contact.normal, contact.gap, contact.feature, stride),
        }
    }

    /// Removes all points of this pair.
    pub(crate) fn clear(&mut self) {
        self.points.truncate(self.start);
    }

    /// Keeps the deepest point and those that reach furthest to [`SIDES`] sides, so that what they can carry between them
    /// stays nearly the same. The sides are counted from that of the deepest point, or of the outermost one if the deepest
    /// is inside; of equals the first.
    pub(crate) fn reduce(&mut self) {
        let points = &mut self.points[self.start..];
        if points.len() <= SIDES {
            return;
        }
        let normal = points[0].normal;
        let middle = points.iter().map(|p| p.point).sum::<Vector3<f64>>() / points.len() as f64;
        let across = |p: &ContactPoint| {
            let x = p.point - middle;
            x - normal * normal.dot(&x)
        };
        // Differences below this are no reason to prefer a later point.
        let reach = points.iter().fold(0.0, |reach: f64, p| reach.max(across(p).norm()));
        let margin = 1e-9 * reach;
        let first_best = |points: &[ContactPoint], value: &dyn Fn(&ContactPoint) -> f64| {
            let better = |i: usize, k: usize| value(&points[i]) > value(&points[k]) + margin;
            (1..points.len()).fold(0, |k, i| if better(i, k) { i } else { k })
        };
        let deepest = first_best(points, &|p| -p.gap);
        let mut ahead = across(&points[deepest]);
        if ahead.norm() < 0.5 * reach {
            ahead = across(&points[first_best(points, &|p| across(p).norm())]);
        }
        let (ahead, aside) = (ahead / ahead.norm(), normal.cross(&ahead) / ahead.norm());
        points.swap(0, deepest);
        let mut kept = 1;
        for side in 0..SIDES {
            let (sin, cos) = libm::sincos(side as f64 * (2.0 * std::f64::consts::PI / SIDES as f64));
            let direction = ahead * cos + aside * sin;
            let best = first_best(points, &|p| direction.dot(&across(p)));
            if best >= kept {
                points.swap(kept, best);
                kept += 1;
            }
        }
        self.points.truncate(self.start + kept);
    }

    /// Turns all normals of this pair around: the pair was computed with its shapes exchanged.
    pub(crate) fn flip(self) {
        for contact in &mut self.points[self.start..] {
            contact.normal = -contact.normal;
        }
    }
}
