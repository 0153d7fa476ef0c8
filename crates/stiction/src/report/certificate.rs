//! Stage 8 of a step: the certificate, computed from the rows and velocities after the fact.
//!
//! The solver's dimensionless residual says how well the posed problem was solved; the physical certificate says in SI
//! units how well the result obeys the laws, whatever the formulation: no closed contact approaches, none pulls, every
//! impulse lies in its friction cone, friction never feeds power in, nothing overlaps, bilateral constraints hold.

use crate::constraint::kind::Present;
use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, Contact, IslandReport, Law, Mode};
use crate::dynamics;
use crate::report::forces::{ContactForce, margin};
use crate::sim::{SimError, Simulation};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_solvers::Status;

/// Violations of the laws in one step, all zero or positive; zero is perfect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Worst scaled natural-map residual of the islands' problems.
    pub residual: f64,
    /// Deepest overlap of contacts and limits at the beginning of the step, after the projection (m, rad).
    pub penetration: f64,
    /// Worst speed below what a unilateral row allows (m/s, rad/s).
    pub approach: f64,
    /// Worst negative normal impulse as a force (N).
    pub pull: f64,
    /// Worst excess of a tangential force over the friction bound (N).
    pub cone_violation: f64,
    /// Worst power that friction feeds into a contact (W).
    pub sliding_power: f64,
    /// Worst error of a bilateral constraint at the end of the step (m, rad).
    pub bilateral: f64,
    /// Work of all contact, limit and joint-friction impulses, `1/2 lambda . J (v_free + v+)` (J), where `v_free`
    /// already meets the bilateral rows.
    pub contact_work: f64,
    /// Change of the total energy in the step (J).
    pub energy_change: f64,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Number of the step, from 0.
    pub step: u64,
    /// Time at its end (s).
    pub time: f64,
    /// Contacts in the problem.
    pub contacts: usize,
    /// Constraint rows.
    pub rows: usize,
    /// Islands with unilateral rows.
    pub islands: usize,
    /// Islands that were not solved to tolerance.
    pub unsolved: usize,
    /// Islands for which the acceleration stepper found no forces, so that the velocity level decided; they count as
    /// unsolved too.
    #[serde(default)]
    pub inconsistent: usize,
    /// Islands whose answer came from a regularised matrix (and was certified on the original).
    pub regularized: usize,
    /// Contacts that bounce.
    #[serde(default)]
    pub bounces: usize,
    /// Islands in which they bounce less than their coefficients of restitution say, because the impact would have added
    /// energy or has no solution otherwise.
    #[serde(default)]
    pub reduced_impacts: usize,
    /// Complementarity variables of the largest island.
    pub variables: usize,
    /// Exchanges of whole index sets in all islands (see [`stiction_solvers::Report`]).
    pub iterations: usize,
    /// Pivots of all islands.
    pub pivots: usize,
    /// Worst status.
    pub status: Status,
    /// Kinetic and potential energy at the end (J).
    pub energy: f64,
    /// Kinetic energy at the end (J).
    pub kinetic_energy: f64,
    /// Violations.
    pub certificate: Certificate,
}

impl StepReport {
    /// Whether every island was solved to tolerance.
    pub fn solved(&self) -> bool {
        self.unsolved == 0
    }

    pub(crate) fn add_island(&mut self, island: &IslandReport) {
        let IslandReport { solver: report, variables, bounces, reduced } = *island;
        self.islands += 1;
        self.bounces += bounces;
        self.reduced_impacts += usize::from(reduced);
        self.iterations += report.iterations;
        self.pivots += report.pivots;
        self.variables = self.variables.max(variables);
        self.regularized += usize::from(report.regularization > 0.0);
        self.certificate.residual = self.certificate.residual.max(report.residual.natural_map);
        if report.status != Status::Solved {
            self.unsolved += 1;
            self.status = report.status;
        }
    }
}

impl Simulation {
    /// A report with the energy of the beginning, to which the stages add.
    pub(crate) fn open_report(&self) -> StepReport {
        let start = self.energy();
        StepReport {
            step: self.step_number,
            time: self.state.time,
            contacts: 0,
            rows: 0,
            islands: 0,
            unsolved: 0,
            inconsistent: 0,
            regularized: 0,
            bounces: 0,
            reduced_impacts: 0,
            variables: 0,
            iterations: 0,
            pivots: 0,
            status: Status::Solved,
            energy: start,
            kinetic_energy: 0.0,
            certificate: Certificate::default(),
        }
    }

