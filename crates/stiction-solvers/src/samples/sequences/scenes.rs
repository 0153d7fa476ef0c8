//! The five scenes and what drives them.

use nalgebra::Vector3;
use std::f64::consts::TAU;

use crate::samples::bodies::Body;
use crate::samples::rng::Rng;

const GRAVITY: f64 = 9.81;

/// The scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// A box thrown on the ground.
    Tumble,
    /// Five boxes on a shaken plate, at the limit of slip.
    Shake,
    /// The same with masses 1 : 1e4.
    ShakeUnequal,
    /// A grasp that slips.
    Grip,
    /// Six boxes thrown on a heap.
    TumbleSix,
}

impl Motion {
    /// All of them.
    pub const ALL: [Motion; 5] =
        [Motion::Tumble, Motion::Shake, Motion::ShakeUnequal, Motion::Grip, Motion::TumbleSix];

    /// A few words.
    pub fn name(self) -> &'static str {
        match self {
            Motion::Tumble => "tumble",
            Motion::Shake => "shake",
            Motion::ShakeUnequal => "shake, masses 1:1e4",
            Motion::Grip => "grip",
            Motion::TumbleSix => "tumble, six",
        }
    }

    /// Number of problems.
    pub fn problems(self) -> usize {
        match self {
            Motion::Tumble => 1254,
            Motion::Shake | Motion::ShakeUnequal | Motion::Grip => 800,
            Motion::TumbleSix => 566,
        }
    }
}

/// What a motion begins with.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) bodies: Vec<Body>,
    pub(super) drive: Drive,
    /// Step size (s).
    pub(super) h: f64,
    /// Coefficient of friction.
    pub(super) mu: f64,
    /// Gap up to which a contact is posed (m).
    pub(super) margin: f64,
    /// Whether there is a ground at height 0.
    pub(super) ground: bool,
}

impl Scene {
    /// The scene of a motion.
    pub(super) fn of(motion: Motion) -> Scene {
        match motion {
            Motion::Tumble => thrown(1, 2.0),
            Motion::TumbleSix => thrown(6, 0.2),
            Motion::Shake => shaken([1.0; 5]),
            Motion::ShakeUnequal => shaken([1.0, 1e4, 1.0, 1e4, 1.0]),
            Motion::Grip => gripped(),
        }
    }
}

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

/// Boxes of 20 cm, one above the other, that fly and turn.
fn thrown(count: usize, speed: f64) -> Scene {
    let mut rng = Rng::new(7);
    let bodies = (0..count)
        .map(|k| {
            let half = Vector3::new(0.1, 0.08, 0.12);
            let mut body = Body::cuboid(half, 1.0).at(Vector3::new(0.0, 0.0, 0.2 + 0.25 * k as f64));
            body.orientation = rng.orientation();
            body.velocity = Vector3::new(rng.uniform(-speed, speed), rng.uniform(-speed, speed), -0.5);
            body.spin = rng.vector(5.0 * speed);
            body
        })
        .collect();
    Scene { bodies, drive: Drive::Gravity, h: 2e-3, mu: 0.5, margin: 5e-3, ground: true }
}

/// Flat boxes on a plate, each smaller than the one below so that only corners of the upper one meet a face.
fn shaken(masses: [f64; 5]) -> Scene {
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
    Scene { bodies, drive, h: 2e-3, mu, margin: 1e-3, ground: false }
}

/// A cube of 200 g between two fingers that move along x only, pushed, and up and down as they are told.
fn gripped() -> Scene {
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
    Scene { bodies, drive, h: 1e-3, mu: 0.6, margin: 1e-3, ground: false }
}
