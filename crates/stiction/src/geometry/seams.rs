//! Contacts at seams: whether two shapes that do not overlap pass each other within a step, whatever their contact says.
//!
//! A predicted contact holds two shapes apart along the direction in which they are closest *now*. Where a body slides
//! over the seam of two flush boxes, or a ball rolls over it, that direction is the way ahead, though nothing is in the
//! way. What counts is that the shapes are apart along *some* direction when the step ends: the largest of the facets'
//! gaps must not be negative (Nguyen and Trinkle 2010, section 4). So a closing contact may be left out when the normal of a
//! plane face of either shape separates them now and still does after the step at the present velocities.

use crate::geometry::contact_point::ContactPoint;
use crate::geometry::shape::kind::Shape;
use crate::spatial::{Motion, Transform};
use nalgebra::Vector3;

/// Steps between faces lower than this are not bumped into (m): a hundred times what overlap is left.
const GRAZING: f64 = 1e-7;

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

/// Whether two shapes with these contact points pass each other in a step of `h` seconds.
pub(crate) fn pass_by(points: &[ContactPoint], first: &MovingShape, second: &MovingShape, h: f64) -> bool {
    let faces = [first, second].iter().any(|moving| moving.shape.plane_faces().next().is_some());
    let Some(point) = points.first() else { return false };
    if !faces || points.iter().any(|p| p.gap < -GRAZING) {
        return false;
    }
    // Gap at the end of the step along the contact's own direction.
    let end = points.iter().fold(f64::INFINITY, |least, p| {
        let [u, v] = [first, second].map(|moving| moving.velocity_at(&p.point));
        least.min(p.gap + h * p.normal.dot(&(v - u)))
    });
    let least = (end + BETTER).max(-GRAZING);
    let clear = |owner, other| clear_of_faces(owner, other, &point.normal, h, least);
    end < 0.0 && (clear(first, second) || clear(second, first))
}

/// Whether a plane face of `owner` across another direction than that `along` which they touch has all of `other` in front of it, now and, by
/// at least `least`, after `h` seconds.
fn clear_of_faces(
    owner: &MovingShape,
    other: &MovingShape,
    along: &Vector3<f64>,
    h: f64,
    least: f64,
) -> bool {
    let (pose, place) = (owner.pose, other.pose);
    owner.shape.plane_faces().any(|(normal, offset)| {
        let n = pose.vector(&normal);
        if n.cross(along).norm() <= SAME {
            return false;
        }
        // Of the other's centre, with which it moves and about which it turns, seen from the owner.
        let distance = n.dot(&(place.translation - pose.translation)) - offset;
        let [u, v] = [owner, other].map(|moving| moving.velocity_at(&place.translation));
        let later = distance + h * n.dot(&(v - u));
        let spin = (other.velocity.angular - owner.velocity.angular) * h;
        let [down, turn] = [-n, spin].map(|x| place.inverse_vector(&x));
        let [reach, reach_later] = [Vector3::zeros(), turn].map(|turn| other.shape.reach(&down, &turn));
        reach.is_some_and(|reach| distance - reach >= -GRAZING)
            && reach_later.is_some_and(|reach| later - reach >= least)
    })
}
