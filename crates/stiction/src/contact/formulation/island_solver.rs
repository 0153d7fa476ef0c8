//! What solves islands: the interface of a formulation's workspace, open to formulations of a user's own.

use crate::contact::island::{IslandProblem, IslandReport, Memory};
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use stiction_solvers::AnyProblem;

/// Poses an island as a complementarity problem and solves it.
///
/// The formulations of this library implement it ([`Formulation::solver`](super::Formulation::solver) makes them), and so
/// can a user's own: [`Simulation::set_island_solver`](crate::sim::Simulation::set_island_solver). Whatever it answers is
/// judged by the certificate on the original data.
pub trait IslandSolver: Debug + Send {
    /// Solves an island. `memory` holds what is known of each block from the last step and receives what is to be
    /// remembered, the impulses (N s) among it.
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport;

    /// Whether it needs [`IslandProblem::before`].
    fn asks_velocities(&self) -> bool {
        false
    }

    /// Gives every later solve so many steps of its method at most, as [`Solver::limit_iterations`](stiction_solvers::Solver) does.
    fn limit_iterations(&mut self, _iterations: Option<usize>) {}

    /// Number of rows above which islands may come with a factored operator ([`Operator`](crate::contact::Operator)).
    fn factored_from(&self) -> usize {
        usize::MAX
    }

    /// The problem that [`IslandSolver::solve`] would give its solver first, and the guess it would start from; `None` if
    /// it is of none of the solvers' classes.
    fn pose(&mut self, _island: &IslandProblem, _memory: &[Memory]) -> Option<PosedIsland> {
        None
    }
}

/// An island as its solver gets it.
#[derive(Clone, Debug)]
pub struct PosedIsland {
    /// The problem.
    pub problem: AnyProblem,
    /// The warm start, as long as the problem has unknowns.
    pub start: Vec<f64>,
}

/// Where [`RecordingSolver`] puts the islands it sees.
pub type PosedIslands = Arc<Mutex<Vec<PosedIsland>>>;

/// Keeps every island that another solver is given, as it is posed.
#[derive(Debug)]
pub struct RecordingSolver {
    inner: Box<dyn IslandSolver>,
    islands: PosedIslands,
}

impl RecordingSolver {
    /// Solves as `inner` does.
    pub fn new(inner: Box<dyn IslandSolver>, islands: PosedIslands) -> Self {
        Self { inner, islands }
    }
}

impl IslandSolver for RecordingSolver {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        if let Some(posed) = self.inner.pose(island, memory) {
            self.islands.lock().unwrap_or_else(PoisonError::into_inner).push(posed);
        }
        self.inner.solve(island, memory)
    }

    fn asks_velocities(&self) -> bool {
        self.inner.asks_velocities()
    }

    fn limit_iterations(&mut self, iterations: Option<usize>) {
        self.inner.limit_iterations(iterations);
    }

    fn factored_from(&self) -> usize {
        self.inner.factored_from()
    }

    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        self.inner.pose(island, memory)
    }
}
