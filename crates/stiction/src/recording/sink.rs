//! Where the steps of a run go.
//!
//! A [`Recorder`](crate::recording::Recorder) watches a simulation and hands each step to a sink. A
//! [`Recording`](crate::recording::Recording) is the sink that keeps them all, for an archive or a page at the end; one
//! that sends each step on lets a run be watched while it goes.

use crate::model::State;
use crate::recording::run::{Poses, Run};
use crate::report::{ContactForce, MovedBody, RowForce, StepReport, Transmitted};

/// Takes the steps of a run, in their order.
///
/// Nothing that a sink meets stops the run: one that writes or sends keeps its first error until it is asked.
pub trait Sink {
    /// A run begins. `expected_steps` is how many steps it will probably take; 0 if nobody knows.
    fn begin(&mut self, run: Run, expected_steps: usize);

    /// The run has taken a step.
    fn step(&mut self, step: &RecordedStep<'_>);
}

/// A step as a sink sees it.
#[derive(Clone, Copy, Debug)]
pub struct RecordedStep<'a> {
    /// State at the end of the step.
    pub state: &'a State,
    /// Poses of all bodies there, the world first.
    pub poses: &'a Poses,
    /// Where the removal of overlap put the bodies it moved at the beginning of the step.
    pub moved: &'a [MovedBody],
    /// What the contacts carried act by act ([`Simulation::contact_acts`](crate::sim::Simulation::contact_acts)), sorted by the names of
    /// their geoms.
    pub contacts: &'a [ContactForce],
    /// What limits, joint friction, equalities and actions carried, act by act.
    pub rows: &'a [RowForce],
    /// What joints, drives and tendons transmitted.
    pub transmitted: &'a Transmitted,
    /// How the step went.
    pub report: &'a StepReport,
}
