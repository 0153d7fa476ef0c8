//! 936 contact problems of 1 to 40 contacts.
//!
//! | family | problems | what varies |
//! |---|---|---|
//! | box | 216 | 4 contacts, or 8 that are 4 twice; mu 0 to 1000 |
//! | stack | 300 | 2 to 10 boxes with four contacts a face; masses over a ratio of 1 to 1e8 |
//! | stack, mu | 80 | the same with mu from 0 to 1000 |
//! | grasp | 160 | 2 to 5 fingers with 1 to 8 contacts each; mass of a finger over the object's 1e-3 to 1e6 |
//! | pile | 180 | up to 8 bodies with 5 contacts each; masses over a ratio of 1 to 1e8; mu 0.1 to 3 |

use nalgebra::Vector3;

use crate::samples::bodies::{Body, Contact, system};
use crate::samples::pile::pile;
use crate::samples::rng::Rng;
use crate::samples::system::{Sample, System};

/// Velocity that gravity gives in a step of 10 ms (m/s).
const FALL: f64 = -0.0981;

/// The five families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A box on four or eight contacts.
    Box,
    /// Stacks of unequal masses.
    Stack,
    /// Stacks over all coefficients of friction.
    StackFriction,
    /// Grasps.
    Grasp,
    /// Random hyperstatic piles.
    Pile,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 5] =
        [Family::Box, Family::Stack, Family::StackFriction, Family::Grasp, Family::Pile];

    /// A few words.
    pub fn name(self) -> &'static str {
        match self {
            Family::Box => "box",
            Family::Stack => "stack",
            Family::StackFriction => "stack, mu",
            Family::Grasp => "grasp",
            Family::Pile => "pile",
        }
    }

    /// Its problems; another seed gives others of the same kind.
    pub fn samples(self, seed: u64) -> Vec<Sample> {
        // Every problem has its own source, so that a change to one kind leaves the others as they are.
        let rng = |k: usize| Rng::new(seed.wrapping_mul(1_000_003) + 10_000 * self as u64 + k as u64);
        let mut samples = Vec::new();
        let mut add = |name: String, build: &dyn Fn(&mut Rng, usize) -> System, count: usize| {
            for i in 0..count {
                let system = build(&mut rng(samples.len()), i);
                samples.push(Sample { name: format!("{name}, {i}"), system });
            }
        };
        match self {
            Family::Box => {
                for mu in [0.0, 0.05, 0.3, 0.7, 1.0, 3.0, 10.0, 100.0, 1000.0] {
                    for copies in [1, 2] {
                        let build = |rng: &mut Rng, _: usize| cuboid(rng, copies, mu);
                        add(format!("box, {} contacts, mu {mu}", 4 * copies), &build, 12);
                    }
                }
            }
            Family::Stack => {
                for ratio in [1.0, 1e2, 1e4, 1e6, 1e8] {
                    let build = |rng: &mut Rng, i: usize| {
                        let mu = rng.uniform(0.2, 1.0);
                        stack(rng, 2 + i % 9, ratio, mu)
                    };
                    add(format!("stack, ratio {ratio:e}"), &build, 60);
                }
            }
            Family::StackFriction => {
                for mu in [0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0] {
                    let build = |rng: &mut Rng, i: usize| stack(rng, 2 + i % 8, 10.0, mu);
                    add(format!("stack, mu {mu}"), &build, 8);
                }
            }
            Family::Grasp => {
                for ratio in [1e-3, 1.0, 1e3, 1e6] {
                    let build = |rng: &mut Rng, i: usize| grasp(rng, 2 + i % 4, 1 + (i / 4) % 8, ratio);
                    add(format!("grasp, ratio {ratio:e}"), &build, 40);
                }
            }
            Family::Pile => {
                for ratio in [1.0, 1e4, 1e8] {
                    let build = |rng: &mut Rng, i: usize| {
                        let bodies = 1 + i % 8;
                        pile(rng, bodies, 5 * bodies, ratio, [0.1, 3.0])
                    };
                    add(format!("pile, ratio {ratio:e}"), &build, 60);
                }
            }
        }
        samples
    }
}

/// A box on its lower corners, each `copies` times, as it arrives: falling, sliding and turning.
fn cuboid(rng: &mut Rng, copies: usize, mu: f64) -> System {
    let half = Vector3::from_fn(|_, _| rng.uniform(0.1, 1.0));
    let mut body = Body::cuboid(half, rng.log_uniform(0.1, 10.0)).at(Vector3::new(0.0, 0.0, half.z));
    knock(rng, &mut body, [1e-2, 10.0]);
    let corners = body.corners();
    let contacts: Vec<Contact> =
        (0..4 * copies).map(|k| Contact::new(0, None, corners[k % 4], Vector3::z(), mu)).collect();
    system(&[body], &contacts)
}

