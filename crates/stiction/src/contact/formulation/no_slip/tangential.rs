//! Step 3: the tangential impulses, and what the rows are off on the original data.

use super::NoSlip;
use super::independent_rows::DEPENDENT;
use super::island_rows::{bias, unit, velocity};
use crate::contact::island::IslandProblem;
use stiction_solvers::{Report, Status};

impl NoSlip {
    /// Step 3.
    pub(super) fn find_tangential(&mut self, island: &IslandProblem) {
        let x = self.tangents;
        self.impulse.clear();
        self.impulse.resize(island.rows(), 0.0);
        self.multipliers.clear();
        self.multipliers.extend(self.drift.iter().map(|d| -d));
        for (b, block) in island.blocks.iter().enumerate() {
            let z = self.solution.z[b];
            self.impulse[block.row] = z;
            let along = &self.products[self.starts[b]..][..x];
            self.multipliers.iter_mut().zip(along).for_each(|(r, l)| *r -= z * l);
        }
        self.rows.solve_upper(&mut self.multipliers);
        self.add_multipliers();
        for k in 0..x {
            self.multipliers[k] = -velocity(island, &self.impulse, self.rows.chosen()[k]).0;
        }
        self.rows.solve_lower(&mut self.multipliers);
        self.rows.solve_upper(&mut self.multipliers);
        self.add_multipliers();
    }

    fn add_multipliers(&mut self) {
        for (&row, step) in self.rows.chosen().iter().zip(&self.multipliers) {
            self.impulse[row] += step;
        }
    }

    /// Step 3: corrects `q` by what normal rows are off on the original data; returns the worst of that in parts of the
    /// largest speed.
    pub(super) fn correct(&mut self, island: &IslandProblem) -> f64 {
        let mut worst: f64 = 0.0;
        for (b, block) in island.blocks.iter().enumerate() {
            let (speed, size) = velocity(island, &self.impulse, block.row);
            let off = speed + bias(block.kind) - self.solution.w[b];
            let movable = self.half[b * self.columns..(b + 1) * self.columns].iter().any(|y| *y != 0.0);
            if movable && off.abs() > 16.0 * f64::EPSILON * (size + bias(block.kind).abs()) {
                self.q[b] += off;
                worst = worst.max(off.abs() * unit(island, block.row) / self.speed.max(f64::MIN_POSITIVE));
            }
        }
        worst
    }

    /// The slip that is left on the original data, in parts of the largest speed, is part of the residual.
    pub(super) fn assess(&self, island: &IslandProblem, report: &mut Report) {
        for (_, block) in island.blocks.iter().enumerate().filter(|(b, _)| self.held[*b]) {
            for row in [block.row + 1, block.row + 2] {
                let (slip, size) = velocity(island, &self.impulse, row);
                if !self.chosen[row] {
                    // A dependent row follows from the others, unless they contradict it.
                    let noise = DEPENDENT.sqrt() * size + self.noise(island, row);
                    if slip.abs() > noise && report.status == Status::Solved {
                        report.status = Status::Infeasible;
                    }
                    continue;
                }
                let relative = slip.abs() * unit(island, row) / self.speed.max(f64::MIN_POSITIVE);
                if slip.abs() <= 16.0 * f64::EPSILON * size {
                    continue;
                }
                report.residual.natural_map = report.residual.natural_map.max(relative);
            }
        }
        if report.residual.natural_map > self.tolerance && report.status == Status::Solved {
            report.status = Status::NumericalFailure;
        }
    }
}
