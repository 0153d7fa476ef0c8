//! From specifications to a model.
//!
//! ```text
//! builder (collects specs) -> compile (the order of the work)
//!     assembly: bodies depth first, names, links, dofs, inertia
//!     closures, relations: what refers to bodies and joints
//!     keyframes, contact_rules
//! ```
//!
//! | file | what it is |
//! |---|---|
//! | `spec` | what a person or a file describes |
//! | `builder` | [`ModelBuilder`], which collects it |
//! | `compile` | [`ModelBuilder::build`] |
//! | `assembly`, `inertia` | bodies, links, dofs; mass properties, and whether every joint moves some |
//! | `closures`, `relations` | loop joints; tendons, cables, actuators, equalities |
//! | `keyframes`, `contact_rules` | stored states; rules of pairs and materials |
//! | `names`, `references` | names that are unique; names and ids to numbers |
//! | `check`, `validate` | checks of single specifications; of a model from elsewhere |
//! | `element`, `error` | which element is meant; [`ModelError`] |

pub(crate) mod assembly;
pub(crate) mod builder;
pub(crate) mod check;
pub(crate) mod closures;
pub(crate) mod compile;
pub(crate) mod contact_rules;
pub(crate) mod element;
pub(crate) mod error;
pub(crate) mod inertia;
pub(crate) mod keyframes;
pub(crate) mod names;
pub(crate) mod references;
pub(crate) mod relations;
pub(crate) mod spec;
pub(crate) mod validate;

pub use builder::ModelBuilder;
pub use element::{Element, ElementKind};
pub use error::ModelError;
pub use spec::{
    ActuatorSpec, BodyHandle, BodySpec, CableSpec, ClosureSpec, EqualitySpec, GeomSpec, Inertial, JointSpec,
    Target, TendonSpec,
};
