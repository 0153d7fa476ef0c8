//! What acts in the joints that close loops: springs, dampers, drives, rotors, dry friction and limits.
//!
//! A generalized force `f` along the rate `theta' = c v + drift` of a loop (see [`crate::constraint::closure::coordinates`]) is `c^T f` on the trees.
//! Under the contact rule the force is that of the end of the step, as for joints of trees; with everything that resists along
//! the rate, of stiffness `k`, damping `d` and rotor inertia `a`, the impulse of the change is
//!
//! ```text
//! lambda = -a (theta'+ - theta') - h d (theta'+ - theta') - h^2 k theta'+
//! theta'+ - ((a + h d) / g) theta' + lambda / g = 0,        g = a + h d + h^2 k,
//! ```
//!
//! a bilateral row of compliance `1 / g`. With a rotor `theta'+` is the rate at the very end of the step,
//! `c (v+ + delta) + drift + h gamma`: the row turns within the step, which gives the velocity products `gamma`, and a lone body ends
//! a step with a velocity other by `delta` than the one it used (see [`crate::dynamics::RigidBodyStep`]). What is left out of a
//! momentum in one step is lost for good. The rotor's part is exact: eliminating the row `theta'' + lambda / a = 0` adds the
//! matrix `a c^T c` of rank one, which spans trees, to the mass matrix, and with it the kinetic energy `1/2 a theta'^2`.

use crate::constraint::closure::coordinates::Loops;
use crate::constraint::limit::{joint_ranks, sides};
use crate::constraint::rows::{BlockKey, RowKind, Rows};
use crate::constraint::tendon::Gains;
use crate::contact::BlockKind;
use crate::dynamics::integrate::rotation_between;
use crate::model::State;
use crate::model::{Actuator, JointKind, LoopJoint, Model, Transmission};
use crate::step::applied_forces::drive_force;

/// Which joints close loops of each tree, which drives act on them, and their order.
#[derive(Clone, Debug)]
pub(crate) struct LoopJoints {
    /// By name.
    order: Vec<usize>,
    /// Places of the joints among all joints' names.
    ranks: Vec<u32>,
    /// Drives of each, by name.
    drives: Vec<Vec<usize>>,
    /// Joints that act on each tree, in their order.
    of_tree: Vec<Vec<usize>>,
}

