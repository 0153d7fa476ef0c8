//! Recordings: what a run did, step by step, and what is needed to draw it, as a NumPy archive that needs nothing else
//! to be played or checked.
//!
//! `n` steps, `m` contacts in all of them; arrays of numbers are little-endian doubles unless said otherwise.
//!
//! | array | shape | content |
//! |---|---|---|
//! | `format` | () int64 | version of this layout: 4 (1 had neither shapes nor the texts about the run, 2 no margins, 3 no restitution) |
//! | `scene_name`, `contact_model`, `solver` | (1) text | what was simulated, and how |
//! | `timestep`, `gravity` | (), (3) | s; m/s^2 |
//! | `time0`, `qpos0`, `qvel0` | (), (nq), (nv) | state before the first step |
//! | `time`, `qpos`, `qvel` | (n), (n, nq), (n, nv) | state after each step |
//! | `body_names`, `body_mass` | (bodies) text, (bodies) | the world first; kg |
//! | `body_fixed` | (bodies) int32 | 1 for the world and what is fixed to it |
//! | `body_pos0`, `body_quat0` | (bodies, 3), (bodies, 4) | poses before the first step; m; unit quaternions, w first |
//! | `body_pos`, `body_quat` | (n, bodies, 3), (n, bodies, 4) | poses after each step |
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
//! | `contact_ptr` | (n + 1) int64 | step `i` has the contacts `contact_ptr[i] .. contact_ptr[i + 1]` |
//! | `contact_geom1`, `contact_geom2` | (m) int32 | indices into `geom_names` |
//! | `contact_point` | (m, 3) | where the impulse acts, at the step's beginning (m, world) |
//! | `contact_frame` | (m, 3, 3) | rows: unit normal from geom 1 to geom 2, first and second tangent (world) |
//! | `contact_gap` | (m) | at the step's beginning (m); negative when overlapping |
//! | `contact_law` | (m) int32 | index into `law_names` |
//! | `contact_mode` | (m) int32 | index into `mode_names` |
//! | `contact_mu` | (m) | coefficient of dry friction; 0 without, infinite without slip |
//! | `contact_margin` | (m) | friction needed over friction available (see [`ContactForce::margin`](crate::report::ContactForce::margin)); NaN where there is none |
//! | `contact_restitution` | (m) | coefficient of restitution |
//! | `contact_bias` | (m) | a_n of `0 <= lambda_n - p  perp  u_n + a_n >= 0` (m/s); negative where Newton's impact law makes bodies part |
//! | `contact_preload` | (m) | `p` there: what Poisson's impact law gives in any case (N s) |
//! | `contact_drift` | (m, 3) | part of `u` that belts and prescribed motions bring, in the contact frame (m/s) |
//! | `contact_velocity` | (m, 3) | relative velocity `u` of geom 2 against geom 1 after the impulse, drift included, in the contact frame (m/s) |
//! | `contact_impulse` | (m, 3) | on geom 2 (geom 1 takes the opposite), in the contact frame (N s) |
//! | `certificate_*` | (n) | the fields of [`Certificate`] |
//! | `energy`, `kinetic_energy` | (n) | after each step (J) |
//! | `unsolved`, `pivots`, `iterations` | (n) int64 | of the step's contact problems |

use crate::contact::Law;
use crate::recording::npz::{NpzError, NpzReader, NpzWriter};
use crate::report::Certificate;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Layout version.
const FORMAT: i64 = 4;

/// Names of the laws, by code.
pub const LAW_NAMES: [&str; 5] = Law::KINDS;

/// Names of the contact modes, by code.
pub const MODE_NAMES: [&str; 3] = ["open", "stick", "slip"];

/// Names of the shapes, by code.
pub const SHAPE_NAMES: [&str; 8] =
    ["plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh", "hfield"];

/// Code of a mesh in [`SHAPE_NAMES`].
pub(crate) const MESH: i32 = 6;

/// Code of a height field in [`SHAPE_NAMES`].
pub(crate) const HEIGHT_FIELD: i32 = 7;

/// A recording that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: the recording cannot be written: {source}", path.display())]
pub struct RecordError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system says.
    pub source: std::io::Error,
}

