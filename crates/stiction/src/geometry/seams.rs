//! Contacts at seams: whether two shapes that do not overlap pass each other within a step, whatever their contact says.
//!
//! A predicted contact holds two shapes apart along the direction in which they are closest *now*. Where a body slides
//! over the seam of two flush boxes, or a ball rolls over it, that direction is the way ahead, though nothing is in the
//! way. What counts is that the shapes are apart along *some* direction when the step ends: the largest of the facets'
//! gaps must not be negative (Nguyen and Trinkle 2010, section 4). So a closing contact may be left out when the normal of a
//! plane face of either shape separates them now and still does after the step at the present velocities.
//!
//! Faces are not quite flush: their heights have been rounded. What is higher by less than a body falls in a step is slid and rolled on to,
//! not bumped into: a lift `d` within a step of `h` seconds is made with at most `d / h`, with which the body rises another
//! `(d / h)^2 / (2 g)`, at most a quarter of `d` where `d <= g h^2 / 2`.

use crate::geometry::contact_point::ContactPoint;
use crate::geometry::shape::kind::Shape;
use crate::spatial::{Motion, Transform};
use nalgebra::Vector3;

/// Faces whose heights differ by less than this (m) are flush even where nothing falls: a hundred times what overlap is left.
const FLUSH: f64 = 1e-7;

/// Faces whose heights differ by more than this part of the smaller of two shapes are not flush, however far it falls in a step.
const FLUSH_PART: f64 = 1e-3;

/// A face separates better than the contact's own direction if it does so by more than rounding (m).
const BETTER: f64 = 1e-12;

/// A face whose normal is off the contact's by less than this (rad) separates along the same direction.
const SAME: f64 = 1e-6;

/// A placed shape and its motion, world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingShape<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) pose: &'a Transform,
    /// A point that moves with the shape (m), and the motion there (rad/s, m/s).
    pub(crate) origin: Vector3<f64>,
    pub(crate) velocity: Motion,
}

impl MovingShape<'_> {
    /// Velocity of the shape's point that is at `point` (m/s).
    fn velocity_at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.velocity.at(&(point - self.origin)).linear
    }
}

/// Whether two shapes with these contact points pass each other in a step of `h` seconds in which bodies fall by `fall` (m).
pub(crate) fn pass_by(
    points: &[ContactPoint],
    first: &MovingShape,
    second: &MovingShape,
    h: f64,
    fall: f64,
) -> bool {
    let faces = [first, second].iter().any(|moving| moving.shape.plane_faces().next().is_some());
    let Some(point) = points.first() else { return false };
    let now = points.iter().fold(f64::INFINITY, |least, p| least.min(p.gap));
    let flush = flush_heights(first.shape, second.shape, fall);
    if !faces || now < -flush {
        return false;
    }
    // Gap at the end of the step along the contact's own direction.
    let end = points.iter().fold(f64::INFINITY, |least, p| {
        let [u, v] = [first, second].map(|moving| moving.velocity_at(&p.point));
        least.min(p.gap + h * p.normal.dot(&(v - u)))
    });
    let clear = |[before, after]: [f64; 2]| {
        let apart = now >= -FLUSH && before >= -FLUSH && after >= (end + BETTER).max(-FLUSH);
        let stays_flush = before.abs() <= flush && after.abs() <= flush && after >= end + BETTER;
        apart || stays_flush && end < -flush
    };
    end < 0.0
        && (distances_from_faces(first, second, &point.normal, h).any(clear)
            || distances_from_faces(second, first, &point.normal, h).any(clear))
}

/// By how much the heights of flush faces of two shapes may differ (m).
fn flush_heights(first: &Shape, second: &Shape, fall: f64) -> f64 {
    let size = [first, second].iter().filter_map(|s| s.bounding_radius()).fold(f64::INFINITY, f64::min);
    fall.min(FLUSH_PART * size).max(FLUSH)
}

/// How far all of `other` is in front of each plane face of `owner` (m), now and after `h` seconds, but for faces across the direction `along`
/// which they touch.
fn distances_from_faces<'a>(
    owner: &'a MovingShape<'a>,
    other: &'a MovingShape<'a>,
    along: &'a Vector3<f64>,
    h: f64,
) -> impl Iterator<Item = [f64; 2]> + 'a {
    let (pose, place) = (owner.pose, other.pose);
    owner.shape.plane_faces().filter_map(move |(normal, offset)| {
        let n = pose.vector(&normal);
        if n.cross(along).norm() <= SAME {
            return None;
        }
        // Of the other's centre, with which it moves and about which it turns, seen from the owner.
        let distance = n.dot(&(place.translation - pose.translation)) - offset;
        let [u, v] = [owner, other].map(|moving| moving.velocity_at(&place.translation));
        let later = distance + h * n.dot(&(v - u));
        let spin = (other.velocity.angular - owner.velocity.angular) * h;
        let [down, turn] = [-n, spin].map(|x| place.inverse_vector(&x));
        let [reach, reach_later] = [Vector3::zeros(), turn].map(|turn| other.shape.reach(&down, &turn));
        Some([distance - reach?, later - reach_later?])
    })
}
