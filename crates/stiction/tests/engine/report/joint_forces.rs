//! What joints, welds, drives and tendons transmit: statics by hand, balances of momentum, and one mechanism in other coordinates.

use crate::common::formulations::under_stepper;
use crate::common::trees::Random;
use crate::common::{run, simulate};
use nalgebra::Vector3;
use std::sync::Arc;
use stiction::dynamics::{self, Data};
use stiction::model::TreeId;
use stiction::report::JointForce;
use stiction::scene::mjcf;
use stiction::settings::Stepper;
use stiction::sim::{Settings, Simulation};

const G: f64 = 9.81;

fn force(s: &Simulation, name: &str) -> JointForce {
    *s.transmitted().joints.iter().find(|force| force.name(s.model()) == name).unwrap()
}

fn close(a: Vector3<f64>, b: [f64; 3], tolerance: f64) {
    let b = Vector3::from(b);
    assert!((a - b).amax() <= tolerance, "{a:?} instead of {b:?}");
}

#[test]
fn a_hinge_that_rests_on_its_limit_carries_the_weights_of_its_arm_and_of_the_box_on_it() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002"/><worldbody>
        <body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-45 0" limited="true"/>
          <geom name="arm" type="box" size="0.5 0.1 0.02" pos="0.5 0 0" mass="2"/></body>
        <body name="box" pos="0.8 0.02 1.07"><freejoint/><geom name="box" type="box" size="0.05 0.05 0.05" mass="3"/></body>
        </worldbody></mujoco>"#,
    );
    assert_eq!(s.transmitted().joints, [], "no step was taken");
    run(&mut s, 0.2, |_, _| {});
    let hinge = force(&s, "hinge");
    close(hinge.point, [0.0, 0.0, 1.0], 1e-12);
    close(hinge.force, [0.0, 0.0, 5.0 * G], 1e-8);
    // Moments of the weights about the anchor, the other way round: x cross -z is +y.
    close(hinge.moment, [3.0 * G * 0.02, -(2.0 * 0.5 + 3.0 * 0.8) * G, 0.0], 1e-8);
    s.state.v[0] = 0.1;
    s.forget_warm_start();
    s.step().unwrap();
    s.start_over().unwrap();
    assert_eq!(s.transmitted().joints, [], "what is forgotten is not told");
}

#[test]
fn the_root_of_a_free_pendulum_gives_the_change_of_momentum_to_second_order() {
    let error = |h: f64| {
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="{h}"/><worldbody><body name="a" pos="0 0 2">
            <joint name="first" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0" mass="1"/>
            <body name="b" pos="0.5 0 0"><joint name="second" axis="1 2 0"/>
              <geom type="capsule" size="0.02" fromto="0 0 0 0.1 0.1 -0.4" mass="0.7"/></body></body></worldbody></mujoco>"#
        ));
        s.state.v.copy_from_slice(&[1.0, -2.0]);
        let momentum = |s: &Simulation| {
            let mut data = Data::new(s.model());
            dynamics::forward_kinematics_all(s.model(), &mut data, &s.state.q, &s.state.v);
            let tree = TreeId::all(&s.model().trees).next().unwrap();
            dynamics::linear_momentum(s.model(), &data, tree)
        };
        let mut worst = 0.0f64;
        let mut before = momentum(&s);
        for _ in 0..(0.5 / h) as usize {
            s.step().unwrap();
            let after = momentum(&s);
            let mean = (after - before) / h + Vector3::z() * 1.7 * G;
            worst = worst.max((force(&s, "first").force - mean).amax());
            before = after;
        }
        worst
    };
    let [coarse, fine] = [4e-3, 2e-3].map(error);
    assert!(coarse < 0.02 && coarse / fine > 3.6, "{coarse} {fine}");
}

