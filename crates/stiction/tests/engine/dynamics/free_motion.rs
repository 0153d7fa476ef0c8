//! Motion without contact keeps what it must and converges as it should.

use crate::common::trees::*;
use nalgebra::{Matrix3, Vector3};
use stiction::dynamics::*;
use stiction::model::{JointKind, LinkId, Model, TreeId};
use stiction::spatial::{Force, Inertia, Transform};

/// The only tree of a model.
const ONLY: TreeId = TreeId::new(0);

fn no_force(_: &Data, _: &[f64], _: &[f64], _: &mut [f64]) {}

/// State of the first tree after a time, by Runge-Kutta steps.
fn run(model: &Model, q: &[f64], v: &[f64], h: f64, steps: usize) -> (Vec<f64>, Vec<f64>, Data) {
    let (mut q, mut v, mut data) = (q.to_vec(), v.to_vec(), Data::new(model));
    for _ in 0..steps {
        runge_kutta_step(model, &mut data, ONLY, h, &mut q, &mut v, &mut no_force).unwrap();
    }
    forward_kinematics(model, &mut data, ONLY, &q, &v);
    (q, v, data)
}

#[test]
fn a_free_tree_in_space_keeps_energy_and_momentum_with_order_four() {
    let mut worst_order = f64::INFINITY;
    for seed in 0..10 {
        let mut random = Random(seed);
        let model = random_tree(&mut random, 8, true, Vector3::zeros());
        let mut model = model;
        model.dofs.iter_mut().for_each(|d| d.armature = 0.0); // rotors carry momentum of their own
        let q = random_configuration(&model, &mut random);
        let v = random.vec(model.nv());
        let (_, _, start) = run(&model, &q, &v, 0.0, 0);
        let energy = kinetic_energy(&model, &start, ONLY, &v);
        let (linear, angular) =
            (linear_momentum(&model, &start, ONLY), angular_momentum(&model, &start, ONLY));
        let errors = |steps: usize| {
            let (_, v, data) = run(&model, &q, &v, 0.4 / steps as f64, steps);
            [
                (kinetic_energy(&model, &data, ONLY, &v) - energy).abs() / energy,
                (linear_momentum(&model, &data, ONLY) - linear).norm() / linear.norm(),
                (angular_momentum(&model, &data, ONLY) - angular).norm() / angular.norm(),
            ]
        };
        let (coarse, fine) = (errors(200), errors(400));
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            assert!(coarse < 1e-5, "seed {seed}: {coarse:e}");
            // Below 1e-13 the error is round-off and has no order.
            if fine > 1e-13 {
                worst_order = worst_order.min((coarse / fine).log2());
            }
        }
    }
    assert!(worst_order >= 3.8, "order {worst_order}");
    assert!(worst_order.is_finite(), "no error was above round-off");
}

#[test]
fn runge_kutta_on_ball_and_free_joints_converges_with_order_four() {
    for seed in 20..30 {
        let mut random = Random(seed);
        let model = random_tree(&mut random, 6, seed % 2 == 0, Vector3::new(0.0, 0.0, -9.81));
        let q = random_configuration(&model, &mut random);
        let v = random.vec(model.nv());
        let end = |steps: usize| run(&model, &q, &v, 0.2 / steps as f64, steps);
        let exact = end(1600);
        let error = |steps: usize| {
            let found = end(steps);
            let mut off = vec![0.0; model.nv()];
            difference(&model, ONLY, &exact.0, &found.0, &mut off);
            off.iter().chain(&[]).fold(0.0f64, |m, x| m.max(x.abs()))
        };
        let order = (error(50) / error(100)).log2();
        assert!(order >= 3.8, "seed {seed}: order {order}, error {:e}", error(100));
    }
}

