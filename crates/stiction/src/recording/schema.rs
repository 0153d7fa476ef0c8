//! The archive of a recording: its arrays, and how they are written and read.
//!
//! `n` steps, `m` contacts in all of them; arrays of numbers are little-endian doubles unless said otherwise.
//!
//! | array | shape | content |
//! |---|---|---|
//! | `format` | () int64 | version of this layout: 13 (1 had neither shapes nor the texts about the run, 2 no margins, 3 no restitution, 4 no viscosity and a shorter certificate, 5 no velocity before the impulse, no sustained forces and no work, 6 no velocity before the step and no works by cause, and its margins could be NaN, 7 no rows but those of contacts, 8 neither fingerprint nor checksum nor moved bodies, 9 nothing of what joints, drives and tendons transmit, 10 neither `after` nor `duration`, 12 neither acts nor slips) |
//! | `fingerprint` | (1) text | 16 hexadecimal digits that tell the model from others ([`Model::fingerprint`](crate::model::Model::fingerprint)) |
//! | `scene_name`, `contact_model`, `solver` | (1) text | what was simulated, and how |
//! | `timestep`, `gravity` | (), (3) | s; m/s^2 |
//! | `time0`, `qpos0`, `qvel0` | (), (nq), (nv) | state before the first step |
//! | `time`, `qpos`, `qvel` | (n), (n, nq), (n, nv) | state after each step |
//! | `body_names`, `body_mass` | (bodies) text, (bodies) | the world first; kg |
//! | `body_fixed` | (bodies) int32 | 1 for the world and what is fixed to it |
//! | `body_pos0`, `body_quat0` | (bodies, 3), (bodies, 4) | poses before the first step; m; unit quaternions, w first |
//! | `body_pos`, `body_quat` | (n, bodies, 3), (n, bodies, 4) | poses after each step |
//! | `moved_ptr` | (n + 1) int64 | step `i` began with the removal of overlap, which moved the bodies `moved_ptr[i] .. moved_ptr[i + 1]` |
//! | `moved_body` | (k) int32 | index into `body_names`, in rising order within a step |
//! | `moved_pos`, `moved_quat` | (k, 3), (k, 4) | their poses after that, at which contacts and rows were posed |
//! | `geom_names`, `law_names`, `mode_names`, `shape_names` | text | what the indices and codes below mean |
//! | `geom_body` | (geoms) int32 | the body each geom is on, as index into `body_names` |
//! | `geom_type` | (geoms) int32 | index into `shape_names` |
//! | `geom_size` | (geoms, 3) | m: sphere `r`; capsule and cylinder `r, half length`; box half edges; ellipsoid radii; height field half sizes and depth of the base; unused numbers are 0 |
//! | `geom_data` | (geoms) int32 | which mesh or height field; -1 for other shapes |
//! | `geom_pos`, `geom_quat` | (geoms, 3), (geoms, 4) | pose in the frame of the geom's body |
//! | `geom_rgba` | (geoms, 4) | colour and opacity, 0 to 1; NaN where the scene gives none |
//! | `mesh_vertex`, `mesh_vertex_ptr` | (v, 3), (meshes + 1) int64 | mesh `i` has the vertices `ptr[i] .. ptr[i + 1]`, in the geom's frame (m) |
//! | `mesh_triangle`, `mesh_triangle_ptr` | (t, 3) int32, (meshes + 1) int64 | vertices of each facet, counted from the mesh's first, counter-clockwise from outside |
//! | `hfield_grid`, `hfield_ptr` | (fields, 2) int64, (fields + 1) int64 | rows (along y) and columns (along x); first height of each |
//! | `hfield_height` | (heights) | row by row from the corner of lowest x and y (m) |
//! | `contact_ptr` | (n + 1) int64 | step `i` has the acts of contacts `contact_ptr[i] .. contact_ptr[i + 1]`; a contact that acts several times in it (at both ends, in each part, in each impact, or what is carried between impacts) has as many, which follow each other and add up |
//! | `contact_act` | (m) int32 | number of the act among those of its contact in the step; 0 begins another contact |
//! | `contact_geom1`, `contact_geom2` | (m) int32 | indices into `geom_names` |
//! | `contact_point` | (m, 3) | where the impulse acts, at the pose of the act: of time stepping the step's beginning (m, world) |
//! | `contact_frame` | (m, 3, 3) | rows: unit normal from geom 1 to geom 2, first and second tangent (world) |
//! | `contact_gap` | (m) | there (m); negative when overlapping |
//! | `contact_law` | (m) int32 | index into `law_names` |
//! | `contact_mode` | (m) int32 | index into `mode_names` |
//! | `contact_mu` | (m) | coefficient of dry friction; 0 without, infinite without slip |
//! | `contact_viscosity` | (m) | coefficient of viscous friction (N s/m); 0 without |
//! | `contact_margin` | (m) | friction needed over friction available (see [`ContactForce::margin`](crate::report::ContactForce::margin)); 0 where nothing is carried, -1 where there is no dry friction |
//! | `contact_restitution` | (m) | coefficient of restitution |
//! | `contact_bias` | (m) | a_n of `0 <= lambda_n - p  perp  u_n + a_n >= 0` (m/s); negative where Newton's impact law makes bodies part |
//! | `contact_preload` | (m) | `p` there: what Poisson's impact law gives in any case (N s) |
//! | `contact_drift` | (m, 3) | part of `u` that belts and prescribed motions bring, in the contact frame (m/s) |
//! | `contact_velocity` | (m, 3) | relative velocity `u` of geom 2 against geom 1 of which the laws hold, drift included, in the contact frame (m/s) ([`ContactForce::velocity`](crate::report::ContactForce::velocity)) |
//! | `contact_before` | (m, 3) | the same before the impulse, as bilateral constraints and applied forces alone would have it at the step's end; right before an impact of the event-driven stepper |
//! | `contact_start` | (m, 3) | the same before the step ([`ContactForce::start`](crate::report::ContactForce::start)); right before an impact of the event-driven stepper |
//! | `contact_after` | (m, 3) | that of the bodies after the impulse (m/s): `contact_velocity`, but where the laws hold of displacements |
//! | `contact_duration` | (m) | how long the forces of which the impulse is the sum act (s): the step, or a part of it |
//! | `contact_impulse` | (m, 3) | on geom 2 (geom 1 takes the opposite), in the contact frame (N s) |
//! | `contact_sustained` | (m, 3) | of what acts as a force for a while ([`ContactForce::sustained`](crate::report::ContactForce::sustained)): that force at the instant of `contact_velocity` (N), which the laws are about; NaN for impulses |
//! | `contact_work` | (m) | on both bodies: of an impulse `1/2 impulse . (before + after)`; of a force the integral of its power (J) |
//! | `contact_normal_work`, `contact_friction_work` | (m) | what the normal force and friction did along the relative velocity: of an impulse `1/2 impulse . (start + after)`; of a force the integral of its power (J) |
//! | `contact_slip`, `contact_shift` | (m) | how far a contact that sticks slipped over the step, and since it sticks, as poses show it (m); the same of all its acts, 0 of other contacts |
//! | `source_names`, `source_kind` | (elements) text, (elements) int32 | what other rows are of: joints (of trees, then of loops), tendons, cables, equalities; index into `source_kind_names` |
//! | `row_ptr` | (n + 1) int64 | step `i` has the rows `row_ptr[i] .. row_ptr[i + 1]` besides those of contacts |
//! | `row_law`, `row_source` | (r) int32 | indices into `row_law_names` (limit, friction, equality, action) and `source_names` |
//! | `row_number` | (r) int32 | number of the row in its source; of limits 0 for the lower end and 1 for the upper |
//! | `row_angular` | (r) int32 | 1 for rad/s and N m s, 0 for m/s and N s |
//! | `row_impulse`, `row_velocity`, `row_before`, `row_start` | (r) | impulse; velocity along the row of which the laws hold (after the step, or a displacement by its length), before the impulses, before the step |
//! | `row_after`, `row_duration` | (r) | velocity along the row after the impulse; how long the forces of which it is the sum act (s) |
//! | `row_drift` | (r) | prescribed part of these velocities |
//! | `row_lower`, `row_upper`, `row_bias`, `row_compliance` | (r) | the law: with `w = velocity + bias + compliance impulse`, `w >= 0` where the impulse is less than the upper bound and `w <= 0` where it is more than the lower |
//! | `joint_ptr` | (n + 1) int64 | step `i` has the wrenches `joint_ptr[i] .. joint_ptr[i + 1]` of joints, connects and welds ([`JointForce`](crate::report::JointForce)) |
//! | `joint_source` | (j) int32 | what each is of: index into `source_names` |
//! | `joint_point`, `joint_force`, `joint_moment` | (j, 3) | where it acts (m); force on the child or second body (N) and moment about the point (N m); world axes; means over the step |
//! | `actuator_names`, `actuator_force` | text, (n, actuators) | mean force before the gear (N or N m) |
//! | `tendon_tension` | (n, tendons) | mean tension of each fixed tendon, in the order of `source_names` (N or N m) |
//! | `certificate_*` | (n) | the fields of [`Certificate`] |
//! | `work_*` | (n) | the causes of [`Work`], by which the energy changed in the step (J) |
//! | `energy`, `kinetic_energy` | (n) | after each step (J) |
//! | `hand_back_*` | (n) int64 | sets of trees that the acceleration or the event-driven stepper handed to another rule, by reason: the counts of [`HandBacks`] |
//! | `unsolved`, `pivots`, `iterations` | (n) int64 | of the step's contact problems |
//! | `checksum` | () int64 | sum, modulo 2^64, of a hash of every other array: FNV-1a of 64 bits over its name, a space, its type, a space, its shape as `[2, 3]`, a space, and its elements |

