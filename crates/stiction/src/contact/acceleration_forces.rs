//! Contact forces at the level of accelerations, for [`Stepper::Acceleration`](crate::sim::Stepper).
//!
//! # Problem
//! The rows of an island are accelerations `a = G f + a_free` here and the unknowns forces (N). Per contact
//! `0 <= f_n  perp  a_n >= 0` and, with the present sliding velocity `u_t`,
//!
//! | contact | tangential force |
//! |---|---|
//! | viscous | `-c u_t`: known, `G` times it is added to `a_free` |
//! | dry, slides | `-mu f_n u_t / |u_t|`: folded into the column of `f_n`, so that the matrix is not symmetric |
//! | dry, sticks | `|f_t| <= mu f_n`, and where the acceleration `a_t` is not zero `f_t = -mu f_n a_t / |a_t|` |
//!
//! Without dry friction this is a symmetric, positive semidefinite linear complementarity problem (Drumwright 2015, eq. 29-42),
//! solved by Dantzig's method or another one of that class; otherwise Baraff's extension of it is used.
//!
//! # Friction that sticks
//! 1. Baraff's method bounds each of two tangential components by `mu f_n`. The first is along the acceleration without
//!    friction.
//! 2. Where the answer `f_t` is not the point of the disk `|f_t| <= mu f_n` nearest to `z = f_t - rho a_t`, the contact is
//!    posed anew: with one component along `z` if `z` is outside the disk (it begins to slide), else with two.
//! 3. Until all are, or a number of rounds has passed: then the answer is of no use and no force is made up.
//!
//! # References
//! - E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models* (2015), sections III-B and IV.
//! - D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994, section 4.

use crate::contact::formulation::normal::{DenseFactor, NormalProblem};
use crate::contact::formulation::{FormulationError, IslandSolver, NormalSolver};
use crate::contact::island::{Block, BlockKind, IslandProblem, IslandReport, Memory, Operator};
use crate::model::Law;
use stiction_solvers::pivoting::baraff::{Baraff, FrictionLcp, IndexLaw, IndexMode};
use stiction_solvers::{Dantzig, Lcp, Report, Solution, Solver, Start, Status};

/// An island at the level of accelerations: `a = G f + a_free`, at velocities that are known. It comes as an
/// [`IslandProblem`], whose free row velocities and row velocities before the step these two are.
#[derive(Clone, Copy, Debug)]
struct ForceProblem<'a> {
    blocks: &'a [Block],
    /// Entries of `G` (n x n, row-major).
    mobility: &'a [f64],
    /// Row accelerations `a_free` without contact forces (m/s^2).
    acceleration: &'a [f64],
    /// Row velocities at this instant (m/s).
    velocity: &'a [f64],
    /// Time step (s), for the stability of the explicit rule.
    timestep: f64,
}

impl<'a> ForceProblem<'a> {
    fn of(island: &IslandProblem<'a>) -> Self {
        Self {
            blocks: island.blocks,
            mobility: match island.delassus {
                Operator::Dense(matrix) => matrix,
                Operator::Factored(_) => &[],
            },
            acceleration: island.free,
            velocity: island.before,
            timestep: island.timestep,
        }
    }

    /// Number of rows.
    fn rows(&self) -> usize {
        self.acceleration.len()
    }
}

/// How an island's solve ended, as its blocks remember it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There are forces, and these are they.
    Solved,
    /// The step is too long for an explicit rule on this viscous friction.
    Stiff,
    /// There are no forces that obey the laws.
    Inconsistent,
    /// The solver gave up.
    Unsolved,
}

impl Outcome {
    const KINDS: [Outcome; 4] = [Outcome::Solved, Outcome::Stiff, Outcome::Inconsistent, Outcome::Unsolved];

    /// What a block remembers.
    pub fn of(memory: &Memory) -> Outcome {
        Outcome::KINDS[(memory.basic as usize).min(3)]
    }
}

/// The explicit rule is stable up to 2.78 (Hairer and Wanner, *Solving ordinary differential equations II*, section
/// IV.2); accurate while the trace of `h R M^-1` stays below this.
const STIFF: f64 = 1.0;

/// Rounds in which contacts that begin to slide find their direction.
const ROUNDS: usize = 50;

/// Error of a friction force, as a part of the largest force, that is none.
const EXACT: f64 = 1e-10;

/// An unknown: the force along `direction` (normal, t1, t2) at a block; its law is about the acceleration along `test`.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    block: usize,
    direction: [f64; 3],
    test: [f64; 3],
}

/// Tangential components of the unknown force of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tangent {
    /// None: frictionless, viscous or sliding.
    Known,
    /// Two, the first along this unit vector.
    Both([f64; 2]),
    /// One.
    Along([f64; 2]),
}

