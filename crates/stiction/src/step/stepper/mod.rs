//! Steppers that take sets of trees out of the contact rule.
//!
//! Both hold what persists at the acceleration level: where a contact stays closed through the step its force meets
//! `0 <= f_n  perp  a_n >= 0` at every instant, and the trees that it joins are integrated by Runge-Kutta of order four.
//!
//! | file | what it is | called by |
//! |---|---|---|
//! | `acceleration` | contacts that persist through a step, with forces at every stage of the integration | `step::time_stepping`, `event_driven` |
//! | `carried` | what contacts carry at that level, and its certificate | both |
//! | `event_driven` | the same between impacts | `acceleration` |
//! | `passage` | whether a smooth motion took a body through another | both |
//! | `reversal` | the next reversal of sliding, found as a root of its speed | `event_driven` |
//! | `root` | when something happens | `impact`, `reversal` |
//! | `impact` | the next impact of a motion, found as a root of the gaps, and its impulses | `event_driven` |
//!
//! # References
//! - D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994.
//! - E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015.

pub(crate) mod acceleration;
pub(crate) mod carried;
pub(crate) mod event_driven;
mod impact;
mod passage;
mod reversal;
mod root;