use crate::recording::error::{ReadError, ReadProblem, RecordError};
use crate::recording::joint_table::JointTable;
use crate::recording::moved_table::MovedTable;
use crate::recording::npz::{NpzReader, NpzWriter};
use crate::recording::row_table::{ROW_LAW_NAMES, RowTable, SOURCE_KIND_NAMES, SourceTable};
use crate::recording::run::{
    GeomTable, HeightFieldTable, LAW_NAMES, MODE_NAMES, MeshTable, Poses, SHAPE_NAMES,
};
use crate::recording::tables::{ContactTable, Recording};
use crate::report::{Certificate, HandBack, HandBacks, RowSource, Work};
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;
use stiction_solvers::io::{open_file, replace_file};

/// Layout version.
const FORMAT: i64 = 13;

impl Recording {
    /// Writes the recording as a NumPy archive; an existing file is replaced as a whole.
    ///
    /// # Errors
    /// The file cannot be written; it is as it was.
    pub fn write_npz(&self, path: &Path) -> Result<(), RecordError> {
        replace_file(path, |file| self.write(file).map(drop))
            .map_err(|source| RecordError { path: path.to_path_buf(), source })
    }

    /// Reads a recording from a NumPy archive and checks that it is consistent.
    ///
    /// # Errors
    /// The file cannot be read, is not such an archive, has another version of the layout, lacks an array, or
    /// holds numbers that contradict each other.
    pub fn read_npz(path: &Path) -> Result<Self, ReadError> {
        let read = || Self::read(BufReader::new(open_file(path)?));
        read().map_err(|problem| ReadError { path: path.to_path_buf(), problem })
    }

