//! The chain of joints of a closure: where it ends, how its joints move it, and the accelerations at its ends.
//!
//! Motions are six numbers, the angular part first, at a point that stays, in world axes.

use crate::dynamics::{Data, base_motion};
use crate::model::{Base, BodyId, Closure, JointKind, Mocap, Model};
use crate::spatial::{
    Motion, Transform, axis_angle_matrix, quaternion_exponential, quaternion_from, quaternion_logarithm,
    quaternion_matrix, quaternion_normalized, quaternion_product,
};
use nalgebra::{Matrix6, Rotation3, UnitQuaternion, Vector3, Vector6};

/// Angular part first, as in [`Motion`].
pub(super) fn six(motion: &Motion) -> Vector6<f64> {
    let (w, v) = (&motion.angular, &motion.linear);
    Vector6::new(w.x, w.y, w.z, v.x, v.y, v.z)
}

pub(super) fn motion(x: &Vector6<f64>) -> Motion {
    Motion::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]))
}

/// Rate of a motion carried along by another, both at a point that stays (Featherstone's cross product).
pub(super) fn carried(by: &Motion, x: &Motion) -> Motion {
    Motion::new(by.angular.cross(&x.angular), by.angular.cross(&x.linear) + by.linear.cross(&x.angular))
}

/// End of the chain at the coordinates `q`, and the motions of its joints there.
pub(super) fn chain(
    model: &Model,
    closure: &Closure,
    start: &Transform,
    q: &[f64],
    span: &mut Matrix6<f64>,
) -> Transform {
    let mut frame = *start;
    let mut column = 0;
    for joint in &model.loop_joints[closure.joints.clone()] {
        frame = frame * joint.placement;
        // Columns hold the joint's origin until the end is known.
        let mut push = |angular: Vector3<f64>, linear: Vector3<f64>| {
            span.set_column(column, &six(&Motion::new(angular, linear)));
            column += 1;
        };
        match &joint.kind {
            JointKind::Hinge { axis } => {
                let angle = q[joint.q] - joint.reference;
                push(frame.vector(axis), frame.translation);
                frame.rotation *= axis_angle_matrix(axis, angle);
            }
            JointKind::Slide { axis } => {
                let axis = frame.vector(axis);
                push(Vector3::zeros(), axis);
                frame.translation += axis * (q[joint.q] - joint.reference);
            }
            JointKind::Ball => {
                frame.rotation *= quaternion_matrix(&quaternion_from(&q[joint.q..]));
                (0..3).for_each(|k| push(frame.rotation.column(k).into_owned(), frame.translation));
            }
            JointKind::Free => {}
        }
    }
    for k in 0..column {
        let Motion { angular, linear: origin } = motion(&span.column(k).into_owned());
        if angular != Vector3::zeros() {
            let linear = angular.cross(&(frame.translation - origin));
            span.set_column(k, &six(&Motion::new(angular, linear)));
        }
    }
    frame
}

/// What turns and shifts a frame onto another (rotation vector, then translation; world axes).
pub(super) fn pose_error(from: &Transform, to: &Transform) -> Vector6<f64> {
    let turn = Rotation3::from_matrix_unchecked(to.rotation * from.rotation.transpose());
    // By way of the quaternion: the trace of the matrix knows small angles to 1e-8 only.
    let turn = UnitQuaternion::from_rotation_matrix(&turn);
    let rotation = quaternion_logarithm(&[turn.w, turn.i, turn.j, turn.k]);
    six(&Motion::new(rotation, to.translation - from.translation))
}

/// Moves the chain's coordinates by a step.
pub(super) fn move_chain(model: &Model, closure: &Closure, step: &Vector6<f64>, q: &mut [f64]) {
    let mut k = 0;
    for joint in &model.loop_joints[closure.joints.clone()] {
        if joint.kind == JointKind::Ball {
            let turn = quaternion_exponential(&Vector3::new(step[k], step[k + 1], step[k + 2]));
            let turned = quaternion_normalized(&quaternion_product(&quaternion_from(&q[joint.q..]), &turn));
            q[joint.coords()].copy_from_slice(&turned);
        } else {
            q[joint.q] += step[k];
        }
        k += joint.kind.nv();
    }
}

/// Spatial acceleration at a fixed point of a body at zero joint acceleration: of the material point that is there, less
/// `w x v`.
pub(super) fn spatial_acceleration(
    model: &Model,
    data: &Data,
    mocap: &[Mocap],
    body: BodyId,
    point: &Vector3<f64>,
) -> Motion {
    let (pose, velocity) = base_motion(model, data, mocap, body);
    let origin = match model.bodies[body].base {
        Base::World => return Motion::zero(),
        // The prescribed twist is constant within a step: the origin moves straight.
        Base::Mocap(_) => Motion::zero(),
        Base::Link(link) => {
            data.link_acceleration[link.index()] + Motion::new(Vector3::zeros(), model.gravity)
        }
    };
    let arm = point - pose.translation;
    let spin = velocity.angular;
    let centripetal = spin.cross(&spin.cross(&arm)) - spin.cross(&velocity.at(&arm).linear);
    origin.at(&arm) + Motion::new(Vector3::zeros(), centripetal)
}
