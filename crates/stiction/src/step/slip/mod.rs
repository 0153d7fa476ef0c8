//! Displacement of two bodies against each other at a contact over a step, from their poses alone.
//!
//! In the axes of the body with the flatter surface, which may turn by any angle, with x a point of the other body (the centre of
//! its curvature where it has one, else what touches), c the contact point, `rho` the rotation of the other body, and 0 and 1 for
//! the beginning and the end,
//!
//! ```text
//! slip = x1 - x0 + rho x ((c0 - x0) + (c1 - x1)) / 2.
//! ```
//!
//! It is the integral of the velocity of the other body's material at the contact, by the trapezoidal rule in `c - x`: exactly zero
//! where the bodies keep their pose against each other, where one pivots on a point and where a ball or a cylinder rolls straight
//! on; else right to third order in the step. (Displacements of material points alone are not: a ball that rolls by an angle `phi`
//! leaves its first point of contact by `r (phi - sin phi)`.)

pub(crate) mod sticking;

use crate::contact::Contact;
use crate::geometry::Shape;
use crate::model::{Base, BodyId, GeomId, Mocap, Model};
use crate::spatial::{Transform, quaternion_logarithm};
use nalgebra::{Matrix3, Vector3};

/// A cylinder's side touches where its axis leans against the tangent plane by less than this (rad).
const SIDEWAYS: f64 = 1e-6;

/// Where all bodies are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poses<'a> {
    pub(crate) model: &'a Model,
    pub(crate) links: &'a [Transform],
    pub(crate) mocap: &'a [Mocap],
}

impl Poses<'_> {
    /// Pose of what a body moves with.
    pub(crate) fn base(&self, body: BodyId) -> Transform {
        match self.model.bodies[body].base {
            Base::World => Transform::identity(),
            Base::Mocap(i) => self.mocap[i].pose(),
            Base::Link(link) => self.links[link.index()],
        }
    }

    /// Poses of the bases of a contact's bodies.
    pub(crate) fn of(&self, contact: &Contact) -> [Transform; 2] {
        contact.geoms.map(|geom| self.base(self.model.geoms[geom].body))
    }
}

/// A contact at the beginning of a step, in the axes of its flatter body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactStart {
    /// Which of the two geoms is the flatter one.
    flat: usize,
    /// Contact frame, from the first geom to the second.
    frame: Matrix3<f64>,
    gap: f64,
    /// The point x of the other body, in its axes and in those of the flatter one.
    own_center: Vector3<f64>,
    center: Vector3<f64>,
    /// The point of the other body by which a gap is carried on where the features are not found again, likewise: x, or what touches where
    /// that is no centre of curvature.
    own_carried: Vector3<f64>,
    carried: Vector3<f64>,
    /// From x to the contact point.
    arm: Vector3<f64>,
    /// Whether the contact point at the end has to be found: the other surface has no one centre of curvature.
    wanders: bool,
    /// Axes of the other body in those of the flatter one.
    rotation: Matrix3<f64>,
    /// Velocity of the surfaces against each other that belts bring, in the contact frame (m/s).
    belt: Vector3<f64>,
}

impl ContactStart {
    /// At these poses.
    pub(crate) fn new(poses: Poses<'_>, contact: &Contact) -> Self {
        let model = poses.model;
        let curved = curvature(model, contact.geoms[0]) > curvature(model, contact.geoms[1]);
        let flat = usize::from(curved);
        let [base, other] = bases(poses, contact, flat);
        let outwards = contact.frame.column(0) * if flat == 0 { 1.0 } else { -1.0 };
        let witness = contact.point + outwards * (0.5 * contact.gap);
        let geom = &model.geoms[contact.geoms[1 - flat]];
        let pose = other * geom.pose;
        let (center, wanders) = match geom.shape {
            Shape::Sphere { .. } => (pose.translation, false),
            Shape::Capsule { radius, .. } => (witness + outwards * radius, false),
            Shape::Cylinder { radius, .. } if pose.rotation.column(2).dot(&outwards).abs() < SIDEWAYS => {
                (witness + outwards * radius, false)
            }
            Shape::Cylinder { .. } | Shape::Ellipsoid { .. } => (pose.translation, true),
            Shape::Plane | Shape::Box { .. } | Shape::Convex(_) | Shape::HeightField(_) => (witness, false),
        };
        let carried = if wanders { witness } else { center };
        Self {
            flat,
            frame: base.rotation.tr_mul(&contact.frame),
            gap: contact.gap,
            own_center: other.inverse_point(&center),
            center: base.inverse_point(&center),
            own_carried: other.inverse_point(&carried),
            carried: base.inverse_point(&carried),
            arm: base.inverse_vector(&(contact.point - center)),
            wanders,
            rotation: base.rotation.tr_mul(&other.rotation),
            belt: belts(poses, contact),
        }
    }

