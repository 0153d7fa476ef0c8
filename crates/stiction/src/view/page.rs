//! From a recording to the text of a page, small enough to be mailed.

use crate::recording::archive::{LAW_NAMES, Poses, SHAPE_NAMES};
use crate::recording::{RecordError, Recording};
use crate::view::columns::{Column, Columns, Lanes, Rounding};
use crate::view::tracks::{Track, tracks};
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;
use std::path::Path;

/// A page is at most this large (bytes) if leaving out steps can make it so.
pub const PAGE_LIMIT: usize = 3_000_000;

/// The page's program, with a mark where the recording belongs.
const BUNDLE: &str = include_str!("page.html");

/// The mark.
const MARK: &str = "<!--recording-->";

/// Version of what the program reads; `viewer/src/recording.ts` has the same.
const PAGE_FORMAT: u32 = 2;

/// Effort of deflate, of 10.
const EFFORT: u8 = 7;

/// Positions of bodies are rounded to this part of the smallest moving geom.
const PLACE: f64 = 1.0 / 65536.0;

/// Contact points are rounded to this part of it: they are the arms of the moments of pairs.
const POINT: f64 = 1.0 / 2097152.0;

/// Quaternions are rounded to multiples of this.
const TURN: f64 = 1.0 / 65536.0;

/// Normals are rounded to multiples of this, which is single precision.
const NORMAL: f64 = 1.0 / 8388608.0;

/// Margins come to within 4.8e-7 of their size.
const MARGIN: Rounding = Rounding::Float { shift: 3 };

/// Stands for the margin of a contact that has none.
const NO_MARGIN: f64 = -1.0;

/// A component of a force below this part of the largest is rounding.
const NO_FORCE: f64 = 1.0 / 16777216.0;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// Nothing to show.
    #[error("a page shows steps, and the recording has none")]
    NoSteps,
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] RecordError),
}

/// What the page knows besides the columns.
#[derive(Serialize)]
struct Header<'a> {
    format: u32,
    scene: &'a str,
    contact_model: &'a str,
    solver: &'a str,
    timestep: f64,
    gravity: &'a [f64],
    /// Recorded steps, and how many of them make a frame.
    steps: usize,
    stride: usize,
    frames: usize,
    bodies: Vec<BodyHeader<'a>>,
    geoms: Vec<GeomHeader<'a>>,
    /// Names of the laws, by code.
    laws: &'static [&'static str],
    /// Vertices and triangles of each mesh.
    meshes: Vec<[i64; 2]>,
    /// Rows and columns of each height field.
    height_fields: Vec<&'a [i64]>,
    /// What `energy` and `kinetic` are counted from (J).
    energy: f64,
    worst: Worst,
    columns: &'a [Column],
}

#[derive(Serialize)]
struct BodyHeader<'a> {
    name: &'a str,
    mass: f64,
    fixed: bool,
}

#[derive(Serialize)]
struct GeomHeader<'a> {
    name: &'a str,
    body: i32,
    shape: &'static str,
    size: &'a [f64],
    data: i32,
    position: &'a [f64],
    orientation: &'a [f64],
    rgba: Option<&'a [f64]>,
}

/// Worst certificates of all steps, also of those that are not shown.
#[derive(Serialize)]
struct Worst {
    residual: f64,
    penetration: f64,
    approach: f64,
    pull: f64,
    cone_violation: f64,
    sliding_power: f64,
    bilateral: f64,
    unsolved_steps: usize,
}

/// Writes a recording as a page; an existing file is replaced.
///
/// # Errors
/// The recording has no step, or the file cannot be written.
pub fn write_page(recording: &Recording, path: &Path) -> Result<(), PageError> {
    let text = page(recording)?;
    std::fs::write(path, text).map_err(|source| RecordError { path: path.to_path_buf(), source }.into())
}

/// The text of a page that plays a recording: every step of it, or every second, third, ... so that the page stays
/// within [`PAGE_LIMIT`].
///
/// Forces and margins come to within 1e-6 of their size, positions of bodies to within 1e-5 and contact points to within
/// 1e-6 of the smallest moving geom's.
///
/// # Errors
/// The recording has no step.
pub fn page(recording: &Recording) -> Result<String, PageError> {
    page_within(recording, PAGE_LIMIT)
}

