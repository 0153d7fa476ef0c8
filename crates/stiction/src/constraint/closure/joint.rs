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

use super::coordinates::Loops;
use crate::constraint::joint_friction::JointFriction;
use crate::constraint::kind::{Constraint, Implicit, InverseMass, Level, Present, StepAhead};
use crate::constraint::limit::{JointLimits, LimitSide, joint_ranks, sides};
use crate::constraint::limited_drive::LimitedDrives;
use crate::constraint::passage::{LineWork, Passage};
use crate::constraint::position_error::PositionError;
use crate::constraint::rows::{BlockKey, RowKind, Rows};
use crate::constraint::tendon::Gains;
use crate::contact::BlockKind;
use crate::dynamics::drive::{drive_force, drives_of};
use crate::dynamics::integrate::rotation_between;
use crate::model::{Actuator, JointKind, LoopJoint, Model, Transmission, TreeId};

/// Which joints close loops of each tree, which drives act on them, and their order.
#[derive(Clone, Debug)]
pub(crate) struct LoopJoints {
    /// By name.
    order: Vec<usize>,
    /// Places of the joints among all joints' names.
    ranks: Vec<u32>,
    /// Drives of each, by name, and those of them without limits that they may reach.
    drives: Vec<Vec<usize>>,
    unlimited: Vec<Vec<usize>>,
    /// Joints that act on each tree, in their order.
    of_tree: Vec<Vec<usize>>,
}

