//! Cones that impulses are confined to, and the projections on them.
//!
//! A block of a cone problem is a few rows of impulse `r` and velocity `u` under one law:
//!
//! | block | impulse | law |
//! |---|---|---|
//! | free | any | `u = 0`: a bilateral joint, a contact without slip |
//! | nonnegative | `r >= 0` | `0 <= r  perp  u >= 0`: a frictionless contact, a limit |
//! | interval | `lo <= r <= hi` | `u >= 0` at `lo`, `u <= 0` at `hi`, `u = 0` between: dry joint friction, a bounded drive |
//! | Coulomb | `|r_t| <= mu r_n` | Signorini's condition and friction against sliding |
//! | no slip | `r_n >= 0`, `r = 0` where `r_n = 0` | `u = 0` where the contact is active, `u_n >= 0` where it is not |
//!
//! # References
//! V. Acary, B. Brogliato, *Numerical Methods for Nonsmooth Dynamical Systems*, 2008, chapter 4; G. De Saxce,
//! Z.-Q. Feng, *The bipotential method*, Mathematical and Computer Modelling 28 (1998) 225-245.

use crate::problem::error::SolverError;
use serde::{Deserialize, Serialize};

/// The law of one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cone {
    /// Rows whose velocity vanishes whatever impulse it takes.
    Free {
        /// Number of rows, at least 1.
        dim: usize,
    },
    /// Rows with a nonnegative impulse against approach, each for itself.
    Nonnegative {
        /// Number of rows, at least 1.
        dim: usize,
    },
    /// One row with a bounded impulse.
    Interval {
        /// Least impulse; may be `-inf`.
        #[serde(with = "bound")]
        lower: f64,
        /// Largest impulse; may be `+inf`.
        #[serde(with = "bound")]
        upper: f64,
    },
    /// A contact with dry friction: the normal row, then one (plane problems) or two tangential rows.
    Coulomb {
        /// Number of rows: 2 or 3.
        dim: usize,
        /// Coefficient of friction, at least 0.
        mu: f64,
    },
    /// A contact that sticks while it is active, whatever the tangential impulse: Coulomb's law for `mu` beyond all bounds.
    NoSlip {
        /// Number of rows: 2 or 3.
        dim: usize,
    },
}

/// Bounds in files: infinite ones as text, since JSON has no such numbers.
mod bound {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Bound {
        Number(f64),
        Text(String),
    }

    pub(crate) fn serialize<S: Serializer>(bound: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let bound = if bound.is_finite() { Bound::Number(*bound) } else { Bound::Text(bound.to_string()) };
        bound.serialize(serializer)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<f64, D::Error> {
        match Bound::deserialize(deserializer)? {
            Bound::Number(number) => Ok(number),
            Bound::Text(text) => match text.as_str() {
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                _ => Err(D::Error::custom(format!(
                    "{text:?} is no bound: a number, \"inf\" or \"-inf\" is needed"
                ))),
            },
        }
    }
}

impl Cone {
    /// Number of rows.
    pub fn dim(&self) -> usize {
        match *self {
            Cone::Free { dim }
            | Cone::Nonnegative { dim }
            | Cone::Coulomb { dim, .. }
            | Cone::NoSlip { dim } => dim,
            Cone::Interval { .. } => 1,
        }
    }

    /// Whether the rows belong together: normal and tangents of a contact with friction.
    pub fn is_contact(&self) -> bool {
        matches!(self, Cone::Coulomb { .. } | Cone::NoSlip { .. })
    }

    /// Checks the numbers of block `block`.
    ///
    /// # Errors
    /// [`SolverError::Cone`] or [`SolverError::Bounds`] naming the block.
    pub fn validate(&self, block: usize) -> Result<(), SolverError> {
        let refuse = |what, value| Err(SolverError::Cone { block, what, value });
        match *self {
            Cone::Free { dim: 0 } | Cone::Nonnegative { dim: 0 } => {
                refuse("the number of rows must be at least 1", 0.0)
            }
            Cone::Coulomb { dim, .. } | Cone::NoSlip { dim } if dim != 2 && dim != 3 => {
                refuse("a contact with friction has 2 or 3 rows", dim as f64)
            }
            Cone::Coulomb { mu, .. } if !(mu.is_finite() && mu >= 0.0) => {
                refuse("mu must be a finite number of at least 0", mu)
            }
            Cone::Interval { lower, upper } => {
                let ordered = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
                if ordered { Ok(()) } else { Err(SolverError::Bounds { index: block, lower, upper }) }
            }
            _ => Ok(()),
        }
    }