    /// Kinetic and potential energy at the poses and velocities of [`Simulation::data`] (J).
    fn energy(&self) -> f64 {
        (0..self.model.trees.len())
            .map(|tree| dynamics::potential_energy(&self.model, &self.data, tree, &self.closures.loops.q))
            .fold(self.kinetic_energy(), |sum, energy| sum + energy)
            + self.constraints.energies(&self.present())[0]
    }

    /// Kinetic energy alone (J).
    fn kinetic_energy(&self) -> f64 {
        (0..self.model.trees.len())
            .map(|tree| dynamics::kinetic_energy(&self.model, &self.data, tree, &self.state.v))
            .fold(0.0, |sum, energy| sum + energy)
            + self.constraints.energies(&self.present())[1]
    }

    /// Fills in everything that refers to the poses of the step's beginning, and the contact forces.
    pub(crate) fn certify(&mut self, h: f64, report: &mut StepReport) {
        let model = self.model.clone();
        self.rows.velocities(&model, &self.work.v_plus, &mut self.work.rates);
        let certificate = &mut report.certificate;
        let at =
            Present::new(&model, &self.data, (&self.closures.loops, &self.closures.softness), &self.state);
        certificate.penetration = self.constraints.worst_overlap(&at);
        self.contact_forces.clear();
        for block in &self.rows.blocks {
            let RowKind::Unilateral(kind) = block.kind else { continue };
            let (lambda, rates) = row_values(block, &self.rows.impulse, &self.work.rates);
            let (_, free) = row_values(block, &self.rows.impulse, &self.work.free);
            certificate.contact_work += 0.5 * lambda.dot(&(rates + free));
            match kind {
                BlockKind::Contact { bias, law, preload } => {
                    let law = self.settings.formulation.law_in_force(law);
                    certificate.approach = certificate.approach.max(-(rates.x + bias));
                    certificate.pull = certificate.pull.max(-lambda.x / h);
                    let excess = excess_friction(law, &lambda, &rates, h);
                    certificate.cone_violation = certificate.cone_violation.max(excess / h);
                    let power = (lambda.y * rates.y + lambda.z * rates.z) / h;
                    certificate.sliding_power = certificate.sliding_power.max(power);
                    if let Some(index) = block.contact {
                        let contact = Contact { law, ..self.constraints.contacts.finder.contacts[index] };
                        self.contact_forces.push(ContactForce {
                            contact,
                            bias,
                            preload,
                            velocity: rates,
                            impulse: lambda,
                            force: contact.frame * lambda / h,
                            mode: mode(&lambda, &rates, law),
                            margin: margin(law, &lambda, &rates, h),
                        });
                    }
                }
                BlockKind::Limit { bias } => {
                    certificate.approach = certificate.approach.max(-(rates.x + bias));
                    certificate.pull = certificate.pull.max(-lambda.x / h);
                }
                BlockKind::Friction { bound } => {
                    certificate.cone_violation = certificate.cone_violation.max((lambda.x.abs() - bound) / h);
                    certificate.sliding_power = certificate.sliding_power.max(lambda.x * rates.x / h);
                }
            }
        }
        self.add_up_pairs(h);
        report.contacts = self.contact_forces.len();
        report.rows = self.rows.len();
    }

    /// Energy, bilateral error and time at the end of the step.
    pub(crate) fn close_report(&mut self, report: &mut StepReport) {
        let model = self.model.clone();
        dynamics::forward_kinematics_all(&model, &mut self.data, &self.state.q, &self.state.v);
        self.closures.loops.set_rates(&self.state.v);
        let energy = self.energy();
        report.certificate.energy_change = energy - report.energy;
        report.energy = energy;
        report.kinetic_energy = self.kinetic_energy();
        report.certificate.bilateral = self.constraints.worst_bilateral(&self.present());
        report.time = self.state.time;
    }