impl LoopJoints {
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
        tree: TreeId,
        ctrl: &[f64],
        tau: &mut [f64],
    ) {
        for &joint in &self.of_tree[tree.index()] {
            let force = self.force(model, loops, joint, ctrl);
            for (k, dof) in model.loop_joints[joint].dofs().enumerate() {
                if force[k] != 0.0 {
                    pull(model, loops, tree, dof, force[k], tau);
                }
            }
        }
    }

    /// Generalized force of springs, dampers and drives of one joint.
    pub(crate) fn force(&self, model: &Model, loops: &Loops, joint: usize, ctrl: &[f64]) -> [f64; 3] {
        let contents = &model.loop_joints[joint];
        let displacement = spring_displacement(contents, &loops.q);
        let mut force = [0.0; 3];
        for (k, dof) in contents.dofs().enumerate() {
            force[k] = -contents.stiffness * displacement[k] - contents.damping * loops.v[dof];
        }
        for &i in &self.drives[joint] {
            let actuator = &model.actuators[i];
            let (along, _) = drive(contents, actuator, loops, ctrl[i]);
            for (force, gear) in force.iter_mut().zip(actuator.gear).take(contents.kind.nv()) {
                *force += gear * along;
            }
        }
        force
    }

    /// What dampers and drives in a joint do in a passage. What a rotor on a prescribed body takes from it is in there where velocities
    /// tell; at an instant [`super::projection::Closures::power`] has it.
    pub(crate) fn work(
        &self,
        model: &Model,
        loops: &Loops,
        (ctrl, limited): (&[f64], &LimitedDrives),
        joint: usize,
        passage: &Passage<'_>,
    ) -> LineWork {
        let contents = &model.loop_joints[joint];
        let displacement = spring_displacement(contents, passage.q);
        let mut work = LineWork::default();
        for (k, dof) in contents.dofs().enumerate() {
            let rates = passage.along(|v| v[dof]);
            let damper = rates.damper(contents.damping);
            let spring = Gains { rate: 0.0, position: contents.stiffness };
            let mut driven = 0.0;
            for &i in &self.drives[joint] {
                driven += limited.impulse(model, i, ctrl[i], passage, (&rates, k));
            }
            let sprung = rates.impulse(-contents.stiffness * displacement[k], spring);
            work.dampers += damper * rates.mean;
            work.drives += driven * rates.mean;
            let drift = loops.drift_of(std::iter::once((dof, 1.0)));
            work.prescribed -= drift * (damper + driven + sprung + rates.rotor(contents.armature));
        }
        work
    }

    /// Gains of what acts along the first velocity of a joint but for drives of [`crate::constraint::limited_drive`], and along the others.
    fn gains(&self, model: &Model, loops: &Loops, joint: usize, ctrl: &[f64]) -> [Gains; 2] {
        let contents = &model.loop_joints[joint];
        let passive = Gains { rate: contents.damping, position: contents.stiffness };
        let mut first = passive;
        for &i in &self.unlimited[joint] {
            let (_, gains) = drive(contents, &model.actuators[i], loops, ctrl[i]);
            first.position += gains.position;
            first.rate += gains.rate;
        }
        [first, passive]
    }

    /// Largest added mass `h d + h^2 k` along a velocity of a joint.
    fn added_mass(&self, model: &Model, loops: &Loops, joint: usize, ctrl: &[f64], h: f64) -> f64 {
        let [first, other] = self.gains(model, loops, joint, ctrl).map(|gains| gains.added_mass(h));
        first.max(other)
    }

    /// Adds the rows of dry friction and of what resists.
    fn push_actions(&self, rows: &mut Rows, at: &Present<'_>, joint: usize, ahead: &StepAhead<'_>) {
        let (loops, h) = (at.loops, ahead.duration);
        let contents = &at.model.loop_joints[joint];
        let [first, other] = self.gains(at.model, loops, joint, at.ctrl);
        for (k, dof) in contents.dofs().enumerate() {
            let terms = || std::iter::once((dof, 1.0));
            let drift = loops.drift_of(terms());
            if contents.friction_loss > 0.0 {
                let key = BlockKey::friction(self.ranks[joint], JointFriction::CODE, k as u32);
                let kind = RowKind::Unilateral(BlockKind::Friction { bound: h * contents.friction_loss });
                rows.push_dofs(at.model, key, kind, drift, loops.expand(terms()));
                rows.set_angular(contents.kind.is_angular());
            }
            let gains = if k == 0 { &first } else { &other };
            let damped = if ahead.implicit == Implicit::Nothing { 0.0 } else { h * gains.rate };
            let kept = contents.armature + damped;
            let added = contents.armature + ahead.implicit.added_mass(*gains, h);
            if added > 0.0 {
                let key = BlockKey::bilateral(self.ranks[joint], Self::CODE, k as u32);
                let turned = if contents.armature > 0.0 {
                    let late = loops
                        .expand(terms())
                        .map(|(dof, c)| c * ahead.late.get(dof).unwrap_or(&0.0))
                        .sum::<f64>();
                    ahead.h * loops.convective_of(terms()) + late
                } else {
                    0.0
                };
                let target = drift + turned - kept / added * loops.v[dof];
                rows.push_dofs(at.model, key, RowKind::Bilateral, target, loops.expand(terms()));
                rows.comply(1.0 / added);
                rows.set_angular(contents.kind.is_angular());
            }
        }
    }

    /// Adds the rows of the ends of a joint's range that are near.
    fn push_limits(&self, rows: &mut Rows, at: &Present<'_>, joint: usize, level: Level<'_>) {
        let loops = at.loops;
        let contents = &at.model.loop_joints[joint];
        for side in limit_sides(contents, loops) {
            let bias = level.limit_bias(side.gap, |ahead| {
                contents.dofs().map(|dof| ahead.free[dof].abs().max(loops.v[dof].abs())).sum()
            });
            let Some(bias) = bias else { continue };
            let terms = || contents.dofs().zip(side.row);
            let key = BlockKey::limit(self.ranks[joint], JointLimits::CODE, side.upper);
            let kind = RowKind::Unilateral(BlockKind::Limit { bias });
            let drift = level.prescribed(|| loops.drift_of(terms()));
            rows.push_dofs(at.model, key, kind, drift, loops.expand(terms()));
            rows.set_angular(contents.kind.is_angular());
        }
    }

    /// Whether a joint on this tree has a rotor.
    pub(crate) fn has_rotor(&self, model: &Model, tree: TreeId) -> bool {
        self.of_tree[tree.index()].iter().any(|&joint| model.loop_joints[joint].armature > 0.0)
    }

    /// Joints that act on a tree, in the order of names.
    pub(crate) fn on_tree(&self, tree: TreeId) -> &[usize] {
        &self.of_tree[tree.index()]
    }
}

impl Constraint for LoopJoints {
    const CODE: u32 = 3;