fn page_within(recording: &Recording, limit: usize) -> Result<String, PageError> {
    if recording.steps() == 0 {
        return Err(PageError::NoSteps);
    }
    let mut stride = 1;
    loop {
        let text = with_stride(recording, stride);
        // Some excess is the program's and the scene's, and steps that are further apart cost more each: as many
        // times the stride as the page is too large is not too much.
        let excess = text.len().saturating_sub(BUNDLE.len()) / limit.saturating_sub(BUNDLE.len()).max(1);
        if text.len() <= limit || stride >= recording.steps() {
            return Ok(text);
        }
        stride = (stride * excess).max(stride + 1).min(recording.steps());
    }
}

fn with_stride(recording: &Recording, stride: usize) -> String {
    let steps: Vec<usize> = (0..recording.steps()).skip(stride - 1).step_by(stride).collect();
    let mut columns = Columns::default();
    add_shapes(&mut columns, recording);
    add_poses(&mut columns, recording, &steps);
    add_series(&mut columns, recording, &steps, stride);
    add_contacts(&mut columns, recording, &steps);
    let data = base64(&compress_to_vec_zlib(&columns.bytes, EFFORT));
    let header = header(recording, &steps, stride, &columns.table);
    // `<` could end the element that the text stands in. Plain numbers and texts always become JSON.
    let json = serde_json::to_string(&header).unwrap_or_default().replace('<', "\\u003c");
    let (before, after) = BUNDLE.split_once(MARK).unwrap_or((BUNDLE, ""));
    [
        before,
        "<script type=\"application/json\" id=\"recording-header\">",
        &json,
        "</script>\n<script type=\"application/octet-stream\" id=\"recording-data\">",
        &data,
        "</script>",
        after,
    ]
    .concat()
}

fn header<'a>(recording: &'a Recording, steps: &[usize], stride: usize, columns: &'a [Column]) -> Header<'a> {
    let (bodies, geoms) = (&recording.bodies, &recording.geoms);
    let (meshes, fields) = (&recording.meshes, &recording.height_fields);
    let rgba = |g: usize| Some(&geoms.rgba[4 * g..4 * g + 4]).filter(|c| c.iter().all(|x| x.is_finite()));
    Header {
        format: PAGE_FORMAT,
        scene: &recording.scene_name,
        contact_model: &recording.contact_model,
        solver: &recording.solver,
        timestep: recording.timestep,
        gravity: &recording.gravity,
        steps: recording.steps(),
        stride,
        frames: steps.len(),
        bodies: (0..bodies.names.len())
            .map(|b| BodyHeader { name: &bodies.names[b], mass: bodies.mass[b], fixed: bodies.fixed[b] != 0 })
            .collect(),
        geoms: (0..geoms.names.len())
            .map(|g| GeomHeader {
                name: &geoms.names[g],
                body: geoms.body[g],
                shape: SHAPE_NAMES[geoms.kind[g] as usize],
                size: &geoms.size[3 * g..3 * g + 3],
                data: geoms.data[g],
                position: &geoms.poses.position[3 * g..3 * g + 3],
                orientation: &geoms.poses.orientation[4 * g..4 * g + 4],
                rgba: rgba(g),
            })
            .collect(),
        laws: &LAW_NAMES,
        meshes: (0..meshes.vertex_ptr.len() - 1)
            .map(|m| [&meshes.vertex_ptr, &meshes.triangle_ptr].map(|ptr| ptr[m + 1] - ptr[m]))
            .collect(),
        height_fields: fields.grid.chunks_exact(2).collect(),
        energy: start_energy(recording),
        worst: worst(recording),
        columns,
    }
}

/// Energy before the first step (J).
fn start_energy(recording: &Recording) -> f64 {
    recording.energy[0] - recording.certificates[0].energy_change
}

fn worst(recording: &Recording) -> Worst {
    let largest = |field: fn(&crate::report::Certificate) -> f64| {
        recording.certificates.iter().map(field).fold(0.0, f64::max)
    };
    Worst {
        residual: largest(|c| c.residual),
        penetration: largest(|c| c.penetration),
        approach: largest(|c| c.approach),
        pull: largest(|c| c.pull),
        cone_violation: largest(|c| c.cone_violation),
        sliding_power: largest(|c| c.sliding_power),
        bilateral: largest(|c| c.bilateral),
        unsolved_steps: recording.unsolved.iter().filter(|&&n| n > 0).count(),
    }
}