    /// Writes the archive to anything that takes bytes and can go back in them; gives it back.
    ///
    /// # Errors
    /// Those of `file`.
    pub fn write<W: Write + Seek>(&self, file: W) -> std::io::Result<W> {
        let mut npz = NpzWriter::new(file);
        npz.array("format", &[], &[FORMAT])?;
        self.write_scene(&mut npz)?;
        self.run.geoms.write(&mut npz)?;
        self.run.meshes.write(&mut npz)?;
        self.run.height_fields.write(&mut npz)?;
        self.write_states(&mut npz)?;
        self.moved.write(&mut npz)?;
        self.contacts.write(&mut npz)?;
        self.run.sources.write(&mut npz)?;
        self.rows.write(&mut npz)?;
        self.write_transmitted(&mut npz)?;
        self.write_reports(&mut npz)?;
        npz.checksum("checksum")?;
        npz.finish()
    }

    /// Reads the archive from anything that gives bytes at any place, and checks that it is consistent.
    ///
    /// # Errors
    /// As [`Recording::read_npz`] has them.
    pub fn read<R: Read + Seek>(file: R) -> Result<Self, ReadProblem> {
        let mut npz = NpzReader::new(file)?;
        let format = npz.scalar("format")?;
        if format != FORMAT {
            return Err(ReadProblem::Format { found: format, needed: FORMAT });
        }
        let mut recording = Self::default();
        recording.run.geoms = GeomTable::read(&mut npz)?;
        recording.run.meshes = MeshTable::read(&mut npz)?;
        recording.run.height_fields = HeightFieldTable::read(&mut npz)?;
        recording.read_scene(&mut npz)?;
        recording.read_states(&mut npz)?;
        recording.moved = MovedTable::read(&mut npz, recording.steps())?;
        recording.contacts = ContactTable::read(&mut npz, recording.steps())?;
        recording.run.sources = SourceTable::read(&mut npz)?;
        recording.rows = RowTable::read(&mut npz, recording.steps())?;
        recording.read_transmitted(&mut npz)?;
        recording.read_reports(&mut npz)?;
        npz.check_sum("checksum")?;
        recording.check()?;
        Ok(recording)
    }

