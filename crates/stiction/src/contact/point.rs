//! A contact: where two geoms touch or may touch within the step, and under which law.

use crate::model::{GeomId, Law, LinkId};
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// Identity of a contact from step to step: ranks of the two geoms in name order and the feature pair.
/// The first geom is the lesser in name order, so nothing depends on insertion order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContactKey {
    /// Rank of the first geom.
    pub first: u32,
    /// Rank of the second geom.
    pub second: u32,
    /// Feature pair.
    pub feature: u32,
}

/// A touching or predicted contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Contact {
    /// Identity.
    pub key: ContactKey,
    /// The geoms, first and second.
    pub geoms: [GeomId; 2],
    /// The links they move with; `None`: world or mocap body.
    pub links: [Option<LinkId>; 2],
    /// Where both bodies take the impulse: the midpoint of the two witness points (m, world).
    pub point: Vector3<f64>,
    /// Contact frame: columns are the normal (from the first to the second geom) and two tangents, right-handed.
    pub frame: Matrix3<f64>,
    /// Distance along the normal (m); negative when overlapping.
    pub gap: f64,
    /// Law.
    pub law: Law,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Relative velocity (second minus first) that comes from prescribed motion and moving surfaces, in the
    /// contact frame (m/s).
    pub drift: Vector3<f64>,
}

/// What a contact does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Carries no impulse.
    Open,
    /// Carries an impulse inside the friction cone and does not slide.
    Stick,
    /// Carries an impulse on the friction cone and slides.
    Slip,
}

/// A contact frame for a unit normal: columns normal, t1, t2, right-handed. The first tangent is the projection of
/// the world axis that is most nearly tangential (x before y before z at ties), so for contacts on level floors the
/// tangents are the world's x and y axes.
pub fn contact_frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let n = normal;
    let magnitude = n.abs();
    let axis = if magnitude.x <= magnitude.y.min(magnitude.z) + 1e-9 {
        Vector3::x()
    } else if magnitude.y <= magnitude.z + 1e-9 {
        Vector3::y()
    } else {
        Vector3::z()
    };
    let t1 = (axis - n * n.dot(&axis)).normalize();
    Matrix3::from_columns(&[*n, t1, n.cross(&t1)])
}

/// The contact of these features among contacts in the order of their keys.
pub(crate) fn find_contact<'a>(sorted: &'a [Contact], key: &ContactKey) -> Option<&'a Contact> {
    let place = sorted.binary_search_by(|contact| contact.key.cmp(key)).ok()?;
    sorted.get(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_frame_is_right_handed_and_level_floors_have_world_tangents() {
        for n in [Vector3::z(), -Vector3::z(), Vector3::x(), Vector3::new(1.0, -2.0, 0.5).normalize()] {
            let frame = contact_frame(&n);
            assert!((frame.determinant() - 1.0).abs() < 1e-15);
            assert!((frame.transpose() * frame - Matrix3::identity()).amax() < 1e-15);
        }
        assert_eq!(contact_frame(&Vector3::z()).column(1), Vector3::x());
    }
}
