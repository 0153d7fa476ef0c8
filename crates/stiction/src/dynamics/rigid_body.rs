//! A single rigid body on a free joint: rules that keep its spatial angular momentum and its energy of rotation.
//!
//! The centre of mass moves by itself; the rotation follows Euler's equations, with `mu = I_c w` the angular
//! momentum about the centre of mass in body axes and n the moment about it,
//!
//! ```text
//! mu' = mu x w + n,     R' = R [w]x.
//! ```
//!
//! The implicit midpoint rule with the Cayley transform, `mean = (mu + mu+)/2 = I_c w_mean`,
//!
//! ```text
//! mu+ - mu = h mean x w_mean + h n,     R+ = R cay(h w_mean),     cay(a) = (1 - [a]x/2)^-1 (1 + [a]x/2)
//! ```
//!
//! means `mu+ = cay(h w_mean)^T mu` without moment: the momentum `R mu` stays as it is in space and so does the
//! energy `1/2 mu . w`, to round-off and for any step. (Scalar products of the first equation with `w_mean` and
//! `mean` show both.)
//!
//! Generalized velocity: velocity of the frame's origin in world axes, angular velocity in body axes. The frame's
//! origin need not be the centre of mass.
//!
//! # References
//! M. Austin, P. S. Krishnaprasad, L.-S. Wang, *Almost Poisson integration of rigid body systems*, J. Comput.
//! Phys. 107 (1993); H. Yoshida, *Construction of higher order symplectic integrators*, Phys. Lett. A 150 (1990).

use crate::dynamics::data::is_positive;
use crate::dynamics::error::AlgorithmError;
use crate::model::{Link, Model, TreeId};
use crate::spatial::{
    Quaternion, quaternion_from, quaternion_matrix, quaternion_normalized, quaternion_product,
};
use nalgebra::{Matrix3, Vector3};

/// Newton steps before giving up. A body that turns by a tenth of a radian per step needs three.
const MAX_NEWTON_STEPS: usize = 50;

/// Solves with growing gyroscopic terms when one does not do.
const CONTINUATION_STEPS: usize = 32;

/// Relative residual of Euler's equations that counts as solved when no step makes it smaller: round-off of a few
/// products and sums.
const ROUND_OFF: f64 = 1e-14;

/// A step of a single rigid body on a free joint: the body, the length of the step, and the generalized force besides
/// gravity (force in world axes; moment about the frame's origin in body axes), constant through the step. Slices have the
/// model's full lengths, of which the body's ranges are read and written.
#[derive(Debug)]
pub struct RigidBodyStep<'a> {
    body: RigidBody<'a>,
    gravity: Vector3<f64>,
    h: f64,
    tau: &'a [f64],
}

impl<'a> RigidBodyStep<'a> {
    /// A step of `h` seconds of the only body of a tree under the force `tau`.
    ///
    /// # Errors
    /// [`AlgorithmError::NotPositiveDefinite`] for a body without mass or rotational inertia about its centre of mass.
    pub fn new(model: &'a Model, tree: TreeId, h: f64, tau: &'a [f64]) -> Result<Self, AlgorithmError> {
        Ok(Self { body: RigidBody::new(model, tree)?, gravity: model.gravity, h, tau })
    }

    /// A step in which nothing acts on the body, not even gravity; `zeros` has the length of the velocities.
    ///
    /// # Errors
    /// As [`RigidBodyStep::new`].
    pub(crate) fn coasting(
        model: &'a Model,
        tree: TreeId,
        h: f64,
        zeros: &'a [f64],
    ) -> Result<Self, AlgorithmError> {
        Ok(Self { body: RigidBody::new(model, tree)?, gravity: Vector3::zeros(), h, tau: zeros })
    }

