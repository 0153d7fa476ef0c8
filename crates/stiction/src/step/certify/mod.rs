//! Stage 8 of a step: the certificate ([`Certificate`](crate::report::Certificate)) is filled from rows and velocities, and the
//! forces are read out; the account of the energy ([`account`]) is closed.

pub(crate) mod account;

use crate::constraint::contact::relative_velocity;
use crate::constraint::rows::RowKind;
use crate::contact::{BlockKind, Contact};
use crate::dynamics;
use crate::dynamics::AlgorithmError;
use crate::report::certificate::BlockOutcome;
use crate::report::{ContactForce, Readout, RowLaw, RowVelocities, StepReport, row_forces};
use crate::step::certify::account::Account;
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::stepper::acceleration::AccelerationLevel;
use crate::step::system::System;

/// A report with the energy of the beginning, to which the stages add.
pub(crate) fn open_report(system: &System<'_>) -> StepReport {
    StepReport::at(system.state.time, system.energy())
}

/// By what the trees have moved: the contact rule with its free velocity, or the level of forces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepOutcome<'a> {
    pub(crate) contact_rule: &'a [bool],
    pub(crate) free: &'a FreeVelocity,
    pub(crate) accelerated: Option<&'a AccelerationLevel>,
}

/// Fills in everything that refers to the poses of the step's beginning, and the forces. Writes the row velocities of
/// `problem`.
///
/// # Errors
/// A lone body without mass or inertia.
pub(crate) fn certify_rows(
    system: &System<'_>,
    problem: &mut ContactProblem,
    outcome: StepOutcome<'_>,
    account: &mut Account,
    readout: &mut Readout,
    report: &mut StepReport,
) -> Result<(), AlgorithmError> {
    let h = system.h;
    problem.rows.velocities(system.model, &problem.velocity, &mut problem.rates);
    report.work += account.under_contact_rule(system, outcome.contact_rule, outcome.free, problem)?;
    let ContactProblem { rows, contacts, free, rates, velocity, .. } = problem;
    let certificate = &mut report.certificate;
    readout.clear();
    let velocities = RowVelocities { start: &account.rates, free, after: rates };
    for block in &rows.blocks {
        let first = readout.rows.len();
        readout.rows.extend(row_forces(system.model, &readout.sources, rows, block, velocities));
        for row in readout.rows[first..].iter().filter(|row| row.law == RowLaw::Equality) {
            certificate.add_bilateral_velocity(row.angular, row.velocity + row.compliance * row.impulse);
        }
        let RowKind::Unilateral(kind) = block.kind else { continue };
        let kind = match kind {
            BlockKind::Contact { law, bias, preload } => {
                let law = system.settings.formulation.law_in_force(law);
                BlockKind::Contact { law, bias, preload }
            }
            other => other,
        };
        let mut outcome = BlockOutcome::of(block, kind, &rows.impulse, rates, [&account.rates, free]);
        certificate.add_block(&outcome, h);
        if let (BlockKind::Contact { law, .. }, Some(index)) = (kind, block.contact) {
            let contact = Contact { law, ..contacts[index] };
            if block.count == 1 {
                let along = |v: &[f64]| relative_velocity(system.model, system.data, &contact, v);
                outcome.slide(&along(account.before()), &along(velocity));
            }
            readout.contacts.push(ContactForce::of_impulse(contact, &outcome, h));
        }
    }
    if let Some(level) = outcome.accelerated {
        let carried = level.carried();
        carried.certificates().for_each(|part| certificate.add_part(part));
        carried.works().for_each(|work| report.work += *work);
        readout.contacts.reserve(carried.capacity());
        readout.merge(carried.forces());
    }
    readout.add_up_pairs(h);
    report.contacts = readout.contacts.len();
    report.rows = rows.len();
    Ok(())
}

/// Energy, overlap, bilateral error and time at the end of the step. Leaves the contacts there.
pub(crate) fn certify_end(system: &mut System<'_>, report: &mut StepReport) {
    dynamics::forward_kinematics_all(system.model, system.data, &system.state.q, &system.state.v);
    system.closures.loops.set_rates(&system.state.v);
    let energy = system.energy();
    report.certificate.energy_change = energy - report.energy;
    report.work.close(report.certificate.energy_change);
    report.energy = energy;
    report.kinetic_energy = system.kinetic_energy();
    system.find_contacts();
    let [overlap, bilateral] = [
        system.constraints.worst_overlap(&system.present()),
        system.constraints.worst_bilateral(&system.present()),
    ];
    let certificate = &mut report.certificate;
    [certificate.penetration, certificate.penetration_angular] = [overlap.length, overlap.angle];
    [certificate.bilateral, certificate.bilateral_angular] = [bilateral.length, bilateral.angle];
    report.time = system.state.time;
}
