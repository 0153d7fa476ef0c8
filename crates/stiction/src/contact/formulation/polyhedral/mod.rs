//! Polyhedral Coulomb friction as a linear complementarity problem (Stewart and Trinkle 1996; Anitescu and Potra
//! 1997).
//!
//! # Problem
//! Per contact, with `k` unit directions `d_j` that span the tangent plane and contain `-d` with every `d`:
//! ```text
//! 0 <= lambda_n  perp  u_n + a_n                 >= 0
//! 0 <= beta_j    perp  d_j . u_t + sigma         >= 0      j = 1..k
//! 0 <= sigma     perp  mu lambda_n - sum_j beta_j >= 0
//! ```
//! A preload `p` of an impact is a constant in the last line, `mu (lambda_n + p)`; `lambda_n` is then what comes on top.
//! Here `u = G lambda + u_free` and `lambda_t = sum_j beta_j d_j`. Joint friction is the same with `k = 2` and the
//! constant bound in place of `mu lambda_n`; limits and frictionless contacts keep the first line only. The matrix
//! is copositive, so Lemke's method solves the problem whenever every `a_n >= 0`.
//!
//! # Method
//! 1. Scale each block by `s = (mean diagonal of its Delassus block)^(-1/2)` and velocities by the largest scaled
//!    free velocity, which keeps the form and makes the problem independent of units and mass ratios.
//! 2. With alignment the first direction of a contact is minus its free tangential velocity (Mylapilli and Jain
//!    2014, after eq. 18), so that sliding along a straight line is exact for every `k`.
//! 3. Assemble the matrix from 3 x 3 Delassus blocks.
//! 4. Solve by Lemke's method inside proximal-point steps, started from the basis and the impulses that the same blocks
//!    had in the last step: redundant contacts share the load, and impulses change as little as they need. Or by another
//!    solver of [`LcpSolver`], started from those impulses and the sliding speeds that belong to them.
//! 5. Undo the scaling.
//!
//! # Error of the pyramid
//! The pyramid is inscribed in the cone: off its directions friction is too small by up to `1 - cos(pi / k)` (29 % at
//! k = 4, 7.6 % at k = 8).
//!
//! # References
//! - D. Stewart, J. Trinkle, *An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and
//!   Coulomb friction*, IJNME 39 (1996).
//! - M. Anitescu, F. Potra, *Formulating dynamic multi-rigid-body contact problems with friction as solvable linear
//!   complementarity problems*, Nonlinear Dynamics 14 (1997).
//! - H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*,
//!   ASME IDETC (2014), eq. 16-22.

mod assemble;

use assemble::Variables;

use super::tight_solver::TightSolver;
use super::{FormulationError, IslandSolver, PosedIsland};
use crate::contact::island::{BlockKind, IslandProblem, IslandReport, Memory};
use crate::model::Law;
use serde::{Deserialize, Serialize};
use stiction_solvers::{ActiveSet, Lcp, LcpSolver, ProximalLemke, Report, Solution, Start};

/// How the gap of a contact enters its normal row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GapRule {
    /// Touching and predicted contacts, `a_n = max(gap, 0) / h`: penetration is prevented.
    StewartTrinkle,
    /// Touching contacts only, `a_n = 0`.
    AnitescuPotra,
}

/// Settings of the polyhedral formulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolyhedralSettings {
    /// Number of friction directions, even, 4 to 32.
    pub directions: usize,
    /// Turn the directions so that the first opposes the free sliding velocity.
    pub aligned: bool,
    /// How gaps enter.
    pub gap: GapRule,
    /// The solver.
    pub solver: LcpSolver,
}

impl Default for PolyhedralSettings {
    fn default() -> Self {
        let solver = LcpSolver::default();
        Self { directions: 4, aligned: true, gap: GapRule::StewartTrinkle, solver }
    }
}

/// What solves the problem as it is posed.
#[derive(Debug)]
enum Engine {
    /// Starts from a basis and knows what is redundant.
    Lemke(Box<ProximalLemke>),
    Other(TightSolver<Lcp>),
}

impl Engine {
    fn new(choice: &LcpSolver) -> Result<Self, FormulationError> {
        match choice {
            LcpSolver::Lemke(settings) => {
                let refuse = |error| FormulationError::SolverSetting { solver: choice.name(), error };
                Ok(Engine::Lemke(Box::new(ProximalLemke::new(*settings).map_err(refuse)?)))
            }
            other => Ok(Engine::Other(TightSolver::<Lcp>::new(other)?)),
        }
    }
}

/// A scaled free sliding speed below this has no direction: it is round-off of the largest velocity.
const SLIDING_NOISE: f64 = 1e-9;

/// Scaled free velocities below this are rest: dividing by them would overflow.
const RESTING: f64 = 1e-30;

