//! The impulses of the beginning: such that the pose at the end obeys the laws.

use super::rounds::Unforeseen;
use super::sliding::is_viscous;
use super::{Rattle, SETTLED, SLIGHT, SMALL, bias, drift, leave_out};
use crate::constraint::islands::RowProblem;
use crate::constraint::kind::{Implicit, Level, StepAhead};
use crate::constraint::position_error::larger;
use crate::constraint::rows::{BlockKey, RowKind};
use crate::contact::{BlockKind, ContactKey, Memory};
use crate::dynamics::AlgorithmError;
use crate::model::TreeId;
use crate::step::contact_problem::{ContactProblem, ProblemMemory, Remembered};
use crate::step::free_velocity::FreeVelocity;
use crate::step::system::System;
use stiction_solvers::Status;

/// Passes at most.
const MAX_PASSES: usize = 12;

/// Steps of the solver in a pass at most, times the rows of the problem: what takes longer asks for what there is not.
const MAX_EFFORT: usize = 50_000;

/// So many steps may be taken however many rows there are: what an interior point takes from nothing, and a few to finish.
const MIN_ITERATIONS: usize = 60;

/// Velocities that are smaller, as a part of what impulses change, are rounding.
const ROUNDING: f64 = 1e-12;

/// Rounds of contacts that were not foreseen, at most.
const MAX_ROUNDS: usize = 8;

