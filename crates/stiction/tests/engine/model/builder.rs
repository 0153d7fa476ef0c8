//! What the builder makes of a scene: numbers, frames, inertia and names.

use nalgebra::{Matrix3, Rotation3, Unit, UnitQuaternion, Vector3};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stiction::geometry::Shape;
use stiction::model::{
    ActuatorSpec, Base, BodyHandle, BodyId, BodySpec, EqualityKind, EqualitySpec, GeomSpec, Inertial,
    JointKind, JointSpec, Keyframe, LinkId, MocapId, Model, ModelBuilder,
};
use stiction::spatial::{Inertia, Transform};

fn ball_geom() -> GeomSpec {
    GeomSpec::new(Shape::Sphere { radius: 0.1 })
}

fn body(name: &str, joints: Vec<JointSpec>) -> BodySpec {
    BodySpec { name: name.into(), joints, geoms: vec![ball_geom()], ..BodySpec::default() }
}

fn at(x: f64, y: f64, z: f64) -> Transform {
    Transform::from_translation(Vector3::new(x, y, z))
}

fn hinge() -> JointSpec {
    JointSpec { position: Vector3::new(0.3, 0.1, -0.2), ..JointSpec::hinge(Vector3::y()) }
}

#[test]
fn bodies_links_dofs_and_coordinates_are_numbered_depth_first_whatever_the_order_of_insertion() {
    let mut builder = ModelBuilder::new("order");
    let a = builder.add_body(BodyHandle::WORLD, body("a", vec![JointSpec::free()])).unwrap();
    let b = builder.add_body(BodyHandle::WORLD, body("b", vec![hinge()])).unwrap();
    builder.add_body(a, body("a1", vec![JointSpec::ball()])).unwrap();
    builder.add_body(b, body("b1", vec![JointSpec::slide(Vector3::x())])).unwrap();
    builder.add_body(a, body("a2", vec![hinge()])).unwrap();
    let model = builder.build().unwrap();

    let names: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "a", "a1", "a2", "b", "b1"]);
    assert_eq!(model.bodies.iter().map(|b| b.parent.index()).collect::<Vec<_>>(), [0, 0, 1, 1, 0, 4]);
    assert_eq!(
        model.links.iter().map(|l| (l.q, l.v)).collect::<Vec<_>>(),
        [(0, 0), (7, 6), (11, 9), (12, 10), (13, 11)]
    );
    assert_eq!((model.nq(), model.nv()), (14, 12));
    let parents: Vec<Option<usize>> = model.dofs.iter().map(|d| d.parent).collect();
    let expected =
        [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), Some(7), Some(5), None];
    assert_eq!(parents[..11], expected);
    assert_eq!(parents[11], Some(10));
    let trees: Vec<_> =
        model.trees.iter().map(|t| (t.links.clone(), t.dofs.clone(), t.coords.clone())).collect();
    assert_eq!(trees, [(0..3, 0..10, 0..12), (3..5, 10..12, 12..14)]);
    assert_eq!(model.links.iter().map(|l| l.tree.index()).collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
    assert_eq!(model.geoms.iter().map(|g| g.body.index()).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_chain_longer_than_any_call_stack_is_built() {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = BodyHandle::WORLD;
    for i in 0..20_000 {
        parent = builder.add_body(parent, body(&format!("link {i}"), vec![hinge()])).unwrap();
    }
    assert_eq!(builder.build().unwrap().nv(), 20_000);
}

/// Motion of a joint about its own frame.
fn joint_motion(kind: &JointKind, q: &[f64], reference: f64) -> Transform {
    match kind {
        JointKind::Hinge { axis } => {
            let turn = Rotation3::from_axis_angle(&Unit::new_normalize(*axis), q[0] - reference);
            Transform { rotation: turn.into_inner(), translation: Vector3::zeros() }
        }
        JointKind::Slide { axis } => Transform::from_translation(axis * (q[0] - reference)),
        JointKind::Ball => {
            let q = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]));
            Transform::new(Vector3::zeros(), &q)
        }
        JointKind::Free => unreachable!(),
    }
}

