//! Reserves workspace so that a later solve of equal or smaller size does not allocate, on any code path; and workspace that is
//! written before it is read.

/// Gives a vector the capacity for `size` elements in all.
pub(crate) fn reserve_to<T>(vector: &mut Vec<T>, size: usize) {
    vector.reserve(size.saturating_sub(vector.len()));
}

/// Gives a workspace this length. Its content is lost: with debug assertions, as in tests, it is NaN, so that an answer that depends on
/// what an earlier problem left behind is none.
pub(crate) fn resize_unset(vector: &mut Vec<f64>, n: usize) {
    vector.resize(n, 0.0);
    if cfg!(debug_assertions) {
        vector.fill(f64::NAN);
    }
}