/// Meshes and height fields.
fn add_shapes(columns: &mut Columns, recording: &Recording) {
    let (meshes, fields) = (&recording.meshes, &recording.height_fields);
    columns.add("mesh_vertex", Rounding::SINGLE, 0, Lanes::One, [meshes.vertex.iter().copied()]);
    let triangles = meshes.triangle.iter().map(|&i| f64::from(i));
    columns.add("mesh_triangle", Rounding::grid(1.0), 1, Lanes::One, [triangles]);
    columns.add("height", Rounding::SINGLE, 1, Lanes::One, [fields.height.iter().copied()]);
}

/// Where bodies are, and how fast.
fn add_poses(columns: &mut Columns, recording: &Recording, steps: &[usize]) {
    let (poses, bodies) = (&recording.poses, recording.bodies.names.len());
    let coordinate = |step: usize, k: usize| poses.position[3 * bodies * step + k];
    let lanes = (0..3 * bodies).map(|k| steps.iter().map(move |&step| coordinate(step, k)));
    columns.add("position", part_of_smallest(recording, PLACE), 2, Lanes::Frames, lanes);

    let turns: Vec<Vec<f64>> = (0..bodies).flat_map(|body| turning(poses, bodies, body, steps)).collect();
    columns.add("orientation", Rounding::grid(TURN), 2, Lanes::Frames, turns);

    let speed = |body: usize| move |&step: &usize| speed(recording, body, step);
    let lanes = (0..bodies).map(|body| steps.iter().map(speed(body)));
    columns.add("speed", Rounding::ROUGH, 1, Lanes::Frames, lanes);
}

/// Rounding of places: a part of the smallest moving geom, but not so fine that the farthest place is out of range.
fn part_of_smallest(recording: &Recording, part: f64) -> Rounding {
    let geoms = &recording.geoms;
    let moving = |g: &usize| recording.bodies.fixed[geoms.body[*g] as usize] == 0;
    let sizes = (0..geoms.names.len()).filter(moving).map(|g| {
        let size = &geoms.size[3 * g..3 * g + 3];
        size.iter().fold(0.0, |largest: f64, &x| largest.max(x))
    });
    let smallest = sizes.filter(|&size| size > 0.0).fold(f64::INFINITY, f64::min);
    let smallest = if smallest.is_finite() { smallest } else { 1.0 };
    let everywhere = recording.poses.position.iter().chain(&recording.contacts.point);
    let farthest = everywhere.fold(0.0, |r: f64, x| r.max(x.abs()));
    let finest = farthest / f64::from(1 << 30);
    Rounding::grid((smallest * part).max(2.0 * finest))
}

/// The four lanes of a body's quaternion; of the two that mean the same, the one nearer to the last.
fn turning(poses: &Poses, bodies: usize, body: usize, steps: &[usize]) -> [Vec<f64>; 4] {
    let mut lanes: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(steps.len()));
    let mut last = [1.0, 0.0, 0.0, 0.0];
    for &step in steps {
        let at = 4 * (bodies * step + body);
        let q: [f64; 4] = std::array::from_fn(|k| poses.orientation[at + k]);
        let sign = if (0..4).map(|k| q[k] * last[k]).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        last = q.map(|x| sign * x);
        lanes.iter_mut().zip(last).for_each(|(lane, x)| lane.push(x));
    }
    lanes
}

/// How far a body's origin moved in a step, over the step (m/s); 0 below what the positions resolve.
fn speed(recording: &Recording, body: usize, step: usize) -> f64 {
    let bodies = recording.bodies.names.len();
    let at = |step: usize| &recording.poses.position[3 * (bodies * step + body)..][..3];
    let before = if step == 0 { &recording.poses0.position[3 * body..][..3] } else { at(step - 1) };
    let squares = (0..3).map(|k| (at(step)[k] - before[k]) * (at(step)[k] - before[k]));
    let moved = squares.sum::<f64>().sqrt();
    let resolved = 4.0 * f64::EPSILON * at(step).iter().fold(0.0, |r: f64, x| r.max(x.abs()));
    if moved > resolved { moved / recording.timestep } else { 0.0 }
}

