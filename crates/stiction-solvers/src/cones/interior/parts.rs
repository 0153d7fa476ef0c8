//! The cells of a problem at a point inside their cones, and a step from there: what both interior-point methods do with them.

use std::ops::Range;

use super::barrier::{AnyBarrier, Barrier, Products};
use crate::cones::normalized::Law;
use crate::cones::state::State;
use crate::linalg::capacity::resize_unset;

/// A cell of the problem.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) rows: Range<usize>,
    pub(super) barrier: AnyBarrier,
}

/// All cells with a step of their impulses.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) list: Vec<Part>,
    step: Vec<f64>,
}

impl Parts {
    /// The cells of the problem, each with the barrier that serves its law.
    pub(super) fn load(&mut self, state: &State, barrier: impl Fn(Law) -> AnyBarrier) {
        resize_unset(&mut self.step, state.x.len());
        self.list.clear();
        let cells = state.problem.cells.iter();
        self.list.extend(cells.map(|cell| Part { rows: cell.rows(), barrier: barrier(cell.law) }));
    }

    /// Number of complementary pairs, at least one.
    pub(super) fn degree(&self) -> f64 {
        self.list.iter().map(|part| part.barrier.degree()).sum::<f64>().max(1.0)
    }

    /// Mean product of the pairs.
    pub(super) fn gap(&self, degree: f64) -> f64 {
        self.list.iter().map(|part| part.barrier.gap()).sum::<f64>() / degree
    }

    /// Scaling and defects of all cells, the correction smoothed so. False where the point has left a cone.
    pub(super) fn linearize(&mut self, state: &mut State, smoothing: Option<f64>) -> bool {
        let blocks = state.p.iter_mut().zip(&mut state.q);
        self.list.iter_mut().zip(blocks).all(|(part, (p, q))| {
            (*p, *q) = ([0.0; 9], [0.0; 9]);
            part.barrier.linearize(&state.y[part.rows.clone()], smoothing, p, q).is_some()
        })
    }

    /// The step to products of `sigma_gap`, with Mehrotra's term of the last step if `second_order`.
    pub(super) fn find_step(&mut self, state: &mut State, sigma_gap: f64, second_order: bool) {
        for Part { rows, barrier } in &mut self.list {
            barrier.target(sigma_gap, second_order, &mut self.step[rows.clone()]);
        }
        state.solve(&mut self.step);
        for Part { rows, barrier } in &mut self.list {
            barrier.take(&self.step[rows.clone()]);
        }
    }

    /// Whether the step is one.
    pub(super) fn has_step(&self) -> bool {
        self.step.iter().all(|s| s.is_finite())
    }

    /// The largest step at most 1 that stays inside all cones.
    pub(super) fn largest_step(&self) -> f64 {
        self.list.iter().map(|part| part.barrier.largest_step()).fold(1.0, f64::min)
    }

    /// Products of all pairs, `alpha` times the step on; `None` outside.
    pub(super) fn products(&self, alpha: f64) -> Option<Products> {
        let mut products = self.list.iter().map(|part| part.barrier.products(alpha));
        products.try_fold(Products::NONE, |all, products| products.map(|products| all.and(products)))
    }

    /// Goes `alpha` times the step.
    pub(super) fn advance(&mut self, alpha: f64, state: &mut State) {
        for Part { rows, barrier } in &mut self.list {
            barrier.advance(alpha, &self.step[rows.clone()], &mut state.x[rows.clone()]);
        }
    }
}