/// A file that is not a recording this version can read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: ReadProblem,
}

/// What is wrong with a file that should be a recording.
#[derive(Debug, thiserror::Error)]
pub enum ReadProblem {
    /// The operating system does not give the file.
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    /// The container or an array is not what NumPy writes.
    #[error("not a recording: {0}")]
    Npz(#[from] NpzError),
    /// Another version of the layout.
    #[error(
        "recorded in version {0} of the layout, while version {FORMAT} is needed, which holds all that is shown; \
         record it again with `stiction run SCENE --out FILE.npz`"
    )]
    Format(i64),
    /// Numbers that contradict each other.
    #[error("not a recording: array '{array}' {problem}")]
    Content {
        /// The array.
        array: &'static str,
        /// What is wrong in it.
        problem: String,
    },
}

/// What a run did, and the shapes to draw it with: the arrays of the module's table, flat.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Name of the scene.
    pub scene_name: String,
    /// Contact model.
    pub contact_model: String,
    /// Solver.
    pub solver: String,
    /// Step size (s).
    pub timestep: f64,
    /// Gravity (m/s^2).
    pub gravity: Vec<f64>,
    /// Bodies, the world first.
    pub bodies: BodyTable,
    /// Geoms.
    pub geoms: GeomTable,
    /// Meshes of geoms.
    pub meshes: MeshTable,
    /// Height fields of geoms.
    pub height_fields: HeightFieldTable,
    /// Time before the first step (s).
    pub time0: f64,
    /// Configuration before the first step.
    pub qpos0: Vec<f64>,
    /// Generalized velocity before the first step.
    pub qvel0: Vec<f64>,
    /// Poses of the bodies before the first step.
    pub poses0: Poses,
    /// Time after each step (s).
    pub time: Vec<f64>,
    /// Configuration after each step.
    pub qpos: Vec<f64>,
    /// Generalized velocity after each step.
    pub qvel: Vec<f64>,
    /// Poses of the bodies after each step.
    pub poses: Poses,
    /// Contacts of all steps.
    pub contacts: ContactTable,
    /// Certificate of each step.
    pub certificates: Vec<Certificate>,
    /// Total energy after each step (J).
    pub energy: Vec<f64>,
    /// Kinetic energy after each step (J).
    pub kinetic_energy: Vec<f64>,
    /// Contact problems not solved to tolerance, in each step.
    pub unsolved: Vec<i64>,
    /// Pivots in each step.
    pub pivots: Vec<i64>,
    /// Iterations in each step.
    pub iterations: Vec<i64>,
}

/// Bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyTable {
    /// Names.
    pub names: Vec<String>,
    /// Masses (kg).
    pub mass: Vec<f64>,
    /// 1 for the world and what is fixed to it.
    pub fixed: Vec<i32>,
}

/// Geoms.
#[derive(Clone, Debug, Default)]
pub struct GeomTable {
    /// Names.
    pub names: Vec<String>,
    /// The body each is on.
    pub body: Vec<i32>,
    /// Shapes, as codes of [`SHAPE_NAMES`].
    pub kind: Vec<i32>,
    /// Sizes, three each (m).
    pub size: Vec<f64>,
    /// Which mesh or height field; -1 for others.
    pub data: Vec<i32>,
    /// Poses in the bodies' frames.
    pub poses: Poses,
    /// Colours, four numbers each; NaN where the scene gives none.
    pub rgba: Vec<f64>,
}

/// Meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshTable {
    /// First vertex of each mesh, and the number of all.
    pub vertex_ptr: Vec<i64>,
    /// Vertices, three numbers each (m).
    pub vertex: Vec<f64>,
    /// First triangle of each mesh, and the number of all.
    pub triangle_ptr: Vec<i64>,
    /// Triangles, three vertices each.
    pub triangle: Vec<i32>,
}

/// Height fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeightFieldTable {
    /// Rows and columns of each.
    pub grid: Vec<i64>,
    /// First height of each, and the number of all.
    pub ptr: Vec<i64>,
    /// Heights (m).
    pub height: Vec<f64>,
}

