//! What can be read of the last step: forces and margins.

use crate::model::GeomId;
use crate::report::{
    ContactForce, JointForce, LastStep, LimitForce, MovedBody, PairForce, PairMargins, RowForce,
};
use crate::sim::Simulation;
use crate::step::joint_forces::{self, FinishedStep};

impl Simulation {
    /// Contacts that were part of the last step's problem, sorted by key, with their impulses.
    pub fn contact_forces(&self) -> &[ContactForce] {
        &self.work.readout.contacts
    }

    /// What each pair of geoms with such contacts carries in all, in the same order.
    pub fn contact_pairs(&self) -> &[PairForce] {
        &self.work.readout.pairs
    }

    /// Bodies that the removal of overlap moved at the beginning of the last step, in their order: the step's contacts and rows were
    /// posed where it put them.
    pub fn moved_bodies(&self) -> &[MovedBody] {
        &self.work.projection.moved
    }

    /// Rows of limits, dry friction of joints and tendons, equalities and actions that were part of the last step's problem, in
    /// their order.
    pub fn row_forces(&self) -> &[RowForce] {
        &self.work.readout.rows
    }

    /// Limits of joints, tendons and cables that were part of the last step's problem, in the order of its rows.
    pub fn limit_forces(&self) -> impl Iterator<Item = LimitForce<'_>> + '_ {
        self.row_forces().iter().filter_map(|row| LimitForce::of_row(row, &self.model, self.timestep()))
    }

    /// The least factor `s` such that impulses within `s` times the friction of every contact would have given the
    /// velocities that the last step gave: the margin of a grasp or a support as a whole, where
    /// [`ContactForce::margin`](ContactForce::margin) is that of the forces that the solver returned, and
    /// their largest is never less. Of contacts without slip it is the coefficient of friction that would do. Found to a
    /// relative 1e-7 or so.
    ///
    /// Joint friction, limits and equalities may carry any impulse that they allow; viscous contacts keep their
    /// tangential impulses. `None` if no contact with dry friction presses, or a problem cannot be solved. Solves some
    /// forty dense problems of as many rows as the step had, and allocates: not for every step.
    pub fn least_friction(&self) -> Option<f64> {
        self.last_step().least_friction()
    }

    /// The largest margins of the net force of two geoms, in the order of
    /// [`PairForce::geoms`](PairForce::geoms), over all impulses that would have given the velocities of the
    /// last step: friction needed over friction available, `|sum lambda_t| / sum mu lambda_n`, without slip the coefficient
    /// needed. Found to 1e-6 or so, the second to 1e-4 where the others' least friction leaves a single point.
    ///
    /// `None` if the pair does not press, bounces, or has no dry friction, if its forces come from the acceleration stepper, or if a
    /// problem cannot be solved. Solves some hundred dense problems of as many rows as the island has, and allocates: not
    /// for every step.
    pub fn pair_margins(&self, geoms: [GeomId; 2]) -> Option<PairMargins> {
        self.last_step().pair_margins(geoms)
    }

    /// What every joint that is not free, every joint that closes a loop, and every connect and weld transmitted in the last step
    /// between its two bodies: the mean force and moment, in the order of the model. Exact for bodies that took the contact rule, of
    /// order two in the time step for others. Nothing before the first step. Computes the kinematics of the step again and
    /// allocates: not for every step of a long run.
    pub fn joint_forces(&self) -> Vec<JointForce> {
        joint_forces::joint_forces(self.finished_step())
    }

    /// Mean force of each actuator over the last step, before its gear (N, or N m where it turns something), in the order of the model;
    /// with the implicit rule that of the end of the step. Nothing before the first step. Allocates likewise.
    pub fn actuator_forces(&self) -> Vec<f64> {
        joint_forces::actuator_forces(self.finished_step())
    }

    /// Mean tension of each fixed tendon over the last step, positive where it shortens the tendon (N, or N m of a tendon over hinges
    /// alone): of its spring and damper, its drives, its dry friction and its limits together. Nothing before the first step.
    /// Allocates likewise. Cables, which act at an end of their range only, are among [`Simulation::limit_forces`].
    pub fn tendon_tensions(&self) -> Vec<f64> {
        joint_forces::tendon_tensions(self.finished_step())
    }

    fn finished_step(&self) -> FinishedStep<'_> {
        let work = &self.work;
        FinishedStep {
            model: &self.model,
            h: self.timestep(),
            start: &work.start,
            state: &self.state,
            contact_rule: &work.choice.contact_rule,
            problem: &work.problem,
            contacts: &work.readout.contacts,
            rows: &work.readout.rows,
            forces: &self.forces,
            constraints: &self.constraints,
            loops: &self.closures.loops,
        }
    }

    fn last_step(&self) -> LastStep<'_> {
        let problem = &self.work.problem;
        LastStep {
            model: &self.model,
            formulation: &self.settings.formulation,
            rows: &problem.rows,
            rates: &problem.rates,
            contacts: &problem.contacts,
            forces: self.contact_forces(),
            h: self.timestep(),
        }
    }

    /// Forgets what the last step said of contacts.
    pub(crate) fn clear_readout(&mut self) {
        self.work.readout.clear();
        self.work.start.forget_pose();
        self.work.problem.rows.clear();
    }
}
