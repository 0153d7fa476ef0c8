//! Where a descent restarts after it has ended in a local minimum.
//!
//! A merit function has minima that solve nothing; which of them a descent ends in depends on where it begins. After a
//! warm start methods try the cold one, then points spread over the box by fixed random numbers, the same in every solve.

/// Boxes no wider (equilibrated) are sampled from end to end; otherwise points come from this far, by attempt.
const WIDE: f64 = 100.0;
const SIZES: [f64; 3] = [1.0, 10.0, 0.1];

/// Writes a point spread over the box into `z`, the same for the same attempt. It still has to be projected: a product with
/// a width may round beyond the bound.
pub(crate) fn scatter(attempt: usize, bounds: impl Iterator<Item = [f64; 2]>, z: &mut [f64]) {
    let mut state = attempt as u64;
    for (z, [lower, upper]) in z.iter_mut().zip(bounds) {
        let random = unit_random(&mut state);
        *z = if upper - lower <= WIDE {
            lower + random * (upper - lower)
        } else {
            SIZES[attempt % 3] * (2.0 * random - 1.0)
        };
    }
}

/// Writes a point of a box, in the problem's units, `distance` times 1/2 to 3/2 from a bound; from zero where there is none, and within narrow
/// boxes anywhere.
pub(crate) fn scatter_inside(
    attempt: usize,
    distance: f64,
    bounds: impl Fn(usize) -> [f64; 2],
    z: &mut [f64],
) {
    let mut state = attempt as u64;
    for (i, z) in z.iter_mut().enumerate() {
        let random = unit_random(&mut state);
        let far = distance * (0.5 + random);
        *z = match bounds(i) {
            [lower, upper] if upper - lower <= 2.0 * distance => lower + random * (upper - lower),
            [f64::NEG_INFINITY, f64::INFINITY] => 2.0 * distance * (2.0 * random - 1.0),
            [f64::NEG_INFINITY, upper] => upper - far,
            [lower, _] => lower + far,
        };
    }
}

/// A number in [0, 1) by the SplitMix64 generator (Steele, Lea, Flood 2014).
fn unit_random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_fill_narrow_boxes_and_differ_from_attempt_to_attempt_but_not_from_call_to_call() {
        let bounds = [[-1.0, 1.0], [0.0, f64::INFINITY], [f64::NEG_INFINITY, f64::INFINITY], [2.0, 2.0]];
        let at = |attempt: usize| {
            let mut z = [0.0; 4];
            scatter(attempt, bounds.into_iter(), &mut z);
            z
        };
        assert_eq!(at(1), at(1));
        for attempt in 0..100 {
            let z = at(attempt);
            assert!(z[0].abs() <= 1.0 && z[1].abs() <= 10.0 && z[2].abs() <= 10.0 && z[3] == 2.0, "{z:?}");
            assert_ne!(z, at(attempt + 1));
        }
        let lowest = (0..100).map(|attempt| at(attempt)[0]).fold(1.0, f64::min);
        let highest = (0..100).map(|attempt| at(attempt)[0]).fold(-1.0, f64::max);
        assert!(lowest < -0.9 && highest > 0.9);
    }
}
