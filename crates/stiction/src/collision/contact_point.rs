//! A contact point of two shapes, and the buffer a pair writes its points into.

use nalgebra::Vector3;

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
pub(super) struct Manifold<'a> {
    points: &'a mut Vec<ContactPoint>,
    start: usize,
    prediction: f64,
}

impl<'a> Manifold<'a> {
    pub(super) fn new(points: &'a mut Vec<ContactPoint>, prediction: f64) -> Self {
        let start = points.len();
        Self { points, start, prediction }
    }

    /// Largest gap (m) that is kept.
    pub(super) fn prediction(&self) -> f64 {
        self.prediction
    }

    /// Appends a point unless its gap exceeds the prediction. A point that overflowed is dropped as well (the
    /// comparison with the prediction refuses NaN). A feature id already taken by this pair moves on by
    /// `stride`, the number of different ids the pair can produce.
    pub(super) fn push(
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
    pub(super) fn push_merged(&mut self, contact: ContactPoint, stride: u32, merge: f64) {
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
    pub(super) fn clear(&mut self) {
        self.points.truncate(self.start);
    }

    /// Keeps at most `count` points: the deepest, and one after the other the one furthest from those kept.
    pub(super) fn reduce(&mut self, count: usize) {
        let points = &mut self.points[self.start..];
        if points.len() <= count {
            return;
        }
        let deepest = (1..points.len()).fold(0, |k, i| if points[i].gap < points[k].gap { i } else { k });
        points.swap(0, deepest);
        for kept in 1..count {
            let distance = |p: &ContactPoint| {
                let to = |q: &ContactPoint| (p.point - q.point).norm_squared();
                points[..kept].iter().map(to).fold(f64::INFINITY, f64::min)
            };
            let mut furthest = (kept, distance(&points[kept]));
            for i in kept + 1..points.len() {
                let distance = distance(&points[i]);
                if distance > furthest.1 {
                    furthest = (i, distance);
                }
            }
            points.swap(kept, furthest.0);
        }
        self.points.truncate(self.start + count);
    }

    /// Turns all normals of this pair around: the pair was computed with its shapes exchanged.
    pub(super) fn flip(self) {
        for contact in &mut self.points[self.start..] {
            contact.normal = -contact.normal;
        }
    }
}
