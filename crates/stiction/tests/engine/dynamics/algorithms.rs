//! Every algorithm on trees against another one, on random trees of up to 40 joints.

use crate::common::trees::*;
use nalgebra::{DMatrix, DVector, Vector3};
use stiction::dynamics::*;
use stiction::model::{JointKind, LinkId, Model, TreeId};
use stiction::spatial::{Force, Inertia, Transform};

/// The only tree of a model.
const ONLY: TreeId = TreeId::new(0);

const GRAVITY: Vector3<f64> = Vector3::new(0.3, -0.4, -9.81);

/// Calls `check` with random trees, states and a name for messages.
fn for_random_trees(check: impl Fn(&Model, &[f64], &[f64], &mut Random, &str)) {
    for seed in 0..120 {
        let mut random = Random(seed);
        let joints = 1 + random.below(40);
        let free_root = random.below(2) == 0;
        let model = random_tree(&mut random, joints, free_root, GRAVITY);
        let q = random_configuration(&model, &mut random);
        let v = random.vec(model.nv());
        check(&model, &q, &v, &mut random, &format!("seed {seed}, {} links", model.links.len()));
    }
}

#[test]
fn forward_dynamics_after_inverse_dynamics_is_the_identity() {
    for_random_trees(|model, q, v, random, name| {
        let mut data = Data::new(model);
        forward_kinematics(model, &mut data, ONLY, q, v);
        let wanted = random.vec(model.nv());
        let (mut tau, mut found) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        inverse_dynamics(model, &mut data, ONLY, &wanted, &mut tau);
        forward_dynamics(model, &mut data, ONLY, &tau, &mut found).unwrap();
        let error = relative_difference(&wanted, &found);
        assert!(error < 1e-10, "{name}: {error:e}");
    });
}

#[test]
fn columns_of_the_mass_matrix_are_inverse_dynamics_of_unit_accelerations() {
    for_random_trees(|model, q, v, _, name| {
        let mut data = prepare(model, q, v);
        let matrix = dense_mass_matrix(model, &data, 0);
        let n = model.nv();
        let mut bias = vec![0.0; n];
        bias_forces(model, &mut data, ONLY, &mut bias);
        let scale = matrix.amax() + bias.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for k in 0..n {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            let mut column = vec![0.0; n];
            inverse_dynamics(model, &mut data, ONLY, &unit, &mut column);
            for i in 0..n {
                let error = (column[i] - bias[i] - matrix[(i, k)]).abs() / scale;
                assert!(error < 1e-13, "{name}: entry {i} {k}: {error:e}");
            }
        }
    });
}

#[test]
fn the_mass_matrix_is_positive_definite_and_the_factor_reproduces_it() {
    for_random_trees(|model, q, v, random, name| {
        let mut data = prepare(model, q, v);
        let n = model.nv();
        let mut matrix = dense_mass_matrix(model, &data, 0);
        let added: Vec<f64> = (0..n).map(|_| random.between(0.0, 0.1)).collect();
        for k in 0..n {
            matrix[(k, k)] += added[k];
        }
        assert!(matrix.clone().cholesky().is_some(), "{name}");
        factorize(model, &mut data, ONLY, &added).unwrap();
        let block = &data.factor[data.tree_block(model, ONLY)];
        let l = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => block[i * n + j],
        });
        let d = DMatrix::from_diagonal(&DVector::from_fn(n, |k, _| block[k * n + k]));
        let error = (l.transpose() * d * l - &matrix).amax() / matrix.amax();
        assert!(error < 1e-14, "{name}: {error:e}");
    });
}

#[test]
fn solves_and_half_solves_reproduce_the_inverse_mass_matrix() {
    for_random_trees(|model, q, v, random, name| {
        let mut data = prepare(model, q, v);
        let n = model.nv();
        let matrix = dense_mass_matrix(model, &data, 0);
        factorize(model, &mut data, ONLY, &vec![0.0; n]).unwrap();
        let x = DVector::from_vec(random.vec(n));
        let b = &matrix * &x;
        let mut whole = b.as_slice().to_vec();
        solve(model, &mut data, ONLY, &mut whole);
        let mut halves = b.as_slice().to_vec();
        half_solve(model, &mut data, ONLY, &mut halves);
        let energy: f64 = halves.iter().map(|y| y * y).sum();
        assert!((energy - b.dot(&x)).abs() < 1e-12 * energy, "{name}: Gram matrix");
        half_solve_transposed(model, &mut data, ONLY, &mut halves);
        for answer in [whole, halves] {
            let error = relative_difference(&answer, x.as_slice());
            assert!(error < 1e-10, "{name}: {error:e}");
        }
    });
}

