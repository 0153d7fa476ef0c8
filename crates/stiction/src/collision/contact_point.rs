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
            feature += stride;
        }
        self.points.push(ContactPoint { point, normal, gap, feature });
    }

    /// Turns all normals of this pair around: the pair was computed with its shapes exchanged.
    pub(super) fn flip(self) {
        for contact in &mut self.points[self.start..] {
            contact.normal = -contact.normal;
        }
    }
}
