//! Why steppers hand sets of trees back: the rules of the acceleration and the event-driven stepper hold of smooth motions in which the
//! contacts that press are the same, and of impacts of points; impulses at both ends, where the pose at the end can obey the laws.
//!
//! A set that is handed back takes the step, or the rest of it, by another rule: from forces to impulses at both ends, which are of order
//! two, from these to the first order. That is no failure, but a user who chose a stepper for its accuracy has to know where it did not act:
//! so every set counts once a step, by the first thing that happened to it.

use serde::{Deserialize, Serialize};

/// Declares the reasons to the macro `$declare`: name of the kind, name of its count, what it is.
macro_rules! hand_back_reasons {
    ($declare:ident) => {
        $declare! {
            /// Springs, dampers, drives or viscous friction too stiff for an explicit rule.
            Stiffness stiffness;
            /// A contact with dry friction hits, which the acceleration stepper has no impulse for.
            FrictionalImpact frictional_impact;
            /// A contact closes within the step of the acceleration stepper.
            NewContact new_contact;
            /// A contact that presses is no longer found, as where a body leaves an edge.
            LostContact lost_contact;
            /// Sliding with dry friction comes to rest or turns round.
            SlipReversal slip_reversal;
            /// The forces of contacts do not keep their gaps closed, however short the parts of the step are, or energy changes without a
            /// cause: the motion is not smooth enough for its rule.
            Drift drift;
            /// A body may have passed another, however short the parts of the step are.
            Passage passage;
            /// A body travels farther than contacts were looked for at the beginning of the step.
            FarTravel far_travel;
            /// More impacts, or reversals of sliding, than a step can hold.
            EventSeries event_series;
            /// No forces obey the laws (Painleve's paradox).
            Inconsistency inconsistency;
            /// The solver found no forces.
            UnsolvedForces unsolved_forces;
            /// A limit is reached, or an equality, a loop, dry friction of a joint, a tendon or a cable acts: only contacts are forces.
            Constraint constraint;
            /// Impulses at both ends of a part of the step do not settle, however short it is: the rest of the step is of first order.
            Unsettled unsettled;
        }
    };
}

macro_rules! declare_hand_backs {
    ($($(#[doc = $doc:literal])+ $reason:ident $name:ident;)+) => {
        /// Why a set of trees is handed back.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum HandBack {
            $($(#[doc = $doc])+ $reason,)+
        }

        impl HandBack {
            /// All reasons, in their order.
            pub const ALL: &'static [HandBack] = &[$(HandBack::$reason,)+];

            /// Name, as in recordings (`hand_back_NAME`), `--json` and Python.
            pub fn name(self) -> &'static str {
                match self {
                    $(HandBack::$reason => stringify!($name),)+
                }
            }
        }

        /// Sets of trees that were handed back, by reason.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct HandBacks {
            $($(#[doc = $doc])+ #[serde(default)] pub $name: usize,)+
        }

        impl HandBacks {
            /// How many for a reason.
            pub fn of(&self, reason: HandBack) -> usize {
                match reason {
                    $(HandBack::$reason => self.$name,)+
                }
            }

            /// Their place.
            pub fn of_mut(&mut self, reason: HandBack) -> &mut usize {
                match reason {
                    $(HandBack::$reason => &mut self.$name,)+
                }
            }
        }
    };
}

hand_back_reasons!(declare_hand_backs);

impl HandBacks {
    /// How many for any reason.
    pub fn total(&self) -> usize {
        HandBack::ALL.iter().map(|&reason| self.of(reason)).sum()
    }

    /// Counts and reasons, of those that there were.
    pub fn present(&self) -> impl Iterator<Item = (HandBack, usize)> {
        let counts = *self;
        HandBack::ALL.iter().map(move |&reason| (reason, counts.of(reason))).filter(|(_, count)| *count > 0)
    }
}

impl std::ops::AddAssign for HandBacks {
    fn add_assign(&mut self, other: Self) {
        other.present().for_each(|(reason, count)| *self.of_mut(reason) += count);
    }
}

impl std::fmt::Display for HandBack {
    /// The name in words.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, word) in self.name().split('_').enumerate() {
            write!(f, "{}{word}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_backs_add_up_reason_by_reason_and_those_that_there_were_are_told_in_words() {
        let mut sum = HandBacks { slip_reversal: 2, ..HandBacks::default() };
        sum += HandBacks { slip_reversal: 1, inconsistency: 4, ..HandBacks::default() };
        assert_eq!((sum.slip_reversal, sum.inconsistency, sum.total()), (3, 4, 7));
        let told: Vec<String> = sum.present().map(|(reason, n)| format!("{reason} {n}")).collect();
        assert_eq!(told, ["slip reversal 3", "inconsistency 4"]);
        for &reason in HandBack::ALL {
            let mut one = HandBacks::default();
            *one.of_mut(reason) += 1;
            assert_eq!(one.present().collect::<Vec<_>>(), [(reason, 1)]);
        }
    }
}
