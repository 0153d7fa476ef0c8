//! The points at which two shapes come closest, and the stretch that lines of both share.

use super::WitnessPair;
use crate::geometry::convex::support::Convex;
use crate::geometry::direction::length_and_direction;
use crate::geometry::segment::{Segment, closest_segments};
use nalgebra::Vector3;

/// Sine up to which lines lie along each other rather than cross, and are across the normal.
const PARALLEL: f64 = 1e-9;

/// A pair of points of the cores `between` apart along n, with the distance at which they miss that: of all points and
/// lines active along n within rounding, those that meet best.
pub(crate) fn witness(a: &Convex, b: &Convex, n: &Vector3<f64>, between: f64) -> (WitnessPair, f64) {
    let point = |core: &Convex, n: &Vector3<f64>| {
        let x = core.support(n);
        [x, x]
    };
    let none = WitnessPair { on_a: a.support(n), on_b: b.support(&-n), label_a: None, label_b: None };
    let mut best = (none, f64::INFINITY);
    let mut consider = |first: [Vector3<f64>; 2], second: [Vector3<f64>; 2]| {
        let flat = |ends: [Vector3<f64>; 2]| {
            let along = ends[1] - ends[0];
            let along = along - n * n.dot(&along);
            let middle = (ends[0] + ends[1]) * 0.5;
            let center = middle - n * n.dot(&middle);
            let (length, direction) = length_and_direction(&along).unwrap_or((0.0, Vector3::zeros()));
            Segment { center, direction, half_length: 0.5 * length }
        };
        let (p, q) = (flat(first), flat(second));
        let (s, t) = closest_segments(&p, &q);
        let at = |ends: [Vector3<f64>; 2], t: f64, half_length: f64| {
            let middle = (ends[0] + ends[1]) * 0.5;
            if half_length > 0.0 { middle + (ends[1] - ends[0]) * (0.5 * t / half_length) } else { middle }
        };
        let (on_a, on_b) = (at(first, s, p.half_length), at(second, t, q.half_length));
        let miss = (on_b - on_a - n * between).norm();
        if miss < best.1 {
            best = (WitnessPair { on_a, on_b, ..none }, miss);
        }
    };
    let (first, second) = (point(a, n), point(b, &-n));
    consider(first, second);
    a.lines_across(n, PARALLEL, |_, first| consider(first, second));
    b.lines_across(&-n, PARALLEL, |_, second| {
        consider(first, second);
        a.lines_across(n, PARALLEL, |_, first| consider(first, second));
    });
    best
}

/// Where lines of the two surfaces lie over each other along n: the two ends of the stretch they share.
pub(crate) fn shared_stretch(a: &Convex, b: &Convex, n: &Vector3<f64>, mut each: impl FnMut(WitnessPair)) {
    a.lines_across(n, PARALLEL, |along, first| {
        b.lines_across(&-n, PARALLEL, |other, second| {
            if along.cross(&other).norm() > PARALLEL {
                return;
            }
            let length = (first[1] - first[0]).norm();
            let [p, q] = second.map(|x| along.dot(&(x - first[0])));
            let (low, high) = (p.min(q).max(0.0), p.max(q).min(length));
            if low >= high {
                return;
            }
            for t in [low, high] {
                let on_a = first[0] + along * t;
                let on_b = second[0] + (second[1] - second[0]) * ((t - p) / (q - p));
                let between = on_b - on_a;
                if (between - n * n.dot(&between)).norm() <= PARALLEL * length {
                    each(WitnessPair { on_a, on_b, label_a: None, label_b: None });
                }
            }
        });
    });
}
