//! Viscous friction eliminated from an island, for formulations that know none.
//!
//! # Problem
//! `lambda_t = -h c u_t` at the contacts at which viscous friction acts ([`ViscousContacts`]), of the velocity after the step
//! (implicit) or before it (explicit), and dry friction on top where there is some (Drumwright 2015, eq. 13-15 and 29-42, at the
//! level of velocities). Purely viscous contacts have one unknown, the normal impulse, and the matrix stays symmetric and
//! positive semidefinite: `N (M + h R)^-1 N^T` by the implicit rule, `N M^-1 N^T` by the explicit one.
//!
//! # Method
//! 1. Implicit: the rows that stay, in the metric of `M + h R` ([`DampedInertia`]), are those of an island without viscous
//!    friction. Explicit: the impulses are known, and what they do is added to the free velocities.
//! 2. Another formulation solves that island.
//! 3. Viscous impulses from the velocities, and the contacts at which they act anew, until these are those that touch.

use super::damped_inertia::DampedInertia;
use super::{ViscousContacts, ViscousRule};
use crate::contact::formulation::normal::{DenseFactor, FactoredIsland, dot};
use crate::contact::formulation::{IslandSolver, PosedIsland};
use crate::contact::island::{Block, BlockKind, IslandProblem, IslandReport, Memory, Operator};
use crate::model::Law;
use stiction_solvers::{BlockRows, Piece, Report};

/// Solves islands with viscous friction by a formulation without. Allocates nothing for an island no larger than one seen
/// before.
#[derive(Debug)]
pub(crate) struct ViscousElimination {
    rule: ViscousRule,
    /// Law of all contacts that have friction, in place of their own.
    replacement: Option<Law>,
    inner: Box<dyn IslandSolver>,
    contacts: ViscousContacts,
    dense: DenseFactor,
    inertia: DampedInertia,
    /// The island without viscous friction: its blocks and memory, the row of the island of each of its rows, its free
    /// velocities, and its operator in the form that `inner` takes.
    blocks: Vec<Block>,
    memory: Vec<Memory>,
    source: Vec<usize>,
    free: Vec<f64>,
    before: Vec<f64>,
    rows: BlockRows,
    matrix: Vec<f64>,
    /// `R^-T s`, and pushes.
    drift: Vec<f64>,
    push: Vec<f64>,
    /// Viscous impulses, what the law of each misses, and the push that corrects it.
    viscous: Vec<f64>,
    missing: Vec<f64>,
    step: Vec<f64>,
    /// Impulses by row of the island (N s).
    impulse: Vec<f64>,
}

impl ViscousElimination {
    /// Around another formulation; `replacement` is the law of all contacts that have friction, if not their own.
    pub(crate) fn new(rule: ViscousRule, replacement: Option<Law>, inner: Box<dyn IslandSolver>) -> Self {
        Self {
            rule,
            replacement,
            inner,
            contacts: ViscousContacts::default(),
            dense: DenseFactor::default(),
            inertia: DampedInertia::default(),
            blocks: Vec::new(),
            memory: Vec::new(),
            source: Vec::new(),
            free: Vec::new(),
            before: Vec::new(),
            rows: BlockRows::default(),
            matrix: Vec::new(),
            drift: Vec::new(),
            push: Vec::new(),
            viscous: Vec::new(),
            missing: Vec::new(),
            step: Vec::new(),
            impulse: Vec::new(),
        }
    }

    fn law_in_force(&self, law: Law) -> Law {
        match (law, self.replacement) {
            (Law::Frictionless, _) | (_, None) => law,
            (_, Some(replacement)) => replacement,
        }
    }

    fn is_without(&self, island: &IslandProblem) -> bool {
        island.blocks.iter().all(|block| match block.kind {
            BlockKind::Contact { law, .. } => {
                !matches!(self.law_in_force(law), Law::Viscous { .. } | Law::CoulombViscous { .. })
            }
            _ => true,
        })
    }

    fn begin(&mut self, island: &IslandProblem, memory: &[Memory]) {
        let replacement = self.replacement;
        self.contacts.begin(island, memory, |kind| match (kind, replacement) {
            (BlockKind::Contact { law: Law::Frictionless, .. }, _) => 0.0,
            (BlockKind::Contact { law, .. }, replacement) => replacement.unwrap_or(law).viscosity(),
            _ => 0.0,
        });
        self.list_blocks(island);
        self.memory.clear();
        for (block, memory) in self.blocks.iter().zip(memory) {
            let mut own = *memory;
            own.impulse[block.kind.rows()..].fill(0.0);
            self.memory.push(own);
        }
    }

