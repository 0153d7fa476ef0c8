//! Scenes of public reports about other engines, with the right answers derived from rigid-body mechanics, at steps of any size.

mod balls;
mod mechanisms;
mod supports;

use stiction::sim::Stepper;

const G: f64 = 9.81;

/// Steps (s).
const STEPS: [f64; 4] = [5e-4, 2e-3, 5e-3, 1e-2];

/// The steppers that know restitution; the last one locates impacts in time.
const WITH_EVENTS: [Stepper; 3] = [Stepper::TimeStepping, Stepper::Rattle, Stepper::EventDriven];

/// Runs a check under these steppers with all steps.
fn at_all(steppers: &[Stepper], mut check: impl FnMut(Stepper, f64)) {
    for &stepper in steppers {
        STEPS.iter().for_each(|&h| check(stepper, h));
    }
}

/// Fails unless an error is within its bound.
fn holds(what: std::fmt::Arguments<'_>, error: f64, bound: f64) {
    assert!(error <= bound, "{what}: off by {error:e}, allowed {bound:e}");
}

/// Position and speed after a time of what starts at `x` at rest, by the classic rule of Runge and Kutta in steps of 10 us.
fn integrated(x: f64, duration: f64, acceleration: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let h = 1e-5;
    let rate = |[x, v]: [f64; 2]| [v, acceleration(x, v)];
    let ahead = |s: [f64; 2], part: f64, r: [f64; 2]| [s[0] + part * h * r[0], s[1] + part * h * r[1]];
    (0..(duration / h).round() as usize).fold([x, 0.0], |s, _| {
        let a = rate(s);
        let b = rate(ahead(s, 0.5, a));
        let c = rate(ahead(s, 0.5, b));
        let d = rate(ahead(s, 1.0, c));
        ahead(ahead(ahead(ahead(s, 1.0 / 6.0, a), 1.0 / 3.0, b), 1.0 / 3.0, c), 1.0 / 6.0, d)
    })
}
