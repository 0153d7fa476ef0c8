//! Contact points of a capsule and a box.
//!
//! The capsule is its axis, a segment, with a radius. Box and segment have six separating axes: the three face
//! normals and the three cross products of the box's edges with the segment. While the segment is outside the
//! box, the closest point minimises the convex function `t -> distance(c + t d, box)^2`, whose derivative is piecewise
//! linear with a break wherever the line crosses the plane of a face; once it is inside, the axis with the
//! largest separation is the shortest way out. A direction of closest points is taken only if it separates
//! better than every axis, as in the other pairs.
//!
//! A capsule along a face touches at both ends of the stretch above the face, one along an edge at both ends
//! of the stretch beside it, each point with its own exact gap.

use nalgebra::Vector3;

use crate::geometry::contact_point::Manifold;
use crate::geometry::direction::{
    BOX_FEATURES, axis, box_feature, clamp, dominant, length_and_direction, others, side, weakest,
};
use crate::geometry::segment::Segment;
use crate::spatial::Transform;

/// Sine between axis and edge below which their cross product is no direction.
const PARALLEL: f64 = 1e-12;
/// Angle (rad) between axis and edge up to which they touch along a stretch.
const EDGE_ON_EDGE: f64 = 1e-2;
/// Cosine of the angle (0.1 rad) up to which a face counts as touched beside one of its edges.
const NEARLY_FLAT: f64 = 0.995;

/// A capsule's axis in the frame of the box.
struct CapsuleBox {
    segment: Segment,
    radius: f64,
    h: Vector3<f64>,
    tolerance: f64,
}

/// A point of the capsule's axis, the outward normal of the box there, the distance from the box along it, and
/// the point of the box.
#[derive(Clone, Copy)]
struct Touch {
    parameter: f64,
    outward: Vector3<f64>,
    distance: f64,
    surface: Vector3<f64>,
}

#[derive(Clone, Copy)]
enum Kind {
    Face,
    Edge(usize),
}

/// Capsule first, box second.
pub(crate) fn capsule_box(
    capsule: &Transform,
    radius: f64,
    half_length: f64,
    pose: &Transform,
    half_extents: &Vector3<f64>,
    manifold: &mut Manifold,
) {
    let segment = Segment {
        center: pose.inverse_point(&capsule.translation),
        direction: pose.inverse_vector(&capsule.rotation.column(2).into()),
        half_length,
    };
    let size = half_extents.amax() + half_length + segment.center.amax();
    let tolerance = 64.0 * f64::EPSILON * size;
    let pair = CapsuleBox { segment, radius, h: *half_extents, tolerance };
    let (kind, normal, separation) = pair.separating_axis();
    let reach = manifold.prediction() + radius;
    if separation > reach {
        return;
    }

    let id_tolerance = 1e-6 * half_extents.min();
    let end_tolerance = 1e-6 * half_length;
    let mut push = |touch: &Touch| {
        let gap = touch.distance - radius;
        let point = touch.surface + touch.outward * (0.5 * gap);
        let end = match touch.parameter {
            t if t <= end_tolerance - half_length => 1,
            t if t >= half_length - end_tolerance => 2,
            _ => 0,
        };
        let feature = box_feature(&touch.surface, half_extents, id_tolerance) + BOX_FEATURES * end;
        manifold.push(pose.point(&point), -pose.vector(&touch.outward), gap, feature, 3 * BOX_FEATURES);
    };

    let (deepest, others) = pair.touches(kind, &normal, separation);
    let [low, high] = others;
    // An end as deep as the deepest point stands for it, and takes its normal: the best separating one.
    let stands = |end: &Touch| end.distance <= deepest.distance + pair.tolerance;
    let ends = [low, high].into_iter().flatten();
    if !ends.clone().any(|end| stands(&end)) {
        push(&deepest);
    }
    for end in ends {
        push(&if stands(&end) { Touch { outward: deepest.outward, ..end } } else { end });
    }
}

