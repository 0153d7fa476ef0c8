//! Random contact problems: anything that has a solution.
//!
//! 1 to 60 contacts (few more often than many) between a few bodies, or a body and the world, at random points in random directions; fewer
//! velocities than rows in most of them (`W` is then rank deficient), some contacts twice; masses over a ratio up to 1e6;
//! coefficients of friction 0 and up to [`Range::friction`], each contact its own. `q` is the velocity of the bodies plus
//! gaps of at least zero in normal rows, so that at rest nothing approaches.

use nalgebra::{Matrix3, Vector3};

use crate::problem::Cone;
use crate::samples::bodies::{Body, Contact, system};
use crate::samples::rng::Rng;
use crate::samples::system::{Sample, System};

/// Contacts at most.
pub const MOST_CONTACTS: usize = 60;

/// How far the numbers of a problem range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Largest coefficient of friction; the others are down to 1e-2, and zero.
    pub friction: f64,
    /// Largest ratio of masses.
    pub mass: f64,
}

impl Range {
    /// Coefficients to 1000, masses to 1e6.
    pub const WIDE: Range = Range { friction: 1e3, mass: 1e6 };
    /// Coefficients to 1, masses to 1e4.
    pub const USUAL: Range = Range { friction: 1.0, mass: 1e4 };
}

/// A problem of Coulomb contacts whose bodies have any velocity.
pub fn contacts(seed: u64, range: Range) -> Sample {
    let (bodies, contacts) = draw(&mut Rng::new(seed), range);
    Sample { name: format!("random {seed}, {} contacts", contacts.len()), system: system(&bodies, &contacts) }
}

/// The same, where half of the blocks are rows that are fixed, one-sided or bounded.
pub fn mixed(seed: u64, range: Range) -> Sample {
    let mut rng = Rng::new(seed);
    let (bodies, mut contacts) = draw(&mut rng, range);
    let kinds: Vec<usize> = contacts.iter().map(|_| rng.below(6)).collect();
    for (contact, kind) in contacts.iter_mut().zip(&kinds) {
        if *kind < 2 {
            contact.bias = 0.0; // a gap in a row that is fixed, or that must not open, may contradict another one
        }
    }
    let coulomb = system(&bodies, &contacts);
    let mut blocks = System::new(coulomb.rows.columns);
    for (i, kind) in kinds.into_iter().enumerate() {
        let cone = match kind {
            0 => Cone::Free { dim: 1 + rng.below(3) },
            1 => interval(&mut rng, &bodies[contacts[i].on]),
            2 => Cone::Nonnegative { dim: 1 + rng.below(3) },
            _ => coulomb.cones[i],
        };
        let (first, dim) = (coulomb.rows.starts[i], cone.dim());
        let pieces: Vec<(usize, Vec<f64>)> = coulomb
            .rows
            .pieces(i)
            .map(|(piece, entries)| (piece.column, entries[..dim * piece.width].to_vec()))
            .collect();
        blocks.push(cone, &coulomb.q[first..first + dim], &pieces);
    }
    Sample { name: format!("mixed {seed}, {} blocks", blocks.cones.len()), system: blocks }
}

/// Bounds of about the impulse that stops the body, on either side, or on one.
fn interval(rng: &mut Rng, body: &Body) -> Cone {
    let bound = rng.log_uniform(1e-2, 10.0) / body.inverse_mass.x;
    match rng.below(3) {
        0 => Cone::Interval { lower: -bound, upper: rng.uniform(0.0, 2.0) * bound },
        1 => Cone::Interval { lower: 0.0, upper: f64::INFINITY },
        _ => Cone::Interval { lower: f64::NEG_INFINITY, upper: 0.0 },
    }
}

/// A problem of Coulomb contacts, and impulses that solve it: these and the velocities after the step are drawn first,
/// and the free velocities are those that lead there. Half of the bodies are at rest after the step.
pub fn planted(seed: u64, range: Range) -> (Sample, Vec<f64>) {
    let mut rng = Rng::new(seed);
    let (mut bodies, mut contacts) = draw(&mut rng, range);
    for body in &mut bodies {
        if rng.chance(0.5) {
            body.velocity.fill(0.0);
            body.spin.fill(0.0);
        }
    }
    let impulses: Vec<Vector3<f64>> =
        contacts.iter_mut().map(|contact| plant(&mut rng, contact, &bodies)).collect();
    for (contact, impulse) in contacts.iter().zip(&impulses) {
        let world = contact.frame * impulse;
        bodies[contact.on].push(-world, contact.point);
        if let Some(other) = contact.against {
            bodies[other].push(world, contact.point);
        }
    }
    let name = format!("planted {seed}, {} contacts", contacts.len());
    let impulses = impulses.iter().flat_map(|r| [r.x, r.y, r.z]).collect();
    (Sample { name, system: system(&bodies, &contacts) }, impulses)
}

