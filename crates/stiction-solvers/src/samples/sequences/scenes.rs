//! The five scenes and what drives them.

use nalgebra::Vector3;
use std::f64::consts::TAU;

use crate::problem::ConeNcp;
use crate::samples::bodies::Body;
use crate::samples::dice::Dice;
use crate::samples::sequences::{Motion, Sequence};
use crate::samples::system::Form;

const GRAVITY: f64 = 9.81;

/// Forces and prescribed velocities of a scene. The driven bodies are the first ones.
#[derive(Clone, Copy, Debug)]
pub(super) enum Drive {
    /// Gravity alone.
    Gravity,
    /// Body 0 goes round an ellipse in the plane, with this acceleration at most (m/s^2), so many times a second.
    Shake { acceleration: f64, frequency: f64 },
    /// Bodies 0 and 1 are pushed towards each other along x with a force about `mean` that swings by the part `swing`,
    /// while both go up and down a little.
    Grip { mean: f64, swing: f64, frequency: f64 },
}

impl Drive {
    /// From the velocities of the last step to the free velocities of this one.
    pub(super) fn apply(self, bodies: &mut [Body], time: f64, h: f64) {
        for body in bodies.iter_mut().filter(|body| body.inverse_mass.z > 0.0) {
            body.velocity.z -= GRAVITY * h;
            // What turns without moment keeps its angular momentum (Euler's equations).
            let spin = body.orientation.inverse() * body.spin;
            let momentum = spin.component_div(&body.inverse_inertia);
            let turned = body.inverse_inertia.component_mul(&momentum.cross(&spin));
            body.spin += h * (body.orientation * turned);
        }
        match self {
            Drive::Gravity => {}
            Drive::Shake { acceleration, frequency } => {
                let rate = TAU * frequency;
                bodies[0].velocity = round(acceleration / rate, rate * (time + h));
            }
            Drive::Grip { mean, swing, frequency } => {
                let rate = TAU * frequency;
                let force = mean * (1.0 + swing * libm::sin(rate * time));
                for (body, sign) in bodies.iter_mut().zip([1.0, -1.0]) {
                    body.velocity.x += sign * force * body.inverse_mass.x * h;
                    body.velocity.z = 0.01 * libm::cos(0.3 * rate * time);
                }
            }
        }
    }
}

/// The velocity at an angle of an elliptic motion.
fn round(speed: f64, angle: f64) -> Vector3<f64> {
    speed * Vector3::new(libm::cos(angle), 0.8 * libm::sin(angle), 0.0)
}

/// The scene of a motion.
pub(super) fn scene(motion: Motion, form: Form) -> Sequence {
    let base = Sequence {
        form,
        bodies: Vec::new(),
        drive: Drive::Gravity,
        h: 2e-3,
        mu: 0.5,
        margin: 5e-3,
        ground: true,
        time: 0.0,
        left: motion.problems(),
        contacts: Vec::new(),
        problem: ConeNcp::default(),
        carried: Default::default(),
    };
    match motion {
        Motion::Tumble => Sequence { bodies: thrown(1, 2.0), ..base },
        Motion::TumbleSix => Sequence { bodies: thrown(6, 0.2), ..base },
        Motion::Shake => shaken([1.0; 5], base),
        Motion::ShakeUnequal => shaken([1.0, 1e4, 1.0, 1e4, 1.0], base),
        Motion::Grip => gripped(base),
    }
}

/// Boxes of 20 cm, one above the other, that fly and turn.
fn thrown(count: usize, speed: f64) -> Vec<Body> {
    let mut dice = Dice::new(7);
    (0..count)
        .map(|k| {
            let half = Vector3::new(0.1, 0.08, 0.12);
            let mut body = Body::cuboid(half, 1.0).at(Vector3::new(0.0, 0.0, 0.2 + 0.25 * k as f64));
            body.orientation = dice.orientation();
            body.velocity = Vector3::new(dice.uniform(-speed, speed), dice.uniform(-speed, speed), -0.5);
            body.spin = dice.vector(5.0 * speed);
            body
        })
        .collect()
}

/// Flat boxes on a plate, each smaller than the one below so that only corners of the upper one meet a face.
fn shaken(masses: [f64; 5], base: Sequence) -> Sequence {
    const HEIGHT: f64 = 0.02;
    let mu = 0.3;
    let mut plate = Body::cuboid(Vector3::new(1.0, 1.0, 0.05), 1.0).at(Vector3::new(0.0, 0.0, -0.05));
    plate.inverse_mass.fill(0.0);
    plate.inverse_inertia.fill(0.0);
    let mut bodies = vec![plate];
    bodies.extend(masses.iter().enumerate().map(|(k, mass)| {
        let side = 0.2 - 0.03 * k as f64;
        let centre = Vector3::new(0.0, 0.0, HEIGHT * (2 * k + 1) as f64);
        Body::cuboid(Vector3::new(side, side, HEIGHT), *mass).at(centre)
    }));
    // Over the limit twice a turn: all contacts stick, each near its cone, or slide a little.
    let (acceleration, frequency) = (1.02 * mu * GRAVITY, 2.0);
    bodies.iter_mut().for_each(|body| body.velocity = round(acceleration / (TAU * frequency), 0.0));
    let drive = Drive::Shake { acceleration, frequency };
    Sequence { bodies, drive, mu, ground: false, margin: 1e-3, ..base }
}

/// A cube of 200 g between two fingers that move along x only, pushed, and up and down as they are told.
fn gripped(base: Sequence) -> Sequence {
    let object = Body::cuboid(Vector3::repeat(0.05), 0.2);
    let finger = |x: f64| {
        let mut body = Body::cuboid(Vector3::new(0.01, 0.02, 0.02), 0.1).at(Vector3::new(x, 0.0, 0.0));
        body.inverse_mass = Vector3::new(10.0, 0.0, 0.0);
        body.inverse_inertia.fill(0.0);
        body
    };
    let bodies = vec![finger(-0.06), finger(0.06), object];
    // Held by 2 mu F >= m g = 1.96 N, that is F >= 1.64 N.
    let drive = Drive::Grip { mean: 3.0, swing: 0.6, frequency: 20.0 };
    Sequence { bodies, drive, mu: 0.6, ground: false, margin: 1e-3, h: 1e-3, ..base }
}