    /// Replaces the impulse `r` of this block by the nearest one its law allows. Interval bounds are multiplied by
    /// `unit`, the factor from impulses to the units of `r`.
    pub fn project(&self, r: &mut [f64], unit: f64) {
        match *self {
            Cone::Free { .. } => {}
            Cone::Nonnegative { .. } => r.iter_mut().for_each(|r| *r = r.max(0.0)),
            Cone::Interval { lower, upper } => r[0] = r[0].max(lower * unit).min(upper * unit),
            Cone::Coulomb { mu, .. } => project_on_friction_cone(r, mu),
            Cone::NoSlip { .. } => open_unless_pressed(r),
        }
    }
}

/// Length of the tangential part of a friction block.
pub fn tangent_norm(block: &[f64]) -> f64 {
    match *block {
        [_, a] => a.abs(),
        [_, a, b] => (a * a + b * b).sqrt(),
        _ => 0.0,
    }
}

/// A contact without slip that is not active carries nothing.
pub(crate) fn open_unless_pressed(r: &mut [f64]) {
    if r[0] <= 0.0 {
        r.fill(0.0);
    }
}

/// Replaces `r = (r_n, r_t)` by the nearest point with `|r_t| <= mu r_n`.
pub(crate) fn project_on_friction_cone(r: &mut [f64], mu: f64) {
    let (normal, tangent) = (r[0], tangent_norm(r));
    // In the polar cone: the apex is nearest. (For mu = 0 this is r_n <= 0, whatever the tangent.)
    if normal <= -mu * tangent {
        r.fill(0.0);
        return;
    }
    if tangent <= mu * normal {
        return;
    }
    let height = (normal + mu * tangent) / (1.0 + mu * mu);
    let shrink = if tangent > 0.0 { mu * height / tangent } else { 0.0 };
    r[0] = height;
    r[1..].iter_mut().for_each(|t| *t *= shrink);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_projection_on_a_friction_cone_is_the_nearest_of_many_points() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(3);
        for mu in [0.0, 0.1, 1.0, 10.0] {
            for _ in 0..200 {
                let x: [f64; 3] = std::array::from_fn(|_| random.random_range(-1.0..1.0));
                let mut p = x;
                Cone::Coulomb { dim: 3, mu }.project(&mut p, 1.0);
                assert!(tangent_norm(&p) <= mu * p[0] + 1e-15);
                let distance = |y: [f64; 3]| (0..3).map(|k| (x[k] - y[k]) * (x[k] - y[k])).sum::<f64>();
                for _ in 0..50 {
                    let n: f64 = random.random_range(0.0..2.0);
                    let (s, angle) = (random.random_range(0.0..1.0_f64), random.random_range(0.0..6.3_f64));
                    let other = [n, mu * n * s * angle.cos(), mu * n * s * angle.sin()];
                    assert!(distance(p) <= distance(other) + 1e-15);
                }
                // Moreau: what is left is normal to the projection and in the polar cone.
                let rest: [f64; 3] = std::array::from_fn(|k| x[k] - p[k]);
                assert!((0..3).map(|k| rest[k] * p[k]).sum::<f64>().abs() < 1e-14);
                assert!(rest[0] + mu * tangent_norm(&rest) < 1e-14);
            }
        }
    }

    #[test]
    fn without_friction_a_pull_along_the_normal_is_projected_on_the_apex() {
        let mut r = [-0.3, 0.0, 0.0];
        Cone::Coulomb { dim: 3, mu: 0.0 }.project(&mut r, 1.0);
        assert_eq!(r, [0.0; 3]);
    }

    #[test]
    fn blocks_with_numbers_out_of_range_are_refused_by_number() {
        for cone in [
            Cone::Free { dim: 0 },
            Cone::Coulomb { dim: 4, mu: 1.0 },
            Cone::Coulomb { dim: 3, mu: -0.1 },
            Cone::Coulomb { dim: 3, mu: f64::NAN },
            Cone::Interval { lower: 1.0, upper: 0.0 },
        ] {
            assert!(cone.validate(7).unwrap_err().to_string().contains('7'), "{cone:?}");
        }
    }
}