/// What is plotted.
fn add_series(columns: &mut Columns, recording: &Recording, steps: &[usize], stride: usize) {
    let start = start_energy(recording);
    let plotted = Rounding::Float { shift: 8 };
    let certificates = &recording.certificates;
    let mut series = |name: &str, rounding, value: &dyn Fn(usize) -> f64| {
        columns.add(name, rounding, 1, Lanes::One, [steps.iter().map(|&step| value(step))]);
    };
    series("energy", plotted, &|step| recording.energy[step] - start);
    series("kinetic", plotted, &|step| recording.kinetic_energy[step]);
    series("residual", Rounding::ROUGH, &|step| certificates[step].residual);
    series("penetration", Rounding::ROUGH, &|step| certificates[step].penetration);
    // Steps not solved among those that the frame stands for.
    let unsolved = |step: usize| {
        let window = (step + 1).saturating_sub(stride)..step + 1;
        recording.unsolved[window].iter().filter(|&&n| n > 0).count() as f64
    };
    series("unsolved", Rounding::grid(1.0), &unsolved);
    let time = steps.iter().map(|&step| recording.time[step]);
    let latest = recording.time.iter().fold(0.0, |t: f64, x| t.max(x.abs()));
    let tick = Rounding::grid((recording.timestep / 1024.0).max(latest / f64::from(1 << 30)));
    columns.add("time", tick, 2, Lanes::One, [time]);
}

/// Contacts, track by track.
fn add_contacts(columns: &mut Columns, recording: &Recording, steps: &[usize]) {
    let contacts = &recording.contacts;
    let tracks = tracks(recording, steps);
    let first = |track: &Track| track.contacts[0];
    let mut of_tracks = |name: &str, value: &dyn Fn(&Track) -> f64| {
        columns.add(name, Rounding::grid(1.0), 1, Lanes::One, [tracks.iter().map(value)]);
    };
    of_tracks("track_length", &|track| track.contacts.len() as f64);
    of_tracks("track_start", &|track| track.start as f64);
    of_tracks("track_geom1", &|track| f64::from(contacts.geom1[first(track)]));
    of_tracks("track_geom2", &|track| f64::from(contacts.geom2[first(track)]));

    let mut of_contacts = |name: &str, rounding, value: &dyn Fn(usize) -> f64| {
        let lanes = tracks.iter().map(|track| track.contacts.iter().map(|&c| value(c)));
        columns.add(name, rounding, 1, Lanes::Tracks, lanes);
    };
    let point = part_of_smallest(recording, POINT);
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let normal = Rounding::grid(NORMAL);
        of_contacts(&format!("contact_point_{axis}"), point, &|c| contacts.point[3 * c + k]);
        of_contacts(&format!("contact_normal_{axis}"), normal, &|c| contacts.frame[9 * c + k]);
        let force = |c| clean(contacts.force(c, recording.timestep))[k];
        of_contacts(&format!("contact_force_{axis}"), Rounding::SINGLE, &force);
    }
    of_contacts("contact_gap", Rounding::ROUGH, &|c| contacts.gap[c]);
    let margin = |c: usize| if contacts.margin[c].is_nan() { NO_MARGIN } else { contacts.margin[c] };
    of_contacts("contact_margin", MARGIN, &margin);
    // Without slip it is infinite, which becomes the largest number; the law says that there is no bound.
    of_contacts("contact_mu", Rounding::SINGLE, &|c| contacts.mu[c]);
    of_contacts("contact_law", Rounding::grid(1.0), &|c| f64::from(contacts.law[c]));
    of_contacts("contact_mode", Rounding::grid(1.0), &|c| f64::from(contacts.mode[c]));
}

/// A force without the components that are rounding.
fn clean(force: [f64; 3]) -> [f64; 3] {
    let largest = force.iter().fold(0.0, |f: f64, x| f.max(x.abs()));
    force.map(|x| if x.abs() < NO_FORCE * largest { 0.0 } else { x })
}