    fn write_scene<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        npz.strings("scene_name", &[&self.run.scene_name])?;
        npz.strings("fingerprint", &[format!("{:016x}", self.run.fingerprint)])?;
        npz.strings("contact_model", &[&self.run.contact_model])?;
        npz.strings("solver", &[&self.run.solver])?;
        npz.array("timestep", &[], &[self.run.timestep])?;
        npz.array("gravity", &[3], &self.run.gravity)?;
        npz.strings("body_names", &self.run.bodies.names)?;
        npz.array("body_mass", &[self.run.bodies.mass.len()], &self.run.bodies.mass)?;
        npz.array("body_fixed", &[self.run.bodies.fixed.len()], &self.run.bodies.fixed)?;
        npz.strings("law_names", &LAW_NAMES)?;
        npz.strings("mode_names", &MODE_NAMES)?;
        npz.strings("row_law_names", &ROW_LAW_NAMES)?;
        npz.strings("source_kind_names", &SOURCE_KIND_NAMES)?;
        npz.strings("shape_names", &SHAPE_NAMES)
    }

    fn read_scene<R: Read + Seek>(&mut self, npz: &mut NpzReader<R>) -> Result<(), ReadProblem> {
        self.run.scene_name = npz.text("scene_name")?;
        let fingerprint = npz.text("fingerprint")?;
        self.run.fingerprint = u64::from_str_radix(&fingerprint, 16).map_err(|_| {
            let problem = format!("is {fingerprint:?}, and not 16 hexadecimal digits");
            ReadProblem::Content { array: "fingerprint", problem }
        })?;
        self.run.contact_model = npz.text("contact_model")?;
        self.run.solver = npz.text("solver")?;
        self.run.timestep = npz.scalar("timestep")?;
        self.run.gravity = npz.array("gravity", &[3])?;
        self.run.bodies.names = npz.strings("body_names")?;
        let bodies = self.run.bodies.names.len();
        self.run.bodies.mass = npz.array("body_mass", &[bodies])?;
        self.run.bodies.fixed = npz.array("body_fixed", &[bodies])?;
        for (array, expected) in [
            ("law_names", &LAW_NAMES[..]),
            ("mode_names", &MODE_NAMES),
            ("shape_names", &SHAPE_NAMES),
            ("row_law_names", &ROW_LAW_NAMES),
            ("source_kind_names", &SOURCE_KIND_NAMES),
        ] {
            let found = npz.strings(array)?;
            if found != expected {
                let problem = format!("is {found:?}, and not {expected:?}");
                return Err(ReadProblem::Content { array, problem });
            }
        }
        Ok(())
    }

    fn write_states<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let (n, bodies) = (self.steps(), self.run.bodies.names.len());
        let (nq, nv) = (self.run.qpos0.len(), self.run.qvel0.len());
        npz.array("time0", &[], &[self.run.time0])?;
        npz.array("qpos0", &[nq], &self.run.qpos0)?;
        npz.array("qvel0", &[nv], &self.run.qvel0)?;
        npz.array("time", &[n], &self.time)?;
        npz.array("qpos", &[n, nq], &self.qpos)?;
        npz.array("qvel", &[n, nv], &self.qvel)?;
        npz.array("body_pos0", &[bodies, 3], &self.run.poses0.position)?;
        npz.array("body_quat0", &[bodies, 4], &self.run.poses0.orientation)?;
        npz.array("body_pos", &[n, bodies, 3], &self.poses.position)?;
        npz.array("body_quat", &[n, bodies, 4], &self.poses.orientation)
    }

    fn read_states<R: Read + Seek>(&mut self, npz: &mut NpzReader<R>) -> Result<(), ReadProblem> {
        self.run.time0 = npz.scalar("time0")?;
        self.run.qpos0 = npz.vector("qpos0")?;
        self.run.qvel0 = npz.vector("qvel0")?;
        self.time = npz.vector("time")?;
        let (n, bodies) = (self.steps(), self.run.bodies.names.len());
        self.qpos = npz.array("qpos", &[n, self.run.qpos0.len()])?;
        self.qvel = npz.array("qvel", &[n, self.run.qvel0.len()])?;
        self.run.poses0 = Poses {
            position: npz.array("body_pos0", &[bodies, 3])?,
            orientation: npz.array("body_quat0", &[bodies, 4])?,
        };
        self.poses = Poses {
            position: npz.array("body_pos", &[n, bodies, 3])?,
            orientation: npz.array("body_quat", &[n, bodies, 4])?,
        };
        Ok(())
    }

    fn write_transmitted<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let (n, tendons) = (self.steps(), self.run.sources.of(RowSource::Tendon).len());
        self.joints.write(npz)?;
        npz.strings("actuator_names", &self.run.actuators)?;
        npz.array("actuator_force", &[n, self.run.actuators.len()], &self.actuator_force)?;
        npz.array("tendon_tension", &[n, tendons], &self.tendon_tension)
    }

    fn read_transmitted<R: Read + Seek>(&mut self, npz: &mut NpzReader<R>) -> Result<(), ReadProblem> {
        let (n, tendons) = (self.steps(), self.run.sources.of(RowSource::Tendon).len());
        self.joints = JointTable::read(npz, n)?;
        self.run.actuators = npz.strings("actuator_names")?;
        self.actuator_force = npz.array("actuator_force", &[n, self.run.actuators.len()])?;
        self.tendon_tension = npz.array("tendon_tension", &[n, tendons])?;
        Ok(())
    }

    fn write_reports<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let n = [self.steps()];
        for field in Certificate::FIELDS {
            let values: Vec<f64> = self.certificates.iter().map(field.get).collect();
            npz.array(&format!("certificate_{}", field.name), &n, &values)?;
        }
        for field in Work::FIELDS {
            let values: Vec<f64> = self.works.iter().map(field.get).collect();
            npz.array(&format!("work_{}", field.name), &n, &values)?;
        }
        npz.array("energy", &n, &self.energy)?;
        npz.array("kinetic_energy", &n, &self.kinetic_energy)?;
        for &reason in HandBack::ALL {
            let values: Vec<i64> = self.hand_backs.iter().map(|counts| counts.of(reason) as i64).collect();
            npz.array(&format!("hand_back_{}", reason.name()), &n, &values)?;
        }
        npz.array("unsolved", &n, &self.unsolved)?;
        npz.array("pivots", &n, &self.pivots)?;
        npz.array("iterations", &n, &self.iterations)
    }

    fn read_reports<R: Read + Seek>(&mut self, npz: &mut NpzReader<R>) -> Result<(), ReadProblem> {
        let n = [self.steps()];
        self.certificates = vec![Certificate::default(); n[0]];
        for field in Certificate::FIELDS {
            let values: Vec<f64> = npz.array(&format!("certificate_{}", field.name), &n)?;
            self.certificates.iter_mut().zip(values).for_each(|(c, value)| *(field.get_mut)(c) = value);
        }
        self.works = vec![Work::default(); n[0]];
        for field in Work::FIELDS {
            let values: Vec<f64> = npz.array(&format!("work_{}", field.name), &n)?;
            self.works.iter_mut().zip(values).for_each(|(work, value)| *(field.get_mut)(work) = value);
        }
        self.energy = npz.array("energy", &n)?;
        self.kinetic_energy = npz.array("kinetic_energy", &n)?;
        self.hand_backs = vec![HandBacks::default(); n[0]];
        for &reason in HandBack::ALL {
            let values: Vec<i64> = npz.array(&format!("hand_back_{}", reason.name()), &n)?;
            for (of, count) in self.hand_backs.iter_mut().zip(values) {
                *of.of_mut(reason) = usize::try_from(count).map_err(|_| ReadProblem::Content {
                    array: "hand_back",
                    problem: format!("has {count} sets of '{reason}'"),
                })?;
            }
        }
        self.unsolved = npz.array("unsolved", &n)?;
        self.pivots = npz.array("pivots", &n)?;
        self.iterations = npz.array("iterations", &n)?;
        Ok(())
    }
}

