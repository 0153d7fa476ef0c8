//! Geoms: collision shapes on bodies.

use super::BodyId;
use crate::geometry::Shape;
use crate::spatial::Transform;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A collision shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geom {
    /// Unique name; unnamed geoms are called `BODY/INDEX`.
    pub name: String,
    /// The body it is fixed to.
    pub body: BodyId,
    /// Shape.
    pub shape: Shape,
    /// Pose in the frame of the body's *base* (world, mocap body or link).
    pub pose: Transform,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// 1: frictionless; 3 and more: friction (MuJoCo's `condim`).
    pub contact_dimension: u8,
    /// Collision group bits.
    pub contype: u32,
    /// Collision affinity bits.
    pub conaffinity: u32,
    /// The geom with higher priority decides the contact parameters of a pair.
    pub priority: i32,
    /// Name of the material.
    pub material: Option<String>,
    /// Colour in pictures: red, green, blue and opacity from 0 to 1.
    pub color: Option<[f64; 4]>,
    /// Velocity of the surface against the geom, in the geom's frame (m/s): a conveyor belt.
    pub surface_velocity: Vector3<f64>,
    /// Place in the order of all geom names. It orders contacts, so results do not depend on insertion order.
    pub rank: u32,
}
