//! Recordings: what a run did, step by step, as a NumPy archive that needs nothing else to be played or checked.
//!
//! `n` steps, `m` contacts in all of them; arrays of numbers are little-endian doubles unless said otherwise.
//!
//! | array | shape | content |
//! |---|---|---|
//! | `format` | () int64 | version of this layout: 1 |
//! | `timestep`, `gravity` | (), (3) | s; m/s^2 |
//! | `time0`, `qpos0`, `qvel0` | (), (nq), (nv) | state before the first step |
//! | `time`, `qpos`, `qvel` | (n), (n, nq), (n, nv) | state after each step |
//! | `body_names`, `body_mass` | (bodies) text, (bodies) | the world first; kg |
//! | `body_pos0`, `body_quat0` | (bodies, 3), (bodies, 4) | poses before the first step; m; unit quaternions, w first |
//! | `body_pos`, `body_quat` | (n, bodies, 3), (n, bodies, 4) | poses after each step |
//! | `geom_names`, `law_names`, `mode_names` | text | what the indices and codes below mean |
//! | `geom_body` | (geoms) int32 | the body each geom is on, as index into `body_names` |
//! | `contact_ptr` | (n + 1) int64 | step `i` has the contacts `contact_ptr[i] .. contact_ptr[i + 1]` |
//! | `contact_geom1`, `contact_geom2` | (m) int32 | indices into `geom_names` |
//! | `contact_point` | (m, 3) | where the impulse acts, at the step's beginning (m, world) |
//! | `contact_frame` | (m, 3, 3) | rows: unit normal from geom 1 to geom 2, first and second tangent (world) |
//! | `contact_gap` | (m) | at the step's beginning (m); negative when overlapping |
//! | `contact_law` | (m) int32 | index into `law_names` |
//! | `contact_mode` | (m) int32 | index into `mode_names` |
//! | `contact_mu` | (m) | coefficient of friction; 0 when frictionless |
//! | `contact_bias` | (m) | a_n of `0 <= lambda_n  perp  u_n + a_n >= 0` (m/s) |
//! | `contact_drift` | (m, 3) | part of `u` that belts and prescribed motions bring, in the contact frame (m/s) |
//! | `contact_velocity` | (m, 3) | relative velocity `u` of geom 2 against geom 1 after the impulse, drift included, in the contact frame (m/s) |
//! | `contact_impulse` | (m, 3) | on geom 2 (geom 1 takes the opposite), in the contact frame (N s) |
//! | `certificate_*` | (n) | the fields of [`Certificate`] |
//! | `energy`, `kinetic_energy` | (n) | after each step (J) |
//! | `unsolved`, `pivots`, `iterations` | (n) int64 | of the step's contact problems |

use crate::algorithm::{self, Data};
use crate::contact::{Law, Mode};
use crate::model::Model;
use crate::sim::contacts::base_motion;
use crate::sim::npz::NpzWriter;
use crate::sim::{Certificate, Simulation, State, StepReport};
use nalgebra::{Rotation3, UnitQuaternion};
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Layout version.
const FORMAT: i64 = 1;

/// Room reserved ahead for the states of a run is at most this many numbers (64 MiB); longer runs grow as they go.
const RESERVED: usize = 8 << 20;

/// Names of the laws, by code.
const LAW_NAMES: [&str; 2] = ["frictionless", "coulomb"];

/// Names of the contact modes, by code.
const MODE_NAMES: [&str; 3] = ["open", "stick", "slip"];

/// A recording that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: the recording cannot be written: {source}", path.display())]
pub struct RecordError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system says.
    pub source: std::io::Error,
}

/// Contacts of all steps, one entry of each vector per contact (or three, or nine).
#[derive(Debug, Default)]
struct Contacts {
    /// Contacts before each step, and after the last.
    pointer: Vec<i64>,
    geom1: Vec<i32>,
    geom2: Vec<i32>,
    point: Vec<f64>,
    frame: Vec<f64>,
    gap: Vec<f64>,
    law: Vec<i32>,
    mode: Vec<i32>,
    mu: Vec<f64>,
    bias: Vec<f64>,
    drift: Vec<f64>,
    velocity: Vec<f64>,
    impulse: Vec<f64>,
}

/// Positions (3 per body) and orientations (4 per body, w first).
#[derive(Debug, Default)]
struct Poses {
    position: Vec<f64>,
    orientation: Vec<f64>,
}

