//! Impulses at both ends of a step: what sticks stays where it is on whatever moves, nothing passes, energies and momenta are kept.

use crate::common::allocator::count;
use crate::common::formulations::{ACCELERATION, HOLDING};
use crate::common::{pose, pose_in, shift, shipped, speed};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::PI;
use std::sync::Arc;
use stiction::dynamics::{self, Data};
use stiction::model::TreeId;
use stiction::report::StepReport;
use stiction::scene::mjcf;
use stiction::settings::{Options, Stepper};
use stiction::sim::{Settings, Simulation};

fn simulate_by(text: &str, options: &Options) -> Simulation {
    let scene = mjcf::parse(text, "test.xml").unwrap_or_else(|e| panic!("{e}"));
    let options = Options { stepper: Some(Stepper::Rattle), ..options.clone() };
    let settings = Settings::for_scene(&options, &scene.options).unwrap();
    let mut simulation = Simulation::new(Arc::new(scene.model), settings).unwrap();
    simulation.start_over().unwrap();
    simulation
}

fn simulate(text: &str) -> Simulation {
    simulate_by(text, &Options::default())
}

/// Steps for a time; every step is solved, its laws hold and its works add up.
fn run(s: &mut Simulation, duration: f64, mut each: impl FnMut(&Simulation, &StepReport)) {
    for _ in 0..(duration / s.timestep()).round() as usize {
        let report = s.step().unwrap();
        assert!(report.solved(), "step {}: {report:?}", report.step);
        let change = report.certificate.energy_change;
        let size = 1.0 + report.energy.abs() + change.abs();
        assert!((report.work.total() - change).abs() <= 1e-9 * size, "step {}: {report:?}", report.step);
        each(s, &report);
    }
}

fn numbers(x: impl IntoIterator<Item = f64>) -> String {
    x.into_iter().map(|x| format!("{x} ")).collect()
}

fn quaternion(rotation: &Rotation3<f64>) -> [f64; 4] {
    let q = UnitQuaternion::from_rotation_matrix(rotation);
    [q.w, q.i, q.j, q.k]
}

/// A box on a round table that turns about its axis, in a world of lengths `size` turned by `turn`.
struct Turntable {
    size: f64,
    turn: Rotation3<f64>,
    rate: f64,
    radius: f64,
    friction: f64,
    mass: f64,
    timestep: f64,
    /// Of the table's hinge, as a function of time; else it runs freely.
    motion: Option<String>,
}

impl Turntable {
    fn plain(timestep: f64) -> Self {
        let turn = Rotation3::identity();
        Self { size: 1.0, turn, rate: 2.0, radius: 0.3, friction: 0.9, mass: 1.0, timestep, motion: None }
    }

    fn simulate(&self) -> Simulation {
        let tolerance = Some(1e-9 * self.size);
        simulate_by(&self.text(), &Options { overlap_tolerance: tolerance, ..Options::default() })
    }

