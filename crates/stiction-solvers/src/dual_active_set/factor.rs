//! What the dual active-set method needs of a factorization of its active rows.

use super::normal_rows::NormalRows;

/// A factorization of the active rows `Y_a`, independent of each other, in the order in which they became active.
pub(crate) trait Factor: Default {
    /// Forgets all rows, and reserves memory for `m` columns.
    fn restart(&mut self, m: usize);

    /// Splits row `i` into `y_i = Y_a^T r + s` with `Y_a s = 0`. Writes `r`, remembers `s`, and returns `|s|^2`, zero if that
    /// is rounding: the row then depends on the active ones.
    fn resolve(&mut self, rows: &NormalRows, active: &[usize], i: usize, r: &mut Vec<f64>) -> f64;

    /// Adds `step` times the `s` of the row just resolved to `p`, and says that it did. A factorization whose `s` carries more
    /// error than that leaves `p` to be recomputed from the multipliers.
    fn move_point(&self, step: f64, p: &mut [f64]) -> bool;

    /// Appends the row just resolved, which must not depend on the active ones.
    fn append(&mut self);

    /// Removes the row at place `at`.
    fn remove(&mut self, at: usize);

    /// Replaces `b` by the solution of `Y_a Y_a^T x = b`.
    fn solve(&self, b: &mut [f64]);
}
