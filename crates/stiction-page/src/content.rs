//! The columns of a page: shapes, poses, series and contacts of the steps that it shows, each rounded to what can be seen.

use crate::columns::{Columns, Lanes, Rounding};
use crate::header::{joint_sources, start_energy};
use crate::tracks::{Track, tracks};
use stiction::recording::{Poses, Recording};
use stiction::report::RowSource;

/// Positions of bodies are rounded to this part of the smallest moving geom.
const PLACE: f64 = 1.0 / 65536.0;

/// Contact points are rounded to this part of it: they are the arms of the moments of pairs.
const POINT: f64 = 1.0 / 2097152.0;

/// Quaternions are rounded to multiples of this.
const TURN: f64 = 1.0 / 65536.0;

/// Normals are rounded to multiples of this, which is single precision.
const NORMAL: f64 = 1.0 / 8388608.0;

/// Margins come to within 5.4e-7 of their size: half a step and the rounding to single precision before it.
const MARGIN: Rounding = Rounding::Float { shift: 3 };

/// A component of a force below this part of the largest is rounding.
const NO_FORCE: f64 = 1.0 / 16777216.0;

/// All columns for these steps, every `stride`-th of the recording.
pub(crate) fn columns(recording: &Recording, steps: &[usize], stride: usize) -> Columns {
    let mut columns = Columns::default();
    add_shapes(&mut columns, recording);
    add_poses(&mut columns, recording, steps);
    add_series(&mut columns, recording, steps, stride);
    add_transmitted(&mut columns, recording, steps);
    add_contacts(&mut columns, recording, steps);
    columns
}

/// Meshes and height fields.
fn add_shapes(columns: &mut Columns, recording: &Recording) {
    let (meshes, fields) = (&recording.run.meshes, &recording.run.height_fields);
    columns.add("mesh_vertex", Rounding::SINGLE, 0, Lanes::One, [meshes.vertex.iter().copied()]);
    let triangles = meshes.triangle.iter().map(|&i| f64::from(i));
    columns.add("mesh_triangle", Rounding::grid(1.0), 1, Lanes::One, [triangles]);
    columns.add("height", Rounding::SINGLE, 1, Lanes::One, [fields.height.iter().copied()]);
}

/// Where bodies are, and how fast.
fn add_poses(columns: &mut Columns, recording: &Recording, steps: &[usize]) {
    let (poses, bodies) = (&recording.poses, recording.run.bodies.names.len());
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
    let geoms = &recording.run.geoms;
    let moving = |g: &usize| recording.run.bodies.fixed[geoms.body[*g] as usize] == 0;
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
    let bodies = recording.run.bodies.names.len();
    let at = |step: usize| &recording.poses.position[3 * (bodies * step + body)..][..3];
    let before = if step == 0 { &recording.run.poses0.position[3 * body..][..3] } else { at(step - 1) };
    let squares = (0..3).map(|k| (at(step)[k] - before[k]) * (at(step)[k] - before[k]));
    let moved = squares.sum::<f64>().sqrt();
    let resolved = 4.0 * f64::EPSILON * at(step).iter().fold(0.0, |r: f64, x| r.max(x.abs()));
    if moved > resolved { moved / recording.run.timestep } else { 0.0 }
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
    let tick = Rounding::grid((recording.run.timestep / 1024.0).max(latest / f64::from(1 << 30)));
    columns.add("time", tick, 2, Lanes::One, [time]);
}

/// What joints, connects and welds, actuators and tendons transmit.
fn add_transmitted(columns: &mut Columns, recording: &Recording, steps: &[usize]) {
    let joints = &recording.joints;
    let lanes = 3 * joint_sources(recording).len();
    let mut add = |name: &str, lanes: usize, value: &dyn Fn(usize, usize) -> f64| {
        let lanes = (0..lanes).map(|lane| steps.iter().map(move |&step| value(step, lane)));
        columns.add(name, Rounding::Float { shift: 8 }, 1, Lanes::Frames, lanes);
    };
    let of_joint = |values: &[f64], step: usize, lane: usize| values[3 * joints.of_step(step).start + lane];
    add("joint_force", lanes, &|step, lane| of_joint(&joints.force, step, lane));
    add("joint_moment", lanes, &|step, lane| of_joint(&joints.moment, step, lane));
    let (actuators, tendons) =
        (recording.run.actuators.len(), recording.run.sources.of(RowSource::Tendon).len());
    add("actuator_force", actuators, &|step, lane| recording.actuator_force[actuators * step + lane]);
    add("tendon_tension", tendons, &|step, lane| recording.tendon_tension[tendons * step + lane]);
}

/// Contacts, track by track.
fn add_contacts(columns: &mut Columns, recording: &Recording, steps: &[usize]) {
    let contacts = &recording.contacts.sums();
    let tracks = tracks(recording, contacts, steps);
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
        let force = |c| clean(contacts.force(c, recording.run.timestep))[k];
        of_contacts(&format!("contact_force_{axis}"), Rounding::SINGLE, &force);
    }
    of_contacts("contact_gap", Rounding::ROUGH, &|c| contacts.gap[c]);
    of_contacts("contact_slip", Rounding::ROUGH, &|c| contacts.slip[c]);
    of_contacts("contact_shift", Rounding::ROUGH, &|c| contacts.shift[c]);
    of_contacts("contact_margin", MARGIN, &|c| contacts.margin[c]);
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
