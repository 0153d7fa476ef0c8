//! The contacts that press without slip, by principal pivoting on the set of them.
//!
//! # Problem
//! With `u = G lambda + u_free`: a set `A` of contacts and limits such that all rows of `A` stop, `u_n + a_n = 0` and
//! `u_t = 0`, by impulses with `lambda_n > 0`, while those outside carry nothing and do not approach, `u_n + a_n >= 0`.
//! There may be none: see [`NoSlip`](super::NoSlip).
//!
//! # Method
//! 1. Begin with the empty set.
//! 2. Stop the rows of `A`: one Cholesky factor of its independent rows ([`IndependentRows`]), normals first. Wrong are
//!    contacts in `A` that do not press or still slip, and contacts outside that approach. If none is, that is the set.
//! 3. Exchange all that are wrong; after some rounds, or back at a set seen before, the first whose exchange gives a set not
//!    seen before, or failing that any such contact.
//! 4. Give up when there is none, or after a number of rounds: small islands have then been tried set by set.
//! 5. Once more from the set of all.
//!
//! # Convergence and failure
//! Without friction the matrix is positive definite and Murty's rule of the least index would end at the answer; with
//! tangents nothing promises that, so that what is found is to be verified, and what is not found may exist. Joint friction
//! counts as a joint that stops. Where normals are redundant one impulse of many decides who presses.
//!
//! # Cost
//! A factorization of the rows of `A` per round, mostly two or three rounds if there is a set.
//!
//! # References
//! K. G. Murty, *Note on a Bard-type scheme for solving the complementarity problem*, Opsearch 11 (1974); M. M. Kostreva,
//! *Block pivot methods for solving the complementarity problem*, Linear Algebra and its Applications 21 (1978).

use super::independent_rows::IndependentRows;
use super::island_rows::{bias, has_friction, velocity};
use crate::contact::island::{Block, BlockKind, IslandProblem};

/// Rounds from one start in which all exchanges are made at a time.
const BLOCKS: usize = 10;

/// Rounds from one start: more than there are sets of six contacts. Large islands have no more than those rounds in which
/// exchanges are made one at a time twice the first ones: each costs too much.
const ROUNDS: usize = 80;

/// Blocks of an island up to which there are so many rounds.
const SMALL: usize = 20;

/// An approach up to this part of what is subtracted in it is rounding.
const ROUNDING: f64 = 1e-12;

/// Tangents that contradict each other by less than this part of the largest speed are held as well as they can be: a rod
/// that lands turns a little, and its ends cannot both stay.
const SLIP: f64 = 1e-6;

/// A set of blocks, and what deciding on it needs. Allocates nothing for an island no larger than one seen before.
#[derive(Debug, Default)]
pub(crate) struct PressingSet {
    /// Per block: whether it is in the set.
    members: Vec<bool>,
    /// Blocks to be exchanged.
    wrong: Vec<usize>,
    /// Hashes of the sets tried.
    seen: Vec<u64>,
    rows: IndependentRows,
    products: Vec<f64>,
    impulse: Vec<f64>,
    step: Vec<f64>,
}

impl PressingSet {
    /// Per block: whether it is in the set found last.
    pub(crate) fn members(&self) -> &[bool] {
        &self.members
    }

    /// Impulses by row of the island that stop the rows of that set (N s).
    pub(crate) fn impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// Rows of the set on which the others depend.
    pub(crate) fn rows(&self) -> &[usize] {
        self.rows.chosen()
    }

    /// Makes room for an island.
    pub(crate) fn reserve(&mut self, island: &IslandProblem) {
        let (blocks, rank) = (island.blocks.len(), island.largest_rank());
        self.rows.clear(rank);
        self.members.clear();
        self.members.reserve(blocks);
        self.wrong.clear();
        self.wrong.reserve(blocks);
        self.seen.clear();
        self.seen.reserve(2 * ROUNDS);
        self.impulse.clear();
        self.impulse.reserve(island.rows());
        for products in [&mut self.products, &mut self.step] {
            products.clear();
            products.reserve(rank + 1);
        }
    }

    /// Whether a set was found.
    pub(crate) fn search(&mut self, island: &IslandProblem) -> bool {
        self.seen.clear();
        [false, true].into_iter().any(|all| self.search_from(island, all))
    }

