//! What the page knows besides the columns: names, shapes, and the worst of all certificates, in JSON. Names are made printable
//! here: they are the only text of others that a page holds.

use crate::columns::Column;
use serde::Serialize;
use std::borrow::Cow;
use stiction::recording::{LAW_NAMES, Recording, SHAPE_NAMES};
use stiction::report::{Certificate, HandBacks, RowSource};
use stiction_solvers::io::printable;

/// Version of what the program reads; `viewer/src/recording.ts` has the same.
const PAGE_FORMAT: u32 = 5;

/// What the page knows besides the columns.
#[derive(Serialize)]
pub(crate) struct Header<'a> {
    format: u32,
    scene: Cow<'a, str>,
    contact_model: Cow<'a, str>,
    solver: Cow<'a, str>,
    timestep: f64,
    gravity: &'a [f64],
    /// Recorded steps, and how many of them make a frame.
    steps: usize,
    stride: usize,
    frames: usize,
    bodies: Vec<BodyHeader<'a>>,
    geoms: Vec<GeomHeader<'a>>,
    /// Names of the joints, connects and welds that transmit something.
    joints: Vec<Cow<'a, str>>,
    /// Names of the actuators, then of the fixed tendons.
    actuators: Vec<Cow<'a, str>>,
    tendons: Vec<Cow<'a, str>>,
    /// Names of the laws, by code.
    laws: &'static [&'static str],
    /// Vertices and triangles of each mesh.
    meshes: Vec<[i64; 2]>,
    /// Rows and columns of each height field.
    height_fields: Vec<&'a [i64]>,
    /// What `energy` and `kinetic` are counted from (J).
    energy: f64,
    /// The violations of the certificate.
    worst: Vec<WorstField>,
    unsolved_steps: usize,
    /// Steps in which a stepper handed bodies back, and the reasons with their counts.
    hand_back_steps: usize,
    hand_backs: Vec<(String, usize)>,
    columns: &'a [Column],
}

#[derive(Serialize)]
struct BodyHeader<'a> {
    name: Cow<'a, str>,
    mass: f64,
    fixed: bool,
}

#[derive(Serialize)]
struct GeomHeader<'a> {
    name: Cow<'a, str>,
    body: i32,
    shape: &'static str,
    size: &'a [f64],
    data: i32,
    position: &'a [f64],
    orientation: &'a [f64],
    rgba: Option<&'a [f64]>,
}

/// Worst of a certificate's field over all steps, also of those that are not shown.
#[derive(Serialize)]
struct WorstField {
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    value: f64,
}

impl<'a> Header<'a> {
    /// The header of a page that shows these steps, every `stride`-th.
    pub(crate) fn of(
        recording: &'a Recording,
        steps: &[usize],
        stride: usize,
        columns: &'a [Column],
    ) -> Self {
        let (bodies, geoms) = (&recording.run.bodies, &recording.run.geoms);
        let (meshes, fields) = (&recording.run.meshes, &recording.run.height_fields);
        let name = |source: usize| printable(&recording.run.sources.names[source]);
        let rgba = |g: usize| Some(&geoms.rgba[4 * g..4 * g + 4]).filter(|c| c.iter().all(|x| x.is_finite()));
        Self {
            format: PAGE_FORMAT,
            scene: printable(&recording.run.scene_name),
            contact_model: printable(&recording.run.contact_model),
            solver: printable(&recording.run.solver),
            timestep: recording.run.timestep,
            gravity: &recording.run.gravity,
            steps: recording.steps(),
            stride,
            frames: steps.len(),
            bodies: (0..bodies.names.len())
                .map(|b| BodyHeader {
                    name: printable(&bodies.names[b]),
                    mass: bodies.mass[b],
                    fixed: bodies.fixed[b] != 0,
                })
                .collect(),
            geoms: (0..geoms.names.len())
                .map(|g| GeomHeader {
                    name: printable(&geoms.names[g]),
                    body: geoms.body[g],
                    shape: SHAPE_NAMES[geoms.kind[g] as usize],
                    size: &geoms.size[3 * g..3 * g + 3],
                    data: geoms.data[g],
                    position: &geoms.poses.position[3 * g..3 * g + 3],
                    orientation: &geoms.poses.orientation[4 * g..4 * g + 4],
                    rgba: rgba(g),
                })
                .collect(),
            joints: joint_sources(recording).iter().map(|&source| name(source)).collect(),
            actuators: recording.run.actuators.iter().map(|name| printable(name)).collect(),
            tendons: recording.run.sources.of(RowSource::Tendon).map(name).collect(),
            laws: &LAW_NAMES,
            meshes: (0..meshes.vertex_ptr.len() - 1)
                .map(|m| [&meshes.vertex_ptr, &meshes.triangle_ptr].map(|ptr| ptr[m + 1] - ptr[m]))
                .collect(),
            height_fields: fields.grid.chunks_exact(2).collect(),
            energy: start_energy(recording),
            worst: worst(recording),
            unsolved_steps: recording.unsolved.iter().filter(|&&n| n > 0).count(),
            hand_back_steps: recording.hand_backs.iter().filter(|counts| counts.total() > 0).count(),
            hand_backs: hand_backs(recording),
            columns,
        }
    }
}

/// What transmits something in every step: places among the recording's sources.
pub(crate) fn joint_sources(recording: &Recording) -> Vec<usize> {
    let joints = &recording.joints;
    joints.source[joints.of_step(0)].iter().map(|&source| source as usize).collect()
}

/// Energy before the first step (J).
pub(crate) fn start_energy(recording: &Recording) -> f64 {
    recording.energy[0] - recording.certificates[0].energy_change
}

/// Reasons for hand-backs, of those that there were, with their counts over all steps.
fn hand_backs(recording: &Recording) -> Vec<(String, usize)> {
    let mut sum = HandBacks::default();
    recording.hand_backs.iter().for_each(|counts| sum += *counts);
    sum.present().map(|(reason, count)| (reason.to_string(), count)).collect()
}

fn worst(recording: &Recording) -> Vec<WorstField> {
    let mut worst = Certificate::default();
    recording.certificates.iter().for_each(|certificate| worst.take_worst(certificate));
    let violations = Certificate::FIELDS.iter().filter(|field| field.violation);
    violations
        .map(|field| WorstField {
            name: field.name,
            title: field.title,
            unit: field.unit,
            value: (field.get)(&worst),
        })
        .collect()
}
