//! A model as files hold it, which becomes a model once it has been checked.

use super::super::error::ModelError;
use crate::model::{
    Actuator, Body, BodyId, Cable, ContactTable, Dof, Equality, Geom, Keyframe, Law, Link, LoopJoint,
    MaterialRestitution, MaterialRule, Model, PairRule, Tendon, Tree,
};
use crate::spatial::Transform;
use nalgebra::Vector3;
use serde::Deserialize;

/// A model as it is written, before it is known to be well formed; field by field that of [`Model`].
#[derive(Deserialize)]
#[serde(rename = "Model")]
pub(crate) struct StoredModel {
    name: String,
    gravity: Vector3<f64>,
    timestep: f64,
    bodies: Vec<Body>,
    links: Vec<Link>,
    trees: Vec<Tree>,
    dofs: Vec<Dof>,
    geoms: Vec<Geom>,
    tendons: Vec<Tendon>,
    cables: Vec<Cable>,
    actuators: Vec<Actuator>,
    equalities: Vec<Equality>,
    loop_joints: Vec<LoopJoint>,
    loop_q0: Vec<f64>,
    keyframes: Vec<Keyframe>,
    mocap_bodies: Vec<BodyId>,
    mocap_poses: Vec<Transform>,
    mocap_velocities: Vec<[Vector3<f64>; 2]>,
    q0: Vec<f64>,
    pair_rules: Vec<PairRule>,
    material_rules: Vec<MaterialRule>,
    default_law: Option<Law>,
    material_restitutions: Vec<MaterialRestitution>,
    default_restitution: f64,
    excluded: Vec<[BodyId; 2]>,
    contact_table: ContactTable,
}

impl TryFrom<StoredModel> for Model {
    type Error = ModelError;

    fn try_from(stored: StoredModel) -> Result<Self, ModelError> {
        let mut model = Model {
            name: stored.name,
            gravity: stored.gravity,
            timestep: stored.timestep,
            bodies: stored.bodies,
            links: stored.links,
            trees: stored.trees,
            dofs: stored.dofs,
            geoms: stored.geoms,
            tendons: stored.tendons,
            cables: stored.cables,
            actuators: stored.actuators,
            equalities: stored.equalities,
            loop_joints: stored.loop_joints,
            loop_q0: stored.loop_q0,
            keyframes: stored.keyframes,
            mocap_bodies: stored.mocap_bodies,
            mocap_poses: stored.mocap_poses,
            mocap_velocities: stored.mocap_velocities,
            q0: stored.q0,
            pair_rules: stored.pair_rules,
            material_rules: stored.material_rules,
            default_law: stored.default_law,
            material_restitutions: stored.material_restitutions,
            default_restitution: stored.default_restitution,
            excluded: stored.excluded,
            contact_table: stored.contact_table,
        };
        model.validate()?;
        // It follows from the lists, which alone have been checked.
        model.prepare_contact_rules();
        Ok(model)
    }
}
