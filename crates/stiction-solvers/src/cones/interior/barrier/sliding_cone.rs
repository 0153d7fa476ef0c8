//! A contact under Coulomb's law with its sliding speed `s` as an unknown of its own.
//!
//! # Equations
//! Impulses `x` and velocities `v` with `v = y`, and
//!
//! `x_n v_n = tau`,  `(mu x_n, x_t) o (s, v_t) = theta tau e`,
//!
//! where `o` is the Jordan product of the second-order cone. At `tau = 0` this is Coulomb's law, and `s = |v_t|`. Nothing in it has a
//! kink, as De Saxce's correction has where sliding begins. Friction is smoothed by `theta` times more than normals.
//!
//! # Step
//! With the scaling `N a = N^-1 b` of `a = (mu x_n, x_t)`, `b = (s, v_t)`, its axis `w`, `beta^2 = sqrt(det b / det a)`,
//! `h = 2 w_0^2 - 1` and `g = N^-1 (lambda \ r)` the linearized equations are
//!
//! ```text
//! dx_n = d_n - (x_n / v_n) dv_n
//! dx_t = g_t + (2 w_0 / h) w_t (g_0 - mu dx_n) - beta^-2 (1 - (2 / h) w_t w_t^T) dv_t
//! ```
//!
//! that is `dx = base - C dv` with a lower triangular `C`: a smoothed derivative of Alart and Curnier. So `P = 1`, `Q = C`.

use super::pair::Pair;
use super::second_order_cone::{Scaling, Vector, inner, product, quotient, step_to_boundary};
use super::{Barrier, Block, Products};

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlidingCone {
    mu: f64,
    theta: f64,
    x: Vector,
    v: Vector,
    sliding: f64,
    scaling: Scaling,
    /// `N a = N^-1 b`.
    lambda: Vector,
    coupling: Block,
    /// `v - y`.
    defect: Vector,
    /// `lambda \ r` and `d_n` of the current right side.
    target: Vector,
    normal_target: f64,
    dx: Vector,
    dv: Vector,
    dsliding: f64,
}

/// Halvings of an interval until nothing is left of it.
const HALVINGS: usize = 60;

impl SlidingCone {
    /// A contact with this coefficient of friction, which is not zero, and this weight.
    pub(super) fn of(mu: f64, theta: f64) -> SlidingCone {
        let zero = [0.0; 3];
        SlidingCone {
            mu,
            theta,
            x: zero,
            v: zero,
            sliding: 0.0,
            scaling: Scaling::default(),
            lambda: zero,
            coupling: [0.0; 9],
            defect: zero,
            target: zero,
            normal_target: 0.0,
            dx: zero,
            dv: zero,
            dsliding: 0.0,
        }
    }

    /// `a` and `b`, `alpha` times the step on.
    fn pair(&self, alpha: f64) -> [Vector; 2] {
        let x: Vector = std::array::from_fn(|k| self.x[k] + alpha * self.dx[k]);
        let v: Vector = std::array::from_fn(|k| self.v[k] + alpha * self.dv[k]);
        [[self.mu * x[0], x[1], x[2]], [self.sliding + alpha * self.dsliding, v[1], v[2]]]
    }

    /// Its step.
    fn pair_step(&self) -> [Vector; 2] {
        let (dx, dv) = (&self.dx, &self.dv);
        [[self.mu * dx[0], dx[1], dx[2]], [self.dsliding, dv[1], dv[2]]]
    }
}

impl Barrier for SlidingCone {
    fn degree(&self) -> f64 {
        2.0
    }

    fn size(&self, q: &[f64]) -> f64 {
        q.iter().fold(0.0, |worst: f64, q| worst.max(q.abs()))
    }

    fn begin(&mut self, size: f64, x: &mut [f64]) {
        self.begin_centred(&[0.0; 3][..x.len()], size, x);
    }