/// Poses of bodies as the model's links and bases give them.
fn poses_by_links(model: &Model, q: &[f64]) -> Vec<Transform> {
    let mut links: Vec<Transform> = Vec::new();
    for link in &model.links {
        let above = link.parent.map_or(Transform::identity(), |p| links[p.index()]);
        links.push(above * link.placement * joint_motion(&link.kind, &q[link.q..], link.reference));
    }
    let base = |base| match base {
        Base::Link(link) => links[link.index()],
        _ => Transform::identity(),
    };
    model.bodies.iter().map(|b| base(b.base) * b.pose).collect()
}

/// Pose of a body with joints in its parent as MuJoCo's documentation has it: each joint in turn moves the body
/// about its anchor.
fn pose_by_joints(spec: &BodySpec, q: &mut &[f64]) -> Transform {
    let mut pose = spec.pose;
    for joint in &spec.joints {
        let anchor = pose.point(&joint.position);
        let motion = joint_motion(&joint.kind, q, joint.reference);
        *q = &q[joint.kind.nq()..];
        let rotation = pose.rotation * motion.rotation;
        let shift = pose.rotation * motion.translation;
        pose = Transform { rotation, translation: anchor + shift - rotation * joint.position };
    }
    pose
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(Vector3::from)
}

fn pose() -> impl Strategy<Value = Transform> {
    (vector(), vector())
        .prop_map(|(x, turn)| Transform::new(x, &UnitQuaternion::from_scaled_axis(turn * 2.0)))
}

fn joint() -> impl Strategy<Value = JointSpec> {
    (0..3, vector(), vector(), -1.0..1.0).prop_map(|(kind, axis, position, reference)| {
        let axis = axis + Vector3::new(0.0, 0.0, 2.0);
        let joint = match kind {
            0 => JointSpec::hinge(axis.normalize()),
            1 => JointSpec::slide(axis.normalize()),
            _ => JointSpec::ball(),
        };
        // Armature, so that joints may repeat each other.
        JointSpec { position, reference, armature: 1.0, ..joint }
    })
}

fn random_chain() -> impl Strategy<Value = Vec<BodySpec>> {
    let spec = (pose(), proptest::collection::vec(joint(), 0..4)).prop_map(|(pose, joints)| BodySpec {
        pose,
        joints,
        geoms: vec![ball_geom()],
        ..BodySpec::default()
    });
    proptest::collection::vec(spec, 1..5)
}

fn build_chain(specs: &[BodySpec]) -> Model {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = BodyHandle::WORLD;
    for spec in specs {
        parent = builder.add_body(parent, spec.clone()).unwrap();
    }
    builder.build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(38),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn bodies_with_several_joints_move_as_if_each_joint_moved_the_body_about_its_anchor_in_turn(
        specs in random_chain(), angles in proptest::collection::vec(-2.0..2.0, 60),
    ) {
        let model = build_chain(&specs);
        let mut q = angles[..model.nq()].to_vec();
        for link in model.links.iter().filter(|l| l.kind == JointKind::Ball) {
            let turn = UnitQuaternion::from_euler_angles(q[link.q], q[link.q + 1], q[link.q + 2]);
            q[link.q..link.q + 4].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        }
        let poses = poses_by_links(&model, &q);
        let (mut rest, mut above) = (&q[..], Transform::identity());
        for (number, spec) in specs.iter().enumerate() {
            above = above * pose_by_joints(spec, &mut rest);
            let found = &poses[number + 1];
            prop_assert!((found.rotation - above.rotation).amax() < 1e-13);
            prop_assert!((found.translation - above.translation).amax() < 1e-13);
        }
    }

    #[test]
    fn at_q0_bodies_are_where_their_specifications_put_them(specs in random_chain()) {
        let model = build_chain(&specs);
        let poses = poses_by_links(&model, &model.q0);
        let mut above = Transform::identity();
        for (number, spec) in specs.iter().enumerate() {
            above = above * spec.pose;
            prop_assert!((poses[number + 1].translation - above.translation).amax() < 1e-13);
            prop_assert!((poses[number + 1].rotation - above.rotation).amax() < 1e-13);
        }
    }

    #[test]
    fn the_inertia_of_a_link_is_the_sum_over_the_bodies_fixed_to_it(
        poses in [pose(), pose(), pose()], position in vector(),
    ) {
        let mut builder = ModelBuilder::new("fixed");
        let box_geom = GeomSpec::new(Shape::Box { half_extents: Vector3::new(0.1, 0.2, 0.3) });
        let mut parent = BodyHandle::WORLD;
        for (k, pose) in poses.into_iter().enumerate() {
            let joints = if k == 0 { vec![JointSpec { position, ..JointSpec::ball() }] } else { vec![] };
            let spec = BodySpec { pose, joints, geoms: vec![box_geom.clone()], ..BodySpec::default() };
            parent = builder.add_body(parent, spec).unwrap();
        }
        let model = builder.build().unwrap();
        prop_assert_eq!(model.links.len(), 1);
        let mass = 1000.0 * 8.0 * 0.1 * 0.2 * 0.3;
        let diagonal = Vector3::new(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04) * (mass / 3.0);
        let one = Inertia::new(mass, &Vector3::zeros(), &Matrix3::from_diagonal(&diagonal));
        let first = Transform::from_translation(-position);
        let second = first * poses[1];
        let sum = one.transformed(&first) + one.transformed(&second) + one.transformed(&(second * poses[2]));
        let found = model.links[0].inertia;
        prop_assert!((found.mass - sum.mass).abs() < 1e-12);
        prop_assert!((found.moment - sum.moment).amax() < 1e-11);
        prop_assert!((found.rotational - sum.rotational).amax() < 1e-10);
        prop_assert!((model.total_mass() - 3.0 * mass).abs() < 1e-11);
    }
}

