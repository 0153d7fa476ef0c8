//! Stages 4 to 6 of a step: the rows of all trees under the contact rule, one problem per island, and the new velocity.

use crate::constraint::islands::{Islands, RowProblem};
use crate::constraint::kind::{Level, StepAhead};
use crate::constraint::rows::{BlockKey, Rows};
use crate::contact::{Contact, FormulationError, Impacts, IslandSolver, Memory};
use crate::dynamics::Data;
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::Settings;
use crate::step::clock::{Clock, Stage};
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;

/// What the formulation remembers of each block, by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepMemory {
    /// Of the last step.
    pub(crate) last: Vec<(BlockKey, Memory)>,
    /// Of the present step, which replaces it when the step succeeds.
    pub(crate) next: Vec<(BlockKey, Memory)>,
}

impl StepMemory {
    /// Memory of each block from the last step; both lists are sorted by key.
    fn recall(&self, rows: &Rows, out: &mut Vec<Memory>) {
        out.clear();
        let mut last = self.last.iter().peekable();
        for block in &rows.blocks {
            while last.next_if(|(key, _)| *key < block.key).is_some() {}
            let found = last.peek().filter(|(key, _)| *key == block.key);
            out.push(found.map_or(Memory::default(), |(_, memory)| *memory));
        }
    }

    /// Keeps what is known after the step.
    fn keep(&mut self, rows: &Rows, memory: &[Memory]) {
        self.next.clear();
        let known = rows.blocks.iter().zip(memory).filter(|(_, memory)| memory.known);
        self.next.extend(known.map(|(block, memory)| (block.key, *memory)));
    }

    /// Ends a step that succeeded.
    pub(crate) fn advance(&mut self) {
        std::mem::swap(&mut self.last, &mut self.next);
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
            h: system.h,
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
        let mut problem = RowProblem { model, rows, free, before, memory: of_blocks, timestep };
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
        memory.keep(&self.rows, &self.memory);
    }

    /// Islands, what blocks remember, and the velocities at the beginning.
    fn begin(&mut self, system: &System<'_>, memory: &StepMemory) {
        self.islands.partition.group(system.model, &self.rows);
        memory.recall(&self.rows, &mut self.memory);
        self.before.clear();
        self.bounced.clear();
        let may_bounce = self.rows.blocks.iter().any(|block| block.restitution > 0.0);
        if may_bounce || self.solver.asks_velocities() {
            self.rows.velocities(system.model, &system.state.v, &mut self.before);
        }
    }

    /// Stage 6: `v+ = v_free + M^-1 J^T lambda` of the trees under the contact rule.
    pub(crate) fn apply_impulses(&mut self, model: &Model, data: &mut Data, free: &FreeVelocity) {
        self.velocity.copy_from_slice(&free.v);
        self.rows.apply_impulses(model, data, &mut self.scratch, &mut self.velocity);
    }
}
