//! Redundant coordinates: every body free, every joint a constraint, and the same motion.

use crate::common::{shipped, simulate};
use nalgebra::Vector3;
use std::sync::Arc;
use stiction::model::{Base, EqualityKind, GeomId, Model, Transmission};
use stiction::scene::mjcf;
use stiction::sim::{Settings, Simulation};

/// A scene in minimal and in redundant coordinates, both at the keyframe `start` if there is one.
fn both(text: &str) -> [Simulation; 2] {
    let minimal = simulate(text);
    let model = Arc::new(minimal.model().redundant().unwrap());
    let mut redundant = Simulation::new(model.clone(), minimal.settings().clone()).unwrap();
    if let Some(key) = model.keyframe(Simulation::START) {
        redundant.reset_to(key).unwrap();
    }
    [minimal, redundant]
}

/// Puts both at a configuration and a velocity of the minimal coordinates.
fn start([minimal, redundant]: &mut [Simulation; 2], q: &[f64], v: &[f64]) {
    let (free_q, free_v, loop_q) =
        stiction::dynamics::redundant_state(minimal.model(), q, v, &minimal.state.loop_q);
    minimal.state.q.copy_from_slice(q);
    minimal.state.v.copy_from_slice(v);
    (redundant.state.q, redundant.state.v, redundant.state.loop_q) =
        (free_q.into(), free_v.into(), loop_q.into());
}

/// Position of the centre of mass of a body in the world, at the poses of the last step's end.
fn center(s: &Simulation, body: usize) -> Vector3<f64> {
    let body = &s.model().bodies[body];
    match body.base {
        Base::Link(link) => s.data().link_pose[link.index()].point(&body.pose.point(&body.center_of_mass)),
        _ => body.pose.point(&body.center_of_mass),
    }
}

/// Largest distance of a body's centre between the two, and the worst joint error, over a time; both certified.
fn apart(pair: &mut [Simulation; 2], duration: f64) -> (f64, f64) {
    let steps = (duration / pair[0].timestep()).round() as usize;
    let (mut distance, mut error) = (0.0f64, 0.0f64);
    for _ in 0..steps {
        let [minimal, redundant] = pair;
        let (a, b) = (minimal.step().unwrap(), redundant.step().unwrap());
        assert!(a.solved() && b.solved(), "{a:?} {b:?}");
        error = error.max(b.certificate.bilateral);
        for body in 1..minimal.model().bodies.len() {
            distance = distance.max((center(minimal, body) - center(redundant, body)).norm());
        }
    }
    (distance, error)
}

/// What names, masses and rules of contact a model has.
fn same_scene(a: &Model, b: &Model) {
    let names = |m: &Model| m.bodies.iter().map(|body| (body.name.clone(), body.parent)).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    for first in GeomId::all(&a.geoms) {
        assert_eq!(a.geoms[first].name, b.geoms[first].name);
        for second in GeomId::all(&a.geoms) {
            if first != second {
                assert_eq!(a.may_collide(first, second), b.may_collide(first, second));
                assert_eq!(a.pair_law(first, second), b.pair_law(first, second));
            }
        }
    }
    for link in &a.links {
        assert!(b.joint(&link.name).is_some() || b.loop_joint(&link.name).is_some(), "{}", link.name);
    }
}

#[test]
fn every_moving_body_gets_six_coordinates_and_every_joint_its_rows_and_names_and_contacts_stay() {
    for scene in ["pendulum12", "grasp", "humanoid", "pendulum", "belt"] {
        let minimal = simulate(&shipped(scene)).model().clone();
        let redundant = minimal.redundant().unwrap();
        same_scene(&minimal, &redundant);
        let moving = redundant.links.len();
        assert_eq!((redundant.nv(), redundant.trees.len()), (6 * moving, moving), "{scene}");
        let freedoms: usize = redundant.loop_joints.iter().map(|joint| joint.kind.nv()).sum();
        let closures =
            redundant.equalities.iter().filter(|e| matches!(e.kind, EqualityKind::Closure(_))).count();
        assert_eq!(6 * moving - (6 * closures - freedoms), minimal.nv(), "{scene}");
        assert!((minimal.total_mass() - redundant.total_mass()).abs() == 0.0);
    }
}