#[test]
fn intermediate_links_of_a_body_with_several_joints_carry_nothing() {
    let joints = vec![hinge(), JointSpec::slide(Vector3::x()), JointSpec::hinge(Vector3::z())];
    let model = build_chain(&[body("b", joints)]);
    assert_eq!(
        model.links.iter().map(|l| l.parent.map(LinkId::index)).collect::<Vec<_>>(),
        [None, Some(0), Some(1)]
    );
    assert_eq!(model.links[0].inertia, Inertia::zero());
    assert_eq!(model.links[1].inertia, Inertia::zero());
    assert!(model.links[2].inertia.mass > 0.0);
    assert_eq!(model.bodies[1].base, Base::Link(LinkId::new(2)));
    assert_eq!(model.links[0].placement.translation, Vector3::new(0.3, 0.1, -0.2));
    assert_eq!(model.links[1].placement.translation, Vector3::new(-0.3, -0.1, 0.2));
}

#[test]
fn bodies_fixed_to_the_world_are_the_world_and_their_children_start_trees_of_their_own() {
    let mut builder = ModelBuilder::new("table");
    let table = BodySpec { pose: at(0.0, 0.0, 1.0), ..body("table", vec![]) };
    let table = builder.add_body(BodyHandle::WORLD, table).unwrap();
    for name in ["left", "right"] {
        builder.add_body(table, BodySpec { pose: at(0.0, 1.0, 0.0), ..body(name, vec![hinge()]) }).unwrap();
    }
    let model = builder.build().unwrap();
    assert_eq!(model.bodies[1].base, Base::World);
    assert_eq!((model.bodies[1].weld.index(), model.bodies[2].weld.index()), (0, 2));
    assert_eq!(model.trees.len(), 2);
    assert_eq!(model.links[1].parent, None);
    assert_eq!(model.links[1].placement.translation, Vector3::new(0.3, 1.1, 0.8));
    assert_eq!(model.geoms[0].pose.translation, Vector3::new(0.0, 0.0, 1.0));
}

#[test]
fn mass_and_centre_of_a_body_come_from_its_geoms_by_density_or_given_mass() {
    let sphere = |x: f64, mass| GeomSpec { pose: at(x, 0.0, 0.0), mass, ..ball_geom() };
    let geoms = vec![sphere(0.0, Some(1.0)), sphere(4.0, Some(3.0))];
    let joints = vec![JointSpec::free()];
    let model = build_chain(&[BodySpec { joints: joints.clone(), geoms, ..BodySpec::default() }]);
    assert_eq!(model.bodies[1].mass, 4.0);
    assert!((model.bodies[1].center_of_mass - Vector3::new(3.0, 0.0, 0.0)).amax() < 1e-15);
    // Two balls of 2/5 m r^2 = 0.004 per kg, the second 4 m off the y and z axes.
    let expected = Vector3::new(0.016, 0.016 + 48.0, 0.016 + 48.0);
    assert!((model.links[0].inertia.rotational - Matrix3::from_diagonal(&expected)).amax() < 1e-14);

    let capsule =
        GeomSpec { density: 2.0, ..GeomSpec::new(Shape::Capsule { radius: 0.5, half_length: 1.0 }) };
    let model = build_chain(&[BodySpec { joints, geoms: vec![capsule], ..BodySpec::default() }]);
    // pi r^2 2 l + 4/3 pi r^3 = pi (1/2 + 1/6).
    assert!((model.total_mass() - 2.0 * std::f64::consts::PI * (2.0 / 3.0)).abs() < 1e-14);
}

