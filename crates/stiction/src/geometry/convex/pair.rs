//! Contact points of any two convex shapes that have no closed form of their own.
//!
//! 1. The best of the candidate directions. If it is exact and points that attain its separation are found, it is the answer: for
//!    shapes that are apart they prove it, and an overlap below [`SHALLOW`] of the size is not worth a search, because no
//!    other direction can be better by more than twice the overlap.
//! 2. Otherwise the best direction of a search (`separating_direction`).
//! 3. Along it, the corners of the contact region (`contact_region`); parallel lines give the two ends of the stretch they
//!    share; and where none of these is as deep as the separation says, the witness points are a contact themselves.
//!
//! All gaps are along the common normal.

use nalgebra::Vector3;

use crate::geometry::contact_point::{ContactPoint, Manifold};
use crate::geometry::convex::contact_region::{
    Feature, WitnessPair, common_corners, shared_stretch, witness,
};
use crate::geometry::convex::separating_direction::{ConvexPair, Direction, Kind};
use crate::geometry::convex::support::Convex;
use crate::geometry::shape::kind::Shape;
use crate::spatial::Transform;

/// Overlap, over the size of the shapes, below which the best candidate is good enough.
const SHALLOW: f64 = 1e-9;
/// Distance over the smallest extent at which points are one.
const MERGE: f64 = 4e-6;

/// Two convex, bounded shapes with their poses.
pub(crate) fn convex_pair(
    first: (&Shape, &Transform),
    second: (&Shape, &Transform),
    manifold: &mut Manifold,
) {
    let (Some(reach_a), Some(reach_b)) = (first.0.bounding_radius(), second.0.bounding_radius()) else {
        return;
    };
    let relative = Transform {
        rotation: first.1.rotation.tr_mul(&second.1.rotation),
        translation: first.1.inverse_point(&second.1.translation),
    };
    let size = reach_a + reach_b + relative.translation.amax();
    let near = relative.translation.norm() <= reach_a + reach_b + manifold.prediction();
    if !(near && size.is_finite() && relative.rotation.sum().is_finite()) {
        return;
    }
    let a = Convex { shape: first.0, pose: Transform::identity() };
    let b = Convex { shape: second.0, pose: relative };
    let pair = ConvexPair { tolerance: 64.0 * f64::EPSILON * size, size, a, b };
    let candidate = pair.candidates(manifold.prediction());
    if candidate.separation > manifold.prediction() {
        return;
    }
    let shallow = candidate.separation >= -SHALLOW * size;
    if shallow && candidate.kind != Kind::Free && touch(&pair, &candidate, first.1, false, manifold) {
        manifold.reduce();
        return;
    }
    manifold.clear();
    let best = pair.search(candidate);
    if best.separation <= manifold.prediction() {
        touch(&pair, &best, first.1, true, manifold);
        manifold.reduce();
    }
}

/// Adds the points along a direction and says whether they attain its separation; with `always`, witness points that do
/// not meet stand in for those that would.
fn touch(
    pair: &ConvexPair,
    direction: &Direction,
    world: &Transform,
    always: bool,
    manifold: &mut Manifold,
) -> bool {
    let (a, b, n) = (&pair.a, &pair.b, direction.normal);
    let forced = direction.kind == Kind::Face;
    let first = Feature::supporting(a, &n, forced);
    let second = Feature::supporting(b, &-n, forced);
    let mut contacts = Contacts {
        pair,
        world,
        normal: n,
        merge: MERGE * a.thickness().min(b.thickness()),
        faces: [first.face(), second.face()],
        smallest: f64::INFINITY,
        manifold,
    };
    let flat = [&first, &second].iter().all(|feature| !matches!(feature, Feature::Point(_)));
    if forced || flat {
        common_corners(&first, &second, &n, pair.tolerance, |witness| contacts.add(&witness));
    }
    let enough = direction.separation + pair.tolerance;
    if contacts.smallest > enough {
        contacts.faces = [None; 2];
        shared_stretch(a, b, &n, |witness| contacts.add(&witness));
    }
    if contacts.smallest > enough {
        let between = direction.separation + a.radius() + b.radius();
        let (found, miss) = witness(a, b, &n, between);
        // Sideways a small miss of points that are apart changes their distance by its square only.
        let error = if between > 0.0 { (found.on_b - found.on_a).norm() - between } else { miss };
        let meets = error <= pair.tolerance;
        if meets || always {
            let stands = if meets { found } else { pair.stand_in(&found, direction) };
            contacts.add_at(&stands, direction.separation);
        }
        return meets;
    }
    true
}

impl ConvexPair<'_> {
    /// A pair of points as far apart as the separation for witness points that rounding kept from meeting: the point that
    /// is not on a face counts.
    fn stand_in(&self, witness: &WitnessPair, direction: &Direction) -> WitnessPair {
        let n = &direction.normal;
        let across = n * (direction.separation + self.a.radius() + self.b.radius());
        let on_face =
            self.a.supporting_face(n).is_some_and(|face| self.a.face_normal(face).dot(n) > 1.0 - 1e-12);
        if on_face {
            WitnessPair { on_a: witness.on_b - across, ..*witness }
        } else {
            WitnessPair { on_b: witness.on_a + across, ..*witness }
        }
    }
}

/// Turns witness points of the cores into contact points.
struct Contacts<'a, 'b> {
    pair: &'a ConvexPair<'a>,
    world: &'a Transform,
    normal: Vector3<f64>,
    merge: f64,
    faces: [Option<usize>; 2],
    smallest: f64,
    manifold: &'a mut Manifold<'b>,
}

impl Contacts<'_, '_> {
    /// A pair of points with their distance along the normal for gap.
    fn add(&mut self, witness: &WitnessPair) {
        let radii = self.pair.a.radius() + self.pair.b.radius();
        self.add_at(witness, self.normal.dot(&(witness.on_b - witness.on_a)) - radii);
    }

    fn add_at(&mut self, witness: &WitnessPair, gap: f64) {
        self.smallest = self.smallest.min(gap);
        if gap > self.manifold.prediction() {
            return;
        }
        let (a, b, n) = (&self.pair.a, &self.pair.b, &self.normal);
        let width = 0.25 * self.merge;
        let label_a = witness.label_a.unwrap_or_else(|| a.label(&witness.on_a, n, self.faces[0], width));
        let label_b = witness.label_b.unwrap_or_else(|| b.label(&witness.on_b, &-n, self.faces[1], width));
        let middle = (witness.on_a + witness.on_b + n * (a.radius() - b.radius())) * 0.5;
        let contact = ContactPoint {
            point: self.world.point(&middle),
            normal: self.world.vector(n),
            gap,
            feature: label_a.wrapping_add(a.label_count().wrapping_mul(label_b)),
        };
        let stride = a.label_count().wrapping_mul(b.label_count());
        self.manifold.push_merged(contact, stride, self.merge);
    }
}