/// Base 64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Recorder;
    use crate::scene::mjcf;
    use crate::sim::Simulation;
    use crate::view::columns::tests::decode;
    use std::collections::HashMap;

    /// A floor, a slope that is part of a fixed body, and a ball, a box and a capsule that fall on them and on each
    /// other under different laws, so that contacts come and go.
    const SCENE: &str = r#"<mujoco model="a &lt;/script&gt; b">
      <option timestep="0.002"/>
      <asset><material name="stone"/><material name="rubber"/><material name="wax"/></asset>
      <custom>
        <text name="stiction:law:rubber:stone" data="no-slip"/>
        <text name="stiction:law:wax:stone" data="coulomb 0.1 viscous 0.5"/>
      </custom>
      <worldbody>
        <geom name="floor" type="plane" size="9 9 1" material="stone"/>
        <body name="ramp" pos="0.3 0 0.1" euler="0 25 0">
          <geom name="ramp" type="box" size="0.3 0.3 0.02" material="stone"/>
        </body>
        <body name="a" pos="0.25 0 0.6"><freejoint/><geom name="a" type="sphere" size="0.1" mass="1" material="rubber"/></body>
        <body name="b" pos="0.2 0.05 0.9"><freejoint/><geom name="b" type="box" size="0.1 0.07 0.05" mass="2"/></body>
        <body name="c" pos="0.9 0 0.1"><freejoint/>
          <geom name="c" type="capsule" size="0.05 0.1" mass="1" material="wax"/>
        </body>
      </worldbody>
    </mujoco>"#;

    fn recorded(steps: usize) -> Recording {
        let mut simulation = Simulation::from_scene(mjcf::parse(SCENE, "page.xml").unwrap()).unwrap();
        let mut recorder = Recorder::new(&simulation, steps);
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            recorder.record(&simulation, &report);
        }
        recorder.recording().clone()
    }

    /// Header and columns of a page.
    fn read(page: &str) -> (serde_json::Value, HashMap<String, Vec<f64>>) {
        let element = |id: &str| {
            let start = page.find(&format!("id=\"{id}\">")).unwrap() + id.len() + 6;
            &page[start..start + page[start..].find("</script>").unwrap()]
        };
        let header: serde_json::Value = serde_json::from_str(element("recording-header")).unwrap();
        let data =
            miniz_oxide::inflate::decompress_to_vec_zlib(&from_base64(element("recording-data"))).unwrap();
        let table = header["columns"].as_array().unwrap();
        let frames = header["frames"].as_u64().unwrap() as usize;
        // Lengths of tracks are a column that stands before those that need them.
        let until = table.iter().position(|c| c["name"] == "track_start").unwrap();
        let before: u64 = table[..until]
            .iter()
            .map(|c| c["length"].as_u64().unwrap() * c["planes"].as_u64().unwrap())
            .sum();
        let tracks = decode(&table[..until], &data[..before as usize], |_| vec![frames]).pop().unwrap().1;
        let lanes = |kind: &str| match kind {
            "frames" => vec![frames],
            _ => tracks.iter().map(|&n| n as usize).collect(),
        };
        let columns = decode(table, &data, lanes).into_iter().collect();
        (header, columns)
    }

    fn from_base64(text: &str) -> Vec<u8> {
        let digit = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("{c}"),
        };
        let mut bytes = Vec::new();
        for four in text.as_bytes().chunks(4) {
            let digits: Vec<u32> =
                four.iter().filter(|&&c| c != b'=').map(|&c| u32::from(digit(c))).collect();
            let bits = digits.iter().fold(0, |bits, d| bits << 6 | d) << (6 * (4 - digits.len()));
            bytes.extend_from_slice(&bits.to_be_bytes()[1..digits.len()]);
        }
        bytes
    }

    /// Every number of the page against the recording, for the steps that are its frames.
    fn compare(recording: &Recording, page: &str) -> usize {
        let (header, columns) = read(page);
        let frames = header["frames"].as_u64().unwrap() as usize;
        let stride = header["stride"].as_u64().unwrap() as usize;
        let step = |frame: usize| (frame + 1) * stride - 1;
        let bodies = recording.bodies.names.len();
        for frame in 0..frames {
            assert!((columns["time"][frame] - recording.time[step(frame)]).abs() < 2e-6);
            for body in 0..bodies {
                let at = bodies * step(frame) + body;
                for k in 0..3 {
                    let found = columns["position"][(3 * body + k) * frames + frame];
                    assert!((found - recording.poses.position[3 * at + k]).abs() < 1e-6, "{frame} {body}");
                }
                let same: f64 = (0..4)
                    .map(|k| {
                        columns["orientation"][(4 * body + k) * frames + frame]
                            * recording.poses.orientation[4 * at + k]
                    })
                    .sum();
                assert!((same.abs() - 1.0).abs() < 5e-5, "{frame} {body} {same}");
            }
            let energy = columns["energy"][frame] + header["energy"].as_f64().unwrap();
            assert!((energy - recording.energy[step(frame)]).abs() < 2e-5 * recording.energy[0].abs());
        }
        compare_contacts(recording, &columns, frames, step)
    }

    /// Contacts in the recording's order: each track puts its contacts at the end of its frames' lists.
    fn compare_contacts(
        recording: &Recording,
        columns: &HashMap<String, Vec<f64>>,
        frames: usize,
        step: impl Fn(usize) -> usize,
    ) -> usize {
        let mut lists: Vec<Vec<(usize, usize)>> = vec![Vec::new(); frames];
        let mut at = 0;
        for (track, &length) in columns["track_length"].iter().enumerate() {
            for i in 0..length as usize {
                lists[columns["track_start"][track] as usize + i].push((at, track));
                at += 1;
            }
        }
        let contacts = &recording.contacts;
        for (frame, list) in lists.iter().enumerate() {
            let expected = contacts.of_step(step(frame));
            assert_eq!(list.len(), expected.len());
            for (&(found, track), c) in list.iter().zip(expected) {
                assert_eq!(columns["track_geom1"][track], f64::from(contacts.geom1[c]));
                assert_eq!(columns["track_geom2"][track], f64::from(contacts.geom2[c]));
                assert_eq!(columns["contact_mode"][found], f64::from(contacts.mode[c]));
                assert_eq!(columns["contact_law"][found], f64::from(contacts.law[c]));
                let mu = (contacts.mu[c] as f32).min(f32::MAX);
                assert_eq!(columns["contact_mu"][found], f64::from(mu));
                let (margin, exact) = (columns["contact_margin"][found], contacts.margin[c]);
                assert!(
                    if exact.is_nan() { margin < 0.0 } else { (margin - exact).abs() <= 5e-7 * exact },
                    "{margin} {exact}"
                );
                let vector =
                    |name: &str| ["x", "y", "z"].map(|k| columns[&format!("contact_{name}_{k}")][found]);
                let (point, normal, force) = (vector("point"), vector("normal"), vector("force"));
                let exact = contacts.force(c, recording.timestep);
                let size = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
                for k in 0..3 {
                    assert!((point[k] - contacts.point[3 * c + k]).abs() < 3e-8);
                    assert!((normal[k] - contacts.frame[9 * c + k]).abs() < 1e-7);
                    // Single precision ends at 1e-38.
                    assert!((force[k] - exact[k]).abs() <= 1.5e-7 * size + 1e-37, "{force:?} {exact:?}");
                }
            }
        }
        at
    }

    #[test]
    fn a_page_holds_every_step_and_every_contact_of_the_recording() {
        let recording = recorded(700);
        let page = page(&recording).unwrap();
        let (header, columns) = read(&page);
        assert_eq!((header["stride"].as_u64(), header["frames"].as_u64()), (Some(1), Some(700)));
        assert_eq!(header["scene"], "a </script> b");
        assert!(columns["track_length"].len() > 8, "contacts come and go");
        for law in [1.0, 2.0, 4.0] {
            assert!(columns["contact_law"].contains(&law), "no contact has law {law}");
        }
        assert!(columns["contact_margin"].iter().any(|&margin| margin < 0.0), "every contact has a margin");
        let contacts = compare(&recording, &page);
        assert_eq!(contacts, recording.contacts.gap.len());
        assert!(contacts > 1000, "{contacts}");
    }

    #[test]
    fn a_page_that_would_be_too_large_shows_every_kth_step_exactly() {
        let recording = recorded(300);
        let limit = with_stride(&recording, 1).len() * 3 / 4 + BUNDLE.len() / 4;
        let page = page_within(&recording, limit).unwrap();
        let stride = read(&page).0["stride"].as_u64().unwrap() as usize;
        assert!(page.len() <= limit && stride > 1);
        assert!(with_stride(&recording, stride - 1).len() > limit, "{stride} is not the smallest");
        compare(&recording, &page);
        // What cannot be made small enough still shows its last step.
        let page = page_within(&recording, 1).unwrap();
        assert_eq!(read(&page).0["frames"], 1);
        compare(&recording, &page);
    }

    #[test]
    fn unsolved_steps_are_marked_whatever_the_stride() {
        let mut recording = recorded(10);
        recording.unsolved[4] = 2;
        recording.unsolved[5] = 1;
        assert_eq!(read(&with_stride(&recording, 1)).1["unsolved"], [0., 0., 0., 0., 1., 1., 0., 0., 0., 0.]);
        let (header, columns) = read(&with_stride(&recording, 3));
        assert_eq!(columns["unsolved"], [0.0, 2.0, 0.0]);
        assert_eq!(header["worst"]["unsolved_steps"], 2);
    }

    #[test]
    fn a_recording_without_a_step_has_no_page() {
        assert!(matches!(page(&recorded(0)), Err(PageError::NoSteps)));
    }

    #[test]
    fn the_bundle_has_the_mark_and_says_what_it_is() {
        assert_eq!(BUNDLE.matches(MARK).count(), 1);
        assert!(BUNDLE.contains("<meta name=\"generator\" content=\"stiction\""));
    }

    #[test]
    fn base_64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