#[test]
fn a_given_inertia_wins_over_the_geoms() {
    let inertial =
        Inertial { mass: 2.0, center_of_mass: Vector3::x(), inertia: Matrix3::from_diagonal_element(0.5) };
    let spec = BodySpec { inertial: Some(inertial), ..body("b", vec![JointSpec::free()]) };
    let model = build_chain(&[spec]);
    assert_eq!(
        model.links[0].inertia,
        Inertia::new(2.0, &Vector3::x(), &Matrix3::from_diagonal_element(0.5))
    );
}

#[test]
fn thin_rods_and_plates_are_legal_inertias() {
    for moments in [[1.0, 1.0, 0.0], [1.0, 1.0, 2.0 + 1e-12], [3e-7, 3e-7, 0.0]] {
        let inertia = Matrix3::from_diagonal(&Vector3::from(moments));
        let inertial = Some(Inertial { mass: 1.0, center_of_mass: Vector3::zeros(), inertia });
        build_chain(&[BodySpec { inertial, ..body("b", vec![hinge()]) }]);
    }
}

#[test]
fn only_a_single_body_on_a_bare_free_joint_is_a_lone_body() {
    let lone = |specs: &[BodySpec]| build_chain(specs).trees[0].lone_body;
    let free = JointSpec::free;
    assert!(lone(&[body("b", vec![free()])]));
    assert!(lone(&[body("b", vec![free()]), body("fixed", vec![])]));
    assert!(!lone(&[body("b", vec![free()]), body("child", vec![hinge()])]));
    assert!(!lone(&[body("b", vec![JointSpec::ball()])]));
    for spoiled in [
        JointSpec { armature: 0.1, ..free() },
        JointSpec { damping: 0.1, ..free() },
        JointSpec { friction_loss: 0.1, ..free() },
        JointSpec { stiffness: 0.1, ..free() },
    ] {
        assert!(!lone(&[body("b", vec![spoiled])]));
    }
}

#[test]
fn q0_holds_the_pose_of_free_bodies_identity_quaternions_and_references() {
    let turn = UnitQuaternion::from_euler_angles(0.3, -0.5, 1.1);
    let mut builder = ModelBuilder::new("q0");
    let pose = Transform::new(Vector3::new(1.0, 2.0, 3.0), &turn);
    let a =
        builder.add_body(BodyHandle::WORLD, BodySpec { pose, ..body("a", vec![JointSpec::free()]) }).unwrap();
    let b = builder.add_body(a, body("b", vec![JointSpec::ball()])).unwrap();
    builder.add_body(b, body("c", vec![JointSpec { reference: 0.7, ..hinge() }])).unwrap();
    let q0 = builder.build().unwrap().q0;
    assert_eq!(q0[..3], [1.0, 2.0, 3.0]);
    for (found, expected) in q0[3..7].iter().zip([turn.w, turn.i, turn.j, turn.k]) {
        assert!((found - expected).abs() < 1e-15);
    }
    assert_eq!(q0[7..], [1.0, 0.0, 0.0, 0.0, 0.7]);
}

#[test]
fn unnamed_elements_are_called_after_their_parent_and_never_take_a_given_name() {
    let mut builder = ModelBuilder::new("names");
    let unnamed = || BodySpec { geoms: vec![ball_geom(), ball_geom()], ..body("", vec![hinge()]) };
    let a = builder.add_body(BodyHandle::WORLD, unnamed()).unwrap();
    builder.add_body(a, unnamed()).unwrap();
    builder.add_body(BodyHandle::WORLD, body("world/0", vec![])).unwrap();
    builder.add_body(BodyHandle::WORLD, unnamed()).unwrap();
    let model = builder.build().unwrap();
    let names: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "world/0.1", "world/0.1/0", "world/0", "world/1"]);
    assert_eq!(model.links[0].name, "world/0.1/joint 0");
    assert_eq!(model.geoms[1].name, "world/0.1/1");
    assert_eq!(model.geoms[4].name, "world/0/0");
}

