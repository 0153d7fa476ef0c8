//! What the linear problems with a dense matrix share, for methods that serve them all.

use crate::problem::linear::box_lcp::BoxLcp;
use crate::problem::linear::lcp::Lcp;
use crate::problem::traits::{Bounded, Residual};

/// `F(z) = M z + q` in a box.
pub(crate) trait Linear: Bounded {
    /// The matrix, row-major.
    fn matrix(&self) -> &[f64];

    /// The constant vector.
    fn constant(&self) -> &[f64];

    /// Writes `w`; returns the residual of `z` and its rounding floor. Does not allocate.
    fn assess(&self, z: &[f64], w: &mut [f64]) -> (Residual, f64);

    /// The units of `w` and `z`, inverted; see [`crate::linalg::dense::scales`].
    fn units(&self) -> (f64, f64) {
        crate::linalg::dense::scales(self.matrix(), self.constant())
    }
}

impl Linear for Lcp {
    fn matrix(&self) -> &[f64] {
        Lcp::matrix(self)
    }

    fn constant(&self) -> &[f64] {
        self.q()
    }

    fn assess(&self, z: &[f64], w: &mut [f64]) -> (Residual, f64) {
        Lcp::assess(self, z, w)
    }
}

impl Linear for BoxLcp {
    fn matrix(&self) -> &[f64] {
        BoxLcp::matrix(self)
    }

    fn constant(&self) -> &[f64] {
        self.q()
    }

    fn assess(&self, z: &[f64], w: &mut [f64]) -> (Residual, f64) {
        BoxLcp::assess(self, z, w)
    }
}
