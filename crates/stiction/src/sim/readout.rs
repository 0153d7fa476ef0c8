//! What can be read of the last step: forces and margins.

use crate::model::GeomId;
use crate::report::last_step::SolvedKick;
use crate::report::{
    ContactForce, LastStep, LimitForce, MovedBody, PairForce, PairMargins, RowForce, Transmitted,
};
use crate::sim::Simulation;
use crate::step::joint_forces::{self, FinishedStep};
use crate::step::workspace::Workspace;

impl Simulation {
    /// Contacts that were part of the last step's problem, sorted by key, with all that they carried in it.
    pub fn contact_forces(&self) -> &[ContactForce] {
        self.work.readout.contacts.sums()
    }

    /// The same act by act, each with the velocities of which its laws hold; those of a contact follow each other in time. Time stepping has one of
    /// each contact, [`Stepper::Rattle`](crate::settings::Stepper::Rattle) one at the beginning of the step and one at its end, and of
    /// each part and each impact where it is taken apart. In a step at the level of forces
    /// ([`Stepper::EventDriven`](crate::settings::Stepper::EventDriven), [`Stepper::Acceleration`](crate::settings::Stepper::Acceleration))
    /// there is one for each impact, and one for what is carried between impacts, which tells its force at an instant too.
    pub fn contact_acts(&self) -> &[ContactForce] {
        &self.work.readout.contacts.all
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
    /// their order, with all that they carried in it.
    pub fn row_forces(&self) -> &[RowForce] {
        self.work.readout.rows.sums()
    }

    /// The same act by act, as [`Simulation::contact_acts`].
    pub fn row_acts(&self) -> &[RowForce] {
        &self.work.readout.rows.all
    }

    /// Limits of joints, tendons and cables that were part of the last step's problem, in the order of its rows.
    pub fn limit_forces(&self) -> impl Iterator<Item = LimitForce<'_>> + '_ {
        self.row_forces().iter().filter_map(|row| LimitForce::of_row(row, &self.model, self.timestep()))
    }

    /// The least factor `s` such that impulses within `s` times the friction of every contact would have given the
    /// velocities that the last step gave, at its beginning and at its end where it has both: the margin of a grasp or a support as a whole,
    /// where [`ContactForce::margin`](ContactForce::margin) is that of the forces that the solver returned, and
    /// the largest of all acts is never less. Of contacts without slip it is the coefficient of friction that would do. Found to a
    /// relative 1e-7 or so.
    ///
    /// Joint friction, limits and equalities may carry any impulse that they allow; viscous contacts keep their
    /// tangential impulses. `None` if no contact with dry friction presses, or a problem cannot be solved. Solves some
    /// forty dense problems of as many rows as the step had, and allocates: not for every step.
    pub fn least_friction(&self) -> Option<f64> {
        // What was returned shows that its own largest margin is enough.
        let largest = self.largest_margin(|_| true)?;
        self.last_step().least_friction(largest)
    }

    /// The largest margins of the net force of two geoms, in the order of
    /// [`PairForce::geoms`](PairForce::geoms), over all impulses that would have given the velocities of the
    /// last step: friction needed over friction available, `|sum lambda_t| / sum mu lambda_n`, without slip the coefficient
    /// needed. Found to 1e-6 or so, the second to 1e-4 where the others' least friction leaves a single point.
    ///
    /// `None` if the pair does not press, bounces, or has no dry friction, if its forces come from the acceleration stepper, if its bodies go
    /// through the step in parts, or if a problem cannot be solved. Solves some hundred dense problems of as many rows as the island has, and allocates: not
    /// for every step.
    pub fn pair_margins(&self, geoms: [GeomId; 2]) -> Option<PairMargins> {
        let others = self.largest_margin(|act| act.contact.geoms != geoms).unwrap_or(0.0);
        self.last_step().pair_margins(geoms, others)
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
        let (contact_rule, velocity, solved) = match &work.rattle {
            Some(rattle) => rattle.finished(),
            None => {
                let problem = &work.problem;
                (&work.choice.contact_rule[..], &problem.velocity[..], [Some(&problem.rows), None])
            }
        };
        FinishedStep {
            model: &self.model,
            h: self.timestep(),
            start: &work.start,
            state: &self.state,
            contact_rule,
            velocity,
            solved,
            contacts: &work.readout.contacts.all,
            rows: &work.readout.rows.all,
            forces: &self.forces,
            constraints: &self.constraints,
            loops: &self.closures.loops,
        }
    }

    /// The largest margin of acts of contacts of which `chosen` holds.
    fn largest_margin(&self, chosen: impl Fn(&ContactForce) -> bool) -> Option<f64> {
        self.contact_acts().iter().filter(|act| chosen(act)).filter_map(|act| act.margin).reduce(f64::max)
    }

    fn last_step(&self) -> LastStep<'_> {
        let Workspace { problem, rattle, .. } = &self.work;
        let (rows, rates, contacts) = (&problem.rows, &problem.rates[..], &problem.contacts[..]);
        let durations = [self.timestep(); 2];
        let only = SolvedKick { rows, rates, contacts, stiff: &[], durations };
        let kicks = rattle.as_ref().map_or([Some(only), None], |rattle| rattle.kicks(self.timestep()));
        LastStep { model: &self.model, formulation: &self.settings.formulation, kicks }
    }

    /// Forgets what the last step said of contacts.
    pub(crate) fn clear_readout(&mut self) {
        self.work.readout.clear();
        self.work.start.forget_pose();
        self.work.problem.rows.clear();
        self.work.rattle.iter_mut().for_each(|rattle| rattle.forget_kicks());
    }
}
