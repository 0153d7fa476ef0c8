//! A closure at the present poses: what its chain allows, the left inverse of that, and what is left to hold.

use crate::spatial::Motion;
use nalgebra::{Matrix6, Vector3, Vector6};

/// A joint whose motion is spanned by those before it to within this angle adds none.
const SINGULAR: f64 = 1e-7;

/// A closure at the present poses.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) equality: usize,
    /// The point at which motions are compared: midway between the two ends (m, world).
    pub(super) point: Vector3<f64>,
    /// Motions that the chain allows, its first columns.
    pub(super) span: Matrix6<f64>,
    /// `S^+`, its first rows.
    pub(super) inverse: Matrix6<f64>,
    pub(super) freedoms: usize,
    /// `N^T`, its last rows, and `N^T e`.
    pub(super) held: Matrix6<f64>,
    pub(super) error: Vector6<f64>,
    /// Prescribed motion of the second body minus the first at the point.
    pub(super) prescribed: Motion,
    /// `u' - S' theta'` at zero joint accelerations, as of [`Loops::accelerate`].
    pub(super) convective: Vector6<f64>,
    /// Places of the chain's velocities among those of all loops.
    pub(super) dofs: std::ops::Range<usize>,
    /// Places of its rows in [`Loops::columns`].
    pub(super) columns: std::ops::Range<usize>,
}

impl Closed {
    /// Computes `S^+`; an orthonormal basis of what `S` spans in the first columns, by Gram and Schmidt, twice.
    pub(super) fn invert(&mut self) -> Matrix6<f64> {
        let mut basis = Matrix6::<f64>::zeros();
        let mut upper = Matrix6::<f64>::zeros();
        for k in 0..self.freedoms {
            let mut x = self.span.column(k).into_owned();
            let length = x.norm();
            for _ in 0..2 {
                for j in 0..k {
                    let part = basis.column(j).dot(&x);
                    upper[(j, k)] += part;
                    x -= basis.column(j) * part;
                }
            }
            let left = x.norm();
            if left > SINGULAR * length {
                upper[(k, k)] = left;
                basis.set_column(k, &(x / left));
            }
        }
        // S^+ = R^-1 Q^T, a joint that adds nothing standing still.
        self.inverse = Matrix6::zeros();
        for k in (0..self.freedoms).rev().filter(|&k| upper[(k, k)] > 0.0) {
            let mut row = basis.column(k).transpose();
            for j in k + 1..self.freedoms {
                row -= self.inverse.row(j) * upper[(k, j)];
            }
            self.inverse.set_row(k, &(row / upper[(k, k)]));
        }
        basis
    }

    /// Completes the basis: by the axis of the world that is farthest from what there is, shifts first, time after time.
    pub(super) fn hold(&mut self, basis: &Matrix6<f64>) {
        // The projector on what is left.
        let mut left = Matrix6::identity() - basis * basis.transpose();
        self.held = Matrix6::zeros();
        for k in self.freedoms..6 {
            let farthest = [4, 5, 0, 1, 2].into_iter().fold(3, |best, axis| {
                if left[(axis, axis)] > left[(best, best)] + SINGULAR { axis } else { best }
            });
            let direction = left.column(farthest).normalize();
            left -= direction * direction.transpose();
            self.held.set_row(k, &direction.transpose());
        }
    }
}
