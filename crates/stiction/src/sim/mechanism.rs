//! Rank and assembly of the equalities at the present configuration.

use crate::constraint::equality::{Instant, position_error};
use crate::constraint::kind::{Constraint, Level};
use crate::constraint::{Assembled, Mobility};
use crate::dynamics;
use crate::sim::{SimError, Simulation};
use crate::step::contact_problem::ContactProblem;
use crate::step::system::System;

/// Rounds of an assembly, each of a few Newton steps.
const ROUNDS: usize = 20;

impl Simulation {
    /// Rank and redundant rows of the equalities at the present configuration.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn mobility(&mut self) -> Result<Mobility, SimError> {
        self.check_shape()?;
        self.closures.loops.recall(&self.state.loop_q);
        let (mut system, work, ..) = self.parts();
        system.locate();
        let zeros = vec![0.0; system.model.nv()];
        let model = system.model;
        let ContactProblem { rows, islands, .. } = &mut work.problem;
        rows.clear();
        let equalities = &system.constraints.equalities;
        for equality in 0..model.equalities.len() {
            for tree in equalities.trees(model, equality) {
                dynamics::mass_matrix(model, system.data, tree);
                dynamics::factorize(model, system.data, tree, &zeros)?;
            }
            equalities.push(rows, &system.present(), equality, Level::WHOLE_ERROR);
        }
        rows.sort();
        rows.half_solve(model, system.data);
        let mut found = Mobility { freedoms: model.nv(), rows: rows.len(), ..Mobility::default() };
        let mut redundant = vec![0; model.equalities.len()];
        islands.count_dependent(model, rows, |rank, count| redundant[rank] += count);
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
        self.check_shape()?;
        self.closures.loops.recall(&self.state.loop_q);
        let (mut system, ..) = self.parts();
        system.locate();
        let (model, tolerance) = (system.model, system.settings.overlap_tolerance);
        let (mut worst, before) = worst_equality(&system);
        let mut report = Assembled { before, after: before, ..Assembled::default() };
        if before <= tolerance {
            return Ok(report);
        }
        let poses = system.data.link_pose.clone();
        let zeros = vec![0.0; model.nv()];
        for _ in 0..ROUNDS {
            let System { state, data, closures, .. } = &mut system;
            let now = Instant { mocap: &state.mocap, time: state.time };
            closures.close(model, data, now, &zeros, &mut state.q, &state.v)?;
            let error;
            (worst, error) = worst_equality(&system);
            let stalled = error >= 0.9 * report.after;
            report.after = error;
            if error <= tolerance || stalled {
                break;
            }
        }
        system.state.loop_q.copy_from_slice(system.closures.loops.coordinates());
        for (from, to) in poses.iter().zip(&system.data.link_pose) {
            report.distance = report.distance.max((to.translation - from.translation).norm());
            report.angle = report.angle.max(from.angle_to(to));
        }
        if report.after <= tolerance {
            return Ok(report);
        }
        let equality = model.equalities[worst].name.clone();
        Err(SimError::CannotAssemble { equality, error: report.after })
    }
}

/// The equality with the largest position error, and the error; needs poses.
fn worst_equality(system: &System<'_>) -> (usize, f64) {
    let at = system.present().located();
    let error = |e| position_error(system.model, system.data, at, e).size();
    let errors = (0..system.model.equalities.len()).map(|e| (e, error(e)));
    errors.fold((0, 0.0), |worst, found| if found.1 > worst.1 { found } else { worst })
}
