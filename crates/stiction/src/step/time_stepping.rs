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

use crate::constraint::equality::Configuration;
use crate::constraint::islands::StepStart;
use crate::constraint::kind::{Level, Present, StepAhead};
use crate::contact::Memory;
use crate::dynamics;
use crate::dynamics::rigid_body;
use crate::report::StepReport;
use crate::sim::profile::Stage;
use crate::sim::{SimError, Simulation};
use crate::step::applied_forces::Commands;

impl Simulation {
    /// Takes one step of [`Simulation::timestep`] seconds and reports on it.
    ///
    /// An unsolved contact problem is not an error: the best answer found is used and the report says so.
    ///
    /// # Errors
    /// A number that is not finite (in the commands or born in the step), or a singular mass matrix. The state is
    /// then the one before the step.
    pub fn step(&mut self) -> Result<StepReport, SimError> {
        let h = self.timestep();
        self.islands.clock.start();
        self.begin()?;
        self.locate(); // 1 and 2
        let mut report = self.open_report();
        self.islands.clock.lap(Stage::Certificate);
        self.project_positions();
        self.choose_rules(h).map_err(|e| self.undo(e))?; // 3
        self.islands.clock.lap(Stage::FreeVelocity);
        self.sustain_contacts(h, &mut report).map_err(|e| self.undo(e))?;
        self.islands.clock.lap(Stage::Solve);
        self.assemble_rows(h); // 4
        self.solve_islands(&mut report); // 5
        self.islands.clock.lap(Stage::Rows);
        self.apply_impulses(); // 6
        self.delay_bounces(h).map_err(|e| self.undo(e))?;
        self.islands.clock.lap(Stage::Impulses);
        self.certify(h, &mut report); // 8, the part that needs the poses of the beginning
        self.certify_sustained(h, &mut report);
        self.islands.clock.lap(Stage::Certificate);
        self.advance(h).map_err(|e| self.undo(e))?; // 7
        self.islands.clock.lap(Stage::Integrate);
        self.finish()?;
        self.close_report(&mut report);
        self.islands.clock.lap(Stage::Certificate);
        Ok(report)
    }

    /// Checks the commands and keeps the state for an undo.
    fn begin(&mut self) -> Result<(), SimError> {
        self.work.q_before.clone_from(&self.state.q);
        self.work.v_before.clone_from(&self.state.v);
        self.work.mocap_before.clone_from(&self.state.mocap);
        self.work.time_before = self.state.time;
        self.closures.loops.recall(&self.state.loop_q);
        self.check_commands()
    }

    /// Stages 1 and 2: poses, velocities and contacts at the present state.
    pub(crate) fn locate(&mut self) {
        let model = self.model.clone();
        dynamics::forward_kinematics_all(&model, &mut self.data, &self.state.q, &self.state.v);
        let at = Configuration { q: &self.state.q, mocap: &self.state.mocap };
        self.closures.loops.locate(&model, &self.data, at);
        self.closures.loops.set_rates(&self.state.v);
        self.islands.clock.lap(Stage::Kinematics);
        let h = self.timestep();
        self.constraints.contacts.finder.find(&model, &self.data, &self.state, h);
        self.islands.clock.lap(Stage::Collision);
    }

    /// Stage 4: the rows of all trees under the contact rule.
    fn assemble_rows(&mut self, h: f64) {
        let model = self.model.clone();
        self.closures.loops.accelerate(&model, &self.data, &self.state.mocap);
        let (rows, work, closures) = (&mut self.rows, &mut self.work, &self.closures);
        closures.loops.extend_rates(&mut work.v_free);
        rows.clear();
        let at = Present::new(&model, &self.data, (&closures.loops, &closures.softness), &self.state);
        let ahead = StepAhead {
            h,
            baumgarte: self.settings.baumgarte,
            gap_rule: self.settings.formulation.gap_rule(),
            free: &work.v_free,
            late: &work.late,
        };
        let contact_rule = &work.contact_rule;
        self.constraints.push(rows, &at, Level::Velocity(ahead), |tree| contact_rule[tree]);
        rows.sort();
        rows.half_solve(&model, &mut self.data);
        rows.velocities(&model, &work.v_free, &mut work.free);
    }

