//! Stage 2 of a step: from poses to contacts, touching and predicted, sorted by key.

use crate::contact::point::{Contact, ContactKey, contact_frame};
use crate::dynamics::{Data, base_motion};
use crate::geometry::{Aabb, BroadPhase, ContactPoint, MovingShape, are_supported, collide, pass_by};
use crate::model::{Base, GeomId, Mocap, Model, State, TreeId};
use crate::spatial::Transform;
use nalgebra::Vector3;

/// More contact points than two simple shapes have.
const POINTS: usize = 16;

/// Part of the reach that does not depend on speed (m): a body at rest that is hit during the step may move this
/// far towards a neighbour and still finds its contact predicted.
const REACH_AT_REST: f64 = 1e-3;

/// Finds the contacts of a scene. Allocates nothing once the number of pairs has peaked.
#[derive(Debug)]
pub(crate) struct ContactFinder {
    broad: BroadPhase,
    boxes: Vec<Option<Aabb>>,
    pub(crate) poses: Vec<Transform>,
    /// How far contacts of each geom are looked for (m).
    pub(crate) reaches: Vec<f64>,
    pairs: Vec<(usize, usize)>,
    points: Vec<ContactPoint>,
    /// Coefficient of restitution of all contacts, in place of the model's.
    restitution: Option<f64>,
    /// Duration of a whole step (s), of which contacts may be looked for in a part.
    timestep: f64,
    /// Whether what is hit in a step may go on to hit something else in it.
    pub(crate) chains: bool,
    /// The contacts found last, sorted by key.
    pub(crate) contacts: Vec<Contact>,
    /// Where they were found.
    found_at: Option<FoundAt>,
    /// Whether that is where the contacts are from.
    current: bool,
}

/// Trees of which a geom's surface has travelled farther than its reach (m), from the pose that `then` knows to the one in `data`.
pub(crate) fn far_travellers<'a>(
    model: &'a Model,
    data: &'a Data,
    reaches: &'a [f64],
    then: impl Fn(GeomId) -> Transform + 'a,
) -> impl Iterator<Item = TreeId> + 'a {
    GeomId::all(&model.geoms).zip(reaches).filter_map(move |(id, reach)| {
        let geom = &model.geoms[id];
        let Base::Link(link) = model.bodies[geom.body].base else { return None };
        let (then, now) = (then(id), data.link_pose[link.index()] * geom.pose);
        let radius = geom.shape.bounding_radius().unwrap_or(0.0);
        let travel = (now.translation - then.translation).norm() + then.angle_to(&now) * radius;
        (travel > *reach).then_some(model.links[link].tree)
    })
}

/// What contacts depend on.
#[derive(Debug)]
struct FoundAt {
    q: Box<[f64]>,
    v: Box<[f64]>,
    mocap: Box<[Mocap]>,
    h: f64,
}

impl ContactFinder {
    pub(crate) fn new(model: &Model, restitution: Option<f64>, timestep: f64) -> Self {
        let n = model.geoms.len();
        Self {
            broad: BroadPhase::new(),
            boxes: vec![None; n],
            poses: vec![Transform::identity(); n],
            reaches: vec![0.0; n],
            pairs: Vec::new(),
            points: Vec::with_capacity(POINTS),
            restitution,
            timestep,
            chains: false,
            contacts: Vec::new(),
            found_at: None,
            current: false,
        }
    }

    /// As [`ContactFinder::find`], but keeps the contacts where they were found at this very state: the end of a step is the
    /// beginning of the next.
    pub(crate) fn find_if_moved(&mut self, model: &Model, data: &Data, state: &State, h: f64) {
        let moved_alike =
            |at: &FoundAt| at.mocap.iter().zip(&state.mocap).all(|(at, now)| at.moves_like(now));
        let here = |at: &FoundAt| at.h == h && at.q == state.q && at.v == state.v && moved_alike(at);
        if self.current && self.found_at.as_ref().is_some_and(here) {
            return;
        }
        self.find(model, data, &state.mocap, h, &[]);
        let at = self.found_at.get_or_insert_with(|| FoundAt {
            q: state.q.clone(),
            v: state.v.clone(),
            mocap: state.mocap.clone(),
            h,
        });
        at.q.clone_from(&state.q);
        at.v.clone_from(&state.v);
        at.mocap.clone_from(&state.mocap);
        at.h = h;
        self.current = true;
    }

    /// Takes other contacts for those found last.
    pub(crate) fn replace(&mut self, contacts: &[Contact]) {
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.current = false;
    }

