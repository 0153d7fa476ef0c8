//! Where the time of the steps goes, for whoever asks. Nothing that is simulated depends on it.

use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Time spent in the stages of a step, summed over the steps (s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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

/// A stage whose time is measured.
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

impl StageTimes {
    fn of(&mut self, stage: Stage) -> &mut f64 {
        match stage {
            Stage::Kinematics => &mut self.kinematics,
            Stage::Collision => &mut self.collision,
            Stage::Overlap => &mut self.overlap,
            Stage::FreeVelocity => &mut self.free_velocity,
            Stage::Rows => &mut self.rows,
            Stage::Solve => &mut self.solve,
            Stage::Impulses => &mut self.impulses,
            Stage::Integrate => &mut self.integrate,
            Stage::Certificate => &mut self.certificate,
        }
    }
}

/// A clock that is held to the stages from outside. It stands still until somebody asks for times.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    running: bool,
    times: StageTimes,
}

impl Clock {
    /// A clock that runs.
    pub(crate) fn started() -> Self {
        Self { running: true, ..Self::default() }
    }

    /// The times so far.
    pub(crate) fn times(&self) -> StageTimes {
        self.times
    }

    /// Runs a stage and adds its time.
    pub(crate) fn time<R>(&mut self, stage: Stage, run: impl FnOnce() -> R) -> R {
        if !self.running {
            return run();
        }
        let start = Instant::now();
        let result = run();
        *self.times.of(stage) += start.elapsed().as_secs_f64();
        result
    }
}