/// Positions (3 each, m) and orientations (4 each, w first).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poses {
    /// Positions (m).
    pub position: Vec<f64>,
    /// Unit quaternions, w first.
    pub orientation: Vec<f64>,
}

/// Contacts of all steps, one entry of each vector per contact (or three, or nine).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactTable {
    /// Contacts before each step, and after the last.
    pub ptr: Vec<i64>,
    /// First geom.
    pub geom1: Vec<i32>,
    /// Second geom.
    pub geom2: Vec<i32>,
    /// Where the impulse acts (m, world).
    pub point: Vec<f64>,
    /// Rows: normal and two tangents.
    pub frame: Vec<f64>,
    /// Gap (m).
    pub gap: Vec<f64>,
    /// Law, as code of [`LAW_NAMES`].
    pub law: Vec<i32>,
    /// Mode, as code of [`MODE_NAMES`].
    pub mode: Vec<i32>,
    /// Coefficient of dry friction; infinite without slip.
    pub mu: Vec<f64>,
    /// Friction needed over friction available; NaN where there is none.
    pub margin: Vec<f64>,
    /// Coefficient of restitution.
    pub restitution: Vec<f64>,
    /// a_n (m/s).
    pub bias: Vec<f64>,
    /// Normal impulse that Poisson's impact law gives in any case (N s).
    pub preload: Vec<f64>,
    /// Prescribed part of the relative velocity (m/s).
    pub drift: Vec<f64>,
    /// Relative velocity after the impulse (m/s).
    pub velocity: Vec<f64>,
    /// Impulse on the second geom, in the contact frame (N s).
    pub impulse: Vec<f64>,
}

impl ContactTable {
    /// The contacts of a step.
    pub fn of_step(&self, step: usize) -> std::ops::Range<usize> {
        self.ptr[step] as usize..self.ptr[step + 1] as usize
    }

    /// Force on the second geom in world axes, averaged over a step of `h` seconds (N).
    pub fn force(&self, contact: usize, h: f64) -> [f64; 3] {
        let (frame, impulse) = (&self.frame[9 * contact..], &self.impulse[3 * contact..]);
        std::array::from_fn(|axis| (0..3).map(|row| frame[3 * row + axis] * impulse[row]).sum::<f64>() / h)
    }
}

impl Recording {
    /// Steps recorded.
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

    /// Reads a recording from a NumPy archive and checks that it is consistent.
    ///
    /// # Errors
    /// The file cannot be read, is not such an archive, has another version of the layout, lacks an array, or
    /// holds numbers that contradict each other.
    pub fn read_npz(path: &Path) -> Result<Self, ReadError> {
        let read = || Self::read(BufReader::new(File::open(path)?));
        read().map_err(|problem| ReadError { path: path.to_path_buf(), problem })
    }

    pub(crate) fn write<W: Write + Seek>(&self, file: W) -> std::io::Result<W> {
        let mut npz = NpzWriter::new(file);
        npz.array("format", &[], &[FORMAT])?;
        self.write_scene(&mut npz)?;
        self.geoms.write(&mut npz)?;
        self.meshes.write(&mut npz)?;
        self.height_fields.write(&mut npz)?;
        self.write_states(&mut npz)?;
        self.contacts.write(&mut npz)?;
        self.write_reports(&mut npz)?;
        npz.finish()
    }

    pub(crate) fn read<R: Read + Seek>(file: R) -> Result<Self, ReadProblem> {
        let mut npz = NpzReader::new(file)?;
        let format = npz.scalar("format")?;
        if format != FORMAT {
            return Err(ReadProblem::Format(format));
        }
        let mut recording = Self {
            geoms: GeomTable::read(&mut npz)?,
            meshes: MeshTable::read(&mut npz)?,
            height_fields: HeightFieldTable::read(&mut npz)?,
            ..Default::default()
        };
        recording.read_scene(&mut npz)?;
        recording.read_states(&mut npz)?;
        recording.contacts = ContactTable::read(&mut npz, recording.steps())?;
        recording.read_reports(&mut npz)?;
        recording.check()?;
        Ok(recording)
    }