/// Makes a contact open, stick (between bodies at rest) or slide after the step, and returns its impulse.
fn plant(rng: &mut Rng, contact: &mut Contact, bodies: &[Body]) -> Vector3<f64> {
    let at = |body: usize| bodies[body].velocity_at(contact.point);
    let velocity = at(contact.on) - contact.against.map_or(Vector3::zeros(), at);
    if rng.chance(0.3) {
        // Some just touch.
        let opening = if rng.chance(0.8) { rng.log_uniform(1e-3, 1.0) } else { 0.0 };
        contact.bias = (-contact.frame.column(0).dot(&velocity)).max(0.0) + opening;
        return Vector3::zeros();
    }
    contact.bias = 0.0;
    let mass = |body: usize| 1.0 / bodies[body].inverse_mass.x;
    let lighter = mass(contact.on).min(contact.against.map_or(f64::INFINITY, mass));
    let normal = lighter * rng.log_uniform(1e-2, 1.0);
    let speed = velocity.norm();
    if speed == 0.0 {
        let friction = contact.mu * normal * rng.uniform(0.0, 1.0);
        let direction = rng.direction();
        return Vector3::new(normal, friction * direction.x, friction * direction.y);
    }
    // The surface lies along the velocity.
    let along = velocity / speed;
    let across = rng.direction().cross(&along).normalize();
    contact.frame = Matrix3::from_columns(&[across, along, across.cross(&along)]);
    Vector3::new(normal, -contact.mu * normal, 0.0)
}

fn draw(rng: &mut Rng, range: Range) -> (Vec<Body>, Vec<Contact>) {
    let part = rng.uniform(0.0, 1.0);
    let count = 1 + (part * part * MOST_CONTACTS as f64) as usize;
    let most = (1 + count / 2).min(12);
    let (bodies, ratio) = (1 + rng.below(most), rng.log_uniform(1.0, range.mass));
    let bodies: Vec<Body> = (0..bodies)
        .map(|_| {
            let half = Vector3::from_fn(|_, _| rng.uniform(0.2, 1.0));
            let mut body = Body::cuboid(half, rng.log_uniform(1.0, ratio));
            body.orientation = rng.orientation();
            body.velocity = rng.vector(1.0);
            body.spin = rng.vector(1.0);
            body.at(rng.vector(1.0))
        })
        .collect();
    let mut contacts: Vec<Contact> = Vec::with_capacity(count);
    for k in 0..count {
        if k > 0 && rng.chance(0.1) {
            let again = contacts[rng.below(k)].clone();
            contacts.push(again);
            continue;
        }
        let on = rng.below(bodies.len());
        let against = Some(rng.below(bodies.len())).filter(|other| *other != on);
        let mu = if rng.chance(0.1) { 0.0 } else { rng.log_uniform(1e-2, range.friction) };
        let point = bodies[on].position + rng.vector(1.0);
        let mut contact = Contact::new(on, against, point, rng.direction(), mu);
        if rng.chance(0.5) {
            contact.bias = rng.log_uniform(1e-3, 1.0);
        }
        contacts.push(contact);
    }
    (bodies, contacts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ConeScratch;
    use crate::samples::system::Form;

    #[test]
    fn random_problems_cover_all_sizes_coefficients_and_blocks() {
        let range = Range::WIDE;
        let samples: Vec<Sample> =
            (0..500).flat_map(|seed| [contacts(seed, range), mixed(seed, range)]).collect();
        let some = |test: &dyn Fn(&Sample) -> bool| samples.iter().any(test);
        assert!(some(&|s| s.system.cones.len() == 1) && some(&|s| s.system.cones.len() == MOST_CONTACTS));
        assert!(some(&|s| s.system.q.len() > s.system.rows.columns + 100));
        assert!(some(&|s| s.system.q.len() < s.system.rows.columns));
        let has = |test: &dyn Fn(&Cone) -> bool| some(&|s| s.system.cones.iter().any(test));
        assert!(has(&|c| matches!(c, Cone::Coulomb { mu, .. } if *mu == 0.0)));
        assert!(has(&|c| matches!(c, Cone::Coulomb { mu, .. } if *mu > 500.0)));
        assert!(has(&|c| matches!(c, Cone::Free { .. })) && has(&|c| matches!(c, Cone::Nonnegative { .. })));
        assert!(has(&|c| matches!(c, Cone::Interval { .. })));
        assert!(samples.iter().all(|s| s.system.problem(Form::Factored).is_ok()));
    }

    #[test]
    fn planted_impulses_solve_their_problem() {
        let mut scratch = ConeScratch::default();
        for (seed, range) in (0..1000).flat_map(|seed| [(seed, Range::WIDE), (seed, Range::USUAL)]) {
            let (sample, impulses) = planted(seed, range);
            let problem = sample.system.problem(Form::Dense).unwrap();
            let (residual, floor) = problem.assess(&impulses, &mut vec![0.0; impulses.len()], &mut scratch);
            assert!(residual.certifies(1e-10, floor), "{}: {residual:?}, floor {floor:e}", sample.name);
        }
    }
}
