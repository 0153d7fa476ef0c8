//! What can be read of the last step: forces and margins.

use crate::model::GeomId;
use crate::report::{
    ContactForce, LastStep, LimitForce, MovedBody, PairForce, PairMargins, RowForce, Transmitted,
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

    /// What joints, connects and welds, drives and tendons transmitted in the last step; nothing before the first. Exact for bodies that
    /// took the contact rule, of order two in the time step for others. Computes the kinematics of the step again and allocates: not for
    /// every step of a long run.
    ///
    /// ```
    /// use stiction::{scene::mjcf, sim::Simulation};
    /// let scene = r#"<mujoco><worldbody><body name="lamp" pos="0 0 1"><joint name="hook" axis="0 1 0"/>
    ///     <geom type="sphere" size="0.1" pos="0 0 -0.5" mass="2"/></body></worldbody></mujoco>"#;
    /// let mut simulation = Simulation::from_scene(mjcf::parse(scene, "lamp.xml")?)?;
    /// simulation.step()?;
    /// let hook = simulation.transmitted().joints[0];
    /// assert_eq!(hook.name(simulation.model()), "hook");
    /// assert!((hook.force.z - 2.0 * 9.81).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transmitted(&self) -> Transmitted {
        joint_forces::transmitted(self.finished_step())
    }

    fn finished_step(&self) -> FinishedStep<'_> {
        let work = &self.work;
        FinishedStep {
            model: &self.model,
            h: self.timestep(),
            start: &work.start,
            state: &self.state,
            contact_rule: if work.rattle.is_some() { &[] } else { &work.choice.contact_rule },
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