#[test]
fn work_done_on_a_driven_tree_is_its_gain_of_energy() {
    let mut random = Random(40);
    let model = random_tree(&mut random, 10, true, Vector3::new(0.0, 1.0, -9.81));
    let (mut q, mut v) = (random_configuration(&model, &mut random), random.vec(model.nv()));
    let drives = random.vec(model.nv());
    let (h, steps) = (1e-4, 2000);
    let mut data = prepare(&model, &q, &v);
    let before = mechanical_energy(&model, &data, ONLY, &q, &v);
    let power = |v: &[f64]| drives.iter().zip(v).map(|(t, v)| t * v).sum::<f64>();
    let mut work = 0.0;
    for step in 0..steps {
        // Simpson's rule over pairs of steps.
        work += power(&v) * h / 3.0
            * if step == 0 {
                1.0
            } else if step % 2 == 0 {
                2.0
            } else {
                4.0
            };
        let mut force = |_: &Data, _: &[f64], _: &[f64], tau: &mut [f64]| {
            tau.iter_mut().zip(&drives).for_each(|(t, d)| *t += d);
        };
        runge_kutta_step(&model, &mut data, ONLY, h, &mut q, &mut v, &mut force).unwrap();
    }
    work += power(&v) * h / 3.0;
    let after = mechanical_energy(&model, &prepare(&model, &q, &v), ONLY, &q, &v);
    assert!((after - before - work).abs() < 1e-8 * (before.abs() + work.abs()), "{before} {after} {work}");
}

#[test]
fn a_step_that_cannot_be_made_changes_nothing() {
    let mut assembly = Assembly::new(Vector3::zeros());
    assembly.link(None, Transform::identity(), JointKind::Hinge { axis: Vector3::x() }, Inertia::zero());
    let model = assembly.model;
    let (mut q, mut v, mut data) = (vec![0.5], vec![0.25], Data::new(&model));
    for _ in 0..2 {
        runge_kutta_step(&model, &mut data, ONLY, 0.1, &mut q, &mut v, &mut no_force).unwrap_err();
        assert_eq!((q[0], v[0]), (0.5, 0.25));
    }
}

// --- a lone body ---------------------------------------------------------------------------------------------

/// A free rigid body whose frame is not at its centre of mass.
fn lone_body(inertia: Inertia, gravity: Vector3<f64>) -> Model {
    let mut assembly = Assembly::new(gravity);
    assembly.link(None, Transform::identity(), JointKind::Free, inertia);
    assembly.model
}

/// A step without contact by the midpoint rule.
fn midpoint_step(model: &Model, h: f64, q: &mut [f64], v: &mut [f64], tau: &[f64]) {
    let mut used = [0.0; 6];
    let step = RigidBodyStep::new(model, ONLY, h, tau).unwrap();
    step.midpoint_velocity(q, v, &mut used).unwrap();
    step.advance(q, v, [&used, &used], [0.0; 2]);
}

/// Angular momentum about the centre of mass in world axes, and energy of rotation.
fn rotation_invariants(model: &Model, q: &[f64], v: &[f64]) -> (Vector3<f64>, f64) {
    let data = prepare(model, q, v);
    let center = center_of_mass(model, &data, ONLY).unwrap();
    let linear = linear_momentum(model, &data, ONLY);
    let spin = angular_momentum(model, &data, ONLY) - center.cross(&linear);
    let energy = kinetic_energy(model, &data, ONLY, v) - 0.5 * linear.norm_squared() / tree_mass(model, ONLY);
    (spin, energy)
}

#[test]
fn the_midpoint_rule_keeps_spatial_angular_momentum_and_energy_of_rotation_to_round_off() {
    for seed in 0..4 {
        let mut random = Random(100 + seed);
        let model = lone_body(random.inertia(), Vector3::zeros());
        let (mut q, mut v) = (random_configuration(&model, &mut random), random.vec(6));
        v[3..].iter_mut().for_each(|w| *w *= 20.0);
        let (spin, energy) = rotation_invariants(&model, &q, &v);
        for _ in 0..10_000 {
            midpoint_step(&model, 1e-2, &mut q, &mut v, &[0.0; 6]);
        }
        let (spin_after, energy_after) = rotation_invariants(&model, &q, &v);
        let error = (spin_after - spin).norm() / spin.norm();
        assert!(error < 1e-12, "seed {seed}: momentum {error:e}");
        let error = (energy_after - energy).abs() / energy;
        assert!(error < 1e-12, "seed {seed}: energy {error:e}");
    }
}