    fn text(&self) -> String {
        let Self { size, turn, rate, radius, friction, mass, timestep, motion } = self;
        let axis = turn * Vector3::z();
        let gravity = axis * (-9.81 * size);
        let place = turn * Vector3::new(radius * size, 0.0, 0.07 * size);
        let velocity = turn * Vector3::new(0.0, radius * size * rate, 0.0);
        let motion = motion.as_ref().map_or(String::new(), |motion| {
            format!(r#"<custom><text name="stiction:motion:spin" data="{motion}"/></custom>"#)
        });
        format!(
            r#"<mujoco><option timestep="{timestep}" gravity="{}"/>{motion}<worldbody>
            <body name="table" quat="{}"><joint name="spin" type="hinge" axis="0 0 1"/>
            <geom type="cylinder" size="{} {}" mass="10" friction="{friction}"/></body>
            <body name="box" pos="{}" quat="{}"><freejoint/>
            <geom type="box" size="{h} {h} {h}" mass="{mass}" friction="{friction}"/></body></worldbody>
            <keyframe><key name="start" qpos="0 {} {}" qvel="{rate} {} 0 0 {rate}"/></keyframe></mujoco>"#,
            numbers(gravity.iter().copied()),
            numbers(quaternion(turn)),
            0.6 * size,
            0.02 * size,
            numbers(place.iter().copied()),
            numbers(quaternion(turn)),
            numbers(place.iter().copied()),
            numbers(quaternion(turn)),
            numbers(velocity.iter().copied()),
            h = 0.05 * size,
        )
    }
}

#[test]
fn a_box_on_a_table_that_turns_stays_where_it_is_at_every_step_and_scale() {
    for size in [1e-3, 1.0, 1e3] {
        for timestep in [1e-4, 1e-3, 5e-3, 2e-2] {
            let mut s = Turntable { size, ..Turntable::plain(timestep) }.simulate();
            let before = pose_in(&s, "table", "box");
            run(&mut s, (10.0 * PI).min(1000.0 * timestep), |_, _| {});
            let shift = shift(&before, &pose_in(&s, "table", "box"), 0.05 * size);
            assert!(shift <= 1e-9 * size, "size {size}, step {timestep}: {shift:e}");
        }
    }
}

#[test]
fn a_hundred_boxes_on_tables_turned_by_odd_angles_stay_where_they_are() {
    let mut rng = Pcg64::seed_from_u64(17);
    for seed in 0..100 {
        let friction: f64 = rng.random_range(0.2..1.5);
        let radius: f64 = rng.random_range(0.05..0.4);
        // Within four fifths of the cone; where it does not tip over the box's outer edge.
        let most = (0.8 * friction.min(1.0) * 9.81 / radius).sqrt();
        let axis = Vector3::from_fn(|_, _| rng.random_range(-3.0..3.0));
        let timestep = 10f64.powf(rng.random_range(-3.3..-1.7));
        let mut s = Turntable {
            size: 10f64.powf(rng.random_range(-3.0..3.0)),
            turn: Rotation3::from_scaled_axis(axis),
            rate: rng.random_range(0.2..1.0) * most.min(0.5 / timestep),
            radius,
            friction,
            mass: 10f64.powf(rng.random_range(-2.0..2.0)),
            timestep,
            motion: None,
        };
        s.mass = s.mass.min(20.0);
        let size = s.size;
        let mut s = s.simulate();
        let before = pose_in(&s, "table", "box");
        run(&mut s, 200.0 * timestep, |_, _| {});
        let shift = shift(&before, &pose_in(&s, "table", "box"), 0.05 * size);
        assert!(shift <= 1e-9 * size, "seed {seed}: {shift:e} of {size}");
    }
}

#[test]
fn a_table_that_speeds_up_as_a_function_of_time_takes_its_load_along() {
    for timestep in [5e-4, 2e-3, 1e-2, 2e-2] {
        let table =
            Turntable { rate: 0.0, motion: Some("polynomial 0 0 0.5".into()), ..Turntable::plain(timestep) };
        let mut s = table.simulate();
        let before = pose_in(&s, "table", "box");
        run(&mut s, 2.0, |_, _| {});
        let shift = shift(&before, &pose_in(&s, "table", "box"), 0.05);
        assert!(shift <= 1e-9, "step {timestep}: {shift:e}");
        let velocity = Vector3::from_column_slice(&s.state.v[1..4]).norm();
        assert!((velocity - 2.0 * 0.3).abs() <= 1e-9, "step {timestep}: {velocity}");
    }
}

#[test]
fn slipping_begins_at_the_speed_at_which_friction_is_used_up() {
    // mu g = r sqrt(w^4 + a^2) with the angular acceleration a.
    let (mu, radius, acceleration) = (0.5f64, 0.3, 0.5);
    let right = ((mu * 9.81 / radius).powi(2) - acceleration * acceleration).powf(0.25);
    for (timestep, bound) in [(5e-4, 1e-3), (2e-3, 1e-3), (1e-2, 2e-3)] {
        let table = Turntable {
            rate: 0.0,
            friction: mu,
            motion: Some(format!("polynomial 0 0 {}", 0.5 * acceleration)),
            ..Turntable::plain(timestep)
        };
        let mut s = table.simulate();
        let before = pose_in(&s, "table", "box");
        let mut began = None;
        while began.is_none() && s.state.time < 9.0 {
            assert!(s.step().unwrap().solved());
            let slipped = shift(&before, &pose_in(&s, "table", "box"), 0.0) > 1e-8;
            began = Some(s.state.v[0]).filter(|_| slipped);
        }
        let began = began.expect("it slips");
        assert!((began / right - 1.0).abs() <= bound, "step {timestep}: {began} instead of {right}");
    }
}

#[test]
fn what_a_turning_gripper_holds_stays_held() {
    for timestep in [2e-3, 1e-2, 2e-2] {
        let rate = 2.0 * PI;
        let text = format!(
            r#"<mujoco><option timestep="{timestep}"/><worldbody>
            <body name="arm"><joint name="turn" type="hinge" axis="0 0 1"/>
            <geom type="capsule" size=".02" fromto="0 0 0 .25 0 0" mass="2" contype="0" conaffinity="0"/>
            <body pos=".3 .06 0"><joint name="left" type="slide" axis="0 -1 0"/>
            <geom type="box" size=".03 .01 .03" mass=".2"/></body>
            <body pos=".3 -.06 0"><joint name="right" type="slide" axis="0 1 0"/>
            <geom type="box" size=".03 .01 .03" mass=".2"/></body></body>
            <body name="box" pos=".3 0 0"><freejoint/><geom type="box" size=".02 .05 .02" mass=".1"/></body></worldbody>
            <equality><joint joint1="left" joint2="right"/></equality>
            <actuator><motor joint="left"/><motor joint="right"/></actuator>
            <keyframe><key name="start" ctrl="20 20" qpos="0 0 0 .3 0 0 1 0 0 0" qvel="{rate} 0 0 0 {} 0 0 0 {rate}"/></keyframe>
            </mujoco>"#,
            0.3 * rate
        );
        let mut s = simulate(&text);
        let (before, energy) = (pose_in(&s, "arm", "box"), s.step().unwrap().energy);
        let mut last = energy;
        run(&mut s, 3.0, |_, report| last = report.energy);
        let shift = shift(&before, &pose_in(&s, "arm", "box"), 0.05);
        assert!(shift <= 1e-9, "step {timestep}: {shift:e}");
        assert!((last - energy).abs() <= 1e-5, "step {timestep}: {}", last - energy);
    }
}

/// Balls of radius 5 cm in a cube of `n` along each edge, this far apart, 0.3 m over a floor.
fn heap(n: usize, apart: f64, friction: f64, timestep: f64) -> String {
    let place = |i: usize| i as f64 * (0.1 + apart);
    let balls: String = (0..n * n * n)
        .map(|b| {
            let (x, y, z) = (place(b % n), place(b / n % n), 0.35 + place(b / n / n));
            format!(
                r#"<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="0.05" mass="1"/></body>"#
            )
        })
        .collect();
    format!(
        r#"<mujoco><option timestep="{timestep}"/><default><geom friction="{friction}"/></default>
        <worldbody><geom type="plane" size="0 0 1"/>{balls}</worldbody></mujoco>"#
    )
}

#[test]
fn an_elastic_heap_keeps_its_energy_through_all_impacts_of_a_step() {
    let elastic = Options { restitution: Some(1.0), ..Options::default() };
    for (n, apart, friction) in [(2, 0.0, 0.0), (2, 0.001, 0.0), (2, 0.0, 0.5), (3, 0.001, 0.0)] {
        for timestep in [2e-3, 1e-2, 2e-2] {
            let mut s = simulate_by(&heap(n, apart, friction, timestep), &elastic);
            let (mut first, mut last, mut events) = (None, 0.0, 0);
            run(&mut s, 1.0, |_, report| {
                first.get_or_insert(report.energy - report.certificate.energy_change);
                assert!(report.cut_impacts == 0 && report.certificate.penetration <= 1e-9, "{report:?}");
                (last, events) = (report.energy, events + report.events);
            });
            let first = first.unwrap();
            assert!(events >= n, "{n}, {apart}: {events} events");
            assert!(
                (last / first - 1.0).abs() <= 1e-9,
                "{n}, {apart}, {friction}, {timestep}: {last} of {first}"
            );
        }
    }
}

#[test]
fn what_a_heavy_ball_drives_against_a_thin_wall_does_not_pass_it_at_any_speed() {
    for velocity in [1.0, 10.0, 100.0, 1000.0] {
        for timestep in [1e-3, 5e-3, 2e-2] {
            let text = format!(
                r#"<mujoco><option timestep="{timestep}" gravity="0 0 0"/><worldbody>
                <geom type="box" size="0.001 1 1" pos="0.5 0 0"/>
                <body name="heavy"><freejoint/><geom type="sphere" size="0.1" mass="100"/></body>
                <body name="light" pos="0.469 0 0"><freejoint/><geom type="sphere" size="0.01" mass="0.01"/></body>
                </worldbody><keyframe><key name="start" qpos="0 0 0 1 0 0 0 .469 0 0 1 0 0 0"
                qvel="{velocity} 0 0 0 0 0 0 0 0 0 0 0"/></keyframe></mujoco>"#
            );
            let mut s = simulate(&text);
            run(&mut s, 0.6 / velocity + 4.0 * timestep, |_, report| {
                assert!(report.certificate.penetration <= 1e-9, "{report:?}");
                assert!(report.certificate.energy_change <= 1e-9 * report.energy.max(1.0), "{report:?}");
            });
            let [light, heavy] = ["light", "heavy"].map(|body| pose(&s, body).translation.x);
            assert!((light - 0.489).abs() <= 1e-9, "{velocity} m/s, {timestep} s: {light}");
            assert!(
                (heavy - 0.379).abs() <= 1e-9 && speed(&s) <= 1e-9 * velocity,
                "{velocity}, {timestep}: {heavy}"
            );
        }
    }
}

/// Momentum, and angular momentum about the origin, of all trees.
fn momenta(s: &Simulation) -> [Vector3<f64>; 2] {
    let model = s.model();
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &s.state.q, &s.state.v);
    let mut sums = [Vector3::zeros(); 2];
    for tree in TreeId::all(&model.trees) {
        sums[0] += dynamics::linear_momentum(model, &data, tree);
        sums[1] += dynamics::angular_momentum(model, &data, tree);
    }
    sums
}

