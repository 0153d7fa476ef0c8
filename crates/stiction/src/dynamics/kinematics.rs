//! Forward kinematics: where every link is and how it moves (Featherstone 2008, section 4.4, in world axes).

use crate::dynamics::data::Data;
use crate::model::{Base, BodyId, JointKind, Mocap, Model, TreeId};
use crate::spatial::{Motion, Transform, axis_angle_matrix, quaternion_from, quaternion_matrix};
use nalgebra::Vector3;

/// Poses, offsets, velocities, axes, velocity products and inertias of one tree's links from `q` (length nq) and
/// `v` (length nv).
///
/// Quaternions need not have length one; a zero quaternion stands for no rotation. A free joint's `q` is the
/// pose in the world.
pub fn forward_kinematics(model: &Model, data: &mut Data, tree: TreeId, q: &[f64], v: &[f64]) {
    for i in model.trees[tree].links.clone() {
        let link = &model.links[i];
        let (base, base_velocity) = match link.parent {
            Some(p) => (data.link_pose[p.index()], data.link_velocity[p.index()]),
            None => (Transform::identity(), Motion::zero()),
        };
        let base_spin = base_velocity.angular;
        // The axes of the link before its joint turns them, and its origin before its joint shifts it.
        let axes = base.rotation * link.placement.rotation;
        let anchor = base.rotation * link.placement.translation;

        let (rotation, offset, velocity, coriolis);
        match &link.kind {
            JointKind::Free => {
                offset = Vector3::new(q[link.q], q[link.q + 1], q[link.q + 2]);
                rotation = quaternion_matrix(&quaternion_from(&q[link.q + 3..]));
                let linear = Vector3::new(v[link.v], v[link.v + 1], v[link.v + 2]);
                let spin = Vector3::new(v[link.v + 3], v[link.v + 4], v[link.v + 5]);
                velocity = Motion::new(rotation * spin, linear);
                coriolis = Motion::zero();
                for k in 0..3 {
                    data.dof_axis[link.v + k] = Motion::new(Vector3::zeros(), Vector3::ith(k, 1.0));
                    data.dof_axis[link.v + 3 + k] =
                        Motion::new(rotation.column(k).into_owned(), Vector3::zeros());
                }
            }
            JointKind::Ball => {
                offset = anchor;
                rotation = axes * quaternion_matrix(&quaternion_from(&q[link.q..]));
                let spin = rotation * Vector3::new(v[link.v], v[link.v + 1], v[link.v + 2]);
                velocity = base_velocity.at(&offset) + Motion::new(spin, Vector3::zeros());
                coriolis = Motion::new(base_spin.cross(&spin), Vector3::zeros());
                for k in 0..3 {
                    data.dof_axis[link.v + k] =
                        Motion::new(rotation.column(k).into_owned(), Vector3::zeros());
                }
            }
            JointKind::Hinge { axis } => {
                offset = anchor;
                rotation = axes * axis_angle_matrix(axis, q[link.q] - link.reference);
                let axis = axes * axis;
                let spin = axis * v[link.v];
                velocity = base_velocity.at(&offset) + Motion::new(spin, Vector3::zeros());
                coriolis = Motion::new(base_spin.cross(&spin), Vector3::zeros());
                data.dof_axis[link.v] = Motion::new(axis, Vector3::zeros());
            }
            JointKind::Slide { axis } => {
                let axis = axes * axis;
                offset = anchor + axis * (q[link.q] - link.reference);
                rotation = axes;
                let speed = axis * v[link.v];
                velocity = base_velocity.at(&offset) + Motion::new(Vector3::zeros(), speed);
                coriolis = Motion::new(Vector3::zeros(), base_spin.cross(&speed) * 2.0);
                data.dof_axis[link.v] = Motion::new(Vector3::zeros(), axis);
            }
        }
        let centripetal = base_spin.cross(&base_spin.cross(&offset));

        data.link_pose[i] = Transform { rotation, translation: base.translation + offset };
        data.link_offset[i] = offset;
        data.link_velocity[i] = velocity;
        data.bias_acceleration[i] = Motion::new(coriolis.angular, coriolis.linear + centripetal);
        data.link_inertia[i] = link.inertia.rotated(&rotation);
    }
}

/// [`forward_kinematics`] of all trees.
pub fn forward_kinematics_all(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) {
    for tree in TreeId::all(&model.trees) {
        forward_kinematics(model, data, tree, q, v);
    }
}

/// Pose of a body's frame and its motion at the frame's origin, world axes; `data` has the kinematics.
///
/// ```
/// # use stiction::{dynamics, model::*, geometry::Shape};
/// # use nalgebra::Vector3;
/// # let mut builder = ModelBuilder::new("pendulum");
/// # let bob = BodySpec {
/// #     pose: stiction::Transform::from_translation(-Vector3::z()),
/// #     joints: vec![JointSpec { position: Vector3::z(), ..JointSpec::hinge(Vector3::y()) }],
/// #     geoms: vec![GeomSpec { mass: Some(2.0), ..GeomSpec::new(Shape::Sphere { radius: 0.1 }) }],
/// #     ..BodySpec::default()
/// # };
/// # builder.add_body(BodyHandle::WORLD, bob)?;
/// # let model = builder.build()?;
/// // A pendulum of 1 m with a bob of 2 kg and 0.1 m radius, model.
/// let mut data = dynamics::Data::new(&model);
/// let (q, v) = ([std::f64::consts::PI], [0.0]);
/// dynamics::forward_kinematics_all(&model, &mut data, &q, &v);
/// let (pose, _) = dynamics::body_motion(&model, &data, &[], BodyId::new(1));
/// assert!((pose.translation - Vector3::z()).norm() < 1e-12); // upside down
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn body_motion(model: &Model, data: &Data, mocap: &[Mocap], body: BodyId) -> (Transform, Motion) {
    let (base, motion) = base_motion(model, data, mocap, body);
    let pose = base * model.bodies[body].pose;
    (pose, motion.at(&(pose.translation - base.translation)))
}

/// Pose of a body's base and its motion at the base's origin, world axes.
pub(crate) fn base_motion(model: &Model, data: &Data, mocap: &[Mocap], body: BodyId) -> (Transform, Motion) {
    match model.bodies[body].base {
        Base::World => (Transform::identity(), Motion::zero()),
        Base::Mocap(i) => (mocap[i].pose(), mocap[i].motion()),
        Base::Link(link) => (data.link_pose[link.index()], data.link_velocity[link.index()]),
    }
}
