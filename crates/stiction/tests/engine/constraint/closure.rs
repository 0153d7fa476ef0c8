//! Loop-closing joints of every kind: what they hold, what they leave free, and what acts along it.

use super::rod;
use crate::common::{position, run, simulate};
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;
use stiction::model::{
    ActuatorSpec, BodyHandle, BodySpec, ClosureSpec, EqualitySpec, Inertial, JointSpec, ModelBuilder, TreeId,
};
use stiction::scene::mjcf;
use stiction::sim::{Settings, SimError, Simulation};
use stiction::spatial::Transform;

const GRAVITY: f64 = 9.81;

/// The parallelogram of google-deepmind/mujoco issue 172, crank and rocker hanging down, closed by a hinge between two sites;
/// `words` follow it, `rest` is more of the scene.
fn four_bar(words: &str, rest: &str) -> String {
    let (crank, coupler, rocker) = (rod(0.2, 0.1, "z"), rod(0.6, 0.3, "x"), rod(0.2, 0.1, "z"));
    format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="0 0 -{GRAVITY}"/>
        <custom><text name="stiction:closure:pin" data="hinge far end {words}"/></custom><worldbody>
        <body name="crank"><joint name="a" axis="0 1 0"/>{crank}
          <body name="coupler" pos="0 0 -0.1"><joint name="b" axis="0 1 0"/>{coupler}
            <site name="far" pos="0.3 0 0" zaxis="0 1 0"/></body></body>
        <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{rocker}
          <site name="end" pos="0 0 -0.1" zaxis="0 1 0"/></body></worldbody>{rest}</mujoco>"#
    )
}

#[test]
fn a_four_bar_closed_by_a_hinge_swings_with_its_period_and_keeps_its_energy_for_a_hundred_seconds() {
    let mut s = simulate(&four_bar("", ""));
    s.state.q.copy_from_slice(&[1.0, -1.0, 1.0].map(|x: f64| x * 60f64.to_radians()));
    let (mut gap, mut crossings, mut energies) = (0.0f64, Vec::new(), Vec::new());
    let (mut time, mut angle) = (0.0, s.state.q[0]);
    run(&mut s, 100.0, |s, report| {
        gap = gap.max(report.certificate.bilateral);
        energies.push(report.energy);
        if angle > 0.0 && s.state.q[0] <= 0.0 {
            crossings.push(time + (report.time - time) * angle / (angle - s.state.q[0]));
        }
        (time, angle) = (report.time, s.state.q[0]);
        // The angle of the pin is that of the rocker against the coupler.
        assert!((s.state.loop_q[0] - s.state.q[0]).abs() < 1e-9);
    });
    assert!(gap <= 1e-12, "loop gap {gap:e}");
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((period / 0.651815 - 1.0).abs() < 5e-4, "period {period}");
    let mean = |e: &[f64]| e.iter().sum::<f64>() / e.len() as f64;
    let drift = mean(&energies[energies.len() - 6518..]) - mean(&energies[..6518]);
    assert!(drift.abs() <= 1e-4 * 0.8 * GRAVITY * 0.05, "energy drift {drift:e}");
}