/// Solves islands with polyhedral friction. Allocates nothing for an island no larger than one seen before.
#[derive(Debug)]
pub struct Polyhedral {
    settings: PolyhedralSettings,
    /// `(cos, sin)` of the first half of the directions.
    directions: Vec<[f64; 2]>,
    engine: Engine,
    lcp: Lcp,
    /// Which variables are impulses; sigma is none.
    redundant: Vec<bool>,
    /// Impulses and basis to start from.
    center: Vec<f64>,
    basis: ActiveSet,
    solution: Solution,
    variables: Vec<Variables>,
    columns: Vec<[f64; 3]>,
}

impl Polyhedral {
    /// A solver; refuses odd or too few directions and what the solver refuses.
    pub fn new(settings: PolyhedralSettings) -> Result<Self, FormulationError> {
        let k = settings.directions;
        if !k.is_multiple_of(2) || !(4..=32).contains(&k) {
            let expected = "an even number from 4 to 32";
            return Err(FormulationError::Range {
                setting: "friction directions",
                value: k as f64,
                expected,
            });
        }
        let engine = Engine::new(&settings.solver)?;
        let directions = (0..k / 2)
            .map(|j| {
                let angle = 2.0 * std::f64::consts::PI * j as f64 / k as f64;
                // Exact zeros and ones, so that the pyramid is symmetric to the last bit.
                if 4 * j == k { [0.0, 1.0] } else { [libm::cos(angle), libm::sin(angle)] }
            })
            .collect();
        Ok(Self {
            settings,
            directions,
            engine,
            lcp: Lcp::empty(),
            redundant: Vec::new(),
            center: Vec::new(),
            basis: ActiveSet::default(),
            solution: Solution::default(),
            variables: Vec::new(),
            columns: Vec::new(),
        })
    }

    /// Step 4.
    fn attempt(&mut self) -> Report {
        let Self { engine, lcp, redundant, center, basis, solution, variables, .. } = self;
        match engine {
            Engine::Lemke(lemke) => lemke.solve(lcp, redundant, center, basis, solution),
            Engine::Other(solver) => {
                guess_sliding(lcp, variables, center);
                solution.z.clone_from(center);
                solver.solve(lcp, Start::Warm, solution)
            }
        }
    }

    /// Steps 1 and 2: numbers the variables, scales the blocks, turns the directions.
    fn lay_out(&mut self, island: &IslandProblem) {
        let n = island.rows();
        self.variables.clear();
        let mut start = 0;
        let mut velocity_scale: f64 = 0.0;
        for block in island.blocks {
            let rows = block.row..block.row + block.kind.rows();
            let mean = rows.clone().map(|r| island.dense()[r * n + r]).sum::<f64>() / rows.len() as f64;
            // A block that nothing can move (both sides prescribed) keeps the unit scale.
            let row = if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 };
            velocity_scale = rows.fold(velocity_scale, |scale, r| scale.max((row * island.free[r]).abs()));
            let (count, mirrored) = match block.kind {
                BlockKind::Contact { law: Law::Coulomb { .. }, .. } => (1 + self.directions.len(), 1),
                BlockKind::Contact { .. } | BlockKind::Limit { .. } => (1, 1),
                BlockKind::Friction { .. } => (1, 0),
            };
            let variables =
                Variables { start, columns: 0, count, mirrored, first: [1.0, 0.0], scale: row, row };
            start += variables.total();
            self.variables.push(variables);
        }
        if velocity_scale < RESTING {
            velocity_scale = 1.0;
        }
        self.columns.clear();
        for (variables, block) in self.variables.iter_mut().zip(island.blocks) {
            let coulomb = block.kind.rows() == 3;
            if self.settings.aligned && coulomb {
                let [x, y] = [island.free[block.row + 1], island.free[block.row + 2]];
                let speed = libm::hypot(x, y);
                if speed * variables.row > SLIDING_NOISE * velocity_scale {
                    variables.first = [-x / speed, -y / speed];
                }
            }
            variables.scale *= velocity_scale;
            variables.row /= velocity_scale;
            variables.columns = self.columns.len();
            self.columns.push([1.0, 0.0, 0.0]);
            if coulomb {
                let [c, s] = variables.first;
                self.columns
                    .extend(self.directions.iter().map(|d| [0.0, c * d[0] - s * d[1], s * d[0] + c * d[1]]));
            }
        }
    }

    /// A block's independent columns.
    fn columns(&self, variables: &Variables) -> &[[f64; 3]] {
        &self.columns[variables.columns..variables.columns + variables.count]
    }

    /// The basis to start from: what each block had in the last step; a new block that closes is guessed to slide.
    fn recall(&mut self, island: &IslandProblem, memory: &[Memory]) {
        let size = self.lcp.q().len();
        self.basis.resize(size);
        self.center.clear();
        self.center.resize(size, 0.0);
        self.redundant.clear();
        for ((block, variables), memory) in island.blocks.iter().zip(&self.variables).zip(memory) {
            let count = variables.total();
            let closing = self.lcp.q()[variables.start] < 0.0;
            let basic = match block.kind {
                _ if memory.known => memory.basic,
                BlockKind::Contact { law: Law::Coulomb { .. }, .. } if closing => 0b11 | 1 << (count - 1),
                BlockKind::Contact { .. } | BlockKind::Limit { .. } if closing => 0b1,
                _ => 0,
            };
            for i in 0..count {
                self.basis.set(variables.start + i, basic >> i & 1 == 1);
                self.redundant.push(i < variables.impulses());
            }
            let center = &mut self.center[variables.start..variables.start + count];
            let mut impulse = memory.impulse.map(|lambda| lambda / variables.scale);
            let preload = preload(block.kind) / variables.scale;
            if preload > 0.0 {
                impulse[0] = (impulse[0] - preload).max(0.0);
            }
            match block.kind {
                BlockKind::Contact { law: Law::Coulomb { .. }, .. } => {
                    center[0] = impulse[0];
                    spread([impulse[1], impulse[2]], variables.first, &mut center[1..count - 1]);
                }
                BlockKind::Contact { .. } | BlockKind::Limit { .. } => center[0] = impulse[0],
                BlockKind::Friction { .. } => {
                    center[0] = impulse[0].max(0.0);
                    center[1] = (-impulse[0]).max(0.0);
                }
            }
        }
    }

    /// Step 5: impulses and basic variables of each block.
    fn remember(&self, island: &IslandProblem, memory: &mut [Memory]) {
        let basis = match &self.engine {
            Engine::Lemke(lemke) => Some(lemke.active_set()),
            Engine::Other(_) => None,
        };
        for ((block, variables), memory) in island.blocks.iter().zip(&self.variables).zip(memory) {
            let z = &self.solution.z[variables.start..variables.start + variables.total()];
            *memory = Memory { known: true, ..Default::default() };
            memory.impulse[0] = preload(block.kind);
            for (i, column) in self.columns(variables).iter().enumerate() {
                let opposite = if i >= variables.mirrored { z[i + variables.half()] } else { 0.0 };
                for (impulse, c) in memory.impulse.iter_mut().zip(column) {
                    *impulse += variables.scale * (z[i] - opposite) * c;
                }
            }
            for i in 0..variables.total() {
                let basic = basis.is_some_and(|basis| basis.contains(variables.start + i));
                memory.basic |= u64::from(basic) << i;
            }
        }
    }
}

