//! The reader against MuJoCo: `tests/oracle/mjcf_fixture.py` compiled the same files with it and wrote down poses,
//! masses, joints, geoms, drives, pairs, equalities and keyframes.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;
use std::path::PathBuf;
use stiction::contact::Law;
use stiction::geometry::Shape;
use stiction::model::{Base, BodyId, EqualityKind, GeomId, JointKind, LinkId, Model, Transmission};
use stiction::scene::load;
use stiction::spatial::{Inertia, Transform};

const TOLERANCE: f64 = 1e-12;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixtures() -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("tests/oracle/mjcf.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Runs a check on every scene MuJoCo has compiled.
fn for_each_scene(check: impl Fn(&Value, &Model, &Poses)) {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 15);
    for fixture in &fixtures {
        let file = fixture["file"].as_str().unwrap();
        let model = load(&root().join(file)).unwrap_or_else(|error| panic!("{error}")).model;
        check(fixture, &model, &Poses::new(&model));
    }
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_iterator(list(value))
}

fn rotation(w_first: &[f64]) -> Matrix3<f64> {
    let q = Quaternion::new(w_first[0], w_first[1], w_first[2], w_first[3]);
    UnitQuaternion::from_quaternion(q).to_rotation_matrix().into_inner()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} instead of {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= TOLERANCE * b.abs().max(1.0), "{what}: {found:?} instead of {expected:?}");
    }
}

/// Poses in the world at zero displacement.
struct Poses {
    links: Vec<Transform>,
    bodies: Vec<Transform>,
    geoms: Vec<Transform>,
}

impl Poses {
    fn new(model: &Model) -> Self {
        let mut links: Vec<Transform> = Vec::new();
        for link in &model.links {
            let pose = link.parent.map_or(link.placement, |parent| links[parent.index()] * link.placement);
            links.push(pose);
        }
        let base = |base: Base| match base {
            Base::World => Transform::identity(),
            Base::Link(link) => links[link.index()],
            Base::Mocap(index) => model.mocap_poses[index.index()],
        };
        let bodies = model.bodies.iter().map(|body| base(body.base) * body.pose).collect();
        let geoms = model.geoms.iter().map(|g| base(model.bodies[g.body].base) * g.pose).collect();
        Self { links, bodies, geoms }
    }
}

#[test]
fn bodies_have_the_poses_and_masses_that_mujoco_gives_them() {
    for_each_scene(|fixture, model, poses| {
        let file = &fixture["file"];
        let expected = fixture["bodies"].as_array().unwrap();
        assert_eq!(model.bodies.len(), expected.len() + 1, "{file}");
        for (i, body) in expected.iter().enumerate() {
            let found = &model.bodies[i + 1];
            let what = format!("{file}, body {}", found.name);
            if body["name"] != "" {
                assert_eq!(found.name, body["name"].as_str().unwrap());
            }
            close(poses.bodies[i + 1].translation.as_slice(), &list(&body["position"]), &what);
            let turned = rotation(&list(&body["quaternion"]));
            close(poses.bodies[i + 1].rotation.as_slice(), turned.as_slice(), &what);
            close(&[found.mass], &[body["mass"].as_f64().unwrap()], &what);
            if found.mass > 0.0 {
                close(found.center_of_mass.as_slice(), &list(&body["center_of_mass"]), &what);
            }
        }
    });
}

#[test]
fn all_that_moves_has_the_inertia_that_mujoco_gives_it() {
    for_each_scene(|fixture, model, poses| {
        let mut total = Inertia::zero();
        for (link, pose) in model.links.iter().zip(&poses.links) {
            total += link.inertia.transformed(pose);
        }
        let expected: Vec<f64> = fixture["total_inertia"].as_array().unwrap().iter().flat_map(list).collect();
        close(total.rotational.as_slice(), &expected, &format!("{}, inertia", fixture["file"]));
    });
}

#[test]
fn joints_have_the_coordinates_and_limits_that_mujoco_gives_them() {
    for_each_scene(|fixture, model, poses| {
        let file = &fixture["file"];
        let expected = fixture["joints"].as_array().unwrap();
        assert_eq!(model.links.len(), expected.len(), "{file}");
        assert_eq!(model.nv(), fixture["nv"].as_u64().unwrap() as usize, "{file}");
        let q0 = list(&fixture["qpos0"]);
        for ((joint, link), pose) in expected.iter().zip(&model.links).zip(&poses.links) {
            let what = format!("{file}, joint {}", link.name);
            let axis = match link.kind {
                JointKind::Free => "free",
                JointKind::Ball => "ball",
                JointKind::Hinge { axis } | JointKind::Slide { axis } => {
                    close(pose.vector(&axis).as_slice(), &list(&joint["axis"]), &what);
                    if matches!(link.kind, JointKind::Hinge { .. }) { "hinge" } else { "slide" }
                }
            };
            assert_eq!(axis, joint["type"].as_str().unwrap(), "{what}");
            if axis != "slide" {
                close(pose.translation.as_slice(), &list(&joint["anchor"]), &what);
            }
            match link.range {
                Some(range) => close(&range, &list(&joint["range"]), &what),
                None => assert!(joint["range"].is_null(), "{what}"),
            }
            let dof = &model.dofs[link.v];
            let found = [
                link.reference,
                link.spring_reference,
                link.stiffness,
                dof.damping,
                dof.armature,
                dof.friction_loss,
            ];
            let names =
                ["reference", "spring_reference", "stiffness", "damping", "armature", "friction_loss"];
            close(&found, &names.map(|name| joint[name].as_f64().unwrap()), &what);
            let (q, n) = (link.q, link.kind.nq());
            same_coordinates(link.kind, &model.q0[q..q + n], &q0[q..q + n], &what);
        }
    });
}