#[test]
fn a_free_robot_that_a_ball_hits_keeps_all_momenta() {
    for restitution in [0.0, 0.7] {
        for timestep in [1e-3, 5e-3, 1e-2] {
            let text = format!(
                r#"<mujoco><option timestep="{timestep}" gravity="0 0 0"/><worldbody>
                <body><freejoint/><geom type="box" size=".1 .05 .03" mass="1"/>
                <body pos=".12 0 0"><joint type="hinge" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .2 0 0" mass=".3"/>
                <body pos=".25 0 0"><joint type="hinge" axis="0 0 1" limited="true" range="-30 30"/>
                <geom type="capsule" size=".02" fromto="0 0 0 .2 0 0" mass=".2"/></body></body></body>
                <body pos=".45 .3 .01"><freejoint/><geom type="sphere" size=".04" mass=".5"/></body></worldbody>
                <keyframe><key name="start" qpos="0 0 0 1 0 0 0 0 0 .45 .3 .01 1 0 0 0"
                qvel="0 0 0 .1 .05 .3 .2 -.3 0 -3 0 0 0 0"/></keyframe></mujoco>"#
            );
            let mut s = simulate_by(&text, &Options { restitution: Some(restitution), ..Options::default() });
            let before = momenta(&s);
            let mut pressed = false;
            run(&mut s, 0.5, |s, _| pressed |= s.contact_forces().iter().any(|c| c.impulse.x > 0.0));
            let after = momenta(&s);
            assert!(pressed);
            for (before, after) in before.iter().zip(after) {
                let lost = (after - before).norm() / before.norm();
                assert!(lost <= 1e-11, "e {restitution}, step {timestep}: {lost:e}");
            }
        }
    }
}

