//! Stages 4 to 6 of a step: the rows of all trees under the contact rule, one problem per island, and the new velocity.

use crate::constraint::islands::{Islands, RowProblem};
use crate::constraint::kind::{Implicit, Level, StepAhead};
use crate::constraint::rows::{BlockKey, RowBlock, RowKind, Rows, reserve};
use crate::contact::{Contact, ContactKey, FormulationError, Impacts, IslandSolver, Memory};
use crate::dynamics::Data;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::Settings;
use crate::step::clock::{Clock, Stage};
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;
use serde::{Deserialize, Serialize};

/// What one problem of a step leaves for that of the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProblemMemory {
    /// What the formulation remembers of each block, by key.
    pub(crate) blocks: Vec<(BlockKey, Memory)>,
    /// Impulses of bilateral blocks, by key; of steps with more than one solve alone.
    pub(crate) bilateral: Vec<(BlockKey, [f64; 6])>,
}

impl ProblemMemory {
    /// What is remembered of each block; both lists are sorted by key.
    pub(crate) fn recall(&self, rows: &Rows, out: &mut Vec<Memory>) {
        out.clear();
        let mut last = self.blocks.iter().peekable();
        for block in &rows.blocks {
            while last.next_if(|(key, _)| *key < block.key).is_some() {}
            let found = last.peek().filter(|(key, _)| *key == block.key);
            out.push(found.map_or(Memory::default(), |(_, memory)| *memory));
        }
    }

    /// Keeps what is known of each block.
    pub(crate) fn keep(&mut self, rows: &Rows, memory: &[Memory]) {
        self.blocks.clear();
        let known = rows.blocks.iter().zip(memory).filter(|(_, memory)| memory.known);
        self.blocks.extend(known.map(|(block, memory)| (block.key, *memory)));
    }

    /// Starts the bilateral rows from the impulses that they had.
    pub(crate) fn recall_bilateral(&self, rows: &mut Rows) {
        let mut last = self.bilateral.iter().peekable();
        for block in rows.blocks.iter().filter(|block| block.kind == RowKind::Bilateral) {
            while last.next_if(|(key, _)| *key < block.key).is_some() {}
            if let Some((_, impulse)) = last.peek().filter(|(key, _)| *key == block.key) {
                let count = block.count.min(impulse.len());
                rows.impulse[block.row..block.row + count].copy_from_slice(&impulse[..count]);
            }
        }
    }

    /// Keeps the impulses of the bilateral rows.
    pub(crate) fn keep_bilateral(&mut self, rows: &Rows) {
        self.bilateral.clear();
        for block in rows.blocks.iter().filter(|block| block.kind == RowKind::Bilateral) {
            let mut impulse = [0.0; 6];
            let count = block.count.min(impulse.len());
            impulse[..count].copy_from_slice(&rows.impulse[block.row..block.row + count]);
            self.bilateral.push((block.key, impulse));
        }
    }

    fn copy(&mut self, other: &Self) {
        self.blocks.clone_from(&other.blocks);
        self.bilateral.clone_from(&other.bilateral);
    }

    fn reserve(&mut self, other: &Self) {
        reserve(&mut self.blocks, &other.blocks);
        reserve(&mut self.bilateral, &other.bilateral);
    }

    /// Adds what is remembered of other blocks.
    fn merge(&mut self, other: &Self) {
        self.blocks.extend_from_slice(&other.blocks);
        self.blocks.sort_unstable_by_key(|(key, _)| *key);
        self.bilateral.extend_from_slice(&other.bilateral);
        self.bilateral.sort_unstable_by_key(|(key, _)| *key);
    }

    fn clear(&mut self) {
        self.blocks.clear();
        self.bilateral.clear();
    }
}

/// What a step leaves for the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    /// Of the problem at its beginning.
    pub(crate) start: ProblemMemory,
    /// Of that at its end, if it has one.
    pub(crate) end: ProblemMemory,
    /// Slip that sticking contacts have left, in the axes of the flatter body (m), by key; where there is one at the end.
    pub(crate) slips: Vec<(BlockKey, [f64; 3])>,
    /// How far sticking contacts have shifted since they stick, likewise, by key; of whole steps.
    pub(crate) shifts: Vec<(ContactKey, [f64; 3])>,
}

impl Remembered {
    /// Takes what another remembers.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.start.copy(&other.start);
        self.end.copy(&other.end);
        self.slips.clone_from(&other.slips);
    }

    /// Reserves memory for what another remembers.
    pub(crate) fn reserve(&mut self, other: &Self) {
        self.start.reserve(&other.start);
        self.end.reserve(&other.end);
        reserve(&mut self.slips, &other.slips);
    }

    /// Adds what is remembered of the blocks of other trees.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.start.merge(&other.start);
        self.end.merge(&other.end);
        self.slips.extend_from_slice(&other.slips);
        self.slips.sort_unstable_by_key(|(key, _)| *key);
    }

    pub(crate) fn clear(&mut self) {
        self.start.clear();
        self.end.clear();
        self.slips.clear();
        self.shifts.clear();
    }
}

/// What steps leave for one another.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepMemory {
    /// By the last step.
    pub(crate) last: Remembered,
    /// By the present one, which replaces it when the step succeeds.
    pub(crate) next: Remembered,
}

impl StepMemory {
    /// Ends a step that succeeded.
    pub(crate) fn advance(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
        self.next.clear();
    }
}

