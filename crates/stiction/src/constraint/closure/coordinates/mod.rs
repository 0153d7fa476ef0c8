//! Where the joints that close loops are, how they move, and which directions they hold.
//!
//! The chain of a closure (see [`crate::model::ClosureSpec`]) leads from the frame on the first body to the frame on the
//! second. With `S` the motions of the second body against the first that the chain's joints allow (6 x n, at one point, world
//! axes), `u` their relative motion and `e` the error between the chain's end and the second frame,
//!
//! ```text
//! theta' = S^+ u,                 S^+ = (S^T S)^-1 S^T
//! N^T u  = 0,                     N an orthonormal basis of what S does not span
//! theta'' = S^+ (u' - S' theta'), N^T (u' - S' theta') = 0
//! ```
//!
//! where `u'` is the difference of spatial accelerations (the point stays) and `S' theta'` that of the joints' axes carried along
//! by the bodies before them. The coordinates `theta` solve `S^+ e = 0` by Newton's method from where they were last, which
//! also counts whole turns; what is left of the error is `N^T e`. While the rows hold, any left inverse of `S` gives the same
//! rates, so nothing depends on the units in which angles and lengths are compared.
//!
//! Rates of loop coordinates are linear in the velocities of the trees, `theta' = sum c_k v_k + drift`; the sparse `c` lets limits,
//! drives, tendons and couplings treat them as generalized velocities that come after all others.

mod chain;
mod closed;

use chain::{carried, chain, motion, move_chain, pose_error, six, spatial_acceleration};
use closed::Closed;

use crate::constraint::equality::Configuration;
use crate::constraint::position_error::PositionError;
use crate::dynamics::{Data, base_motion};
use crate::model::{Base, Closure, EqualityKind, JointKind, LoopJoint, Mocap, Model};
use crate::spatial::Motion;
use nalgebra::{Matrix6, Vector3, Vector6};

/// Newton steps for the coordinates of one chain. From the last step's it takes one or two.
const ROUNDS: usize = 30;

/// Newton steps above this (rad or m) need not shrink.
const NEAR: f64 = 0.1;

/// A Newton step below this (rad or m) is the last: the next one would be its square.
const CONVERGED: f64 = 1e-9;

/// Relative round-off of Jacobian entries: some fifty roundings of a chain of links.
const ROUND_OFF: f64 = 1e-14;

/// All closures of a model at a configuration. Keeps its capacity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    nq: usize,
    nv: usize,
    /// Coordinates of the trees, then those of loops.
    pub(crate) q: Vec<f64>,
    /// Velocities, likewise.
    pub(crate) v: Vec<f64>,
    closed: Vec<Closed>,
    /// Number in `closed` of each equality.
    of_equality: Vec<Option<usize>>,
    /// Rows on the generalized velocities of trees: which, and the entries of the six rows of the closure there.
    columns: Vec<usize>,
    coefficients: Vec<[f64; 6]>,
    /// Part of each loop velocity that comes from prescribed bodies.
    drift: Vec<f64>,
}

impl Loops {
    pub(crate) fn new(model: &Model) -> Self {
        let mut loops = Self {
            nq: model.nq(),
            nv: model.nv(),
            q: [model.q0.as_slice(), &model.loop_q0].concat(),
            v: vec![0.0; model.nv() + model.loop_nv()],
            of_equality: vec![None; model.equalities.len()],
            drift: vec![0.0; model.loop_nv()],
            ..Self::default()
        };
        let mut next = 0;
        for (equality, contents) in model.equalities.iter().enumerate() {
            let EqualityKind::Closure(closure) = &contents.kind else { continue };
            let freedoms: usize =
                model.loop_joints[closure.joints.clone()].iter().map(|joint| joint.kind.nv()).sum();
            loops.of_equality[equality] = Some(loops.closed.len());
            loops.closed.push(Closed {
                equality,
                point: Vector3::zeros(),
                span: Matrix6::zeros(),
                inverse: Matrix6::zeros(),
                freedoms,
                held: Matrix6::zeros(),
                error: Vector6::zeros(),
                prescribed: Motion::zero(),
                convective: Vector6::zeros(),
                dofs: next..next + freedoms,
                columns: 0..0,
            });
            next += freedoms;
        }
        loops
    }

