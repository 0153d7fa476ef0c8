//! The free rule of trees tied by equalities: the classic fourth-order Runge-Kutta rule on all of them together, then
//! a projection on the constraints.
//!
//! In every stage the accelerations are those of the constrained system, `M a + c = tau + X^T mu` with
//! `X a + gamma = 0`, which is an ordinary differential equation whose solutions stay on the constraints when they
//! start there. The rule leaves them by O(h^5) in a step; the projection goes back by as much, which keeps the order
//! (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, 2006, section IV.4).

use crate::constraint::equality::{Configuration, Instant};
use crate::constraint::passage::Passage;
use crate::dynamics;
use crate::dynamics::AlgorithmError;
use crate::model::{Mocap, Model, TreeId};
use crate::report::{Certificate, Work};
use crate::step::applied_forces::Commands;
use crate::step::start::StepStart;
use crate::step::system::System;

/// The tied trees under the free rule, and the workspace for their stages.
#[derive(Debug)]
pub(crate) struct TiedTrees {
    trees: Vec<TreeId>,
    tau: Vec<f64>,
    bias: Vec<f64>,
    zeros: Vec<f64>,
    scratch: Vec<f64>,
    /// Prescribed motions in a stage.
    mocap: Vec<Mocap>,
}

impl TiedTrees {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Self {
            trees: Vec::new(),
            tau: zeros(),
            bias: zeros(),
            zeros: zeros(),
            scratch: zeros(),
            mocap: Vec::new(),
        }
    }

    /// Moves the tied trees under the free rule by a step, before the projection, and adds what acts on them to `work`. Needs `data`
    /// at the beginning of the step.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn advance(
        &mut self,
        system: &mut System<'_>,
        contact_rule: &[bool],
        work: &mut Work,
    ) -> Result<(), AlgorithmError> {
        let System { model, h, forces, state, data, closures, constraints, .. } = system;
        let (model, h) = (*model, *h);
        let Self { trees, tau, bias, zeros, scratch, mocap } = self;
        trees.clear();
        trees.extend(
            TreeId::all(&model.trees).filter(|&tree| closures.is_tied(tree) && !contact_rule[tree.index()]),
        );
        if trees.is_empty() {
            return Ok(());
        }
        let free = |tree: TreeId| !contact_rule[tree.index()];
        let time = state.time;
        let start = Instant { mocap: &state.mocap, time };
        if !closures.velocities_match(model, data, start, free, &state.v) {
            for &tree in &*trees {
                dynamics::factorize_by_size(model, data, tree, zeros)?;
            }
            closures.match_velocities(model, data, start, free, &mut state.v);
            let [constraints, prescribed] = closures.matching_work(model);
            work.velocity_projection += constraints;
            work.prescribed += prescribed;
        }
        let (ctrl, applied, external) = (&state.ctrl, &state.applied, &state.external);
        dynamics::coupled_runge_kutta_step(
            model,
            data,
            trees,
            h,
            &mut state.q,
            &mut state.v,
            &mut |data, stage, q, v, acceleration| {
                let fraction = stage.fraction;
                mocap.clear();
                mocap.extend_from_slice(&state.mocap);
                mocap.iter_mut().for_each(|m| m.advance(fraction * h));
                // The first stage is where the loops are already.
                if fraction > 0.0 {
                    closures.loops.locate(model, data, Configuration { q, mocap });
                }
                closures.loops.set_rates(v);
                let loops = &closures.loops;
                let commands = Commands { ctrl, applied, external, loops, constraints };
                let share = h * stage.sixths / 6.0;
                let passage = Passage::instant(&loops.q, &loops.v, share);
                for &tree in &*trees {
                    forces.smooth_forces(model, data, tree, &commands, &loops.q, &loops.v, tau);
                    *work += forces.work(model, data, tree, &commands, &passage, scratch);
                    dynamics::factorize_by_size(model, data, tree, zeros)?;
                    dynamics::bias_forces(model, data, tree, bias);
                    for k in model.trees[tree].dofs.clone() {
                        acceleration[k] = tau[k] - bias[k];
                    }
                    dynamics::solve(model, data, tree, acceleration);
                }
                let now = Instant { mocap, time: time + fraction * h };
                closures.constrain(model, data, now, free, acceleration);
                let [constraints, prescribed] = closures.power(model, v);
                work.constraints += share * constraints;
                work.prescribed += share * prescribed;
                Ok(())
            },
        )
    }

    /// Closes the loops at the end of a step: configurations under both rules, velocities under the free rule (those
    /// under the contact rule meet the rows of the step's beginning, which are part of its problem). `added` is what the implicit
    /// rule adds to the mass matrices of trees under the contact rule; it becomes zero for the others. What the
    /// velocities under the free rule miss their rows by goes into `certificate`.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn close_loops(
        &self,
        system: &mut System<'_>,
        start: &StepStart,
        contact_rule: &[bool],
        added: &mut [f64],
        certificate: &mut Certificate,
    ) -> Result<(), AlgorithmError> {
        let System { model, state, data, closures, .. } = system;
        let model = *model;
        for &tree in &self.trees {
            added[model.trees[tree].dofs.clone()].fill(0.0);
        }
        let now = Instant { mocap: &state.mocap, time: state.time };
        closures.close(model, data, now, added, &mut state.q, &state.v)?;
        closures.survey(model, data, now);
        // A set that was closed and now cannot be has run into a singular configuration, near which the accelerations
        // of the stages have no bound. It starts again from where it was, with rows that give way.
        let mut jammed = false;
        for &tree in self.trees.iter().filter(|&&tree| closures.is_open(tree)) {
            let (coords, dofs) = (model.trees[tree].coords.clone(), model.trees[tree].dofs.clone());
            // What is not finite stays, to be reported by name.
            if state.q[coords.clone()].iter().chain(&state.v[dofs.clone()]).all(|x| x.is_finite()) {
                state.q[coords.clone()].copy_from_slice(&start.q[coords]);
                state.v[dofs.clone()].copy_from_slice(&start.v[dofs]);
                jammed = true;
            }
        }
        if jammed {
            closures.loops.recall(&state.loop_q);
            closures.close(model, data, now, added, &mut state.q, &state.v)?;
            closures.survey(model, data, now);
        }
        closures.match_velocities(model, data, now, |tree| !contact_rule[tree.index()], &mut state.v);
        for (angular, error) in closures.velocity_errors(model, &state.v) {
            certificate.add_bilateral_velocity(angular, error);
        }
        Ok(())
    }
}