    /// The velocity `used` of a step without contact, as a generalized velocity at the start pose: the centre of mass has its
    /// velocity at the end of the step, the rotation its mean.
    ///
    /// # Errors
    /// [`AlgorithmError::NoConvergence`] when Euler's equations cannot be solved to round-off.
    pub fn midpoint_velocity(&self, q: &[f64], v: &[f64], used: &mut [f64]) -> Result<(), AlgorithmError> {
        let Self { body, gravity, h, tau } = self;
        let state = body.state(q, v);
        let (force, moment) = body.central_force(&state, tau);
        let mean = body.mean_angular_velocity(&state.angular_velocity, *h, &moment)?;
        let velocity = state.velocity + (gravity + force / body.mass) * *h;
        let origin_velocity = velocity - state.rotation * mean.cross(&body.center);
        used[body.v..body.v + 3].copy_from_slice(origin_velocity.as_slice());
        used[body.v + 3..body.v + 6].copy_from_slice(mean.as_slice());
        Ok(())
    }

    /// Moves the body in place with the velocity `used`, which is `free` (from [`Self::midpoint_velocity`]) plus what contact
    /// impulses changed, `M^-1 J^T lambda`, both at the start pose.
    ///
    /// For the parts `delay` of the step the centre of mass (first) still moves with its velocity before, and the body
    /// (second) turns as without contact. Else the centre of mass moves along its used velocity, and the body turns by the
    /// Cayley transform of its used angular velocity. The spatial angular momentum about the centre of mass changes by exactly
    /// the impulse of the applied moment and of the contacts, `R I_c (w_used - w_free)`.
    pub fn advance(
        &self,
        q: &mut [f64],
        v: &mut [f64],
        [free, used]: [&[f64]; 2],
        [delay, late_turn]: [f64; 2],
    ) {
        let Self { body, h, tau, .. } = self;
        let mut state = body.state(q, v);
        let (_, moment) = body.central_force(&state, tau);
        let w_free = vector(&free[body.v + 3..]);
        let w_used = vector(&used[body.v + 3..]);
        let kicked = state.angular_velocity + (w_used - w_free);
        let momentum = body.inertia * kicked + moment * *h;
        let before = state.velocity;
        state.velocity = vector(&used[body.v..]) + state.rotation * w_used.cross(&body.center);
        state.position += (state.velocity + (before - state.velocity) * delay) * *h;
        let turn = (w_used + (w_free - w_used) * late_turn) * *h;
        state.turn(&turn);
        // What the turning frame sees of a momentum that stays in space, and the rest, as increments.
        let seen = carried(&turn, &-turn.cross(&momentum));
        state.angular_velocity = kicked + body.inverse_inertia * (moment * *h + seen);
        body.write(&state, q, v);
    }

    /// Moves the body in place without contact, with order four: three midpoint steps in Yoshida's proportions for the
    /// rotation, the exact parabola for the centre of mass. The force stays constant in world axes, its moment about the
    /// centre of mass in body axes.
    ///
    /// # Errors
    /// As [`Self::midpoint_velocity`]; `q` and `v` are then unchanged.
    pub fn advance_free(&self, q: &mut [f64], v: &mut [f64]) -> Result<(), AlgorithmError> {
        self.sweep(q, v).map(drop)
    }

    /// [`Self::advance_free`]; returns the mean velocity, as a generalized one at the start pose: `h` times its product with a
    /// generalized force that stays constant likewise is the work of that.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn sweep(&self, q: &mut [f64], v: &mut [f64]) -> Result<[Vector3<f64>; 2], AlgorithmError> {
        let Self { body, gravity, h, tau } = self;
        let mut state = body.state(q, v);
        let start_rotation = state.rotation;
        let mut turned = Vector3::zeros();
        let (force, moment) = body.central_force(&state, tau);
        let acceleration = gravity + force / body.mass;
        let mean_velocity = state.velocity + acceleration * (0.5 * h);
        state.position += state.velocity * *h + acceleration * (0.5 * h * h);
        state.velocity += acceleration * *h;