impl LoopJoints {
    pub(crate) fn new(model: &Model) -> Self {
        let ranks = joint_ranks(model).split_off(model.links.len());
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&joint| ranks[joint]);
        let mut drives = vec![Vec::new(); ranks.len()];
        for (i, actuator) in model.actuators.iter().enumerate() {
            if let Transmission::Loop(joint) = actuator.transmission {
                drives[joint].push(i);
            }
        }
        for drives in &mut drives {
            drives.sort_by(|a, b| model.actuators[*a].name.cmp(&model.actuators[*b].name));
        }
        let mut of_tree = vec![Vec::new(); model.trees.len()];
        for &joint in &order {
            for link in model.loop_joints[joint].links.into_iter().flatten() {
                let list: &mut Vec<usize> = &mut of_tree[model.links[link].tree];
                if list.last() != Some(&joint) {
                    list.push(joint);
                }
            }
        }
        Self { order, ranks, drives, of_tree }
    }

    /// All joints in the order of names.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().copied()
    }

    /// Adds the forces of springs, dampers and drives in the joints of one tree to its part of `tau`, at the coordinates and
    /// rates in `loops`.
    pub(crate) fn add_forces(
        &self,
        model: &Model,
        loops: &Loops,
        tree: usize,
        ctrl: &[f64],
        tau: &mut [f64],
    ) {
        for &joint in &self.of_tree[tree] {
            let force = self.force(model, loops, joint, ctrl);
            for (k, dof) in model.loop_joints[joint].dofs().enumerate() {
                if force[k] != 0.0 {
                    pull(model, loops, tree, dof, force[k], tau);
                }
            }
        }
    }

    /// Generalized force of springs, dampers and drives of one joint.
    fn force(&self, model: &Model, loops: &Loops, joint: usize, ctrl: &[f64]) -> [f64; 3] {
        let contents = &model.loop_joints[joint];
        let displacement = spring_displacement(contents, &loops.q);
        let mut force = [0.0; 3];
        for (k, dof) in contents.dofs().enumerate() {
            force[k] = -contents.stiffness * displacement[k] - contents.damping * loops.v[dof];
        }
        for &i in &self.drives[joint] {
            let actuator = &model.actuators[i];
            let (length, rate) = length_and_rate(contents, actuator, loops);
            let (along, _) = drive_force(actuator, ctrl[i], length, rate);
            for (force, gear) in force.iter_mut().zip(actuator.gear).take(contents.kind.nv()) {
                *force += gear * along;
            }
        }
        force
    }

    /// Gains of what acts along the first velocity of a joint, and along the others.
    fn gains(&self, model: &Model, loops: &Loops, joint: usize, state: &State) -> [Gains; 2] {
        let contents = &model.loop_joints[joint];
        let passive = Gains { rate: contents.damping, position: contents.stiffness };
        let mut first = passive;
        for &i in &self.drives[joint] {
            let actuator = &model.actuators[i];
            let (length, rate) = length_and_rate(contents, actuator, loops);
            let (_, slopes) = drive_force(actuator, state.ctrl[i], length, rate);
            let gear = actuator.gear[0] * actuator.gear[0];
            first.position += gear * (-slopes[0]).max(0.0);
            first.rate += gear * (-slopes[1]).max(0.0);
        }
        [first, passive]
    }

    /// Largest added mass `h d + h^2 k` along a velocity of a joint.
    pub(crate) fn added_mass(
        &self,
        model: &Model,
        loops: &Loops,
        joint: usize,
        state: &State,
        h: f64,
    ) -> f64 {
        let [first, other] = self.gains(model, loops, joint, state).map(|gains| gains.added_mass(h));
        first.max(other)
    }

    /// Adds the rows of one joint for a step of `h` seconds: friction, and what resists; limits are apart. If the joint has a
    /// rotor it needs [`Loops::accelerate`], and `late` has the `delta` of all lone bodies.
    #[allow(clippy::too_many_arguments, reason = "the parts of a simulation that the rows depend on")]
    pub(crate) fn push_actions(
        &self,
        rows: &mut Rows,
        model: &Model,
        loops: &Loops,
        joint: usize,
        state: &State,
        late: &[f64],
        h: f64,
    ) {
        let contents = &model.loop_joints[joint];
        let [first, other] = self.gains(model, loops, joint, state);
        for (k, dof) in contents.dofs().enumerate() {
            let terms = || std::iter::once((dof, 1.0));
            let drift = loops.drift_of(terms());
            if contents.friction_loss > 0.0 {
                let key = BlockKey::friction(self.ranks[joint], k as u32);
                let kind = RowKind::Unilateral(BlockKind::Friction { bound: h * contents.friction_loss });
                rows.push_dofs(model, key, kind, drift, loops.expand(terms()));
            }
            let gains = if k == 0 { &first } else { &other };
            let held = contents.armature + h * gains.rate;
            let added = contents.armature + gains.added_mass(h);
            if added > 0.0 {
                let key = BlockKey::loop_action(self.ranks[joint], k as u32);
                let turned = if contents.armature > 0.0 {
                    let late = loops.expand(terms()).map(|(dof, c)| c * late[dof]).sum::<f64>();
                    h * loops.convective_of(terms()) + late
                } else {
                    0.0
                };
                let target = drift + turned - held / added * loops.v[dof];
                rows.push_dofs(model, key, RowKind::Bilateral, target, loops.expand(terms()));
                rows.comply(1.0 / added);
            }
        }
    }

    /// Adds the rows of the sides of a joint's limit that `near` says are; `bias` gives them theirs.
    pub(crate) fn push_limits(
        &self,
        rows: &mut Rows,
        model: &Model,
        loops: &Loops,
        joint: usize,
        bias: impl Fn(f64) -> Option<f64>,
    ) {
        let contents = &model.loop_joints[joint];
        for side in sides(&contents.kind, contents.range, &loops.q[contents.q..]).into_iter().flatten() {
            let Some(bias) = bias(side.gap) else { continue };
            let terms = || contents.dofs().zip(side.row);
            let key = BlockKey::limit(self.ranks[joint], side.upper);
            let kind = RowKind::Unilateral(BlockKind::Limit { bias });
            rows.push_dofs(model, key, kind, loops.drift_of(terms()), loops.expand(terms()));
        }
    }

    /// Whether a joint on this tree has dry friction.
    pub(crate) fn has_dry_friction(&self, model: &Model, tree: usize) -> bool {
        self.of_tree[tree].iter().any(|&joint| model.loop_joints[joint].friction_loss > 0.0)
    }

    /// Whether a joint on this tree has a rotor.
    pub(crate) fn has_rotor(&self, model: &Model, tree: usize) -> bool {
        self.of_tree[tree].iter().any(|&joint| model.loop_joints[joint].armature > 0.0)
    }

    /// Joints that act on a tree, in the order of names.
    pub(crate) fn on_tree(&self, tree: usize) -> &[usize] {
        &self.of_tree[tree]
    }
}