/// Orders of convergence of the coordinates of a scene at a time, by halving a step twice.
fn order(text: impl Fn(f64) -> String, timestep: f64, duration: f64) -> f64 {
    let end = |timestep: f64| {
        let mut s = simulate(&text(timestep));
        run(&mut s, duration, |_, _| {});
        s.state.q.to_vec()
    };
    let ends = [1.0, 0.5, 0.25].map(|part| end(part * timestep));
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    (apart(&ends[0], &ends[1]) / apart(&ends[1], &ends[2])).log2()
}

#[test]
fn motion_in_persistent_contact_is_of_order_two() {
    let ball_on_a_turntable = |h: f64| {
        format!(
            r#"<mujoco><option timestep="{h}"/><custom><text name="stiction:motion:spin" data="rate 3"/></custom><worldbody>
            <body><joint name="spin" type="hinge" axis="0 0 1"/><geom type="cylinder" size="2 0.02" mass="10"/></body>
            <body pos="0.3 0 0.12"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody>
            <keyframe><key name="start" qpos="0 .3 0 .12 1 0 0 0" qvel="3 .5 .9 0 -9 5 0"/></keyframe></mujoco>"#
        )
    };
    let sliding_in_a_curve = |h: f64| {
        format!(
            r#"<mujoco><option timestep="{h}" gravity="4 0 -8"/><worldbody><geom type="plane" size="0 0 1" friction="0.3"/>
            <body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.3"/></body></worldbody>
            <keyframe><key name="start" qpos="0 0 .1 1 0 0 0" qvel="0 3 0 0 0 9"/></keyframe></mujoco>"#
        )
    };
    let chain_dragging_its_tip = |h: f64| {
        format!(
            r#"<mujoco><option timestep="{h}"/><worldbody><geom type="plane" size="0 0 1" friction="0.2"/>
            <body pos="0 0 0.45"><joint type="hinge" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" contype="0" conaffinity="0" mass=".5"/>
            <body pos=".3 0 0"><joint type="hinge" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" contype="0" conaffinity="0" mass=".5"/>
            <geom type="sphere" size=".03" pos=".3 0 0" mass=".1" friction="0.2"/></body></body></worldbody>
            <keyframe><key name="start" qpos=".6 1.1" qvel="-1.2 0"/></keyframe></mujoco>"#
        )
    };
    for (name, order) in [
        ("ball on a turntable", order(ball_on_a_turntable, 8e-3, 0.4)),
        ("sliding in a curve", order(sliding_in_a_curve, 8e-3, 0.24)),
        ("chain dragging its tip", order(chain_dragging_its_tip, 4e-3, 0.2)),
    ] {
        assert!(order >= 1.9, "{name}: {order}");
    }
}

