//! Step 3: the tangential impulses, the digits of all, and what the rows are off on the original data.

use super::NoSlip;
use super::independent_rows::DEPENDENT;
use super::spread::IDLE;
use crate::contact::formulation::normal::{FactoredIsland, bias, dot};
use crate::contact::island::BlockKind;
use stiction_solvers::{Report, Status};

/// What is rounding of a velocity, in parts of its terms.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl NoSlip {
    /// Step 3: the multipliers of the rows held, corrected once.
    pub(super) fn find_tangential(&mut self, rows: &FactoredIsland) {
        let x = self.rows.chosen().len();
        self.impulse.clear();
        self.impulse.resize(rows.island.rows(), 0.0);
        self.multipliers.clear();
        self.multipliers.extend(self.drift.iter().map(|d| -d));
        for (b, block) in rows.island.blocks.iter().enumerate() {
            let z = self.normal.solution.z[b];
            self.impulse[block.row] = z;
            let along = &self.products[b * x..(b + 1) * x];
            self.multipliers.iter_mut().zip(along).for_each(|(r, l)| *r -= z * l);
        }
        self.rows.solve_upper(&mut self.multipliers);
        self.add_multipliers();
        rows.push(&self.impulse, &mut self.push);
        for (multiplier, &row) in self.multipliers.iter_mut().zip(self.rows.chosen()) {
            *multiplier = -rows.velocity(row, &self.push).0;
        }
        self.rows.solve_lower(&mut self.multipliers);
        self.rows.solve_upper(&mut self.multipliers);
        self.add_multipliers();
        rows.push(&self.impulse, &mut self.push);
    }

    /// Brings the normal rows of what presses, and the tangents held, to what they are to be, to rounding. Solvers and step 4 leave
    /// velocities of the size of their tolerances; a row of cubes between two pads buckles by them, a little more in every step, as nothing
    /// but these contacts keeps it straight.
    pub(super) fn correct(&mut self, rows: &FactoredIsland) {
        let blocks = rows.island.blocks;
        let tangents = self.rows.chosen().len();
        for (block, _) in blocks.iter().zip(&self.presses).filter(|(_, presses)| **presses) {
            self.rows.offer(rows, block.row, &mut self.l, &mut self.rest);
        }
        self.multipliers.clear();
        self.multipliers.reserve(rows.columns());
        self.multipliers.extend(self.rows.chosen().iter().map(|&row| -rows.velocity(row, &self.push).0));
        // Normals were chosen last, in the order of the blocks.
        let mut normals = self.rows.chosen().iter().zip(&mut self.multipliers).skip(tangents).peekable();
        for block in blocks {
            if let Some((_, step)) = normals.next_if(|(row, _)| **row == block.row) {
                *step -= bias(block.kind);
            }
        }
        self.rows.solve_lower(&mut self.multipliers);
        self.rows.solve_upper(&mut self.multipliers);
        let mut normals = self.rows.chosen().iter().zip(&self.multipliers).skip(tangents);
        if normals.all(|(&row, step)| self.impulse[row] + step >= 0.0) {
            self.add_multipliers();
            rows.push(&self.impulse, &mut self.push);
        }
        self.rows.keep(tangents);
    }

    fn add_multipliers(&mut self) {
        for (&row, step) in self.rows.chosen().iter().zip(&self.multipliers) {
            self.impulse[row] += step;
        }
    }

    /// What normal rows are off on the original data, and the slip that is left, in parts of the largest speed, are part of the
    /// residual.
    pub(super) fn assess(&self, rows: &FactoredIsland, report: &mut Report) {
        let speed = self.speed.max(f64::MIN_POSITIVE);
        let mut worst = report.residual.natural_map;
        for (b, block) in rows.island.blocks.iter().enumerate() {
            let (velocity, size) = rows.velocity(block.row, &self.push);
            let opens = velocity + bias(block.kind);
            // Redundant contacts that press may contradict each other by what step 4 takes for touching.
            let idle = IDLE * self.speed / rows.unit(block.row);
            let off = match block.kind {
                BlockKind::Friction { .. } => opens - self.normal.solution.w[b],
                _ if self.presses[b] => opens - opens.clamp(-idle, idle),
                _ => opens.min(0.0),
            };
            let moves = dot(self.normal.row(b), self.normal.row(b)) > 0.0;
            if moves && off.abs() > ROUNDING * (size + bias(block.kind).abs()) {
                worst = worst.max(off.abs() * rows.unit(block.row) / speed);
            }
            for row in [block.row + 1, block.row + 2].into_iter().filter(|_| self.held[b]) {
                let (slip, size) = rows.velocity(row, &self.push);
                if !self.rows.chosen().contains(&row) {
                    // A dependent row follows from the others, unless they contradict it.
                    let noise = DEPENDENT.sqrt() * size + self.noise(rows, row);
                    if slip.abs() > noise && report.status == Status::Solved {
                        report.status = Status::Infeasible;
                    }
                } else if slip.abs() > ROUNDING * size {
                    worst = worst.max(slip.abs() * rows.unit(row) / speed);
                }
            }
        }
        report.residual.natural_map = worst;
        if worst > self.normal.tolerance && report.status == Status::Solved {
            report.status = Status::NumericalFailure;
        }
    }
}
