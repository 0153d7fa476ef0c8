//! Tests of the archive as a whole: what is written is read back, and what is damaged is refused.

use super::npz::NpzWriter;
use super::{ContactTable, Recorder, Recording, SHAPE_NAMES};
use crate::geometry::{ConvexMesh, HeightField, Shape};
use crate::model::{BodyHandle, BodySpec, GeomSpec, JointSpec, ModelBuilder};
use crate::sim::{Settings, Simulation, Stepper};
use crate::spatial::Transform;
use nalgebra::Vector3;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// Every shape there is, one with a colour; a ball rests on the floor.
fn recorded(steps: usize) -> Recording {
    let points: Vec<Vector3<f64>> =
        (0..8).map(|i| Vector3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    let field = HeightField::new([2.0, 1.0], 0.5, [2, 3], vec![0.0, 0.1, 0.2, 0.3, 0.2, 0.1]).unwrap();
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.1, half_length: 0.2 },
        Shape::Box { half_extents: Vector3::new(0.1, 0.2, 0.3) },
        Shape::Cylinder { radius: 0.1, half_length: 0.2 },
        Shape::Ellipsoid { radii: Vector3::new(0.1, 0.2, 0.3) },
        Shape::Convex(Arc::new(ConvexMesh::from_points(&points).unwrap())),
    ];
    let mut builder = ModelBuilder::new("shapes");
    let red = Some([0.8, 0.1, 0.1, 0.5]);
    builder.add_geom(BodyHandle::WORLD, GeomSpec { color: red, ..GeomSpec::new(Shape::Plane) }).unwrap();
    let mut ground = GeomSpec::new(Shape::HeightField(Arc::new(field)));
    ground.pose.translation = Vector3::new(50.0, 0.0, 9.0);
    builder.add_geom(BodyHandle::WORLD, ground).unwrap();
    for (i, shape) in shapes.into_iter().enumerate() {
        let height = if i == 0 { 0.1 } else { 5.0 };
        let place = Vector3::new(3.0 * i as f64, 0.0, height);
        let body = BodySpec {
            name: format!("größe {i}"),
            pose: Transform::from_translation(place),
            joints: vec![JointSpec::free()],
            geoms: vec![GeomSpec::new(shape)],
            ..BodySpec::default()
        };
        builder.add_body(BodyHandle::WORLD, body).unwrap();
    }
    let mut simulation = Simulation::new(Arc::new(builder.build().unwrap()), Settings::default()).unwrap();
    let mut recorder = Recorder::new(&simulation, steps);
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        recorder.record(&simulation, &report);
    }
    recorder.recording().clone()
}

/// A pendulum that rests on its lower limit against joint friction, coupled to one that is free to move.
fn with_rows(steps: usize) -> Recording {
    let scene = crate::scene::mjcf::parse(
        r#"<mujoco><compiler angle="radian"/><option timestep="0.01"/><worldbody>
        <body><joint name="stopped" axis="0 -1 0" range="0 2" frictionloss="0.5"/>
          <geom type="sphere" pos="1 0 0" size="0.1" mass="2"/></body>
        <body pos="0 5 0"><joint name="moved" axis="0 1 0"/><geom type="sphere" pos="0 0 -1" size="0.1" mass="1"/></body></worldbody>
        <tendon><fixed name="line" damping="0.5"><joint joint="stopped" coef="1"/><joint joint="moved" coef="1"/></fixed></tendon>
        <equality><joint name="held" joint1="moved" polycoef="0.1"/></equality></mujoco>"#,
        "rows.xml",
    );
    let model = scene.unwrap().model;
    // One act of each row in a step.
    let settings = Settings { stepper: Stepper::TimeStepping, ..Settings::default() };
    let mut simulation = Simulation::new(Arc::new(model), settings).unwrap();
    let mut recorder = Recorder::new(&simulation, steps);
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        recorder.record(&simulation, &report);
    }
    recorder.recording().clone()
}

fn archive(recording: &Recording) -> Vec<u8> {
    recording.write(Cursor::new(Vec::new())).unwrap().into_inner()
}

