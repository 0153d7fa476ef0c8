//! Equalities, as a kind of constraint: bilateral rows `X` and their targets on displacements, velocities or accelerations.
//!
//! With `phi(q, t)` the position error, `X qdot + dphi/dt` is its rate and `X qddot + gamma` its second derivative,
//! where `gamma` is what is left of the relative acceleration of the two bodies when all joint accelerations are zero:
//! velocity products, and the centripetal acceleration of a prescribed rotation. Couplings of joints have theirs in
//! [`crate::constraint::coupling`], joints that close loops in [`crate::constraint::closure::coordinates`].

use super::closure::coordinates::Loops;
use super::coupling;
use super::kind::{Constraint, Level, Present, StepAhead};
use super::limit::name_ranks;
use super::position_error::PositionError;
use super::rows::{BlockKey, RowKind, Rows};
use super::softness::OPEN;
use crate::dynamics::{Data, base_motion};
use crate::model::{Base, BodyId, Closure, EqualityKind, LinkId, Mocap, Model, TreeId};
use crate::spatial::{Motion, Transform, quaternion_logarithm};
use nalgebra::{Rotation3, UnitQuaternion, Vector3, Vector6};

/// A configuration of the trees, and the poses of prescribed bodies. The link poses that go with it are in [`Data`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration<'a> {
    pub(crate) q: &'a [f64],
    pub(crate) mocap: &'a [Mocap],
}

/// What the position errors of equalities depend on: all coordinates, the poses of prescribed bodies, and time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located<'a> {
    pub(crate) loops: &'a Loops,
    pub(crate) mocap: &'a [Mocap],
    /// Time (s), for what is prescribed.
    pub(crate) time: f64,
}

/// What is prescribed at an instant: poses and twists of bodies, and the time (s) for coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant<'a> {
    pub(crate) mocap: &'a [Mocap],
    pub(crate) time: f64,
}

impl<'a> Instant<'a> {
    /// With the loops there.
    pub(crate) fn with(self, loops: &'a Loops) -> Located<'a> {
        Located { loops, mocap: self.mocap, time: self.time }
    }
}

/// Position error of an equality of bodies (second minus first, world axes): of the point (m), and of the orientation
/// as a rotation vector (rad).
struct PairError {
    bodies: [BodyId; 2],
    points: [Vector3<f64>; 2],
    position: Vector3<f64>,
    orientation: Option<Vector3<f64>>,
    bases: [(Transform, Motion); 2],
}

impl PairError {
    /// Of points in the frames of the bodies' bases.
    fn of_points(
        model: &Model,
        data: &Data,
        mocap: &[Mocap],
        bodies: [BodyId; 2],
        anchors: &[Vector3<f64>; 2],
    ) -> Self {
        let bases = bodies.map(|b| base_motion(model, data, mocap, b));
        let points = [0, 1].map(|i| bases[i].0.point(&anchors[i]));
        Self { bodies, points, position: points[1] - points[0], orientation: None, bases }
    }

    /// Of frames likewise.
    fn of_frames(
        model: &Model,
        data: &Data,
        mocap: &[Mocap],
        bodies: [BodyId; 2],
        frames: &[Transform; 2],
    ) -> Self {
        let anchors = frames.map(|frame| frame.translation);
        let error = Self::of_points(model, data, mocap, bodies, &anchors);
        let [first, second] = [0, 1].map(|i| error.bases[i].0.rotation * frames[i].rotation);
        let turn = Rotation3::from_matrix_unchecked(second * first.transpose());
        // By way of the quaternion: the trace of the matrix knows small angles to 1e-8 only.
        let turn = UnitQuaternion::from_rotation_matrix(&turn);
        let rotation = quaternion_logarithm(&[turn.w, turn.i, turn.j, turn.k]);
        Self { orientation: Some(rotation), ..error }
    }

    /// The one point at which both bodies take the impulse.
    fn midpoint(&self) -> Vector3<f64> {
        0.5 * (self.points[0] + self.points[1])
    }

    /// Largest components.
    fn size(&self) -> PositionError {
        let angle = self.orientation.map_or(0.0, |rotation| rotation.amax());
        PositionError { length: self.position.amax(), angle }
    }

    /// Prescribed motion of the second body minus the first at the midpoint.
    fn prescribed(&self, model: &Model) -> Motion {
        let [first, second] = [0, 1].map(|i| match model.bodies[self.bodies[i]].base {
            Base::Mocap(_) => self.bases[i].1.at(&(self.midpoint() - self.bases[i].0.translation)),
            _ => Motion::zero(),
        });
        second - first
    }