/// Reads pointers that begin with 0 and never fall; returns them and the last.
fn pointers<R: Read + Seek>(
    npz: &mut NpzReader<R>,
    array: &'static str,
) -> Result<(Vec<i64>, usize), ReadProblem> {
    let ptr: Vec<i64> = npz.vector(array)?;
    match (ptr.first(), ptr.last()) {
        (Some(0), Some(&last)) if ptr.is_sorted() => Ok((ptr, last as usize)),
        _ => Err(ReadProblem::Content { array, problem: "does not rise from 0".into() }),
    }
}

/// Reads those of what the steps have.
pub(crate) fn step_pointers<R: Read + Seek>(
    npz: &mut NpzReader<R>,
    array: &'static str,
    steps: usize,
) -> Result<(Vec<i64>, usize), ReadProblem> {
    let (ptr, count) = pointers(npz, array)?;
    if ptr.len() != steps + 1 {
        let problem = format!("has {} entries for {steps} steps", ptr.len());
        return Err(ReadProblem::Content { array, problem });
    }
    Ok((ptr, count))
}

impl GeomTable {
    fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let n = self.names.len();
        npz.strings("geom_names", &self.names)?;
        npz.array("geom_body", &[n], &self.body)?;
        npz.array("geom_type", &[n], &self.kind)?;
        npz.array("geom_size", &[n, 3], &self.size)?;
        npz.array("geom_data", &[n], &self.data)?;
        npz.array("geom_pos", &[n, 3], &self.poses.position)?;
        npz.array("geom_quat", &[n, 4], &self.poses.orientation)?;
        npz.array("geom_rgba", &[n, 4], &self.rgba)
    }

    fn read<R: Read + Seek>(npz: &mut NpzReader<R>) -> Result<Self, ReadProblem> {
        let names = npz.strings("geom_names")?;
        let n = names.len();
        Ok(Self {
            names,
            body: npz.array("geom_body", &[n])?,
            kind: npz.array("geom_type", &[n])?,
            size: npz.array("geom_size", &[n, 3])?,
            data: npz.array("geom_data", &[n])?,
            poses: Poses {
                position: npz.array("geom_pos", &[n, 3])?,
                orientation: npz.array("geom_quat", &[n, 4])?,
            },
            rgba: npz.array("geom_rgba", &[n, 4])?,
        })
    }
}

