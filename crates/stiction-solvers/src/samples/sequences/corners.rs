//! Contacts of the corners of boxes with the ground and with the faces of other boxes. (Edges do not meet: boxes of these
//! motions may overlap there a little.)

use nalgebra::{Matrix3, Vector3};

use crate::samples::bodies::{Body, Contact};

/// What a contact is from step to step: a corner against a face, or against the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    body: usize,
    corner: usize,
    /// The other body and its face; none is the ground.
    face: Option<(usize, usize)>,
}

/// All contacts with a gap of at most `margin`, with the gap as bias, in the order of their identities.
pub(super) fn find(bodies: &[Body], ground: bool, margin: f64, mu: f64) -> Vec<(Identity, Contact)> {
    let mut found = Vec::new();
    for (body, owner) in bodies.iter().enumerate() {
        for (corner, point) in owner.corners().into_iter().enumerate() {
            let mut add = |face: Option<(usize, usize)>, frame: Matrix3<f64>, gap: f64| {
                let against = face.map(|(other, _)| other);
                let contact = Contact { on: body, against, point, frame, mu, bias: gap };
                found.push((Identity { body, corner, face }, contact));
            };
            if ground && !owner.is_prescribed() && point.z <= margin {
                let axes = [Vector3::z(), Vector3::x(), Vector3::y()];
                add(None, Matrix3::from_columns(&axes), point.z);
            }
            for (other, host) in bodies.iter().enumerate().filter(|(other, _)| *other != body) {
                if let Some((face, frame, gap)) = nearest_face(host, point, margin) {
                    add(Some((other, face)), frame, gap);
                }
            }
        }
    }
    found
}

/// The face of a box that a point is nearest to, the frame with its outward normal, and the gap; none if the point is
/// farther than `margin` outside.
fn nearest_face(host: &Body, point: Vector3<f64>, margin: f64) -> Option<(usize, Matrix3<f64>, f64)> {
    let local = host.orientation.inverse() * (point - host.position);
    let gaps = local.abs() - host.half;
    let axis = gaps.imax();
    let gap = gaps[axis];
    if gap > margin {
        return None;
    }
    let sign = if local[axis] < 0.0 { -1.0 } else { 1.0 };
    let unit = |k: usize| host.orientation * Vector3::ith((axis + k) % 3, 1.0);
    let frame = Matrix3::from_columns(&[sign * unit(0), unit(1), sign * unit(2)]);
    Some((2 * axis + usize::from(sign > 0.0), frame, gap))
}