/// Rows, their problem and its answer.
#[derive(Debug)]
pub(crate) struct ContactProblem {
    pub(crate) solver: Box<dyn IslandSolver>,
    pub(crate) rows: Rows,
    /// The contacts to which blocks of rows refer.
    pub(crate) contacts: Vec<Contact>,
    pub(crate) islands: Islands,
    /// Row velocities without constraint impulses, but with those of bilateral rows after the solve.
    pub(crate) free: Vec<f64>,
    /// Row velocities at the beginning of the step, if the formulation asks.
    before: Vec<f64>,
    /// Memory of each block.
    pub(crate) memory: Vec<Memory>,
    /// Islands in which something bounces.
    pub(crate) bounced: Vec<usize>,
    /// Velocity with the impulses (nv, then those of loops); its row velocities, as of the certificate.
    pub(crate) velocity: Vec<f64>,
    pub(crate) rates: Vec<f64>,
    scratch: Vec<f64>,
}

impl ContactProblem {
    pub(crate) fn new(model: &Model, settings: &Settings) -> Result<Self, FormulationError> {
        Ok(Self {
            solver: settings.formulation.solver()?,
            rows: Rows::default(),
            contacts: Vec::new(),
            islands: Islands::with_impacts(Impacts::new(settings.impact, settings.impact_threshold)),
            free: Vec::new(),
            before: Vec::new(),
            memory: Vec::new(),
            bounced: Vec::new(),
            velocity: vec![0.0; model.nv() + model.loop_nv()],
            rates: Vec::new(),
            scratch: vec![0.0; model.nv()],
        })
    }

    /// Stage 4: the rows of all trees under the contact rule.
    pub(crate) fn assemble(
        &mut self,
        system: &mut System<'_>,
        free: &mut FreeVelocity,
        contact_rule: &[bool],
    ) {
        let System { model, data, state, closures, constraints, .. } = system;
        closures.loops.accelerate(model, data, &state.mocap);
        closures.loops.extend_rates(&mut free.v);
        self.rows.clear();
        self.contacts.clone_from(&constraints.contacts.finder.contacts);
        let ahead = StepAhead {
            every_limit: false,
            h: system.h,
            duration: system.h,
            implicit: Implicit::All,
            baumgarte: system.settings.baumgarte,
            gap_rule: system.settings.formulation.gap_rule(),
            free: &free.v,
            late: &free.late,
        };
        let level = Level::Velocity(ahead);
        system.constraints.push(&mut self.rows, &system.present(), level, |tree| contact_rule[tree.index()]);
        self.rows.sort();
        self.rows.half_solve(system.model, system.data);
        self.rows.velocities(system.model, &free.v, &mut self.free);
    }

    /// Stage 5: one problem per island, started from what its blocks did in the last step.
    pub(crate) fn solve(
        &mut self,
        system: &System<'_>,
        memory: &mut StepMemory,
        report: &mut StepReport,
        clock: &mut Clock,
    ) {
        let (model, timestep) = (system.model, system.h);
        clock.time(Stage::Rows, || self.begin(system, memory));
        let Self { rows, islands, free, before, solver, bounced, memory: of_blocks, .. } = self;
        let mut problem = RowProblem { model, rows, free, before, memory: of_blocks, timestep, slack: &[] };
        for island in 0..islands.partition.count() {
            clock.time(Stage::Rows, || islands.pose(island, &problem, solver.as_ref()));
            let solved = clock.time(Stage::Solve, || islands.solve_posed(solver.as_mut(), timestep));
            clock.time(Stage::Rows, || islands.store(island, &mut problem));
            if islands.contradicts() {
                report.add_contradiction(solved.as_ref());
            }
            if let Some(solved) = solved {
                report.add_island(&solved);
                if solved.bounces > 0 {
                    bounced.push(island);
                }
            }
        }
        memory.next.start.keep(&self.rows, &self.memory);
    }

    /// Islands, what blocks remember, and the velocities at the beginning.
    fn begin(&mut self, system: &System<'_>, memory: &StepMemory) {
        self.islands.partition.group(system.model, &self.rows);
        memory.last.start.recall(&self.rows, &mut self.memory);
        self.before.clear();
        self.bounced.clear();
        let may_bounce = self.rows.blocks.iter().any(|block| block.restitution > 0.0);
        if may_bounce || self.solver.asks_velocities() {
            self.rows.velocities(system.model, &system.state.v, &mut self.before);
        }
    }

    /// Stage 6: `v+ = v_free + M^-1 J^T lambda` of the trees under the contact rule.
    pub(crate) fn apply_impulses(&mut self, model: &Model, data: &mut Data, free: &FreeVelocity) {
        self.apply_impulses_to(model, data, &free.v);
    }

    /// The same for any velocities without impulses (nv, then those of loops).
    pub(crate) fn apply_impulses_to(&mut self, model: &Model, data: &mut Data, free: &[f64]) {
        self.velocity.copy_from_slice(free);
        self.rows.apply_impulses(model, data, &mut self.scratch, &mut self.velocity);
    }

    /// The blocks of an island.
    pub(crate) fn blocks(&self, island: usize) -> impl Iterator<Item = &RowBlock> + Clone {
        self.islands.partition.blocks(island).iter().map(|&b| &self.rows.blocks[b])
    }

    /// Multiplies the impulses of an island.
    pub(crate) fn scale_impulses(&mut self, island: usize, factor: f64) {
        for &b in self.islands.partition.blocks(island) {
            let block = &self.rows.blocks[b];
            let rows = &mut self.rows.impulse[block.row..block.row + block.count];
            rows.iter_mut().chain(&mut self.memory[b].impulse).for_each(|impulse| *impulse *= factor);
        }
    }
}