#[test]
fn the_twelve_link_pendulum_flies_the_same_before_it_hits_the_floor() {
    let mut pair = both(&shipped("pendulum12"));
    let (distance, error) = apart(&mut pair, 0.13);
    assert!(distance <= 1e-10, "{distance:e}");
    assert!(error <= 1e-12, "{error:e}");
}

#[test]
fn joints_of_the_pendulum_stay_closed_for_ten_seconds_of_impacts() {
    let mut redundant = both(&shipped("pendulum12")).into_iter().nth(1).unwrap();
    let (mut error, mut gain) = (0.0f64, 0.0f64);
    for _ in 0..10_000 {
        let report = redundant.step().unwrap();
        assert!(report.solved(), "{report:?}");
        error = error.max(report.certificate.bilateral);
        if report.contacts == 0 {
            gain = gain.max(report.certificate.energy_change);
        }
    }
    assert!(error <= 1e-8, "{error:e}");
    assert!(gain <= 1e-6, "{gain:e}");
}

#[test]
fn a_ball_on_a_rod_keeps_the_square_of_its_restitution_in_both_coordinates() {
    let scene = r#"<mujoco><option timestep="0.001"/><custom><numeric name="stiction:restitution" data="0.7"/></custom>
        <worldbody><geom name="floor" type="plane" size="5 5 1" condim="1"/>
        <body name="rod" pos="0 0 1"><joint axis="0 1 0"/>
        <geom name="ball" type="sphere" pos="1 0 0" size="0.1" mass="1" condim="1"/></body></worldbody></mujoco>"#;
    for s in &mut both(scene) {
        // It falls 0.9 m, until its lowest point is on the floor.
        let mut bounces = 0;
        while bounces == 0 && s.state.time < 1.0 {
            bounces = s.step().unwrap().bounces;
        }
        let report = s.step().unwrap();
        let left = report.energy - 9.81 * 0.1;
        assert!((left / (0.49 * 9.81 * 0.9) - 1.0).abs() < 5e-3, "{left} J of {} J", 9.81 * 0.9);
        assert!(report.certificate.bilateral <= 1e-8, "{report:?}");
    }
}

#[test]
fn a_grasp_holds_the_same_in_both_coordinates() {
    let mut pair = both(&shipped("grasp"));
    let (distance, error) = apart(&mut pair, 1.0);
    assert!(distance <= 1e-9 && error <= 1e-12, "{distance:e} {error:e}");
}

#[test]
fn a_humanoid_falls_the_same_until_it_lands() {
    let mut pair = both(&shipped("humanoid"));
    let (distance, error) = apart(&mut pair, 0.2);
    assert!(distance <= 1e-3, "{distance:e}");
    assert!(error <= 1e-12, "{error:e}");
}

