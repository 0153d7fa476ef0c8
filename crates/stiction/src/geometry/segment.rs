//! Closest points of a point and a segment, and of two segments.
//!
//! A segment is given by its centre, unit direction and half length; a parameter is the signed distance from
//! the centre. The method for two segments is the clamping scheme of C. Ericson, *Real-Time Collision
//! Detection* (2005), section 5.1.9; the four end points are tried besides, because on nearly parallel
//! segments the scheme's quotient is mostly rounding.

use nalgebra::Vector3;

/// A segment: the points `center + t direction`, `|t| <= half_length`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Middle (m).
    pub center: Vector3<f64>,
    /// Unit direction.
    pub direction: Vector3<f64>,
    /// Half length (m).
    pub half_length: f64,
}

impl Segment {
    /// The point at parameter `t`.
    pub(crate) fn at(&self, t: f64) -> Vector3<f64> {
        self.center + self.direction * t
    }

    /// Parameter of the point closest to `x`.
    pub(crate) fn closest(&self, x: &Vector3<f64>) -> f64 {
        closest_parameter(&self.center, &self.direction, self.half_length, x)
    }
}

/// Parameter of the point of the segment closest to `x`.
pub(crate) fn closest_parameter(
    center: &Vector3<f64>,
    direction: &Vector3<f64>,
    half_length: f64,
    x: &Vector3<f64>,
) -> f64 {
    direction.dot(&(x - center)).max(-half_length).min(half_length)
}

/// Parameters `(s, t)` of a pair of closest points of two segments.
pub(crate) fn closest_segments(first: &Segment, second: &Segment) -> (f64, f64) {
    let offset = second.center - first.center;
    let cosine = first.direction.dot(&second.direction);
    let sine_squared = first.direction.cross(&second.direction).norm_squared();
    let (p, q) = (first.direction.dot(&offset), second.direction.dot(&offset));

    let mut s = 0.0;
    if sine_squared > 0.0 {
        s = (p - cosine * q) / sine_squared;
    }
    s = s.max(-first.half_length).min(first.half_length);
    let t = second.closest(&first.at(s));
    s = first.closest(&second.at(t));

    let mut best = (s, t);
    let mut shortest = (second.at(t) - first.at(s)).norm_squared();
    let mut consider = |s: f64, t: f64| {
        let distance = (second.at(t) - first.at(s)).norm_squared();
        if distance < shortest {
            shortest = distance;
            best = (s, t);
        }
    };
    for end in [-1.0, 1.0] {
        let s = end * first.half_length;
        consider(s, second.closest(&first.at(s)));
        let t = end * second.half_length;
        consider(first.closest(&second.at(t)), t);
    }
    best
}