/// Equal up to the sign of quaternions.
fn same_coordinates(kind: JointKind, found: &[f64], expected: &[f64], what: &str) {
    let quaternion = match kind {
        JointKind::Free => 3,
        JointKind::Ball => 0,
        JointKind::Hinge { .. } | JointKind::Slide { .. } => found.len(),
    };
    close(&found[..quaternion], &expected[..quaternion], what);
    if quaternion < found.len() {
        close(rotation(&found[quaternion..]).as_slice(), rotation(&expected[quaternion..]).as_slice(), what);
    }
}

#[test]
fn geoms_have_the_shapes_poses_and_contact_parameters_that_mujoco_gives_them() {
    for_each_scene(|fixture, model, poses| {
        let file = &fixture["file"];
        let expected: Vec<&Value> = fixture["geoms"].as_array().unwrap().iter().collect();
        assert_eq!(model.geoms.len(), expected.len(), "{file}");
        for ((geom, found), pose) in expected.iter().zip(&model.geoms).zip(&poses.geoms) {
            let what = format!("{file}, geom {}", found.name);
            if geom["name"] != "" {
                assert_eq!(found.name, geom["name"].as_str().unwrap());
            }
            assert_eq!(found.body.index() as u64, geom["body"].as_u64().unwrap(), "{what}");
            let size = list(&geom["size"]);
            let (kind, sizes) = match &found.shape {
                Shape::Plane => ("mjGEOM_PLANE", vec![]),
                Shape::Sphere { radius } => ("mjGEOM_SPHERE", vec![*radius]),
                Shape::Capsule { radius, half_length } => ("mjGEOM_CAPSULE", vec![*radius, *half_length]),
                Shape::Box { half_extents: h } => ("mjGEOM_BOX", vec![h.x, h.y, h.z]),
                Shape::Cylinder { radius, half_length } => ("mjGEOM_CYLINDER", vec![*radius, *half_length]),
                Shape::Ellipsoid { radii: r } => ("mjGEOM_ELLIPSOID", vec![r.x, r.y, r.z]),
                Shape::Convex(_) => ("mjGEOM_MESH", vec![]),
                Shape::HeightField(_) => ("mjGEOM_HFIELD", vec![]),
            };
            assert_eq!(kind, geom["type"].as_str().unwrap(), "{what}");
            close(&sizes, &size[..sizes.len()], &what);
            if let Shape::Convex(mesh) = &found.shape {
                let points = mesh.vertices().iter().map(|vertex| pose.point(vertex));
                let [low, high] = points.fold(
                    [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)],
                    |[l, h], p| [l.inf(&p), h.sup(&p)],
                );
                let bounds: Vec<f64> =
                    geom["mesh_bounds"].as_array().unwrap().iter().flat_map(list).collect();
                // MuJoCo keeps vertices in single precision.
                let error = (low - Vector3::from_column_slice(&bounds[..3]))
                    .amax()
                    .max((high - Vector3::from_column_slice(&bounds[3..])).amax());
                assert!(error < 1e-6, "{what}: {low} {high} instead of {bounds:?}");
            } else {
                close(pose.translation.as_slice(), &list(&geom["position"]), &what);
                let theirs = Matrix3::from_row_slice(&list(&geom["rotation"]));
                if found.name.starts_with("fitted") {
                    // The signs of principal axes are arbitrary, and equal moments have no axes of their own.
                    close(
                        spread(&pose.rotation, &sizes).as_slice(),
                        spread(&theirs, &sizes).as_slice(),
                        &what,
                    );
                } else {
                    close(pose.rotation.as_slice(), theirs.as_slice(), &what);
                }
            }
            close(&[found.friction], &[geom["friction"].as_f64().unwrap()], &what);
            close(found.surface_velocity.as_slice(), &list(&geom["surface_velocity"]), &what);
            let integers = [
                i64::from(found.contact_dimension),
                i64::from(found.contype),
                i64::from(found.conaffinity),
                i64::from(found.priority),
            ];
            let names = ["condim", "contype", "conaffinity", "priority"];
            assert_eq!(integers, names.map(|name| geom[name].as_i64().unwrap()), "{what}");
            assert_eq!(found.material.as_deref(), geom["material"].as_str(), "{what}");
        }
    });
}

