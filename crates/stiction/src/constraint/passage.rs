//! What a force along one velocity of a mechanism does while the velocity goes from one value to another.
//!
//! Dampers and drives act along dofs, tendons and joints of loops. In a step of the implicit rule with the gains `k` and `d` the force
//! is that of the end of the step (see [`crate::constraint::tendon`]),
//!
//! ```text
//! f+ = f - k h u+ - d (u+ - u),
//! ```
//!
//! and does the work `h f+ (u- + u+) / 2`. At an instant, as in the stages of an explicit rule, all velocities are one.

use super::kind::Implicit;
use super::tendon::Gains;

/// A part of a step: coordinates and velocities (those of loops among them) with which forces were found, and the velocities
/// before and after, along which they do work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage<'a> {
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
    pub(crate) before: &'a [f64],
    pub(crate) after: &'a [f64],
    /// How long it lasts (s).
    pub(crate) duration: f64,
    /// Which gains act at its end.
    pub(crate) implicit: Implicit,
}

impl<'a> Passage<'a> {
    /// An instant that counts for some time (s).
    pub(crate) fn instant(q: &'a [f64], v: &'a [f64], duration: f64) -> Self {
        Self { q, v, before: v, after: v, duration, implicit: Implicit::Nothing }
    }

    /// The values of a combination of velocities.
    pub(crate) fn along(&self, combination: impl Fn(&[f64]) -> f64) -> Rates {
        let [now, before, after] = [self.v, self.before, self.after].map(combination);
        Rates { now, mean: 0.5 * (before + after), after, duration: self.duration, implicit: self.implicit }
    }
}

/// A velocity in a passage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// With which forces were found, mean of before and after, and after.
    now: f64,
    pub(crate) mean: f64,
    after: f64,
    duration: f64,
    implicit: Implicit,
}

impl Rates {
    /// The impulse of a force that was found to be `force` and has these gains (N s or N m s).
    pub(crate) fn impulse(&self, force: f64, gains: Gains) -> f64 {
        let damped = gains.rate * (self.after - self.now);
        let changed = match self.implicit {
            Implicit::All => gains.position * self.duration * self.after + damped,
            Implicit::Damping => damped,
            Implicit::Nothing => 0.0,
        };
        self.duration * (force - changed)
    }

    /// The impulse that a rotor takes, which at an instant is not known from velocities.
    pub(crate) fn rotor(&self, inertia: f64) -> f64 {
        if self.implicit != Implicit::Nothing { inertia * (self.now - self.after) } else { 0.0 }
    }

    /// The impulse of a damper.
    pub(crate) fn damper(&self, damping: f64) -> f64 {
        self.impulse(-damping * self.now, Gains { rate: damping, position: 0.0 })
    }
}

/// What drives and dampers do along a line, and what is prescribed along it (J).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineWork {
    pub(crate) drives: f64,
    pub(crate) dampers: f64,
    pub(crate) prescribed: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_implicit_force_is_that_of_the_end_and_an_instant_has_but_one_velocity() {
        let (q, v, after) = ([0.5], [2.0], [1.0]);
        let (k, d, h) = (30.0, 4.0, 0.1);
        let force = |q: f64, u: f64| -k * q - d * u;
        let passage =
            Passage { q: &q, v: &v, before: &v, after: &after, duration: h, implicit: Implicit::All };
        let rates = passage.along(|v| v[0]);
        let found = rates.impulse(force(q[0], v[0]), Gains { rate: d, position: k });
        assert!((found - h * force(q[0] + h * after[0], after[0])).abs() < 1e-15);
        assert_eq!(rates.mean, 1.5);
        assert!((rates.damper(d) + h * d * after[0]).abs() < 1e-15);
        let instant = Passage::instant(&q, &v, h).along(|v| v[0]);
        assert_eq!((instant.mean, instant.damper(d)), (2.0, -h * d * v[0]));
    }
}