/// Keeps what a simulation does, step by step. See the module's table for what a recording holds.
#[derive(Debug)]
pub struct Recorder {
    model: Arc<Model>,
    /// For the kinematics of the states it is shown.
    data: Data,
    timestep: f64,
    initial: State,
    initial_poses: Poses,
    time: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    poses: Poses,
    contacts: Contacts,
    certificates: Vec<Certificate>,
    energy: Vec<f64>,
    kinetic_energy: Vec<f64>,
    unsolved: Vec<i64>,
    pivots: Vec<i64>,
    iterations: Vec<i64>,
}

impl Recorder {
    /// A recorder that starts with the simulation's present state and has room for `expected_steps` (more are
    /// fine).
    pub fn new(simulation: &Simulation, expected_steps: usize) -> Self {
        let model = simulation.model().clone();
        let mut data = Data::new(&model);
        let mut initial_poses = Poses::default();
        initial_poses.add(&model, &mut data, &simulation.state);
        let numbers_per_step = model.nq() + model.nv() + 7 * model.bodies.len() + 16;
        let steps = expected_steps.min(RESERVED / numbers_per_step);
        let bodies = model.bodies.len();
        Self {
            data,
            timestep: simulation.timestep(),
            initial: simulation.state.clone(),
            initial_poses,
            time: Vec::with_capacity(steps),
            q: Vec::with_capacity(steps * model.nq()),
            v: Vec::with_capacity(steps * model.nv()),
            poses: Poses {
                position: Vec::with_capacity(3 * steps * bodies),
                orientation: Vec::with_capacity(4 * steps * bodies),
            },
            contacts: Contacts { pointer: vec![0], ..Default::default() },
            certificates: Vec::with_capacity(steps),
            energy: Vec::with_capacity(steps),
            kinetic_energy: Vec::with_capacity(steps),
            unsolved: Vec::with_capacity(steps),
            pivots: Vec::with_capacity(steps),
            iterations: Vec::with_capacity(steps),
            model,
        }
    }

    /// Adds the step that the simulation has just taken, with its report.
    pub fn record(&mut self, simulation: &Simulation, report: &StepReport) {
        let state = &simulation.state;
        self.time.push(state.time);
        self.q.extend_from_slice(&state.q);
        self.v.extend_from_slice(&state.v);
        self.poses.add(&self.model, &mut self.data, state);
        self.contacts.add(simulation);
        self.certificates.push(report.certificate);
        self.energy.push(report.energy);
        self.kinetic_energy.push(report.kinetic_energy);
        self.unsolved.push(report.unsolved as i64);
        self.pivots.push(report.pivots as i64);
        self.iterations.push(report.iterations as i64);
    }

    /// Number of steps recorded.
    pub fn steps(&self) -> usize {
        self.time.len()
    }

    /// Writes the recording as a NumPy archive; an existing file is replaced.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_npz(&self, path: &Path) -> Result<(), RecordError> {
        File::create(path)
            .and_then(|file| self.write(BufWriter::new(file))?.flush())
            .map_err(|source| RecordError { path: path.to_path_buf(), source })
    }

    fn write<W: Write + Seek>(&self, file: W) -> std::io::Result<W> {
        let mut npz = NpzWriter::new(file);
        npz.array("format", &[], &[FORMAT])?;
        self.write_scene(&mut npz)?;
        self.write_states(&mut npz)?;
        self.contacts.write(&mut npz)?;
        self.write_reports(&mut npz)?;
        npz.finish()
    }

    fn write_scene<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let (model, bodies) = (&self.model, &self.model.bodies);
        npz.array("timestep", &[], &[self.timestep])?;
        npz.array("gravity", &[3], model.gravity.as_slice())?;
        npz.strings("body_names", &bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>())?;
        npz.array("body_mass", &[bodies.len()], &bodies.iter().map(|b| b.mass).collect::<Vec<_>>())?;
        npz.strings("geom_names", &model.geoms.iter().map(|g| g.name.as_str()).collect::<Vec<_>>())?;
        let geom_body: Vec<i32> = model.geoms.iter().map(|g| g.body as i32).collect();
        npz.array("geom_body", &[geom_body.len()], &geom_body)?;
        npz.strings("law_names", &LAW_NAMES)?;
        npz.strings("mode_names", &MODE_NAMES)
    }

    fn write_states<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let (n, bodies) = (self.steps(), self.model.bodies.len());
        let (nq, nv) = (self.model.nq(), self.model.nv());
        npz.array("time0", &[], &[self.initial.time])?;
        npz.array("qpos0", &[nq], &self.initial.q)?;
        npz.array("qvel0", &[nv], &self.initial.v)?;
        npz.array("time", &[n], &self.time)?;
        npz.array("qpos", &[n, nq], &self.q)?;
        npz.array("qvel", &[n, nv], &self.v)?;
        npz.array("body_pos0", &[bodies, 3], &self.initial_poses.position)?;
        npz.array("body_quat0", &[bodies, 4], &self.initial_poses.orientation)?;
        npz.array("body_pos", &[n, bodies, 3], &self.poses.position)?;
        npz.array("body_quat", &[n, bodies, 4], &self.poses.orientation)
    }

    fn write_reports<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let n = [self.steps()];
        for (name, field) in CERTIFICATE_FIELDS {
            let values: Vec<f64> = self.certificates.iter().map(field).collect();
            npz.array(&format!("certificate_{name}"), &n, &values)?;
        }
        npz.array("energy", &n, &self.energy)?;
        npz.array("kinetic_energy", &n, &self.kinetic_energy)?;
        npz.array("unsolved", &n, &self.unsolved)?;
        npz.array("pivots", &n, &self.pivots)?;
        npz.array("iterations", &n, &self.iterations)
    }
}

