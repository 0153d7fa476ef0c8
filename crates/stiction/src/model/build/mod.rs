//! From specifications to a model.

pub(crate) mod assembly;
pub(crate) mod builder;
pub(crate) mod check;
pub(crate) mod closures;
pub(crate) mod compile;
pub(crate) mod contact_rules;
pub(crate) mod error;
pub(crate) mod inertia;
pub(crate) mod keyframes;
pub(crate) mod names;
pub(crate) mod references;
pub(crate) mod relations;
pub(crate) mod spec;

pub use builder::ModelBuilder;
pub use error::{Element, ElementKind, ModelError};
pub use spec::{
    ActuatorSpec, BodyId, BodySpec, CableSpec, ClosureSpec, EqualitySpec, GeomSpec, Inertial, JointSpec,
    Target, TendonSpec,
};