    fn search_from(&mut self, island: &IslandProblem, all: bool) -> bool {
        self.members.clear();
        self.members.extend(island.blocks.iter().map(|block| all || is_two_sided(block.kind)));
        let rounds = if island.blocks.len() <= SMALL { ROUNDS } else { 2 * BLOCKS };
        for round in 0..rounds {
            let known = self.seen.contains(&hash(&self.members));
            self.seen.push(hash(&self.members));
            self.stop_rows(island);
            self.list_wrong(island);
            if self.wrong.is_empty() {
                self.add_what_stops_rows(island); // once more, for the digits
                return self.keeps_bounds(island);
            }
            if round < BLOCKS && !known {
                self.wrong.iter().for_each(|&b| self.members[b] = !self.members[b]);
            } else if !self.exchange_one(island) {
                return false;
            }
        }
        false
    }

    /// Step 2: the impulses that stop all rows of the set.
    fn stop_rows(&mut self, island: &IslandProblem) {
        self.rows.clear(island.largest_rank());
        let members = || island.blocks.iter().zip(&self.members).filter(|(_, member)| **member);
        for (block, _) in members() {
            self.rows.offer(island, block.row, &mut self.products);
        }
        for (block, _) in members().filter(|(block, _)| has_friction(block.kind)) {
            self.rows.offer(island, block.row + 1, &mut self.products);
            self.rows.offer(island, block.row + 2, &mut self.products);
        }
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        self.add_what_stops_rows(island);
    }

    /// Adds the impulses that take away what velocity the chosen rows still have.
    fn add_what_stops_rows(&mut self, island: &IslandProblem) {
        self.step.clear();
        self.step.extend(self.rows.chosen().iter().map(|&row| -velocity(island, &self.impulse, row).0));
        // Normals were chosen first, in the order of the blocks.
        let mut normals = self.rows.chosen().iter().zip(&mut self.step).peekable();
        for block in island.blocks {
            if let Some((_, step)) = normals.next_if(|(row, _)| **row == block.row) {
                *step -= bias(block.kind);
            }
        }
        self.rows.solve_lower(&mut self.step);
        self.rows.solve_upper(&mut self.step);
        self.rows.chosen().iter().zip(&self.step).for_each(|(&row, step)| self.impulse[row] += step);
    }

    fn list_wrong(&mut self, island: &IslandProblem) {
        self.wrong.clear();
        for (b, block) in island.blocks.iter().enumerate().filter(|(_, block)| !is_two_sided(block.kind)) {
            let wrong = if self.members[b] {
                self.impulse[block.row] <= 0.0 || self.slips(island, block)
            } else {
                let (speed, size) = velocity(island, &self.impulse, block.row);
                let bias = bias(block.kind);
                speed + bias < -ROUNDING * (size + bias.abs())
            };
            if wrong {
                self.wrong.push(b);
            }
        }
    }

    /// Whether a tangent that depends on other rows of the set is contradicted by them.
    fn slips(&self, island: &IslandProblem, block: &Block) -> bool {
        let speed = island.free[block.row..block.row + block.kind.rows()]
            .iter()
            .fold(0.0, |speed: f64, u| speed.max(u.abs()));
        has_friction(block.kind)
            && [block.row + 1, block.row + 2].into_iter().any(|row| {
                let (slip, size) = velocity(island, &self.impulse, row);
                slip.abs() > SLIP * speed + ROUNDING * size
            })
    }

    /// Whether joints are stopped by no more than their friction.
    fn keeps_bounds(&self, island: &IslandProblem) -> bool {
        island.blocks.iter().all(|block| match block.kind {
            BlockKind::Friction { bound } => self.impulse[block.row].abs() <= bound,
            _ => true,
        })
    }

    /// Step 3, one at a time; whether there was one to exchange.
    fn exchange_one(&mut self, island: &IslandProblem) -> bool {
        let others = (0..island.blocks.len()).filter(|&b| !is_two_sided(island.blocks[b].kind));
        for b in self.wrong.iter().copied().chain(others) {
            self.members[b] = !self.members[b];
            if !self.seen.contains(&hash(&self.members)) {
                return true;
            }
            self.members[b] = !self.members[b];
        }
        false
    }
}

/// Joint friction, which is not pivoted on.
fn is_two_sided(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Friction { .. })
}

/// FNV-1a.
fn hash(set: &[bool]) -> u64 {
    set.iter().fold(0xcbf2_9ce4_8422_2325, |hash, member| {
        (hash ^ u64::from(*member)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