/// The most by which what an axis carries is off from what its drive gives (by one more than the drive's force), of an arm on stiff drives in the
/// steps in which it touches the floor.
fn worst_axis(stepper: Stepper) -> f64 {
    let mut s = under_stepper(
        stepper,
        r#"<mujoco><option timestep="0.005"/><worldbody><geom name="floor" type="plane" size="9 9 1"/>
        <body name="a" pos="0 0 0.4"><joint name="first" axis="0 1 0"/><joint name="tilt" axis="1 0 0"/>
          <geom name="a" type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="1"/>
        <body name="b" pos="0.4 0 0"><joint name="second" axis="0 1 0"/>
          <geom name="b" type="capsule" size="0.03" fromto="0 0 0 0.4 0 -0.1" mass="0.7"/></body></body></worldbody>
        <actuator><position name="servo" joint="first" kp="300" kv="5"/><motor name="motor" joint="tilt" gear="3"/>
          <velocity name="speed" joint="second" kv="40" gear="2"/></actuator></mujoco>"#,
    );
    s.state.ctrl.copy_from_slice(&[0.3, 0.4, -1.0]);
    let (mut touched, mut worst) = (0, 0.0_f64);
    let mut before = s.state.q.clone();
    run(&mut s, 1.0, |s, report| {
        let start = std::mem::replace(&mut before, s.state.q.clone());
        if report.contacts == 0 {
            return;
        }
        touched += 1;
        let drives = s.transmitted().actuators;
        let (model, mut data) = (s.model(), Data::new(s.model()));
        // The axes at the poses of the step's beginning: the body's own, as the moments are about the anchor.
        dynamics::forward_kinematics_all(model, &mut data, &start, &s.state.v);
        for (k, name) in ["first", "tilt", "second"].into_iter().enumerate() {
            let along = data.dof_axis[k].angular.dot(&force(s, name).moment);
            let drive = drives[k] * [1.0, 3.0, 2.0][k];
            worst = worst.max((along - drive).abs() / (1.0 + drive.abs()));
        }
        assert!((drives[1] - 0.4).abs() < 1e-15);
    });
    assert!(touched > 50);
    worst
}