    /// Acceleration of the second body's point minus the first's at zero joint acceleration; the link accelerations
    /// in `data` must be those of [`crate::dynamics::bias_forces`].
    fn convective(&self, model: &Model, data: &Data) -> Motion {
        let [first, second] = [0, 1].map(|i| {
            let (pose, velocity) = &self.bases[i];
            let origin = match model.bodies[self.bodies[i]].base {
                Base::World => return Motion::zero(),
                // The prescribed twist is constant within a step: the origin moves straight.
                Base::Mocap(_) => Motion::zero(),
                Base::Link(link) => {
                    data.link_acceleration[link.index()] + Motion::new(Vector3::zeros(), model.gravity)
                }
            };
            let arm = self.points[i] - pose.translation;
            let spin = velocity.angular;
            origin.at(&arm) + Motion::new(Vector3::zeros(), spin.cross(&spin.cross(&arm)))
        });
        second - first
    }

    fn push(&self, rows: &mut Rows, model: &Model, data: &Data, key: BlockKey, level: Level<'_>) {
        let offset = |gain: f64| Motion::new(self.orientation.unwrap_or_default(), self.position) * gain;
        let target = match level {
            Level::Displacement { .. } => offset(1.0),
            Level::Velocity(ahead) => offset(ahead.gain()) + self.prescribed(model),
            Level::Acceleration => self.convective(model, data),
        };
        let mut values = [0.0; 6];
        values[..3].copy_from_slice(target.linear.as_slice());
        values[3..].copy_from_slice(target.angular.as_slice());
        let count = if self.orientation.is_some() { 6 } else { 3 };
        let links = self.bodies.map(|b| model.bodies[b].base.link());
        rows.push_bilateral(model, data, key, links, &self.midpoint(), &values[..count]);
    }
}

/// Position error of one equality.
pub(crate) fn position_error(model: &Model, data: &Data, at: Located<'_>, index: usize) -> PositionError {
    match &model.equalities[index].kind {
        EqualityKind::Connect { bodies, anchors } => {
            PairError::of_points(model, data, at.mocap, *bodies, anchors).size()
        }
        EqualityKind::Weld { bodies, frames } => {
            PairError::of_frames(model, data, at.mocap, *bodies, frames).size()
        }
        EqualityKind::Closure(_) => at.loops.error(index),
        EqualityKind::Coupling(coupling) => {
            let error = coupling::position_error(coupling, &at.loops.q, at.time).abs();
            PositionError::of(error, coupling.dependent.is_angular(model))
        }
    }
}

/// What an equality between two bodies holds: the directions in which it acts on the second, at a point.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) links: [Option<LinkId>; 2],
    /// (m, world axes).
    pub(crate) point: Vector3<f64>,
    /// Angular part first, world axes; in the order of the equality's rows.
    pub(crate) rows: Vec<Vector6<f64>>,
}

impl Held {
    /// Of one equality; `None` if it is not between bodies.
    pub(crate) fn of(model: &Model, data: &Data, at: Located<'_>, index: usize) -> Option<Self> {
        let unit = |k: usize| Vector6::from_fn(|i, _| f64::from(u8::from(i == k)));
        let (bodies, point, rows) = match &model.equalities[index].kind {
            EqualityKind::Connect { bodies, anchors } => {
                let error = PairError::of_points(model, data, at.mocap, *bodies, anchors);
                (bodies, error.midpoint(), [3, 4, 5].map(unit).to_vec())
            }
            EqualityKind::Weld { bodies, frames } => {
                let error = PairError::of_frames(model, data, at.mocap, *bodies, frames);
                (bodies, error.midpoint(), [3, 4, 5, 0, 1, 2].map(unit).to_vec())
            }
            EqualityKind::Closure(closure) => {
                let (point, rows) = at.loops.directions(index)?;
                (&closure.bodies, point, rows)
            }
            EqualityKind::Coupling(_) => return None,
        };
        Some(Self { links: bodies.map(|body| model.bodies[body].base.link()), point, rows })
    }
}

/// Adds the rows of an equality.
pub(crate) fn push_equality(
    rows: &mut Rows,
    model: &Model,
    data: &Data,
    at: Located<'_>,
    index: usize,
    rank: u32,
    level: Level<'_>,
) {
    let key = BlockKey::bilateral(rank, Equalities::CODE, 0);
    match &model.equalities[index].kind {
        EqualityKind::Connect { bodies, anchors } => {
            PairError::of_points(model, data, at.mocap, *bodies, anchors).push(rows, model, data, key, level);
        }
        EqualityKind::Weld { bodies, frames } => {
            PairError::of_frames(model, data, at.mocap, *bodies, frames).push(rows, model, data, key, level);
        }
        EqualityKind::Closure(_) => push_closure(rows, model, at.loops, index, key, level),
        EqualityKind::Coupling(coupling) => {
            coupling::push_coupling(rows, model, coupling, at, key, level);
        }
    }
}