#[test]
fn both_forward_dynamics_agree() {
    for_random_trees(|model, q, v, random, name| {
        let mut data = prepare(model, q, v);
        let n = model.nv();
        let tau = random.vec(n);
        let mut recursive = vec![0.0; n];
        forward_dynamics(model, &mut data, ONLY, &tau, &mut recursive).unwrap();
        factorize(model, &mut data, ONLY, &vec![0.0; n]).unwrap();
        let mut factored = vec![0.0; n];
        bias_forces(model, &mut data, ONLY, &mut factored);
        for k in 0..n {
            factored[k] = tau[k] - factored[k];
        }
        solve(model, &mut data, ONLY, &mut factored);
        let error = relative_difference(&recursive, &factored);
        assert!(error < 1e-10, "{name}: {error:e}");
    });
}

#[test]
fn point_and_angular_jacobians_are_the_derivatives_of_the_pose() {
    for_random_trees(|model, q, v, random, name| {
        let n = model.nv();
        let data = prepare(model, q, v);
        let link = random.below(model.links.len());
        let local = random.vector();
        let point = data.link_pose[link].point(&local);
        let rates: Vec<(f64, f64)> = (0..3)
            .map(|axis| {
                let (mut row, mut turn) = (vec![9.0; n], vec![9.0; n]);
                let direction = Vector3::ith(axis, 1.0);
                point_jacobian(model, &data, LinkId::new(link), &point, &direction, &mut row);
                angular_jacobian(model, &data, LinkId::new(link), &direction, &mut turn);
                let rate = |row: &[f64]| row.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
                (rate(&row), rate(&turn))
            })
            .collect();
        let at = |h: f64| {
            let mut moved = q.to_vec();
            integrate(model, ONLY, q, v, h, &mut moved);
            prepare(model, &moved, v).link_pose[link]
        };
        let h = 1e-5;
        let (ahead, behind) = (at(h), at(-h));
        let velocity = (ahead.point(&local) - behind.point(&local)) / (2.0 * h);
        let spin = (ahead.rotation - behind.rotation) / (2.0 * h) * data.link_pose[link].rotation.transpose();
        let spin = [spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]];
        for axis in 0..3 {
            let scale = 1.0 + velocity.norm();
            assert!((rates[axis].0 - velocity[axis]).abs() < 1e-7 * scale, "{name}: point");
            assert!((rates[axis].1 - spin[axis]).abs() < 1e-7 * scale, "{name}: spin");
        }
        let arm = data.link_pose[link].vector(&local);
        let stored = data.link_velocity[link].at(&arm);
        for axis in 0..3 {
            assert!(
                (rates[axis].0 - stored.linear[axis]).abs() < 1e-12 * (1.0 + stored.linear.norm()),
                "{name}"
            );
            assert!(
                (rates[axis].1 - stored.angular[axis]).abs() < 1e-12 * (1.0 + stored.angular.norm()),
                "{name}"
            );
        }
    });
}

#[test]
fn a_wrench_maps_to_joints_by_the_transposed_jacobian() {
    for_random_trees(|model, q, v, random, name| {
        let n = model.nv();
        let data = prepare(model, q, v);
        let link = random.below(model.links.len());
        let (point, push, moment) = (random.vector(), random.vector(), random.vector());
        let arm = point - data.link_pose[link].translation;
        let mut tau = vec![0.0; n];
        add_wrench(model, &data, LinkId::new(link), &Force::new(moment + arm.cross(&push), push), &mut tau);
        let mut wanted = vec![0.0; n];
        let mut row = vec![0.0; n];
        for axis in 0..3 {
            let direction = Vector3::ith(axis, 1.0);
            point_jacobian(model, &data, LinkId::new(link), &point, &direction, &mut row);
            (0..n).for_each(|k| wanted[k] += push[axis] * row[k]);
            angular_jacobian(model, &data, LinkId::new(link), &direction, &mut row);
            (0..n).for_each(|k| wanted[k] += moment[axis] * row[k]);
        }
        let error = relative_difference(&tau, &wanted);
        assert!(error < 1e-12, "{name}: {error:e}");
    });
}

