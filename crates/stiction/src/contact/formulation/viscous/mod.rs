//! Viscous friction, `lambda_t = -h c u_t` (Drumwright 2015, section IV).
//!
//! | file | what |
//! |---|---|
//! | `active_contacts` | the contacts at which it acts in a step, whatever the formulation |
//! | `elimination` | viscous friction eliminated from an island, for formulations that know none |
//! | `damped_inertia` | the factor of `M + h R` that this takes |
//! | `rule` | of the velocity before the step, or after it |
//! | `settings` | purely viscous friction as a problem of the normal impulses |

mod active_contacts;
mod damped_inertia;
mod elimination;
mod rule;
mod settings;

pub(crate) use active_contacts::ViscousContacts;
pub(crate) use elimination::ViscousElimination;
pub use rule::ViscousRule;
pub use settings::ViscousSettings;
