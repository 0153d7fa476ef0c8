//! Equality constraints as bilateral rows.

use crate::algorithm::Data;
use crate::model::{Base, EqualityKind, Model};
use crate::sim::State;
use crate::sim::contacts::base_motion;
use crate::sim::rows::{BlockKey, Rows};
use crate::spatial::{Motion, Transform};
use nalgebra::{Rotation3, Vector3};

/// Position error of an equality (second minus first, world axes): of the point (m), and of the orientation as a
/// rotation vector (rad).
struct EqualityError {
    point: Vector3<f64>,
    position: Vector3<f64>,
    orientation: Option<Vector3<f64>>,
    links: [Option<usize>; 2],
    /// Prescribed motion of the second minus the first at the point.
    prescribed: Motion,
}

fn error(model: &Model, data: &Data, state: &State, index: usize) -> EqualityError {
    let equality = &model.equalities[index];
    let bases: [(Transform, Motion); 2] = equality.bodies.map(|b| base_motion(model, data, state, b));
    let (points, orientation) = match &equality.kind {
        EqualityKind::Connect { anchors } => ([0, 1].map(|i| bases[i].0.point(&anchors[i])), None),
        EqualityKind::Weld { frames } => {
            let [first, second] = [0, 1].map(|i| bases[i].0 * frames[i]);
            let turn = Rotation3::from_matrix_unchecked(second.rotation * first.rotation.transpose());
            ([first.translation, second.translation], Some(turn.scaled_axis()))
        }
    };
    let point = 0.5 * (points[0] + points[1]);
    let prescribed = [0, 1].map(|i| match model.bodies[equality.bodies[i]].base {
        Base::Mocap(_) => bases[i].1.at(&(point - bases[i].0.translation)),
        _ => Motion::zero(),
    });
    EqualityError {
        point,
        position: points[1] - points[0],
        orientation,
        links: equality.bodies.map(|b| match model.bodies[b].base {
            Base::Link(link) => Some(link),
            _ => None,
        }),
        prescribed: prescribed[1] - prescribed[0],
    }
}

/// Largest position error of all equalities (m or rad).
pub(crate) fn worst_error(model: &Model, data: &Data, state: &State) -> f64 {
    (0..model.equalities.len()).fold(0.0, |worst: f64, i| {
        let e = error(model, data, state, i);
        worst.max(e.position.amax()).max(e.orientation.map_or(0.0, |o| o.amax()))
    })
}

/// What the rows of an equality aim at: `gain * position error + rate * prescribed velocity`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    /// 1/s for velocities, 1 for displacements.
    pub(crate) gain: f64,
    /// 1 for velocities, 0 for displacements.
    pub(crate) rate: f64,
}

/// Adds the rows of an equality.
pub(crate) fn push_equality(
    rows: &mut Rows,
    model: &Model,
    data: &Data,
    state: &State,
    index: usize,
    rank: u32,
    targets: Targets,
) {
    let e = error(model, data, state, index);
    let linear = e.position * targets.gain + e.prescribed.linear * targets.rate;
    let angular = e.orientation.map(|o| o * targets.gain + e.prescribed.angular * targets.rate);
    let mut values = [0.0; 6];
    values[..3].copy_from_slice(linear.as_slice());
    let count = angular.map_or(3, |a| {
        values[3..].copy_from_slice(a.as_slice());
        6
    });
    rows.push_bilateral(model, data, BlockKey::equality(rank), e.links, &e.point, &values[..count]);
}

/// Trees of the links that an equality ties.
pub(crate) fn equality_trees(model: &Model, index: usize) -> [Option<usize>; 2] {
    model.equalities[index].bodies.map(|b| match model.bodies[b].base {
        Base::Link(link) => Some(model.links[link].tree),
        _ => None,
    })
}