#[test]
fn accelerations_of_links_are_finite_differences_of_their_velocities() {
    for_random_trees(|model, q, v, random, name| {
        let n = model.nv();
        let acceleration = random.vec(n);
        let mut data = prepare(model, q, v);
        let mut tau = vec![0.0; n];
        inverse_dynamics(model, &mut data, ONLY, &acceleration, &mut tau);
        // State along a path with the given velocity and acceleration; exact to second order in h on each side.
        let at = |h: f64| {
            let mean: Vec<f64> = (0..n).map(|k| v[k] + 0.5 * h * acceleration[k]).collect();
            let end: Vec<f64> = (0..n).map(|k| v[k] + h * acceleration[k]).collect();
            let mut moved = q.to_vec();
            integrate(model, ONLY, q, &mean, h, &mut moved);
            prepare(model, &moved, &end)
        };
        let h = 1e-5;
        let (ahead, behind) = (at(h), at(-h));
        for i in 0..model.links.len() {
            let change = ahead.link_velocity[i] - behind.link_velocity[i];
            let (angular, linear) = (change.angular / (2.0 * h), change.linear / (2.0 * h));
            let found = data.link_acceleration[i];
            let scale = 1.0 + found.angular.norm() + found.linear.norm();
            assert!((found.angular - angular).norm() < 1e-6 * scale, "{name}: link {i}");
            assert!((found.linear + GRAVITY - linear).norm() < 1e-6 * scale, "{name}: link {i}");
        }
    });
}

/// Lagrange's equations in Boltzmann-Hamel form would need the groups' structure constants; the two checks below
/// need none: power, and gravity as the gradient of potential energy.
#[test]
fn the_power_of_all_forces_is_the_rate_of_energy() {
    for_random_trees(|model, q, v, random, name| {
        let n = model.nv();
        let mut data = prepare(model, q, v);
        let tau: Vec<f64> = random.vec(n).iter().map(|x| 10.0 * x).collect();
        let mut acceleration = vec![0.0; n];
        forward_dynamics(model, &mut data, ONLY, &tau, &mut acceleration).unwrap();
        let energy = |h: f64| {
            let mean: Vec<f64> = (0..n).map(|k| v[k] + 0.5 * h * acceleration[k]).collect();
            let end: Vec<f64> = (0..n).map(|k| v[k] + h * acceleration[k]).collect();
            let mut moved = q.to_vec();
            integrate(model, ONLY, q, &mean, h, &mut moved);
            let data = prepare(model, &moved, &end);
            mechanical_energy(model, &data, ONLY, &moved, &end)
        };
        let power: f64 = tau.iter().zip(v).map(|(t, v)| t * v).sum();
        // Richardson extrapolation: fourth-order central difference, with a step matched to the fastest joint.
        let fastest = acceleration.iter().fold(1.0f64, |m, a| m.max(a.abs()));
        let h = 1e-3 / fastest.sqrt().max(1.0);
        let slope = |h: f64| (energy(h) - energy(-h)) / (2.0 * h);
        let rate = (4.0 * slope(h) - slope(2.0 * h)) / 3.0;
        let scale = tau.iter().zip(v).map(|(t, v)| (t * v).abs()).sum::<f64>() + energy(0.0).abs();
        assert!((power - rate).abs() < 1e-6 * scale, "{name}: {power} {rate}");
    });
}

#[test]
fn bias_forces_at_rest_are_the_gradient_of_potential_energy() {
    for_random_trees(|model, q, _, random, name| {
        let n = model.nv();
        let rest = vec![0.0; n];
        let mut data = prepare(model, q, &rest);
        let mut bias = vec![0.0; n];
        bias_forces(model, &mut data, ONLY, &mut bias);
        let along = random.vec(n);
        let energy = |h: f64| {
            let mut moved = q.to_vec();
            integrate(model, ONLY, q, &along, h, &mut moved);
            potential_energy(model, &prepare(model, &moved, &rest), ONLY, &moved)
        };
        let h = 1e-4;
        let slope = (energy(h) - energy(-h)) / (2.0 * h);
        let wanted: f64 = bias.iter().zip(&along).map(|(b, a)| b * a).sum();
        assert!((slope - wanted).abs() < 1e-6 * (1.0 + slope.abs() + energy(0.0).abs()), "{name}");
    });
}

