//! The model as a whole, as the algorithms read it.

use super::build::validate::StoredModel;
use super::contact_rules::ContactTable;
use super::{
    Actuator, ActuatorId, Body, BodyId, Cable, Dof, Equality, Geom, GeomId, Keyframe, Law, Link, LinkId,
    LoopJoint, MaterialRestitution, MaterialRule, PairRule, Tendon, TendonId, Tree,
};
use crate::spatial::Transform;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A scene that is ready to move. Immutable; share it between simulations.
///
/// One that is deserialised is checked as by [`Model::validate`], so that a model that exists is well formed. (Its fields may
/// be changed; who does so and is not sure validates again.)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredModel")]
pub struct Model {
    /// Name of the scene.
    pub name: String,
    /// Gravity (m/s^2).
    pub gravity: Vector3<f64>,
    /// Time step (s).
    pub timestep: f64,
    /// Bodies, parents before children; body 0 is the world.
    pub bodies: Vec<Body>,
    /// Links, parents before children, tree after tree.
    pub links: Vec<Link>,
    /// Trees.
    pub trees: Vec<Tree>,
    /// Generalized velocities.
    pub dofs: Vec<Dof>,
    /// Collision shapes.
    pub geoms: Vec<Geom>,
    /// Fixed tendons.
    pub tendons: Vec<Tendon>,
    /// Cables.
    pub cables: Vec<Cable>,
    /// Drives.
    pub actuators: Vec<Actuator>,
    /// Bilateral constraints.
    pub equalities: Vec<Equality>,
    /// Joints of the closures among them.
    pub loop_joints: Vec<LoopJoint>,
    /// Their coordinates at zero displacement.
    pub loop_q0: Vec<f64>,
    /// Stored states.
    pub keyframes: Vec<Keyframe>,
    /// Mocap bodies, by mocap index.
    pub mocap_bodies: Vec<BodyId>,
    /// Initial pose of each mocap body in the world. (A mocap body is its own base, so its `Body::pose` is the
    /// identity.)
    pub mocap_poses: Vec<Transform>,
    /// Initial twist of each mocap body: angular then linear velocity of its origin, world axes (rad/s, m/s).
    pub mocap_velocities: Vec<[Vector3<f64>; 2]>,
    /// Configuration at zero joint displacement.
    pub q0: Vec<f64>,
    /// Rules for single pairs, sorted by geoms.
    pub pair_rules: Vec<PairRule>,
    /// Rules for pairs of materials.
    pub material_rules: Vec<MaterialRule>,
    /// Law of contacts that no rule is about, in place of Coulomb's with the friction of the geoms.
    pub default_law: Option<Law>,
    /// Coefficients of restitution by pairs of materials.
    pub material_restitutions: Vec<MaterialRestitution>,
    /// Coefficient of restitution of all other contacts, 0 to 1.
    pub default_restitution: f64,
    /// Pairs of bodies that never collide, lesser index first, sorted.
    pub excluded: Vec<[BodyId; 2]>,
    /// What the contact rules need to know of each geom.
    pub(crate) contact_table: ContactTable,
}

impl Model {
    /// Number of configuration coordinates.
    pub fn nq(&self) -> usize {
        self.q0.len()
    }

    /// Number of generalized velocities.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Sum of all masses (kg).
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.mass).sum()
    }

    /// The body with this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId::new)
    }

    /// The link whose joint has this name.
    pub fn joint(&self, name: &str) -> Option<LinkId> {
        self.links.iter().position(|l| l.name == name).map(LinkId::new)
    }

    /// The geom with this name.
    pub fn geom(&self, name: &str) -> Option<GeomId> {
        self.geoms.iter().position(|g| g.name == name).map(GeomId::new)
    }

    /// The tendon with this name.
    pub fn tendon(&self, name: &str) -> Option<TendonId> {
        self.tendons.iter().position(|t| t.name == name).map(TendonId::new)
    }

    /// The actuator with this name.
    pub fn actuator(&self, name: &str) -> Option<ActuatorId> {
        self.actuators.iter().position(|a| a.name == name).map(ActuatorId::new)
    }

    /// The keyframe with this name.
    pub fn keyframe(&self, name: &str) -> Option<&Keyframe> {
        self.keyframes.iter().find(|k| k.name == name)
    }
}
