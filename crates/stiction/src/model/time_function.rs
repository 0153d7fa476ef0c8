//! Functions of time that a coordinate may be bound to, with their first two derivatives.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A function of the time `t` (s). As text: `rate R`, `harmonic MIDDLE AMPLITUDE FREQUENCY [PHASE]` (Hz and
/// rad) or `polynomial A0 A1 ...`.
///
/// ```
/// use stiction::model::TimeFunction;
///
/// let swing: TimeFunction = "polynomial 1 2 3".parse()?;
/// assert_eq!(swing.at(2.0), [17.0, 14.0, 6.0]); // value, rate, acceleration
/// # Ok::<(), stiction::model::TimeFunctionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TimeFunction {
    /// `middle + amplitude sin(2 pi frequency t + phase)`.
    Harmonic {
        /// Value in the middle.
        middle: f64,
        /// Amplitude.
        amplitude: f64,
        /// Frequency (Hz).
        frequency: f64,
        /// Phase (rad).
        phase: f64,
    },
    /// `a0 + a1 t + a2 t^2 + ...`.
    Polynomial(Vec<f64>),
}

/// Why a text is not a [`TimeFunction`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a function of time is 'rate R', 'harmonic MIDDLE AMPLITUDE FREQUENCY [PHASE]' (Hz, rad) or 'polynomial A0 A1 ...' with numbers"
)]
pub struct TimeFunctionError;

impl TimeFunction {
    /// From zero at time zero with a constant rate.
    pub fn rate(rate: f64) -> Self {
        Self::Polynomial(vec![0.0, rate])
    }

    /// Value, rate and acceleration at a time (s).
    pub fn at(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Harmonic { middle, amplitude, frequency, phase } => {
                let speed = std::f64::consts::TAU * frequency;
                let (sine, cosine) = libm::sincos(speed * t + phase);
                [middle + amplitude * sine, amplitude * speed * cosine, -amplitude * speed * speed * sine]
            }
            Self::Polynomial(coefficients) => {
                let (mut value, mut slope, mut half_curvature) = (0.0, 0.0, 0.0);
                for a in coefficients.iter().rev() {
                    half_curvature = half_curvature * t + slope;
                    slope = slope * t + value;
                    value = value * t + a;
                }
                [value, slope, 2.0 * half_curvature]
            }
        }
    }
}

impl FromStr for TimeFunction {
    type Err = TimeFunctionError;

    fn from_str(text: &str) -> Result<Self, TimeFunctionError> {
        let mut words = text.split_ascii_whitespace();
        let kind = words.next();
        let numbers: Result<Vec<f64>, _> = words.map(str::parse).collect();
        let numbers = numbers.map_err(|_| TimeFunctionError)?;
        match (kind, numbers.as_slice()) {
            (Some("rate"), [rate]) => Ok(Self::rate(*rate)),
            (Some("harmonic"), [middle, amplitude, frequency, rest @ ..]) if rest.len() <= 1 => {
                let (middle, amplitude, frequency) = (*middle, *amplitude, *frequency);
                let phase = rest.first().copied().unwrap_or_default();
                Ok(Self::Harmonic { middle, amplitude, frequency, phase })
            }
            (Some("polynomial"), [_, ..]) => Ok(Self::Polynomial(numbers)),
            _ => Err(TimeFunctionError),
        }
    }
}

impl fmt::Display for TimeFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Harmonic { middle, amplitude, frequency, phase } => {
                write!(f, "harmonic {middle} {amplitude} {frequency} {phase}")
            }
            Self::Polynomial(coefficients) => {
                write!(f, "polynomial")?;
                coefficients.iter().try_for_each(|a| write!(f, " {a}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_accelerations_are_the_derivatives() {
        let functions = ["rate -2", "harmonic 0.1 0.5 0.7 0.3", "polynomial 1 -2 0.5 0.25 -1"];
        for function in functions.map(|text| text.parse::<TimeFunction>().unwrap()) {
            let (t, d) = (0.4, 1e-4);
            let [before, now, after] = [t - d, t, t + d].map(|t| function.at(t));
            assert!((now[1] - (after[0] - before[0]) / (2.0 * d)).abs() < 1e-6, "{function}");
            assert!((now[2] - (after[1] - before[1]) / (2.0 * d)).abs() < 1e-6, "{function}");
            assert_eq!(function.to_string().parse::<TimeFunction>().unwrap(), function);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "rate", "rate 1 2", "harmonic 1 2", "harmonic 1 2 3 4 5", "polynomial", "rate x", "sine 1"]
        {
            assert!(text.parse::<TimeFunction>().is_err(), "{text}");
        }
    }
}