#[test]
fn bias_forces_without_gravity_are_the_geodesic_terms_of_the_mass_matrix() {
    // v . c_velocity = 1/2 v . (dM/dt) v for every velocity, with dM/dt along the motion.
    for_random_trees(|model, q, v, _, name| {
        let mut model = model.clone();
        model.gravity = Vector3::zeros();
        let n = model.nv();
        let mut data = prepare(&model, q, v);
        let mut bias = vec![0.0; n];
        bias_forces(&model, &mut data, ONLY, &mut bias);
        let x = DVector::from_column_slice(v);
        let at = |h: f64| {
            let mut moved = q.to_vec();
            integrate(&model, ONLY, q, v, h, &mut moved);
            dense_mass_matrix(&model, &prepare(&model, &moved, v), 0)
        };
        let h = 1e-5;
        let rate = (at(h) - at(-h)) / (2.0 * h);
        let wanted = 0.5 * x.dot(&(rate * &x));
        let found = x.dot(&DVector::from_vec(bias));
        let scale = 1.0 + wanted.abs() + kinetic_energy(&model, &data, ONLY, v);
        assert!((wanted - found).abs() < 1e-6 * scale, "{name}: {wanted} {found}");
    });
}

#[test]
fn kinetic_energy_is_half_v_m_v_and_momenta_are_those_of_the_centre_of_mass() {
    for_random_trees(|model, q, v, _, name| {
        let data = prepare(model, q, v);
        let x = DVector::from_column_slice(v);
        let wanted = 0.5 * x.dot(&(dense_mass_matrix(model, &data, 0) * &x));
        let found = kinetic_energy(model, &data, ONLY, v);
        assert!((found - wanted).abs() < 1e-12 * wanted, "{name}");
        let at = |h: f64| {
            let mut moved = q.to_vec();
            integrate(model, ONLY, q, v, h, &mut moved);
            center_of_mass(model, &prepare(model, &moved, v), ONLY).unwrap()
        };
        let h = 1e-5;
        let momentum = (at(h) - at(-h)) / (2.0 * h) * tree_mass(model, ONLY);
        let error = (momentum - linear_momentum(model, &data, ONLY)).norm();
        assert!(error < 1e-7 * (1.0 + momentum.norm()), "{name}: {error:e}");
    });
}

#[test]
fn difference_is_the_inverse_of_integrate() {
    for_random_trees(|model, q, v, random, name| {
        let n = model.nv();
        let (mut moved, mut back) = (q.to_vec(), vec![0.0; n]);
        integrate(model, ONLY, q, v, 1.0, &mut moved);
        difference(model, ONLY, q, &moved, &mut back);
        assert!(relative_difference(v, &back) < 1e-14, "{name}");
        let other = random_configuration(model, random);
        difference(model, ONLY, q, &other, &mut back);
        integrate(model, ONLY, q, &back, 1.0, &mut moved);
        let (a, b) = (prepare(model, &other, v), prepare(model, &moved, v));
        for i in 0..model.links.len() {
            assert!((a.link_pose[i].rotation - b.link_pose[i].rotation).amax() < 1e-12, "{name}");
            assert!((a.link_pose[i].translation - b.link_pose[i].translation).amax() < 1e-12, "{name}");
        }
    });
}

#[test]
fn quaternions_of_any_length_stand_for_their_direction() {
    for_random_trees(|model, q, v, _, name| {
        let mut scaled = q.to_vec();
        for link in &model.links {
            let quaternion = match link.kind {
                JointKind::Ball => link.q..link.q + 4,
                JointKind::Free => link.q + 3..link.q + 7,
                _ => continue,
            };
            scaled[quaternion].iter_mut().for_each(|x| *x *= -1.75);
        }
        let (a, b) = (prepare(model, q, v), prepare(model, &scaled, v));
        for i in 0..model.links.len() {
            assert!((a.link_pose[i].rotation - b.link_pose[i].rotation).amax() < 1e-13, "{name}");
        }
    });
}

#[test]
fn spring_forces_are_the_gradient_of_their_energy_and_dampers_take_power() {
    for_random_trees(|model, q, v, random, name| {
        let mut model = model.clone();
        model.gravity = Vector3::zeros();
        for link in &mut model.links {
            link.stiffness = random.between(0.5, 2.0);
            link.spring_reference = 0.2;
        }
        let n = model.nv();
        let rest = vec![0.0; n];
        let mut tau = vec![0.0; n];
        passive_forces(&model, ONLY, q, &rest, &mut tau);
        let energy = |h: f64| {
            let mut moved = q.to_vec();
            integrate(&model, ONLY, q, v, h, &mut moved);
            potential_energy(&model, &prepare(&model, &moved, &rest), ONLY, &moved)
        };
        let h = 1e-5;
        let slope = (energy(h) - energy(-h)) / (2.0 * h);
        let power: f64 = tau.iter().zip(v).map(|(t, v)| t * v).sum();
        assert!((slope + power).abs() < 1e-7 * (1.0 + energy(0.0)), "{name}: {slope} {power}");

        let undamped = tau.clone();
        for dof in &mut model.dofs {
            dof.damping = 0.5;
        }
        tau.fill(0.0);
        passive_forces(&model, ONLY, q, v, &mut tau);
        for k in 0..n {
            assert!((tau[k] - undamped[k] + 0.5 * v[k]).abs() < 1e-13, "{name}");
        }
    });
}