#[test]
fn a_spin_about_the_middle_axis_reverses_on_time_for_a_minute() {
    let size = Vector3::new(0.1, 0.4, 0.9);
    let square = size.component_mul(&size);
    let moments = Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (10.0 / 12.0);
    let brick = Inertia::new(10.0, &Vector3::zeros(), &Matrix3::from_diagonal(&moments));
    let model = lone_body(brick, Vector3::zeros());
    for fourth_order in [false, true] {
        let mut q = model.q0.clone();
        let mut v = vec![0.0, 0.0, 0.0, 0.05, 5.0, 0.05];
        let (spin, energy) = rotation_invariants(&model, &q, &v);
        assert!((energy - 8.542854).abs() < 1e-6 && (spin.norm() - 3.416913).abs() < 1e-6);
        let (h, mut crossings) = (1e-3, vec![]);
        for step in 0..60_000 {
            let before = v[4];
            if fourth_order {
                RigidBodyStep::new(&model, ONLY, h, &[0.0; 6]).unwrap().advance_free(&mut q, &mut v).unwrap();
            } else {
                midpoint_step(&model, h, &mut q, &mut v, &[0.0; 6]);
            }
            if before * v[4] < 0.0 {
                crossings.push(h * (step as f64 + before / (before - v[4])));
            }
            let (spin_now, energy_now) = rotation_invariants(&model, &q, &v);
            assert!((energy_now - energy).abs() < 1e-6 * energy, "step {step}");
            assert!((spin_now - spin).norm() < 1e-9 * spin.norm(), "step {step}");
        }
        assert_eq!(crossings.len(), 18);
        for (k, time) in crossings.iter().enumerate() {
            let wanted = 1.346434 + 3.389454 * k as f64;
            assert!((time - wanted).abs() < 1e-3 * wanted, "reversal {k}: {time} instead of {wanted}");
        }
    }
}

#[test]
fn a_body_without_contact_flies_on_its_parabola_by_either_rule() {
    let gravity = Vector3::new(0.5, 0.0, -9.81);
    let mut random = Random(7);
    let model = lone_body(random.inertia(), gravity);
    let (q, v) = (random_configuration(&model, &mut random), random.vec(6));
    let center = |q: &[f64], v: &[f64]| {
        let data = prepare(&model, q, v);
        (
            center_of_mass(&model, &data, ONLY).unwrap(),
            linear_momentum(&model, &data, ONLY) / tree_mass(&model, ONLY),
        )
    };
    let (c, w) = center(&q, &v);
    let (h, steps) = (1e-2, 100);
    let t = h * steps as f64;
    let (mut exact, mut euler) = ((q.clone(), v.clone()), (q.clone(), v.clone()));
    for _ in 0..steps {
        let step = RigidBodyStep::new(&model, ONLY, h, &[0.0; 6]).unwrap();
        step.advance_free(&mut exact.0, &mut exact.1).unwrap();
        midpoint_step(&model, h, &mut euler.0, &mut euler.1, &[0.0; 6]);
    }
    let (position, velocity) = center(&exact.0, &exact.1);
    assert!((position - (c + w * t + gravity * (0.5 * t * t))).norm() < 1e-12);
    assert!((velocity - (w + gravity * t)).norm() < 1e-12);
    // Semi-implicit Euler: the parabola of a body that starts half a step late.
    let (position, velocity) = center(&euler.0, &euler.1);
    assert!((position - (c + w * t + gravity * (0.5 * t * (t + h)))).norm() < 1e-12);
    assert!((velocity - (w + gravity * t)).norm() < 1e-12);
}