#[test]
fn under_the_contact_rule_an_axis_carries_what_its_drive_gives_to_rounding() {
    let worst = worst_axis(Stepper::TimeStepping);
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn under_impulses_at_both_ends_a_stiff_axis_carries_what_its_drive_gives_but_for_the_turn_of_a_step() {
    let worst = worst_axis(Stepper::Rattle);
    assert!(worst < 1e-2, "{worst}");
}

/// A chain of four bodies on random joints, each with a drive of its own where it has one axis.
fn chain(random: &mut Random) -> String {
    let mut open = String::new();
    let mut drives = String::new();
    for i in 0..4 {
        let [axis, at, to] = [0, 1, 2].map(|_| {
            let x = random.vector();
            format!("{} {} {}", x.x, x.y, x.z)
        });
        let joint = match random.below(3) {
            0 => format!(r#"<joint name="j{i}" type="ball" damping="0.1"/>"#),
            kind => {
                drives += &format!(r#"<motor joint="j{i}" gear="2"/>"#);
                let kind = ["hinge", "slide"][kind - 1];
                format!(r#"<joint name="j{i}" type="{kind}" axis="{axis}" stiffness="3" damping="0.2"/>"#)
            }
        };
        open += &format!(
            r#"<body name="b{i}" pos="{at}">{joint}<geom type="capsule" size="0.1" fromto="0 0 0 {to}" mass="{}"/>"#,
            random.between(0.5, 2.0)
        );
    }
    format!(
        "<mujoco><worldbody>{open}{}</worldbody><actuator>{drives}</actuator></mujoco>",
        "</body>".repeat(4)
    )
}

#[test]
fn a_mechanism_transmits_the_same_in_redundant_coordinates() {
    for seed in 0..6 {
        let mut random = Random(seed);
        let model = mjcf::parse(&chain(&mut random), "chain.xml").unwrap().model;
        let v = random.vec(model.nv());
        let compare = |h: f64| {
            let settings = || Settings { timestep: Some(h), ..Settings::default() };
            let mut tree = Simulation::new(Arc::new(model.clone()), settings()).unwrap();
            let mut bodies = Simulation::new(Arc::new(model.redundant().unwrap()), settings()).unwrap();
            tree.state.v.copy_from_slice(&v);
            let (q0, v0, loops) = dynamics::redundant_state(&model, &tree.state.q, &v, &[]);
            bodies.state.q.copy_from_slice(&q0);
            bodies.state.v.copy_from_slice(&v0);
            bodies.state.loop_q.copy_from_slice(&loops);
            for s in [&mut tree, &mut bodies] {
                s.state.ctrl.fill(0.7);
            }
            tree.step().unwrap();
            bodies.step().unwrap();
            let other = bodies.transmitted().joints;
            let mut worst = 0.0f64;
            let mut size = 0.0f64;
            for joint in tree.transmitted().joints {
                let name = joint.name(&model);
                let same = other.iter().find(|force| force.name(bodies.model()) == name).unwrap();
                let moment = same.moment + (same.point - joint.point).cross(&same.force);
                worst = worst.max((joint.force - same.force).amax()).max((joint.moment - moment).amax());
                size = size.max(joint.force.amax()).max(joint.moment.amax());
            }
            worst / size
        };
        let [coarse, fine] = [1e-3, 1e-4].map(compare);
        assert!(fine < 2e-2 && fine < 0.2 * coarse + 1e-9, "seed {seed}: {coarse} {fine}");
    }
}

#[test]
fn a_four_bar_transmits_the_same_wherever_its_loop_is_cut() {
    let bar = |cut: bool| {
        let rod = |to: &str| format!(r#"<geom type="capsule" size="0.01" fromto="0 0 0 {to}" mass="0.5"/>"#);
        let (crank, coupler, rocker) = (rod("0 0 -0.1"), rod("0.3 0 0"), rod("0 0 -0.1"));
        let rest = if cut {
            // The coupler hangs on the rocker, and the loop is closed at the crank.
            format!(
                r#"<body name="crank"><joint name="a" axis="0 1 0"/>{crank}<site name="s1" pos="0 0 -0.1" zaxis="0 1 0"/></body>
                <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{rocker}
                <body name="coupler" pos="-0.3 0 -0.1"><joint name="pin" pos="0.3 0 0" axis="0 1 0"/>{coupler}
                <site name="s2" zaxis="0 1 0"/></body></body>"#
            )
        } else {
            format!(
                r#"<body name="crank"><joint name="a" axis="0 1 0"/>{crank}
                <body name="coupler" pos="0 0 -0.1"><joint name="b" axis="0 1 0"/>{coupler}<site name="s1" pos="0.3 0 0" zaxis="0 1 0"/></body></body>
                <body name="rocker" pos="0.3 0 0"><joint name="c" axis="0 1 0"/>{rocker}<site name="s2" pos="0 0 -0.1" zaxis="0 1 0"/></body>"#
            )
        };
        let name = if cut { "b" } else { "pin" };
        let mut s = simulate(&format!(
            r#"<mujoco><option timestep="0.001"/><custom><text name="stiction:closure:{name}" data="hinge s1 s2"/></custom>
            <worldbody>{rest}</worldbody><actuator><motor joint="a"/></actuator></mujoco>"#
        ));
        s.state.ctrl[0] = 0.4;
        run(&mut s, 0.3, |_, _| {});
        s
    };
    let [one, other] = [bar(false), bar(true)];
    for name in ["a", "b", "c", "pin"] {
        let [f, g] = [&one, &other].map(|s| force(s, name));
        // In one of the two the pin acts on the other of its bodies.
        let sign = if name == "pin" { -1.0 } else { 1.0 };
        assert!((f.force.xz() - g.force.xz() * sign).amax() < 1e-4, "{name}: {:?} {:?}", f.force, g.force);
        let along = if name == "a" { 0.4 } else { 0.0 };
        for moment in [f.moment.y, g.moment.y] {
            assert!((moment - along).abs() < 1e-4, "{name}: {moment} along its axis");
        }
        assert!(f.force.amax() > 1.0);
    }
}

#[test]
fn a_weld_carries_the_weight_of_what_hangs_on_it_and_its_moment() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002"/><worldbody><body name="b" pos="0 0 1"><freejoint/>
        <geom type="box" size="0.1 0.1 0.1" pos="0.3 0 0" mass="2"/></body></worldbody>
        <equality><weld name="weld" body1="b"/></equality></mujoco>"#,
    );
    run(&mut s, 0.1, |_, _| {});
    // The world is the second of the two.
    let weld = force(&s, "weld");
    close(weld.force, [0.0, 0.0, -2.0 * G], 1e-8);
    let about_body = weld.moment + (weld.point - Vector3::new(0.0, 0.0, 1.0)).cross(&weld.force);
    close(about_body, [0.0, 2.0 * G * 0.3, 0.0], 1e-7);
}

#[test]
fn a_cable_and_a_hinge_share_the_weight_of_a_rod() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002"/><worldbody><site name="up" pos="1 0 2"/>
        <body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 1 0 0" mass="4"/><site name="tip" pos="1 0 0"/></body></worldbody>
        <tendon><spatial name="rope" limited="true" range="0 1"><site site="up"/><site site="tip"/></spatial></tendon></mujoco>"#,
    );
    run(&mut s, 0.1, |_, _| {});
    let hinge = force(&s, "hinge");
    close(hinge.force, [0.0, 0.0, 2.0 * G], 1e-6);
    close(hinge.moment, [0.0, 0.0, 0.0], 1e-6);
}

#[test]
fn a_tendon_that_carries_a_weight_pulls_by_it() {
    let mut s = simulate(
        r#"<mujoco><option timestep="0.002"/><worldbody><body name="b"><joint name="slide" type="slide" axis="0 0 1"/>
        <geom type="sphere" size="0.1" mass="2"/></body></worldbody>
        <tendon><fixed name="spring" stiffness="100" springlength="0.5"><joint joint="slide" coef="1"/></fixed></tendon>
        </mujoco>"#,
    );
    s.state.q[0] = 0.5 - 2.0 * G / 100.0;
    run(&mut s, 0.1, |s, _| {
        // It is shorter than at rest, and pushes.
        let tension = s.transmitted().tendons[0];
        assert!((tension + 2.0 * G).abs() < 1e-9, "{tension}");
        close(force(s, "slide").force, [0.0, 0.0, 2.0 * G], 1e-9);
    });
}