#[test]
fn each_tree_of_a_forest_moves_as_if_it_were_alone() {
    let mut random = Random(77);
    let mut forest = Assembly::new(GRAVITY);
    let mut singles = vec![];
    for tree in 0..6 {
        let (seed, joints, free_root) = (random.bits(), 1 + random.below(12), tree % 2 == 0);
        grow_random_tree(&mut forest, &mut Random(seed), joints, free_root);
        singles.push(random_tree(&mut Random(seed), joints, free_root, GRAVITY));
    }
    let model = forest.model;
    let q = random_configuration(&model, &mut random);
    let (v, tau) = (random.vec(model.nv()), random.vec(model.nv()));
    let zero = vec![0.0; model.nv()];
    let mut data = Data::new(&model);
    let (mut a, mut bias, mut x) = (zero.clone(), zero.clone(), tau.clone());
    forward_kinematics_all(&model, &mut data, &q, &v);
    forward_dynamics_all(&model, &mut data, &tau, &mut a).unwrap();
    bias_forces_all(&model, &mut data, &mut bias);
    mass_matrix_all(&model, &mut data);
    factorize_all(&model, &mut data, &zero).unwrap();
    solve_all(&model, &mut data, &mut x);
    for (t, single) in singles.iter().enumerate() {
        let tree = &model.trees[t];
        let (q, v, tau) = (&q[tree.coords.clone()], &v[tree.dofs.clone()], &tau[tree.dofs.clone()]);
        let mut data = prepare(single, q, v);
        let (mut one_a, mut one_bias, mut one_x) = (tau.to_vec(), tau.to_vec(), tau.to_vec());
        forward_dynamics(single, &mut data, ONLY, tau, &mut one_a).unwrap();
        bias_forces(single, &mut data, ONLY, &mut one_bias);
        factorize(single, &mut data, ONLY, &zero[..single.nv()]).unwrap();
        solve(single, &mut data, ONLY, &mut one_x);
        assert_eq!(a[tree.dofs.clone()], one_a[..]);
        assert_eq!(bias[tree.dofs.clone()], one_bias[..]);
        assert_eq!(x[tree.dofs.clone()], one_x[..]);
    }
}

#[test]
fn the_root_joint_carries_the_weight_of_everything_that_hangs_on_it() {
    for_random_trees(|model, q, _, _, name| {
        let n = model.nv();
        let rest = vec![0.0; n];
        let mut data = prepare(model, q, &rest);
        let none = vec![Force::zero(); model.links.len()];
        let mut out = none.clone();
        // Held still: the joints' drives are part of the reactions.
        joint_reactions(model, &mut data, ONLY, &rest, &none, &mut out);
        let mass = tree_mass(model, ONLY);
        let root = out[0].about(&data.link_pose[0].translation);
        let arm = center_of_mass(model, &data, ONLY).unwrap();
        let weight = GRAVITY * mass;
        assert!((root.linear + weight).norm() < 1e-12 * weight.norm(), "{name}");
        assert!((root.angular + arm.cross(&weight)).norm() < 1e-11 * weight.norm(), "{name}");
    });
}

#[test]
fn joint_reactions_meet_the_drives_and_leave_passive_axes_alone() {
    for_random_trees(|model, q, v, random, name| {
        let n = model.nv();
        let mut data = prepare(model, q, v);
        let drives = random.vec(n);
        let external: Vec<Force> =
            model.links.iter().map(|_| Force::new(random.vector(), random.vector())).collect();
        let mut tau = drives.clone();
        for (i, force) in external.iter().enumerate() {
            add_wrench(model, &data, LinkId::new(i), force, &mut tau);
        }
        let mut acceleration = vec![0.0; n];
        forward_dynamics(model, &mut data, ONLY, &tau, &mut acceleration).unwrap();
        let mut out = external.clone();
        joint_reactions(model, &mut data, ONLY, &acceleration, &external, &mut out);
        let scale = 1.0 + out.iter().fold(0.0f64, |m, f| m.max(f.angular.norm() + f.linear.norm()));
        for (k, dof) in model.dofs.iter().enumerate() {
            let along = data.dof_axis[k].dot(&out[dof.link.index()]) + dof.armature * acceleration[k];
            assert!((along - drives[k]).abs() < 1e-10 * scale, "{name}: dof {k}");
        }
    });
}