    /// Gap at the end, and displacement of the second body against the first along the tangents, of a step of `h` seconds that ends at
    /// these poses; `end` is what was found there of the same features.
    pub(crate) fn displacement(
        &self,
        poses: Poses<'_>,
        contact: &Contact,
        end: Option<&Contact>,
        h: f64,
    ) -> Vector3<f64> {
        let [base, other] = bases(poses, contact, self.flat);
        let sign = if self.flat == 0 { 1.0 } else { -1.0 };
        let center = base.inverse_point(&other.point(&self.own_center));
        let moved = center - self.center;
        let normal = self.frame.column(0) * sign;
        // Features that turned to the other side are others than those of the beginning.
        let end = end.map(|end| (end, base.inverse_vector(&(end.frame.column(0) * sign))));
        let end = end.filter(|(_, turned)| turned.dot(&normal) > 0.0);
        let arm = match &end {
            Some((end, _)) if self.wanders => base.inverse_point(&end.point) - center,
            Some((_, turned)) => turned * self.arm.dot(&normal),
            None => self.arm,
        };
        let turn = turn(&(base.rotation.tr_mul(&other.rotation) * self.rotation.transpose()));
        let slip = (moved + turn.cross(&((self.arm + arm) * 0.5))) * sign;
        let carried = base.inverse_point(&other.point(&self.own_carried)) - self.carried;
        let gap = end.map_or(self.gap + normal.dot(&carried), |(end, _)| end.gap);
        let tangential = self.frame.tr_mul(&slip) + self.belt * h;
        Vector3::new(gap, tangential.y, tangential.z)
    }

    /// The contact as it is at these poses: the flatter body carries its frame, the other one the point x.
    pub(crate) fn carried_to(&self, poses: Poses<'_>, contact: &Contact) -> Contact {
        let [base, other] = bases(poses, contact, self.flat);
        let sign = if self.flat == 0 { 1.0 } else { -1.0 };
        let carried = base.inverse_point(&other.point(&self.own_carried)) - self.carried;
        Contact {
            point: other.point(&self.own_center) + base.vector(&self.arm),
            frame: base.rotation * self.frame,
            gap: self.gap + sign * self.frame.column(0).dot(&carried),
            ..*contact
        }
    }

    /// The contact frame in the axes of the flatter body.
    pub(crate) fn frame(&self) -> &Matrix3<f64> {
        &self.frame
    }
}

/// The rotation vector of a matrix.
fn turn(rotation: &Matrix3<f64>) -> Vector3<f64> {
    // By way of the quaternion: the trace of the matrix knows small angles to 1e-8 only.
    let turned = Transform { rotation: *rotation, translation: Vector3::zeros() };
    quaternion_logarithm(&turned.quaternion())
}

/// How curved a geom's surface is, as an order.
fn curvature(model: &Model, geom: GeomId) -> u8 {
    match model.geoms[geom].shape {
        Shape::Plane | Shape::HeightField(_) => 0,
        Shape::Box { .. } | Shape::Convex(_) => 1,
        Shape::Cylinder { .. } => 2,
        Shape::Capsule { .. } => 3,
        Shape::Ellipsoid { .. } => 4,
        Shape::Sphere { .. } => 5,
    }
}

/// Poses of the bases of a contact's bodies, that of the flatter one first.
fn bases(poses: Poses<'_>, contact: &Contact, flat: usize) -> [Transform; 2] {
    let bases = poses.of(contact);
    [bases[flat], bases[1 - flat]]
}

/// Velocity of the second surface against the first by belts, in the contact frame; what is along the normal carries nothing.
fn belts(poses: Poses<'_>, contact: &Contact) -> Vector3<f64> {
    let [first, second] = contact.geoms.map(|geom| {
        let geom = &poses.model.geoms[geom];
        let base = poses.base(geom.body);
        contact.frame.tr_mul(&base.vector(&geom.pose.vector(&geom.surface_velocity)))
    });
    let mut belt = second - first;
    belt.x = 0.0;
    belt
}