/// A mechanism with everything a joint may have: an arm of three links, one on two hinges, with a rotor, springs, dampers, dry
/// friction, servos, limits, a gear and a tendon.
fn arm(timestep: f64, smooth: bool) -> String {
    let rough = if smooth { "" } else { r#" frictionloss="0.05""# };
    let limit = if smooth { "" } else { r#" limited="true" range="-0.3 0.3""# };
    let damping = if smooth { "0.002" } else { "0.4" };
    format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="{timestep}"/><worldbody>
        <body name="a" pos="0 0 1"><joint name="a" axis="0 1 0" armature="0.05" damping="{damping}"/>
          <inertial pos="0.2 0.02 0" mass="1" diaginertia="0.004 0.01 0.01"/>
          <body name="b" pos="0.4 0 0"><joint name="b1" axis="0 0 1" stiffness="3" springref="0.2"{rough}/>
            <joint name="b2" axis="0 1 0" pos="0.02 0 0.01" armature="0.01"{limit}/>
            <inertial pos="0.15 0 0.01" mass="0.5" diaginertia="0.002 0.003 0.004"/>
            <body name="c" pos="0.3 0 0"><joint name="c" type="slide" axis="1 0 0.2" stiffness="40"/>
              <inertial pos="0.05 0 0" mass="0.3" diaginertia="0.001 0.001 0.001"/>
              <body name="d" pos="0.1 0 0"><joint name="d" type="ball" stiffness="0.5" damping="{damping}"/>
                <inertial pos="0 0 -0.1" mass="0.2" diaginertia="0.001 0.002 0.001"/></body></body></body></body>
        <body name="e" pos="0 1 0"><joint name="e" axis="1 0 0" armature="0.02"/>
          <inertial pos="0 0.1 0" mass="0.4" diaginertia="0.001 0.001 0.001"/></body></worldbody>
        <tendon><fixed name="t" stiffness="5" springlength="0"><joint joint="a" coef="1"/><joint joint="b2" coef="-0.5"/>
        </fixed></tendon>
        <equality><joint name="gear" joint1="e" joint2="a" polycoef="0 -0.7 0.1 0 0"/></equality>
        <actuator><motor name="m" joint="a" gear="2"/><position name="p" joint="b2" kp="2"/>
        <motor name="n" joint="d" gear="0.3 0.1 -0.2"/></actuator></mujoco>"#
    )
}

const ARM_Q: [f64; 9] = [0.3, -0.2, 0.15, 0.02, 0.98, 0.1, -0.1, 0.15, 0.0];

/// The arm's start: away from rest, on its gear.
fn raise(pair: &mut [Simulation; 2]) {
    let mut q = ARM_Q;
    let norm = q[4..8].iter().map(|x| x * x).sum::<f64>().sqrt();
    q[4..8].iter_mut().for_each(|x| *x /= norm);
    q[8] = -0.7 * q[0] + 0.1 * q[0] * q[0];
    let mut v = [0.5, -1.0, 0.7, 0.1, 1.0, -2.0, 0.5, 0.0];
    v[7] = (-0.7 + 0.2 * q[0]) * v[0];
    start(pair, &q, &v);
    for s in pair.iter_mut() {
        s.state.ctrl.copy_from_slice(&[0.4, 0.1, 0.2]);
    }
}

#[test]
fn springs_rotors_drives_gears_and_tendons_act_alike_in_both_coordinates() {
    // Without friction and limits both follow the Runge-Kutta rule: the same equations, so the same motion to its error.
    let mut pair = both(&arm(5e-4, true));
    raise(&mut pair);
    let energy = pair[0].step().unwrap().energy - pair[1].step().unwrap().energy;
    assert!(energy.abs() < 1e-10, "{energy:e}");
    let (distance, error) = apart(&mut pair, 1.0);
    assert!(distance <= 1e-8, "{distance:e}");
    assert!(error <= 1e-12, "{error:e}");
}

#[test]
fn both_coordinates_converge_to_each_other_with_friction_and_limits() {
    let distances = [4e-4, 1e-4].map(|h| {
        let mut pair = both(&arm(h, false));
        raise(&mut pair);
        apart(&mut pair, 0.4).0
    });
    assert!(distances[1] <= 0.4 * distances[0] && distances[1] <= 2e-3, "{distances:?}");
}

#[test]
fn references_follow_their_joints() {
    let [minimal, redundant] = both(&arm(1e-3, true));
    let model = redundant.model();
    let name = |transmission| match transmission {
        Transmission::Loop(joint) => model.loop_joints[joint].name.as_str(),
        _ => "",
    };
    let driven: Vec<&str> = model.actuators.iter().map(|actuator| name(actuator.transmission)).collect();
    assert_eq!(driven, ["a", "b2", "d"]);
    for (a, b) in minimal.model().tendons.iter().zip(&model.tendons) {
        let q: Vec<f64> = (0..minimal.model().nq()).map(|i| 0.1 * i as f64).collect();
        let (free, _, loops) =
            stiction::dynamics::redundant_state(minimal.model(), &q, &minimal.state.v, &[]);
        assert_eq!(a.path.value(&q), b.path.value(&[free, loops].concat()));
    }
}

/// A crank on a motor with rotor inertia, twice: alone on a hinge, and on a free body with a closure.
#[test]
fn a_rotor_gives_a_joint_its_inertia_exactly() {
    let text = r#"<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="wheel">
        <joint name="axle" axis="0 0 1" armature="0.3"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.2"/>
        </body></worldbody><actuator><motor joint="axle"/></actuator></mujoco>"#;
    let [_, mut s] = both(text);
    s.state.ctrl[0] = 2.0;
    for _ in 0..300 {
        let _ = s.step().unwrap();
    }
    // 2 N m on 0.5 kg m^2 for 3 s: 12 rad/s, 18 rad, which is almost three turns.
    assert!((s.state.v[5] - 12.0).abs() < 1e-10, "{}", s.state.v[5]);
    assert!((s.state.loop_q[0] - 18.0).abs() < 1e-9, "{:?}", s.state.loop_q);
}

#[test]
fn what_cannot_be_free_is_refused_by_name() {
    let text = r#"<mujoco><option timestep="0.01"/><worldbody><body name="bob"><joint axis="0 1 0"/>
        <inertial pos="1 0 0" mass="1" diaginertia="0 0 0"/></body></worldbody></mujoco>"#;
    let error = mjcf::parse(text, "t.xml").unwrap().model.redundant().unwrap_err();
    assert!(error.to_string().contains("body `bob`"), "{error}");
}

#[test]
fn a_snapshot_in_redundant_coordinates_continues_with_the_same_bits() {
    let [_, mut s] = both(&shipped("pendulum12"));
    for _ in 0..200 {
        let _ = s.step().unwrap();
    }
    let stored = s.snapshot().to_bytes().unwrap();
    let mut other = Simulation::new(s.model().clone(), Settings::default()).unwrap();
    other.restore(&stiction::sim::Snapshot::from_bytes(&stored).unwrap()).unwrap();
    for _ in 0..100 {
        let _ = s.step().unwrap();
        let _ = other.step().unwrap();
        assert_eq!(s.state_hash(), other.state_hash());
        assert_eq!(s.state.loop_q, other.state.loop_q);
    }
}

#[test]
fn a_heavy_body_hangs_and_swings_on_a_ball_joint_alike_in_both_coordinates() {
    // F15: centre 1 m below the joint; released at 30 degrees it passes the bottom with sqrt(2 g (1 - cos 30)).
    for (mass, inertia) in [(500.0, 1e-6), (1000.0, 1e-6), (1e6, 1e-3), (1e6, 1e-6)] {
        let text = format!(
            r#"<mujoco><option timestep="0.001"/><worldbody><body name="bob"><joint type="ball"/>
            <inertial pos="0 0 -1" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/></body></worldbody></mujoco>"#
        );
        let mut pair = both(&text);
        let (distance, error) = apart(&mut pair, 0.1);
        assert!(distance <= 1e-9 && error <= 1e-9, "{distance:e} {error:e}");
        let half = 15f64.to_radians();
        start(&mut pair, &[half.cos(), 0.0, half.sin(), 0.0], &[0.0; 3]);
        let mut fastest = [0.0f64; 2];
        for _ in 0..1000 {
            for (s, fastest) in pair.iter_mut().zip(&mut fastest) {
                let report = s.step().unwrap();
                assert!(report.certificate.bilateral <= 1e-9);
                *fastest = fastest.max((2.0 * report.kinetic_energy / mass).sqrt());
            }
        }
        for speed in fastest {
            assert!((speed / 1.6213 - 1.0).abs() < 5e-4, "{fastest:?}");
        }
    }
}

#[test]
fn a_pendulum_that_bounces_keeps_its_joints_and_bounces_the_same_in_both_coordinates() {
    // Two links of a metre fall on the floor and bounce with a coefficient of 0.7.
    let scene = r#"<mujoco><option timestep="TIMESTEP"/><custom><numeric name="stiction:restitution" data="0.7"/></custom>
        <default><joint axis="0 1 0"/><geom type="sphere" size=".25" mass="1" pos="0 0 -1" friction="0.5"/></default>
        <worldbody><geom name="floor" type="plane" size="5 5 1"/><body name="a" pos="0 0 2"><joint/><geom/>
        <body name="b" pos="0 0 -1"><joint/><geom/></body></body></worldbody>
        <keyframe><key name="start" qpos="1.2 0.3"/></keyframe></mujoco>"#;
    let mut distances = Vec::new();
    for timestep in ["0.001", "0.00025"] {
        let mut pair = both(&scene.replace("TIMESTEP", timestep));
        let (distance, error) = apart(&mut pair, 1.0);
        assert!(error <= 1e-10, "{error:e}");
        distances.push(distance);
    }
    assert!(distances[0] < 0.02 && distances[1] < 0.5 * distances[0], "{distances:?}");
}

#[test]
fn a_four_bar_swings_the_same_with_every_bar_free_and_its_joints_stay_closed() {
    let rod = |along: &str| match along {
        "x" => r#"<inertial pos="0.15 0 0" mass="0.6" diaginertia="1e-6 0.0045 0.0045"/>"#,
        _ => r#"<inertial pos="0 0 -0.05" mass="0.2" diaginertia="1.7e-4 1.7e-4 1e-6"/>"#,
    };
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.001"/>
        <custom><text name="stiction:closure:pin" data="hinge far end"/></custom><worldbody>
        <body name="crank"><joint name="a" axis="0 1 0"/>{}<body name="coupler" pos="0 0 -0.1"><joint name="b" axis="0 1 0"/>{}
        <site name="far" pos="0.3 0 0" zaxis="0 1 0"/></body></body>
        <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{}<site name="end" pos="0 0 -0.1" zaxis="0 1 0"/></body>
        </worldbody></mujoco>"#,
        rod("z"),
        rod("x"),
        rod("z")
    );
    let mut pair = both(&text);
    start(&mut pair, &[1.0, -1.0, 1.0], &[0.0; 3]);
    let before = pair[1].step().unwrap().energy;
    let _ = pair[0].step().unwrap();
    let (distance, error) = apart(&mut pair, 10.0);
    assert!(distance <= 1e-6, "{distance:e}");
    assert!(error <= 1e-12, "{error:e}");
    let after = pair[1].step().unwrap().energy;
    assert!((after - before).abs() <= 1e-7, "{:e}", after - before);
}

