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

use super::has_friction;
use super::independent_rows::IndependentRows;
use crate::contact::formulation::normal::{FactoredIsland, Push, bias};
use crate::contact::island::{Block, BlockKind, IslandProblem};

/// Rounds from one start in which all exchanges are made at a time.
const BLOCKS: usize = 10;

/// Rounds from one start: more than there are sets of six contacts.
const ROUNDS: usize = 80;

/// Blocks of an island up to which sets are searched: beyond it they are too many, and each costs too much.
const SMALL: usize = 12;

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
    l: Vec<f64>,
    rest: Vec<f64>,
    impulse: Vec<f64>,
    push: Push,
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

    /// Reserves the workspace of an island.
    pub(crate) fn reserve(&mut self, rows: &FactoredIsland) {
        let (blocks, columns) = (rows.island.blocks.len().min(SMALL), rows.columns());
        self.rows.clear(columns);
        self.members.clear();
        self.members.reserve(blocks);
        self.wrong.clear();
        self.wrong.reserve(blocks);
        self.seen.clear();
        self.seen.reserve(2 * ROUNDS);
        self.impulse.clear();
        self.impulse.reserve(3 * blocks);
        for list in [&mut self.l, &mut self.step, &mut self.rest, &mut self.push.sum, &mut self.push.size] {
            list.clear();
            list.reserve(columns);
        }
    }

    /// Whether a set was found.
    pub(crate) fn search(&mut self, rows: &FactoredIsland) -> bool {
        if rows.island.blocks.len() > SMALL {
            return false;
        }
        self.reserve(rows);
        self.rest.resize(rows.columns(), 0.0);
        [false, true].into_iter().any(|all| self.search_from(rows, all))
    }

    fn search_from(&mut self, rows: &FactoredIsland, all: bool) -> bool {
        self.members.clear();
        self.members.extend(rows.island.blocks.iter().map(|block| all || is_two_sided(block.kind)));
        for round in 0..ROUNDS {
            let known = self.seen.contains(&hash(&self.members));
            self.seen.push(hash(&self.members));
            self.stop_rows(rows);
            self.list_wrong(rows);
            if self.wrong.is_empty() {
                self.add_what_stops_rows(rows); // once more, for the digits
                return self.keeps_bounds(rows.island);
            }
            if round < BLOCKS && !known {
                self.wrong.iter().for_each(|&b| self.members[b] = !self.members[b]);
            } else if !self.exchange_one(rows.island) {
                return false;
            }
        }
        false
    }

    /// Step 2: the impulses that stop all rows of the set.
    fn stop_rows(&mut self, rows: &FactoredIsland) {
        let island = rows.island;
        self.rows.clear(rows.columns());
        let members = || island.blocks.iter().zip(&self.members).filter(|(_, member)| **member);
        let normals = members().map(|(block, _)| block.row);
        let with_tangents = members().filter(|(block, _)| has_friction(block.kind));
        let tangents = with_tangents.flat_map(|(block, _)| [block.row + 1, block.row + 2]);
        for row in normals.chain(tangents) {
            self.rows.offer(rows, row, &mut self.l, &mut self.rest);
        }
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        self.add_what_stops_rows(rows);
    }

    /// Adds the impulses that take away what velocity the chosen rows still have.
    fn add_what_stops_rows(&mut self, rows: &FactoredIsland) {
        rows.push(&self.impulse, &mut self.push);
        self.step.clear();
        self.step.extend(self.rows.chosen().iter().map(|&row| -rows.velocity(row, &self.push).0));
        // Normals were chosen first, in the order of the blocks.
        let mut normals = self.rows.chosen().iter().zip(&mut self.step).peekable();
        for block in rows.island.blocks {
            if let Some((_, step)) = normals.next_if(|(row, _)| **row == block.row) {
                *step -= bias(block.kind);
            }
        }
        self.rows.solve_lower(&mut self.step);
        self.rows.solve_upper(&mut self.step);
        self.rows.chosen().iter().zip(&self.step).for_each(|(&row, step)| self.impulse[row] += step);
        rows.push(&self.impulse, &mut self.push);
    }

    fn list_wrong(&mut self, rows: &FactoredIsland) {
        self.wrong.clear();
        for (b, block) in rows.island.blocks.iter().enumerate().filter(|(_, block)| !is_two_sided(block.kind))
        {
            let wrong = if self.members[b] {
                self.impulse[block.row] <= 0.0 || self.slips(rows, block)
            } else {
                let (speed, size) = rows.velocity(block.row, &self.push);
                let bias = bias(block.kind);
                speed + bias < -ROUNDING * (size + bias.abs())
            };
            if wrong {
                self.wrong.push(b);
            }
        }
    }

    /// Whether a tangent that depends on other rows of the set is contradicted by them.
    fn slips(&self, rows: &FactoredIsland, block: &Block) -> bool {
        let speed = rows.island.free[block.row..block.row + block.kind.rows()]
            .iter()
            .fold(0.0, |speed: f64, u| speed.max(u.abs()));
        has_friction(block.kind)
            && [block.row + 1, block.row + 2].into_iter().any(|row| {
                let (slip, size) = rows.velocity(row, &self.push);
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
