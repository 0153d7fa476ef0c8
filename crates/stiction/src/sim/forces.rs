//! Generalized forces that do not come from constraints: applied forces, springs, dampers and drives.

use crate::algorithm::{self, Data};
use crate::model::{Actuator, Base, JointKind, Model};
use crate::sim::State;
use crate::spatial::Force;

/// A drive's force before the gear (N or N m), and whether it is clamped.
fn drive_force(actuator: &Actuator, control: f64, length: f64, rate: f64) -> (f64, bool) {
    let control = match actuator.control_range {
        Some([low, high]) => control.clamp(low, high),
        None => control,
    };
    let [constant, per_length, per_rate] = actuator.bias;
    let force = actuator.gain * control + constant + per_length * length + per_rate * rate;
    match actuator.force_range {
        Some([low, high]) if !(low..=high).contains(&force) => (force.clamp(low, high), true),
        _ => (force, false),
    }
}

/// Length and rate of a drive's transmission; zero for joints with several dofs, whose drives are pure forces.
fn transmission(model: &Model, actuator: &Actuator, q: &[f64], v: &[f64]) -> (f64, f64) {
    let link = &model.links[actuator.link];
    match link.kind {
        JointKind::Hinge { .. } | JointKind::Slide { .. } => {
            (actuator.gear[0] * q[link.q], actuator.gear[0] * v[link.v])
        }
        _ => (0.0, 0.0),
    }
}

/// Which drives and bodies act on each tree.
#[derive(Clone, Debug)]
pub(crate) struct ForceMap {
    drives: Vec<Vec<usize>>,
    bodies: Vec<Vec<usize>>,
}

impl ForceMap {
    pub(crate) fn new(model: &Model) -> Self {
        let mut map =
            Self { drives: vec![Vec::new(); model.trees.len()], bodies: vec![Vec::new(); model.trees.len()] };
        for (i, actuator) in model.actuators.iter().enumerate() {
            map.drives[model.links[actuator.link].tree].push(i);
        }
        // Names order the sums over drives, so that their bits do not depend on the order of writing.
        for drives in &mut map.drives {
            drives.sort_by(|a, b| model.actuators[*a].name.cmp(&model.actuators[*b].name));
        }
        for (i, body) in model.bodies.iter().enumerate() {
            if let Base::Link(link) = body.base {
                map.bodies[model.links[link].tree].push(i);
            }
        }
        map
    }

    /// Adds the drives' generalized forces of one tree at `(q, v)`.
    fn add_drives(&self, model: &Model, tree: usize, ctrl: &[f64], q: &[f64], v: &[f64], tau: &mut [f64]) {
        for &i in &self.drives[tree] {
            let actuator = &model.actuators[i];
            let link = &model.links[actuator.link];
            let (length, rate) = transmission(model, actuator, q, v);
            let (force, _) = drive_force(actuator, ctrl[i], length, rate);
            for (dof, gear) in actuator.gear.iter().enumerate().take(link.kind.nv()) {
                tau[link.v + dof] += gear * force;
            }
        }
    }

    /// Adds the wrenches applied to one tree's bodies; needs the poses of `data`.
    fn add_external(&self, model: &Model, data: &Data, tree: usize, external: &[Force], tau: &mut [f64]) {
        for &i in &self.bodies[tree] {
            let body = &model.bodies[i];
            let Base::Link(link) = body.base else { continue };
            if external[i] == Force::zero() {
                continue;
            }
            let center = data.link_pose[link].vector(&body.pose.point(&body.center_of_mass));
            algorithm::add_wrench(model, data, link, &external[i].about(&center), tau);
        }
    }

    /// Total generalized force of one tree at `(q, v)`: applied, external, springs, dampers and drives. Writes the
    /// tree's part of `tau`; needs `data` at `(q, v)`.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn smooth_forces(
        &self,
        model: &Model,
        data: &Data,
        tree: usize,
        commands: &Commands,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
    ) {
        let dofs = model.trees[tree].dofs.clone();
        tau[dofs.clone()].copy_from_slice(&commands.applied[dofs]);
        algorithm::passive_forces(model, tree, q, v, tau);
        self.add_drives(model, tree, commands.ctrl, q, v, tau);
        self.add_external(model, data, tree, commands.external, tau);
    }

    /// Rate and position gains that a step treats implicitly: damping and spring stiffness of joints and the gains
    /// of drives that are not clamped. Writes the tree's part of both (nv): `rate` (N m s/rad, N s/m) and `position`
    /// (N m/rad, N/m).
    pub(crate) fn implicit_gains(
        &self,
        model: &Model,
        tree: usize,
        state: &State,
        rate: &mut [f64],
        position: &mut [f64],
    ) {
        let contents = &model.trees[tree];
        for dof in contents.dofs.clone() {
            rate[dof] = model.dofs[dof].damping;
            position[dof] = 0.0;
        }
        for link in &model.links[contents.links.clone()] {
            if !matches!(link.kind, JointKind::Free) {
                position[link.v..link.v + link.kind.nv()].fill(link.stiffness);
            }
        }
        for &i in &self.drives[tree] {
            let actuator = &model.actuators[i];
            let link = &model.links[actuator.link];
            if actuator.bias[1..] == [0.0, 0.0] {
                continue;
            }
            let (length, speed) = transmission(model, actuator, &state.q, &state.v);
            if drive_force(actuator, state.ctrl[i], length, speed).1 {
                continue;
            }
            let gear = actuator.gear[0] * actuator.gear[0];
            // Only gains that resist motion: a destabilising one stays explicit.
            position[link.v] += gear * (-actuator.bias[1]).max(0.0);
            rate[link.v] += gear * (-actuator.bias[2]).max(0.0);
        }
    }
}

/// The commanded part of a state, apart from q and v so that those can change while it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commands<'a> {
    pub(crate) ctrl: &'a [f64],
    pub(crate) applied: &'a [f64],
    pub(crate) external: &'a [Force],
}
