//! Stage 8 of a step: the certificate ([`Certificate`](crate::report::Certificate)) is filled from rows and velocities, and the
//! forces are read out; the account of the energy ([`account`]) is closed.

pub(crate) mod account;

use crate::constraint::contact::relative_velocity;
use crate::constraint::kind::Implicit;
use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, Contact};
use crate::dynamics;
use crate::dynamics::AlgorithmError;
use crate::model::TreeId;
use crate::report::certificate::BlockOutcome;
use crate::report::{ContactForce, Readout, RowLaw, RowVelocities, StepReport, row_forces};
use crate::step::certify::account::Account;
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;

/// A report with the energy of the beginning, to which the stages add.
pub(crate) fn open_report(system: &System<'_>) -> StepReport {
    StepReport::at(system.state.time, system.energy())
}

/// Fills in everything that refers to the poses of the step's beginning, and the forces, of the trees under the contact rule with their free
/// velocity. Writes the row velocities of `problem`.
///
/// # Errors
/// A lone body without mass or inertia.
pub(crate) fn certify_rows(
    system: &System<'_>,
    problem: &mut ContactProblem,
    (contact_rule, free): (&[bool], &FreeVelocity),
    account: &mut Account,
    readout: &mut Readout,
    report: &mut StepReport,
) -> Result<(), AlgorithmError> {
    problem.rows.velocities(system.model, &problem.velocity, &mut problem.rates);
    report.work += account.under_contact_rule(system, contact_rule, free, problem)?;
    let (laws, after) = (&problem.rates[..], &problem.rates[..]);
    let laws = RowVelocities { start: &account.rates, free: &problem.free, laws, after };
    let h = system.h;
    certify_blocks(system, problem, laws, account, (h, |_: &RowBlock| h), readout, report);
    report.rows += problem.rows.len();
    Ok(())
}

/// A part of the step in which forces and impulses act at one pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kick<'a> {
    /// The trees on which they act.
    pub(crate) active: &'a [bool],
    /// Velocities before it, and with its forces alone (nv).
    pub(crate) before: &'a [f64],
    pub(crate) kicked: &'a [f64],
    /// What the laws hold of, per row, as far as the biases do not say it.
    pub(crate) laws: &'a [f64],
    /// How long forces act on each tree of which `stiff` holds and on all others (s), and which gains at their end.
    pub(crate) stiff: &'a [bool],
    pub(crate) durations: [f64; 2],
    pub(crate) implicit: [Implicit; 2],
    /// The whole step (s), by which impulses are forces.
    pub(crate) step: f64,
}

impl Kick<'_> {
    /// How long forces act on a tree (s), and which gains at their end.
    pub(crate) fn of(&self, tree: TreeId) -> (f64, Implicit) {
        let soft = usize::from(!self.stiff[tree.index()]);
        (self.durations[soft], self.implicit[soft])
    }
}

/// The same for a kick, at its pose.
pub(crate) fn certify_kick(
    system: &System<'_>,
    problem: &mut ContactProblem,
    kick: &Kick<'_>,
    account: &mut Account,
    readout: &mut Readout,
    report: &mut StepReport,
) {
    let model = system.model;
    problem.rows.velocities(model, &problem.velocity, &mut problem.rates);
    problem.rows.velocities(model, kick.kicked, &mut problem.free);
    report.work += account.of_kick(system, kick, problem);
    let (laws, after) = (kick.laws, &problem.rates[..]);
    let laws = RowVelocities { start: &account.rates, free: &problem.free, laws, after };
    let duration = |block: &RowBlock| {
        let tree = problem.rows.pieces(block).first().map(|piece| piece.tree);
        tree.map(|tree| kick.of(tree).0).filter(|duration| *duration > 0.0).unwrap_or(kick.step)
    };
    certify_blocks(system, problem, laws, account, (kick.step, duration), readout, report);
}

/// Adds every block to the certificate and the read-out; the laws hold of `laws`; the step takes
/// `h` seconds, of which the blocks' forces act for `duration`.
fn certify_blocks(
    system: &System<'_>,
    problem: &ContactProblem,
    laws: RowVelocities<'_>,
    account: &Account,
    (h, duration): (f64, impl Fn(&RowBlock) -> f64),
    readout: &mut Readout,
    report: &mut StepReport,
) {
    let ContactProblem { rows, contacts, velocity, .. } = problem;
    let certificate = &mut report.certificate;
    for block in &rows.blocks {
        let first = readout.rows.all.len();
        let duration = duration(block);
        let lasts = [duration, h];
        readout.rows.all.extend(row_forces(system.model, &readout.sources, rows, block, laws, lasts));
        for row in readout.rows.all[first..].iter().filter(|row| row.law == RowLaw::Equality) {
            certificate.add_bilateral_velocity(row.angular, row.velocity + row.compliance * row.impulse);
        }
        let RowKind::Unilateral(kind) = block.kind else { continue };
        if block.compliance > 0.0 {
            readout.rows.all[first..].iter().for_each(|row| certificate.add_drive(row));
            continue;
        }
        let kind = match kind {
            BlockKind::Contact { law, bias, preload } => {
                let law = system.settings.formulation.law_in_force(law);
                BlockKind::Contact { law, bias, preload }
            }
            other => other,
        };
        let mut outcome =
            BlockOutcome::of(block, kind, &rows.impulse, [laws.laws, laws.after], [laws.start, laws.free]);
        certificate.add_block(&outcome, duration);
        if let (BlockKind::Contact { law, .. }, Some(index)) = (kind, block.contact) {
            let contact = Contact { law, ..contacts[index] };
            if block.count == 1 {
                let along = |v: &[f64]| relative_velocity(system.model, system.data, &contact, v);
                outcome.slide(&along(account.before()), &along(velocity));
            }
            readout.contacts.all.push(ContactForce::of_impulse(contact, &outcome, duration, h));
        }
    }
}

/// Adds up what contacts, rows and pairs of geoms carry, once everything is in the read-out.
pub(crate) fn close_readout(readout: &mut Readout, report: &mut StepReport, h: f64) {
    readout.close(h);
    report.contacts = readout.contacts.sums().len();
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