    fn write_scene<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        npz.strings("scene_name", &[&self.scene_name])?;
        npz.strings("contact_model", &[&self.contact_model])?;
        npz.strings("solver", &[&self.solver])?;
        npz.array("timestep", &[], &[self.timestep])?;
        npz.array("gravity", &[3], &self.gravity)?;
        npz.strings("body_names", &self.bodies.names)?;
        npz.array("body_mass", &[self.bodies.mass.len()], &self.bodies.mass)?;
        npz.array("body_fixed", &[self.bodies.fixed.len()], &self.bodies.fixed)?;
        npz.strings("law_names", &LAW_NAMES)?;
        npz.strings("mode_names", &MODE_NAMES)?;
        npz.strings("shape_names", &SHAPE_NAMES)
    }

    fn read_scene<R: Read + Seek>(&mut self, npz: &mut NpzReader<R>) -> Result<(), ReadProblem> {
        self.scene_name = npz.text("scene_name")?;
        self.contact_model = npz.text("contact_model")?;
        self.solver = npz.text("solver")?;
        self.timestep = npz.scalar("timestep")?;
        self.gravity = npz.array("gravity", &[3])?;
        self.bodies.names = npz.strings("body_names")?;
        let bodies = self.bodies.names.len();
        self.bodies.mass = npz.array("body_mass", &[bodies])?;
        self.bodies.fixed = npz.array("body_fixed", &[bodies])?;
        for (array, expected) in
            [("law_names", &LAW_NAMES[..]), ("mode_names", &MODE_NAMES), ("shape_names", &SHAPE_NAMES)]
        {
            let found = npz.strings(array)?;
            if found != expected {
                let problem = format!("is {found:?}, and not {expected:?}");
                return Err(ReadProblem::Content { array, problem });
            }
        }
        Ok(())
    }

    fn write_states<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let (n, bodies) = (self.steps(), self.bodies.names.len());
        let (nq, nv) = (self.qpos0.len(), self.qvel0.len());
        npz.array("time0", &[], &[self.time0])?;
        npz.array("qpos0", &[nq], &self.qpos0)?;
        npz.array("qvel0", &[nv], &self.qvel0)?;
        npz.array("time", &[n], &self.time)?;
        npz.array("qpos", &[n, nq], &self.qpos)?;
        npz.array("qvel", &[n, nv], &self.qvel)?;
        npz.array("body_pos0", &[bodies, 3], &self.poses0.position)?;
        npz.array("body_quat0", &[bodies, 4], &self.poses0.orientation)?;
        npz.array("body_pos", &[n, bodies, 3], &self.poses.position)?;
        npz.array("body_quat", &[n, bodies, 4], &self.poses.orientation)
    }

    fn read_states<R: Read + Seek>(&mut self, npz: &mut NpzReader<R>) -> Result<(), ReadProblem> {
        self.time0 = npz.scalar("time0")?;
        self.qpos0 = npz.vector("qpos0")?;
        self.qvel0 = npz.vector("qvel0")?;
        self.time = npz.vector("time")?;
        let (n, bodies) = (self.steps(), self.bodies.names.len());
        self.qpos = npz.array("qpos", &[n, self.qpos0.len()])?;
        self.qvel = npz.array("qvel", &[n, self.qvel0.len()])?;
        self.poses0 = Poses {
            position: npz.array("body_pos0", &[bodies, 3])?,
            orientation: npz.array("body_quat0", &[bodies, 4])?,
        };
        self.poses = Poses {
            position: npz.array("body_pos", &[n, bodies, 3])?,
            orientation: npz.array("body_quat", &[n, bodies, 4])?,
        };
        Ok(())
    }

    fn write_reports<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let n = [self.steps()];
        for field in Certificate::FIELDS {
            let values: Vec<f64> = self.certificates.iter().map(field.get).collect();
            npz.array(&format!("certificate_{}", field.name), &n, &values)?;
        }
        npz.array("energy", &n, &self.energy)?;
        npz.array("kinetic_energy", &n, &self.kinetic_energy)?;
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
        self.energy = npz.array("energy", &n)?;
        self.kinetic_energy = npz.array("kinetic_energy", &n)?;
        self.unsolved = npz.array("unsolved", &n)?;
        self.pivots = npz.array("pivots", &n)?;
        self.iterations = npz.array("iterations", &n)?;
        Ok(())
    }

    /// Whether indices and pointers stay in range and what is drawn is finite.
    fn check(&self) -> Result<(), ReadProblem> {
        let (bodies, geoms) = (self.bodies.names.len(), self.geoms.names.len());
        let contacts = &self.contacts;
        indices("geom_body", &self.geoms.body, bodies)?;
        indices("geom_type", &self.geoms.kind, SHAPE_NAMES.len())?;
        indices("contact_geom1", &contacts.geom1, geoms)?;
        indices("contact_geom2", &contacts.geom2, geoms)?;
        indices("contact_law", &contacts.law, LAW_NAMES.len())?;
        indices("contact_mode", &contacts.mode, MODE_NAMES.len())?;
        self.check_geom_data()?;
        let ranks = self.geoms.ranks();
        let pair = |c: usize| [contacts.geom1[c], contacts.geom2[c]].map(|geom| ranks[geom as usize]);
        if (0..self.steps()).any(|step| !contacts.of_step(step).is_sorted_by_key(pair)) {
            let problem = "is not in the order of the geoms' names".into();
            return Err(ReadProblem::Content { array: "contact_geom1", problem });
        }
        if !(self.timestep.is_finite() && self.timestep > 0.0) {
            let problem = format!("is {}: a step lasts a positive number of seconds", self.timestep);
            return Err(ReadProblem::Content { array: "timestep", problem });
        }
        for (array, numbers) in [
            ("time", &self.time),
            ("body_pos", &self.poses.position),
            ("body_quat", &self.poses.orientation),
            ("geom_size", &self.geoms.size),
            ("geom_pos", &self.geoms.poses.position),
            ("geom_quat", &self.geoms.poses.orientation),
            ("mesh_vertex", &self.meshes.vertex),
            ("hfield_height", &self.height_fields.height),
            ("contact_point", &contacts.point),
            ("contact_frame", &contacts.frame),
            ("contact_gap", &contacts.gap),
            ("contact_impulse", &contacts.impulse),
            ("energy", &self.energy),
            ("kinetic_energy", &self.kinetic_energy),
        ] {
            refuse(array, numbers, f64::is_finite)?;
        }
        // No slip is friction without bound; what has no friction has no margin.
        refuse("contact_mu", &contacts.mu, |x| x >= 0.0)?;
        refuse("contact_margin", &contacts.margin, |x| x.is_nan() || (x >= 0.0 && x.is_finite()))
    }

    /// Every mesh and height field that a geom names is there, and every facet has its vertices.
    fn check_geom_data(&self) -> Result<(), ReadProblem> {
        let (meshes, fields) = (self.meshes.vertex_ptr.len() - 1, self.height_fields.ptr.len() - 1);
        for (&kind, &data) in self.geoms.kind.iter().zip(&self.geoms.data) {
            match kind {
                MESH => indices("geom_data", &[data], meshes)?,
                HEIGHT_FIELD => indices("geom_data", &[data], fields)?,
                _ => {}
            }
        }
        let (vertices, triangles) = (&self.meshes.vertex_ptr, &self.meshes.triangle_ptr);
        for mesh in 0..meshes {
            let count = (vertices[mesh + 1] - vertices[mesh]) as usize;
            let facets = 3 * triangles[mesh] as usize..3 * triangles[mesh + 1] as usize;
            indices("mesh_triangle", &self.meshes.triangle[facets], count)?;
        }
        for field in 0..fields {
            let [rows, columns] =
                [self.height_fields.grid[2 * field], self.height_fields.grid[2 * field + 1]];
            let heights = self.height_fields.ptr[field + 1] - self.height_fields.ptr[field];
            if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(heights) {
                let problem = format!("is {rows} by {columns} for a field of {heights} heights");
                return Err(ReadProblem::Content { array: "hfield_grid", problem });
            }
        }
        Ok(())
    }
}

