//! Mechanisms: how many freedoms equalities leave, which of their rows are redundant, and assembly from an inexact start.
//!
//! The *mobility* is the number of generalized velocities minus the rank of the rows `X` of all equalities at a configuration. A
//! row that depends on others, in the order of names, is *redundant*: it is left out of every problem, so motion is determined but
//! the forces are not shared out between it and the others. In a plane mechanism hinges that close loops are redundant by three
//! rows; at a singular configuration the rank may drop for a moment.

use crate::constraint::equality::{Instant, position_error};
use crate::constraint::kind::{Constraint, Level, Present};
use crate::dynamics;
use crate::model::Model;
use crate::sim::{SimError, Simulation};
use serde::{Deserialize, Serialize};

/// Rounds of an assembly, each of a few Newton steps.
const ROUNDS: usize = 20;

/// What equalities leave free, at a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mobility {
    /// Generalized velocities.
    pub freedoms: usize,
    /// Rows of all equalities.
    pub rows: usize,
    /// Rank of the rows.
    pub rank: usize,
    /// Equalities with redundant rows, in the order of names, and how many.
    pub redundant: Vec<(String, usize)>,
}

impl Mobility {
    /// Freedoms that are left.
    pub fn mobility(&self) -> usize {
        self.freedoms - self.rank
    }
}

/// How a mechanism was assembled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assembled {
    /// Largest position error before (m or rad).
    pub before: f64,
    /// Largest position error now (m or rad).
    pub after: f64,
    /// Largest distance that the origin of a link has moved (m).
    pub distance: f64,
    /// Largest angle that a link has turned (rad).
    pub angle: f64,
}

impl Simulation {
    /// Rank and redundant rows of the equalities at the present configuration.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn mobility(&mut self) -> Result<Mobility, SimError> {
        self.closures.loops.recall(&self.state.loop_q);
        self.locate();
        let model = self.model.clone();
        self.work.zeros.fill(0.0);
        self.rows.clear();
        let equalities = &self.constraints.equalities;
        for equality in 0..model.equalities.len() {
            for tree in equalities.trees(&model, equality) {
                dynamics::mass_matrix(&model, &mut self.data, tree);
                dynamics::factorize(&model, &mut self.data, tree, &self.work.zeros)?;
            }
            let loops = (&self.closures.loops, &self.closures.softness);
            let at = Present::new(&model, &self.data, loops, &self.state);
            equalities.push(&mut self.rows, &at, equality, Level::Displacement { reach: 0.0 });
        }
        self.rows.sort();
        self.rows.half_solve(&model, &mut self.data);
        let mut found = Mobility { freedoms: model.nv(), rows: self.rows.len(), ..Mobility::default() };
        let mut redundant = vec![0; model.equalities.len()];
        self.islands.count_dependent(&model, &self.rows, |rank, count| redundant[rank] += count);
        let mut by_rank: Vec<usize> = (0..model.equalities.len()).collect();
        by_rank.sort_by_key(|&equality| equalities.ranks[equality]);
        for (equality, count) in by_rank.into_iter().zip(redundant).filter(|(_, count)| *count > 0) {
            found.redundant.push((model.equalities[equality].name.clone(), count));
        }
        found.rank = found.rows - found.redundant.iter().map(|(_, count)| count).sum::<usize>();
        Ok(found)
    }

    /// Closes all loops from the present configuration, moving as little as the kinetic norm says, if any is open by more than
    /// [`Settings::overlap_tolerance`](crate::sim::Settings::overlap_tolerance). A step does the same with fewer rounds and without a word.
    ///
    /// # Errors
    /// [`SimError::CannotAssemble`] with the worst equality, if it stays open by more than that; the configuration is then the
    /// nearest found, where equalities that contradict each other share the error. A mass matrix that is not positive definite.
    pub fn assemble(&mut self) -> Result<Assembled, SimError> {
        self.closures.loops.recall(&self.state.loop_q);
        self.locate();
        let model = self.model.clone();
        let tolerance = self.settings.overlap_tolerance;
        let (mut worst, before) = self.worst_equality(&model);
        let mut report = Assembled { before, after: before, ..Assembled::default() };
        if before <= tolerance {
            return Ok(report);
        }
        let poses = self.data.link_pose.clone();
        self.work.zeros.fill(0.0);
        for _ in 0..ROUNDS {
            let (state, data) = (&mut self.state, &mut self.data);
            let now = Instant { mocap: &state.mocap, time: state.time };
            self.closures.close(&model, data, now, &self.work.zeros, &mut state.q, &state.v)?;
            let error;
            (worst, error) = self.worst_equality(&model);
            let stalled = error >= 0.9 * report.after;
            report.after = error;
            if error <= tolerance || stalled {
                break;
            }
        }
        self.state.loop_q.copy_from_slice(self.closures.loops.coordinates());
        for (from, to) in poses.iter().zip(&self.data.link_pose) {
            report.distance = report.distance.max((to.translation - from.translation).norm());
            let turn = to.rotation * from.rotation.transpose();
            let turn = nalgebra::UnitQuaternion::from_matrix(&turn);
            report.angle = report.angle.max(2.0 * libm::atan2(turn.imag().norm(), turn.w.abs()));
        }
        if report.after <= tolerance {
            return Ok(report);
        }
        let equality = model.equalities[worst].name.clone();
        Err(SimError::CannotAssemble { equality, error: report.after })
    }

    /// The equality with the largest position error, and the error; needs poses.
    fn worst_equality(&self, model: &Model) -> (usize, f64) {
        let now = Instant { mocap: &self.state.mocap, time: self.state.time };
        let error = |e| position_error(model, &self.data, now.with(&self.closures.loops), e);
        let errors = (0..model.equalities.len()).map(|e| (e, error(e)));
        errors.fold((0, 0.0), |worst, found| if found.1 > worst.1 { found } else { worst })
    }
}