    /// The coordinates of loops alone.
    pub(crate) fn coordinates(&self) -> &[f64] {
        &self.q[self.nq..]
    }

    /// Continues from stored coordinates of loops. Where trees are put back, their loops must be too: whole turns are counted from
    /// where a loop was last, be it only on trial.
    pub(crate) fn recall(&mut self, loop_q: &[f64]) {
        self.q[self.nq..].copy_from_slice(loop_q);
    }

    /// Finds coordinates, errors and rows of all closures at the poses in `data`, which are those of `q`.
    pub(crate) fn locate(&mut self, model: &Model, data: &Data, at: Configuration<'_>) {
        self.q[..self.nq].copy_from_slice(at.q);
        self.columns.clear();
        self.coefficients.clear();
        for index in 0..self.closed.len() {
            let equality = self.closed[index].equality;
            let EqualityKind::Closure(closure) = &model.equalities[equality].kind else { continue };
            self.place(model, data, at.mocap, index, closure);
            self.list_rows(model, data, index, closure);
        }
    }

    /// Coordinates, span and error of one closure.
    fn place(&mut self, model: &Model, data: &Data, mocap: &[Mocap], index: usize, closure: &Closure) {
        let bases = closure.bodies.map(|body| base_motion(model, data, mocap, body));
        let start = bases[0].0 * closure.frames[0];
        let end = bases[1].0 * closure.frames[1];
        let closed = &mut self.closed[index];
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            let reached = chain(model, closure, &start, &self.q, &mut closed.span);
            closed.invert();
            let step = closed.inverse * pose_error(&reached, &end);
            let size = step.amax();
            // Far away the first steps may grow; near, what does not shrink is round-off. NaN is no progress.
            let going = size < last || (size < f64::INFINITY && last > NEAR);
            if !going || size == 0.0 {
                break;
            }
            last = size;
            move_chain(model, closure, &step, &mut self.q);
            if size <= CONVERGED {
                break;
            }
        }
        let reached = chain(model, closure, &start, &self.q, &mut closed.span);
        let half = 0.5 * (end.translation - reached.translation);
        closed.point = reached.translation + half;
        for k in 0..closed.freedoms {
            let moved = motion(&closed.span.column(k).into_owned()).at(&half);
            closed.span.set_column(k, &six(&moved));
        }
        let basis = closed.invert();
        closed.hold(&basis);
        closed.error = closed.held * pose_error(&reached, &end);
        let prescribed = [0, 1].map(|i| match model.bodies[closure.bodies[i]].base {
            Base::Mocap(_) => bases[i].1.at(&(closed.point - bases[i].0.translation)),
            _ => Motion::zero(),
        });
        closed.prescribed = prescribed[1] - prescribed[0];
    }

    /// The rows of a closure, on the generalized velocities of the trees: its coordinates' first, then what it holds. Entries
    /// that are round-off of their terms are zero: a row that moves nothing must be so to be recognised as dependent.
    fn list_rows(&mut self, model: &Model, data: &Data, index: usize, closure: &Closure) {
        let closed = &mut self.closed[index];
        let rows = closed.inverse + closed.held;
        let lengths: [[f64; 2]; 6] = std::array::from_fn(|k| {
            let row = motion(&rows.row(k).transpose());
            [row.angular.norm(), row.linear.norm()]
        });
        let first = self.columns.len();
        for (body, sign) in closure.bodies.iter().zip([-1.0, 1.0]) {
            let mut ancestor = model.bodies[*body].base.link();
            while let Some(l) = ancestor {
                let arm = closed.point - data.link_pose[l.index()].translation;
                let reach = closed.point.norm() + data.link_pose[l.index()].translation.norm();
                for dof in model.links[l].v..model.links[l].v + model.links[l].kind.nv() {
                    let axis = &data.dof_axis[dof];
                    let (spin, shift) = (axis.angular.norm(), axis.linear.norm());
                    let values = rows * six(&axis.at(&arm));
                    let place = self.columns[first..].iter().position(|column| *column == dof);
                    let place = place.map_or(self.columns.len(), |place| first + place);
                    if place == self.columns.len() {
                        self.columns.push(dof);
                        self.coefficients.push([0.0; 6]);
                    }
                    for k in 0..6 {
                        let size = lengths[k][0] * spin + lengths[k][1] * (shift + spin * reach);
                        let sum = self.coefficients[place][k] + sign * values[k];
                        self.coefficients[place][k] = if sum.abs() <= ROUND_OFF * size { 0.0 } else { sum };
                    }
                }
                ancestor = model.links[l].parent;
            }
        }
        closed.columns = first..self.columns.len();
        let drift = rows * six(&closed.prescribed);
        self.drift[closed.dofs.clone()].copy_from_slice(&drift.as_slice()[..closed.freedoms]);
    }

    /// Entries of a row of a closure.
    fn row(&self, index: usize, k: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let columns = self.closed.get(index).map_or(0..0, |closed| closed.columns.clone());
        let coefficients = self.coefficients[columns.clone()].iter().map(move |c| c[k]);
        self.columns[columns].iter().copied().zip(coefficients).filter(|(_, c)| *c != 0.0)
    }

    /// The closure of a loop velocity, counted from the first, and its row there.
    fn place_of(&self, dof: usize) -> (usize, usize) {
        let index = self.closed.partition_point(|closed| closed.dofs.end <= dof);
        (index, dof - self.closed[index].dofs.start)
    }

    /// Takes the velocities of the trees, from which those of loops follow.
    pub(crate) fn set_rates(&mut self, v: &[f64]) {
        self.v[..self.nv].copy_from_slice(&v[..self.nv]);
        for dof in 0..self.drift.len() {
            self.v[self.nv + dof] = self.rate(dof, v);
        }
    }

    /// Fills in the velocities of loops behind those of the trees.
    pub(crate) fn extend_rates(&self, v: &mut [f64]) {
        for dof in 0..self.drift.len() {
            v[self.nv + dof] = self.rate(dof, v);
        }
    }

    fn rate(&self, dof: usize, v: &[f64]) -> f64 {
        let (index, k) = self.place_of(dof);
        self.row(index, k).map(|(k, c)| c * v[k]).sum::<f64>() + self.drift[dof]
    }

    /// A combination of velocities, those of loops among them, as one of those of trees.
    pub(crate) fn expand<'a>(
        &'a self,
        terms: impl Iterator<Item = (usize, f64)> + 'a,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        terms.flat_map(move |(dof, weight)| {
            let (own, (index, k)) = match dof.checked_sub(self.nv) {
                None => (Some((dof, weight)), (usize::MAX, 0)),
                Some(dof) => (None, self.place_of(dof)),
            };
            own.into_iter().chain(self.row(index, k).map(move |(k, c)| (k, weight * c)))
        })
    }

    /// What prescribed bodies add to the rate of a combination.
    pub(crate) fn drift_of(&self, terms: impl Iterator<Item = (usize, f64)>) -> f64 {
        let of_loops = terms.filter_map(|(dof, weight)| Some((dof.checked_sub(self.nv)?, weight)));
        of_loops.map(|(dof, weight)| weight * self.drift[dof]).sum()
    }

    /// What velocity products add to the acceleration of a combination, as of [`Loops::accelerate`].
    pub(crate) fn convective_of(&self, terms: impl Iterator<Item = (usize, f64)>) -> f64 {
        let of_loops = terms.filter_map(|(dof, weight)| Some((dof.checked_sub(self.nv)?, weight)));
        of_loops.map(|(dof, weight)| weight * self.convective(dof)).sum()
    }

    /// Entries of the row of a direction that is held.
    pub(crate) fn entries(&self, held: HeldRow) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.row(held.place.0, held.place.1)
    }

    fn convective(&self, dof: usize) -> f64 {
        let (index, k) = self.place_of(dof);
        let closed = &self.closed[index];
        closed.inverse.row(k).transpose().dot(&closed.convective)
    }

    /// Velocity products of the closures; needs [`Loops::set_rates`], and the link accelerations of
    /// [`crate::dynamics::bias_forces`].
    pub(crate) fn accelerate(&mut self, model: &Model, data: &Data, mocap: &[Mocap]) {
        for closed in &mut self.closed {
            let EqualityKind::Closure(closure) = &model.equalities[closed.equality].kind else { continue };
            let mut sum = Vector6::zeros();
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                sum += sign
                    * six(&spatial_acceleration(model, data, mocap, closure.bodies[side], &closed.point));
            }
            let (pose, velocity) = base_motion(model, data, mocap, closure.bodies[0]);
            let mut by = velocity.at(&(closed.point - pose.translation));
            let mut column = 0;
            for joint in &model.loop_joints[closure.joints.clone()] {
                let mut along = Motion::zero();
                for dof in joint.dofs() {
                    along += motion(&closed.span.column(column).into_owned()) * self.v[dof];
                    column += 1;
                }
                sum -= six(&carried(&by, &along));
                by += along;
            }
            closed.convective = sum;
        }
    }

    /// Error of a closure: how far apart what it holds is (m or rad), the largest component.
    pub(crate) fn error(&self, equality: usize) -> PositionError {
        let Some(closed) = self.of_equality[equality].map(|index| &self.closed[index]) else {
            return PositionError::default();
        };
        // The directions are orthonormal, so that this is the part of the error that they see.
        let error = closed.held.transpose() * closed.error;
        PositionError { length: error.fixed_rows::<3>(3).amax(), angle: error.fixed_rows::<3>(0).amax() }
    }

    /// Whether an equality is a closure.
    pub(crate) fn closes(&self, equality: usize) -> bool {
        self.of_equality[equality].is_some()
    }

    /// Where a closure compares motions (m, world axes), and the directions that it holds there: angular part first.
    pub(crate) fn directions(&self, equality: usize) -> Option<(Vector3<f64>, Vec<Vector6<f64>>)> {
        let closed = &self.closed[self.of_equality[equality]?];
        Some((closed.point, (closed.freedoms..6).map(|k| closed.held.row(k).transpose()).collect()))
    }

    /// The wrench `(S^+)^T f` on the second body of a closure of forces along the velocities of all loops; zero of other equalities.
    pub(crate) fn wrench(&self, equality: usize, along: &[f64]) -> Vector6<f64> {
        let Some(closed) = self.of_equality[equality].map(|index| &self.closed[index]) else {
            return Vector6::zeros();
        };
        let forces = &along[closed.dofs.clone()];
        forces.iter().enumerate().map(|(k, force)| closed.inverse.row(k).transpose() * *force).sum()
    }

    /// Whether a closure holds a point and no direction: a ball.
    pub(crate) fn holds_point(model: &Model, equality: usize) -> bool {
        matches!(&model.equalities[equality].kind, EqualityKind::Closure(closure)
            if matches!(model.loop_joints[closure.joints.clone()], [LoopJoint { kind: JointKind::Ball, .. }]))
    }

    /// The directions that a closure holds.
    pub(crate) fn held(&self, equality: usize) -> impl Iterator<Item = HeldRow> + '_ {
        self.of_equality[equality].into_iter().flat_map(move |index| {
            let closed = &self.closed[index];
            (closed.freedoms..6).map(move |k| {
                let row = closed.held.row(k).transpose();
                HeldRow {
                    place: (index, k),
                    angular: row.fixed_rows::<3>(0).norm() > row.fixed_rows::<3>(3).norm(),
                    error: closed.error[k],
                    prescribed: row.dot(&six(&closed.prescribed)),
                    convective: row.dot(&closed.convective),
                }
            })
        })
    }
}

/// A direction that a closure holds; see [`Loops::entries`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldRow {
    /// Where its entries are.
    place: (usize, usize),
    /// Whether it is a turn; a combination of a turn and a shift, which several joints in a row may leave, counts as what is
    /// more of it.
    pub(crate) angular: bool,
    /// Position error (m or rad).
    pub(crate) error: f64,
    /// Rate that comes from prescribed bodies.
    pub(crate) prescribed: f64,
    /// Acceleration at zero generalized acceleration.
    pub(crate) convective: f64,
}