/// Reads one field of a certificate.
type CertificateField = fn(&Certificate) -> f64;

/// The fields of a certificate by name.
const CERTIFICATE_FIELDS: [(&str, CertificateField); 9] = [
    ("residual", |c| c.residual),
    ("penetration", |c| c.penetration),
    ("approach", |c| c.approach),
    ("pull", |c| c.pull),
    ("cone_violation", |c| c.cone_violation),
    ("sliding_power", |c| c.sliding_power),
    ("bilateral", |c| c.bilateral),
    ("contact_work", |c| c.contact_work),
    ("energy_change", |c| c.energy_change),
];

impl Poses {
    /// Appends the poses of all bodies at a state.
    fn add(&mut self, model: &Model, data: &mut Data, state: &State) {
        algorithm::forward_kinematics_all(model, data, &state.q, &state.v);
        for (i, body) in model.bodies.iter().enumerate() {
            let pose = base_motion(model, data, &state.mocap, i).0 * body.pose;
            let rotation = Rotation3::from_matrix_unchecked(pose.rotation);
            let q = UnitQuaternion::from_rotation_matrix(&rotation);
            self.position.extend_from_slice(pose.translation.as_slice());
            self.orientation.extend_from_slice(&[q.w, q.i, q.j, q.k]);
        }
    }
}

impl Contacts {
    /// Appends the contacts of the simulation's last step.
    fn add(&mut self, simulation: &Simulation) {
        for force in simulation.contact_forces() {
            let contact = &force.contact;
            self.geom1.push(contact.geoms[0] as i32);
            self.geom2.push(contact.geoms[1] as i32);
            self.point.extend_from_slice(contact.point.as_slice());
            // The columns of the frame are the rows of the recording.
            self.frame.extend_from_slice(contact.frame.as_slice());
            self.gap.push(contact.gap);
            let (law, mu) = match contact.law {
                Law::Frictionless => (0, 0.0),
                Law::Coulomb { mu } => (1, mu),
            };
            self.law.push(law);
            self.mu.push(mu);
            self.mode.push(match force.mode {
                Mode::Open => 0,
                Mode::Stick => 1,
                Mode::Slip => 2,
            });
            self.bias.push(force.bias);
            self.drift.extend_from_slice(contact.drift.as_slice());
            self.velocity.extend_from_slice(force.velocity.as_slice());
            self.impulse.extend_from_slice(force.impulse.as_slice());
        }
        self.pointer.push(self.gap.len() as i64);
    }

    fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let m = self.gap.len();
        npz.array("contact_ptr", &[self.pointer.len()], &self.pointer)?;
        npz.array("contact_geom1", &[m], &self.geom1)?;
        npz.array("contact_geom2", &[m], &self.geom2)?;
        npz.array("contact_point", &[m, 3], &self.point)?;
        npz.array("contact_frame", &[m, 3, 3], &self.frame)?;
        npz.array("contact_gap", &[m], &self.gap)?;
        npz.array("contact_law", &[m], &self.law)?;
        npz.array("contact_mode", &[m], &self.mode)?;
        npz.array("contact_mu", &[m], &self.mu)?;
        npz.array("contact_bias", &[m], &self.bias)?;
        npz.array("contact_drift", &[m, 3], &self.drift)?;
        npz.array("contact_velocity", &[m, 3], &self.velocity)?;
        npz.array("contact_impulse", &[m, 3], &self.impulse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::mjcf;
    use crate::sim::Settings;
    use crate::sim::npz::tests::{doubles, read_array};
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
        let archive = recorder.write(Cursor::new(Vec::new())).unwrap().into_inner();
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