/// Refuses an array with a number that is not as it should be.
fn refuse(array: &'static str, numbers: &[f64], right: impl Fn(f64) -> bool) -> Result<(), ReadProblem> {
    match numbers.iter().position(|&x| !right(x)) {
        None => Ok(()),
        Some(i) => {
            let problem = format!("has the number {} at place {i}", numbers[i]);
            Err(ReadProblem::Content { array, problem })
        }
    }
}

/// Whether all are at least 0 and below `limit`.
fn indices(array: &'static str, indices: &[i32], limit: usize) -> Result<(), ReadProblem> {
    match indices.iter().find(|&&i| i < 0 || i as usize >= limit) {
        None => Ok(()),
        Some(i) => {
            let problem = format!("has the index {i}, and there are {limit} to choose from");
            Err(ReadProblem::Content { array, problem })
        }
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

impl GeomTable {
    /// Place of each geom in the order of all names, by which contacts are sorted.
    pub fn ranks(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|&geom| &self.names[geom]);
        let mut ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, geom)| ranks[geom] = rank);
        ranks
    }

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

impl ContactTable {
    fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let m = self.gap.len();
        npz.array("contact_ptr", &[self.ptr.len()], &self.ptr)?;
        npz.array("contact_geom1", &[m], &self.geom1)?;
        npz.array("contact_geom2", &[m], &self.geom2)?;
        npz.array("contact_point", &[m, 3], &self.point)?;
        npz.array("contact_frame", &[m, 3, 3], &self.frame)?;
        npz.array("contact_gap", &[m], &self.gap)?;
        npz.array("contact_law", &[m], &self.law)?;
        npz.array("contact_mode", &[m], &self.mode)?;
        npz.array("contact_mu", &[m], &self.mu)?;
        npz.array("contact_margin", &[m], &self.margin)?;
        npz.array("contact_restitution", &[m], &self.restitution)?;
        npz.array("contact_bias", &[m], &self.bias)?;
        npz.array("contact_preload", &[m], &self.preload)?;
        npz.array("contact_drift", &[m, 3], &self.drift)?;
        npz.array("contact_velocity", &[m, 3], &self.velocity)?;
        npz.array("contact_impulse", &[m, 3], &self.impulse)
    }

    fn read<R: Read + Seek>(npz: &mut NpzReader<R>, steps: usize) -> Result<Self, ReadProblem> {
        let (ptr, m) = pointers(npz, "contact_ptr")?;
        if ptr.len() != steps + 1 {
            let problem = format!("has {} entries for {steps} steps", ptr.len());
            return Err(ReadProblem::Content { array: "contact_ptr", problem });
        }
        Ok(Self {
            ptr,
            geom1: npz.array("contact_geom1", &[m])?,
            geom2: npz.array("contact_geom2", &[m])?,
            point: npz.array("contact_point", &[m, 3])?,
            frame: npz.array("contact_frame", &[m, 3, 3])?,
            gap: npz.array("contact_gap", &[m])?,
            law: npz.array("contact_law", &[m])?,
            mode: npz.array("contact_mode", &[m])?,
            mu: npz.array("contact_mu", &[m])?,
            margin: npz.array("contact_margin", &[m])?,
            restitution: npz.array("contact_restitution", &[m])?,
            bias: npz.array("contact_bias", &[m])?,
            preload: npz.array("contact_preload", &[m])?,
            drift: npz.array("contact_drift", &[m, 3])?,
            velocity: npz.array("contact_velocity", &[m, 3])?,
            impulse: npz.array("contact_impulse", &[m, 3])?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{ConvexMesh, HeightField, Shape};
    use crate::model::{BodyId, BodySpec, GeomSpec, JointSpec, ModelBuilder};
    use crate::recording::recorder::Recorder;
    use crate::sim::{Settings, Simulation};
    use crate::spatial::Transform;
    use nalgebra::Vector3;
    use std::io::Cursor;
    use std::sync::Arc;

    /// Every shape there is, one with a colour; a ball rests on the floor.
    fn recorded(steps: usize) -> Recording {
        let points: Vec<Vector3<f64>> = (0..8)
            .map(|i| Vector3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
            .collect();
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
        builder.add_geom(BodyId::WORLD, GeomSpec { color: red, ..GeomSpec::new(Shape::Plane) }).unwrap();
        let mut ground = GeomSpec::new(Shape::HeightField(Arc::new(field)));
        ground.pose.translation = Vector3::new(50.0, 0.0, 9.0);
        builder.add_geom(BodyId::WORLD, ground).unwrap();
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
            builder.add_body(BodyId::WORLD, body).unwrap();
        }
        let mut simulation =
            Simulation::new(Arc::new(builder.build().unwrap()), Settings::default()).unwrap();
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
            assert_eq!(read.poses, recording.poses);
            assert_eq!(read.contacts, recording.contacts);
            assert_eq!(read.certificates, recording.certificates);
            assert_eq!(read.bodies, recording.bodies);
            assert_eq!((read.meshes, read.height_fields), (recording.meshes, recording.height_fields));
        }
    }

    #[test]
    fn shapes_are_recorded_with_what_draws_them() {
        let recording = recorded(2);
        let geoms = &recording.geoms;
        let kinds: Vec<&str> = geoms.kind.iter().map(|&kind| SHAPE_NAMES[kind as usize]).collect();
        let expected = ["plane", "hfield", "sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh"];
        assert_eq!(kinds, expected);
        assert_eq!(geoms.size[3..6], [2.0, 1.0, 0.5]);
        assert_eq!(geoms.size[9..12], [0.1, 0.2, 0.0]);
        assert_eq!(geoms.rgba[..4], [0.8, 0.1, 0.1, 0.5]);
        assert!(geoms.rgba[4..].iter().all(|x| x.is_nan()));
        assert_eq!(recording.bodies.fixed, [1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(recording.meshes.vertex_ptr, [0, 8]);
        assert_eq!(recording.meshes.triangle.len(), 36);
        assert_eq!(recording.height_fields.height, [0.0, 0.1, 0.2, 0.3, 0.2, 0.1]);
        assert_eq!(recording.contacts.of_step(1).len(), 1);
    }

    #[test]
    fn a_recording_that_contradicts_itself_is_refused_with_the_array_named() {
        type Damage = (&'static str, fn(&mut Recording));
        let damages: [Damage; 14] = [
            ("array 'timestep' is 0", |r| r.timestep = 0.0),
            ("'body_pos' has the number NaN at place 4", |r| r.poses.position[4] = f64::NAN),
            ("'contact_mu' has the number -1", |r| r.contacts.mu[0] = -1.0),
            ("'contact_margin' has the number inf", |r| r.contacts.margin[0] = f64::INFINITY),
            ("'contact_impulse' has the number inf", |r| r.contacts.impulse[0] = f64::INFINITY),
            ("'geom_body' has the index 7, and there are 7", |r| r.geoms.body[3] = 7),
            ("'geom_type' has the index -1", |r| r.geoms.kind[3] = -1),
            ("'geom_data' has the index 1, and there are 1", |r| r.geoms.data[7] = 1),
            ("'mesh_triangle' has the index 8", |r| r.meshes.triangle[5] = 8),
            ("'hfield_grid' is 3 by 3 for a field of 6", |r| r.height_fields.grid[0] = 3),
            ("'contact_mode' has the index 3", |r| r.contacts.mode[0] = 3),
            ("'contact_geom2' has the index 99", |r| r.contacts.geom2[0] = 99),
            ("'contact_ptr' does not rise from 0", |r| r.contacts.ptr[1] = 100),
            ("'contact_ptr' has 2 entries for 3 steps", |r| r.contacts.ptr = vec![0, 3]),
        ];
        for (expected, damage) in damages {
            let mut recording = recorded(3);
            damage(&mut recording);
            let found = problem(&archive(&recording));
            assert!(
                found.starts_with("not a recording: ") && found.contains(expected),
                "{found}\n{expected}"
            );
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
        let found = with(|npz| npz.array("format", &[], &[4_i64]));
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
            if let Ok(recording) = Recording::read(Cursor::new(&damaged[..])) {
                let _ = crate::view::page(&recording);
            } else {
                refused += 1;
            }
        }
        assert!(refused > 200, "{refused}");
    }
}
