//! The recorder: takes down what a simulation does, step by step, as a [`Recording`].

use crate::contact::Mode;
use crate::dynamics;
use crate::dynamics::Data;
use crate::dynamics::body_motion;
use crate::geometry::{ConvexMesh, HeightField, Shape};
use crate::model::{Base, Model};
use crate::recording::archive::{
    BodyTable, ContactTable, GeomTable, HeightFieldTable, MeshTable, Poses, RecordError, Recording,
    SHAPE_NAMES,
};
use crate::report::StepReport;
use crate::sim::{Simulation, State};
use crate::spatial::Transform;
use std::path::Path;
use std::sync::Arc;

/// Room reserved ahead for the states of a run is at most this many numbers (64 MiB); longer runs grow as they go.
const RESERVED: usize = 8 << 20;

/// Keeps what a simulation does, step by step.
#[derive(Debug)]
pub struct Recorder {
    model: Arc<Model>,
    /// For the kinematics of the states it is shown.
    data: Data,
    recording: Recording,
}

impl Recorder {
    /// A recorder that starts with the simulation's present state and has room for `expected_steps` (more are
    /// fine).
    pub fn new(simulation: &Simulation, expected_steps: usize) -> Self {
        let model = simulation.model().clone();
        let mut data = Data::new(&model);
        let mut poses0 = Poses::default();
        add_body_poses(&mut poses0, &model, &mut data, &simulation.state);
        let (bodies, state) = (model.bodies.len(), &simulation.state);
        let numbers_per_step = model.nq() + model.nv() + 7 * bodies + 16;
        let steps = expected_steps.min(RESERVED / numbers_per_step);
        let (geoms, meshes, height_fields) = shapes(&model);
        let formulation = &simulation.settings().formulation;
        let recording = Recording {
            scene_name: model.name.clone(),
            contact_model: formulation.name().into(),
            solver: formulation.solver_name().into(),
            timestep: simulation.timestep(),
            gravity: model.gravity.as_slice().to_vec(),
            bodies: BodyTable {
                names: model.bodies.iter().map(|b| b.name.clone()).collect(),
                mass: model.bodies.iter().map(|b| b.mass).collect(),
                fixed: model.bodies.iter().map(|b| i32::from(b.base == Base::World)).collect(),
            },
            geoms,
            meshes,
            height_fields,
            time0: state.time,
            qpos0: state.q.clone(),
            qvel0: state.v.clone(),
            poses0,
            time: Vec::with_capacity(steps),
            qpos: Vec::with_capacity(steps * model.nq()),
            qvel: Vec::with_capacity(steps * model.nv()),
            poses: Poses {
                position: Vec::with_capacity(3 * steps * bodies),
                orientation: Vec::with_capacity(4 * steps * bodies),
            },
            contacts: ContactTable { ptr: vec![0], ..Default::default() },
            certificates: Vec::with_capacity(steps),
            energy: Vec::with_capacity(steps),
            kinetic_energy: Vec::with_capacity(steps),
            unsolved: Vec::with_capacity(steps),
            pivots: Vec::with_capacity(steps),
            iterations: Vec::with_capacity(steps),
        };
        Self { model, data, recording }
    }

    /// Adds the step that the simulation has just taken, with its report.
    pub fn record(&mut self, simulation: &Simulation, report: &StepReport) {
        let (state, recording) = (&simulation.state, &mut self.recording);
        recording.time.push(state.time);
        recording.qpos.extend_from_slice(&state.q);
        recording.qvel.extend_from_slice(&state.v);
        add_body_poses(&mut recording.poses, &self.model, &mut self.data, state);
        add_contacts(&mut recording.contacts, simulation);
        recording.certificates.push(report.certificate);
        recording.energy.push(report.energy);
        recording.kinetic_energy.push(report.kinetic_energy);
        recording.unsolved.push(report.unsolved as i64);
        recording.pivots.push(report.pivots as i64);
        recording.iterations.push(report.iterations as i64);
    }

    /// Steps recorded.
    pub fn steps(&self) -> usize {
        self.recording.steps()
    }

