//! Poses, mass matrices, bias forces and accelerations against MuJoCo and Pinocchio (`tests/oracle/dynamics.py`).

use crate::common::trees::{Assembly, dense_mass_matrix, relative_difference};
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;
use stiction::dynamics::*;
use stiction::model::{BodyHandle, BodySpec, Inertial, JointKind, JointSpec, Model, ModelBuilder};
use stiction::spatial::{Inertia, Transform};

const BOUND: f64 = 1e-10;

fn fixtures() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracle/dynamics.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file["fixtures"].as_array().unwrap().clone()
}

/// All numbers of a nested list, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_column_slice(&numbers(value))
}

fn matrix(value: &Value) -> Matrix3<f64> {
    Matrix3::from_row_slice(&numbers(value))
}

fn kind(joint: &Value) -> JointKind {
    match joint["kind"].as_str().unwrap() {
        "free" => JointKind::Free,
        "ball" => JointKind::Ball,
        "hinge" => JointKind::Hinge { axis: vector(&joint["axis"]) },
        "slide" => JointKind::Slide { axis: vector(&joint["axis"]) },
        other => panic!("{other}"),
    }
}

fn model(fixture: &Value) -> Model {
    let mut assembly = Assembly::new(vector(&fixture["gravity"]));
    for link in fixture["links"].as_array().unwrap() {
        let kind = kind(link);
        let placement =
            Transform { rotation: matrix(&link["rotation"]), translation: vector(&link["translation"]) };
        let mass = link["mass"].as_f64().unwrap();
        let inertia = Inertia::new(mass, &vector(&link["center"]), &matrix(&link["inertia"]));
        let parent = link["parent"].as_u64().map(|p| p as usize);
        let index = assembly.link(parent, placement, kind, inertia);
        let made = &mut assembly.model.links[index];
        made.reference = link["reference"].as_f64().unwrap();
        let (v, n) = (made.v, kind.nv());
        for dof in &mut assembly.model.dofs[v..v + n] {
            dof.armature = link["armature"].as_f64().unwrap();
        }
    }
    assembly.model
}

/// The full mass matrix of a forest, row by row.
fn full_mass_matrix(model: &Model, data: &Data) -> Vec<f64> {
    let n = model.nv();
    let mut full = vec![0.0; n * n];
    for (t, tree) in model.trees.iter().enumerate() {
        let block = dense_mass_matrix(model, data, t);
        let first = tree.dofs.start;
        for i in 0..block.nrows() {
            for j in 0..block.ncols() {
                full[(first + i) * n + first + j] = block[(i, j)];
            }
        }
    }
    full
}

/// The same mechanism as a person describes it: bodies with joints, links made by the builder.
fn built_model(fixture: &Value) -> Model {
    let mut builder = ModelBuilder::new(fixture["name"].as_str().unwrap());
    builder.gravity = vector(&fixture["gravity"]);
    let mut ids = vec![BodyHandle::WORLD];
    for body in fixture["bodies"].as_array().unwrap() {
        let joints = body["joints"].as_array().unwrap().iter().map(|joint| {
            let mut spec = JointSpec::new(kind(joint));
            spec.position = vector(&joint["anchor"]);
            spec.reference = joint["reference"].as_f64().unwrap();
            spec.armature = joint["armature"].as_f64().unwrap();
            spec
        });
        let q = numbers(&body["quaternion"]);
        let orientation = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
        let spec = BodySpec {
            pose: Transform::new(vector(&body["position"]), &orientation),
            inertial: Some(Inertial {
                mass: body["mass"].as_f64().unwrap(),
                center_of_mass: vector(&body["center"]),
                inertia: matrix(&body["inertia"]),
            }),
            joints: joints.collect(),
            ..BodySpec::default()
        };
        let parent = ids[body["parent"].as_u64().unwrap() as usize];
        ids.push(builder.add_body(parent, spec).unwrap());
    }
    builder.build().unwrap()
}

/// Compares every case of a fixture with a model of it.
fn check_dynamics(fixture: &Value, model: &Model) {
    let n = model.nv();
    let mut data = Data::new(model);
    for (number, case) in fixture["cases"].as_array().unwrap().iter().enumerate() {
        let (q, v, tau) = (numbers(&case["q"]), numbers(&case["v"]), numbers(&case["tau"]));
        forward_kinematics_all(model, &mut data, &q, &v);
        mass_matrix_all(model, &mut data);
        let (mut bias, mut acceleration, mut factored) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        bias_forces_all(model, &mut data, &mut bias);
        forward_dynamics_all(model, &mut data, &tau, &mut acceleration).unwrap();
        factorize_all(model, &mut data, &vec![0.0; n]).unwrap();
        (0..n).for_each(|k| factored[k] = tau[k] - bias[k]);
        solve_all(model, &mut data, &mut factored);
        for engine in ["mujoco", "pinocchio"] {
            let theirs = |key: &str| numbers(&case[engine][key]);
            let errors = [
                relative_difference(&theirs("mass_matrix"), &full_mass_matrix(model, &data)),
                relative_difference(&theirs("bias"), &bias),
                relative_difference(&theirs("acceleration"), &acceleration),
                relative_difference(&theirs("acceleration"), &factored),
            ];
            let worst = errors.iter().fold(0.0f64, |m, e| m.max(*e));
            assert!(worst < BOUND, "{} case {number}, {engine}: {errors:?}", fixture["name"]);
        }
    }
}

#[test]
fn mujoco_and_pinocchio_find_the_same_mass_matrix_bias_and_acceleration() {
    for fixture in fixtures() {
        check_dynamics(&fixture, &model(&fixture));
    }
}

#[test]
fn a_model_built_from_bodies_with_several_joints_moves_as_in_mujoco_and_pinocchio() {
    for fixture in fixtures() {
        check_dynamics(&fixture, &built_model(&fixture));
    }
}

#[test]
fn mujoco_finds_the_same_poses() {
    for fixture in fixtures() {
        let model = model(&fixture);
        let links = fixture["links"].as_array().unwrap();
        let mut data = Data::new(&model);
        for case in fixture["cases"].as_array().unwrap() {
            forward_kinematics_all(&model, &mut data, &numbers(&case["q"]), &numbers(&case["v"]));
            for (number, body) in numbers(&fixture["body_order"]).iter().enumerate() {
                let of_body = |link: &Value| link["body"].as_f64() == Some(*body);
                let last = links.iter().rposition(of_body).unwrap();
                let pose = &data.link_pose[last];
                let origin = pose.point(&vector(&links[last]["body_origin"]));
                let position = vector(&case["bodies"]["position"][number]);
                let rotation = matrix(&case["bodies"]["rotation"][number]);
                assert!((origin - position).amax() < 1e-13 * (1.0 + position.norm()));
                assert!((pose.rotation - rotation).amax() < 1e-13);
            }
        }
    }
}
