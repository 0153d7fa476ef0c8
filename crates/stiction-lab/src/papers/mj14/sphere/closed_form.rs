//! A sphere thrown along a floor without spin, in closed form, under the round cone and under pyramids.
//!
//! A solid sphere's slip `u`, the velocity of its lowest point, changes by 7/2 of what friction does to its velocity `v`,
//! so that `v = v0 - 2/7 (u0 - u)` at all times, whatever friction does. It rolls when `u = 0`, at `5/7 v0`.
//!
//! * Round cone: friction opposes `u`, which shrinks at the rate `a = 7/2 mu g`, for `u0 / a = 2 v0 / (7 mu g)`.
//! * Pyramid of `k` directions: friction acts along the direction that opposes `u` best, say at an angle `theta` from `-u`.
//!   `u` changes along that direction until the next one opposes it as well, at half the angle `2 pi / k` between them. From
//!   there on both act, the sum straight against `u` and `cos(pi / k)` times too small.
//!
//! Time stepping follows this without error: a step's impulse is that of all its moments.
//!
//! # References
//! J. C. Trinkle, *Formulation of multibody dynamics as complementarity problems*, ASME IDETC 2003 (the round cone).

use std::f64::consts::PI;

/// Speed at the start (m/s), friction, gravity (m/s^2).
pub(super) const SPEED: f64 = 2.0;
const FRICTION: f64 = 0.2;
const GRAVITY: f64 = 9.81;

/// Rate at which the slip shrinks against full friction (m/s^2).
const RATE: f64 = 3.5 * FRICTION * GRAVITY;

/// Speed when it rolls, under every law of friction (m/s).
pub(super) const ROLLING: f64 = 5.0 / 7.0 * SPEED;

/// How long it slides under the round cone (s).
pub(super) const SLIDING: f64 = SPEED / RATE;

/// A pyramid as the throw sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pyramid {
    /// Half the angle between two directions.
    half: f64,
    /// Angle from the throw to the direction next to it, from 0 to `half`, and the side that it is on.
    off: f64,
    side: f64,
    /// How long one direction acts alone, and until when two do (s).
    alone: f64,
    pub(super) sliding: f64,
}

impl Pyramid {
    /// `directions` around from the x axis; the throw at `angle` from it.
    pub(super) fn new(directions: usize, angle: f64) -> Pyramid {
        let half = PI / directions as f64;
        let turns = angle / (2.0 * half);
        // Positive if the throw is to the left of the nearest direction.
        let signed = (turns - turns.round()) * 2.0 * half;
        let (off, side) = (signed.abs().min(half), if signed < 0.0 { -1.0 } else { 1.0 });
        let (sin, cos) = off.sin_cos();
        let alone = (cos - sin / half.tan()).max(0.0) * SLIDING;
        Pyramid { half, off, side, alone, sliding: alone + sin / half.sin() / half.cos() * SLIDING }
    }

    /// Velocity along the throw and to its left (m/s).
    pub(super) fn velocity(&self, time: f64) -> [f64; 2] {
        // The slip in axes along the nearest direction and to the throw's side.
        let (sin, cos) = self.off.sin_cos();
        let first = time.min(self.alone);
        let second = (time - self.alone).clamp(0.0, self.sliding - self.alone);
        let both = RATE * self.half.cos() * second;
        let slip =
            [SPEED * cos - RATE * first - both * self.half.cos(), SPEED * sin - both * self.half.sin()];
        let along = slip[0] * cos + slip[1] * sin;
        let left = self.side * (slip[1] * cos - slip[0] * sin);
        [SPEED - 2.0 / 7.0 * (SPEED - along), 2.0 / 7.0 * left]
    }
}

/// Velocity along the throw under the round cone (m/s).
pub(super) fn velocity(time: f64) -> f64 {
    SPEED - 2.0 / 7.0 * RATE * time.min(SLIDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Friction along the best of `k` directions, in explicit steps of a microsecond.
    fn in_small_steps(k: usize, angle: f64, until: f64) -> ([f64; 2], f64) {
        let mut slip = [SPEED * angle.cos(), SPEED * angle.sin()];
        let start = slip;
        let (h, mut stop) = (1e-6, until);
        for step in 0..(until / h) as usize {
            let opposing = |j: usize| {
                let turn = 2.0 * PI * j as f64 / k as f64;
                [turn.cos(), turn.sin()]
            };
            let against = |d: [f64; 2]| d[0] * slip[0] + d[1] * slip[1];
            let best =
                (0..k).map(opposing).max_by(|a, b| against(*a).total_cmp(&against(*b))).unwrap_or([1.0, 0.0]);
            if slip[0].hypot(slip[1]) < 2.0 * RATE * h {
                slip = [0.0, 0.0];
                stop = step as f64 * h;
                break;
            }
            (0..2).for_each(|i| slip[i] -= RATE * h * best[i]);
        }
        let change = [0, 1].map(|i| 2.0 / 7.0 * (start[i] - slip[i]));
        let along = change[0] * angle.cos() + change[1] * angle.sin();
        let left = change[1] * angle.cos() - change[0] * angle.sin();
        ([SPEED - along, -left], stop)
    }

    #[test]
    fn the_pyramids_closed_form_is_the_limit_of_small_steps() {
        for (k, degrees) in
            [(4, 0.0), (4, 45.0), (4, 22.5), (4, -10.0), (4, 70.0), (6, 20.0), (8, 22.5), (12, 100.0)]
        {
            let angle = f64::to_radians(degrees);
            let pyramid = Pyramid::new(k, angle);
            for time in [0.05, 0.15, 0.25, 0.3, 0.5] {
                let (velocity, _) = in_small_steps(k, angle, time);
                let exact = pyramid.velocity(time);
                let off = (velocity[0] - exact[0]).hypot(velocity[1] - exact[1]);
                assert!(off < 2e-5, "k {k}, {degrees} degrees, {time} s: {velocity:?} {exact:?}");
            }
            let (_, stop) = in_small_steps(k, angle, 0.6);
            assert!((stop - pyramid.sliding).abs() < 2e-5, "k {k}, {degrees} degrees: {stop} {pyramid:?}");
        }
    }

    #[test]
    fn along_a_direction_a_pyramid_is_the_cone() {
        for k in [4, 8, 32] {
            let pyramid = Pyramid::new(k, 2.0 * PI / k as f64);
            assert!((pyramid.sliding - SLIDING).abs() < 1e-15);
            for time in [0.1, 0.29, 0.4] {
                let [along, left] = pyramid.velocity(time);
                assert!((along - velocity(time)).abs() < 1e-15 && left.abs() < 1e-15);
            }
        }
        assert!((velocity(1.0) - ROLLING).abs() < 1e-15 && (SLIDING - 0.29125).abs() < 1e-5);
    }
}