impl IslandSolver for Polyhedral {
    fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        self.lay_out(island);
        self.assemble(island);
        self.recall(island, memory);
        let solver = self.attempt();
        self.remember(island, memory);
        IslandReport::of(solver, self.lcp.q().len())
    }

    fn pose(&mut self, island: &IslandProblem, memory: &[Memory]) -> Option<PosedIsland> {
        self.lay_out(island);
        self.assemble(island);
        self.recall(island, memory);
        Some(PosedIsland { problem: self.lcp.clone().into(), start: self.center.clone() })
    }
}

/// Normal impulse that acts in any case (N s).
fn preload(kind: BlockKind) -> f64 {
    if let BlockKind::Contact { preload, .. } = kind { preload } else { 0.0 }
}

/// Sets every sigma of `z` to the sliding speed that the impulses lead to, the largest along any direction.
fn guess_sliding(lcp: &Lcp, variables: &[Variables], z: &mut [f64]) {
    for block in variables.iter().filter(|block| block.half() > 0) {
        let sigma = block.start + block.impulses();
        let velocity = |i: usize| -> f64 {
            lcp.q()[i] + lcp.row(i)[..].iter().zip(&*z).map(|(m, z)| m * z).sum::<f64>()
        };
        let friction = block.start + block.mirrored..sigma;
        z[sigma] = friction.map(|i| -velocity(i)).fold(0.0, f64::max);
    }
}

/// Writes a tangential impulse as a combination of the two directions it lies between; `first` is the first of
/// `beta.len()` directions, which go round in equal angles.
fn spread(tangential: [f64; 2], first: [f64; 2], beta: &mut [f64]) {
    let k = beta.len();
    let size = libm::hypot(tangential[0], tangential[1]);
    if size == 0.0 {
        return;
    }
    let along = tangential[0] * first[0] + tangential[1] * first[1];
    let across = tangential[1] * first[0] - tangential[0] * first[1];
    let sector = 2.0 * std::f64::consts::PI / k as f64;
    let turns = libm::atan2(across, along) / sector;
    let whole = libm::floor(turns);
    let angle = (turns - whole) * sector;
    let j = (whole + k as f64) as usize % k;
    beta[j] = size * libm::sin(sector - angle) / libm::sin(sector);
    beta[(j + 1) % k] = size * libm::sin(angle) / libm::sin(sector);
}