    /// Stage 5: one problem per island, started from what its blocks did in the last step.
    fn solve_islands(&mut self, report: &mut StepReport) {
        let model = self.model.clone();
        self.islands.group(&model, &self.rows);
        self.recall_memory();
        self.work.before.clear();
        self.work.bounced.clear();
        let may_bounce = self.rows.blocks.iter().any(|block| block.restitution > 0.0);
        if may_bounce || self.solver.asks_velocities() {
            self.rows.velocities(&model, &self.state.v, &mut self.work.before);
        }
        let timestep = self.timestep();
        for i in 0..self.islands.count() {
            let (rows, work) = (&mut self.rows, &mut self.work);
            let now = StepStart { before: &work.before, timestep };
            let solved =
                self.islands.solve(i, &model, rows, &mut work.free, now, &mut self.solver, &mut work.memory);
            if let Some(solved) = solved {
                report.add_island(&solved);
                if solved.bounces > 0 {
                    work.bounced.push(i);
                }
            }
        }
        self.next_memory.clear();
        self.next_memory.extend(self.rows.blocks.iter().zip(&self.work.memory).map(|(b, m)| (b.key, *m)));
    }

    /// Memory of each block from the last step; both lists are sorted by key.
    fn recall_memory(&mut self) {
        self.work.memory.clear();
        let mut last = self.memory.iter().peekable();
        for block in &self.rows.blocks {
            while last.next_if(|(key, _)| *key < block.key).is_some() {}
            let found = last.peek().filter(|(key, _)| *key == block.key);
            self.work.memory.push(found.map_or(Memory::default(), |(_, memory)| *memory));
        }
    }

    /// Stage 6: `v+ = v_free + M^-1 J^T lambda` of the trees under the contact rule.
    fn apply_impulses(&mut self) {
        let model = self.model.clone();
        let work = &mut self.work;
        work.v_plus.copy_from_slice(&work.v_free);
        self.rows.apply_impulses(&model, &mut self.data, &mut work.scratch, &mut work.v_plus);
    }

    /// Stage 7: the new state, each tree by its rule, on the equality constraints.
    fn advance(&mut self, h: f64) -> Result<(), SimError> {
        self.advance_trees(h)?;
        self.advance_sustained();
        self.advance_tied(h)?;
        self.state.mocap.iter_mut().for_each(|mocap| mocap.advance(h));
        self.state.time += h;
        self.close_loops()
    }

    /// Moves all trees but those that the free rule moves together.
    fn advance_trees(&mut self, h: f64) -> Result<(), SimError> {
        let model = self.model.clone();
        let (state, work, data) = (&mut self.state, &mut self.work, &mut self.data);
        // No loop ties the trees whose forces are asked for here.
        let loops = &self.closures.loops;
        let (ctrl, applied, external) = (&state.ctrl, &state.applied, &state.external);
        let commands = Commands { ctrl, applied, external, loops, constraints: &self.constraints };
        for (tree, contents) in model.trees.iter().enumerate() {
            let sustained = self.acceleration.as_ref().is_some_and(|level| level.sustains(tree));
            if sustained || !work.contact_rule[tree] && self.closures.is_tied(tree) {
                continue;
            }
            let delay = work.delay[tree];
            let late_turn = if self.closures.is_tied(tree) { delay } else { 0.0 };
            match (work.contact_rule[tree], contents.lone_body) {
                (true, true) => rigid_body::advance(
                    &model,
                    data,
                    tree,
                    h,
                    &mut state.q,
                    &mut state.v,
                    &work.tau,
                    &work.v_own,
                    &work.v_plus,
                    [delay, late_turn],
                ),
                (true, false) => {
                    let (coords, dofs) = (contents.coords.clone(), contents.dofs.clone());
                    dynamics::integrate(&model, tree, &state.q, &work.moved, h, &mut work.q);
                    state.q[coords.clone()].copy_from_slice(&work.q[coords]);
                    state.v[dofs.clone()].copy_from_slice(&work.v_plus[dofs]);
                    Ok(())
                }
                (false, true) => {
                    let forces = &self.forces;
                    forces.smooth_forces(&model, data, tree, &commands, &state.q, &state.v, &mut work.tau);
                    rigid_body::free_step(&model, data, tree, h, &mut state.q, &mut state.v, &work.tau)
                }
                (false, false) => {
                    let forces = &self.forces;
                    dynamics::runge_kutta_step(
                        &model,
                        data,
                        tree,
                        h,
                        &mut state.q,
                        &mut state.v,
                        &mut |data, q, v, tau| {
                            forces.smooth_forces(&model, data, tree, &commands, q, v, tau);
                        },
                    )
                }
            }?;
        }
        Ok(())
    }
}