impl Rattle {
    /// The kicks of the beginning, and the problem there: rows but those of the contacts in `left_out`, islands, what is remembered. The
    /// system is at the beginning.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn begin(
        &mut self,
        system: &mut System<'_>,
        free: &FreeVelocity,
        problem: &mut ContactProblem,
        last: &Remembered,
        left_out: &[ContactKey],
    ) -> Result<(), AlgorithmError> {
        let model = system.model;
        self.began.keep(system.state);
        self.keep_velocities(system);
        let Self { active, stiff, kicks, kicked, .. } = self;
        for tree in TreeId::all(&model.trees).filter(|tree| active[tree.index()]) {
            kicks.at_start(system, tree, stiff[tree.index()], free, kicked)?;
        }
        self.every_limit = false;
        self.reaches.clone_from(&system.constraints.contacts.finder.reaches);
        self.pose_start(system, free, problem, left_out);
        self.recall_start(problem, &last.start, &last.slips);
        Ok(())
    }

    /// The problem of the beginning, with the contacts that have been found.
    pub(super) fn pose_start(
        &mut self,
        system: &mut System<'_>,
        free: &FreeVelocity,
        problem: &mut ContactProblem,
        left_out: &[ContactKey],
    ) {
        self.assemble_start(system, free, problem, left_out);
        problem.islands.partition.group(system.model, &problem.rows);
        let active = &self.active;
        self.displacements.begin(system, &problem.contacts, |tree| active[tree.index()]);
        problem.rows.velocities(system.model, &system.state.v, &mut self.before);
        self.sliding.find(problem, &self.before, &system.settings.formulation);
    }

    /// Starts the passes from impulses that are remembered.
    pub(super) fn recall_start(
        &mut self,
        problem: &mut ContactProblem,
        last: &ProblemMemory,
        slips: &[(BlockKey, [f64; 3])],
    ) {
        last.recall(&problem.rows, &mut problem.memory);
        last.recall_bilateral(&mut problem.rows);
        self.turn_to_frames(problem);
        self.recall_slips(problem, slips);
    }

    /// Rows of everything near, at the poses of the beginning.
    fn assemble_start(
        &self,
        system: &mut System<'_>,
        free: &FreeVelocity,
        problem: &mut ContactProblem,
        left_out: &[ContactKey],
    ) {
        let System { model, data, state, closures, constraints, settings, h, .. } = system;
        closures.loops.accelerate(model, data, &state.mocap);
        problem.rows.clear();
        problem.contacts.clone_from(&constraints.contacts.finder.contacts);
        let soft = StepAhead {
            h: *h,
            duration: 0.5 * *h,
            implicit: Implicit::Nothing,
            baumgarte: 0.0,
            gap_rule: settings.formulation.gap_rule(),
            free: &free.v,
            every_limit: self.every_limit,
            late: &free.late,
        };
        let stiff = StepAhead { duration: *h, implicit: Implicit::All, ..soft };
        self.push(system, problem, [soft, stiff]);
        leave_out(problem, left_out);
    }

    /// Adds the rows of the trees at work and half-solves them: of soft trees, and of stiff ones.
    pub(super) fn push(
        &self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
        [soft, stiff]: [StepAhead<'_>; 2],
    ) {
        for (ahead, of) in [(soft, false), (stiff, true)] {
            let active = |tree: TreeId| self.active[tree.index()] && self.stiff[tree.index()] == of;
            system.constraints.push(&mut problem.rows, &system.present(), Level::Velocity(ahead), active);
        }
        let formulation = &system.settings.formulation;
        for block in &mut problem.rows.blocks {
            if let RowKind::Unilateral(BlockKind::Contact { law, .. }) = &mut block.kind {
                let in_force = formulation.law_in_force(*law);
                // What stands is judged, and slip is kept, by the law in force; without friction it has fewer rows than there are.
                *law = if in_force.rows() == law.rows() { in_force } else { *law };
            }
        }
        problem.rows.sort();
        problem.rows.half_solve(system.model, system.data);
    }

    /// Solves for the impulses and moves the trees at work to the end of the step, where the system is left; prescribed bodies and time are
    /// there already. Kinematics and factors of the beginning are kept apart. Returns trees that meet though they are not all at work.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn reach_end(
        &mut self,
        system: &mut System<'_>,
        free: &FreeVelocity,
        problem: &mut ContactProblem,
        last: &Remembered,
        left_out: &[ContactKey],
    ) -> Result<Option<(TreeId, TreeId)>, AlgorithmError> {
        self.exchange_ends(system);
        self.rounds = 0;
        self.displacements.closing.clear();
        loop {
            self.pass_through(system, problem)?;
            if self.rounds == MAX_ROUNDS {
                return Ok(None);
            }
            match self.add_unforeseen(system, free, problem, &last.slips, left_out) {
                Unforeseen::Nothing => return Ok(None),
                Unforeseen::Rows => self.rounds += 1,
                Unforeseen::Trees(first, second) => return Ok(Some((first, second))),
            }
        }
    }

    /// Passes until all islands have settled; one where the part is of first order.
    fn pass_through(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
    ) -> Result<(), AlgorithmError> {
        self.begin_passes(problem);
        if self.is_first_order {
            return self.pass_along_rows(system, problem);
        }
        let islands = problem.islands.partition.count();
        let mut least = f64::INFINITY;
        self.best.clone_from(&problem.rows.impulse);
        loop {
            // What is remembered of a step that was not solved may throw; what does not settle is left for shorter parts.
            if self.move_or_drop_impulses(system, problem)? && self.passes > 0 {
                break;
            }
            self.measure(system, problem);
            self.passes += 1;
            self.settle(system, problem);
            if !self.settled.contains(&false) {
                return Ok(());
            }
            if self.passes > 1 {
                let left = (0..islands).map(|island| self.largest_change(problem, island)).fold(0.0, larger);
                if left < least {
                    least = left;
                    self.best.clone_from(&problem.rows.impulse);
                }
            }
            if self.passes >= MAX_PASSES || self.has_unsolved() {
                break;
            }
            self.solve(system, problem);
        }
        // What does not settle may run away, so far that no step can be taken: the pass that brought least is the best there is.
        problem.rows.impulse.copy_from_slice(&self.best);
        self.move_or_drop_impulses(system, problem)?;
        self.measure(system, problem);
        Ok(())
    }

    /// Moves the trees with the impulses so far, or without any where these throw them so far that no step can be taken, which it tells.
    ///
    /// # Errors
    /// No step can be taken without impulses.
    fn move_or_drop_impulses(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
    ) -> Result<bool, AlgorithmError> {
        let is_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let throws = self.move_to_end(system, problem).is_err() || !is_finite(&system.state.q);
        if throws {
            problem.rows.impulse.fill(0.0);
            problem.memory.fill(Memory::default());
            self.move_to_end(system, problem)?;
        }
        Ok(throws)
    }

    /// Forgets what earlier passes have found.
    fn begin_passes(&mut self, problem: &ContactProblem) {
        let islands = problem.islands.partition.count();
        self.reports.clear();
        self.reports.resize(islands, None);
        for marks in [&mut self.settled, &mut self.contradicting, &mut self.first_order] {
            marks.clear();
            marks.resize(islands, false);
        }
        self.recalled.clone_from(&problem.memory);
        self.passes = 0;
        // Few steps take passes enough to need all of them.
        for values in [&mut self.contributed, &mut self.contributed_before, &mut self.asked] {
            values.clear();
            values.reserve(problem.rows.len());
        }
    }

    /// One pass of first order, as time stepping has it: the velocities obey the laws along the rows of the beginning, so that impulses add
    /// no energy, whatever positions ask for. What overlaps stays so, for the projection of the next step to remove; what would close
    /// without impulses is stopped where it is, for the next step to close. So nothing is asked but that velocities stop, which always
    /// has an answer; gaps that are to be zero at the same time may contradict each other by their rounding.
    fn pass_along_rows(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
    ) -> Result<(), AlgorithmError> {
        problem.rows.velocities(system.model, &self.kicked, &mut self.free);
        self.asked.clear();
        self.asked.resize(problem.rows.len(), 0.0);
        for block in &problem.rows.blocks {
            let (row, bias) = (block.row, bias(block.kind));
            let closes = self.free[row] + bias < 0.0;
            self.asked[row] = if closes { 0.0 } else { bias.max(0.0) };
            self.free[row] -= bias - self.asked[row];
        }
        self.slack.clear();
        self.slack.resize(problem.rows.len(), SLIGHT * system.settings.overlap_tolerance / system.h);
        for island in 0..self.settled.len() {
            self.solve_island(system, problem, island);
            self.settled[island] = self.is_solved(island);
        }
        self.passes = 1;
        if self.move_or_drop_impulses(system, problem)? {
            self.settled.fill(false);
        }
        self.measure(system, problem);
        // What was asked of the rows.
        let posed = self.posed.iter_mut().zip(self.after.iter().zip(&self.asked));
        posed.for_each(|(posed, (after, asked))| *posed = after + asked);
        Ok(())
    }

    /// Goes without the impulses of islands that have not settled where they would add energy: those of the end make the velocities obey,
    /// and a short part opens nothing by more than its square.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub(super) fn let_go(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
    ) -> Result<(), AlgorithmError> {
        let mut any = false;
        for island in (0..self.settled.len()).filter(|&island| !self.settled[island]) {
            let rows = problem.blocks(island).flat_map(|block| block.row..block.row + block.count);
            let work: f64 =
                rows.map(|row| problem.rows.impulse[row] * (self.before[row] + self.after[row])).sum();
            if work > 0.0 {
                problem.scale_impulses(island, 0.0);
                any = true;
            }
        }
        if any {
            self.move_to_end(system, problem)?;
            self.measure(system, problem);
        }
        Ok(())
    }

    /// Moves the trees with the impulses so far.
    fn move_to_end(
        &mut self,
        system: &mut System<'_>,
        problem: &mut ContactProblem,
    ) -> Result<(), AlgorithmError> {
        let model = system.model;
        problem.apply_impulses_to(model, &mut self.start, &self.kicked);
        let Self { active, stiff, began, scratch, .. } = self;
        for tree in TreeId::all(&model.trees).filter(|tree| active[tree.index()]) {
            let contents = &model.trees[tree];
            let (coords, dofs) = (contents.coords.clone(), contents.dofs.clone());
            system.state.q[coords.clone()].copy_from_slice(&began.q[coords]);
            let velocity = &problem.velocity[dofs.clone()];
            if is_rest(velocity, &self.kicked[dofs.clone()]) {
                system.state.v[dofs].fill(0.0);
            } else {
                system.state.v[dofs].copy_from_slice(velocity);
                drift::drift(system, tree, stiff[tree.index()], scratch)?;
            }
        }
        system.closures.loops.recall(self.start_loops.coordinates());
        system.locate();
        Ok(())
    }

    /// What the step does along the rows, as the laws see it, and the part of it that comes from the impulses.
    fn measure(&mut self, system: &System<'_>, problem: &ContactProblem) {
        let Self { displacements, active, posed, slack, left, before, .. } = self;
        displacements.measure(
            system,
            &self.began.q,
            problem,
            before,
            |tree| active[tree.index()],
            |index| left[index],
        );
        let slight = SLIGHT * system.settings.overlap_tolerance / system.h;
        posed.clone_from(&displacements.rates);
        slack.clear();
        slack.extend(
            posed.iter().zip(&displacements.along).map(|(whole, along)| slight + (whole - along).abs()),
        );
        for island in 0..problem.islands.partition.count() {
            let blocks = problem.blocks(island);
            displacements.agree(blocks, &problem.rows.impulse, slight, posed);
        }
        let alone = self.impulses_alone.iter_mut().zip(problem.velocity.iter().zip(&self.kicked));
        alone.for_each(|(alone, (with, without))| *alone = with - without);
        std::mem::swap(&mut self.contributed, &mut self.contributed_before);
        problem.rows.rates(system.model, &self.impulses_alone, &mut self.contributed);
        self.sliding.pose(problem, &mut self.posed, &self.contributed, self.passes == 0);
        problem.rows.velocities(system.model, &problem.velocity, &mut self.after);
    }

    /// Marks the islands that need no more passes.
    fn settle(&mut self, system: &System<'_>, problem: &ContactProblem) {
        let (h, tolerance) = (system.h, system.settings.overlap_tolerance);
        let small = if self.passes == 1 { SMALL } else { SETTLED };
        for island in 0..self.settled.len() {
            if self.settled[island] {
                continue;
            }
            // Where loads are nearly undetermined the impulses may change and the laws be met all the same.
            if problem.blocks(island).any(|block| self.sliding.is_doubtful(block)) {
                continue;
            }
            let stands = self.stands(problem, island, system, small);
            let met = stands
                || self.passes > 1 + usize::from(self.first_order[island])
                    && self.is_solved(island)
                    && self.largest_change(problem, island) * h <= SETTLED * tolerance;
            self.settled[island] = met && (self.passes == 1 || !self.flings(system, problem, island));
            if stands && self.settled[island] {
                // What meets the laws is an answer, wherever the solver has stopped.
                self.reports[island].iter_mut().for_each(|report| report.solver.status = Status::Solved);
            }
        }
    }

    /// Whether the contacts of an island at least double the kinetic energy that there is at the beginning, which no contact does: what is
    /// singular, as one beside a pin, may be met so.
    fn flings(&self, system: &System<'_>, problem: &ContactProblem, island: usize) -> bool {
        let removal = system.settings.overlap_tolerance / system.h;
        // Explicit viscous friction overshoots where it is too large for the step; what a drive gives, contacts take.
        if problem.blocks(island).any(|block| block.compliance > 0.0 || is_viscous(block)) {
            return false;
        }
        let contacts = problem.blocks(island).filter(|block| block.contact.is_some());
        let rows = contacts.flat_map(|block| block.row..block.row + block.count);
        let (mut work, mut removed) = (0.0, 0.0);
        for row in rows {
            let impulse = problem.rows.impulse[row];
            work += 0.5 * impulse * (self.before[row] + self.after[row]);
            removed += impulse.abs() * removal;
        }
        work > removed && work > self.kinetic_energy(system.model, &self.start, &self.began.v) + removed
    }

    /// By how much the last solve changed the velocities of an island's rows.
    fn largest_change(&self, problem: &ContactProblem, island: usize) -> f64 {
        let rows = problem.blocks(island).flat_map(|block| block.row..block.row + block.count);
        rows.map(|row| (self.contributed[row] - self.contributed_before[row]).abs()).fold(0.0, larger)
    }

    /// Solves the islands that have not settled.
    fn solve(&mut self, system: &System<'_>, problem: &mut ContactProblem) {
        if self.passes == 1 {
            let Self { displacements, posed, first_order, .. } = self;
            for (island, first_order) in first_order.iter_mut().enumerate() {
                let blocks = problem.blocks(island);
                *first_order = displacements.pose_first_order(blocks, &problem.rows.impulse, posed);
            }
        }
        self.free.clear();
        self.free.extend(self.posed.iter().zip(&self.contributed).map(|(posed, own)| posed - own));
        self.sliding.hasten(problem, &self.posed, &self.contributed, &mut self.free);
        // What is posed has the gap of the end, and so the bias, which has that of the beginning, once more.
        problem.rows.blocks.iter().for_each(|block| self.free[block.row] -= bias(block.kind));
        let most = MAX_EFFORT / problem.rows.len().max(1);
        problem.solver.limit_iterations(Some(most.max(MIN_ITERATIONS)));
        for island in 0..problem.islands.partition.count() {
            if !self.settled[island] {
                self.solve_island(system, problem, island);
            }
        }
        problem.solver.limit_iterations(None);
    }

    /// Solves an island with its free velocities.
    fn solve_island(&mut self, system: &System<'_>, problem: &mut ContactProblem, island: usize) {
        if system.settings.formulation.bounds_by_memory() {
            let blocks = problem.islands.partition.blocks(island);
            blocks.iter().for_each(|&b| problem.memory[b] = self.recalled[b]);
        }
        let timestep = if self.is_stiff(problem, island) { system.h } else { 0.5 * system.h };
        let ContactProblem { rows, islands, solver, memory, .. } = &mut *problem;
        let (free, before, slack) = (&mut self.free, &self.before, &self.slack);
        let mut posed = RowProblem { model: system.model, rows, free, before, memory, timestep, slack };
        let solved = islands.solve(island, &mut posed, solver.as_mut());
        self.contradicting[island] = islands.contradicts();
        let effort = self.reports[island].map_or([0; 2], |r| [r.solver.iterations, r.solver.pivots]);
        self.reports[island] = solved.map(|mut report| {
            report.solver.iterations += effort[0];
            report.solver.pivots += effort[1];
            report
        });
    }

    /// Whether the last solve of an island found an answer.
    pub(super) fn is_solved(&self, island: usize) -> bool {
        self.reports[island].is_none_or(|report| report.solver.status == Status::Solved)
    }

    /// Whether that of any island that has not settled found none.
    pub(super) fn has_unsolved(&self) -> bool {
        (0..self.settled.len()).any(|island| !self.settled[island] && !self.is_solved(island))
    }
}

/// Whether what impulses leave of the velocities of a tree without them is rounding. Steps must not add it up: contacts would take turns.
fn is_rest(velocity: &[f64], without_impulses: &[f64]) -> bool {
    let most = |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    most(velocity) <= ROUNDING * most(without_impulses)
}
