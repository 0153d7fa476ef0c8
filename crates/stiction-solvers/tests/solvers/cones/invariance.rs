//! Nothing that is only a choice of description may change the physics of a cone problem: the order of contacts, the
//! directions of tangents, units, the number of times a contact is listed; nor may large friction make it much harder.

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use stiction_solvers::samples::bodies::{frame, system};
use stiction_solvers::samples::islands::stack;
use stiction_solvers::samples::{Body, Contact, Family, Form, Rng, System};
use stiction_solvers::{Chain, ChainSettings, Report, Solution, Solver, Start, Status};

const TOLERANCE: f64 = 1e-10;

fn solver(tolerance: f64) -> Chain {
    Chain::new(ChainSettings { tolerance, target: tolerance, ..ChainSettings::default() }).unwrap()
}

/// Impulses and velocities of a problem that must be solvable.
fn solve(system: &System) -> Solution {
    let mut x = Solution::default();
    let report = solver(TOLERANCE).solve(&system.problem(Form::Dense).unwrap(), Start::Cold, &mut x);
    assert_eq!(report.status, Status::Solved, "{report:?}");
    x
}

/// Bodies in a row, each in contact with the one before it (the first with the world) at one point: `W` is positive
/// definite, and with little friction `u` is unique.
fn chain(rng: &mut Rng, count: usize) -> (Vec<Body>, Vec<Contact>) {
    let mut bodies = Vec::new();
    let mut contacts = Vec::new();
    for k in 0..count {
        let half = Vector3::from_fn(|_, _| rng.uniform(0.3, 0.6));
        let mut body = Body::cuboid(half, rng.log_uniform(0.1, 10.0)).at(Vector3::new(0.0, 0.0, k as f64));
        body.orientation = rng.orientation();
        body.velocity = rng.vector(1.0) - Vector3::z();
        body.spin = rng.vector(1.0);
        let point = body.position - Vector3::new(rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2), 0.5);
        let normal = (Vector3::z() + 0.3 * rng.direction()).normalize();
        bodies.push(body);
        contacts.push(Contact::new(k, k.checked_sub(1), point, normal, rng.uniform(0.0, 0.3)));
    }
    (bodies, contacts)
}

