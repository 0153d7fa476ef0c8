//! The recorder: watches a simulation and hands its steps to a [`Sink`].

use crate::dynamics::Data;
use crate::model::Model;
use crate::recording::run::{Poses, Run};
use crate::recording::sink::{RecordedStep, Sink};
use crate::recording::tables::Recording;
use crate::report::StepReport;
use crate::sim::Simulation;
use std::sync::Arc;

/// Hands the steps of a simulation to a sink; without another, to a [`Recording`] that keeps them all.
#[derive(Debug)]
pub struct Recorder<S: Sink = Recording> {
    model: Arc<Model>,
    /// For the kinematics of the states it is shown.
    data: Data,
    /// Poses of the bodies at the last of them.
    poses: Poses,
    sink: S,
}

impl Recorder {
    /// A recorder that starts with the simulation's present state and keeps all steps in memory, with capacity for
    /// `expected_steps` (more are fine).
    pub fn new(simulation: &Simulation, expected_steps: usize) -> Self {
        Self::with_sink(simulation, expected_steps, Recording::default())
    }

    /// What has been recorded.
    pub fn recording(&self) -> &Recording {
        &self.sink
    }
}

impl<S: Sink> Recorder<S> {
    /// A recorder that starts with the simulation's present state and hands each step to `sink`.
    pub fn with_sink(simulation: &Simulation, expected_steps: usize, mut sink: S) -> Self {
        let model = simulation.model().clone();
        let mut data = Data::new(&model);
        sink.begin(Run::of(simulation, &mut data), expected_steps);
        Self { model, data, poses: Poses::default(), sink }
    }

    /// Adds the step that the simulation has just taken, with its report.
    pub fn record(&mut self, simulation: &Simulation, report: &StepReport) {
        let state = &simulation.state;
        self.poses.clear();
        self.poses.push_bodies(&self.model, &mut self.data, state);
        let (moved, contacts) = (simulation.moved_bodies(), simulation.contact_acts());
        let rows = simulation.row_acts();
        let transmitted = &simulation.transmitted();
        self.sink.step(&RecordedStep {
            state,
            poses: &self.poses,
            moved,
            contacts,
            rows,
            transmitted,
            report,
        });
    }

    /// Where the steps went.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// Ends the recording.
    pub fn into_sink(self) -> S {
        self.sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::npz::tests::{doubles, read_array};
    use crate::report::Certificate;
    use crate::scene::mjcf;
    use crate::sim::{Settings, Stepper};
    use std::io::Cursor;
    use std::path::Path;

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
        recorded_by(Stepper::default(), steps)
    }

    fn recorded_by(stepper: Stepper, steps: usize) -> (Recorder, Vec<StepReport>, Vec<u8>) {
        let scene = mjcf::parse(SCENE, "record.xml").unwrap();
        let settings = Settings { stepper, ..Settings::default() };
        let mut simulation = Simulation::new(Arc::new(scene.model), settings).unwrap();
        let mut recorder = Recorder::new(&simulation, steps);
        let mut reports = Vec::new();
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            recorder.record(&simulation, &report);
            reports.push(report);
        }
        let archive = recorder.recording().write(Cursor::new(Vec::new())).unwrap().into_inner();
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
        for stepper in [Stepper::TimeStepping, Stepper::Rattle] {
            recompute_certificates(recorded_by(stepper, 80));
        }
    }

    fn recompute_certificates((_, reports, archive): (Recorder, Vec<StepReport>, Vec<u8>)) {
        let get = |name: &str| numbers(&archive, name);
        let (duration, act, pointer) = (get("contact_duration"), get("contact_act"), get("contact_ptr"));
        let (velocity, impulse) = (get("contact_velocity"), get("contact_impulse"));
        let (bias, mu) = (get("contact_bias"), get("contact_mu"));
        assert_eq!(pointer.len(), 81);
        assert!(mu.contains(&0.0) && mu.contains(&0.2), "{mu:?}");
        for (i, report) in reports.iter().enumerate() {
            let mut found = Certificate::default();
            let worse = |worst: &mut f64, value: f64| *worst = worst.max(value);
            let acts = pointer[i] as usize..pointer[i + 1] as usize;
            for j in acts.clone() {
                let (u, l, h) = (&velocity[3 * j..3 * j + 3], &impulse[3 * j..3 * j + 3], duration[j]);
                worse(&mut found.approach, -(u[0] + bias[j]));
                worse(&mut found.pull, -l[0] / h);
                worse(&mut found.cone_violation, (libm::hypot(l[1], l[2]) - mu[j] * l[0].max(0.0)) / h);
                worse(&mut found.sliding_power, (l[1] * u[1] + l[2] * u[2]) / h);
                let slip = libm::hypot(u[1], u[2]);
                let power = (l[1] * u[1] + l[2] * u[2]) / h;
                worse(&mut found.dissipation, mu[j] * l[0].max(0.0) * slip / h + power);
                worse(&mut found.complementarity, (l[0] * (u[0] + bias[j])).abs() / h);
            }
            let c = report.certificate;
            assert_eq!(report.contacts, acts.filter(|&j| act[j] == 0.0).count());
            let of_contacts = |c: &Certificate| {
                [c.approach, c.pull, c.cone_violation, c.sliding_power, c.dissipation, c.complementarity]
            };
            assert_eq!(of_contacts(&found), of_contacts(&c));
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
        for step in 0..recorder.recording().steps() {
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
        let error = recorder.recording().write_npz(Path::new("/nonexistent/a.npz")).unwrap_err();
        assert!(error.to_string().starts_with("/nonexistent/a.npz: "));
    }

    /// Sums up what it is shown.
    #[derive(Default)]
    struct Sum {
        bodies: usize,
        expected: usize,
        times: Vec<f64>,
        contacts: usize,
        heights: Vec<f64>,
    }

    impl Sink for Sum {
        fn begin(&mut self, run: Run, expected_steps: usize) {
            (self.bodies, self.expected) = (run.bodies.names.len(), expected_steps);
        }

        fn step(&mut self, step: &RecordedStep<'_>) {
            self.times.push(step.state.time);
            self.contacts += step.contacts.len();
            self.heights.push(step.poses.position[3 * self.bodies - 1]);
        }
    }

    #[test]
    fn a_sink_is_shown_each_step_as_the_recording_keeps_it() {
        let (recorder, _, _) = recorded(30);
        let kept = recorder.into_sink();
        let scene = mjcf::parse(SCENE, "record.xml").unwrap();
        let mut simulation = Simulation::new(Arc::new(scene.model), Settings::default()).unwrap();
        let mut recorder = Recorder::with_sink(&simulation, 30, Sum::default());
        for _ in 0..30 {
            let report = simulation.step().unwrap();
            recorder.record(&simulation, &report);
        }
        let sum = recorder.sink();
        assert_eq!((sum.bodies, sum.expected), (3, 30));
        assert_eq!(sum.times, kept.time);
        assert_eq!(sum.contacts, kept.contacts.gap.len());
        let heights: Vec<f64> = kept.poses.position.chunks(9).map(|places| places[8]).collect();
        assert_eq!(sum.heights, heights);
    }
}
