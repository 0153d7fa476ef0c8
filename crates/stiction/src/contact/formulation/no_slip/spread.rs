//! Step 4: of all normal impulses with the same effect, such that load every contact that can press.
//!
//! `Y^T lambda_n` is kept, and each contact that is wanted is given a small share `s`; the rest solves the least-squares problem
//! `min |Y^T lambda - (Y^T lambda_n - Y^T s)|`, `lambda >= 0`. Where that leaves a residual, contacts at which it points outwards
//! can carry none (Stiemke's lemma): they lose their share, and the rest is tried again.

use super::NoSlip;
use super::has_friction;
use crate::contact::formulation::FormulationError;
use crate::contact::formulation::normal::{FactoredIsland, dot};
use crate::contact::island::BlockKind;
use stiction_solvers::{FactoredLcp, Ppm, PpmSettings, Solution, Solver, Start, Status};

/// Load, in parts of the largest, that a contact must be able to carry to count as pressing.
const SHARE: f64 = 1e-6;

/// What two solutions with the same effect may differ in, in parts of the largest impulse: rounding.
const SAME: f64 = 1e-11;

/// A contact that opens slower than this part of the largest speed touches.
pub(super) const IDLE: f64 = 1e-9;

/// Step 4's least-squares problem.
#[derive(Debug, Default)]
pub(super) struct Spreading {
    pub(super) solver: Ppm,
    pub(super) problem: FactoredLcp,
    pub(super) solution: Solution,
    /// Blocks in the problem, and which of them are given a share.
    pub(super) blocks: Vec<usize>,
    pub(super) given: Vec<bool>,
    /// `Y^T lambda_n` that the impulses must have, and what is missing.
    pub(super) target: Vec<f64>,
    pub(super) missing: Vec<f64>,
}

impl Spreading {
    /// With its solver.
    pub(super) fn new() -> Result<Self, FormulationError> {
        let settings = PpmSettings { tolerance: 0.1 * SAME, ..Default::default() };
        let refuse = |error| FormulationError::SolverSetting { solver: "ppm", error };
        Ok(Self { solver: Ppm::new(settings).map_err(refuse)?, ..Self::default() })
    }
}

impl Spreading {
    /// Reserves the workspace of a problem of `n` blocks and `m` columns.
    pub(super) fn reserve(&mut self, n: usize, m: usize) {
        self.blocks.clear();
        self.blocks.reserve(n);
        self.given.clear();
        self.given.reserve(n);
        for list in [&mut self.target, &mut self.missing] {
            list.clear();
            list.reserve(m);
        }
        self.problem.refill(n, m, |_, _| ());
        let _ = self.solver.solve(&self.problem, Start::Cold, &mut self.solution);
    }
}

impl NoSlip {
    /// Step 4: loads every contact held or pressing that can press, at the same effect. (A wall that only touches could, too, where
    /// friction at the floor pushes against it.)
    pub(super) fn spread(&mut self, rows: &FactoredIsland) {
        let island = rows.island;
        let (m, half, q) = (self.normal.columns, &self.normal.half, &self.normal.q);
        let Solution { z, w } = &mut self.normal.solution;
        let line = |b: usize| &half[b * m..(b + 1) * m];
        let length = |b: usize| dot(line(b), line(b)).sqrt();
        let s = &mut self.spreading;
        s.target.clear();
        s.target.resize(m, 0.0);
        let (mut size, mut speed): (f64, f64) = (0.0, 0.0);
        for (b, block) in island.blocks.iter().enumerate() {
            let length = length(b);
            if length > 0.0 {
                speed = speed.max(q[b].abs() / length);
            }
            if !matches!(block.kind, BlockKind::Friction { .. }) {
                size = size.max(z[b] * length);
                s.target.iter_mut().zip(line(b)).for_each(|(t, y)| *t += z[b] * y);
            }
        }
        let share = SHARE * size;
        s.blocks.clear();
        s.blocks.extend((0..z.len()).filter(|&b| {
            let length = length(b);
            let one_sided = !matches!(island.blocks[b].kind, BlockKind::Friction { .. });
            one_sided && length > 0.0 && w[b] <= IDLE * speed * length && (self.held[b] || self.presses[b])
        }));
        s.given.clear();
        s.given.extend(s.blocks.iter().map(|&b| has_friction(island.blocks[b].kind)));
        while share > 0.0 && s.given.contains(&true) {
            let (n, given) = (s.blocks.len(), s.given.iter());
            s.missing.clone_from(&s.target);
            for (&b, _) in s.blocks.iter().zip(given).filter(|(_, given)| **given) {
                let part = share / length(b);
                s.missing.iter_mut().zip(line(b)).for_each(|(t, y)| *t -= part * y);
            }
            let (blocks, missing) = (&s.blocks, &s.missing);
            s.problem.refill(n, m, |half, q| {
                for (i, &b) in blocks.iter().enumerate() {
                    half[i * m..(i + 1) * m].copy_from_slice(line(b));
                    q[i] = -dot(line(b), missing);
                }
            });
            let report = s.solver.solve(&s.problem, Start::Cold, &mut s.solution);
            for (&b, z) in s.blocks.iter().zip(&s.solution.z) {
                s.missing.iter_mut().zip(line(b)).for_each(|(t, y)| *t -= z * y);
            }
            if dot(&s.missing, &s.missing).sqrt() <= SAME * size {
                for ((&b, given), more) in s.blocks.iter().zip(&s.given).zip(&s.solution.z) {
                    z[b] = more + if *given { share / length(b) } else { 0.0 };
                    self.presses[b] =
                        z[b] > self.normal.tolerance * self.speed * rows.unit(island.blocks[b].row);
                }
                return;
            }
            let mut lost = false;
            for (&b, given) in s.blocks.iter().zip(&mut s.given) {
                if *given && -dot(line(b), &s.missing) > IDLE * share * length(b) {
                    (*given, lost) = (false, true);
                }
            }
            if !lost || report.status != Status::Solved {
                return;
            }
        }
    }
}
