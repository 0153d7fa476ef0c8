//! Generalized forces that do not come from constraints: applied forces, springs, dampers and drives.

use crate::constraint::closure::coordinates::Loops;
use crate::constraint::closure::joint;
use crate::constraint::kind::{Constraints, Implicit};
use crate::constraint::passage::{LineWork, Passage};
use crate::dynamics;
use crate::dynamics::Data;
use crate::dynamics::drive::{drive_force, drives_of, length_and_rate, resisting_gains};
use crate::model::{Base, JointKind, Model, State, Transmission, TreeId};
use crate::report::Work;
use crate::spatial::Force;

/// Which drives on joints and which bodies act on each tree.
#[derive(Clone, Debug)]
pub(crate) struct ForceMap {
    /// Drives on joints, per tree.
    drives: Vec<Vec<usize>>,
    bodies: Vec<Vec<usize>>,
}

impl ForceMap {
    pub(crate) fn new(model: &Model) -> Self {
        let drives = drives_of(model, model.trees.len(), |transmission| match transmission {
            Transmission::Joint(link) => Some(model.links[link].tree.index()),
            Transmission::Loop(_) | Transmission::Tendon(_) => None,
        });
        let mut bodies = vec![Vec::new(); model.trees.len()];
        for (i, body) in model.bodies.iter().enumerate() {
            if let Base::Link(link) = body.base {
                bodies[model.links[link].tree.index()].push(i);
            }
        }
        Self { drives, bodies }
    }

    /// Whether a tree begins with a free joint and nothing but gravity acts on it from outside.
    pub(crate) fn is_isolated(&self, model: &Model, tree: TreeId, commands: &Commands) -> bool {
        let root = model.trees[tree].links.start;
        let link = &model.links[root];
        let mut dofs = link.v..link.v + link.kind.nv();
        let driven = |&i: &usize| matches!(model.actuators[i].transmission, Transmission::Joint(link) if link.index() == root);
        link.kind == JointKind::Free
            && link.stiffness == 0.0
            && dofs.all(|dof| commands.applied[dof] == 0.0 && model.dofs[dof].damping == 0.0)
            && !self.drives[tree.index()].iter().any(driven)
            && self.bodies[tree.index()].iter().all(|&body| commands.external[body] == Force::zero())
    }

    /// Adds the drives' generalized forces of one tree at `(q, v)`.
    fn add_drives(
        &self,
        model: &Model,
        tree: TreeId,
        commands: &Commands,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
    ) {
        let ctrl = commands.ctrl;
        let force = |i: usize| {
            let (length, rate) = length_and_rate(model, &model.actuators[i], q, v);
            drive_force(&model.actuators[i], ctrl[i], length, rate).0
        };
        for &i in &self.drives[tree.index()] {
            let actuator = &model.actuators[i];
            let Transmission::Joint(link) = actuator.transmission else { continue };
            let (link, force) = (&model.links[link], force(i));
            for (dof, gear) in actuator.gear.iter().enumerate().take(link.kind.nv()) {
                tau[link.v + dof] += gear * force;
            }
        }
        for &tendon in &model.trees[tree].tendons {
            for &i in commands.constraints.tendons.drives(tendon) {
                let force = model.actuators[i].gear[0] * force(i);
                dynamics::pull(model, tree, &model.tendons[tendon], force, tau);
            }
        }
    }

    /// Adds the wrenches applied to one tree's bodies; needs the poses of `data`.
    fn add_external(&self, model: &Model, data: &Data, tree: TreeId, external: &[Force], tau: &mut [f64]) {
        for &i in &self.bodies[tree.index()] {
            let body = &model.bodies[i];
            let Base::Link(link) = body.base else { continue };
            if external[i] == Force::zero() {
                continue;
            }
            let center = data.link_pose[link.index()].vector(&body.pose.point(&body.center_of_mass));
            dynamics::add_wrench(model, data, link, &external[i].about(&center), tau);
        }
    }