/// Two bodies free in space, the first heavy, joined by a closure of a kind at tilted frames; thrown with all velocities.
fn thrown(kind: &str, joints: Vec<JointSpec>) -> Simulation {
    let mut builder = ModelBuilder::new(kind);
    builder.timestep = 2e-3;
    let body = |name: &str, mass: f64, position: [f64; 3]| BodySpec {
        name: name.into(),
        pose: Transform::new(position.into(), &UnitQuaternion::from_euler_angles(0.3, mass, -0.2)),
        inertial: Some(Inertial {
            mass,
            center_of_mass: Vector3::new(0.02, -0.01, 0.03),
            inertia: nalgebra::Matrix3::from_diagonal(&Vector3::new(0.02, 0.03, 0.025)) * mass,
        }),
        joints: vec![JointSpec::free()],
        ..BodySpec::default()
    };
    let first = builder.add_body(BodyHandle::WORLD, body("first", 1.5, [0.0, 0.0, 0.0])).unwrap();
    let second = builder.add_body(BodyHandle::WORLD, body("second", 0.7, [0.4, 0.1, -0.2])).unwrap();
    let frame =
        Transform::new(Vector3::new(0.2, 0.05, -0.1), &UnitQuaternion::from_euler_angles(-0.5, 0.4, 1.0));
    builder.add_equality(EqualitySpec::Closure(ClosureSpec::new("loop", [first, second], frame, joints)));
    let mut s = Simulation::new(Arc::new(builder.build().unwrap()), Settings::default()).unwrap();
    s.state.v.copy_from_slice(&[0.3, -0.2, 0.1, 1.0, -2.0, 0.5, -0.4, 0.3, 0.2, -1.5, 1.0, 2.0]);
    s
}

/// Linear momentum, and angular momentum about the world's origin.
fn momenta(s: &Simulation) -> (Vector3<f64>, Vector3<f64>) {
    let (model, data) = (s.model(), s.data());
    TreeId::all(&model.trees).fold((Vector3::zeros(), Vector3::zeros()), |sum, tree| {
        use stiction::dynamics::{angular_momentum, linear_momentum};
        (sum.0 + linear_momentum(model, data, tree), sum.1 + angular_momentum(model, data, tree))
    })
}

#[test]
fn every_kind_holds_its_rows_keeps_energy_and_momentum_and_leaves_its_freedoms() {
    let kinds: [(&str, Vec<JointSpec>, usize); 7] = [
        ("weld", vec![], 6),
        ("hinge", vec![JointSpec::hinge(Vector3::z())], 5),
        ("slide", vec![JointSpec::slide(Vector3::z())], 5),
        ("universal", JointSpec::universal(), 4),
        ("cylindrical", JointSpec::cylindrical(), 4),
        ("ball", vec![JointSpec::ball()], 3),
        ("planar", JointSpec::planar(), 3),
    ];
    for (kind, joints, rows) in kinds {
        let mut s = thrown(kind, joints);
        let found = s.mobility().unwrap();
        assert_eq!((found.rows, found.rank, found.mobility()), (rows, rows, 12 - rows), "{kind}");
        let first = s.step().unwrap();
        let before = momenta(&s);
        let start = s.state.loop_q.clone();
        let mut last = first.energy;
        for step in 1..1000 {
            let report = s.step().unwrap();
            assert!(report.certificate.bilateral <= 1e-12, "{kind}: {:?}", report.certificate);
            let fall = Vector3::new(0.0, 0.0, -GRAVITY) * 2.2 * (2e-3 * step as f64);
            let (p, _) = momenta(&s);
            assert!((p - fall - before.0).amax() < 1e-10, "{kind}: momentum {}", p - fall - before.0);
            assert!((report.energy - last).abs() < 1e-8, "{kind}: energy {}", report.energy - last);
            last = report.energy;
        }
        assert!((last - first.energy).abs() < 1e-6, "{kind}: energy {}", last - first.energy);
        // What is free does move.
        for (a, b) in start.iter().zip(&s.state.loop_q) {
            assert!((a - b).abs() > 1e-3, "{kind}: {a} {b}");
        }
    }
}

#[test]
fn without_gravity_a_joint_in_a_loop_changes_no_angular_momentum() {
    for joints in [vec![JointSpec::hinge(Vector3::z())], JointSpec::universal(), JointSpec::planar()] {
        let mut s = thrown("spin", joints);
        let mut model = s.model().as_ref().clone();
        model.gravity = Vector3::zeros();
        let state = s.state.clone();
        s = Simulation::new(Arc::new(model), Settings::default()).unwrap();
        s.state = state;
        let _ = s.step().unwrap();
        let (p, l) = momenta(&s);
        for _ in 0..500 {
            let _ = s.step().unwrap();
        }
        let (q, m) = momenta(&s);
        assert!((p - q).amax() < 1e-11 && (l - m).amax() < 1e-9, "{} {}", p - q, l - m);
    }
}