impl CapsuleBox {
    /// `s(n)` of the segment against the box, n pointing out of the box (m).
    fn separation(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.segment.center)
            - self.h.dot(&n.abs())
            - self.segment.half_length * n.dot(&self.segment.direction).abs()
    }

    fn separating_axis(&self) -> (Kind, Vector3<f64>, f64) {
        let (c, d, l) = (&self.segment.center, &self.segment.direction, self.segment.half_length);
        let mut best = (Kind::Face, Vector3::x(), f64::NEG_INFINITY);
        for k in 0..3 {
            let separation = c[k].abs() - self.h[k] - l * d[k].abs();
            if separation > best.2 + self.tolerance {
                best = (Kind::Face, axis(k, side(c[k])), separation);
            }
        }
        for m in 0..3 {
            let (m1, m2) = others(m);
            let sine = d[m1].hypot(d[m2]);
            if sine < PARALLEL {
                continue;
            }
            let mut n = Vector3::zeros();
            (n[m1], n[m2]) = (-d[m2] / sine, d[m1] / sine);
            n *= side(n.dot(c));
            let separation = self.separation(&n);
            if separation > best.2 + self.tolerance {
                best = (Kind::Edge(m), n, separation);
            }
        }
        best
    }

    /// The deepest touch, and up to two ends of a stretch along which the two lie close.
    fn touches(&self, kind: Kind, normal: &Vector3<f64>, separation: f64) -> (Touch, [Option<Touch>; 2]) {
        let closest = self.closest();
        match (closest, kind) {
            (Some(closest), _) if self.separation(&closest.outward) > separation + self.tolerance => {
                (closest, self.beside(&closest))
            }
            (_, Kind::Face) => self.on_face(normal, separation, closest),
            (_, Kind::Edge(m)) => {
                let deepest = self.on_edge(m, normal, separation);
                let outside = separation > self.tolerance;
                (deepest, if outside { self.beside(&deepest) } else { [None; 2] })
            }
        }
    }

    /// Touches along the face with the given normal: both ends of the stretch of the axis over the face. Should
    /// rounding leave none, the closest point or the lower end of the axis stands for it.
    fn on_face(
        &self,
        normal: &Vector3<f64>,
        separation: f64,
        closest: Option<Touch>,
    ) -> (Touch, [Option<Touch>; 2]) {
        let k = dominant(normal);
        let ends = self.over_face(k, side(normal[k]));
        let lower = -side(normal.dot(&self.segment.direction)) * self.segment.half_length;
        let parameter = closest.map_or(lower, |touch| touch.parameter);
        let mut surface = clamp(&self.segment.at(parameter), &self.h);
        surface[k] = normal[k] * self.h[k];
        (Touch { parameter, outward: *normal, distance: separation, surface }, ends)
    }

    /// The touch of the axis with the edge along `m` that supports the box along `normal`.
    fn on_edge(&self, m: usize, normal: &Vector3<f64>, separation: f64) -> Touch {
        let (m1, m2) = others(m);
        let center = axis(m1, side(normal[m1]) * self.h[m1]) + axis(m2, side(normal[m2]) * self.h[m2]);
        let edge = Segment { center, direction: axis(m, 1.0), half_length: self.h[m] };
        let (t, s) = crate::geometry::segment::closest_segments(&self.segment, &edge);
        Touch { parameter: t, outward: *normal, distance: separation, surface: edge.at(s) }
    }

    /// Ends of the stretch of the axis over face or beside edge next to a touch that is not a face's own.
    fn beside(&self, deepest: &Touch) -> [Option<Touch>; 2] {
        let k = dominant(&deepest.outward);
        if deepest.outward[k].abs() > NEARLY_FLAT {
            // Where the normals differ by up to 0.1 rad, so do the places by 0.1 of the radius; twice that is one place.
            let place = (0.2 * self.radius).max(4e-6 * self.segment.half_length);
            let apart = |t: &Touch| (t.parameter - deepest.parameter).abs() > place;
            let [low, high] = self.over_face(k, side(deepest.outward[k]));
            return [low.filter(apart), high.filter(apart)];
        }
        let m = weakest(&deepest.outward);
        let (m1, m2) = others(m);
        let d = &self.segment.direction;
        if deepest.distance <= 0.0 || d[m1].hypot(d[m2]) > EDGE_ON_EDGE {
            return [None; 2];
        }
        let stretch = self.stretch(&[m]);
        self.ends(stretch, |t| {
            let x = self.segment.at(t);
            let surface = clamp(&x, &self.h);
            let (distance, outward) = length_and_direction(&(x - surface))?;
            (outward.dot(&deepest.outward) > 0.5).then_some(Touch {
                parameter: t,
                outward,
                distance,
                surface,
            })
        })
    }

    /// Touches with face `k` at both ends of the stretch of the axis over it.
    fn over_face(&self, k: usize, sign: f64) -> [Option<Touch>; 2] {
        let (k1, k2) = others(k);
        self.ends(self.stretch(&[k1, k2]), |t| {
            let x = self.segment.at(t);
            let mut surface = x;
            surface[k] = sign * self.h[k];
            Some(Touch { parameter: t, outward: axis(k, sign), distance: sign * x[k] - self.h[k], surface })
        })
    }

    /// The touches at both ends of a stretch; one if it is a point.
    fn ends(&self, stretch: Option<(f64, f64)>, touch: impl Fn(f64) -> Option<Touch>) -> [Option<Touch>; 2] {
        match stretch {
            None => [None; 2],
            Some((low, high)) if high - low <= 4e-6 * self.segment.half_length => {
                [touch(0.5 * (low + high)), None]
            }
            Some((low, high)) => [touch(low), touch(high)],
        }
    }

    /// Parameters between which the axis lies within the box's extents along all `axes`.
    fn stretch(&self, axes: &[usize]) -> Option<(f64, f64)> {
        let (mut low, mut high) = (-self.segment.half_length, self.segment.half_length);
        for &m in axes {
            let (c, d, h) = (self.segment.center[m], self.segment.direction[m], self.h[m]);
            if d.abs() * self.segment.half_length <= self.tolerance {
                if c.abs() > h + self.tolerance {
                    return None;
                }
                continue;
            }
            let (enter, leave) = ((-side(d) * h - c) / d, (side(d) * h - c) / d);
            low = low.max(enter);
            high = high.min(leave);
        }
        (low <= high).then_some((low, high))
    }

    /// Half the derivative of the squared distance at parameter `t`.
    fn slope(&self, t: f64) -> f64 {
        let x = self.segment.at(t);
        self.segment.direction.dot(&(x - clamp(&x, &self.h)))
    }

    /// Closest points of the axis and the box; `None` if they meet.
    fn closest(&self) -> Option<Touch> {
        let l = self.segment.half_length;
        let mut breaks = [-l, l, l, l, l, l, l, l];
        for k in 0..3 {
            for (slot, sign) in [(1, -1.0), (2, 1.0)] {
                let t = (sign * self.h[k] - self.segment.center[k]) / self.segment.direction[k];
                if t.abs() < l {
                    breaks[2 * k + slot] = t;
                }
            }
        }
        breaks.sort_unstable_by(f64::total_cmp);

        let mut t = l;
        let (mut from, mut slope) = (-l, self.slope(-l));
        if slope >= 0.0 {
            t = -l;
        } else {
            for &to in &breaks[1..] {
                let next = self.slope(to);
                if next >= 0.0 {
                    t = from - (to - from) * slope / (next - slope);
                    break;
                }
                (from, slope) = (to, next);
            }
        }
        let x = self.segment.at(t);
        let surface = clamp(&x, &self.h);
        let (distance, outward) = length_and_direction(&(x - surface))?;
        Some(Touch { parameter: t, outward: self.polished(outward), distance, surface })
    }

    /// A direction of closest points without the component along the axis, if it separates better so: near the
    /// surface of the box such a component is nothing but rounding of the points, and costs its size times
    /// the length of the axis.
    fn polished(&self, outward: Vector3<f64>) -> Vector3<f64> {
        let d = &self.segment.direction;
        match length_and_direction(&(outward - d * d.dot(&outward))) {
            Some((_, across)) if self.separation(&across) > self.separation(&outward) => across,
            _ => outward,
        }
    }
}
