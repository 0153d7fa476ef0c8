//! Stage 2 of a step: from poses to contacts, touching and predicted, sorted by key.

use crate::algorithm::Data;
use crate::collision::{Aabb, BroadPhase, ContactPoint, collide};
use crate::contact::{Contact, ContactKey, contact_frame};
use crate::model::{Base, Model};
use crate::sim::{Mocap, State};
use crate::spatial::{Motion, Transform};
use nalgebra::Vector3;

/// Part of the reach that does not depend on speed (m): a body at rest that is hit during the step may move this
/// far towards a neighbour and still finds its contact predicted.
const REACH_AT_REST: f64 = 1e-3;

/// Finds the contacts of a scene. Allocates nothing once the number of pairs has peaked.
#[derive(Debug)]
pub(crate) struct ContactFinder {
    broad: BroadPhase,
    boxes: Vec<Option<Aabb>>,
    poses: Vec<Transform>,
    reaches: Vec<f64>,
    pairs: Vec<(usize, usize)>,
    points: Vec<ContactPoint>,
    /// The contacts found last, sorted by key.
    pub(crate) contacts: Vec<Contact>,
}

impl ContactFinder {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.geoms.len();
        Self {
            broad: BroadPhase::new(),
            boxes: vec![None; n],
            poses: vec![Transform::identity(); n],
            reaches: vec![0.0; n],
            pairs: Vec::new(),
            points: Vec::new(),
            contacts: Vec::new(),
        }
    }

    /// Finds every pair of features closer than what both bodies may travel in a step of `h` seconds.
    pub(crate) fn find(&mut self, model: &Model, data: &Data, state: &State, h: f64) {
        self.place(model, data, state, h);
        self.broad.pairs(&self.boxes, |a, b| model.may_collide(a, b), &mut self.pairs);
        self.contacts.clear();
        for &(a, b) in &self.pairs {
            let [a, b] = if model.geoms[a].rank < model.geoms[b].rank { [a, b] } else { [b, a] };
            let reach = self.reaches[a] + self.reaches[b];
            self.points.clear();
            let shapes = [&model.geoms[a].shape, &model.geoms[b].shape];
            collide(shapes[0], &self.poses[a], shapes[1], &self.poses[b], reach, &mut self.points);
            if self.points.is_empty() {
                continue;
            }
            let law = model.pair_law(a, b);
            for point in &self.points {
                let frame = contact_frame(&point.normal);
                let slip = self.surface_velocity(model, state, b, point)
                    - self.surface_velocity(model, state, a, point);
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
                    drift: frame.tr_mul(&slip),
                });
            }
        }
        self.contacts.sort_unstable_by_key(|c| c.key);
    }

    /// Poses, reaches and boxes of all geoms.
    fn place(&mut self, model: &Model, data: &Data, state: &State, h: f64) {
        let fall = model.gravity.norm() * h;
        for (i, geom) in model.geoms.iter().enumerate() {
            let (base, velocity) = base_motion(model, data, &state.mocap, geom.body);
            let pose = base * geom.pose;
            let radius = geom.shape.bounding_radius().unwrap_or(0.0);
            let lever = (pose.translation - base.translation).norm() + radius;
            let moving = !matches!(model.bodies[geom.body].base, Base::World);
            // Twice what the present velocity and gravity bring: impulses and drives change it within the step.
            let speed = velocity.linear.norm() + velocity.angular.norm() * lever + fall;
            self.reaches[i] = if moving { 2.0 * h * speed + REACH_AT_REST } else { 0.0 };
            self.poses[i] = pose;
            self.boxes[i] = geom.shape.aabb(&pose).map(|b| {
                let margin = Vector3::repeat(self.reaches[i]);
                Aabb { min: b.min - margin, max: b.max + margin }
            });
        }
    }

    /// Velocity of a geom's surface that does not come from generalized velocities: prescribed motion of its body
    /// and its belt, whose part along the normal cannot carry anything.
    fn surface_velocity(
        &self,
        model: &Model,
        state: &State,
        geom: usize,
        point: &ContactPoint,
    ) -> Vector3<f64> {
        let g = &model.geoms[geom];
        let belt = self.poses[geom].vector(&g.surface_velocity);
        let belt = belt - point.normal * point.normal.dot(&belt);
        match model.bodies[g.body].base {
            Base::Mocap(i) => {
                belt + state.mocap[i].velocity.at(&(point.point - state.mocap[i].position)).linear
            }
            _ => belt,
        }
    }
}

/// Pose of a body's base and its motion at the base's origin, world axes.
pub(crate) fn base_motion(model: &Model, data: &Data, mocap: &[Mocap], body: usize) -> (Transform, Motion) {
    match model.bodies[body].base {
        Base::World => (Transform::identity(), Motion::zero()),
        Base::Mocap(i) => (mocap[i].pose(), mocap[i].velocity),
        Base::Link(link) => (data.link_pose[link], data.link_velocity[link]),
    }
}
