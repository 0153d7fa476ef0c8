//! The end of the step: which sets came through. The others are made ready for the rule that they are handed back to.
//!
//! Forces, travels and contacts have been looked at on the way. What is left is the energy: the Runge-Kutta rule knows nothing of it, so
//! that the works of all forces explain its change to the error of the rule alone. A motion that is not smooth, as where friction jams
//! or a rim takes turns with a face, shows there.

use super::AccelerationLevel;
use crate::constraint::kind::Level;
use crate::contact::detection::far_travellers;
use crate::dynamics::{self, AlgorithmError};
use crate::model::TreeId;
use crate::report::{HandBack, Readout, StepReport};
use crate::step::integrator_choice::IntegratorChoice;
use crate::step::system::System;

/// Parts of the kinetic energy that may be lost and gained without a cause in a step: what the rule gains, nothing takes back.
const LOST: f64 = 1e-3;
const GAINED: f64 = 1e-7;

/// Rounding of energies, as a part of them.
const ROUND_OFF: f64 = 1e-12;

/// What the energy of a set does in a step (J).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Energies {
    change: f64,
    /// Kinetic energies of both ends, and what gravity gives in a step from rest.
    kinetic: f64,
    /// Sizes of all that is summed up.
    scale: f64,
}

/// Takes the sets that came through from the contact rule, and makes the others ready for it again.
///
/// # Errors
/// A mass matrix that is not positive definite.
pub(super) fn accept(
    level: &mut AccelerationLevel,
    system: &mut System<'_>,
    choice: &mut IntegratorChoice,
    added: &[f64],
) -> Result<(), AlgorithmError> {
    judge(level, system);
    judge_limits(level, system, choice);
    let System { model, data, .. } = system;
    for &tree in &level.trees {
        if level.has_lost(tree) {
            dynamics::factorize_by_size(model, data, tree, added)?;
        } else {
            level.sustained[tree.index()] = true;
            choice.contact_rule[tree.index()] = false;
        }
    }
    Ok(())
}

impl AccelerationLevel {
    /// Exchanges the state of the system with that at which the workspace has arrived.
    fn exchange_state(&mut self, system: &mut System<'_>) {
        self.q.swap_with_slice(&mut system.state.q);
        self.v.swap_with_slice(&mut system.state.v);
        system.place();
    }

    /// Hands the set of a tree back after all, at the beginning of a step that is taken again.
    pub(crate) fn release(&mut self, tree: TreeId, contact_rule: &mut [bool]) {
        if !self.sustains(tree) {
            return;
        }
        let set = self.set[tree.index()];
        self.hand_back(set, HandBack::NewContact);
        for (tree, _) in self.set.iter().enumerate().filter(|(_, of)| **of == set) {
            contact_rule[tree] |= std::mem::take(&mut self.sustained[tree]);
        }
    }

    /// Adds what the sets have done that came through, and counts the others.
    pub(crate) fn close(&mut self, readout: &mut Readout, report: &mut StepReport) {
        self.carried.accept(&self.lost);
        for (_, solved) in self.reports.iter().filter(|(tree, _)| self.sustained[tree.index()]) {
            report.add_island(solved);
        }
        self.carried.certificates().for_each(|part| report.certificate.add_part(part));
        self.carried.works().for_each(|work| report.work += *work);
        readout.contacts.all.reserve(self.carried.capacity());
        readout.contacts.all.extend_from_slice(self.carried.forces());
        self.lost.iter().flatten().for_each(|&reason| *report.hand_backs.of_mut(reason) += 1);
    }
}

/// Hands back the sets that are beyond a limit at the end of the step. Kinematics are those of the beginning then.
fn judge_limits(level: &mut AccelerationLevel, system: &mut System<'_>, choice: &IntegratorChoice) {
    if !system.constraints.has_unsupported(system.model, Level::Acceleration) {
        return;
    }
    let tolerance = system.settings.overlap_tolerance;
    level.exchange_state(system);
    let mut lost = std::mem::take(&mut level.lost);
    let (at, crossed) = (system.present(), |gap: f64, _| gap < -tolerance);
    system.constraints.for_each_unsupported(&at, Level::Acceleration, choice.predicted(), crossed, |trees| {
        for set in trees.filter(|&tree| level.trees.contains(&tree)).map(|tree| level.set[tree.index()]) {
            lost[set].get_or_insert(HandBack::Constraint);
        }
    });
    level.lost = lost;
    level.exchange_state(system);
}

/// Hands back the sets that have travelled too far, or whose energy has changed without a cause. Kinematics are those of the beginning
/// then.
fn judge(level: &mut AccelerationLevel, system: &mut System<'_>) {
    let System { model, state, data, constraints, h, .. } = system;
    let model = *model;
    level.energies.clear();
    level.energies.resize(model.trees.len(), Energies::default());
    for sign in [1.0, -1.0] {
        let (q, v) = if sign > 0.0 { (&level.q[..], &level.v[..]) } else { (&state.q[..], &state.v[..]) };
        for &tree in &level.trees {
            // Those that are lost already may be anywhere.
            if sign > 0.0 && level.has_lost(tree) {
                continue;
            }
            dynamics::forward_kinematics(model, data, tree, q, v);
            let kinetic = dynamics::kinetic_energy(model, data, tree, v);
            let potential = dynamics::potential_energy(model, data, tree, q);
            let fallen = dynamics::tree_mass(model, tree) * (model.gravity.norm() * *h).powi(2);
            let of_set = &mut level.energies[level.set[tree.index()]];
            of_set.change += sign * (kinetic + potential);
            of_set.kinetic += kinetic + 0.5 * fallen;
            of_set.scale += kinetic + potential.abs();
        }
        if sign > 0.0 {
            let finder = &constraints.contacts.finder;
            for tree in far_travellers(model, data, &finder.reaches, |geom| finder.poses[geom.index()]) {
                let set = level.set[tree.index()];
                if level.trees.contains(&tree) {
                    level.lost[set] = level.lost[set].or(Some(HandBack::FarTravel));
                }
            }
        }
    }
    for (set, energies) in level.energies.iter().enumerate() {
        let unexplained = energies.change - level.carried.work(set).total();
        let rounding = ROUND_OFF * energies.scale;
        // Energies that are no numbers are not explained either.
        let explained = -LOST * energies.kinetic - rounding..=GAINED * energies.kinetic + rounding;
        if !explained.contains(&unexplained) {
            level.lost[set] = level.lost[set].or(Some(HandBack::Drift));
        }
    }
}
