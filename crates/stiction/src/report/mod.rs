//! What a step reports: the certificate, forces, and margins.
//!
//! The certificate says in SI units how well the result of a step meets the laws, whatever the formulation and whatever the
//! solver says of itself:
//!
//! ```text
//! u_n + a_n >= 0,   lambda_n >= 0,   |lambda_t| <= mu lambda_n,   lambda_t . u_t <= 0,   gap >= 0,   phi = 0
//! ```
//!
//! | file | what it is | filled or called by |
//! |---|---|---|
//! | `certificate` | violations of the laws; the report of a step | `step::certify` |
//! | `work` | by what the energy changes | `step::account`, `step::certify` |
//! | `acts` | what acts several times in a step, added up | `step::certify` |
//! | `forces` | contact forces, sums by pair of geoms, limit forces | `step::certify` |
//! | `hand_back` | why sets of trees are handed from a stepper to another | `step::stepper` |
//! | `joint_force` | what joints, connects and welds transmit | `step::joint_forces` |
//! | `moved_body` | where the removal of overlap put bodies | `step::projection` |
//! | `violation` | what a configuration violates before any step | `sim` |
//! | `rows` | the rows of limits, joint friction, equalities and actions, with their laws | `step::certify` |
//! | `last_step` | the problem of the last step and its answer | `sim` |
//! | `least_friction` | the least friction with which the bodies could have moved as they did | `sim` |
//! | `largest_margin` | the largest margin of a pair over all forces that are as good as those returned | `sim` |
//!
//! Nothing here changes a state. The convex problems behind the last two are those of M. Anitescu, *Optimization-based
//! simulation of nonsmooth rigid multibody dynamics*, Mathematical Programming 105 (2006).

pub(crate) mod acts;
pub(crate) mod certificate;
pub(crate) mod forces;
pub(crate) mod hand_back;
pub(crate) mod joint_force;
pub(crate) mod largest_margin;
pub(crate) mod last_step;
pub(crate) mod least_friction;
pub(crate) mod moved_body;
pub(crate) mod rows;
pub(crate) mod violation;
pub(crate) mod work;

pub use crate::constraint::RowSource;
pub use certificate::{Certificate, CertificateField, StepReport};
pub(crate) use forces::Readout;
pub use forces::{ContactForce, LimitForce, PairForce};
pub use hand_back::{HandBack, HandBacks};
pub use joint_force::{JointForce, Transmitted};
pub use largest_margin::PairMargins;
pub(crate) use last_step::LastStep;
pub use moved_body::MovedBody;
pub use rows::{RowForce, RowLaw};
pub(crate) use rows::{RowVelocities, row_forces};
pub use violation::Violation;
pub use work::{Work, WorkField};