/// Adds the directions that the joint of a loop holds.
fn push_closure(
    rows: &mut Rows,
    model: &Model,
    loops: &Loops,
    index: usize,
    key: BlockKey,
    level: Level<'_>,
) {
    let mut targets = [0.0; 6];
    let mut count = 0;
    for row in loops.held(index) {
        targets[count] = match level {
            Level::Displacement { .. } => row.error,
            Level::Velocity(ahead) => ahead.gain() * row.error + row.prescribed,
            Level::Acceleration => row.convective,
        };
        count += 1;
    }
    let entries = loops.held(index).enumerate();
    let entries = entries.flat_map(|(r, row)| loops.entries(row).map(move |(dof, c)| (r, dof, c)));
    rows.push_entries(model, key, RowKind::Bilateral, &targets[..count], entries);
    rows.set_each_angular(loops.held(index).map(|row| row.angular));
    if Loops::holds_point(model, index) {
        rows.hold_point();
    }
}

/// The equalities.
#[derive(Clone, Debug)]
pub(crate) struct Equalities {
    /// Places in the order of names.
    pub(crate) ranks: Vec<u32>,
}

impl Equalities {
    /// Without Baumgarte's bias where an equality is open although a step begins with the removal of position errors: then something
    /// contradicts it, the error comes back however fast it is removed, and every time the bias would add energy.
    fn without_contradiction<'a>(&self, at: &Present<'_>, index: usize, level: Level<'a>) -> Level<'a> {
        match level {
            Level::Velocity(ahead)
                if ahead.baumgarte > 0.0 && self.position_error(at, index).size() > OPEN =>
            {
                Level::Velocity(StepAhead { baumgarte: 0.0, ..ahead })
            }
            level => level,
        }
    }
}

impl Constraint for Equalities {
    const BILATERAL: bool = true;
    const CODE: u32 = 0;

    fn new(model: &Model) -> Self {
        Self { ranks: name_ranks(model.equalities.iter().map(|equality| equality.name.as_str())) }
    }

    fn count(&self, model: &Model) -> usize {
        model.equalities.len()
    }

    fn describe(&self, model: &Model, index: usize) -> String {
        format!("equality constraints ('{}')", model.equalities[index].name)
    }

    /// Their rows at accelerations are a problem of their own ([`crate::constraint::closure::projection`]), not a part of that of contacts.
    fn supports(&self, level: Level<'_>) -> bool {
        matches!(level, Level::Displacement { .. } | Level::Velocity(_))
    }

    fn trees<'a>(&'a self, model: &'a Model, index: usize) -> impl Iterator<Item = TreeId> + 'a {
        let (bodies, coupling) = match &model.equalities[index].kind {
            EqualityKind::Connect { bodies, .. }
            | EqualityKind::Weld { bodies, .. }
            | EqualityKind::Closure(Closure { bodies, .. }) => (&bodies[..], None),
            EqualityKind::Coupling(coupling) => (&[][..], Some(coupling)),
        };
        let links = bodies.iter().filter_map(|body| model.bodies[*body].base.link());
        let coupled = coupling.into_iter().flat_map(|c| c.dependent.terms.iter().chain(&c.independent.terms));
        links.chain(coupled.map(|term| term.link)).map(|link| model.links[link].tree)
    }

    fn couples(&self, _model: &Model, _index: usize) -> bool {
        true
    }

    fn may_act(&self, at: &Present<'_>, index: usize) -> bool {
        self.gives_way(at, index)
    }

    /// If it gives way: trees that cannot be closed take the contact rule.
    fn acts(&self, at: &Present<'_>, index: usize) -> bool {
        self.gives_way(at, index)
    }

    fn push(&self, rows: &mut Rows, at: &Present<'_>, index: usize, level: Level<'_>) {
        let level = self.without_contradiction(at, index, level);
        push_equality(rows, at.model, at.data, at.located(), index, self.ranks[index], level);
        rows.soften(at.softness.of(index));
    }

    fn position_error(&self, at: &Present<'_>, index: usize) -> PositionError {
        position_error(at.model, at.data, at.located(), index)
    }

    fn gives_way(&self, at: &Present<'_>, index: usize) -> bool {
        at.softness.of(index) > 0.0
    }
}
