//! When something happens: a root in time, by the Illinois variant of false position.
//!
//! # References
//! - M. Dowell, P. Jarratt, *A modified regula falsi method for computing the root of an equation*, BIT 11 (1971).

/// Trials for a root; after half of them the bracket is halved.
const MAX_TRIALS: usize = 100;

/// The time at which `value` is zero to `closed`, between one where it is positive and one where it is negative, given with their values. The
/// last trial is at that time. A bracket that is no longer than `shortest` is not divided any further.
pub(super) fn find_root<E>(
    mut low: (f64, f64),
    mut high: (f64, f64),
    closed: f64,
    shortest: f64,
    mut value: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let mut positive = None;
    let mut time = high.0;
    for trial in 0..MAX_TRIALS {
        let middle = 0.5 * (low.0 + high.0);
        let chord = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let inside = chord > low.0 && chord < high.0;
        time = if inside && 2 * trial < MAX_TRIALS { chord } else { middle };
        let now = value(time)?;
        if now.abs() <= closed || high.0 - low.0 <= shortest {
            break;
        }
        if now > 0.0 {
            low = (time, now);
            high.1 *= if positive == Some(true) { 0.5 } else { 1.0 };
        } else {
            high = (time, now);
            low.1 *= if positive == Some(false) { 0.5 } else { 1.0 };
        }
        positive = Some(now > 0.0);
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_thrown_up_is_back_at_its_time() {
        let height = |t: f64| Ok::<f64, ()>(3.0 * t - 0.5 * 9.81 * t * t);
        let time = find_root((0.1, height(0.1).unwrap()), (2.0, height(2.0).unwrap()), 1e-14, 1e-16, height);
        assert!((time.unwrap() - 6.0 / 9.81).abs() < 1e-14);
        // A function that jumps has no root, but a time.
        let jump = |t: f64| Ok::<f64, ()>(if t < 0.3 { 1.0 } else { -5.0 });
        assert!((find_root((0.0, 1.0), (1.0, -5.0), 1e-14, 1e-12, jump).unwrap() - 0.3).abs() < 1e-11);
    }
}
