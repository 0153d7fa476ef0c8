//! The model: everything about a scene that does not change while it moves; and the state, which does.
//!
//! A scene is a forest of kinematic trees. Users describe *bodies* (possibly with several joints each, as MJCF
//! allows); the dynamics works on *links*, one joint each, where all but the last link of a body with several
//! joints are massless and a body without joints is part of its parent's link.
//!
//! ```text
//! ModelBuilder (BodySpec, JointSpec, ..)  -- build: check, number, name -->  Model  -->  everything below
//! ```
//!
//! A model that exists is well formed: it comes from the builder, which checks every number and every reference, or is
//! deserialised, which checks the same ([`Model::validate`]).
//!
//! | file | what it is |
//! |---|---|
//! | `forest` | [`Model`], the whole |
//! | `ids` | [`BodyId`], [`LinkId`], [`GeomId`], ..: places in its lists, by kind |
//! | `tree`, `body`, `geom` | [`Tree`], [`Link`], [`Dof`] for the dynamics; [`Body`] as written; [`Geom`] for collision |
//! | `tendon`, `actuator` | [`Tendon`], [`Cable`]; [`Actuator`] |
//! | `equality`, `closure` | [`Equality`] of each kind; [`Closure`], the joints that close loops |
//! | `combination`, `time_function` | [`Combination`] of coordinates; [`TimeFunction`] a coordinate may follow |
//! | `contact_rules`, `law` | which geoms may touch, with what [`Law`] and restitution |
//! | `keyframe`, `state` | stored states; [`State`] and [`Mocap`] |
//! | `build/` | the builder, the checks and [`ModelError`]; imports the types above, which do not import it |
//!
//! The layout of configurations and velocities is MuJoCo's `qpos` and `qvel`.
//!
//! # References
//! R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), ch. 4; MuJoCo documentation, *Modeling*.

pub(crate) mod actuator;
pub(crate) mod body;
pub(crate) mod build;
pub(crate) mod closure;
pub(crate) mod combination;
pub(crate) mod contact_rules;
pub(crate) mod equality;
mod forest;
pub(crate) mod geom;
mod ids;
pub(crate) mod keyframe;
pub(crate) mod law;
pub(crate) mod state;
pub(crate) mod tendon;
pub(crate) mod time_function;
pub(crate) mod tree;

pub use actuator::{Actuator, Transmission};
pub use body::{Base, Body};
pub use build::ModelBuilder;
pub use build::{
    ActuatorSpec, BodyHandle, BodySpec, CableSpec, ClosureSpec, EqualitySpec, GeomSpec, Inertial, JointSpec,
    Target, TendonSpec,
};
pub use build::{Element, ElementKind, ModelError};
pub use closure::{Closure, LoopJoint};
pub use combination::{Combination, Term};
pub(crate) use contact_rules::ContactTable;
pub use contact_rules::{MaterialRestitution, MaterialRule, PairRule};
pub use equality::{Coupling, Equality, EqualityKind};
pub use forest::Model;
pub use geom::Geom;
pub use ids::{ActuatorId, BodyId, EqualityId, GeomId, LinkId, LoopJointId, MocapId, TendonId, TreeId};
pub use keyframe::Keyframe;
pub use law::{Law, LawError};
pub use state::{Mocap, State};
pub use tendon::{Cable, Tendon};
pub use time_function::{TimeFunction, TimeFunctionError};
pub use tree::{Dof, JointKind, Link, Tree};
