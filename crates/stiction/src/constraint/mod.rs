//! Constraints: what each kind adds to the problem of a step, the rows, and the islands they form.
//!
//! A constraint holds a function of the configuration `phi(q, t)` at zero (*bilateral*) or above it (*unilateral*: its value is a
//! *gap*), or bounds the force along a velocity (dry friction). Its rows `J` act on displacements, velocities or accelerations,
//!
//! ```text
//! J d + phi = 0,    J v + dphi/dt = 0,    J a + gamma = 0        (>= 0 with impulses lambda >= 0 if unilateral)
//! ```
//!
//! and an impulse `lambda` changes velocities by `M^-1 J^T lambda`. Rows that share moving trees form an *island*, of which the
//! Delassus operator `J M^-1 J^T` is all that a formulation sees; bilateral rows are eliminated before.
//!
//! | file | what it is |
//! |---|---|
//! | `kind`, `position_error` | the interface of all kinds, and what walks over them; how far they are from being met |
//! | `contact`, `limit`, `joint_friction`, `tendon`, `cable`, `equality` (with `coupling`), `limited_drive` | the kinds, one file each |
//! | `closure/` | joints that close loops, also a kind, and the projection of tied trees on their equalities |
//! | `rows` | rows, sparse by tree: keys, Jacobians, half-solved rows |
//! | `islands/` | partition of rows into islands, and the workspace that solves one |
//! | `softness` | equalities that give way where they cannot be met |
//! | `row_source` | what rows belong to besides contacts, by the keys of their blocks |
//! | `passage` | what a force along a velocity does, for the works of dampers and drives |
//!
//! The stages of `step` ask the list of kinds below; nothing here knows of them. Kinds get kinematics and factors from
//! [`crate::dynamics`], laws and formulations from [`crate::contact`].
//!
//! # References
//! - E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models* (2015), eq. 47: elimination.

/// The list of kinds of constraint: hands it to a macro.
macro_rules! kinds {
    ($callback:ident $($arguments:tt)*) => {
        $callback! { [
            contacts: crate::constraint::contact::Contacts,
            equalities: crate::constraint::equality::Equalities,
            joint_limits: crate::constraint::limit::JointLimits,
            joint_friction: crate::constraint::joint_friction::JointFriction,
            tendons: crate::constraint::tendon::Tendons,
            loop_joints: crate::constraint::closure::joint::LoopJoints,
            cables: crate::constraint::cable::Cables,
            limited_drives: crate::constraint::limited_drive::LimitedDrives,
        ] $($arguments)* }
    };
}

pub(crate) mod cable;
pub mod closure;
pub(crate) mod contact;
pub(crate) mod coupling;
pub(crate) mod equality;
pub(crate) mod islands;
pub(crate) mod joint_friction;
pub(crate) mod kind;
pub(crate) mod limit;
pub(crate) mod limited_drive;
pub(crate) mod passage;
pub(crate) mod position_error;
pub(crate) mod row_source;
pub(crate) mod rows;
pub(crate) mod softness;
pub(crate) mod tendon;

pub use closure::{Assembled, Mobility};
pub use row_source::RowSource;
