//! A contact under Coulomb's or the associated law, in the coordinates `x^ = T^-1 x`, `y^ = T y` with `T = diag(1 / sqrt mu,
//! sqrt mu, sqrt mu)`, in which its cone has the slope 1.

use super::second_order_cone::{Scaling, Vector, inner, product, quotient, step_to_boundary};
use super::{Barrier, Block, Products, REGULARIZATION};

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrictionCone {
    /// Diagonal of `T`.
    stretch: Vector,
    /// The slack.
    v: Vector,
    /// `x^`.
    x: Vector,
    scaling: Scaling,
    /// `N x = N^-1 v`.
    lambda: Vector,
    /// `v` minus what it should be.
    defect: Vector,
    /// `N d` of the current right side.
    target: Vector,
    dx: Vector,
    dv: Vector,
}

impl FrictionCone {
    /// A contact with this coefficient of friction, which is not zero.
    pub(super) fn of(mu: f64) -> FrictionCone {
        let root = mu.sqrt();
        let zero = [0.0; 3];
        FrictionCone {
            stretch: [1.0 / root, root, root],
            v: zero,
            x: zero,
            scaling: Scaling::default(),
            lambda: zero,
            defect: zero,
            target: zero,
            dx: zero,
            dv: zero,
        }
    }

    fn write(&self, x: &mut [f64]) {
        x.iter_mut().enumerate().for_each(|(k, x)| *x = self.stretch[k] * self.x[k]);
    }
}

impl Barrier for FrictionCone {
    fn degree(&self) -> f64 {
        1.0
    }

    fn size(&self, q: &[f64]) -> f64 {
        q.iter().zip(&self.stretch).fold(0.0, |worst: f64, (q, stretch)| worst.max((stretch * q).abs()))
    }

    fn begin(&mut self, size: f64, x: &mut [f64]) {
        (self.x, self.v) = ([1.0, 0.0, 0.0], [size, 0.0, 0.0]);
        self.write(x);
    }

    fn gap(&self) -> f64 {
        inner(&self.x, &self.v)
    }

    fn linearize(&mut self, y: &[f64], smoothing: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        let d = y.len();
        self.scaling = Scaling::new(&self.x, &self.v)?;
        self.lambda = self.scaling.apply(&self.x);
        let mut own = [0.0; 3];
        (0..d).for_each(|k| own[k] = self.stretch[k] * y[k]);
        let slope = smoothing.map_or([0.0; 3], |smoothing| correct(&mut own, smoothing));
        (0..3).for_each(|k| self.defect[k] = self.v[k] - own[k]);
        for b in 0..d {
            let mut axis = [0.0; 3];
            axis[b] = 1.0;
            let (own, inverse) = (self.scaling.apply(&axis), self.scaling.invert(&axis));
            let mut image = axis;
            image[0] += slope[b];
            let image = self.scaling.invert(&image);
            for a in 0..d {
                p[a * d + b] = (own[a] + REGULARIZATION * inverse[a]) / self.stretch[b];
                q[a * d + b] = image[a] * self.stretch[b];
            }
        }
        Some(())
    }

    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        let mut goal = product(&self.lambda, &self.lambda).map(|g| -g);
        goal[0] += sigma_gap;
        if second_order {
            let second = product(&self.scaling.invert(&self.dv), &self.scaling.apply(&self.dx));
            (0..3).for_each(|k| goal[k] -= second[k]);
        }
        self.target = self.scaling.apply(&quotient(&goal, &self.lambda));
        let mut right = self.target;
        (0..3).for_each(|k| right[k] += self.defect[k]);
        let right = self.scaling.invert(&right);
        b.iter_mut().zip(right).for_each(|(b, right)| *b = right);
    }

    fn take(&mut self, step: &[f64]) {
        step.iter().enumerate().for_each(|(k, step)| self.dx[k] = step / self.stretch[k]);
        let through = self.scaling.apply(&self.scaling.apply(&self.dx));
        (0..3).for_each(|k| self.dv[k] = self.target[k] - through[k]);
    }

    fn largest_step(&self) -> f64 {
        step_to_boundary(&self.x, &self.dx).min(step_to_boundary(&self.v, &self.dv))
    }

    fn advance(&mut self, alpha: f64, _: &[f64], x: &mut [f64]) {
        for k in 0..3 {
            self.x[k] += alpha * self.dx[k];
            self.v[k] += alpha * self.dv[k];
        }
        self.write(x);
    }

    fn products(&self, alpha: f64) -> Option<Products> {
        let x = std::array::from_fn(|k| self.x[k] + alpha * self.dx[k]);
        let v = std::array::from_fn(|k| self.v[k] + alpha * self.dv[k]);
        let lambda = Scaling::new(&x, &v)?.apply(&x);
        let tangent = (lambda[1] * lambda[1] + lambda[2] * lambda[2]).sqrt();
        let [least, largest] = [lambda[0] - tangent, lambda[0] + tangent].map(|value| value * value);
        Some(Products { least, largest, sum: inner(&x, &v) })
    }
}

/// Adds the smoothed correction to `y^` and returns its derivative.
fn correct(y: &mut Vector, smoothing: f64) -> Vector {
    let square = y[1] * y[1] + y[2] * y[2];
    let soft = square + smoothing * smoothing;
    if soft == 0.0 {
        return [0.0; 3];
    }
    let root = soft.sqrt();
    y[0] += square / root;
    let slope = (square + 2.0 * smoothing * smoothing) / (soft * root);
    [0.0, slope * y[1], slope * y[2]]
}
