//! Capacity ahead of need, so that a solve of no larger size allocates nothing whichever way it takes.

/// Gives a vector the capacity for `size` elements in all.
pub(crate) fn make_room<T>(vector: &mut Vec<T>, size: usize) {
    vector.reserve(size.saturating_sub(vector.len()));
}
