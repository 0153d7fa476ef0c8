//! From specifications to a model: builder, assembly, checks and errors.

pub(crate) mod assembly;
pub(crate) mod builder;
pub(crate) mod check;
pub(crate) mod error;
pub(crate) mod names;
pub(crate) mod relations;
pub(crate) mod spec;

pub use builder::ModelBuilder;
pub use error::{Element, ElementKind, ModelError};
pub use spec::{
    ActuatorSpec, BodyId, BodySpec, CableSpec, EqualitySpec, GeomSpec, Inertial, JointSpec, Target,
    TendonSpec,
};