    /// Finds every pair of features closer than what both bodies may travel in a step of `h` seconds; those of a geom at least as far away
    /// as `travels` says, if it does (m).
    pub(crate) fn find(&mut self, model: &Model, data: &Data, mocap: &[Mocap], h: f64, travels: &[f64]) {
        self.current = false;
        self.place(model, data, mocap, h, travels);
        let supported = |a: usize, b: usize| are_supported(&model.geoms[a].shape, &model.geoms[b].shape);
        let may_collide = |a, b| model.may_collide(GeomId::new(a), GeomId::new(b)) && supported(a, b);
        self.broad.pairs(&self.boxes, may_collide, &mut self.pairs);
        self.contacts.clear();
        let fall = 0.5 * model.gravity.norm() * self.timestep * self.timestep;
        for &(a, b) in &self.pairs {
            let [i, j] = if model.geoms[a].rank < model.geoms[b].rank { [a, b] } else { [b, a] };
            let [a, b] = [i, j].map(GeomId::new);
            let reach = self.reaches[i] + self.reaches[j];
            self.points.clear();
            let shapes = [&model.geoms[a].shape, &model.geoms[b].shape];
            collide(shapes[0], &self.poses[i], shapes[1], &self.poses[j], reach, &mut self.points);
            let moving = |geom| self.moving(model, data, mocap, geom);
            if self.points.is_empty() || pass_by(&self.points, &moving(a), &moving(b), h, fall) {
                continue;
            }
            let law = model.pair_law(a, b);
            let restitution = self.restitution.unwrap_or_else(|| model.pair_restitution(a, b));
            for point in &self.points {
                let frame = contact_frame(&point.normal);
                let slip = self.surface_velocity(model, mocap, b, point)
                    - self.surface_velocity(model, mocap, a, point);
                self.contacts.push(Contact {
                    key: ContactKey {
                        first: model.geoms[a].rank,
                        second: model.geoms[b].rank,
                        feature: point.feature,
                    },
                    geoms: [a, b],
                    links: [a, b].map(|g| match model.bodies[model.geoms[g].body].base {
                        Base::Link(link) => Some(link),
                        _ => None,
                    }),
                    point: point.point,
                    frame,
                    gap: point.gap,
                    law,
                    restitution,
                    drift: frame.tr_mul(&slip),
                });
            }
        }
        self.contacts.sort_unstable_by_key(|c| c.key);
    }

    /// Poses, reaches and boxes of all geoms.
    fn place(&mut self, model: &Model, data: &Data, mocap: &[Mocap], h: f64, travels: &[f64]) {
        let fall = model.gravity.norm() * h;
        for (i, geom) in model.geoms.iter().enumerate() {
            let (base, velocity) = base_motion(model, data, mocap, geom.body);
            let pose = base * geom.pose;
            let radius = geom.shape.bounding_radius().unwrap_or(0.0);
            let lever = (pose.translation - base.translation).norm() + radius;
            let moving = !matches!(model.bodies[geom.body].base, Base::World);
            // Twice what the present velocity and gravity bring: impulses and drives change it within the step.
            let speed = velocity.linear.norm() + velocity.angular.norm() * lever + fall;
            let reach = if moving { 2.0 * h * speed + REACH_AT_REST } else { 0.0 };
            self.reaches[i] = travels.get(i).map_or(reach, |travel| reach.max(*travel));
            self.poses[i] = pose;
        }
        if self.chains {
            // Anything that moves may get as fast as the fastest.
            let farthest = self.reaches.iter().fold(0.0, |most: f64, reach| most.max(*reach));
            self.reaches.iter_mut().filter(|reach| **reach > 0.0).for_each(|reach| *reach = farthest);
        }
        for (i, geom) in model.geoms.iter().enumerate() {
            self.boxes[i] = geom.shape.aabb(&self.poses[i]).map(|b| {
                let margin = Vector3::repeat(self.reaches[i]);
                Aabb { min: b.min - margin, max: b.max + margin }
            });
        }
    }

    /// A geom with its pose and its motion.
    fn moving<'a>(&'a self, model: &'a Model, data: &Data, mocap: &[Mocap], geom: GeomId) -> MovingShape<'a> {
        let (base, velocity) = base_motion(model, data, mocap, model.geoms[geom].body);
        let shape = &model.geoms[geom].shape;
        MovingShape { shape, pose: &self.poses[geom.index()], origin: base.translation, velocity }
    }

    /// Velocity of a geom's surface that does not come from generalized velocities: prescribed motion of its body
    /// and its belt, whose part along the normal cannot carry anything.
    fn surface_velocity(
        &self,
        model: &Model,
        mocap: &[Mocap],
        geom: GeomId,
        point: &ContactPoint,
    ) -> Vector3<f64> {
        let g = &model.geoms[geom];
        let belt = self.poses[geom.index()].vector(&g.surface_velocity);
        let belt = belt - point.normal * point.normal.dot(&belt);
        match model.bodies[g.body].base {
            Base::Mocap(i) => belt + mocap[i].motion().at(&(point.point - mocap[i].position)).linear,
            _ => belt,
        }
    }
}
