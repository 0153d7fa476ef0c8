//! Whether a path comes back to where it has been.
//!
//! # Method
//! A path is at a set of numbers (the basic variables, say), and a fingerprint of the set is the exclusive or of scrambled
//! ones, so that a pivot changes it by two. It is compared with one kept from earlier, which is kept anew after 1, 2, 4, ..
//! pivots: a cycle is found within three times its length after it was entered. Different sets of one fingerprint, which
//! would end a path early, are as likely as any two of so many 64-bit numbers.
//!
//! # References
//! R. P. Brent, *An improved Monte Carlo factorization algorithm*, BIT 20 (1980) 176-184, section 2.

/// Finds out whether a set of numbers comes back.
#[derive(Debug)]
pub(crate) struct CycleWatch {
    now: u64,
    kept: u64,
    steps: usize,
    next: usize,
}

impl CycleWatch {
    /// A watch at the start of a path.
    pub(crate) fn new() -> CycleWatch {
        CycleWatch { now: 0, kept: 0, steps: 0, next: 1 }
    }

    /// Takes note of what enters the set or leaves it, and says whether the set is one that has been kept.
    pub(crate) fn repeats(&mut self, changes: impl IntoIterator<Item = usize>) -> bool {
        changes.into_iter().for_each(|number| self.now ^= scramble(number as u64));
        self.steps += 1;
        if self.now == self.kept {
            return true;
        }
        if self.steps == self.next {
            (self.kept, self.next) = (self.now, 2 * self.next);
        }
        false
    }
}

/// The finalizer of the SplitMix64 generator (Steele, Lea, Flood 2014): a fingerprint of a number.
pub(crate) fn scramble(number: u64) -> u64 {
    let bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cycle_is_found_soon_and_a_path_without_one_has_none() {
        for (before, length) in [(0usize, 2usize), (1, 3), (7, 12), (100, 5), (33, 64)] {
            // Single changes 0, 1, 2, .. first, then a cycle: each number of it enters, and then each leaves.
            let mut watch = CycleWatch::new();
            let steps = (0..before).chain((0..).map(|k| before + k % length));
            let found = steps.take(20 * (before + length)).position(|number| watch.repeats([number]));
            let found = found.unwrap_or(usize::MAX);
            assert!(
                found >= 2 * length - 1 && found <= 3 * (before + 2 * length),
                "{before} {length}: {found}"
            );
        }
        let mut watch = CycleWatch::new();
        assert!((0..10_000).all(|number| !watch.repeats([number])));
    }
}