#[test]
fn the_free_step_of_a_driven_body_agrees_with_runge_kutta_and_has_order_four() {
    let mut random = Random(8);
    let model = lone_body(random.inertia(), Vector3::new(0.0, 0.0, -9.81));
    let (q, v) = (random_configuration(&model, &mut random), random.vec(6));
    let v: Vec<f64> = v.iter().map(|x| 3.0 * x).collect();
    // A force through the centre of mass, constant in the world; a moment, constant in the body.
    let (push, moment) = (random.vector() * 3.0, random.vector());
    let offset = model.links[0].inertia.moment / model.links[0].inertia.mass;
    let tau = |rotation: &Matrix3<f64>| {
        let about_origin = moment + offset.cross(&rotation.tr_mul(&push));
        [push.x, push.y, push.z, about_origin.x, about_origin.y, about_origin.z]
    };
    let free = |steps: usize| {
        let (mut q, mut v, mut data) = (q.clone(), v.clone(), Data::new(&model));
        for _ in 0..steps {
            forward_kinematics(&model, &mut data, ONLY, &q, &v);
            let tau = tau(&data.link_pose[0].rotation);
            let step = RigidBodyStep::new(&model, ONLY, 1.0 / steps as f64, &tau).unwrap();
            step.advance_free(&mut q, &mut v).unwrap();
        }
        (q, v)
    };
    let (mut exact_q, mut exact_v, mut data) = (q.clone(), v.clone(), Data::new(&model));
    for _ in 0..16_000 {
        let mut force = |data: &Data, _: &[f64], _: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&tau(&data.link_pose[0].rotation));
        };
        runge_kutta_step(&model, &mut data, ONLY, 1.0 / 16e3, &mut exact_q, &mut exact_v, &mut force)
            .unwrap();
    }
    let error = |steps: usize| {
        let (q, v) = free(steps);
        let mut off = vec![0.0; 6];
        difference(&model, ONLY, &exact_q, &q, &mut off);
        off.extend(v.iter().zip(&exact_v).map(|(a, b)| a - b));
        off.iter().fold(0.0f64, |m, x| m.max(x.abs()))
    };
    let (coarse, fine) = (error(50), error(100));
    assert!((coarse / fine).log2() >= 3.8, "{coarse:e} {fine:e}");
    assert!(error(1600) < 1e-9, "{:e}", error(1600));
}

#[test]
fn the_step_velocity_of_a_body_is_first_order_forward_dynamics_at_small_steps() {
    // used -> v, and the state after a step changes at the rate forward dynamics says.
    let mut random = Random(9);
    for _ in 0..20 {
        let model = lone_body(random.inertia(), Vector3::new(0.0, 0.0, -9.81));
        let (q, v, tau) = (random_configuration(&model, &mut random), random.vec(6), random.vec(6));
        let mut data = prepare(&model, &q, &v);
        let mut acceleration = vec![0.0; 6];
        forward_dynamics(&model, &mut data, ONLY, &tau, &mut acceleration).unwrap();
        let change = |h: f64| {
            let (mut q, mut after) = (q.clone(), v.clone());
            midpoint_step(&model, h, &mut q, &mut after, &tau);
            after.iter().zip(&v).map(|(a, b)| (a - b) / h).collect::<Vec<f64>>()
        };
        let (one, two) = (change(1e-4), change(2e-4));
        for k in 0..6 {
            let rate = 2.0 * one[k] - two[k];
            assert!((rate - acceleration[k]).abs() < 1e-5 * (1.0 + acceleration[k].abs()), "dof {k}");
        }
    }
}