/// A matrix that tells how far a shape with these sizes reaches along all axes, whatever the signs of its own.
fn spread(rotation: &Matrix3<f64>, sizes: &[f64]) -> Matrix3<f64> {
    let [x, z] = [sizes[0], sizes[sizes.len() - 1]];
    let y = if sizes.len() == 3 { sizes[1] } else { x };
    rotation * Matrix3::from_diagonal(&Vector3::new(x * x, y * y, z * z)) * rotation.transpose()
}

#[test]
fn drives_have_the_gains_and_ranges_that_mujoco_gives_them() {
    for_each_scene(|fixture, model, _| {
        let file = &fixture["file"];
        let expected = fixture["actuators"].as_array().unwrap();
        assert_eq!(model.actuators.len(), expected.len(), "{file}");
        for (drive, found) in expected.iter().zip(&model.actuators) {
            let what = format!("{file}, actuator {}", found.name);
            assert_eq!(found.name, drive["name"].as_str().unwrap());
            let joint = drive["joint"].as_u64().unwrap() as usize;
            assert_eq!(found.transmission, Transmission::Joint(LinkId::new(joint)), "{what}");
            close(&found.gear, &list(&drive["gear"]), &what);
            close(&found.gain, &[drive["gain"].as_f64().unwrap(), 0.0, 0.0], &what);
            close(&found.bias, &list(&drive["bias"]), &what);
            for (name, range) in [("control_range", found.control_range), ("force_range", found.force_range)]
            {
                match range {
                    Some(range) => close(&range, &list(&drive[name]), &what),
                    None => assert!(drive[name].is_null(), "{what}"),
                }
            }
        }
    });
}

#[test]
fn pairs_have_the_friction_that_mujoco_gives_them() {
    for_each_scene(|fixture, model, _| {
        let expected = fixture["pairs"].as_array().unwrap();
        assert_eq!(model.pair_rules.len(), expected.len());
        for pair in expected {
            let geoms: Vec<usize> = list(&pair["geoms"]).iter().map(|x| *x as usize).collect();
            match model.pair_law(GeomId::new(geoms[0]), GeomId::new(geoms[1])) {
                Law::Frictionless => assert_eq!(pair["condim"], 1),
                Law::Coulomb { mu } => {
                    assert_eq!(pair["condim"], 3);
                    close(&[mu], &[pair["friction"].as_f64().unwrap()], "pair");
                }
                law => panic!("{law}"),
            }
        }
    });
}

#[test]
fn equalities_hold_the_points_and_frames_that_mujoco_holds() {
    for_each_scene(|fixture, model, _| {
        let file = &fixture["file"];
        let expected = fixture["equalities"].as_array().unwrap();
        assert_eq!(model.equalities.len(), expected.len(), "{file}");
        for (equality, found) in expected.iter().zip(&model.equalities) {
            let what = format!("{file}, equality {}", found.name);
            assert_eq!(found.name, equality["name"].as_str().unwrap());
            let bodies: Vec<usize> = list(&equality["bodies"]).iter().map(|x| *x as usize).collect();
            // The model's points are in the frames of the bodies' bases, MuJoCo's in the bodies'.
            let in_body = |side: usize| model.bodies[bodies[side]].pose.inverse();
            let data = list(&equality["data"]);
            match &found.kind {
                EqualityKind::Connect { bodies: found, anchors } => {
                    assert_eq!(found.map(BodyId::index)[..], bodies[..], "{what}");
                    close(in_body(0).point(&anchors[0]).as_slice(), &data[..3], &what);
                    close(in_body(1).point(&anchors[1]).as_slice(), &data[3..6], &what);
                }
                EqualityKind::Weld { bodies: found, frames } => {
                    assert_eq!(found.map(BodyId::index)[..], bodies[..], "{what}");
                    let (first, second) = (in_body(0) * frames[0], in_body(1) * frames[1]);
                    close(second.translation.as_slice(), &data[..3], &what);
                    close(first.translation.as_slice(), &data[3..6], &what);
                    let relative = first.rotation * second.rotation.transpose();
                    close(relative.as_slice(), rotation(&data[6..]).as_slice(), &what);
                }
                _ => panic!("{what}"),
            }
        }
    });
}

#[test]
fn keyframes_and_constants_are_those_of_mujoco() {
    for_each_scene(|fixture, model, _| {
        let file = fixture["file"].as_str().unwrap();
        assert_eq!(model.timestep, fixture["timestep"].as_f64().unwrap(), "{file}");
        assert_eq!(model.gravity, vector(&fixture["gravity"]), "{file}");
        let expected = fixture["keys"].as_array().unwrap();
        assert_eq!(model.keyframes.len(), expected.len(), "{file}");
        for (key, found) in expected.iter().zip(&model.keyframes) {
            let what = format!("{file}, keyframe {}", found.name);
            assert_eq!(found.name, key["name"].as_str().unwrap());
            assert_eq!(found.time, key["time"].as_f64().unwrap());
            close(&found.q, &list(&key["qpos"]), &what);
            close(&found.v, &list(&key["qvel"]), &what);
            close(&found.ctrl, &list(&key["ctrl"]), &what);
        }
    });
}
