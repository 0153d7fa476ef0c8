//! Two cubes held between two grippers: bodies, contacts, and one time step without its contact problem.
//!
//! Four cubes of 1 m and 1 kg stand in a row along x. The outer two are the grippers: each slides along x only and is
//! pushed inwards. Gravity pulls the inner two down. The blocks have six velocities each and the grippers one: 14.
//!
//! All is kept in the metric of the inertia: `p = M^1/2 v` and rows `y = M^-1/2 j`, so that an impulse `r` along `y`
//! changes `p` by `y r` and `y . p` is the velocity along `j`. A cube's inertia is a multiple of the identity: `M` is
//! diagonal however it turns, and there are no gyroscopic forces.
//!
//! Contact points are given, not found: a face pair keeps its points. A contact has a material point on either body; its
//! gap is their distance along the normal.

use clap::ValueEnum;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction_solvers::samples::bodies::frame;

/// Number of velocities: block, block, gripper, gripper.
pub(crate) const VELOCITIES: usize = 14;
/// Time step (s).
pub(crate) const STEP: f64 = 0.01;
/// Gravity (m/s^2), and the force on each gripper: 10 N a block.
const GRAVITY: f64 = 9.81;
const SQUEEZE: f64 = 20.0;
/// Square root of the moment of inertia (kg m^2)^1/2 of a cube of 1 m and 1 kg; its mass is one.
const ROOT_INERTIA: f64 = 0.408_248_290_463_863;
/// Bodies from left to right, and the first velocity of each.
const BODIES: usize = 4;
const FIRST: [usize; BODIES] = [12, 0, 6, 13];
const GRIPPERS: [usize; 2] = [0, 3];

/// Which contact points a face pair has, twelve in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Normals {
    /// Corners and thirds of the edges, all with the normal of the face
    #[default]
    Face,
    /// Corners only, each with three normals along the axes, as the paper's simulator made them
    Tripled,
}

/// A point contact of body `left` and the one right of it, in their own axes.
#[derive(Clone, Debug)]
struct Contact {
    left: usize,
    on_left: Vector3<f64>,
    on_right: Vector3<f64>,
    /// Columns: normal, from the left body to the right one, and tangents.
    frame: Matrix3<f64>,
}

/// The bodies and where they are.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    position: [Vector3<f64>; BODIES],
    orientation: [UnitQuaternion<f64>; BODIES],
    /// `M^1/2 v`.
    momentum: Vec<f64>,
    contacts: Vec<Contact>,
}

/// The data of the contact problem of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// `Y`, three rows a contact (normal, tangents), [`VELOCITIES`] columns.
    pub(crate) half: Vec<f64>,
    /// `p` after the forces and without contact.
    pub(crate) free: Vec<f64>,
    /// Gap over time step, by contact (m/s).
    pub(crate) approach: Vec<f64>,
}

impl Rows {
    /// Number of contacts.
    pub(crate) fn contacts(&self) -> usize {
        self.approach.len()
    }

    /// Row `k` (0 normal, 1 and 2 tangents) of a contact.
    pub(crate) fn row(&self, contact: usize, k: usize) -> &[f64] {
        let at = (3 * contact + k) * VELOCITIES;
        &self.half[at..at + VELOCITIES]
    }

    /// Writes the same data with the contacts in another order.
    pub(crate) fn deal(&self, order: &[usize], out: &mut Rows) {
        out.free.clone_from(&self.free);
        out.half.clear();
        out.approach.clear();
        for &contact in order {
            (0..3).for_each(|k| out.half.extend_from_slice(self.row(contact, k)));
            out.approach.push(self.approach[contact]);
        }
    }
}

impl Scene {
    /// The scene at rest, faces touching.
    pub(crate) fn new(normals: Normals) -> Scene {
        Scene {
            position: centres(),
            orientation: [UnitQuaternion::identity(); BODIES],
            momentum: vec![0.0; VELOCITIES],
            contacts: (0..BODIES - 1).flat_map(|left| face_contacts(left, normals)).collect(),
        }
    }

    /// Writes the problem of the next step.
    pub(crate) fn pose(&self, rows: &mut Rows) {
        rows.free.clone_from(&self.momentum);
        for block in [1, 2] {
            rows.free[FIRST[block] + 2] -= GRAVITY * STEP;
        }
        rows.free[FIRST[0]] += SQUEEZE * STEP;
        rows.free[FIRST[3]] -= SQUEEZE * STEP;
        rows.half.clear();
        rows.half.resize(3 * self.contacts.len() * VELOCITIES, 0.0);
        rows.approach.clear();
        for (contact, out) in self.contacts.iter().zip(rows.half.chunks_exact_mut(3 * VELOCITIES)) {
            let (left, right) = (contact.left, contact.left + 1);
            let arms = [self.orientation[left] * contact.on_left, self.orientation[right] * contact.on_right];
            for (axis, row) in contact.frame.column_iter().zip(out.chunks_exact_mut(VELOCITIES)) {
                let direction = self.orientation[left] * axis;
                add(row, left, -direction, arms[0]);
                add(row, right, direction, arms[1]);
            }
            let normal = self.orientation[left] * contact.frame.column(0);
            let apart = self.position[right] + arms[1] - self.position[left] - arms[0];
            rows.approach.push(normal.dot(&apart) / STEP);
        }
    }