#[test]
fn rest_is_a_fixed_point() {
    let text = r#"<mujoco><option timestep="0.02"/><worldbody><geom type="plane" size="0 0 1"/>
        <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
        <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
        <body pos="1 0 .1"><joint type="hinge" axis="0 1 0"/><geom type="capsule" size=".1" fromto="0 0 0 .5 0 0"/></body>
        </worldbody></mujoco>"#;
    let mut s = simulate(text);
    let before = s.state.q.clone();
    run(&mut s, 20.0, |_, _| {});
    let moved =
        s.state.q.iter().zip(&before).fold(0.0, |most: f64, (now, then)| most.max((now - then).abs()));
    assert!(moved <= 1e-11 && speed(&s) <= 1e-9, "{moved:e}, {:e}", speed(&s));
}

#[test]
fn a_step_with_impulses_at_both_ends_allocates_nothing_after_warm_up() {
    for (name, warm_up) in [
        ("grasp", 100),
        ("box_stack", 100),
        ("incline", 100),
        ("belt", 1500),
        ("bounce", 1500),
        ("pendulum12", 1500),
        ("humanoid", 2500),
    ] {
        let mut s = simulate(&shipped(name));
        for _ in 0..warm_up {
            s.step().unwrap();
        }
        let before = count();
        for _ in 0..300 {
            s.step().unwrap();
        }
        assert_eq!(count() - before, 0, "{name}");
    }
}

#[test]
fn all_formulations_hold_a_load_on_a_table_that_turns() {
    for formulation in HOLDING.into_iter().filter(|name| *name != ACCELERATION) {
        let table = Turntable::plain(5e-3).text();
        let options = Options { contact_model: Some(formulation.into()), ..Options::default() };
        let mut s = simulate_by(&table, &options);
        let before = pose_in(&s, "table", "box");
        run(&mut s, 3.0, |_, _| {});
        let shift = shift(&before, &pose_in(&s, "table", "box"), 0.05);
        assert!(shift <= 1e-9, "{formulation}: {shift:e}");
    }
}

#[test]
fn a_snapshot_continues_with_the_same_bits() {
    for (name, steps) in [("grasp", 50), ("bounce", 400), ("humanoid", 400), ("pendulum12", 900)] {
        let mut s = simulate(&shipped(name));
        for _ in 0..steps {
            s.step().unwrap();
        }
        let snapshot = s.snapshot();
        let mut other = simulate(&shipped(name));
        other.restore(&snapshot).unwrap();
        for step in 0..100 {
            let reports = [s.step().unwrap(), other.step().unwrap()];
            assert!(reports[0] == reports[1] && s.state_hash() == other.state_hash(), "{name}: step {step}");
        }
    }
}
