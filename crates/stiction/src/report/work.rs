//! By what the energy changes: works by cause, in joules, that add up to the change of energy of a step or of a run.
//!
//! # Problem
//! A step solves `M (v+ - v-) = sum of impulses p_k` at one mass matrix M: contacts, limits and equalities with `p = J^T lambda`, forces
//! with `p = h f`. Then, exactly,
//!
//! ```text
//! 1/2 v+ . M v+ - 1/2 v- . M v- = sum of 1/2 p_k . (v- + v+),
//! ```
//!
//! and each term is the work of its cause. `v-` is the velocity before the step, not the free velocity: at rest gravity then does
//! nothing, and nothing takes back what it gives.
//!
//! # Method
//! Gravity and springs have no term of their own, since they are a part of the energy, kinetic and potential. What the causes do not
//! explain of its change is *numerical*: that potential forces, velocity products and the mass matrix are not those of the mean of the
//! step. It goes to zero with the step where the motion is smooth. So the account closes by construction, and whoever reads it
//! sees what the integration makes of energy.
//!
//! Works of unilateral rows and of what resists are of *relative* velocities: friction is what becomes heat, on a belt too. What the
//! belt's motor, a prescribed body or a function of time adds is `prescribed`.

use serde::{Deserialize, Serialize};

/// What part of the impulse of a constraint a row has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ImpulsePart {
    /// That of a gap or of an equality.
    Normal,
    /// Friction.
    Friction,
}

impl ImpulsePart {
    /// Friction or not.
    pub(crate) fn of(friction: bool) -> Self {
        if friction { ImpulsePart::Friction } else { ImpulsePart::Normal }
    }
}

impl Work {
    /// The cause that the work of a constraint's impulse counts for. `hits`: it stops what approached; `impact`: something does in
    /// the same island, and the impulse is of a unilateral constraint.
    pub(crate) fn cause(&mut self, part: ImpulsePart, hits: bool, impact: bool) -> &mut f64 {
        match part {
            ImpulsePart::Friction if !hits => &mut self.friction,
            _ if impact => &mut self.impacts,
            _ => &mut self.constraints,
        }
    }
}

/// A cause in [`Work`], for whatever lists, writes or reads them all.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WorkField {
    /// Name, as in recordings (`work_NAME`) and in Python.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub doc: &'static str,
    /// Its value (J).
    pub get: fn(&Work) -> f64,
    /// Its place.
    pub get_mut: fn(&mut Work) -> &mut f64,
}

/// Declares the works, cause by cause, to the macro `$declare`.
#[doc(hidden)]
#[macro_export]
macro_rules! work_fields {
    ($declare:ident) => {
        $declare! {
            /// Friction of contacts, dry and viscous, but where they hit, and dry friction of joints and tendons (J). What it takes is
            /// negative.
            friction;
            /// Normal impulses of contacts and limits in islands in which something hits, and the friction of contacts that hit (J).
            impacts;
            /// Normal impulses of contacts and limits besides impacts, and of equalities (J): zero but for the error of the step.
            constraints;
            /// Actuators (J).
            drives;
            /// Viscous damping of joints and tendons (J).
            dampers;
            /// Forces and wrenches that are applied from outside (J).
            applied;
            /// What belts, prescribed bodies and functions of time do through contacts, equalities, cables and joints of loops (J).
            prescribed;
            /// Change of the energy by the removal of overlap at the beginning of the step (J).
            projection;
            /// What equalities take, at the beginning of the step, of velocities that they forbid: those that somebody set, or that a step
            /// with contacts has left (J).
            velocity_projection;
            /// What none of these explains: the error of the integration (J).
            numerical;
        }
    };
}

macro_rules! declare_work {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        /// Work by cause (J), of a step or added up over several; the sum is the change of the energy.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct Work {
            $($(#[doc = $doc])+ pub $name: f64,)+
        }

        impl Work {
            /// All causes, in their order.
            pub const FIELDS: &'static [WorkField] = &[$(WorkField {
                name: stringify!($name),
                doc: concat!($($doc),+).trim_ascii(),
                get: |work| work.$name,
                get_mut: |work| &mut work.$name,
            },)+];
        }
    };
}

work_fields!(declare_work);

impl Work {
    /// Of all causes together: the change of the energy (J).
    pub fn total(&self) -> f64 {
        Self::FIELDS.iter().map(|field| (field.get)(self)).sum()
    }

    /// Makes the account close: what is left of a change of energy is numerical.
    pub(crate) fn close(&mut self, energy_change: f64) {
        self.numerical = 0.0;
        self.numerical = energy_change - self.total();
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        for field in Self::FIELDS {
            *(field.get_mut)(self) += (field.get)(&other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_add_up_cause_by_cause_and_what_is_left_of_a_change_is_numerical() {
        let mut sum = Work { friction: -2.0, drives: 3.0, ..Work::default() };
        sum += Work { friction: -1.0, projection: 0.5, ..Work::default() };
        assert_eq!((sum.friction, sum.drives, sum.projection, sum.total()), (-3.0, 3.0, 0.5, 0.5));
        for change in [1.0, -4.0] {
            sum.close(change);
            assert_eq!((sum.numerical, sum.total()), (change - 0.5, change));
        }
        let names: Vec<&str> = Work::FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), 10);
        assert!(Work::FIELDS.iter().all(|field| !field.doc.is_empty() && field.doc.contains("(J)")));
    }
}