        let outer = 1.0 / (2.0 - libm::cbrt(2.0));
        for fraction in [outer, 1.0 - 2.0 * outer, outer] {
            let step = fraction * h;
            let turn = body.mean_angular_velocity(&state.angular_velocity, step, &moment)? * step;
            turned += turn;
            let momentum = body.inertia * state.angular_velocity;
            let change = carried(&turn, &(moment * step - turn.cross(&momentum)));
            state.angular_velocity += body.inverse_inertia * change;
            state.turn(&turn);
        }
        body.write(&state, q, v);
        let spin = turned / *h;
        Ok([mean_velocity - start_rotation * spin.cross(&body.center), spin])
    }
}

/// The velocity (length nv, the body's range) with which [`RigidBodyStep::advance`] moves the body if its centre of mass keeps
/// the velocity before for the whole step, and the rotation is that of the velocity `turning`.
///
/// # Errors
/// As [`RigidBodyStep::new`].
pub(crate) fn undisturbed_velocity(
    model: &Model,
    tree: TreeId,
    q: &[f64],
    v: &[f64],
    turning: &[f64],
    undisturbed: &mut [f64],
) -> Result<(), AlgorithmError> {
    let body = RigidBody::new(model, tree)?;
    let state = body.state(q, v);
    let turning = vector(&turning[body.v + 3..]);
    let origin = state.velocity - state.rotation * turning.cross(&body.center);
    undisturbed[body.v..body.v + 3].copy_from_slice(origin.as_slice());
    undisturbed[body.v + 3..body.v + 6].copy_from_slice(turning.as_slice());
    Ok(())
}

/// What does not change while the body moves.
#[derive(Debug)]
struct RigidBody<'a> {
    link: &'a Link,
    q: usize,
    v: usize,
    mass: f64,
    /// Centre of mass in the body's frame.
    center: Vector3<f64>,
    /// Inertia about the centre of mass in body axes, and its inverse.
    inertia: Matrix3<f64>,
    inverse_inertia: Matrix3<f64>,
}

/// Pose and velocity of the centre of mass; the angular velocity is in body axes.
struct CentralState {
    position: Vector3<f64>,
    velocity: Vector3<f64>,
    orientation: Quaternion,
    rotation: Matrix3<f64>,
    angular_velocity: Vector3<f64>,
}

impl CentralState {
    /// `R <- R cay(a)`, as a quaternion.
    fn turn(&mut self, a: &Vector3<f64>) {
        let cayley = [1.0, 0.5 * a.x, 0.5 * a.y, 0.5 * a.z];
        self.orientation = quaternion_normalized(&quaternion_product(&self.orientation, &cayley));
        self.rotation = quaternion_matrix(&self.orientation);
    }
}

impl<'a> RigidBody<'a> {
    fn new(model: &'a Model, tree: TreeId) -> Result<Self, AlgorithmError> {
        let link = &model.links[model.trees[tree].links.start];
        let refuse = |value| Err(AlgorithmError::NotPositiveDefinite { link: link.name.clone(), value });
        let mass = link.inertia.mass;
        if !(mass > 0.0 && mass.is_finite()) {
            return refuse(mass);
        }
        let center = link.inertia.moment / mass;
        let inertia = link.inertia.about(&-center).rotational;
        let Some(factor) = inertia.cholesky() else {
            return refuse(inertia.determinant());
        };
        for k in 0..3 {
            let pivot = factor.l_dirty()[(k, k)] * factor.l_dirty()[(k, k)];
            if !is_positive(pivot, link.inertia.rotational[(k, k)]) {
                return refuse(pivot);
            }
        }
        Ok(Self { link, q: link.q, v: link.v, mass, center, inertia, inverse_inertia: factor.inverse() })
    }

    fn state(&self, q: &[f64], v: &[f64]) -> CentralState {
        let orientation = quaternion_normalized(&quaternion_from(&q[self.q + 3..]));
        let rotation = quaternion_matrix(&orientation);
        let angular_velocity = vector(&v[self.v + 3..]);
        CentralState {
            position: vector(&q[self.q..]) + rotation * self.center,
            velocity: vector(&v[self.v..]) + rotation * angular_velocity.cross(&self.center),
            orientation,
            rotation,
            angular_velocity,
        }
    }

