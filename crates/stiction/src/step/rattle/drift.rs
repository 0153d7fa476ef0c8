//! Drift: inertial motion between the kicks, with nothing acting, not even gravity.

use crate::dynamics::{self, AlgorithmError, RigidBodyStep};
use crate::model::{Model, TreeId};
use crate::step::momentum::FreeTree;
use crate::step::system::System;
use nalgebra::Vector3;

/// Moves a tree from the state of the system with nothing acting on it. Trees whose forces all act at the beginning (`stiff`) go
/// straight on: what their velocity products do is in that kick.
///
/// # Errors
/// A mass matrix that is not positive definite, or a rotation that has no solution within the step.
pub(super) fn drift(
    system: &mut System<'_>,
    tree: TreeId,
    stiff: bool,
    scratch: &mut Scratch,
) -> Result<(), AlgorithmError> {
    let System { model, h, state, data, .. } = system;
    let (model, h) = (*model, *h);
    if model.trees[tree].lone_body {
        RigidBodyStep::coasting(model, tree, h, &scratch.zeros)?.advance_free(&mut state.q, &mut state.v)
    } else if stiff {
        let coords = model.trees[tree].coords.clone();
        dynamics::integrate(model, tree, &state.q, &state.v, h, &mut scratch.q);
        state.q[coords.clone()].copy_from_slice(&scratch.q[coords]);
        Ok(())
    } else {
        dynamics::forward_kinematics(model, data, tree, &state.q, &state.v);
        let before = FreeTree::of(model, data, tree);
        dynamics::coast(model, data, tree, h, &mut state.q, &mut state.v)?;
        if let Some(before) = before {
            dynamics::forward_kinematics(model, data, tree, &state.q, &state.v);
            let nothing = (h, Vector3::zeros());
            before.keep_in_field(model, data, tree, nothing, (&mut state.q, &mut state.v));
        }
        Ok(())
    }
}

/// Memory for a drift.
#[derive(Debug)]
pub(super) struct Scratch {
    zeros: Vec<f64>,
    q: Vec<f64>,
}

impl Scratch {
    pub(super) fn new(model: &Model) -> Self {
        Self { zeros: vec![0.0; model.nv()], q: model.q0.clone() }
    }
}