    /// Refuses commands that are not finite, by name.
    pub(crate) fn check_commands(&self) -> Result<(), SimError> {
        let model = &*self.model;
        let state = &self.state;
        let dof_name = |i: usize| model.links[model.dofs[i].link].name.clone();
        for (i, &x) in state.ctrl.iter().enumerate() {
            self.check(x, "control", || model.actuators[i].name.clone())?;
        }
        for (i, &x) in state.applied.iter().enumerate() {
            self.check(x, "applied force", || dof_name(i))?;
        }
        for (i, f) in state.external.iter().enumerate() {
            self.check(f.linear.sum() + f.angular.sum(), "external wrench", || model.bodies[i].name.clone())?;
        }
        for (i, m) in state.mocap.iter().enumerate() {
            let sum = m.position.sum() + m.velocity.linear.sum() + m.velocity.angular.sum();
            self.check(sum + m.orientation.iter().sum::<f64>(), "prescribed motion", || {
                model.bodies[model.mocap_bodies[i]].name.clone()
            })?;
        }
        self.check_state()
    }

    /// Refuses a configuration or velocity that is not finite, naming the body.
    fn check_state(&self) -> Result<(), SimError> {
        let model = &*self.model;
        for link in &model.links {
            let body = || model.bodies[link.body].name.clone();
            for &x in &self.state.q[link.q..link.q + link.kind.nq()] {
                self.check(x, "configuration", body)?;
            }
            for &x in &self.state.v[link.v..link.v + link.kind.nv()] {
                self.check(x, "velocity", body)?;
            }
        }
        Ok(())
    }

    fn check(
        &self,
        value: f64,
        quantity: &'static str,
        element: impl Fn() -> String,
    ) -> Result<(), SimError> {
        if value.is_finite() {
            return Ok(());
        }
        Err(SimError::NotFinite {
            step: self.step_number,
            quantity,
            element: element(),
            value,
            dump: Box::new(self.snapshot_before()),
        })
    }

    /// Checks what the step produced; on failure the state before the step is restored. The memory of the formulation
    /// moves on only now.
    pub(crate) fn finish(&mut self) -> Result<(), SimError> {
        if let Err(error) = self.check_state() {
            return Err(self.undo(error));
        }
        self.state.loop_q.copy_from_slice(self.closures.loops.coordinates());
        std::mem::swap(&mut self.memory, &mut self.next_memory);
        self.step_number += 1;
        Ok(())
    }
}

/// Impulse and velocity of a block's rows, zero-filled to three.
fn row_values(block: &RowBlock, impulse: &[f64], rates: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
    let mut values = (Vector3::zeros(), Vector3::zeros());
    for r in 0..block.count.min(3) {
        values.0[r] = impulse[block.row + r];
        values.1[r] = rates[block.row + r];
    }
    values
}

/// A contact slides when its impulse is on the boundary of what friction allows, to a part in a million.
pub(crate) fn mode(lambda: &Vector3<f64>, rates: &Vector3<f64>, law: Law) -> Mode {
    let slides = match law {
        Law::NoSlip => false,
        // Viscous friction has no bound to reach: what moves slides.
        Law::Viscous { .. } => libm::hypot(rates.y, rates.z) > 0.0,
        _ => libm::hypot(lambda.y, lambda.z) >= (1.0 - 1e-6) * law.mu() * lambda.x,
    };
    match (lambda.x > 0.0, slides) {
        (false, _) => Mode::Open,
        (true, false) => Mode::Stick,
        (true, true) => Mode::Slip,
    }
}

/// Tangential impulse beyond what the law allows (N s).
fn excess_friction(law: Law, lambda: &Vector3<f64>, rates: &Vector3<f64>, h: f64) -> f64 {
    let viscous = h * law.viscosity();
    let dry = libm::hypot(lambda.y + viscous * rates.y, lambda.z + viscous * rates.z);
    if lambda.x <= 0.0 || law.mu().is_finite() {
        let bound = if lambda.x > 0.0 { law.mu() * lambda.x } else { 0.0 };
        // An explicit viscous impulse answers the velocity before the step, not the one after.
        if matches!(law, Law::Viscous { .. }) { 0.0 } else { dry - bound }
    } else {
        0.0
    }
}
