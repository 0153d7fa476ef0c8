//! The law of a contact: how its impulse answers its relative velocity.

use crate::suggestion::did_you_mean;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The law of one contact. Every contact obeys Signorini's condition along the normal; laws differ in what happens
/// tangentially.
///
/// ```
/// use stiction::Law;
///
/// let law: Law = "coulomb 0.3 viscous 2".parse()?;
/// assert_eq!(law, Law::CoulombViscous { mu: 0.3, viscosity: 2.0 });
/// assert_eq!(law.rows(), 3);
/// assert_eq!(law.to_string(), "coulomb 0.3 viscous 2");
/// # Ok::<(), stiction::model::LawError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// No tangential impulse.
    Frictionless,
    /// Dry friction: the tangential impulse is at most `mu` times the normal impulse and opposes sliding.
    Coulomb {
        /// Coefficient of friction.
        mu: f64,
    },
    /// While the contact presses it does not slide, whatever the tangential impulse (Drumwright 2015, *Rapidly computable viscous friction and no-slip rigid contact models*, section VI).
    NoSlip,
    /// The tangential force is `-viscosity` times the sliding velocity while the contact touches, whatever the normal
    /// impulse (Drumwright 2015, section IV).
    Viscous {
        /// Coefficient of each contact point (N s/m): four corners make four times as much.
        viscosity: f64,
    },
    /// Both: dry friction, and a viscous force on top (Drumwright 2015, eq. 13-15).
    CoulombViscous {
        /// Coefficient of dry friction.
        mu: f64,
        /// Coefficient of each contact point (N s/m).
        viscosity: f64,
    },
}

impl Law {
    /// The kinds of laws, as [`Law::kind`] numbers them.
    pub const KINDS: [&'static str; 5] = ["frictionless", "coulomb", "no-slip", "viscous", "coulomb viscous"];

    /// Number of the kind in [`Law::KINDS`].
    pub fn kind(&self) -> usize {
        match self {
            Law::Frictionless => 0,
            Law::Coulomb { .. } => 1,
            Law::NoSlip => 2,
            Law::Viscous { .. } => 3,
            Law::CoulombViscous { .. } => 4,
        }
    }

    /// Number of rows of a contact: the normal, and two tangents if there can be a tangential impulse.
    pub fn rows(&self) -> usize {
        if matches!(self, Law::Frictionless) { 1 } else { 3 }
    }

    /// Coefficient of dry friction; infinite without slip.
    pub fn mu(&self) -> f64 {
        match *self {
            Law::Frictionless | Law::Viscous { .. } => 0.0,
            Law::Coulomb { mu } | Law::CoulombViscous { mu, .. } => mu,
            Law::NoSlip => f64::INFINITY,
        }
    }

    /// Viscous coefficient (N s/m).
    pub fn viscosity(&self) -> f64 {
        match *self {
            Law::Viscous { viscosity } | Law::CoulombViscous { viscosity, .. } => viscosity,
            _ => 0.0,
        }
    }

    /// The same law, simpler where a coefficient is zero.
    pub(crate) fn simplified(self) -> Law {
        match self {
            Law::Coulomb { mu: 0.0 } | Law::Viscous { viscosity: 0.0 } => Law::Frictionless,
            Law::CoulombViscous { mu, viscosity: 0.0 } => Law::Coulomb { mu }.simplified(),
            Law::CoulombViscous { mu: 0.0, viscosity } => Law::Viscous { viscosity },
            law => law,
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Law::Frictionless | Law::NoSlip => f.write_str(Law::KINDS[self.kind()]),
            Law::Coulomb { mu } => write!(f, "coulomb {mu}"),
            Law::Viscous { viscosity } => write!(f, "viscous {viscosity}"),
            Law::CoulombViscous { mu, viscosity } => write!(f, "coulomb {mu} viscous {viscosity}"),
        }
    }
}

/// Why a text is not a law.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{text:?} is not a law: {reason}")]
pub struct LawError {
    text: String,
    reason: String,
}

impl FromStr for Law {
    type Err = LawError;

    /// Reads `frictionless`, `no-slip`, `coulomb MU`, `viscous C` or `coulomb MU viscous C`.
    fn from_str(text: &str) -> Result<Law, LawError> {
        let error = |reason: String| LawError { text: text.into(), reason };
        let words: Vec<&str> = text.split_whitespace().collect();
        let coefficient = |what: &str, word: &str| match word.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
            _ => {
                Err(error(format!("the coefficient of {what} is {word:?}, a number of at least 0 is needed")))
            }
        };
        match words[..] {
            ["frictionless"] => Ok(Law::Frictionless),
            ["no-slip"] => Ok(Law::NoSlip),
            ["coulomb", mu] => Ok(Law::Coulomb { mu: coefficient("friction", mu)? }),
            ["viscous", c] => Ok(Law::Viscous { viscosity: coefficient("viscosity", c)? }),
            ["coulomb", mu, "viscous", c] => Ok(Law::CoulombViscous {
                mu: coefficient("friction", mu)?,
                viscosity: coefficient("viscosity", c)?,
            }),
            _ => {
                let known = "frictionless, no-slip, coulomb MU, viscous C, or coulomb MU viscous C";
                let first = words.first().copied().unwrap_or_default();
                let hint = did_you_mean(first, ["frictionless", "no-slip", "coulomb", "viscous"]);
                Err(error(format!("it must be {known}{hint}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_is_what_its_text_says_and_other_texts_are_refused_with_what_would_be_right() {
        let laws = [
            Law::Frictionless,
            Law::NoSlip,
            Law::Coulomb { mu: 0.3 },
            Law::Viscous { viscosity: 2.5 },
            Law::CoulombViscous { mu: 0.1, viscosity: 4.0 },
        ];
        for law in laws {
            assert_eq!(law.to_string().parse::<Law>().unwrap(), law);
        }
        for (text, part) in [
            ("", "it must be"),
            ("coulom 0.3", "did you mean \"coulomb\""),
            ("coulomb", "it must be"),
            ("coulomb -1", "\"-1\""),
            ("viscous nan", "\"nan\""),
            ("no-slip 3", "it must be"),
        ] {
            let message = text.parse::<Law>().unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