    fn new(model: &Model) -> Self {
        let ranks = joint_ranks(model).split_off(model.links.len());
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&joint| ranks[joint]);
        let drives = drives_of(model, ranks.len(), |transmission| match transmission {
            Transmission::Loop(joint) => Some(joint.index()),
            Transmission::Joint(_) | Transmission::Tendon(_) => None,
        });
        let mut of_tree = vec![Vec::new(); model.trees.len()];
        for &joint in &order {
            for link in model.loop_joints[joint].links.into_iter().flatten() {
                let list: &mut Vec<usize> = &mut of_tree[model.links[link].tree.index()];
                if list.last() != Some(&joint) {
                    list.push(joint);
                }
            }
        }
        let limited = LimitedDrives::new(model);
        let without_limits =
            |list: &Vec<usize>| list.iter().copied().filter(|&i| !limited.contains(i)).collect();
        let unlimited = drives.iter().map(without_limits).collect();
        Self { order, ranks, drives, unlimited, of_tree }
    }

    fn count(&self, model: &Model) -> usize {
        model.loop_joints.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("joints that close loops ('{}')", model.loop_joints[index].name)
    }

    fn supports(&self, level: Level<'_>) -> bool {
        matches!(level, Level::Displacement { .. } | Level::Velocity(_))
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        let links = model.loop_joints[index].links.into_iter().flatten();
        links.map(|link| model.links[link].tree)
    }

    fn may_act(&self, at: &Present<'_>, index: usize) -> bool {
        let contents = &at.model.loop_joints[index];
        contents.range.is_some()
            || contents.friction_loss > 0.0
            || self.added_mass(at.model, at.loops, index, at.ctrl, 1.0) > 0.0
    }

    fn acts(&self, at: &Present<'_>, index: usize) -> bool {
        at.model.loop_joints[index].friction_loss > 0.0
    }

    fn gaps<'a>(
        &'a self,
        at: &Present<'a>,
        index: usize,
        v: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let joint = &at.model.loop_joints[index];
        let rate = move |side: &LimitSide| joint.dofs().zip(side.row).map(|(dof, c)| c * v[dof]).sum();
        limit_sides(joint, at.loops).map(move |side| (side.gap, rate(&side)))
    }

    fn stiffness(&self, mass: &mut InverseMass<'_>, ctrl: &[f64], index: usize, h: f64) -> f64 {
        let contents = &mass.model.loop_joints[index];
        let added = self.added_mass(mass.model, mass.loops, index, ctrl, h);
        let mut trace = 0.0;
        for dof in contents.dofs().filter(|_| added > 0.0) {
            let inverse = mass.along(|| std::iter::once((dof, 1.0)));
            // With the rotor.
            let ratio = added * inverse / (1.0 + contents.armature * inverse);
            trace += ratio / (1.0 + ratio);
        }
        trace
    }

    /// If the joint has a rotor, rows at velocities need [`Loops::accelerate`].
    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        self.push_limits(rows, at, index, level);
        if let Level::Velocity(ahead) = &level {
            self.push_actions(rows, at, index, ahead);
        }
    }

    fn position_error(&self, at: &Present<'_>, index: usize) -> PositionError {
        let joint = &at.model.loop_joints[index];
        PositionError::of_gaps(limit_sides(joint, at.loops).map(|side| side.gap), joint.kind.is_angular())
    }

    /// Of the spring and the rotor.
    fn energy(&self, at: &Present<'_>, index: usize) -> [f64; 2] {
        let joint = &at.model.loop_joints[index];
        let displacement = spring_displacement(joint, &at.loops.q);
        let rates = joint.dofs().map(|dof| at.loops.v[dof] * at.loops.v[dof]).sum::<f64>();
        [
            0.5 * joint.stiffness * displacement.iter().map(|d| d * d).sum::<f64>(),
            0.5 * joint.armature * rates,
        ]
    }
}

/// The ends of a joint's range, at the coordinates of loops.
fn limit_sides(joint: &LoopJoint, loops: &Loops) -> impl Iterator<Item = LimitSide> + use<> {
    sides(&joint.kind, joint.range, &loops.q[joint.q..]).into_iter().flatten()
}

/// Along what the lower (0) or upper (1) end of a joint's range acts.
pub(crate) fn limit_axis(joint: &LoopJoint, loops: &Loops, end: usize) -> [f64; 3] {
    let side = limit_sides(joint, loops).find(|side| usize::from(side.upper) == end);
    side.map_or([0.0; 3], |side| side.row)
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
        let key = BlockKey::bilateral(0, LoopJoints::CODE, 0);
        rows.push_dofs(model, key, RowKind::Bilateral, target, loops.expand(terms()));
        rows.comply(1.0 / contents.armature);
    }
}

/// Adds the generalized forces on one tree of a force along a velocity of a loop.
pub(crate) fn pull(model: &Model, loops: &Loops, tree: TreeId, dof: usize, force: f64, tau: &mut [f64]) {
    let dofs = &model.trees[tree].dofs;
    for (k, c) in loops.expand(std::iter::once((dof, force))).filter(|(k, _)| dofs.contains(k)) {
        tau[k] += c;
    }
}

/// The force of a drive before the gear, and its gains along the first velocity of the joint.
pub(crate) fn drive(joint: &LoopJoint, actuator: &Actuator, loops: &Loops, control: f64) -> (f64, Gains) {
    let (length, rate) = length_and_rate(joint, actuator, loops);
    let (force, slopes) = drive_force(actuator, control, length, rate);
    let gear = actuator.gear[0] * actuator.gear[0];
    let [position, rate] = slopes.map(|slope| gear * (-slope).max(0.0));
    (force, Gains { rate, position })
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