    fn write(&self, state: &CentralState, q: &mut [f64], v: &mut [f64]) {
        let position = state.position - state.rotation * self.center;
        let velocity = state.velocity - state.rotation * state.angular_velocity.cross(&self.center);
        q[self.q..self.q + 3].copy_from_slice(position.as_slice());
        q[self.q + 3..self.q + 7].copy_from_slice(&state.orientation);
        v[self.v..self.v + 3].copy_from_slice(velocity.as_slice());
        v[self.v + 3..self.v + 6].copy_from_slice(state.angular_velocity.as_slice());
    }

    /// Force in world axes and moment about the centre of mass in body axes.
    fn central_force(&self, state: &CentralState, tau: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let force = vector(&tau[self.v..]);
        let moment = vector(&tau[self.v + 3..]) - self.center.cross(&state.rotation.tr_mul(&force));
        (force, moment)
    }

    /// Solves `2 (I w_mean - I w) = h (I w_mean) x w_mean + h n` for `w_mean`: Newton's method from w, and if it
    /// gets stuck (from about two radians per step on) along growing gyroscopic terms.
    fn mean_angular_velocity(
        &self,
        w: &Vector3<f64>,
        h: f64,
        moment: &Vector3<f64>,
    ) -> Result<Vector3<f64>, AlgorithmError> {
        let known = (self.inertia * w) * 2.0 + moment * h;
        let (mut x, mut rest) = self.newton(*w, h, &known);
        if rest > ROUND_OFF {
            x = *w;
            for step in 1..=CONTINUATION_STEPS {
                let share = step as f64 / CONTINUATION_STEPS as f64;
                (x, rest) = self.newton(x, h * share, &known);
            }
        }
        if rest <= ROUND_OFF {
            return Ok(x);
        }
        Err(AlgorithmError::NoConvergence { link: self.link.name.clone(), residual: rest })
    }

    /// Newton's method for `2 I x - h (I x) x x = known`: the last iterate and its relative residual. Steps are
    /// halved while they do not reduce the residual, until only round-off is left of it.
    fn newton(&self, mut x: Vector3<f64>, h: f64, known: &Vector3<f64>) -> (Vector3<f64>, f64) {
        let residual = |x: &Vector3<f64>| {
            let momentum = self.inertia * x;
            momentum * 2.0 - momentum.cross(x) * h - known
        };
        let mut rest = residual(&x);
        for _ in 0..MAX_NEWTON_STEPS {
            let momentum = self.inertia * x;
            let slope = self.inertia * 2.0 + (x.cross_matrix() * self.inertia - momentum.cross_matrix()) * h;
            let Some(inverse) = slope.try_inverse() else { break };
            let step = inverse * rest;
            let mut scale = 1.0;
            let (mut next, mut next_rest) = (x - step, residual(&(x - step)));
            while next_rest.norm_squared() >= rest.norm_squared() && scale > 1e-3 {
                scale *= 0.5;
                next = x - step * scale;
                next_rest = residual(&next);
            }
            let improved = next_rest.norm_squared() < rest.norm_squared();
            if !improved {
                break;
            }
            (x, rest) = (next, next_rest);
        }
        if rest == Vector3::zeros() {
            return (x, 0.0);
        }
        // Measured against the terms it is the sum of.
        let momentum = (self.inertia * x).norm();
        (x, rest.norm() / (known.norm() + momentum * (2.0 + (h * x.norm()).abs())))
    }
}

/// The first three entries.
fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::new(x[0], x[1], x[2])
}

/// `(1 + [a]x/2)^-1 n`. With `n = -a x mu` it is the change of a vector's components, `cay(a)^T mu - mu`, when the
/// frame turns by `cay(a)` and the vector does not. Adding such small changes, instead of multiplying by one
/// rotation matrix in and another out, keeps round-off from piling up in one direction over millions of steps.
fn carried(a: &Vector3<f64>, n: &Vector3<f64>) -> Vector3<f64> {
    let b = a * -0.5;
    (n + b.cross(n) + b * b.dot(n)) / (1.0 + b.norm_squared())
}