/// Computes the contact forces of islands. Allocates nothing when islands have been as large.
#[derive(Debug, Default)]
pub struct ContactForces {
    lcp: Lcp,
    dantzig: Dantzig,
    /// In place of Dantzig's method where there is no dry friction.
    normal: Option<Box<NormalProblem>>,
    dense: DenseFactor,
    problem: FrictionLcp,
    baraff: Baraff,
    start: Vec<IndexMode>,
    solution: Solution,
    unknowns: Vec<Unknown>,
    tangents: Vec<Tangent>,
    /// Known forces, then all; accelerations without unknown forces, then with them: per row.
    force: Vec<f64>,
    known: Vec<f64>,
    free: Vec<f64>,
    acceleration: Vec<f64>,
}

impl ContactForces {
    /// Tangential speed (m/s) above which a contact slides.
    pub const SLIDING: f64 = 1e-7;

    /// With this solver where there is no dry friction.
    ///
    /// # Errors
    /// A setting of it that is out of range.
    pub fn with_solver(solver: &NormalSolver) -> Result<Self, FormulationError> {
        Ok(Self { normal: Some(Box::new(NormalProblem::new(solver)?)), ..Self::default() })
    }

    /// Viscous forces and what they do to the accelerations. Returns the trace of `h R M^-1`.
    fn know(&mut self, island: &ForceProblem) -> f64 {
        let n = island.rows();
        self.known.clear();
        self.known.resize(n, 0.0);
        let mut stiffness = 0.0;
        for block in island.blocks {
            let law = law(block.kind);
            for row in block.row + 1..block.row + law.rows() {
                self.known[row] = -law.viscosity() * island.velocity[row];
                stiffness += island.timestep * law.viscosity() * island.mobility[row * n + row];
            }
        }
        accelerations(island, &self.known, &mut self.free);
        stiffness
    }

    /// Step 1: poses and solves the problem of the present tangents; `force` and `acceleration` are those of the answer.
    fn solve_round(&mut self, island: &ForceProblem, first: bool) -> Report {
        self.list_unknowns(island);
        let n = self.problem.laws.len();
        let rows = island.rows();
        self.problem.clear_data();
        for (i, a) in self.unknowns.iter().enumerate() {
            let row_a = island.blocks[a.block].row;
            let count_a = island.blocks[a.block].kind.rows();
            self.problem.q[i] = (0..count_a).map(|r| a.test[r] * self.free[row_a + r]).sum();
            for (j, b) in self.unknowns.iter().enumerate() {
                let row_b = island.blocks[b.block].row;
                let mut value = 0.0;
                for r in (0..count_a).filter(|&r| a.test[r] != 0.0) {
                    let line = &island.mobility[(row_a + r) * rows + row_b..];
                    let along = line.iter().zip(b.direction).take(island.blocks[b.block].kind.rows());
                    value += a.test[r] * along.map(|(g, d)| g * d).sum::<f64>();
                }
                self.problem.matrix[i * n + j] = value;
            }
        }
        let dry = island.blocks.iter().any(|block| law(block.kind).mu() > 0.0);
        let report = if dry {
            self.start.clear();
            if !first {
                self.start.extend_from_slice(self.baraff.modes());
            }
            self.baraff.solve(&self.problem, &self.start, &mut self.solution)
        } else if let Some(normal) = &mut self.normal {
            let rows = self.dense.of_matrix(&self.problem.matrix, n);
            normal.clear(n, rows.columns);
            normal.half.copy_from_slice(&rows.values);
            normal.q.extend_from_slice(&self.problem.q);
            normal.restart(n);
            let report = normal.solve(island.blocks);
            self.solution.clone_from(&normal.solution);
            report
        } else {
            self.lcp.resize(n);
            self.lcp.matrix_mut().copy_from_slice(&self.problem.matrix);
            self.lcp.q_mut().copy_from_slice(&self.problem.q);
            self.dantzig.solve(&self.lcp, Start::Cold, &mut self.solution)
        };
        self.force.clone_from(&self.known);
        for (unknown, z) in self.unknowns.iter().zip(&self.solution.z) {
            let block = island.blocks[unknown.block];
            for r in 0..block.kind.rows() {
                self.force[block.row + r] += z * unknown.direction[r];
            }
        }
        accelerations(island, &self.force, &mut self.acceleration);
        report
    }

    fn list_unknowns(&mut self, island: &ForceProblem) {
        self.unknowns.clear();
        self.problem.laws.clear();
        for (i, (block, tangent)) in island.blocks.iter().zip(&self.tangents).enumerate() {
            let mu = law(block.kind).mu();
            let mut direction = [1.0, 0.0, 0.0];
            let speed = if mu > 0.0 { sliding(island, block.row) } else { 0.0 };
            if speed > Self::SLIDING {
                direction[1] = -mu * island.velocity[block.row + 1] / speed;
                direction[2] = -mu * island.velocity[block.row + 2] / speed;
            }
            let normal = self.unknowns.len();
            self.unknowns.push(Unknown { block: i, direction, test: [1.0, 0.0, 0.0] });
            self.problem.laws.push(IndexLaw::Normal);
            let (Tangent::Both(d) | Tangent::Along(d)) = *tangent else { continue };
            let across = matches!(tangent, Tangent::Both(_)).then_some([0.0, -d[1], d[0]]);
            for along in [Some([0.0, d[0], d[1]]), across].into_iter().flatten() {
                self.unknowns.push(Unknown { block: i, direction: along, test: along });
                self.problem.laws.push(IndexLaw::Friction { normal, mu });
            }
        }
    }

