//! Random contact problems: anything that has a solution.
//!
//! 1 to 60 contacts between a few bodies, or a body and the world, at random points in random directions; fewer
//! velocities than rows in most of them (`W` is then rank deficient), some contacts twice; masses over a ratio up to 1e6;
//! coefficients of friction 0 and up to 1000, each contact its own. `q` is the velocity of the bodies plus gaps of at
//! least zero in normal rows, so that at rest all laws but dissipation hold.

use nalgebra::Vector3;

use super::Sample;
use super::bodies::{Body, Contact, system};
use super::dice::Dice;
use super::system::System;
use crate::cone::Cone;

/// Contacts at most.
pub const MOST_CONTACTS: usize = 60;

/// A problem of Coulomb contacts.
pub fn contacts(seed: u64) -> Sample {
    let (bodies, contacts) = draw(&mut Dice::new(seed));
    Sample { name: format!("random {seed}, {} contacts", contacts.len()), system: system(&bodies, &contacts) }
}

/// The same, where two blocks in five are rows that are held, one-sided or bounded.
pub fn mixed(seed: u64) -> Sample {
    let mut dice = Dice::new(seed);
    let (bodies, mut contacts) = draw(&mut dice);
    let kinds: Vec<usize> = contacts.iter().map(|_| dice.below(5)).collect();
    for (contact, kind) in contacts.iter_mut().zip(&kinds) {
        if *kind == 0 {
            contact.bias = 0.0; // a held row that is out of place may contradict another one
        }
    }
    let coulomb = system(&bodies, &contacts);
    let mut blocks = System::new(coulomb.rows.columns);
    for (i, kind) in kinds.into_iter().enumerate() {
        let cone = match kind {
            0 => Cone::Free { dim: 1 + dice.below(3) },
            1 if dice.chance(0.5) => Cone::Nonnegative { dim: 1 + dice.below(3) },
            1 => interval(&mut dice, contacts[i].on, &bodies),
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
fn interval(dice: &mut Dice, body: usize, bodies: &[Body]) -> Cone {
    let bound = dice.log_uniform(1e-2, 10.0) / bodies[body].inverse_mass.x;
    match dice.below(3) {
        0 => Cone::Interval { lower: -bound, upper: dice.uniform(0.0, 2.0) * bound },
        1 => Cone::Interval { lower: 0.0, upper: f64::INFINITY },
        _ => Cone::Interval { lower: f64::NEG_INFINITY, upper: 0.0 },
    }
}

fn draw(dice: &mut Dice) -> (Vec<Body>, Vec<Contact>) {
    let count = 1 + dice.below(MOST_CONTACTS);
    let most = (1 + count / 2).min(12);
    let (bodies, ratio) = (1 + dice.below(most), dice.log_uniform(1.0, 1e6));
    let bodies: Vec<Body> = (0..bodies)
        .map(|_| {
            let half = Vector3::from_fn(|_, _| dice.uniform(0.2, 1.0));
            let mut body = Body::cuboid(half, dice.log_uniform(1.0, ratio));
            body.orientation = dice.orientation();
            body.velocity = dice.vector(1.0);
            body.spin = dice.vector(1.0);
            body.at(dice.vector(1.0))
        })
        .collect();
    let mut contacts: Vec<Contact> = Vec::with_capacity(count);
    for k in 0..count {
        if k > 0 && dice.chance(0.1) {
            let again = contacts[dice.below(k)].clone();
            contacts.push(again);
            continue;
        }
        let on = dice.below(bodies.len());
        let against = Some(dice.below(bodies.len())).filter(|other| *other != on);
        let mu = if dice.chance(0.1) { 0.0 } else { dice.log_uniform(1e-2, 1e3) };
        let point = bodies[on].position + dice.vector(1.0);
        let mut contact = Contact::new(on, against, point, dice.direction(), mu);
        if dice.chance(0.5) {
            contact.bias = dice.log_uniform(1e-3, 1.0);
        }
        contacts.push(contact);
    }
    (bodies, contacts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_problems_cover_all_sizes_coefficients_and_blocks() {
        let samples: Vec<Sample> = (0..500).flat_map(|seed| [contacts(seed), mixed(seed)]).collect();
        let some = |test: &dyn Fn(&Sample) -> bool| samples.iter().any(test);
        assert!(some(&|s| s.system.cones.len() == 1) && some(&|s| s.system.cones.len() == MOST_CONTACTS));
        assert!(some(&|s| s.system.q.len() > s.system.rows.columns + 100));
        assert!(some(&|s| s.system.q.len() < s.system.rows.columns));
        let has = |test: &dyn Fn(&Cone) -> bool| some(&|s| s.system.cones.iter().any(test));
        assert!(has(&|c| matches!(c, Cone::Coulomb { mu, .. } if *mu == 0.0)));
        assert!(has(&|c| matches!(c, Cone::Coulomb { mu, .. } if *mu > 500.0)));
        assert!(has(&|c| matches!(c, Cone::Free { .. })) && has(&|c| matches!(c, Cone::Nonnegative { .. })));
        assert!(has(&|c| matches!(c, Cone::Interval { .. })));
        assert!(samples.iter().all(|s| s.system.problem(super::super::Form::Factored).is_ok()));
    }
}