    /// The sliding part is at one of `t + tau' t / (R^2 - t^2) = |z_t|`, with the radius `R = mu x_n` and `tau' = theta tau`.
    fn begin_centred(&mut self, z: &[f64], gap: f64, x: &mut [f64]) {
        let normal = Pair::centred(z[0], gap);
        (self.x, self.v) = ([normal.x, 0.0, 0.0], [normal.v, 0.0, 0.0]);
        let (radius, gap) = (self.mu * self.x[0], self.theta * gap);
        let tangent = z[1..].iter().map(|z| z * z).sum::<f64>().sqrt();
        let (mut low, mut high) = (0.0, radius * (1.0 - 1e-14));
        let speed = |t: f64| gap * t / ((radius - t) * (radius + t));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle + speed(middle) < tangent { low = middle } else { high = middle }
        }
        let t = 0.5 * (low + high);
        self.sliding = radius * gap / ((radius - t) * (radius + t));
        if tangent > 0.0 {
            for (k, z) in z.iter().enumerate().skip(1) {
                self.x[k] = t * z / tangent;
                self.v[k] = -speed(t) * z / tangent;
            }
        }
        x.copy_from_slice(&self.x[..x.len()]);
    }

    fn gap(&self) -> f64 {
        let [a, b] = self.pair(0.0);
        self.x[0] * self.v[0] + inner(&a, &b) / self.theta
    }

    fn linearize(&mut self, y: &[f64], _: Option<f64>, p: &mut Block, q: &mut Block) -> Option<()> {
        let d = y.len();
        let [a, b] = self.pair(0.0);
        // The step of before counts no more.
        (self.dx, self.dv, self.dsliding) = ([0.0; 3], [0.0; 3], 0.0);
        self.scaling = Scaling::new(&a, &b)?;
        self.lambda = self.scaling.apply(&a);
        let (w, inverse) = (self.scaling.axis(), 1.0 / self.scaling.stretch().powi(2));
        let h = 2.0 * w[0] * w[0] - 1.0;
        let ratio = self.x[0] / self.v[0];
        self.coupling = [0.0; 9];
        self.coupling[0] = ratio;
        for i in 1..d {
            self.coupling[i * d] = -2.0 * w[0] / h * self.mu * ratio * w[i];
            for j in 1..d {
                let unit = f64::from(u8::from(i == j));
                self.coupling[i * d + j] = inverse * (unit - 2.0 / h * w[i] * w[j]);
            }
        }
        *q = self.coupling;
        (0..d).for_each(|k| p[k * (d + 1)] = 1.0);
        self.defect = [0.0; 3];
        (0..d).for_each(|k| self.defect[k] = self.v[k] - y[k]);
        self.coupling.iter().all(|c| c.is_finite()).then_some(())
    }

    fn target(&mut self, sigma_gap: f64, second_order: bool, b: &mut [f64]) {
        let d = b.len();
        let mut goal = product(&self.lambda, &self.lambda).map(|g| -g);
        goal[0] += self.theta * sigma_gap;
        let mut normal = sigma_gap - self.x[0] * self.v[0];
        if second_order {
            let [da, db] = self.pair_step();
            let second = product(&self.scaling.invert(&db), &self.scaling.apply(&da));
            (0..3).for_each(|k| goal[k] -= second[k]);
            normal -= self.dx[0] * self.dv[0];
        }
        self.target = quotient(&goal, &self.lambda);
        self.normal_target = normal / self.v[0];
        let (g, w) = (self.scaling.invert(&self.target), self.scaling.axis());
        let h = 2.0 * w[0] * w[0] - 1.0;
        let left = g[0] - self.mu * self.normal_target;
        b[0] = self.normal_target;
        (1..d).for_each(|k| b[k] = g[k] + 2.0 * w[0] / h * w[k] * left);
        for i in 0..d {
            b[i] += (0..d).map(|j| self.coupling[i * d + j] * self.defect[j]).sum::<f64>();
        }
    }

    fn take(&mut self, step: &[f64]) {
        self.dx = [0.0; 3];
        self.dx[..step.len()].copy_from_slice(step);
        let through = self.scaling.apply(&[self.mu * self.dx[0], self.dx[1], self.dx[2]]);
        let left = std::array::from_fn(|k| self.target[k] - through[k]);
        let [dsliding, first, second] = self.scaling.apply(&left);
        self.dsliding = dsliding;
        self.dv = [(self.normal_target - self.dx[0]) * self.v[0] / self.x[0], first, second];
    }

    fn largest_step(&self) -> f64 {
        let to_zero = |x: f64, dx: f64| if dx < 0.0 { (-x / dx).min(1.0) } else { 1.0 };
        let ([a, b], [da, db]) = (self.pair(0.0), self.pair_step());
        let normal = to_zero(self.x[0], self.dx[0]).min(to_zero(self.v[0], self.dv[0]));
        normal.min(step_to_boundary(&a, &da)).min(step_to_boundary(&b, &db))
    }

    fn advance(&mut self, alpha: f64, _: &[f64], x: &mut [f64]) {
        for k in 0..3 {
            self.x[k] += alpha * self.dx[k];
            self.v[k] += alpha * self.dv[k];
        }
        self.sliding += alpha * self.dsliding;
        x.copy_from_slice(&self.x[..x.len()]);
    }

    fn products(&self, alpha: f64) -> Option<Products> {
        let [a, b] = self.pair(alpha);
        let lambda = Scaling::new(&a, &b)?.apply(&a);
        let tangent = (lambda[1] * lambda[1] + lambda[2] * lambda[2]).sqrt();
        let normal = (self.x[0] + alpha * self.dx[0]) * (self.v[0] + alpha * self.dv[0]);
        let both = [(lambda[0] - tangent).powi(2), (lambda[0] + tangent).powi(2)];
        let [least, largest] = both.map(|product| product / self.theta);
        Some(Products {
            least: least.min(normal),
            largest: largest.max(normal),
            sum: normal + inner(&a, &b) / self.theta,
        })
    }
}