/// Gravity of one step and a random velocity of a size between these limits (m/s).
fn knock(rng: &mut Rng, body: &mut Body, [least, largest]: [f64; 2]) {
    let size = rng.log_uniform(least, largest);
    body.velocity = rng.vector(size) + FALL * Vector3::z();
    body.spin = rng.vector(size / body.half.max());
}

/// Boxes on each other, each a little smaller than the one below and four contacts a face; masses within `ratio`.
pub fn stack(rng: &mut Rng, boxes: usize, ratio: f64, mu: f64) -> System {
    let mut bodies: Vec<Body> = Vec::new();
    let mut contacts = Vec::new();
    let mut top = 0.0;
    for k in 0..boxes {
        let side = 0.5 - 0.1 * k as f64 / boxes as f64;
        let half = Vector3::new(side, side, rng.uniform(0.2, 0.5));
        let centre = Vector3::new(0.0, 0.0, top + half.z);
        top += 2.0 * half.z;
        let mut body = Body::cuboid(half, rng.log_uniform(1.0, ratio)).at(centre);
        knock(rng, &mut body, [1e-3, 1.0]);
        let corners = body.corners();
        bodies.push(body);
        contacts.extend(
            corners[..4].iter().map(|corner| Contact::new(k, k.checked_sub(1), *corner, Vector3::z(), mu)),
        );
    }
    system(&bodies, &contacts)
}

/// Fingers that close on an object, each with a patch of contacts in one plane; a finger has `ratio` times its mass.
fn grasp(rng: &mut Rng, fingers: usize, patch: usize, ratio: f64) -> System {
    const RADIUS: f64 = 0.05;
    let mut object = Body::cuboid(Vector3::repeat(RADIUS), 1.0);
    knock(rng, &mut object, [1e-3, 0.1]);
    let mut bodies = vec![object];
    let mut contacts = Vec::new();
    let mu = rng.uniform(0.2, 1.2);
    // The second finger stands about opposite to the first, the others anywhere.
    let first = rng.direction();
    for finger in 1..=fingers {
        let outward = match finger {
            1 => first,
            2 => (0.2 * rng.direction() - first).normalize(),
            _ => rng.direction(),
        };
        let half = Vector3::new(0.02, 0.02, 0.02);
        let mut body = Body::cuboid(half, ratio).at(1.4 * RADIUS * outward);
        body.orientation = rng.orientation();
        body.velocity = -rng.uniform(0.01, 0.3) * outward + rng.vector(0.02);
        bodies.push(body);
        let frame = crate::samples::bodies::frame(outward);
        for _ in 0..patch {
            let aside = frame * Vector3::new(0.0, rng.uniform(-0.01, 0.01), rng.uniform(-0.01, 0.01));
            contacts.push(Contact::new(finger, Some(0), RADIUS * outward + aside, outward, mu));
        }
    }
    system(&bodies, &contacts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::system::Form;

    #[test]
    fn there_are_936_problems_of_1_to_40_contacts_with_names_of_their_own() {
        let samples: Vec<Sample> = Family::ALL.iter().flat_map(|family| family.samples(0)).collect();
        assert_eq!(samples.len(), 936);
        let names: std::collections::BTreeSet<&str> = samples.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names.len(), 936);
        let sizes: Vec<usize> = samples.iter().map(|s| s.system.cones.len()).collect();
        assert!(sizes.iter().all(|n| (1..=40).contains(n)) && sizes.contains(&40));
    }

    #[test]
    fn the_forms_of_a_problem_are_one_operator() {
        for family in Family::ALL {
            let sample = family.samples(1).swap_remove(17);
            let n = sample.system.q.len();
            let [dense, sparse, factored] =
                Form::ALL.map(|form| sample.system.problem(form).unwrap().delassus().to_dense(n));
            assert_eq!(dense, sparse);
            let size = dense.iter().fold(0.0, |size: f64, w| size.max(w.abs()));
            for (a, b) in dense.iter().zip(&factored) {
                assert!((a - b).abs() < 1e-14 * size, "{}", sample.name);
            }
        }
    }

    #[test]
    fn a_cube_on_a_corner_has_the_effective_mass_of_the_textbook() {
        // Impulse at (a, a, -a): W_nn = 1/m + (r x n)^2 / I = 1/m (1 + 2 a^2 / (2/3 a^2)) = 4/m.
        let body = Body::cuboid(Vector3::repeat(0.7), 3.0);
        let contact = Contact::new(0, None, Vector3::new(0.7, 0.7, -0.7), Vector3::z(), 0.5);
        let system = system(&[body], &[contact]);
        let w = system.problem(Form::Dense).unwrap().delassus().to_dense(3);
        assert!((w[0] - 4.0 / 3.0).abs() < 1e-14, "{w:?}");
    }
}
