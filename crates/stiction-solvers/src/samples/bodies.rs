//! Rigid bodies with point contacts, and the cone problem of one time step of theirs.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::problem::Cone;
use crate::samples::system::System;

/// A box that moves; with inverse inertias of zero it moves as it is told.
#[derive(Clone, Debug)]
pub struct Body {
    /// Half of its sides (m).
    pub half: Vector3<f64>,
    /// Inverse mass along each axis of the world (1/kg): zero where the motion is prescribed.
    pub inverse_mass: Vector3<f64>,
    /// Inverse moments of inertia about its own axes (1/(kg m^2)).
    pub inverse_inertia: Vector3<f64>,
    /// Centre of mass (m).
    pub position: Vector3<f64>,
    /// From its axes to those of the world.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the centre (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity, in the world's axes (rad/s).
    pub spin: Vector3<f64>,
}

impl Body {
    /// A homogeneous box at rest in the origin.
    pub fn cuboid(half: Vector3<f64>, mass: f64) -> Body {
        let square = half.component_mul(&half);
        let sum = square.sum();
        Body {
            half,
            inverse_mass: Vector3::repeat(1.0 / mass),
            inverse_inertia: square.map(|own| 3.0 / (mass * (sum - own))),
            position: Vector3::zeros(),
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
        }
    }

    /// The same body elsewhere.
    pub fn at(self, position: Vector3<f64>) -> Body {
        Body { position, ..self }
    }

    /// Its corners in the world, in a fixed order.
    pub fn corners(&self) -> [Vector3<f64>; 8] {
        std::array::from_fn(|k| {
            let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let corner = self.half.component_mul(&Vector3::new(sign(0), sign(1), sign(2)));
            self.position + self.orientation * corner
        })
    }

    /// Whether no impulse moves it.
    pub fn is_prescribed(&self) -> bool {
        self.inverse_mass == Vector3::zeros() && self.inverse_inertia == Vector3::zeros()
    }

    /// Velocity of the point of the body that is at `point` (m/s).
    pub fn velocity_at(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.velocity + self.spin.cross(&(point - self.position))
    }

    /// What an impulse (N s) at a point changes.
    pub fn push(&mut self, impulse: Vector3<f64>, point: Vector3<f64>) {
        self.velocity += self.inverse_mass.component_mul(&impulse);
        let moment = self.orientation.inverse() * (point - self.position).cross(&impulse);
        self.spin += self.orientation * self.inverse_inertia.component_mul(&moment);
    }

    /// The row of `Y` of a unit impulse in `direction` at `point`, in linear and angular velocities.
    fn row(&self, direction: Vector3<f64>, point: Vector3<f64>) -> [f64; 6] {
        let moment = self.orientation.inverse() * (point - self.position).cross(&direction);
        let linear = direction.component_mul(&self.inverse_mass.map(f64::sqrt));
        let angular = moment.component_mul(&self.inverse_inertia.map(f64::sqrt));
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }
}

/// A point contact; `u` is the velocity of the first body against the second one (or the world).
#[derive(Clone, Debug)]
pub struct Contact {
    /// The body that the normal points to.
    pub on: usize,
    /// The other one; none is the world at rest.
    pub against: Option<usize>,
    /// Where (m).
    pub point: Vector3<f64>,
    /// Columns: normal, tangents.
    pub frame: Matrix3<f64>,
    /// Coefficient of friction.
    pub mu: f64,
    /// What is added to the normal velocity (m/s).
    pub bias: f64,
}

impl Contact {
    /// A contact without bias; the tangents are chosen.
    pub fn new(
        on: usize,
        against: Option<usize>,
        point: Vector3<f64>,
        normal: Vector3<f64>,
        mu: f64,
    ) -> Contact {
        Contact { on, against, point, frame: frame(normal), mu, bias: 0.0 }
    }
}

/// Right-handed columns normal, tangent, tangent, for a unit normal.
pub fn frame(normal: Vector3<f64>) -> Matrix3<f64> {
    // The axis least along the normal makes the best conditioned tangent.
    let tangent = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
    Matrix3::from_columns(&[normal, tangent, normal.cross(&tangent)])
}

/// The cone problem of bodies at their free velocities.
pub fn system(bodies: &[Body], contacts: &[Contact]) -> System {
    let mut system = System::new(6 * bodies.len());
    for contact in contacts {
        let velocity = |body: usize| bodies[body].velocity_at(contact.point);
        let against = contact.against.map_or(Vector3::zeros(), velocity);
        let mut q = contact.frame.tr_mul(&(velocity(contact.on) - against));
        q[0] += contact.bias;
        let piece = |body: usize, sign: f64| {
            let rows =
                contact.frame.column_iter().flat_map(|axis| bodies[body].row(sign * axis, contact.point));
            (6 * body, rows.collect::<Vec<f64>>())
        };
        let pieces: Vec<_> = [(Some(contact.on), 1.0), (contact.against, -1.0)]
            .into_iter()
            .filter_map(|(body, sign)| Some((body?, sign)))
            .filter(|(body, _)| !bodies[*body].is_prescribed())
            .map(|(body, sign)| piece(body, sign))
            .collect();
        system.push(Cone::Coulomb { dim: 3, mu: contact.mu }, q.as_slice(), &pieces);
    }
    system
}