    /// What has been recorded.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Writes the recording as a NumPy archive; an existing file is replaced.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_npz(&self, path: &Path) -> Result<(), RecordError> {
        self.recording.write_npz(path)
    }
}

/// Shapes and poses of the geoms, and what their meshes and height fields are.
fn shapes(model: &Model) -> (GeomTable, MeshTable, HeightFieldTable) {
    let mut geoms = GeomTable::default();
    let mut meshes = MeshTable { vertex_ptr: vec![0], triangle_ptr: vec![0], ..Default::default() };
    let mut fields = HeightFieldTable { ptr: vec![0], ..Default::default() };
    for geom in &model.geoms {
        let (kind, size, data) = match &geom.shape {
            Shape::Plane => ("plane", [0.0; 3], -1),
            Shape::Sphere { radius } => ("sphere", [*radius, 0.0, 0.0], -1),
            Shape::Capsule { radius, half_length } => ("capsule", [*radius, *half_length, 0.0], -1),
            Shape::Box { half_extents } => ("box", (*half_extents).into(), -1),
            Shape::Cylinder { radius, half_length } => ("cylinder", [*radius, *half_length, 0.0], -1),
            Shape::Ellipsoid { radii } => ("ellipsoid", (*radii).into(), -1),
            Shape::Convex(mesh) => ("mesh", [0.0; 3], add_mesh(&mut meshes, mesh)),
            Shape::HeightField(field) => {
                let [x, y] = field.half_size();
                ("hfield", [x, y, field.base()], add_height_field(&mut fields, field))
            }
        };
        let pose = model.bodies[geom.body].pose.inverse() * geom.pose;
        geoms.names.push(geom.name.clone());
        geoms.body.push(geom.body as i32);
        geoms.kind.push(SHAPE_NAMES.iter().position(|&name| name == kind).map_or(-1, |code| code as i32));
        geoms.size.extend_from_slice(&size);
        geoms.data.push(data);
        add_pose(&mut geoms.poses, &pose);
        geoms.rgba.extend_from_slice(&geom.color.unwrap_or([f64::NAN; 4]));
    }
    (geoms, meshes, fields)
}

/// Appends a mesh; returns its number.
fn add_mesh(meshes: &mut MeshTable, mesh: &ConvexMesh) -> i32 {
    meshes.vertex.extend(mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]));
    meshes.triangle.extend(mesh.triangles().iter().flatten().map(|&i| i as i32));
    meshes.vertex_ptr.push((meshes.vertex.len() / 3) as i64);
    meshes.triangle_ptr.push((meshes.triangle.len() / 3) as i64);
    meshes.vertex_ptr.len() as i32 - 2
}

/// Appends a height field; returns its number.
fn add_height_field(fields: &mut HeightFieldTable, field: &HeightField) -> i32 {
    fields.grid.extend(field.grid().map(|n| n as i64));
    fields.height.extend_from_slice(field.heights());
    fields.ptr.push(fields.height.len() as i64);
    fields.ptr.len() as i32 - 2
}

fn add_pose(poses: &mut Poses, pose: &Transform) {
    poses.position.extend_from_slice(pose.translation.as_slice());
    poses.orientation.extend_from_slice(&pose.quaternion());
}

/// Appends the poses of all bodies at a state.
fn add_body_poses(poses: &mut Poses, model: &Model, data: &mut Data, state: &State) {
    dynamics::forward_kinematics_all(model, data, &state.q, &state.v);
    for i in 0..model.bodies.len() {
        add_pose(poses, &body_motion(model, data, &state.mocap, i).0);
    }
}

