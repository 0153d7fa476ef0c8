//! Where the time of the steps goes, for whoever asks. Nothing that is simulated depends on it.

use crate::sim::simulation::Simulation;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Time spent in the stages of a step, summed over the steps (s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageTimes {
    /// Poses and velocities: stage 1.
    pub kinematics: f64,
    /// Contacts: stage 2.
    pub collision: f64,
    /// Removal of overlap, with all it takes, in steps that need it.
    pub overlap: f64,
    /// Rules, mass matrices and their factors, free velocities: stage 3.
    pub free_velocity: f64,
    /// Rows, Delassus matrices and what bilateral rows take from them: stage 4, and 5 as far as the complementarity problems.
    pub rows: f64,
    /// The complementarity problems, posed and solved; under the acceleration stepper, all it does.
    pub solve: f64,
    /// New velocity: stage 6.
    pub impulses: f64,
    /// New configuration: stage 7.
    pub integrate: f64,
    /// Certificate, energies and read-out: stage 8.
    pub certificate: f64,
}

impl StageTimes {
    /// All stages with their names, in the order of the step.
    pub fn named(&self) -> [(&'static str, f64); 9] {
        [
            ("kinematics", self.kinematics),
            ("collision", self.collision),
            ("overlap", self.overlap),
            ("free velocity", self.free_velocity),
            ("rows", self.rows),
            ("solve", self.solve),
            ("impulses", self.impulses),
            ("integrate", self.integrate),
            ("certificate", self.certificate),
        ]
    }

    /// All stages.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, time)| time).sum()
    }
}

/// What a lap of the clock was spent on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Kinematics,
    Collision,
    Overlap,
    FreeVelocity,
    Rows,
    Solve,
    Impulses,
    Integrate,
    Certificate,
}

/// A clock that is looked at between the stages. It stands still until somebody asks for times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    running: bool,
    last: Option<Instant>,
    times: StageTimes,
}

impl Clock {
    /// The time until the first lap begins here.
    pub(crate) fn start(&mut self) {
        self.last = self.running.then(Instant::now);
    }

    /// Ends a lap, which was spent on `stage`, and begins the next.
    pub(crate) fn lap(&mut self, stage: Stage) {
        let Some(last) = self.last else { return };
        let now = Instant::now();
        let times = &mut self.times;
        let time = match stage {
            Stage::Kinematics => &mut times.kinematics,
            Stage::Collision => &mut times.collision,
            Stage::Overlap => &mut times.overlap,
            Stage::FreeVelocity => &mut times.free_velocity,
            Stage::Rows => &mut times.rows,
            Stage::Solve => &mut times.solve,
            Stage::Impulses => &mut times.impulses,
            Stage::Integrate => &mut times.integrate,
            Stage::Certificate => &mut times.certificate,
        };
        *time += now.duration_since(last).as_secs_f64();
        self.last = Some(now);
    }
}

impl Simulation {
    /// Measures the stages of all steps from now on, beginning with zero, at some ten-millionths of a second a step.
    pub fn measure_stages(&mut self) {
        self.islands.clock = Clock { running: true, ..Clock::default() };
    }

    /// The times since [`Simulation::measure_stages`]; zero if nobody asked.
    pub fn stage_times(&self) -> StageTimes {
        self.islands.clock.times
    }
}
