//! The step: eight stages from a state to the next (Stewart and Trinkle 1996; Anitescu and Potra 1997).
//!
//! 1. Poses and velocities.
//! 2. Contacts, touching and predicted; overlap is removed.
//! 3. Rule and free velocity of each tree.
//! 4. Constraint rows and islands.
//! 5. The complementarity problem of each island.
//! 6. New velocity.
//! 7. New configuration.
//! 8. The certificate.

use crate::dynamics::AlgorithmError;
use crate::model::TreeId;
use crate::report::StepReport;
use crate::step::certify::{certify_end, certify_rows, close_readout, open_report};
use crate::step::clock::{Clock, Stage};
use crate::step::contact_problem::StepMemory;
use crate::step::projection::Displacement;
use crate::step::rattle;
use crate::step::stepper::acceleration;
use crate::step::system::System;
use crate::step::workspace::Workspace;

/// Takes a step. An unsolved contact problem is not an error: the best answer found is used and the report says so.
///
/// # Errors
/// A mass matrix that is not positive definite. The state is then anything.
pub(crate) fn step(
    system: &mut System<'_>,
    memory: &mut StepMemory,
    work: &mut Workspace,
    clock: &mut Clock,
) -> Result<StepReport, AlgorithmError> {
    let Workspace {
        start,
        projection,
        choice,
        free,
        problem,
        bounce,
        advance,
        tied,
        account,
        sticking,
        readout,
        ..
    } = work;
    clock.time(Stage::Kinematics, || system.place()); // 1
    clock.time(Stage::Collision, || system.find_contacts()); // 2
    let mut report = clock.time(Stage::Certificate, || open_report(system));
    let moved = clock.time(Stage::Overlap, || projection.project(system, problem));
    report.add_projection([moved.length, moved.angle], moved.farthest);
    if moved != Displacement::default() {
        report.work.projection = clock.time(Stage::Certificate, || system.energy()) - report.energy;
    }
    start.pose(system.state);
    sticking.begin(system);
    clock.time(Stage::FreeVelocity, || choice.choose(system, free))?; // 3
    readout.clear();
    if let Some(rattle) = &mut work.rattle {
        let mut level = work.acceleration.as_deref_mut();
        if let Some(level) = &mut level {
            clock.time(Stage::Solve, || {
                acceleration::sustain_contacts(level, system, choice, &free.added, problem)
            })?;
        }
        let stages = rattle::Stages { start, choice, free, problem, advance, tied, account, readout, level };
        rattle::step(rattle, system, stages, memory, &mut report, clock)?; // 4 to 7, and of 8 what holds of impulses
        clock.time(Stage::Certificate, || {
            if let Some(level) = &mut work.acceleration {
                level.close(readout, &mut report);
            }
            close_readout(readout, &mut report, system.h);
            certify_end(system, &mut report);
            sticking.end(system, memory, readout, &mut report);
        });
        return Ok(report);
    }
    let contact_rule = &choice.contact_rule;
    clock.time(Stage::Rows, || problem.assemble(system, free, contact_rule)); // 4
    problem.solve(system, memory, &mut report, clock); // 5
    clock.time(Stage::Impulses, || {
        problem.apply_impulses(system.model, system.data, free); // 6
        bounce.delay(system, free, problem)
    })?;
    clock.time(Stage::Certificate, || {
        certify_rows(system, problem, (contact_rule, free), account, readout, &mut report)?; // 8, at the poses of the beginning
        close_readout(readout, &mut report, system.h);
        Ok::<(), AlgorithmError>(())
    })?;
    clock.time(Stage::Integrate, || {
        advance.under_contact_rule(system, contact_rule, free, problem, bounce)?; // 7
        advance.freely(system, &mut report.work, |tree: TreeId| !contact_rule[tree.index()])?;
        tied.advance(system, contact_rule, &mut report.work)?;
        system.advance_prescribed();
        tied.close_loops(system, start, contact_rule, &mut free.added, &mut report.certificate)
    })?;
    clock.time(Stage::Certificate, || {
        certify_end(system, &mut report); // 8, at those of the end
        sticking.end(system, memory, readout, &mut report);
    });
    Ok(report)
}