    /// Step 2. Whether every contact that sticks had the force of its law.
    fn settle(&mut self, island: &ForceProblem) -> bool {
        let n = island.rows();
        let largest = self.force.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        let mut settled = true;
        for (block, tangent) in island.blocks.iter().zip(&mut self.tangents) {
            if *tangent == Tangent::Known {
                continue;
            }
            let [t1, t2] = [block.row + 1, block.row + 2];
            let viscous = [self.known[t1], self.known[t2]];
            let trace = island.mobility[t1 * n + t1] + island.mobility[t2 * n + t2];
            let rho = if trace > 0.0 { 2.0 / trace } else { 0.0 };
            let force = [self.force[t1] - viscous[0], self.force[t2] - viscous[1]];
            let z = [force[0] - rho * self.acceleration[t1], force[1] - rho * self.acceleration[t2]];
            let (size, bound) =
                (libm::hypot(z[0], z[1]), law(block.kind).mu() * self.force[block.row].max(0.0));
            let scale = if size > bound { bound / size } else { 1.0 };
            let error = libm::hypot(force[0] - scale * z[0], force[1] - scale * z[1]);
            if error > EXACT * largest {
                settled = false;
                *tangent = if size > bound { Tangent::Along(unit(z)) } else { Tangent::Both(unit(z)) };
            }
        }
        settled
    }
}

impl IslandSolver for ContactForces {
    /// Solves an island at the level of accelerations (`ForceProblem`); what `memory` receives as impulses are forces, and as
    /// basic variables the [`Outcome`].
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        let island = &ForceProblem::of(island);
        let stiffness = self.know(island);
        self.tangents.clear();
        let first = island.blocks.iter().map(|block| match law(block.kind) {
            law if law.mu() > 0.0 && sliding(island, block.row) <= Self::SLIDING => {
                Tangent::Both(unit([-self.free[block.row + 1], -self.free[block.row + 2]]))
            }
            _ => Tangent::Known,
        });
        self.tangents.extend(first);
        let mut report = self.solve_round(island, true);
        let mut settled = self.settle(island);
        let mut rounds = 1;
        while report.status == Status::Solved && !settled && rounds < ROUNDS {
            let round = self.solve_round(island, false);
            report = Report {
                iterations: report.iterations + round.iterations,
                pivots: report.pivots + round.pivots,
                ..round
            };
            settled = self.settle(island);
            rounds += 1;
        }
        if report.status == Status::Solved && !settled {
            report.status = Status::Stalled;
        }
        let outcome = match report.status {
            Status::Ray | Status::Infeasible => Outcome::Inconsistent,
            Status::Solved if stiffness <= STIFF => Outcome::Solved,
            Status::Solved => Outcome::Stiff,
            _ => Outcome::Unsolved,
        };
        for (block, memory) in island.blocks.iter().zip(memory) {
            *memory = Memory { known: true, basic: outcome as u64, ..Memory::default() };
            for row in 0..block.kind.rows() {
                memory.impulse[row] = self.force[block.row + row];
            }
        }
        IslandReport::of(report, self.unknowns.len())
    }

    fn asks_velocities(&self) -> bool {
        true
    }
}

/// `G f + a_free`.
fn accelerations(island: &ForceProblem, force: &[f64], out: &mut Vec<f64>) {
    let rows = island.mobility.chunks_exact(island.rows().max(1));
    out.clear();
    out.extend(
        rows.zip(island.acceleration)
            .map(|(row, free)| free + row.iter().zip(force).map(|(g, f)| g * f).sum::<f64>()),
    );
}

/// The law of a block; all blocks here are contacts.
fn law(kind: BlockKind) -> Law {
    match kind {
        BlockKind::Contact { law, .. } => law,
        _ => Law::Frictionless,
    }
}

/// Tangential speed of the contact at a row (m/s).
fn sliding(island: &ForceProblem, row: usize) -> f64 {
    libm::hypot(island.velocity[row + 1], island.velocity[row + 2])
}

/// Unit vector along a vector; any along zero.
fn unit(v: [f64; 2]) -> [f64; 2] {
    let size = libm::hypot(v[0], v[1]);
    if size > 0.0 { v.map(|x| x / size) } else { [1.0, 0.0] }
}