/// A rod on a hinge of the tree, and the same held by a closure on a free body; both with words about the joint.
fn two_ways(attributes: &str, words: &str, drive: &str) -> [Simulation; 2] {
    let body = |joint: &str, site: &str| {
        format!(
            r#"<body name="rod">{joint}<inertial pos="0.3 0 0.05" mass="1" diaginertia="0.01 0.02 0.03"/>{site}</body>"#
        )
    };
    let scene = |custom: &str, body: &str| {
        simulate(&format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.001"/><custom>{custom}</custom><worldbody>
            <site name="ground" zaxis="0 1 0"/>{body}</worldbody><actuator>{drive}</actuator></mujoco>"#
        ))
    };
    let tree = body(&format!(r#"<joint name="j" axis="0 1 0" {attributes}/>"#), "");
    let looped = body("<freejoint/>", r#"<site name="on" zaxis="0 1 0"/>"#);
    let closure = format!(r#"<text name="stiction:closure:j" data="hinge ground on {words}"/>"#);
    [scene("", &tree), scene(&closure, &looped)]
}

/// Angle of the joint in both.
fn angles([tree, looped]: &[Simulation; 2]) -> [f64; 2] {
    [tree.state.q[0], looped.state.loop_q[0]]
}

#[test]
fn limits_motors_servos_springs_dampers_rotors_and_friction_act_in_a_loop_as_in_a_tree() {
    // Where both take the same rule they agree to rounding, else to the error of the contact rule.
    let cases = [
        (r#"range="-0.4 0.3" limited="true""#, "range=-0.4,0.3", "", 0.0, 1e-6),
        (
            r#"stiffness="20" springref="0.2" damping="0.1""#,
            "stiffness=20 springref=0.2 damping=0.1",
            "",
            0.0,
            1e-12,
        ),
        (r#"stiffness="2e5""#, "stiffness=2e5", "", 0.0, 1e-12),
        (r#"armature="0.3" damping="2""#, "armature=0.3 damping=2", "", 0.0, 1e-12),
        (r#"frictionloss="1""#, "frictionloss=1", "", 0.0, 1e-2),
        (r#"frictionloss="9" armature="0.1""#, "frictionloss=9 armature=0.1", "", 0.0, 1e-12),
        ("", "", r#"<motor joint="j" gear="2"/>"#, 3.0, 1e-12),
        ("", "", r#"<position joint="j" kp="50" kv="5"/>"#, 0.5, 1e-12),
        ("", "", r#"<velocity joint="j" kv="500"/>"#, 8.0, 1e-3),
    ];
    for (attributes, words, drive, control, tolerance) in cases {
        let mut pair = two_ways(attributes, words, drive);
        for s in &mut pair {
            s.state.ctrl.fill(control);
        }
        let mut worst = 0.0f64;
        for _ in 0..1000 {
            for s in &mut pair {
                let report = s.step().unwrap();
                assert!(report.solved() && report.certificate.bilateral < 1e-12, "{attributes}: {report:?}");
            }
            let [tree, looped] = angles(&pair);
            worst = worst.max((tree - looped).abs());
        }
        assert!(worst <= tolerance, "{attributes}{drive}: {worst:e}");
    }
}

#[test]
fn a_limit_in_a_loop_holds_against_a_strong_drive_with_the_torque_that_is_left() {
    // F27 with its joint in a loop: gain 100 N m/rad, target 12.217 rad, stop at a right angle.
    let stop = std::f64::consts::FRAC_PI_2;
    for gain in [100.0, 1e4] {
        let text = format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.002" gravity="0 0 0"/>
            <custom><text name="stiction:closure:j" data="hinge ground on range=0,{stop}"/></custom><worldbody>
            <site name="ground"/><body name="rod"><freejoint/><site name="on"/>{}</body></worldbody>
            <actuator><position joint="j" kp="{gain}" kv="1"/></actuator></mujoco>"#,
            rod(0.1, 0.1, "x"),
        );
        let mut s = simulate(&text);
        s.state.ctrl[0] = 12.217;
        run(&mut s, 2.0, |s, _| assert!(s.state.loop_q[0] <= stop + 1e-8, "{}", s.state.loop_q[0]));
        assert!((s.state.loop_q[0] - stop).abs() <= 1e-8);
        assert!(s.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", s.state.v);
        let torque = s.limit_forces().find(|limit| limit.name == "j" && limit.upper).unwrap().force;
        assert!((torque / (gain * (12.217 - stop)) - 1.0).abs() < 1e-9, "{torque}");
    }
}

#[test]
fn whole_turns_in_a_loop_are_counted() {
    let mut pair = two_ways("", "", r#"<velocity joint="j" kv="100"/>"#);
    for s in &mut pair {
        s.state.ctrl[0] = 20.0;
        for _ in 0..2000 {
            let _ = s.step().unwrap();
        }
    }
    let [tree, looped] = angles(&pair);
    assert!(tree > 36.0 && (tree - looped).abs() < 0.05, "{tree} {looped}");
}

#[test]
fn a_prescribed_coordinate_follows_its_function_exactly() {
    for (function, at) in [
        ("rate 3", (|t: f64| (3.0 * t, 3.0)) as fn(f64) -> (f64, f64)),
        ("harmonic 0 0.5 2", |t| {
            let w = 4.0 * std::f64::consts::PI;
            (0.5 * (w * t).sin(), 0.5 * w * (w * t).cos())
        }),
        ("polynomial 0 0 1 -0.2", |t| (t * t - 0.2 * t * t * t, 2.0 * t - 0.6 * t * t)),
    ] {
        let custom = |s: String| {
            s.replace("</custom>", &format!(r#"<text name="stiction:motion:j" data="{function}"/></custom>"#))
        };
        for (joint, site, closure) in [
            (r#"<joint name="j" axis="0 1 0"/>"#, "", ""),
            (
                "<freejoint/>",
                r#"<site name="on" zaxis="0 1 0"/>"#,
                r#"<text name="stiction:closure:j" data="hinge ground on"/>"#,
            ),
        ] {
            let mut s = simulate(&custom(format!(
                r#"<mujoco><option timestep="0.001"/><custom>{closure}</custom><worldbody><site name="ground" zaxis="0 1 0"/>
                <body name="rod">{joint}{site}<inertial pos="0.3 0 0" mass="1" diaginertia="0.01 0.02 0.03"/></body>
                </worldbody></mujoco>"#
            )));
            for step in 1..=1000 {
                let report = s.step().unwrap();
                let (value, rate) = at(1e-3 * step as f64);
                let angle = if joint.contains("name") { s.state.q[0] } else { s.state.loop_q[0] };
                let speed = if joint.contains("name") { s.state.v[0] } else { s.state.v[4] };
                assert!((angle - value).abs() < 1e-10, "{function} {joint} {step}: {angle} {value}");
                assert!((speed - rate).abs() < 1e-9, "{function} {joint} {step}: {speed} {rate}");
                assert!(report.certificate.bilateral < 1e-11, "{:?}", report.certificate);
            }
        }
    }
}

#[test]
fn a_crank_turned_at_a_constant_rate_drives_its_loop_in_contact_with_a_stop() {
    let rest = r#"<actuator/>"#;
    let text = four_bar("frictionloss=0.01", rest)
        .replace("</custom>", r#"<text name="stiction:motion:a" data="harmonic 0 1.2 1"/></custom>"#);
    let mut s = simulate(&text);
    run(&mut s, 2.0, |s, report| {
        assert!(report.certificate.bilateral < 1e-10, "{:?}", report.certificate);
        let angle = 1.2 * (2.0 * std::f64::consts::PI * report.time).sin();
        assert!((s.state.q[0] - angle).abs() < 1e-10, "{} {angle}", s.state.q[0]);
    });
}

#[test]
fn redundant_rows_and_mobility_are_found_by_rank_and_name() {
    let mut s = simulate(&four_bar("", ""));
    s.state.q.copy_from_slice(&[0.5, -0.5, 0.5]);
    let found = s.mobility().unwrap();
    assert_eq!((found.freedoms, found.rows, found.rank, found.mobility()), (3, 5, 2, 1));
    assert_eq!(found.redundant, [("pin".to_string(), 3)]);
    // In redundant coordinates: eighteen freedoms, four hinges of five rows, three of them redundant in the plane.
    let mut r = Simulation::new(Arc::new(s.model().redundant().unwrap()), Settings::default()).unwrap();
    let found = r.mobility().unwrap();
    assert_eq!((found.freedoms, found.rows, found.mobility()), (18, 20, 1));
    // At the flat start of a parallelogram the rank drops; bent it is one.
    let (q, v, loops) = stiction::dynamics::redundant_state(s.model(), &[0.5, -0.5, 0.5], &[0.0; 3], &[0.0]);
    (r.state.q, r.state.v, r.state.loop_q) = (q.into(), v.into(), loops.into());
    let found = r.mobility().unwrap();
    assert_eq!((found.rank, found.mobility()), (17, 1), "{found:?}");
}

#[test]
fn a_mechanism_is_assembled_from_an_inexact_start_and_what_cannot_be_is_refused_by_name() {
    let mut s = simulate(&four_bar("", ""));
    s.state.q.copy_from_slice(&[0.7, -0.6, 0.55]);
    let found = s.assemble().unwrap();
    assert!(
        found.before > 1e-3 && found.after < 1e-12 && found.distance > 0.0 && found.distance < 0.05,
        "{found:?}"
    );
    let again = s.assemble().unwrap();
    assert_eq!((again.distance, again.angle), (0.0, 0.0));
    let far =
        four_bar("", "").replace(r#"pos="0.3 0 0"><joint name="c""#, r#"pos="0.6 0 0"><joint name="c""#);
    let mut s = simulate(&far);
    match s.assemble() {
        Err(SimError::CannotAssemble { equality, error }) => assert!(equality == "pin" && error > 0.05),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pin_of_a_loop_holds_in_contact() {
    // The parallelogram lies on the floor with its coupler, driven down by its weight.
    let text = four_bar("damping=0.01", "").replace(
        r#"<site name="far""#,
        r#"<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.01" mass="0" contype="2" conaffinity="1"/><site name="far""#,
    );
    let text = text.replace("<worldbody>", r#"<worldbody><geom type="plane" size="1 1 1" pos="0 0 -0.09"/>"#);
    let mut s = simulate(&text);
    s.state.q.copy_from_slice(&[1.0, -1.0, 1.0]);
    run(&mut s, 3.0, |_, report| assert!(report.certificate.bilateral < 1e-12));
    let height = position(&s, "coupler").z;
    assert!(
        (height + 0.08).abs() < 1e-8 && s.state.v.iter().all(|v| v.abs() < 1e-8),
        "{height} {:?}",
        s.state.v
    );
}

#[test]
fn the_builder_takes_drives_on_joints_of_loops_and_refuses_what_is_none() {
    let driven = |drive: &str, joints: Vec<JointSpec>| {
        let mut builder = ModelBuilder::new("m");
        let inertia = nalgebra::Matrix3::identity();
        let inertial = Some(Inertial { mass: 1.0, center_of_mass: Vector3::zeros(), inertia });
        let body =
            BodySpec { name: "b".into(), inertial, joints: vec![JointSpec::free()], ..BodySpec::default() };
        let body = builder.add_body(BodyHandle::WORLD, body).unwrap();
        let closure = ClosureSpec::new("c", [BodyHandle::WORLD, body], Transform::identity(), joints);
        builder.add_equality(EqualitySpec::Closure(closure));
        builder.add_actuator(ActuatorSpec::motor("m", drive));
        builder.build()
    };
    let make = |joints| driven("c", joints);
    assert!(make(vec![JointSpec::hinge(Vector3::z())]).is_ok());
    let refused = |joints| make(joints).unwrap_err().to_string();
    assert!(refused(vec![JointSpec::free()]).contains("free joint"));
    let seven = vec![JointSpec::ball(), JointSpec::ball(), JointSpec::hinge(Vector3::z())];
    assert!(refused(seven).contains("7 freedoms"));
    assert!(refused(vec![JointSpec::hinge(Vector3::zeros())]).contains("`c`"));
    // Several joints have the closure's name with their numbers.
    assert!(make(JointSpec::universal()).is_err() && driven("c/joint 1", JointSpec::universal()).is_ok());
}

#[test]
fn closures_and_motions_that_are_none_are_refused_where_they_stand() {
    let refusals = [
        ("hinge far", "names of two sites"),
        ("hing far end", "did you mean \"hinge\""),
        ("hinge far ends", "did you mean \"end\""),
        ("hinge far end damping", "damping=0.1"),
        ("hinge far end dampin=1", "did you mean \"damping\""),
        ("hinge far end damping=-1", "zero or more"),
        ("hinge far end range=1", "two numbers"),
        ("hinge far end range=1,0", "below"),
        ("planar far end damping=1", "3 coordinates"),
    ];
    for (data, message) in refusals {
        let text = four_bar("", "").replace("hinge far end ", data);
        let error = mjcf::parse(&text, "t.xml").unwrap_err().to_string();
        assert!(error.contains(message), "{data}: {error}");
    }
    for (name, data, message) in
        [("a", "rate", "function of time"), ("q", "rate 1", "no joint or tendon"), ("pin", "rate 1", "")]
    {
        let motion = format!(r#"<text name="stiction:motion:{name}" data="{data}"/></custom>"#);
        let result = mjcf::parse(&four_bar("", "").replace("</custom>", &motion), "t.xml");
        match result {
            Ok(_) => assert!(message.is_empty()),
            Err(error) => assert!(!message.is_empty() && error.to_string().contains(message), "{error}"),
        }
    }
}

#[test]
fn a_rope_is_a_limit_of_a_loop_that_holds_nothing_else() {
    // F30: 1 m of rope from (0, 5, 0), a body of 1 kg dropped from 0.1 m below; gravity along -y.
    let mut builder = ModelBuilder::new("rope");
    builder.gravity = Vector3::new(0.0, -GRAVITY, 0.0);
    builder.timestep = 1.0 / 60.0;
    let inertia = nalgebra::Matrix3::identity() * 1e-3;
    let inertial = Some(Inertial { mass: 1.0, center_of_mass: Vector3::zeros(), inertia });
    let pose = Transform::from_translation(Vector3::new(0.0, 4.9, 0.0));
    let body = BodySpec {
        name: "bob".into(),
        pose,
        inertial,
        joints: vec![JointSpec::free()],
        ..BodySpec::default()
    };
    let body = builder.add_body(BodyHandle::WORLD, body).unwrap();
    let length = JointSpec {
        range: Some([0.0, 1.0]),
        reference: 0.1,
        ..JointSpec::slide(Vector3::new(0.0, -1.0, 0.0))
    };
    let chain =
        vec![JointSpec::hinge(Vector3::x()), JointSpec::hinge(Vector3::z()), length, JointSpec::ball()];
    let spec = ClosureSpec {
        // The slide begins where the body is: 0.1 m below the anchor, about which the hinges turn.
        joints: chain
            .into_iter()
            .map(|joint| JointSpec { position: Vector3::new(0.0, 0.1, 0.0), ..joint })
            .enumerate()
            .map(|(i, joint)| if i == 3 { JointSpec { position: Vector3::zeros(), ..joint } } else { joint })
            .collect(),
        ..ClosureSpec::new("rope", [BodyHandle::WORLD, body], pose, Vec::new())
    };
    builder.add_equality(EqualitySpec::Closure(spec));
    let mut s = Simulation::new(Arc::new(builder.build().unwrap()), Settings::default()).unwrap();
    assert_eq!(s.mobility().unwrap().mobility(), 6);
    for _ in 0..200 {
        let report = s.step().unwrap();
        assert!(report.solved());
        let distance = (position(&s, "bob") - Vector3::new(0.0, 5.0, 0.0)).norm();
        assert!(distance <= 1.0 + 1e-6, "{distance} at {}", report.time);
    }
    assert!((position(&s, "bob") - Vector3::new(0.0, 4.0, 0.0)).norm() <= 1e-6, "{}", position(&s, "bob"));
    assert!(s.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", s.state.v);
}

#[test]
fn the_order_in_which_looped_bodies_and_closures_are_written_changes_no_bit() {
    let rod = rod(0.2, 0.1, "z");
    let body = |name: &str, x: f64| {
        format!(
            r#"<body name="{name}" pos="{x} 0 0"><freejoint/>{rod}<geom type="sphere" size="0.02" pos="0 0 -0.1" mass="0.1"/>
            <site name="{name}1" zaxis="0 1 0"/><site name="{name}2" pos="0.1 0 0" zaxis="0 1 0"/></body>"#
        )
    };
    let hash = |order: [usize; 3], loops: [usize; 3]| {
        let bodies: String = order.iter().map(|&i| body(["a", "b", "c"][i], 0.1 * i as f64)).collect();
        let all = [
            r#"<text name="stiction:closure:p" data="hinge ground a1 damping=0.02 armature=0.01"/>"#,
            r#"<text name="stiction:closure:q" data="hinge a2 b1 stiffness=0.3 frictionloss=0.001"/>"#,
            r#"<text name="stiction:closure:r" data="universal b2 c1"/>"#,
        ];
        let loops: String = loops.iter().map(|&i| all[i]).collect();
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.002"/><custom>{loops}</custom><worldbody><site name="ground" zaxis="0 1 0"/>
            <geom type="plane" size="9 9 1" pos="0 0 -0.25"/>{bodies}</worldbody></mujoco>"#
        ));
        for _ in 0..500 {
            let _ = s.step().unwrap();
        }
        s.state_hash()
    };
    let first = hash([0, 1, 2], [0, 1, 2]);
    assert_eq!(first, hash([2, 0, 1], [1, 0, 2]));
    assert_eq!(first, hash([1, 2, 0], [2, 1, 0]));
}

#[test]
fn scenes_have_closures_of_every_kind_and_drives_and_couplings_on_their_joints() {
    for (kind, rows) in [
        ("weld", 6),
        ("hinge", 5),
        ("slide", 5),
        ("universal", 4),
        ("cylindrical", 4),
        ("ball", 3),
        ("planar", 3),
    ] {
        let mut s = simulate(&format!(
            r#"<mujoco><default><site pos="0.1 0 0"/></default>
            <custom><text name="stiction:closure:c" data="{kind} base tip"/></custom><worldbody><site name="base"/>
            <body name="b" pos="0.1 0 0"><freejoint/><geom type="sphere" size="0.1"/><frame euler="0 0 0"><site name="tip" pos="0 0 0"/>
            </frame></body></worldbody></mujoco>"#
        ));
        let found = s.mobility().unwrap();
        assert_eq!((found.rows, found.rank), (rows, rows), "{kind}");
        assert!(s.assemble().unwrap().before < 1e-15, "{kind}");
        let report = s.step().unwrap();
        assert!(report.certificate.bilateral < 1e-13, "{kind}");
    }
    // The pin of the four-bar turns the rocker through a gear: a coupling and a tendon know it by name.
    let rest = r#"<tendon><fixed name="t" stiffness="0.1"><joint joint="pin" coef="1"/></fixed></tendon>
        <equality><joint joint1="pin" joint2="a" polycoef="0 1"/></equality><actuator><motor tendon="t"/></actuator>"#;
    let mut s = simulate(&four_bar("", rest));
    // The coupling says what the parallelogram does anyway.
    let found = s.mobility().unwrap();
    assert_eq!((found.rows, found.mobility()), (6, 1));
    s.state.ctrl[0] = 0.1;
    run(&mut s, 0.5, |s, report| {
        assert!(report.certificate.bilateral < 1e-12);
        assert!((s.state.loop_q[0] - s.state.q[0]).abs() < 1e-10);
    });
    assert!(s.state.q[0].abs() > 1e-3);
}

/// Boxes in empty space that overlap where a hinge holds them to each other, whatever its angle.
fn wedged() -> impl Iterator<Item = String> {
    let boxes = [
        [".07 .06 .04", "2.20 -2.96 0.02", ".11 .04 .08", "0.01 0 0.05", "-2.75 -0.73 1.22"],
        [".07 .08 .11", "-0.21 0.05 0.52", ".05 .08 .09", "0.03 0 0.05", "-2.44 -1.18 -2.46"],
        [".06 .11 .11", "-1.72 2.23 0.82", ".03 .12 .05", "-0.02 0 0.05", "-0.46 0.53 -2.25"],
    ];
    boxes.into_iter().map(|[size_a, turn_a, size_b, place_b, turn_b]| {
        format!(
            r#"<mujoco><compiler angle="radian"/><option timestep="0.004" gravity="0 0 0"/><worldbody>
            <body name="a"><freejoint/><geom type="box" size="{size_a}" mass="2"/><site name="a" pos="0.05 0 0.05" euler="{turn_a}"/></body>
            <body name="b" pos="0.2 0 0"><freejoint/><geom type="box" size="{size_b}" mass="1"/><site name="b" pos="{place_b}" euler="{turn_b}"/></body>
            </worldbody><custom><text name="stiction:closure:tie" data="hinge a b range=-0.1,0.1"/></custom></mujoco>"#
        )
    })
}

#[test]
fn overlap_that_cannot_be_removed_adds_no_turn_to_the_joint_of_a_loop() {
    for text in wedged() {
        // The removal of overlap throws the bodies about and puts them back.
        let mut s = simulate(&text);
        s.step().unwrap();
        let mut angle = s.state.loop_q[0];
        for _ in 0..20 {
            let certificate = s.step().unwrap().certificate;
            // Nothing moves but what the removal of overlap turns.
            let turned = (s.state.loop_q[0] - angle).abs();
            assert!(turned <= 2.0 * certificate.projection_angular + 1e-9, "{turned} {certificate:?}");
            angle = s.state.loop_q[0];
        }
    }
}

#[test]
fn baumgartes_stabilisation_sets_nothing_in_motion_where_a_loop_and_overlap_contradict_each_other() {
    for text in wedged() {
        let bias = r#"<numeric name="stiction:baumgarte" data="0.2"/></custom>"#;
        let mut s = simulate(&text.replace("</custom>", bias));
        for _ in 0..30 {
            let report = s.step().unwrap();
            // A fifth of 1e-6 m in a step of 4 ms is 0.05 mm/s.
            assert!(report.kinetic_energy <= 3.0 * 5e-5 * 5e-5, "{report:?}");
        }
    }
}
