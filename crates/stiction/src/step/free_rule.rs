//! The free rule of trees tied by equalities: the classic fourth-order Runge-Kutta rule on all of them together, then
//! a projection on the constraints.
//!
//! In every stage the accelerations are those of the constrained system, `M a + c = tau + X^T mu` with
//! `X a + gamma = 0`, which is an ordinary differential equation whose solutions stay on the constraints when they
//! start there. The rule leaves them by O(h^5) in a step; the projection goes back by as much, which keeps the order
//! (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, 2006, section IV.4).

use crate::constraint::equality::{Configuration, Instant};
use crate::dynamics;
use crate::sim::{SimError, Simulation};
use crate::step::applied_forces::Commands;

impl Simulation {
    /// Moves the tied trees under the free rule by a step `h` (s), before the projection. Needs `data` at the
    /// beginning of the step.
    pub(crate) fn advance_tied(&mut self, h: f64) -> Result<(), SimError> {
        let model = self.model.clone();
        let (state, work, data) = (&mut self.state, &mut self.work, &mut self.data);
        let (forces, closures, constraints) = (&self.forces, &mut self.closures, &self.constraints);
        work.tied.clear();
        work.tied.extend((0..model.trees.len()).filter(|&t| closures.is_tied(t) && !work.contact_rule[t]));
        if work.tied.is_empty() {
            return Ok(());
        }
        let contact_rule = &work.contact_rule;
        let free = |tree: usize| !contact_rule[tree];
        let time = state.time;
        let start = Instant { mocap: &state.mocap, time };
        if !closures.velocities_match(&model, data, start, free, &state.v) {
            for &tree in &work.tied {
                dynamics::factorize_by_size(&model, data, tree, &work.zeros)?;
            }
            closures.match_velocities(&model, data, start, free, &mut state.v);
        }
        let (ctrl, applied, external) = (&state.ctrl, &state.applied, &state.external);
        let (tau, bias, zeros, mocap) = (&mut work.tau, &mut work.bias, &work.zeros, &mut work.mocap);
        dynamics::coupled_runge_kutta_step(
            &model,
            data,
            &work.tied,
            h,
            &mut state.q,
            &mut state.v,
            &mut |data, fraction, q, v, acceleration| {
                mocap.clone_from(&state.mocap);
                mocap.iter_mut().for_each(|m| m.advance(fraction * h));
                // The first stage is where the loops are already.
                if fraction > 0.0 {
                    closures.loops.locate(&model, data, Configuration { q, mocap });
                }
                closures.loops.set_rates(v);
                let loops = &closures.loops;
                let commands = Commands { ctrl, applied, external, loops, constraints };
                for &tree in &work.tied {
                    forces.smooth_forces(&model, data, tree, &commands, &loops.q, &loops.v, tau);
                    dynamics::factorize_by_size(&model, data, tree, zeros)?;
                    dynamics::bias_forces(&model, data, tree, bias);
                    for k in model.trees[tree].dofs.clone() {
                        acceleration[k] = tau[k] - bias[k];
                    }
                    dynamics::solve(&model, data, tree, acceleration);
                }
                let now = Instant { mocap, time: time + fraction * h };
                closures.constrain(&model, data, now, free, acceleration);
                Ok(())
            },
        )?;
        Ok(())
    }

    /// Closes the loops at the end of a step: configurations under both rules, velocities under the free rule (those
    /// under the contact rule meet the rows of the step's beginning, which are part of its problem).
    pub(crate) fn close_loops(&mut self) -> Result<(), SimError> {
        let model = self.model.clone();
        let (state, work) = (&mut self.state, &mut self.work);
        for &tree in &work.tied {
            work.added[model.trees[tree].dofs.clone()].fill(0.0);
        }
        let (closures, data) = (&mut self.closures, &mut self.data);
        let now = Instant { mocap: &state.mocap, time: state.time };
        closures.close(&model, data, now, &work.added, &mut state.q, &state.v)?;
        closures.survey(&model, data, now);
        // A set that was closed and now cannot be has run into a singular configuration, near which the accelerations
        // of the stages have no bound. It starts again from where it was, with rows that give way.
        let mut jammed = false;
        for &tree in work.tied.iter().filter(|&&tree| closures.is_open(tree)) {
            let (coords, dofs) = (model.trees[tree].coords.clone(), model.trees[tree].dofs.clone());
            // What is not finite stays, to be reported by name.
            if state.q[coords.clone()].iter().chain(&state.v[dofs.clone()]).all(|x| x.is_finite()) {
                state.q[coords.clone()].copy_from_slice(&work.q_before[coords]);
                state.v[dofs.clone()].copy_from_slice(&work.v_before[dofs]);
                jammed = true;
            }
        }
        if jammed {
            closures.close(&model, data, now, &work.added, &mut state.q, &state.v)?;
            closures.survey(&model, data, now);
        }
        let contact_rule = &work.contact_rule;
        closures.match_velocities(&model, data, now, |t| !contact_rule[t], &mut state.v);
        Ok(())
    }
}