fn problem(bytes: &[u8]) -> String {
    Recording::read(Cursor::new(bytes)).unwrap_err().to_string()
}

#[test]
fn a_recording_that_is_read_back_is_the_one_that_was_written() {
    for steps in [0, 20] {
        let recording = recorded(steps);
        let bytes = archive(&recording);
        let read = Recording::read(Cursor::new(&bytes[..])).unwrap();
        assert_eq!(archive(&read), bytes);
        assert_eq!(recording.size(), bytes.len() as u64);
        assert_eq!(read.poses, recording.poses);
        // Impulses have no sustained force, and what is not a number equals nothing.
        let bits = |r: &Recording| r.contacts.sustained.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read), bits(&recording));
        let others = |r: &Recording| ContactTable { sustained: Vec::new(), ..r.contacts.clone() };
        assert_eq!(others(&read), others(&recording));
        assert_eq!((&read.rows, &read.run.sources), (&recording.rows, &recording.run.sources));
        assert_eq!(read.certificates, recording.certificates);
        assert_eq!(read.works, recording.works);
        assert_eq!(read.run.bodies, recording.run.bodies);
        assert_eq!(
            (read.run.meshes, read.run.height_fields),
            (recording.run.meshes, recording.run.height_fields)
        );
    }
}

#[test]
fn rows_are_recorded_with_their_laws_sources_and_impulses() {
    let recording = with_rows(3);
    assert_eq!(recording.run.sources.names, ["stopped", "moved", "line", "held"]);
    assert_eq!(recording.joints.source[recording.joints.of_step(0)], [0, 1]);
    assert_eq!(recording.tendon_tension.len(), recording.steps());
    assert_eq!(recording.run.sources.kind, [0, 0, 1, 3]);
    let rows = &recording.rows;
    assert_eq!(rows.ptr, [0, 4, 8, 12]);
    let last = rows.of_step(2);
    let of = |law: i32| last.clone().find(|&row| rows.law[row] == law).unwrap();
    let [limit, friction, equality, action] = [0, 1, 2, 3].map(of);
    // The limit and joint friction together carry the weight, 2 kg at 1 m; friction bears at most its bound.
    assert_eq!((rows.source[limit], rows.number[limit], rows.angular[limit]), (0, 0, 1));
    let torque = (rows.impulse[limit] + rows.impulse[friction]) / 0.01;
    assert!((torque - 2.0 * 9.81).abs() < 1e-9, "{torque}");
    assert_eq!([rows.lower[limit], rows.upper[limit]], [0.0, f64::INFINITY]);
    assert_eq!([rows.lower[friction], rows.upper[friction]], [-0.005, 0.005]);
    assert!(rows.impulse[friction].abs() <= 0.005 + 1e-12);
    // A pendulum of 1 kg that is held at 0.1 rad.
    assert_eq!((rows.source[equality], rows.angular[equality]), (3, 1));
    let torque = rows.impulse[equality] / 0.01;
    assert!((torque - 9.81 * libm::sin(0.1)).abs() < 1e-6, "{torque}");
    // The implicit damper gives way like 1 / (h d).
    assert_eq!(rows.source[action], 2);
    assert!((rows.compliance[action] - 1.0 / (0.01 * 0.5)).abs() < 1e-9);
    for row in [equality, action] {
        let left = rows.velocity[row] + rows.compliance[row] * rows.impulse[row];
        assert!(left.abs() < 1e-12, "{left}");
    }

    let bytes = archive(&recording);
    let read = Recording::read(Cursor::new(&bytes[..])).unwrap();
    assert_eq!((&read.rows, &read.run.sources), (rows, &recording.run.sources));
    type Damage = (&'static str, fn(&mut Recording));
    let damages: [Damage; 9] = [
        ("'moved_ptr' has 2 entries for 3 steps", |r| r.moved.ptr = vec![0, 0]),
        ("'moved_body' has the index 9", |r| {
            *r.moved.ptr.last_mut().unwrap() += 1;
            r.moved.body.push(9);
            r.moved.pos.extend([0.0; 3]);
            r.moved.quat.extend([1.0, 0.0, 0.0, 0.0]);
        }),
        ("'row_law' has the index 4", |r| r.rows.law[0] = 4),
        ("'row_source' has the index -1", |r| r.rows.source[1] = -1),
        ("'source_kind' has the index 4", |r| r.run.sources.kind[3] = 4),
        ("'row_impulse' has the number NaN at place 2", |r| r.rows.impulse[2] = f64::NAN),
        ("'row_lower' has the number 1", |r| r.rows.lower[0] = 1.0),
        ("'row_upper' has the number NaN", |r| r.rows.upper[0] = f64::NAN),
        ("'row_ptr' has 2 entries for 3 steps", |r| r.rows.ptr = vec![0, 12]),
    ];
    for (expected, damage) in damages {
        let mut damaged = recording.clone();
        damage(&mut damaged);
        let found = problem(&archive(&damaged));
        assert!(found.starts_with("not a recording: ") && found.contains(expected), "{found}\n{expected}");
    }
}

#[test]
fn shapes_are_recorded_with_what_draws_them() {
    let recording = recorded(2);
    let geoms = &recording.run.geoms;
    let kinds: Vec<&str> = geoms.kind.iter().map(|&kind| SHAPE_NAMES[kind as usize]).collect();
    let expected = ["plane", "hfield", "sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"];
    assert_eq!(kinds, expected);
    assert_eq!(geoms.size[3..6], [2.0, 1.0, 0.5]);
    assert_eq!(geoms.size[9..12], [0.1, 0.2, 0.0]);
    assert_eq!(geoms.rgba[..4], [0.8, 0.1, 0.1, 0.5]);
    assert!(geoms.rgba[4..].iter().all(|x| x.is_nan()));
    assert_eq!(recording.run.bodies.fixed, [1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(recording.run.meshes.vertex_ptr, [0, 8]);
    assert_eq!(recording.run.meshes.triangle.len(), 36);
    assert_eq!(recording.run.height_fields.height, [0.0, 0.1, 0.2, 0.3, 0.2, 0.1]);
    assert_eq!(recording.contacts.sums().of_step(1).len(), 1);
}

#[test]
fn a_recording_that_contradicts_itself_is_refused_with_the_array_named() {
    type Damage = (&'static str, fn(&mut Recording));
    let damages: [Damage; 14] = [
        ("array 'timestep' is 0", |r| r.run.timestep = 0.0),
        ("'body_pos' has the number NaN at place 4", |r| r.poses.position[4] = f64::NAN),
        ("'contact_mu' has the number -1", |r| r.contacts.mu[0] = -1.0),
        ("'contact_margin' has the number inf", |r| r.contacts.margin[0] = f64::INFINITY),
        ("'contact_impulse' has the number inf", |r| r.contacts.impulse[0] = f64::INFINITY),
        ("'geom_body' has the index 7, and there are 7", |r| r.run.geoms.body[3] = 7),
        ("'geom_type' has the index -1", |r| r.run.geoms.kind[3] = -1),
        ("'geom_data' has the index 1, and there are 1", |r| r.run.geoms.data[7] = 1),
        ("'mesh_triangle' has the index 8", |r| r.run.meshes.triangle[5] = 8),
        ("'hfield_grid' is 3 by 3 for a field of 6", |r| r.run.height_fields.grid[0] = 3),
        ("'contact_mode' has the index 3", |r| r.contacts.mode[0] = 3),
        ("'contact_geom2' has the index 99", |r| r.contacts.geom2[0] = 99),
        ("'contact_ptr' does not rise from 0", |r| r.contacts.ptr[1] = 100),
        ("'contact_ptr' has 2 entries for 3 steps", |r| r.contacts.ptr = vec![0, 3]),
    ];
    for (expected, damage) in damages {
        let mut recording = recorded(3);
        damage(&mut recording);
        let found = problem(&archive(&recording));
        assert!(found.starts_with("not a recording: ") && found.contains(expected), "{found}\n{expected}");
    }
}

#[test]
fn files_that_are_not_recordings_say_what_they_are() {
    assert!(problem(b"").starts_with("not a recording: not a NumPy archive: "));
    assert!(problem(b"<mujoco/>").starts_with("not a recording: not a NumPy archive: "));

    let with = |write: fn(&mut NpzWriter<Cursor<Vec<u8>>>) -> std::io::Result<()>| {
        let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
        write(&mut npz).unwrap();
        problem(&npz.finish().unwrap().into_inner())
    };
    let found = with(|npz| npz.array("x", &[], &[1.0]));
    assert_eq!(found, "not a recording: the array 'format' is missing");
    let found = with(|npz| npz.array("format", &[], &[1_i64]));
    assert!(found.contains("version 1") && found.contains("stiction run SCENE --out"), "{found}");
    let found = with(|npz| npz.array("format", &[], &[2_i32]));
    assert_eq!(found, "not a recording: array 'format' has elements of type '<i4' and not '<i8'");
    let found = with(|npz| npz.array("format", &[2], &[2_i64, 2]));
    assert_eq!(found, "not a recording: array 'format' has the shape [2] and not []");
    let found = with(|npz| npz.array("format", &[], &[13_i64]));
    assert_eq!(found, "not a recording: the array 'geom_names' is missing");

    let missing = Recording::read_npz(Path::new("/nonexistent/a.npz")).unwrap_err().to_string();
    assert!(missing.starts_with("/nonexistent/a.npz: cannot be read: "), "{missing}");
}

#[test]
fn damaged_bytes_are_refused_or_read_but_never_a_panic() {
    let bytes = archive(&recorded(2));
    let mut random = 1_u32;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    let mut refused = 0;
    for _ in 0..400 {
        let mut damaged = bytes.clone();
        for _ in 0..=next(20) {
            let at = next(damaged.len());
            damaged[at] = next(256) as u8;
        }
        damaged.truncate(bytes.len() - next(2) * next(bytes.len()));
        refused += usize::from(Recording::read(Cursor::new(&damaged[..])).is_err());
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn arrays_of_another_recording_are_refused_though_they_fit() {
    let (mut one, two) = (recorded(5), with_rows(5));
    assert_ne!(one.run.fingerprint, two.run.fingerprint);
    let mut other = one.clone();
    other.energy[3] += 1e-9;
    let entry = |bytes: &[u8], name: &str| {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut archive.by_name(name).unwrap(), &mut content).unwrap();
        content
    };
    // An archive as others write it: the same arrays in another order, then with one of the other recording.
    let written = archive(&one);
    let mut names: Vec<String> = zip::ZipArchive::new(Cursor::new(&written[..]))
        .unwrap()
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    names.sort();
    let mixed = |energy: &[u8]| {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for name in &names {
            zip.start_file(name.as_str(), options).unwrap();
            let content = entry(if name == "energy.npy" { energy } else { &written }, name);
            std::io::Write::write_all(&mut zip, &content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    assert_eq!(archive(&Recording::read(Cursor::new(mixed(&written))).unwrap()), written);
    assert!(problem(&mixed(&archive(&other))).contains("'checksum' is not that of the other arrays"));
    one.run.fingerprint = 0x00ab;
    assert_eq!(Recording::read(Cursor::new(archive(&one))).unwrap().run.fingerprint, 0xab);
}

#[test]
fn every_damaged_archive_is_refused_or_holds_what_was_recorded() {
    let recording = with_rows(4);
    let whole = archive(&recording);
    let mut seed: u64 = 7;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut refused = 0;
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        match random(4) {
            0 => bytes.truncate(random(whole.len())),
            1 => bytes[random(whole.len())] ^= 1 << random(8),
            2 => bytes[random(whole.len())] = random(256) as u8,
            _ => {
                let (from, to, length) = (random(whole.len()), random(whole.len()), 1 + random(64));
                let piece = whole[from..whole.len().min(from + length)].to_vec();
                bytes.splice(to..to, piece);
            }
        }
        match Recording::read(Cursor::new(&bytes[..])) {
            Ok(read) => assert_eq!(archive(&read), whole),
            Err(error) => {
                refused += 1;
                assert!(error.to_string().len() <= 300, "{error}");
            }
        }
    }
    assert!(refused > 2000, "{refused}");
}