    /// Total generalized force of one tree at `(q, v)`: applied, external, springs, dampers and drives. Writes the
    /// tree's part of `tau`; needs `data` at `(q, v)`, and of a tree that loops tie the coordinates of loops behind `q`, their
    /// rates behind `v`, and both in the commands' `loops`.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn smooth_forces(
        &self,
        model: &Model,
        data: &Data,
        tree: TreeId,
        commands: &Commands,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
    ) {
        self.own_forces(model, data, tree, commands, q, v, tau);
        self.add_loop_forces(model, tree, commands, tau);
    }

    /// [`ForceMap::smooth_forces`] but for what acts along joints that close loops.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn own_forces(
        &self,
        model: &Model,
        data: &Data,
        tree: TreeId,
        commands: &Commands,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
    ) {
        let dofs = model.trees[tree].dofs.clone();
        tau[dofs.clone()].copy_from_slice(&commands.applied[dofs]);
        dynamics::passive_forces(model, tree, q, v, tau);
        self.add_drives(model, tree, commands, q, v, tau);
        self.add_external(model, data, tree, commands.external, tau);
    }

    /// Adds to one tree's part of `tau` what acts along joints that close loops: springs, dampers and drives in them, and
    /// tendons over them.
    pub(crate) fn add_loop_forces(&self, model: &Model, tree: TreeId, commands: &Commands, tau: &mut [f64]) {
        let loops = commands.loops;
        for &tendon in &model.trees[tree].tendons {
            let contents = &model.tendons[tendon];
            let mut terms = contents.path.terms.iter().filter(|term| term.dof >= model.nv()).peekable();
            if terms.peek().is_none() {
                continue;
            }
            let force = commands.constraints.tendons.force(model, loops, commands.ctrl, tendon);
            for term in terms {
                joint::pull(model, loops, tree, term.dof, term.coefficient * force, tau);
            }
        }
        commands.constraints.loop_joints.add_forces(model, loops, tree, commands.ctrl, tau);
    }

    /// What applied forces, drives and dampers of one tree do in a passage; tendons and joints of loops count with the tree of
    /// their first joint. Needs the poses of `data`; `scratch` (nv) is overwritten.
    pub(crate) fn work(
        &self,
        model: &Model,
        data: &Data,
        tree: TreeId,
        commands: &Commands,
        passage: &Passage<'_>,
        scratch: &mut [f64],
    ) -> Work {
        let (contents, loops) = (&model.trees[tree], commands.loops);
        let dofs = contents.dofs.clone();
        let mut work = Work::default();
        scratch[dofs.clone()].copy_from_slice(&commands.applied[dofs.clone()]);
        self.add_external(model, data, tree, commands.external, scratch);
        for dof in dofs {
            let (force, damping) = (scratch[dof], model.dofs[dof].damping);
            if force != 0.0 || damping != 0.0 {
                let rates = passage.along(|v| v[dof]);
                work.applied += passage.duration * force * rates.mean;
                work.dampers += rates.damper(damping) * rates.mean;
            }
        }
        // Lone bodies have no springs that are implicit.
        let own = match passage.implicit {
            Implicit::All if contents.lone_body => Passage { implicit: Implicit::Nothing, ..*passage },
            _ => *passage,
        };
        let limited = &commands.constraints.limited_drives;
        for &i in &self.drives[tree.index()] {
            let Transmission::Joint(link) = model.actuators[i].transmission else { continue };
            let link = &model.links[link];
            for k in 0..link.kind.nv() {
                let rates = own.along(|v| v[link.v + k]);
                work.drives += limited.impulse(model, i, commands.ctrl[i], &own, (&rates, k)) * rates.mean;
            }
        }
        for &tendon in &contents.tendons {
            let first = model.tendons[tendon].path.terms.first();
            if first.is_some_and(|term| model.links[term.link].tree == tree) {
                let tendons = &commands.constraints.tendons;
                add_line(&mut work, tendons.work(model, loops, (commands.ctrl, limited), tendon, passage));
            }
        }
        let joints = &commands.constraints.loop_joints;
        for &joint in joints.on_tree(tree) {
            let first = model.loop_joints[joint].links.into_iter().flatten().next();
            if first.is_some_and(|link| model.links[link].tree == tree) {
                add_line(&mut work, joints.work(model, loops, (commands.ctrl, limited), joint, passage));
            }
        }
        work
    }

    /// Rate and position gains that a step treats implicitly: damping and spring stiffness of joints and the gains
    /// of drives that are not clamped and of which `counts` holds. Writes the tree's part of both (nv): `rate` (N m s/rad, N s/m) and `position`
    /// (N m/rad, N/m).
    pub(crate) fn implicit_gains(
        &self,
        model: &Model,
        tree: TreeId,
        state: &State,
        counts: impl Fn(usize) -> bool,
        [rate, position]: [&mut [f64]; 2],
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
        for &i in self.drives[tree.index()].iter().filter(|&&i| counts(i)) {
            let actuator = &model.actuators[i];
            let Transmission::Joint(link) = actuator.transmission else { continue };
            let dof = model.links[link].v;
            let [k, d] = resisting_gains(model, actuator, state.ctrl[i], &state.q, &state.v);
            position[dof] += k;
            rate[dof] += d;
        }
    }
}

fn add_line(work: &mut Work, line: LineWork) {
    work.drives += line.drives;
    work.dampers += line.dampers;
    work.prescribed += line.prescribed;
}

/// The commanded part of a state, apart from q and v so that those can change while it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Commands<'a> {
    pub(crate) ctrl: &'a [f64],
    pub(crate) applied: &'a [f64],
    pub(crate) external: &'a [Force],
    /// Joints that close loops, with their rates.
    pub(crate) loops: &'a Loops,
    /// Tendons and joints that close loops, with the drives on them.
    pub(crate) constraints: &'a Constraints,
}

impl<'a> Commands<'a> {
    pub(crate) fn new(state: &'a State, loops: &'a Loops, constraints: &'a Constraints) -> Self {
        Self { ctrl: &state.ctrl, applied: &state.applied, external: &state.external, loops, constraints }
    }

    /// Whether [`ForceMap::add_loop_forces`] may add anything.
    pub(crate) fn has_loop_forces(&self, model: &Model, tree: TreeId) -> bool {
        !(self.constraints.loop_joints.on_tree(tree).is_empty() && model.trees[tree].tendons.is_empty())
    }
}