#[test]
fn ranks_follow_the_names_of_geoms_and_not_the_order_of_insertion() {
    let ranks = |order: [&str; 3]| {
        let mut builder = ModelBuilder::new("ranks");
        for name in order {
            let geom = GeomSpec { name: format!("geom of {name}"), ..ball_geom() };
            let spec = BodySpec { geoms: vec![geom], ..body(name, vec![JointSpec::free()]) };
            builder.add_body(BodyHandle::WORLD, spec).unwrap();
        }
        let model = builder.build().unwrap();
        let mut ranks: Vec<_> = model.geoms.into_iter().map(|g| (g.name, g.rank)).collect();
        ranks.sort();
        ranks
    };
    let first = ranks(["c", "a", "b"]);
    assert_eq!(first, ranks(["a", "b", "c"]));
    assert_eq!(first.iter().map(|r| r.1).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn mocap_bodies_are_their_own_base_and_carry_what_is_fixed_to_them() {
    let mut builder = ModelBuilder::new("mocap");
    let twist = [Vector3::z(), Vector3::x()];
    let hand = BodySpec { mocap: Some(twist), pose: at(1.0, 0.0, 0.0), ..body("hand", vec![]) };
    let hand = builder.add_body(BodyHandle::WORLD, hand).unwrap();
    builder.add_body(hand, BodySpec { pose: at(0.0, 2.0, 0.0), ..body("tool", vec![]) }).unwrap();
    builder.add_geom(hand, GeomSpec::new(Shape::Plane)).unwrap();
    let model = builder.build().unwrap();
    assert_eq!(model.bodies[1].base, Base::Mocap(MocapId::new(0)));
    assert_eq!(model.bodies[2].base, Base::Mocap(MocapId::new(0)));
    assert_eq!((model.bodies[1].weld.index(), model.bodies[2].weld.index()), (1, 1));
    assert_eq!(model.bodies[2].pose, at(0.0, 2.0, 0.0));
    assert_eq!(model.mocap_poses, [at(1.0, 0.0, 0.0)]);
    assert_eq!(model.mocap_velocities, [twist]);
    assert_eq!(model.mocap_bodies, [BodyId::new(1)]);
}

#[test]
fn equalities_hold_what_coincides_at_q0_in_the_frames_of_the_bases() {
    let turned =
        Transform::new(Vector3::new(1.0, 0.5, 0.0), &UnitQuaternion::from_euler_angles(0.2, 0.4, -0.9));
    let mut builder = ModelBuilder::new("loop");
    let a =
        builder.add_body(BodyHandle::WORLD, BodySpec { pose: turned, ..body("a", vec![hinge()]) }).unwrap();
    let b = builder.add_body(a, BodySpec { pose: turned, ..body("b", vec![hinge()]) }).unwrap();
    let tip = builder.add_body(b, BodySpec { pose: turned, ..body("tip", vec![]) }).unwrap();
    let anchor = Vector3::new(0.3, 0.2, 0.1);
    builder.add_equality(EqualitySpec::Connect {
        name: "pin".into(),
        bodies: [tip, BodyHandle::WORLD],
        anchor,
    });
    let weld =
        |relative_pose| EqualitySpec::Weld { name: String::new(), bodies: [a, tip], relative_pose, anchor };
    builder.add_equality(weld(None));
    builder.add_equality(weld(Some(Transform::identity())));
    let model = builder.build().unwrap();

    let world = poses_by_links(&model, &model.q0);
    // Pose of a body's base: the body's pose with its place in the base taken back.
    let base = |body: usize| world[body] * model.bodies[body].pose.inverse();
    let EqualityKind::Connect { bodies, anchors } = model.equalities[0].kind else { unreachable!() };
    assert_eq!(bodies, [3, 0].map(BodyId::new));
    assert!((base(3).point(&anchors[0]) - anchors[1]).amax() < 1e-14);
    assert!((base(3).point(&anchors[0]) - world[3].point(&anchor)).amax() < 1e-14);
    let frames = |k: usize| match model.equalities[k].kind {
        EqualityKind::Weld { frames, .. } => [base(1) * frames[0], base(3) * frames[1]],
        _ => unreachable!(),
    };
    let [first, second] = frames(1);
    assert!((first.translation - second.translation).amax() < 1e-14);
    assert!((first.rotation - second.rotation).amax() < 1e-14);
    assert!((second.translation - world[3].point(&anchor)).amax() < 1e-14);
    // Held at the identity, the second frame would have to go to where the first body is.
    let [first, _] = frames(2);
    assert!((first.translation - world[1].point(&anchor)).amax() < 1e-14);
    assert_eq!(model.equalities[1].name, "equality 1");
}

#[test]
fn keyframes_are_completed_and_their_quaternions_normalised() {
    let mut builder = ModelBuilder::new("keys");
    builder.add_body(BodyHandle::WORLD, body("a", vec![JointSpec::ball()])).unwrap();
    builder.add_body(BodyHandle::WORLD, body("b", vec![JointSpec { name: "h".into(), ..hinge() }])).unwrap();
    builder.add_actuator(ActuatorSpec::position("servo", "h", 100.0, 1.0));
    let key = |name: &str, q: &[f64]| Keyframe { name: name.into(), q: q.to_vec(), ..Keyframe::default() };
    builder.add_keyframe(key("start", &[0.0, 3e200, 0.0, 4e200, 0.5])).add_keyframe(key("", &[]));
    let model = builder.build().unwrap();
    let start = model.keyframe("start").unwrap();
    for (found, expected) in start.q.iter().zip([0.0, 0.6, 0.0, 0.8, 0.5]) {
        assert!((found - expected).abs() < 1e-15);
    }
    assert_eq!((start.v.as_slice(), start.ctrl.as_slice()), ([0.0; 4].as_slice(), [0.0].as_slice()));
    assert_eq!(model.keyframes[1].q, model.q0);
    assert_eq!(model.actuators[0].bias, [0.0, -100.0, -1.0]);
}

#[test]
fn axes_are_normalised_without_overflow_and_unit_axes_keep_their_bits() {
    for (given, unit) in [([0.0, 0.0, -1e-300], [0.0, 0.0, -1.0]), ([3e300, 4e300, 0.0], [0.6, 0.8, 0.0])] {
        let model = build_chain(&[body("b", vec![JointSpec::hinge(Vector3::from(given))])]);
        let JointKind::Hinge { axis } = model.links[0].kind else { unreachable!() };
        assert!((axis - Vector3::from(unit)).amax() < 1e-15);
    }
    let model = build_chain(&[body("b", vec![JointSpec::slide(Vector3::y())])]);
    assert_eq!(model.links[0].kind, JointKind::Slide { axis: Vector3::y() });
}

#[test]
fn a_built_model_survives_being_written_and_read() {
    let model = build_chain(&[body("a", vec![JointSpec::free()]), body("b", vec![hinge()])]);
    let text = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Model>(&text).unwrap(), model);
}

#[test]
fn a_model_that_was_tampered_with_is_not_read() {
    let model = build_chain(&[body("a", vec![JointSpec::free()]), body("b", vec![hinge()])]);
    let written = serde_json::to_value(&model).unwrap();
    type Change = fn(&mut serde_json::Value);
    let tamper = |change: Change| {
        let mut changed = written.clone();
        change(&mut changed);
        serde_json::from_value::<Model>(changed).unwrap_err().to_string()
    };
    let cases: [(Change, &str); 5] = [
        (|m| m["links"][1]["q"] = 3.into(), "do not follow"),
        (|m| m["links"][0]["parent"] = 1.into(), "does not come before it"),
        (|m| m["q0"].as_array_mut().unwrap().truncate(3), "more or fewer coordinates"),
        (|m| m["timestep"] = (-0.1).into(), "timestep"),
        (|m| m["trees"][0]["dofs"]["end"] = 2.into(), "dofs of its links"),
    ];
    for (change, part) in cases {
        let message = tamper(change);
        assert!(message.contains(part), "{message}");
    }
}