    /// The blocks without viscous friction, and the rows that stay.
    fn list_blocks(&mut self, island: &IslandProblem) {
        self.blocks.clear();
        self.source.clear();
        self.before.clear();
        for block in island.blocks {
            let mut own = *block;
            if let BlockKind::Contact { law, .. } = &mut own.kind {
                *law = match self.law_in_force(*law) {
                    Law::Viscous { .. } => Law::Frictionless,
                    Law::CoulombViscous { mu, .. } => Law::Coulomb { mu }.simplified(),
                    law => law,
                };
            }
            own.row = self.source.len();
            self.source.extend(block.row..block.row + own.kind.rows());
            self.blocks.push(own);
        }
        self.before.extend(self.source.iter().map(|&row| island.before[row]));
    }

    /// Step 1.
    fn reduce(&mut self, rows: &FactoredIsland) {
        let (island, m) = (rows.island, rows.columns());
        self.drift.clear();
        self.drift.resize(m, 0.0);
        self.inertia.reset(m);
        for (tangent, weight) in tangents(island, &self.contacts) {
            match self.rule {
                ViscousRule::Implicit => {
                    rows.add(tangent, weight * island.free[tangent], &mut self.drift);
                    self.inertia.add(weight, |scale, out| rows.add(tangent, scale, out));
                }
                ViscousRule::Explicit => rows.add(tangent, weight * island.before[tangent], &mut self.drift),
            }
        }
        self.inertia.solve_transposed(&mut self.drift);
        self.write_rows(rows);
        self.free.clear();
        for (&row, own) in self.source.iter().zip(self.rows.values.chunks_exact(m.max(1))) {
            self.free.push(island.free[row] - dot(own, &self.drift));
        }
        if m == 0 {
            self.free.extend(self.source.iter().map(|&row| island.free[row]));
        }
        if self.inner.factored_from() == usize::MAX {
            self.multiply_out();
        }
    }

    /// The rows that stay in the metric of the damped inertia, one piece a block.
    fn write_rows(&mut self, rows: &FactoredIsland) {
        let (m, n) = (rows.columns(), self.source.len());
        let Self { rows: own, blocks, source, inertia, .. } = self;
        own.columns = m;
        own.starts.clear();
        own.piece_ptr.clear();
        own.pieces.clear();
        for (b, block) in blocks.iter().enumerate() {
            own.starts.push(block.row);
            own.piece_ptr.push(b);
            own.pieces.push(Piece { column: 0, width: m, offset: block.row * m });
        }
        own.starts.push(n);
        own.piece_ptr.push(blocks.len());
        own.values.clear();
        own.values.resize(n * m, 0.0);
        for (&row, values) in source.iter().zip(own.values.chunks_exact_mut(m.max(1))) {
            rows.add(row, 1.0, values);
            inertia.solve_transposed(values);
        }
    }

    fn multiply_out(&mut self) {
        let m = self.rows.columns;
        let row = |i: usize| &self.rows.values[i * m..(i + 1) * m];
        let n = self.source.len();
        self.matrix.clear();
        self.matrix.extend((0..n).flat_map(|i| (0..n).map(move |j| dot(row(i), row(j)))));
    }

    /// Step 2, or whatever else the other formulation does with the island without viscous friction.
    fn with_reduced<T>(
        &mut self,
        timestep: f64,
        act: impl FnOnce(&mut dyn IslandSolver, &IslandProblem, &mut [Memory]) -> T,
    ) -> T {
        let Self { inner, blocks, matrix, rows, free, before, memory, .. } = self;
        let delassus = match inner.factored_from() {
            usize::MAX => Operator::Dense(matrix),
            _ => Operator::Factored(rows),
        };
        act(inner.as_mut(), &IslandProblem { blocks, delassus, free, before, timestep }, memory)
    }