/// Appends the contacts of the simulation's last step.
fn add_contacts(contacts: &mut ContactTable, simulation: &Simulation) {
    for force in simulation.contact_forces() {
        let contact = &force.contact;
        contacts.geom1.push(contact.geoms[0] as i32);
        contacts.geom2.push(contact.geoms[1] as i32);
        contacts.point.extend_from_slice(contact.point.as_slice());
        // The columns of the frame are the rows of the recording.
        contacts.frame.extend_from_slice(contact.frame.as_slice());
        contacts.gap.push(contact.gap);
        contacts.law.push(contact.law.kind() as i32);
        contacts.mu.push(contact.law.mu());
        contacts.mode.push(match force.mode {
            Mode::Open => 0,
            Mode::Stick => 1,
            Mode::Slip => 2,
        });
        contacts.margin.push(force.margin.unwrap_or(f64::NAN));
        contacts.restitution.push(contact.restitution);
        contacts.bias.push(force.bias);
        contacts.preload.push(force.preload);
        contacts.drift.extend_from_slice(contact.drift.as_slice());
        contacts.velocity.extend_from_slice(force.velocity.as_slice());
        contacts.impulse.extend_from_slice(force.impulse.as_slice());
    }
    contacts.ptr.push(contacts.gap.len() as i64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::npz::tests::{doubles, read_array};
    use crate::report::Certificate;
    use crate::scene::mjcf;
    use crate::sim::Settings;
    use std::io::Cursor;

    /// A block that slides down a slope, and a frictionless ball that falls on it.
    const SCENE: &str = r#"<mujoco>
      <option timestep="0.005"/>
      <worldbody>
        <geom name="slope" type="plane" size="9 9 1" euler="0 20 0" friction="0.2"/>
        <body name="block" pos="0 0 0.2" euler="0 20 0">
          <freejoint/><geom name="block" type="box" size="0.1 0.1 0.1" mass="1" friction="0.2"/>
        </body>
        <body name="ball" pos="0 1 0.3">
          <freejoint/><geom name="ball" type="sphere" size="0.1" mass="2"/>
        </body>
      </worldbody>
      <contact><pair geom1="slope" geom2="ball" condim="1"/></contact>
    </mujoco>"#;

    fn recorded(steps: usize) -> (Recorder, Vec<StepReport>, Vec<u8>) {
        let scene = mjcf::parse(SCENE, "record.xml").unwrap();
        let mut simulation = Simulation::new(Arc::new(scene.model), Settings::default()).unwrap();
        let mut recorder = Recorder::new(&simulation, steps);
        let mut reports = Vec::new();
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            recorder.record(&simulation, &report);
            reports.push(report);
        }
        let archive = recorder.recording.write(Cursor::new(Vec::new())).unwrap().into_inner();
        (recorder, reports, archive)
    }

    fn numbers(archive: &[u8], name: &str) -> Vec<f64> {
        let (descr, _, data) = read_array(archive, name);
        match descr.as_str() {
            "<f8" => doubles(&data),
            "<i4" => data.chunks(4).map(|b| f64::from(i32::from_le_bytes(b.try_into().unwrap()))).collect(),
            _ => data.chunks(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64).collect(),
        }
    }

    #[test]
    fn every_contact_certificate_can_be_recomputed_from_the_file_alone() {
        let (_, reports, archive) = recorded(80);
        let get = |name: &str| numbers(&archive, name);
        let (h, pointer) = (get("timestep")[0], get("contact_ptr"));
        let (velocity, impulse) = (get("contact_velocity"), get("contact_impulse"));
        let (bias, mu, gap) = (get("contact_bias"), get("contact_mu"), get("contact_gap"));
        assert_eq!(pointer.len(), 81);
        assert!(mu.contains(&0.0) && mu.contains(&0.2), "{mu:?}");
        for (i, report) in reports.iter().enumerate() {
            let mut found = Certificate::default();
            let worse = |worst: &mut f64, value: f64| *worst = worst.max(value);
            for j in pointer[i] as usize..pointer[i + 1] as usize {
                let (u, l) = (&velocity[3 * j..3 * j + 3], &impulse[3 * j..3 * j + 3]);
                worse(&mut found.approach, -(u[0] + bias[j]));
                worse(&mut found.pull, -l[0] / h);
                worse(&mut found.cone_violation, (libm::hypot(l[1], l[2]) - mu[j] * l[0].max(0.0)) / h);
                worse(&mut found.sliding_power, (l[1] * u[1] + l[2] * u[2]) / h);
                worse(&mut found.penetration, -gap[j]);
            }
            let c = report.certificate;
            assert_eq!(report.contacts, (pointer[i + 1] - pointer[i]) as usize);
            assert_eq!(
                (found.approach, found.pull, found.cone_violation, found.sliding_power, found.penetration),
                (c.approach, c.pull, c.cone_violation, c.sliding_power, c.penetration)
            );
        }
        let residuals: Vec<f64> = reports.iter().map(|r| r.certificate.residual).collect();
        assert_eq!(get("certificate_residual"), residuals);
        assert_eq!(get("energy"), reports.iter().map(|r| r.energy).collect::<Vec<_>>());
    }

    #[test]
    fn impulses_and_gravity_in_the_file_explain_the_change_of_momentum() {
        let (_, _, archive) = recorded(80);
        let get = |name: &str| numbers(&archive, name);
        let (h, pointer, frame) = (get("timestep")[0], get("contact_ptr"), get("contact_frame"));
        let (impulse, first, v) = (get("contact_impulse"), get("contact_geom1"), get("qvel"));
        let (names, mass) = (read_array(&archive, "geom_names").2, &get("body_mass")[1..]);
        assert_eq!(names[0], b's', "the slope is geom 0");
        assert_eq!(mass, [1.0, 2.0]);
        let mut touching = 0;
        for i in 1..80 {
            let contacts = pointer[i] as usize..pointer[i + 1] as usize;
            touching += usize::from(!contacts.is_empty());
            for axis in 0..3 {
                let momentum =
                    |step: usize| mass[0] * v[12 * step + axis] + mass[1] * v[12 * step + 6 + axis];
                let gravity = if axis == 2 { -9.81 * h * 3.0 } else { 0.0 };
                // The impulse is on the second geom; it counts for the bodies unless that is the slope.
                let along =
                    |j: usize| (0..3).map(|r| frame[9 * j + 3 * r + axis] * impulse[3 * j + r]).sum::<f64>();
                let contact: f64 =
                    contacts.clone().map(|j| if first[j] == 0.0 { along(j) } else { -along(j) }).sum();
                let change = momentum(i) - momentum(i - 1);
                assert!((change - gravity - contact).abs() < 1e-12, "step {i}: {change} {gravity} {contact}");
            }
        }
        assert!(touching > 40, "{touching}");
    }

    #[test]
    fn poses_agree_with_the_configurations_of_free_bodies() {
        let (recorder, _, archive) = recorded(40);
        let (q, position) = (numbers(&archive, "qpos"), numbers(&archive, "body_pos"));
        let orientation = numbers(&archive, "body_quat");
        for step in 0..recorder.steps() {
            for body in 0..2 {
                let q = &q[14 * step + 7 * body..14 * step + 7 * body + 7];
                let start = 3 * (3 * step + body + 1);
                for axis in 0..3 {
                    assert!((position[start + axis] - q[axis]).abs() < 1e-15);
                }
                let start = 4 * (3 * step + body + 1);
                let dot: f64 = orientation[start..start + 4].iter().zip(&q[3..]).map(|(a, b)| a * b).sum();
                assert!((dot.abs() - 1.0).abs() < 1e-14);
            }
        }
        let (descr, shape, _) = read_array(&archive, "body_quat");
        assert_eq!((descr.as_str(), shape.as_str()), ("<f8", "40, 3, 4"));
        assert_eq!(read_array(&archive, "body_names").0, "<U5");
    }

    #[test]
    fn a_recording_without_a_step_is_complete_and_a_bad_path_is_an_error() {
        let (recorder, _, archive) = recorded(0);
        assert_eq!(numbers(&archive, "contact_ptr"), [0.0]);
        assert_eq!(read_array(&archive, "qpos").1, "0, 14");
        assert_eq!(numbers(&archive, "qpos0").len(), 14);
        let error = recorder.write_npz(Path::new("/nonexistent/a.npz")).unwrap_err();
        assert!(error.to_string().starts_with("/nonexistent/a.npz: "));
    }
}