/// Gaps and rates of the sides of a joint's limit, where `v` has the velocities of loops behind those of trees.
pub(crate) fn limit_gaps<'a>(
    joint: &'a LoopJoint,
    loops: &'a Loops,
    v: &'a [f64],
) -> impl Iterator<Item = (f64, f64)> + 'a {
    let both = sides(&joint.kind, joint.range, &loops.q[joint.q..]).into_iter().flatten();
    both.map(move |side| (side.gap, joint.dofs().zip(side.row).map(|(dof, c)| c * v[dof]).sum()))
}

/// Adds the rows of a joint's rotor: on the velocities `v`, which it keeps, or on accelerations.
pub(crate) fn push_rotor(rows: &mut Rows, model: &Model, loops: &Loops, joint: usize, v: Option<&[f64]>) {
    let contents = &model.loop_joints[joint];
    for dof in contents.dofs() {
        let terms = || std::iter::once((dof, 1.0));
        let target = match v {
            Some(v) => -loops.expand(terms()).map(|(k, c)| c * v[k]).sum::<f64>(),
            None => loops.convective_of(terms()),
        };
        let key = BlockKey::loop_action(0, 0);
        rows.push_dofs(model, key, RowKind::Bilateral, target, loops.expand(terms()));
        rows.comply(1.0 / contents.armature);
    }
}

/// Adds the generalized forces on one tree of a force along a velocity of a loop.
pub(crate) fn pull(model: &Model, loops: &Loops, tree: usize, dof: usize, force: f64, tau: &mut [f64]) {
    let dofs = &model.trees[tree].dofs;
    for (k, c) in loops.expand(std::iter::once((dof, force))).filter(|(k, _)| dofs.contains(k)) {
        tau[k] += c;
    }
}

/// Energy of the springs and rotors of all loops, potential and kinetic (J).
pub(crate) fn energies(model: &Model, loops: &Loops) -> [f64; 2] {
    let mut energies = [0.0; 2];
    for joint in &model.loop_joints {
        let displacement = spring_displacement(joint, &loops.q);
        energies[0] += 0.5 * joint.stiffness * displacement.iter().map(|d| d * d).sum::<f64>();
        energies[1] +=
            0.5 * joint.armature * joint.dofs().map(|dof| loops.v[dof] * loops.v[dof]).sum::<f64>();
    }
    energies
}

/// How far a joint is from where its spring is relaxed.
fn spring_displacement(joint: &LoopJoint, q: &[f64]) -> [f64; 3] {
    match joint.kind {
        JointKind::Ball => rotation_between(&[1.0, 0.0, 0.0, 0.0], &q[joint.coords()]).into(),
        _ => [q[joint.q] - joint.spring_reference, 0.0, 0.0],
    }
}

/// Length and rate of a drive's transmission; zero for balls, whose drives are pure forces.
fn length_and_rate(joint: &LoopJoint, actuator: &Actuator, loops: &Loops) -> (f64, f64) {
    match joint.kind {
        JointKind::Ball | JointKind::Free => (0.0, 0.0),
        _ => (actuator.gear[0] * loops.q[joint.q], actuator.gear[0] * loops.v[joint.v]),
    }
}