/// A heavy hinged body, a massless body on two crossing hinges below it.
fn massless_leaf() -> Model {
    let mut assembly = Assembly::new(GRAVITY);
    let solid = Random(1).inertia();
    let step = Transform::from_translation(Vector3::new(0.1, 0.2, 0.3));
    let a = assembly.link(None, step, JointKind::Hinge { axis: Vector3::y() }, solid);
    let b = assembly.link(Some(a), step, JointKind::Hinge { axis: Vector3::x() }, solid);
    assembly.link(Some(b), step, JointKind::Hinge { axis: Vector3::z() }, Inertia::zero());
    assembly.model.links[2].name = "weightless flag".into();
    assembly.model
}

/// All three algorithms' verdicts on a model at `q0`.
fn verdicts(model: &Model) -> [Result<(), AlgorithmError>; 3] {
    let n = model.nv();
    let mut data = prepare(model, &model.q0, &vec![0.0; n]);
    let recursive = forward_dynamics(model, &mut data, ONLY, &vec![0.0; n], &mut vec![0.0; n]);
    let articulated = articulate(model, &mut data, ONLY, &vec![0.0; n]);
    [factorize(model, &mut data, ONLY, &vec![0.0; n]), articulated, recursive]
}

#[test]
fn a_massless_leaf_is_refused_by_name_unless_its_rotor_has_inertia() {
    let mut model = massless_leaf();
    for verdict in verdicts(&model) {
        let error = verdict.unwrap_err();
        assert!(error.to_string().contains("weightless flag"), "{error}");
    }
    model.dofs[2].armature = 1e-3;
    for verdict in verdicts(&model) {
        verdict.unwrap();
    }
}

#[test]
fn a_point_mass_on_the_axis_of_its_ball_joint_is_refused_by_name() {
    let mut assembly = Assembly::new(GRAVITY);
    let step = Transform::from_translation(Vector3::new(0.1, 0.2, 0.3));
    let solid = Random(1).inertia();
    let a = assembly.link(None, step, JointKind::Hinge { axis: Vector3::y() }, solid);
    let bob = Inertia::new(1.0, &Vector3::new(0.3, -0.7, 0.11), &nalgebra::Matrix3::zeros());
    assembly.link(Some(a), step, JointKind::Ball, bob);
    for verdict in verdicts(&assembly.model) {
        assert!(verdict.unwrap_err().to_string().contains("joint1"));
    }
}

#[test]
fn three_hinges_at_a_point_carry_a_point_mass_only_with_two_of_them() {
    let bob = Inertia::new(1.0, &Vector3::new(0.3, -0.7, 0.11), &nalgebra::Matrix3::zeros());
    for hinges in 2..=3 {
        let mut assembly = Assembly::new(GRAVITY);
        let mut parent = None;
        for k in 0..hinges {
            let kind = JointKind::Hinge { axis: Vector3::ith(k, 1.0) };
            let inertia = if k + 1 == hinges { bob } else { Inertia::zero() };
            parent = Some(assembly.link(parent, Transform::identity(), kind, inertia));
        }
        for verdict in verdicts(&assembly.model) {
            assert_eq!(verdict.is_ok(), hinges == 2);
        }
    }
}

#[test]
fn kinematics_far_from_the_origin_loses_no_digits_of_the_dynamics() {
    // The same tree 1 000 km away: the mass matrix must be the same to round-off.
    let near = random_tree(&mut Random(5), 12, false, GRAVITY);
    let mut far = near.clone();
    far.links[0].placement.translation += Vector3::new(1e6, -2e6, 3e6);
    let mut random = Random(6);
    let (q, v) = (random_configuration(&near, &mut random), random.vec(near.nv()));
    let (mut a, mut b) = (prepare(&near, &q, &v), prepare(&far, &q, &v));
    assert_eq!(a.mass_matrix, b.mass_matrix);
    let (mut x, mut y) = (vec![0.0; near.nv()], vec![0.0; near.nv()]);
    bias_forces(&near, &mut a, ONLY, &mut x);
    bias_forces(&far, &mut b, ONLY, &mut y);
    assert_eq!(x, y);
}