    /// Moves the bodies for one step with the velocities `p` after contact.
    pub(crate) fn advance(&mut self, momentum: &[f64]) {
        self.momentum.copy_from_slice(momentum);
        for body in 0..BODIES {
            let v = &momentum[FIRST[body]..];
            if GRIPPERS.contains(&body) {
                self.position[body].x += STEP * v[0];
            } else {
                self.position[body] += STEP * Vector3::new(v[0], v[1], v[2]);
                let spin = Vector3::new(v[3], v[4], v[5]) / ROOT_INERTIA;
                self.orientation[body] =
                    UnitQuaternion::from_scaled_axis(STEP * spin) * self.orientation[body];
            }
        }
    }

    /// The farthest that a corner of a block has gone from where it began (m).
    pub(crate) fn drift(&self) -> f64 {
        let mut worst = 0.0_f64;
        for block in [1, 2] {
            for k in 0..8 {
                let sign = |axis: usize| if k >> axis & 1 == 0 { -0.5 } else { 0.5 };
                let corner = Vector3::new(sign(0), sign(1), sign(2));
                let moved = self.position[block] + self.orientation[block] * corner;
                let distance = (moved - centres()[block] - corner).norm();
                // A NaN is as far as can be.
                worst = if distance.is_nan() { f64::INFINITY } else { worst.max(distance) };
            }
        }
        worst
    }
}

fn centres() -> [Vector3<f64>; BODIES] {
    [-1.5, -0.5, 0.5, 1.5].map(|x| Vector3::new(x, 0.0, 0.0))
}

/// Adds to a row of `Y` a unit impulse in `direction` on a body, at `arm` from its centre.
fn add(row: &mut [f64], body: usize, direction: Vector3<f64>, arm: Vector3<f64>) {
    let row = &mut row[FIRST[body]..];
    if GRIPPERS.contains(&body) {
        row[0] += direction.x;
        return;
    }
    let moment = arm.cross(&direction) / ROOT_INERTIA;
    for k in 0..3 {
        row[k] += direction[k];
        row[3 + k] += moment[k];
    }
}

/// The contacts of the right face of body `left`.
fn face_contacts(left: usize, normals: Normals) -> Vec<Contact> {
    let contact = |[y, z]: [f64; 2], normal: Vector3<f64>| Contact {
        left,
        on_left: Vector3::new(0.5, y, z),
        on_right: Vector3::new(-0.5, y, z),
        frame: frame(normal),
    };
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    match normals {
        Normals::Face => (0..4)
            .flat_map(|k| {
                let ([a, b], [c, d]) = (corners[k], corners[(k + 1) % 4]);
                [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|t| [a + t * (c - a), b + t * (d - b)])
            })
            .map(|point| contact(point, Vector3::x()))
            .collect(),
        Normals::Tripled => corners
            .into_iter()
            .flat_map(|[y, z]| {
                let [y_out, z_out] = [Vector3::y() * y.signum(), Vector3::z() * z.signum()];
                [Vector3::x(), y_out, z_out].map(|normal| contact([y, z], normal))
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_pair_has_twelve_points_on_its_rim_and_the_scene_thirty_six() {
        for normals in [Normals::Face, Normals::Tripled] {
            let scene = Scene::new(normals);
            let mut rows = Rows::default();
            scene.pose(&mut rows);
            assert_eq!((rows.contacts(), rows.half.len()), (36, 36 * 3 * 14));
            assert!(rows.approach.iter().all(|gap| *gap == 0.0));
            assert!(scene.contacts.iter().all(|c| c.on_left.y.abs().max(c.on_left.z.abs()) > 0.5 - 1e-15));
        }
    }

    #[test]
    fn an_impulse_between_two_bodies_moves_their_common_centre_nowhere() {
        let mut rows = Rows::default();
        Scene::new(Normals::Face).pose(&mut rows);
        for contact in 12..24 {
            for k in 0..3 {
                let row = rows.row(contact, k);
                assert!((0..3).all(|axis| (row[axis] + row[6 + axis]).abs() < 1e-15), "{row:?}");
            }
        }
    }

    #[test]
    fn without_contact_the_blocks_fall_and_that_is_a_drift() {
        let (mut scene, mut rows) = (Scene::new(Normals::Face), Rows::default());
        for _ in 0..10 {
            scene.pose(&mut rows);
            let free = rows.free.clone();
            scene.advance(&free);
        }
        // Symplectic Euler: g h^2 (1 + ... + 10).
        assert!((scene.drift() - GRAVITY * STEP * STEP * 55.0).abs() < 1e-12);
    }
}