impl MeshTable {
    fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        npz.array("mesh_vertex_ptr", &[self.vertex_ptr.len()], &self.vertex_ptr)?;
        npz.array("mesh_vertex", &[self.vertex.len() / 3, 3], &self.vertex)?;
        npz.array("mesh_triangle_ptr", &[self.triangle_ptr.len()], &self.triangle_ptr)?;
        npz.array("mesh_triangle", &[self.triangle.len() / 3, 3], &self.triangle)
    }

    fn read<R: Read + Seek>(npz: &mut NpzReader<R>) -> Result<Self, ReadProblem> {
        let (vertex_ptr, vertices) = pointers(npz, "mesh_vertex_ptr")?;
        let (triangle_ptr, triangles) = pointers(npz, "mesh_triangle_ptr")?;
        if triangle_ptr.len() != vertex_ptr.len() {
            let problem = format!("has {} entries, not {}", triangle_ptr.len(), vertex_ptr.len());
            return Err(ReadProblem::Content { array: "mesh_triangle_ptr", problem });
        }
        let vertex = npz.array("mesh_vertex", &[vertices, 3])?;
        let triangle = npz.array("mesh_triangle", &[triangles, 3])?;
        Ok(Self { vertex_ptr, vertex, triangle_ptr, triangle })
    }
}

impl HeightFieldTable {
    fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        npz.array("hfield_grid", &[self.grid.len() / 2, 2], &self.grid)?;
        npz.array("hfield_ptr", &[self.ptr.len()], &self.ptr)?;
        npz.array("hfield_height", &[self.height.len()], &self.height)
    }

    fn read<R: Read + Seek>(npz: &mut NpzReader<R>) -> Result<Self, ReadProblem> {
        let (ptr, heights) = pointers(npz, "hfield_ptr")?;
        let grid = npz.array("hfield_grid", &[ptr.len() - 1, 2])?;
        let height = npz.array("hfield_height", &[heights])?;
        Ok(Self { grid, ptr, height })
    }
}
