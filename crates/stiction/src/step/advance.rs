//! Stage 7 of a step: the new state, each tree by its rule, on the equality constraints.

use crate::constraint::passage::Passage;
use crate::dynamics;
use crate::dynamics::{AlgorithmError, Data, RigidBodyStep};
use crate::model::{Model, TreeId};
use crate::report::Work;
use crate::step::applied_forces::Commands;
use crate::step::bounce::Bounce;
use crate::step::contact_problem::ContactProblem;
use crate::step::free_velocity::FreeVelocity;
use crate::step::momentum::FreeTree;
use crate::step::system::System;

/// The workspace: configuration and forces of a tree under way.
#[derive(Debug)]
pub(crate) struct Advance {
    q: Vec<f64>,
    tau: Vec<f64>,
    /// For works: mean velocity of lone bodies, and scratch (nv).
    mean: Vec<f64>,
    scratch: Vec<f64>,
}

impl Advance {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.nv()];
        Self { q: model.q0.clone(), tau: zeros(), mean: zeros(), scratch: zeros() }
    }

    /// Moves the trees under the contact rule: with their new velocities, but where they bounce.
    ///
    /// # Errors
    /// A rotation of a lone body that has no solution within the step.
    pub(crate) fn under_contact_rule(
        &mut self,
        system: &mut System<'_>,
        contact_rule: &[bool],
        free: &FreeVelocity,
        problem: &ContactProblem,
        bounce: &Bounce,
    ) -> Result<(), AlgorithmError> {
        let System { model, h, state, closures, .. } = system;
        let (model, h) = (*model, *h);
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            if !contact_rule[tree.index()] {
                continue;
            }
            let (q, v) = (&mut state.q, &mut state.v);
            if contents.lone_body {
                let delay = bounce.delay[tree.index()];
                let late_turn = if closures.is_tied(tree) { delay } else { 0.0 };
                let (velocity, delays) = (&problem.velocity, [delay, late_turn]);
                RigidBodyStep::new(model, tree, h, &free.tau)?.advance(q, v, [&free.own, velocity], delays);
            } else {
                let (coords, dofs) = (contents.coords.clone(), contents.dofs.clone());
                dynamics::integrate(model, tree, q, &bounce.moved, h, &mut self.q);
                q[coords.clone()].copy_from_slice(&self.q[coords]);
                v[dofs.clone()].copy_from_slice(&problem.velocity[dofs]);
            }
        }
        Ok(())
    }

    /// Moves the trees of which `moves` holds by the free rule, each on its own, and adds what acts on them to `work`.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(crate) fn freely(
        &mut self,
        system: &mut System<'_>,
        work: &mut Work,
        moves: impl Fn(TreeId) -> bool,
    ) -> Result<(), AlgorithmError> {
        let System { model, h, forces, state, data, closures, constraints, .. } = system;
        let (model, h) = (*model, *h);
        let (ctrl, applied, external) = (&state.ctrl, &state.applied, &state.external);
        // No loop ties the trees whose forces are asked for here.
        let commands = Commands { ctrl, applied, external, loops: &closures.loops, constraints };
        let (q, v) = (&mut state.q, &mut state.v);
        let Self { tau, mean, scratch, .. } = self;
        for (tree, contents) in TreeId::all(&model.trees).zip(&model.trees) {
            if !moves(tree) || closures.is_tied(tree) {
                continue;
            }
            if contents.lone_body {
                forces.smooth_forces(model, data, tree, &commands, q, v, tau);
                let [velocity, spin] = RigidBodyStep::new(model, tree, h, tau)?.sweep(q, v)?;
                let first = contents.dofs.start;
                mean[first..first + 3].copy_from_slice(velocity.as_slice());
                mean[first + 3..first + 6].copy_from_slice(spin.as_slice());
                let passage = Passage::instant(q, mean, h);
                *work += forces.work(model, data, tree, &commands, &passage, scratch);
            } else {
                let mut stages = dynamics::STAGES.iter();
                let mut smooth = |data: &Data, q: &[f64], v: &[f64], tau: &mut [f64]| {
                    forces.smooth_forces(model, data, tree, &commands, q, v, tau);
                    let share = stages.next().map_or(0.0, |stage| h * stage.sixths / 6.0);
                    let passage = Passage::instant(q, v, share);
                    *work += forces.work(model, data, tree, &commands, &passage, scratch);
                };
                let isolated = forces.is_isolated(model, tree, &commands);
                let before = if isolated { FreeTree::of(model, data, tree) } else { None };
                dynamics::runge_kutta_step(model, data, tree, h, q, v, &mut smooth)?;
                if let Some(before) = before {
                    dynamics::forward_kinematics(model, data, tree, q, v);
                    before.keep_in_field(model, data, tree, (h, model.gravity), (q, v));
                }
            }
        }
        Ok(())
    }
}
