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

use crate::constraint::equality::{Configuration, Level, Located, equality_trees};
use crate::constraint::islands::StepStart;
use crate::constraint::limit::{limit_sides, push_joint_friction, push_limit};
use crate::constraint::tendon::{
    push_tendon_friction, push_tendon_limit, push_tension, tendon_sides, tendon_trees,
};
use crate::constraint::{cable, equality};
use crate::contact::{GapRule, Memory};
use crate::dynamics;
use crate::dynamics::RigidBodyStep;
use crate::report::StepReport;
use crate::sim::profile::Stage;
use crate::sim::{SimError, Simulation};
use crate::step::applied_forces::Commands;
use crate::step::integrator_choice::TOUCHING;

/// A limit farther than what the joint may travel in this many steps at its speed is left out of the problem.
const LIMIT_REACH: f64 = 4.0;

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
        self.finder.find(&model, &self.data, &self.state, self.timestep());
        self.islands.clock.lap(Stage::Collision);
    }

    /// Stage 4: the rows of all trees under the contact rule.
    fn assemble_rows(&mut self, h: f64) {
        let model = self.model.clone();
        self.closures.loops.accelerate(&model, &self.data, &self.state.mocap);
        let (rows, work, loops) = (&mut self.rows, &mut self.work, &self.closures.loops);
        loops.extend_rates(&mut work.v_free);
        rows.clear();
        let gap_rule = self.settings.formulation.gap_rule();
        for (i, contact) in self.finder.contacts.iter().enumerate() {
            let in_problem = contact.links.iter().flatten().any(|&l| work.contact_rule[model.links[l].tree]);
            let bias = match gap_rule {
                // Round-off of a touching gap would be divided by h: it stays out of the velocity problem.
                _ if contact.gap <= TOUCHING => 0.0,
                // What bounces must not overlap first, whatever the rule.
                GapRule::AnitescuPotra if contact.restitution == 0.0 => continue,
                GapRule::StewartTrinkle | GapRule::AnitescuPotra => contact.gap / h,
            };
            if in_problem {
                rows.push_contact(&model, &self.data, i, contact, bias);
                rows.rebound(contact.restitution);
            }
        }
        for (i, link) in model.links.iter().enumerate() {
            if !work.contact_rule[link.tree] || link.range.is_none() {
                continue;
            }
            for side in limit_sides(link, &self.state.q).into_iter().flatten() {
                let travel = (link.v..link.v + link.kind.nv())
                    .map(|d| work.v_free[d].abs().max(self.state.v[d].abs()))
                    .sum::<f64>();
                if side.gap <= LIMIT_REACH * h * travel + TOUCHING {
                    push_limit(rows, &model, i, self.joint_ranks[i], &side, side.gap.max(0.0) / h);
                }
            }
        }
        for tree in 0..model.trees.len() {
            if work.contact_rule[tree] {
                push_joint_friction(rows, &model, &self.joint_ranks, tree, h);
            }
        }
        for joint in self.forces.loop_joints.in_order() {
            let contents = &model.loop_joints[joint];
            let links = contents.links.into_iter().flatten();
            if !links.map(|link| model.links[link].tree).any(|tree| work.contact_rule[tree]) {
                continue;
            }
            let travel =
                contents.dofs().map(|dof| work.v_free[dof].abs().max(loops.v[dof].abs())).sum::<f64>();
            let reach = LIMIT_REACH * h * travel + TOUCHING;
            let joints = &self.forces.loop_joints;
            joints.push_limits(rows, &model, loops, joint, |gap| (gap <= reach).then_some(gap.max(0.0) / h));
            joints.push_actions(rows, &model, loops, joint, &self.state, &work.late, h);
        }
        for (i, tendon) in model.tendons.iter().enumerate() {
            if !tendon_trees(&model, tendon).next().is_some_and(|tree| work.contact_rule[tree]) {
                continue;
            }
            let rank = self.tendon_ranks[i];
            let travel = tendon.path.rate(&work.v_free).abs().max(tendon.path.rate(&loops.v).abs());
            for side in tendon_sides(tendon, &loops.q).into_iter().flatten() {
                if side.gap <= LIMIT_REACH * h * travel + TOUCHING {
                    push_tendon_limit(rows, &model, loops, tendon, rank, &side, side.gap.max(0.0) / h);
                }
            }
            push_tendon_friction(rows, &model, loops, tendon, rank, h);
            let gains = self.forces.tendon_gains(&model, loops, i, &self.state);
            push_tension(rows, &model, loops, tendon, rank, &gains, h);
        }
        for (i, cable) in cable::spanned(&model, &self.data, &self.state.mocap).enumerate() {
            if !cable::cable_trees(&model, cable.cable).any(|tree| work.contact_rule[tree]) {
                continue;
            }
            let travel = cable.rate(&work.v_free).abs().max(cable.rate(&self.state.v).abs());
            for side in cable.sides().into_iter().flatten() {
                if side.gap <= LIMIT_REACH * h * travel + TOUCHING {
                    cable.push(rows, self.cable_ranks[i], &side, side.gap.max(0.0) / h);
                }
            }
        }
        let at = Located { loops, mocap: &self.state.mocap, time: self.state.time };
        // Prescribed rates are those of the end of the step, as velocities are.
        let level = Level::Velocity { gain: self.settings.baumgarte / h, lead: h };
        for i in 0..model.equalities.len() {
            if equality_trees(&model, i).any(|tree| work.contact_rule[tree]) {
                let rank = self.equality_ranks[i];
                equality::push_equality(rows, &model, &self.data, at, i, rank, level);
                rows.soften(self.closures.softness(i));
            }
        }
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
        let commands =
            Commands { ctrl: &state.ctrl, applied: &state.applied, external: &state.external, loops };
        for (tree, contents) in model.trees.iter().enumerate() {
            let sustained = self.acceleration.as_ref().is_some_and(|level| level.sustains(tree));
            if sustained || !work.contact_rule[tree] && self.closures.is_tied(tree) {
                continue;
            }
            let delay = work.delay[tree];
            let late_turn = if self.closures.is_tied(tree) { delay } else { 0.0 };
            match (work.contact_rule[tree], contents.lone_body) {
                (true, true) => RigidBodyStep::new(&model, tree, h, &work.tau).map(|step| {
                    let velocities = [work.v_own.as_slice(), &work.v_plus];
                    step.advance(&mut state.q, &mut state.v, velocities, [delay, late_turn]);
                }),
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
                    RigidBodyStep::new(&model, tree, h, &work.tau)
                        .and_then(|step| step.advance_free(&mut state.q, &mut state.v))
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
