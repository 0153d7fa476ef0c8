//! Reserves workspace so that a later solve of equal or smaller size does not allocate, on any code path.

/// Gives a vector the capacity for `size` elements in all.
pub(crate) fn reserve_to<T>(vector: &mut Vec<T>, size: usize) {
    vector.reserve(size.saturating_sub(vector.len()));
}