#[test]
#[ignore = "slow: takes some seconds"]
fn the_projection_adds_no_energy_to_a_chain_that_nothing_touches() {
    // The pendulum without floor and wall: ten seconds of chaos, free of contact.
    let text = shipped("pendulum12")
        .replace(r#"<geom name="floor""#, r#"<geom name="floor" contype="0" conaffinity="0""#)
        .replace(r#"<geom name="wall""#, r#"<geom name="wall" contype="0" conaffinity="0""#)
        .replace(r#"mass="1""#, r#"mass="1" contype="0" conaffinity="0""#);
    let mut s = both(&text).into_iter().nth(1).unwrap();
    let start = s.step().unwrap().energy;
    let (mut error, mut worst) = (0.0f64, 0.0f64);
    for _ in 0..10_000 {
        let report = s.step().unwrap();
        assert_eq!(report.contacts, 0);
        error = error.max(report.certificate.bilateral);
        worst = worst.max(report.energy - start);
    }
    assert!(error <= 1e-8, "{error:e}");
    assert!(worst <= 1e-3, "{worst:e}");
}

#[test]
fn a_cable_holds_an_arm_at_the_same_height_in_both_coordinates() {
    let text = r#"<mujoco><option timestep="0.001"/><worldbody><site name="hook" pos="0.3 0 1"/>
        <body name="arm" pos="0 0 0.5"><joint name="j" axis="0 1 0" pos="-0.1 0 0"/>
        <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/><site name="eye" pos="0.4 0 0.05"/></body></worldbody>
        <tendon><spatial name="rope" range="0 0.6"><site site="hook"/><site site="eye"/></spatial></tendon></mujoco>"#;
    let mut pair = both(text);
    let (distance, error) = apart(&mut pair, 1.5);
    assert!(distance <= 1e-4 && error <= 1e-12, "{distance:e} {error:e}");
    let tensions =
        pair.each_ref().map(|s| s.limit_forces().find(|limit| limit.name == "rope").unwrap().force);
    assert!(tensions[0] > 1.0 && (tensions[0] / tensions[1] - 1.0).abs() < 1e-6, "{tensions:?}");
}