#[test]
fn contact_impulses_change_linear_and_angular_momentum_by_exactly_themselves() {
    let mut random = Random(11);
    for _ in 0..50 {
        let model = lone_body(random.inertia(), Vector3::zeros());
        let (mut q, mut v) = (random_configuration(&model, &mut random), random.vec(6));
        let mut data = prepare(&model, &q, &v);
        factorize(&model, &mut data, ONLY, &[0.0; 6]).unwrap();
        let (spin, _) = rotation_invariants(&model, &q, &v);
        let center = center_of_mass(&model, &data, ONLY).unwrap();
        let linear = linear_momentum(&model, &data, ONLY);
        let (h, point, impulse) = (1e-2, random.vector(), random.vector());
        let (mut free, mut kick) = ([0.0; 6], [0.0; 6]);
        let step = RigidBodyStep::new(&model, ONLY, h, &[0.0; 6]).unwrap();
        step.midpoint_velocity(&q, &v, &mut free).unwrap();
        let arm = point - data.link_pose[0].translation;
        add_wrench(&model, &data, LinkId::new(0), &Force::new(arm.cross(&impulse), impulse), &mut kick);
        solve(&model, &mut data, ONLY, &mut kick);
        let used: Vec<f64> = free.iter().zip(&kick).map(|(a, b)| a + b).collect();
        step.advance(&mut q, &mut v, [&free, &used], [0.0; 2]);
        let (spin_after, _) = rotation_invariants(&model, &q, &v);
        let after = prepare(&model, &q, &v);
        let moment = (point - center).cross(&impulse);
        assert!((spin_after - spin - moment).norm() < 1e-12);
        assert!((linear_momentum(&model, &after, ONLY) - linear - impulse).norm() < 1e-12);
    }
}

#[test]
fn a_body_that_turns_many_times_in_a_step_keeps_momentum_and_energy() {
    // Rods, plates and lumps, from 1e-2 to 1e3 radians in one step.
    let mut random = Random(12);
    for _ in 0..2000 {
        let mut extent = || 10f64.powf(random.between(-6.0, 0.0));
        let (x, y, z) = (extent(), extent(), extent());
        let central = Matrix3::from_diagonal(&Vector3::new(y + z, x + z, x + y));
        let model = lone_body(Inertia::new(1.0, &Vector3::zeros(), &central), Vector3::zeros());
        let mut q = random_configuration(&model, &mut random);
        let spin = random.direction() * 10f64.powf(random.between(-2.0, 3.0));
        let mut v = [0.0, 0.0, 0.0, spin.x, spin.y, spin.z];
        let (spin, energy) = rotation_invariants(&model, &q, &v);
        midpoint_step(&model, 1.0, &mut q, &mut v, &[0.0; 6]);
        let (spin_after, energy_after) = rotation_invariants(&model, &q, &v);
        assert!(
            (spin_after - spin).norm() < 1e-12 * spin.norm(),
            "{:e}",
            (spin_after - spin).norm() / spin.norm()
        );
        let error = (energy_after - energy).abs() / energy;
        assert!(error < 1e-9, "{error:e} {:e}", spin.norm());
    }
}

#[test]
fn a_rotation_that_is_not_a_number_is_refused() {
    let model = lone_body(Random(1).inertia(), Vector3::zeros());
    let v = [0.0, 0.0, 0.0, 1.0, f64::NAN, 0.0];
    let step = RigidBodyStep::new(&model, ONLY, 1e-3, &[0.0; 6]).unwrap();
    let result = step.midpoint_velocity(&model.q0, &v, &mut [0.0; 6]);
    assert!(matches!(result, Err(AlgorithmError::NoConvergence { .. })));
}

#[test]
fn a_body_without_rotational_inertia_is_refused_by_name() {
    let rod = Inertia::new(
        1.0,
        &Vector3::new(0.2, 0.1, 0.3),
        &Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 0.0)),
    );
    for inertia in [Inertia::zero(), rod, Inertia { mass: f64::NAN, ..rod }] {
        let model = lone_body(inertia, Vector3::zeros());
        let v = [0.0; 6];
        let refused = RigidBodyStep::new(&model, ONLY, 1e-3, &v).err();
        assert!(refused.unwrap().to_string().contains("joint0"));
    }
}
