//! Broad phase: the pairs of brute force, in order, without allocation once warm.

use crate::common::allocator::count;
use nalgebra::Vector3;
use rand_free::Numbers;
use stiction::geometry::{Aabb, BroadPhase, Shape, collide};
use stiction::spatial::Transform;

fn allocations(work: impl FnOnce()) -> usize {
    let before = count();
    work();
    count() - before
}

/// Repeatable numbers without a crate: the 64-bit generator of Knuth's MMIX.
mod rand_free {
    pub(crate) struct Numbers(pub(crate) u64);

    impl Numbers {
        pub(crate) fn next(&mut self, low: f64, high: f64) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }
}

fn boxes(count: usize, numbers: &mut Numbers, unbounded_every: usize) -> Vec<Option<Aabb>> {
    let side = (count as f64).cbrt();
    (0..count)
        .map(|i| {
            if unbounded_every > 0 && i % unbounded_every == 7 {
                return None;
            }
            let min = Vector3::from_fn(|_, _| numbers.next(0.0, side));
            Some(Aabb { min, max: min + Vector3::from_fn(|_, _| numbers.next(0.0, 1.0)) })
        })
        .collect()
}

fn brute_force(aabbs: &[Option<Aabb>], may_collide: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for i in 0..aabbs.len() {
        for j in i + 1..aabbs.len() {
            let overlap = match (&aabbs[i], &aabbs[j]) {
                (Some(a), Some(b)) => (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k]),
                _ => true,
            };
            if overlap && may_collide(i, j) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

fn wiggle(aabbs: &mut [Option<Aabb>], numbers: &mut Numbers, step: f64) {
    for aabb in aabbs.iter_mut().flatten() {
        let d = Vector3::from_fn(|_, _| numbers.next(-step, step));
        aabb.min += d;
        aabb.max += d;
    }
}

#[test]
fn the_pairs_are_those_of_brute_force_whatever_moves_comes_or_goes() {
    let mut numbers = Numbers(1);
    let mut broad = BroadPhase::new();
    let mut out = Vec::new();
    for count in [0, 1, 2, 3, 15, 31, 32, 33, 34, 100, 500, 40, 2, 700, 35, 0, 64] {
        for unbounded_every in [0, 10] {
            let mut aabbs = boxes(count, &mut numbers, unbounded_every);
            for step in [0.0, 0.01, 0.3, 5.0, 0.01, 0.01] {
                wiggle(&mut aabbs, &mut numbers, step);
                let may = |i: usize, j: usize| !(i * 7 + j).is_multiple_of(5);
                broad.pairs(&aabbs, may, &mut out);
                assert_eq!(out, brute_force(&aabbs, may), "{count} boxes after moves of {step}");
            }
        }
    }
}

#[test]
fn stacked_boxes_that_just_touch_are_pairs() {
    let aabbs: Vec<_> = (0..50)
        .map(|i| {
            let min = Vector3::new(0.0, 0.0, f64::from(i));
            Some(Aabb { min, max: min.add_scalar(1.0) })
        })
        .collect();
    let mut out = Vec::new();
    BroadPhase::new().pairs(&aabbs, |_, _| true, &mut out);
    assert_eq!(out, (0..49).map(|i| (i, i + 1)).collect::<Vec<_>>());
}

#[test]
fn coincident_and_not_finite_boxes_are_all_paired() {
    let same = Aabb { min: Vector3::zeros(), max: Vector3::repeat(1.0) };
    let mut aabbs = vec![Some(same); 60];
    aabbs[3] = Some(Aabb { min: Vector3::repeat(f64::NAN), max: Vector3::repeat(1.0) });
    let mut out = Vec::new();
    BroadPhase::new().pairs(&aabbs, |_, _| true, &mut out);
    assert_eq!(out.len(), 60 * 59 / 2);
}

#[test]
fn a_second_call_of_no_larger_size_allocates_nothing() {
    let mut numbers = Numbers(2);
    for count in [10, 300, 3000] {
        let mut aabbs = boxes(count, &mut numbers, 20);
        let mut broad = BroadPhase::new();
        let mut out = Vec::new();
        broad.pairs(&aabbs, |_, _| true, &mut out);
        out.reserve(out.len());
        // Small moves are refitted, large ones rebuild the tree.
        for step in [0.001, 0.01, 0.1, 3.0, 0.1, 0.1, 3.0] {
            wiggle(&mut aabbs, &mut numbers, step);
            let spent = allocations(|| broad.pairs(&aabbs, |_, _| true, &mut out));
            assert_eq!(spent, 0, "{count} boxes moved by {step}");
        }
    }
}

#[test]
fn the_narrow_phase_allocates_nothing_into_a_buffer_with_room() {
    let shapes = [
        Shape::Plane,
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule { radius: 0.3, half_length: 0.6 },
        Shape::Box { half_extents: Vector3::new(0.5, 0.6, 0.7) },
    ];
    let mut out = Vec::with_capacity(16);
    let mut numbers = Numbers(3);
    let mut found = 0;
    let spent = allocations(|| {
        for _ in 0..200 {
            let place = Vector3::from_fn(|_, _| numbers.next(-0.7, 0.7));
            let (x, y) = (Transform::identity(), Transform::from_translation(place));
            for a in &shapes {
                for b in &shapes {
                    out.clear();
                    collide(a, &x, b, &y, 0.1, &mut out);
                    found += out.len();
                }
            }
        }
    });
    assert_eq!(spent, 0);
    assert!(found > 1000);
}
