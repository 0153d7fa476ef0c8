//! The residual of a contact problem.
//!
//! With `s = 1 / mean |diag W|` and `a = max |q|` (1 where they vanish) the answer is `x = r / (a s)`, `y = u / a`, and
//! the residual `|| x - P_K(x - (y + mu |y_t| e_n)) ||_2`, summed block by block. Its rounding floor is a few roundings of
//! the products it is made of.

use crate::problem::cones::cone::{Cone, tangent_norm};
use crate::problem::cones::cone_ncp::{ConeNcp, FrictionLaw};
use crate::problem::traits::Residual;

/// A largest velocity below this is none: dividing by it would overflow, and squares vanish.
pub(crate) const RESTING: f64 = 1e-150;

/// The rounding floor is this many times `eps || |W||x| + |x| + |q| ||`: a few roundings per product.
pub(crate) const FLOOR: f64 = 4.0;

/// Memory for [`ConeNcp::assess`], to reuse.
#[derive(Clone, Debug, Default)]
pub struct ConeScratch {
    size: Vec<f64>,
    product: Vec<f64>,
}

impl ConeNcp {
    /// `(1 / a, 1 / (a s))`: the factors from velocities to `y` and from impulses to `x`. `diagonal` is scratch.
    pub fn scales(&self, diagonal: &mut [f64]) -> (f64, f64) {
        let n = self.q.len();
        let largest = self.q.iter().fold(0.0, |worst: f64, q| worst.max(q.abs()));
        let a = if largest > RESTING { largest } else { 1.0 };
        self.delassus.diagonal(diagonal);
        let sum: f64 = diagonal.iter().zip(&self.compliance).map(|(d, c)| (d + c).abs()).sum();
        let mean = if n > 0 && sum > 0.0 { sum / n as f64 } else { 1.0 };
        (1.0 / a, mean / a)
    }

    /// Writes `u = (W + diag c) r + q` and returns the residual of `r` and its rounding floor.
    ///
    /// The natural map is in the 2-norm over all rows, the other measures the worst of any row. Wrong lengths, and NaN
    /// anywhere, give infinite numbers.
    pub fn assess(&self, r: &[f64], u: &mut [f64], scratch: &mut ConeScratch) -> (Residual, f64) {
        let n = self.q.len();
        if r.len() != n || u.len() != n || !self.delassus.is_finite() {
            return (Residual::INFINITE, f64::INFINITY);
        }
        let ConeScratch { size, product } = scratch;
        size.clear();
        size.resize(n, 0.0);
        let (w_unit, z_unit) = self.scales(size);
        self.delassus.multiply(r, u, size, product);
        let mut worst = Residual::default();
        let (mut square, mut rounding) = (0.0, 0.0);
        for (cone, rows) in self.cones.iter().zip(self.starts.windows(2)) {
            let rows = rows[0]..rows[1];
            let amplified = self.amplification(cone);
            for i in rows.clone() {
                u[i] += self.compliance[i] * r[i] + self.q[i];
                let magnitude = (size[i] + self.compliance[i] * r[i].abs() + self.q[i].abs()) * w_unit;
                let own = magnitude * if i > rows.start { amplified } else { 1.0 } + (r[i] * z_unit).abs();
                rounding += own * own;
            }
            square += self.assess_block(cone, &r[rows.clone()], &u[rows], [w_unit, z_unit], &mut worst);
        }
        worst.natural_map = square.sqrt();
        let total = worst.natural_map + worst.primal + worst.dual + worst.complementarity + rounding;
        if total.is_finite() {
            (worst, FLOOR * f64::EPSILON * rounding.sqrt())
        } else {
            (Residual::INFINITE, f64::INFINITY)
        }
    }

    /// What the rounding of a contact's tangential velocity is multiplied by in the natural map: De Saxce's correction adds
    /// `mu |u_t|` to the normal velocity.
    fn amplification(&self, cone: &Cone) -> f64 {
        match (cone, self.law) {
            (Cone::Coulomb { mu, .. }, FrictionLaw::Coulomb) => mu.max(1.0),
            _ => 1.0,
        }
    }

    /// Square of a block's part of the natural map; collects the other measures.
    fn assess_block(
        &self,
        cone: &Cone,
        r: &[f64],
        u: &[f64],
        [w_unit, z_unit]: [f64; 2],
        worst: &mut Residual,
    ) -> f64 {
        let sliding = match (cone, self.law) {
            (Cone::Coulomb { mu, .. }, FrictionLaw::Coulomb) => mu * tangent_norm(u) * w_unit,
            _ => 0.0,
        };
        let mut square = 0.0;
        // Blocks of Free and Nonnegative rows have any length; their rows are evaluated one by one.
        let width = if cone.is_contact() { r.len() } else { 1 };
        for (r, u) in r.chunks_exact(width).zip(u.chunks_exact(width)) {
            let (mut x, mut y, mut p, mut feasible) = ([0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]);
            for k in 0..width {
                x[k] = r[k] * z_unit;
                y[k] = u[k] * w_unit;
            }
            y[0] += sliding;
            for k in 0..width {
                p[k] = x[k] - y[k];
                feasible[k] = x[k];
            }
            cone.project(&mut p[..width], z_unit);
            cone.project(&mut feasible[..width], z_unit);
            let distance =
                |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>();
            square += distance(&x, &p);
            worst.primal = worst.primal.max(distance(&x, &feasible).sqrt());
            let (dual, product) = match *cone {
                Cone::Free { .. } => (y[0].abs(), 0.0),
                Cone::Nonnegative { .. } => (-y[0], (x[0] * y[0]).abs()),
                Cone::Interval { lower, upper } => {
                    let bound = if y[0] > 0.0 { lower } else { upper };
                    if bound.is_finite() {
                        (0.0, ((x[0] - bound * z_unit) * y[0]).abs())
                    } else {
                        (y[0].abs(), 0.0)
                    }
                }
                Cone::Coulomb { mu, .. } => {
                    let product = (0..width).map(|k| x[k] * y[k]).sum::<f64>();
                    (mu * tangent_norm(&y[..width]) - y[0], product.abs())
                }
                Cone::NoSlip { .. } => {
                    (-y[0], (x[0] * y[0]).abs().max(x[0].max(0.0) * tangent_norm(&y[..width])))
                }
            };
            worst.dual = worst.dual.max(dual);
            worst.complementarity = worst.complementarity.max(product);
        }
        square
    }
}