/// Largest difference of two vectors relative to the largest entry of `unit`, that of the free velocities for velocities.
fn difference(a: &[f64], b: &[f64], unit: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = unit.iter().fold(0.0, |size: f64, a| size.max(a.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

/// The blocks of a vector in another order.
fn reordered(x: &[f64], order: &[usize]) -> Vec<f64> {
    order.iter().flat_map(|k| x[3 * k..3 * k + 3].to_vec()).collect()
}

fn shuffled(rng: &mut Rng, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|k| order.swap(k, rng.below(k + 1)));
    order
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_contacts_does_not_matter(seed in 0_u64..1_000_000, count in 1_usize..8) {
        let mut rng = Rng::new(seed);
        let (bodies, contacts) = chain(&mut rng, count);
        let order = shuffled(&mut rng, count);
        let other: Vec<Contact> = order.iter().map(|k| contacts[*k].clone()).collect();
        let (first, second) = (system(&bodies, &contacts), system(&bodies, &other));
        let (x, y) = (solve(&first), solve(&second));
        prop_assert!(difference(&reordered(&x.w, &order), &y.w, &first.q) < 1e-7);
    }

    #[test]
    fn tangents_may_be_any_two_directions_of_the_surface(seed in 0_u64..1_000_000, count in 1_usize..8) {
        let mut rng = Rng::new(seed);
        let (bodies, contacts) = chain(&mut rng, count);
        let turned: Vec<Contact> = contacts
            .iter()
            .map(|contact| {
                let angle = rng.uniform(0.0, 6.3);
                let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                let turn = Matrix3::new(1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos);
                Contact { frame: contact.frame * turn, ..contact.clone() }
            })
            .collect();
        let (first, second) = (system(&bodies, &contacts), system(&bodies, &turned));
        let (x, y) = (solve(&first), solve(&second));
        let world = |contacts: &[Contact], u: &[f64]| -> Vec<f64> {
            let turn = |(contact, u): (&Contact, &[f64])| contact.frame * Vector3::new(u[0], u[1], u[2]);
            contacts.iter().zip(u.chunks_exact(3)).map(turn).flat_map(|v| [v.x, v.y, v.z]).collect()
        };
        prop_assert!(difference(&world(&contacts, &x.w), &world(&turned, &y.w), &first.q) < 1e-7);
    }

    #[test]
    fn grams_and_millimetres_give_the_same_motion(seed in 0_u64..1_000_000, count in 1_usize..8) {
        let (bodies, contacts) = chain(&mut Rng::new(seed), count);
        let usual = system(&bodies, &contacts);
        let x = solve(&usual);
        let mut small = usual.clone();
        // In grams and millimetres W = 1/1000 of what it is, as 1 kg m/s = 1e6 g mm/s moves by 1e3 mm/s; q is 1e3 times.
        small.rows.values.iter_mut().for_each(|y| *y /= 1000.0_f64.sqrt());
        small.q.iter_mut().for_each(|q| *q *= 1000.0);
        let y = solve(&small);
        let back: Vec<f64> = y.w.iter().map(|u| u / 1000.0).collect();
        prop_assert!(difference(&x.w, &back, &usual.q) < 1e-7);
        let back: Vec<f64> = y.z.iter().map(|r| r / 1e6).collect();
        prop_assert!(difference(&x.z, &back, &x.z) < 1e-6 || x.z.iter().all(|r| *r == 0.0));
    }

    #[test]
    fn a_contact_listed_twice_is_one_contact(seed in 0_u64..1_000_000, count in 1_usize..8) {
        let mut rng = Rng::new(seed);
        let (bodies, contacts) = chain(&mut rng, count);
        let twice: Vec<Contact> = contacts.iter().chain(&contacts).cloned().collect();
        let once = system(&bodies, &contacts);
        let (x, y) = (solve(&once), solve(&system(&bodies, &twice)));
        let (first, second) = y.w.split_at(3 * count);
        prop_assert!(difference(&x.w, first, &once.q) < 1e-7 && difference(&x.w, second, &once.q) < 1e-7);
        let sum: Vec<f64> = (0..3 * count).map(|k| y.z[k] + y.z[3 * count + k]).collect();
        prop_assert!(difference(&x.z, &sum, &x.z) < 1e-6 || x.z.iter().all(|r| *r == 0.0));
    }
}

#[test]
fn hyperstatic_islands_are_solved_in_any_order() {
    for family in Family::ALL {
        for (k, sample) in family.samples(5).into_iter().step_by(13).enumerate() {
            let System { cones, rows, q } = &sample.system;
            let order = shuffled(&mut Rng::new(k as u64), cones.len());
            let mut other = System::new(rows.columns);
            for &i in &order {
                let pieces: Vec<(usize, Vec<f64>)> =
                    rows.pieces(i).map(|(piece, entries)| (piece.column, entries.to_vec())).collect();
                other.push(cones[i], &q[3 * i..3 * i + 3], &pieces);
            }
            let statuses = [&sample.system, &other].map(|system| {
                let mut x = Solution::default();
                let problem = system.problem(Form::Dense).unwrap();
                solver(1e-8).solve(&problem, Start::Cold, &mut x).status
            });
            assert_eq!(statuses, [Status::Solved; 2], "{}", sample.name);
        }
    }
}

#[test]
fn from_little_friction_to_a_thousand_the_work_grows_by_no_more_than_three() {
    let mut solver = solver(1e-8);
    let medians: Vec<usize> = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]
        .into_iter()
        .map(|mu| {
            let mut work: Vec<usize> = (0..40)
                .map(|seed| {
                    let system = stack(&mut Rng::new(seed), 2 + seed as usize % 5, 10.0, mu);
                    let mut x = Solution::default();
                    let report = solver.solve(&system.problem(Form::Dense).unwrap(), Start::Cold, &mut x);
                    assert_eq!(report.status, Status::Solved, "mu {mu}, seed {seed}: {report:?}");
                    report.pivots
                })
                .collect();
            work.sort_unstable();
            work[work.len() / 2]
        })
        .collect();
    eprintln!("factorizations, median by mu: {medians:?}");
    assert!(medians.iter().all(|work| *work <= 3 * medians[0]), "{medians:?}");
}

#[test]
fn a_cube_at_rest_is_solved_in_few_iterations_and_from_the_second_step_on_in_one() {
    // siconos issue 214: 100 000 iterations at every step of a cube that does not move.
    const STEP: f64 = 5e-4;
    let mut body = Body::cuboid(Vector3::repeat(0.5), 1.0).at(Vector3::new(0.0, 0.0, 0.5));
    let corners = body.corners();
    let contacts: Vec<Contact> = corners[..4]
        .iter()
        .map(|corner| Contact {
            frame: frame(Vector3::z()),
            ..Contact::new(0, None, *corner, Vector3::z(), 0.3)
        })
        .collect();
    let mut solver = solver(1e-12);
    let mut x = Solution::default();
    for step in 1..=200 {
        body.velocity.z -= 9.81 * STEP;
        let problem = system(std::slice::from_ref(&body), &contacts).problem(Form::Dense).unwrap();
        let start = if step == 1 { Start::Cold } else { Start::Warm };
        let report: Report = solver.solve(&problem, start, &mut x);
        assert_eq!(report.status, Status::Solved);
        assert!(report.residual.natural_map <= 1e-12, "step {step}: {report:?}");
        assert!(report.iterations <= if step == 1 { 100 } else { 5 }, "step {step}: {report:?}");
        let normal: f64 = x.z.iter().step_by(3).sum();
        assert!((normal - 4.905e-3).abs() < 1e-12, "step {step}: {normal}");
        for (contact, r) in contacts.iter().zip(x.z.chunks_exact(3)) {
            body.push(contact.frame * Vector3::new(r[0], r[1], r[2]), contact.point);
        }
        assert!(body.velocity.norm() < 1e-14 && body.spin.norm() < 1e-14);
    }
}