    /// Step 3: the impulses of all rows beyond preloads.
    fn recover(&mut self, rows: &FactoredIsland) {
        let island = rows.island;
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        for ((block, own), memory) in island.blocks.iter().zip(&self.blocks).zip(&self.memory) {
            self.impulse[block.row..block.row + own.kind.rows()]
                .copy_from_slice(&memory.impulse[..own.kind.rows()]);
            if let BlockKind::Contact { preload, .. } = block.kind {
                self.impulse[block.row] -= preload;
            }
        }
        if self.rule == ViscousRule::Explicit {
            for (tangent, weight) in tangents(island, &self.contacts) {
                self.impulse[tangent] -= weight * island.before[tangent];
            }
            return;
        }
        // R p = R^-T k - R^-T s.
        self.push.clear();
        self.push.extend(self.drift.iter().map(|s| -s));
        let m = rows.columns();
        for (&row, own) in self.source.iter().zip(self.rows.values.chunks_exact(m.max(1))) {
            let impulse = self.impulse[row];
            self.push.iter_mut().zip(own).for_each(|(p, y)| *p += impulse * y);
        }
        self.inertia.solve(&mut self.push);
        self.viscous.clear();
        self.viscous.extend(
            tangents(island, &self.contacts)
                .map(|(tangent, weight)| -weight * (island.free[tangent] + rows.dot(tangent, &self.push))),
        );
        self.refine(rows);
        for ((tangent, _), impulse) in tangents(island, &self.contacts).zip(&self.viscous) {
            self.impulse[tangent] += impulse;
        }
    }

    /// Corrects the viscous impulses by what their law misses on the original rows: stiff friction leaves velocities that are
    /// nearly nothing beside their terms.
    fn refine(&mut self, rows: &FactoredIsland) {
        let island = rows.island;
        self.push.fill(0.0);
        for (row, impulse) in self.impulse.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
            rows.add(row, *impulse, &mut self.push);
        }
        for ((tangent, _), impulse) in tangents(island, &self.contacts).zip(&self.viscous) {
            rows.add(tangent, *impulse, &mut self.push);
        }
        self.missing.clear();
        self.step.clear();
        self.step.resize(rows.columns(), 0.0);
        for ((tangent, weight), impulse) in tangents(island, &self.contacts).zip(&self.viscous) {
            let missing = island.free[tangent] + rows.dot(tangent, &self.push) + impulse / weight;
            rows.add(tangent, -weight * missing, &mut self.step);
            self.missing.push(missing);
        }
        self.inertia.solve_transposed(&mut self.step);
        self.inertia.solve(&mut self.step);
        let corrected = tangents(island, &self.contacts).zip(&self.missing).zip(&mut self.viscous);
        for (((tangent, weight), missing), impulse) in corrected {
            *impulse -= weight * (missing + rows.dot(tangent, &self.step));
        }
    }

    fn remember(&self, island: &IslandProblem, memory: &mut [Memory]) {
        for (b, (block, memory)) in island.blocks.iter().zip(memory).enumerate() {
            *memory = self.memory[b];
            memory.basic |= self.contacts.bits(b);
            for k in 1..block.kind.rows() {
                memory.impulse[k] = self.impulse[block.row + k];
            }
        }
    }
}

/// The tangent rows at which viscous friction acts, with `h c` of each (kg).
fn tangents(island: &IslandProblem, contacts: &ViscousContacts) -> impl Iterator<Item = (usize, f64)> {
    let weighted =
        island.blocks.iter().enumerate().map(|(b, block)| (block.row, contacts.weight(b, island.timestep)));
    weighted
        .filter(|(_, weight)| *weight > 0.0)
        .flat_map(|(row, weight)| [(row + 1, weight), (row + 2, weight)])
}

impl IslandSolver for ViscousElimination {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        if self.replacement.is_none() && self.is_without(island) {
            return self.inner.solve(island, memory);
        }
        let mut dense = std::mem::take(&mut self.dense);
        let rows = &FactoredIsland::new(island, dense.rows(island));
        self.begin(island, memory);
        let mut effort = [0, 0];
        let mut report = loop {
            self.reduce(rows);
            let report =
                self.with_reduced(island.timestep, |inner, reduced, memory| inner.solve(reduced, memory));
            effort = [effort[0] + report.solver.iterations, effort[1] + report.solver.pivots];
            self.recover(rows);
            if !self.contacts.revise(island, &self.impulse) {
                break report;
            }
        };
        report.solver = Report { iterations: effort[0], pivots: effort[1], ..report.solver };
        self.remember(island, memory);
        self.dense = dense;
        report
    }

    fn asks_velocities(&self) -> bool {
        self.rule == ViscousRule::Explicit || self.inner.asks_velocities()
    }

    fn factored_from(&self) -> usize {
        self.inner.factored_from()
    }

    /// The problem of the first round.
    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        if self.replacement.is_none() && self.is_without(island) {
            return self.inner.pose(island, memory);
        }
        let mut dense = std::mem::take(&mut self.dense);
        let rows = &FactoredIsland::new(island, dense.rows(island));
        self.begin(island, memory);
        self.reduce(rows);
        self.dense = dense;
        self.with_reduced(island.timestep, |inner, reduced, memory| inner.pose(reduced, memory))
    }
}
