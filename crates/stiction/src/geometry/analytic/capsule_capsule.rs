//! Contact points of two capsules.
//!
//! Generally one point, where the axes come closest. Axes within [`PARALLEL`] of each other that lie side by
//! side get a point at each end of the stretch they share, each with the exact gap and normal of that end, and
//! keep the closest point only where it lies deeper than both.
//!
//! Axes that cross (distance 0) leave along their common perpendicular, coincident ones along the first
//! capsule's x axis, and axes that touch end to end in one line along that line.

use nalgebra::Vector3;

use crate::geometry::contact_point::Manifold;
use crate::geometry::direction::length_and_direction;
use crate::geometry::segment::{Segment, closest_segments};
use crate::spatial::Transform;

/// Angle (rad) between the axes up to which two capsules touch along a stretch rather than in a point. A
/// predicted contact is exact whatever the angle; the limit only keeps crossing capsules at one point.
const PARALLEL: f64 = 1e-2;

/// Feature ids: closest point, low and high end of the shared stretch along the first axis.
const CLOSEST: u32 = 0;
const LOW: u32 = 1;
const HIGH: u32 = 2;

struct Capsules {
    first: Segment,
    second: Segment,
    first_radius: f64,
    second_radius: f64,
    /// Normal of axes that coincide.
    fallback: Vector3<f64>,
    /// Rounding of a separation (m).
    tolerance: f64,
}

/// Capsule and capsule, given as (pose, radius, half length).
pub(crate) fn capsule_capsule(
    first: (&Transform, f64, f64),
    second: (&Transform, f64, f64),
    manifold: &mut Manifold,
) {
    let segment = |(pose, _, half_length): (&Transform, f64, f64)| Segment {
        center: pose.translation - first.0.translation,
        direction: pose.rotation.column(2).into(),
        half_length,
    };
    let (a, b) = (segment(first), segment(second));
    let reach = a.half_length + b.half_length + first.1 + second.1;
    if b.center.norm() > reach + manifold.prediction() {
        return;
    }
    let capsules = Capsules {
        tolerance: 16.0 * f64::EPSILON * reach,
        first: a,
        second: b,
        first_radius: first.1,
        second_radius: second.1,
        fallback: first.0.rotation.column(0).into(),
    };
    capsules.contacts(&first.0.translation, manifold);
}

impl Capsules {
    fn contacts(&self, origin: &Vector3<f64>, manifold: &mut Manifold) {
        let mut push = |(normal, gap, point): (Vector3<f64>, f64, Vector3<f64>), feature: u32| {
            manifold.push(point + origin, normal, gap, feature, 3);
        };
        let (s, t) = closest_segments(&self.first, &self.second);
        let closest = self.closest_contact(s, t);
        let Some([low, high]) = self.shared_stretch() else {
            push(closest, CLOSEST);
            return;
        };
        let (low, high) = (self.contact(low.0, low.1), self.contact(high.0, high.1));
        // Axes that cross through each other have their ends on different sides.
        if low.0.dot(&closest.0).min(high.0.dot(&closest.0)) < 0.5 {
            push(closest, CLOSEST);
            return;
        }
        let deeper = self.tolerance + 1e-9 * (self.first_radius + self.second_radius);
        if closest.1 < low.1.min(high.1) - deeper {
            push(closest, CLOSEST);
        }
        push(low, LOW);
        push(high, HIGH);
    }

    /// The contact at the parameters of the closest points. Where both lie inside the axes their common
    /// perpendicular is the more accurate normal, and where the axes meet the only one: it is taken unless the
    /// closest points separate better.
    fn closest_contact(&self, s: f64, t: f64) -> (Vector3<f64>, f64, Vector3<f64>) {
        let offset = self.second.at(t) - self.first.at(s);
        let (normal, distance) = self.normal(&offset);
        let perpendicular = self.crossing_normal();
        if self.separation(&perpendicular) >= self.separation(&normal) - self.tolerance {
            return self.midway(s, t, perpendicular, perpendicular.dot(&offset));
        }
        self.midway(s, t, normal, distance)
    }

    /// `s(n)` of the two axes (m).
    fn separation(&self, n: &Vector3<f64>) -> f64 {
        let reach = |segment: &Segment| segment.half_length * n.dot(&segment.direction).abs();
        n.dot(&(self.second.center - self.first.center)) - reach(&self.first) - reach(&self.second)
    }

    /// Normal, gap and midpoint of the balls at parameters `s` and `t`.
    fn contact(&self, s: f64, t: f64) -> (Vector3<f64>, f64, Vector3<f64>) {
        let (normal, distance) = self.normal(&(self.second.at(t) - self.first.at(s)));
        self.midway(s, t, normal, distance)
    }

    fn midway(
        &self,
        s: f64,
        t: f64,
        normal: Vector3<f64>,
        distance: f64,
    ) -> (Vector3<f64>, f64, Vector3<f64>) {
        let (x, y) = (self.first.at(s), self.second.at(t));
        let gap = distance - self.first_radius - self.second_radius;
        let point = (x + y) * 0.5 + normal * (0.5 * (self.first_radius - self.second_radius));
        (normal, gap, point)
    }

    /// Unit normal and distance of two points of the axes `offset` apart. Offsets that are all rounding
    /// yield to a direction chosen by the axes.
    fn normal(&self, offset: &Vector3<f64>) -> (Vector3<f64>, f64) {
        match length_and_direction(offset) {
            Some((distance, direction)) if distance > self.tolerance => (direction, distance),
            _ => {
                let normal = self.crossing_normal();
                (normal, normal.dot(offset))
            }
        }
    }

    /// Normal of two axes that meet.
    fn crossing_normal(&self) -> Vector3<f64> {
        let (a, b) = (self.first.direction, self.second.direction);
        let between = self.second.center - self.first.center;
        let parallel = a.cross(&b).norm() <= 1e-12;
        let end_to_end = between.norm() >= self.first.half_length + self.second.half_length - self.tolerance;
        if parallel && end_to_end {
            return length_and_direction(&between).map_or(self.fallback, |(_, direction)| direction);
        }
        let perpendicular = if parallel { None } else { length_and_direction(&a.cross(&b)) };
        match perpendicular {
            Some((_, normal)) if normal.dot(&between) < 0.0 => -normal,
            Some((_, normal)) => normal,
            None => self.fallback,
        }
    }

    /// Parameter pairs at the two ends of the stretch two nearly parallel axes share: each is an end of one of
    /// them and its closest point on the other. `None` if they are not parallel or share none.
    fn shared_stretch(&self) -> Option<[(f64, f64); 2]> {
        let (first, second) = (&self.first, &self.second);
        if first.direction.cross(&second.direction).norm() > PARALLEL {
            return None;
        }
        let (l, m) = (first.half_length, second.half_length);
        let cosine = first.direction.dot(&second.direction);
        let middle = first.direction.dot(&(second.center - first.center));
        // Second's ends in the order of the first axis.
        let low_end = if cosine < 0.0 { m } else { -m };
        let (low, high) = (middle + cosine * low_end, middle - cosine * low_end);
        if low.max(-l) + self.tolerance >= high.min(l) {
            return None;
        }
        let of_first = |s: f64| (s, second.closest(&first.at(s)));
        let of_second = |t: f64| (first.closest(&second.at(t)), t);
        Some([
            if low > -l { of_second(low_end) } else { of_first(-l) },
            if high < l { of_second(-low_end) } else { of_first(l) },
        ])
    }
}
