//! Where the time of the steps goes, for whoever asks. Nothing that is simulated depends on it.

use crate::sim::Simulation;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Time spent in the stages of a step, summed over the steps (s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageTimes {
    /// Poses and contacts, overlap removed: stages 1 and 2.
    pub contacts: f64,
    /// Free velocities, rows, Delassus matrices and what bilateral rows take from them: stages 3 and 4, and 5 as far as
    /// the complementarity problems.
    pub set_up: f64,
    /// The complementarity problems, posed and solved.
    pub solve: f64,
    /// The new state and the certificate: stages 6 to 8.
    pub advance: f64,
}

impl StageTimes {
    /// All stages.
    pub fn total(&self) -> f64 {
        self.contacts + self.set_up + self.solve + self.advance
    }
}

/// What a lap of the clock was spent on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Contacts,
    SetUp,
    Solve,
    Advance,
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
        let time = match stage {
            Stage::Contacts => &mut self.times.contacts,
            Stage::SetUp => &mut self.times.set_up,
            Stage::Solve => &mut self.times.solve,
            Stage::Advance => &mut self.times.advance,
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
