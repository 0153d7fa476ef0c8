//! Ids: which body, link, geom and so on of a model, each kind a type of its own, so that one cannot stand for another.
//!
//! An id is a place in one of the lists of a [`Model`](super::Model) and as large and fast as a `usize`. The lists take ids of
//! their own kind in brackets:
//!
//! ```
//! # use stiction::{BodyHandle, GeomSpec, ModelBuilder, Shape};
//! # let mut builder = ModelBuilder::new("floor");
//! # builder.add_geom(BodyHandle::WORLD, GeomSpec { name: "floor".into(), ..GeomSpec::new(Shape::Plane) })?;
//! # let model = builder.build()?;
//! if let Some(floor) = model.geom("floor") {
//!     let geom = &model.geoms[floor];
//!     assert_eq!(model.bodies[geom.body].name, "world");
//! }
//! # Ok::<(), stiction::ModelError>(())
//! ```
//!
//! What mixes kinds does not compile:
//!
//! ```compile_fail,E0277
//! # use stiction::{BodyHandle, GeomSpec, ModelBuilder, Shape};
//! # let mut builder = ModelBuilder::new("floor");
//! # builder.add_geom(BodyHandle::WORLD, GeomSpec { name: "floor".into(), ..GeomSpec::new(Shape::Plane) })?;
//! # let model = builder.build()?;
//! if let Some(floor) = model.geom("floor") {
//!     let body = &model.bodies[floor]; // A geom is not a body.
//! }
//! # Ok::<(), stiction::ModelError>(())
//! ```
//!
//! The plain number, [`index`](BodyId::index), is for tables beside the model: what an algorithm computes per link, a column of a
//! recording. Serialized, an id is its number.

use super::{Actuator, Body, Equality, Geom, Link, LoopJoint, Mocap, Tendon, Tree};
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

/// Defines ids of one kind and has the lists of what they stand for take them as indices.
macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident of $item:ty;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $id(usize);

        impl $id {
            /// The id of this place, from 0, in the model's list.
            #[inline]
            pub const fn new(index: usize) -> Self {
                Self(index)
            }

            /// Place, from 0, in the model's list.
            #[inline]
            pub const fn index(self) -> usize {
                self.0
            }

            /// The ids of all entries of a model's list, in its order.
            pub fn all(list: &[$item]) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + use<> {
                (0..list.len()).map(Self)
            }
        }

        impl Index<$id> for [$item] {
            type Output = $item;

            #[inline]
            fn index(&self, id: $id) -> &$item {
                &self[id.0]
            }
        }

        impl IndexMut<$id> for [$item] {
            #[inline]
            fn index_mut(&mut self, id: $id) -> &mut $item {
                &mut self[id.0]
            }
        }

        impl Index<$id> for Vec<$item> {
            type Output = $item;

            #[inline]
            fn index(&self, id: $id) -> &$item {
                &self[id.0]
            }
        }

        impl IndexMut<$id> for Vec<$item> {
            #[inline]
            fn index_mut(&mut self, id: $id) -> &mut $item {
                &mut self[id.0]
            }
        }
    )* };
}

ids! {
    /// A body of a model: a place in [`Model::bodies`](super::Model::bodies).
    BodyId of Body;
    /// A link and its joint: a place in [`Model::links`](super::Model::links).
    LinkId of Link;
    /// A kinematic tree: a place in [`Model::trees`](super::Model::trees).
    TreeId of Tree;
    /// A collision shape: a place in [`Model::geoms`](super::Model::geoms).
    GeomId of Geom;
    /// A fixed tendon: a place in [`Model::tendons`](super::Model::tendons).
    TendonId of Tendon;
    /// A drive: a place in [`Model::actuators`](super::Model::actuators).
    ActuatorId of Actuator;
    /// An equality: a place in [`Model::equalities`](super::Model::equalities).
    EqualityId of Equality;
    /// A joint of a loop: a place in [`Model::loop_joints`](super::Model::loop_joints).
    LoopJointId of LoopJoint;
    /// A body with prescribed motion: a place in [`Model::mocap_bodies`](super::Model::mocap_bodies) and in
    /// [`State::mocap`](super::State::mocap).
    MocapId of Mocap;
}

impl BodyId {
    /// The world, which every model has.
    pub const WORLD: Self = Self(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_as_large_as_its_number_and_written_like_it() {
        assert_eq!(size_of::<GeomId>(), size_of::<usize>());
        for index in [0, 3, 300] {
            let id = GeomId::new(index);
            assert_eq!(id.index(), index);
            assert_eq!(serde_json::to_string(&id).unwrap(), index.to_string());
            assert_eq!(serde_json::from_str::<GeomId>(&index.to_string()).unwrap(), id);
            assert_eq!(postcard::to_stdvec(&id).unwrap(), postcard::to_stdvec(&index).unwrap());
        }
    }
}
