//! A cone problem in the units in which its Newton methods work.
//!
//! Blocks are cut into *cells*: a contact with friction is one cell of 2 or 3 rows, every other row is a cell of its own. One
//! positive number `S` a cell keeps the cones and gives every diagonal block of `W' = S W S` the mean diagonal 1; with
//! `a = max |S q|` the unknowns are `x = r / (a S)` and `y = S u / a = W' x + q'`. Masses, units and step sizes are gone
//! from the problem, and constants of a method mean the same everywhere.

use crate::linalg::dense::dot_and_magnitude;
use crate::problem::cones::assess::{FLOOR, RESTING};
use crate::problem::cones::cone::{open_unless_pressed, project_on_friction_cone, tangent_norm};
use crate::problem::{Cone, ConeNcp, Delassus, FrictionLaw};

/// A diagonal block below this multiple of the largest is a row that nothing moves (both bodies fixed, say): rounding
/// noise of about `eps` times the largest. Mass ratios of 1e10 are far above.
const IMMOVABLE: f64 = 1e-15;

/// The law of a cell; bounds are in the unit of `x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    Free,
    Nonnegative,
    Interval { lower: f64, upper: f64 },
    Coulomb { mu: f64 },
    NoSlip,
}

/// Rows under one law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) row: usize,
    pub(crate) dim: usize,
    pub(crate) law: Law,
}

/// Coefficient that stands for that of a contact without slip, where a method needs a number.
const HELD: f64 = 1e3;

impl Cell {
    /// Coefficient of friction of a contact that has one; a large one of a contact without slip.
    pub(crate) fn friction(&self) -> Option<f64> {
        match self.law {
            Law::Coulomb { mu } => Some(mu),
            Law::NoSlip => Some(HELD),
            _ => None,
        }
    }

    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.dim
    }
}

/// The problem in the units of the [module](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct Normalized {
    pub(crate) cells: Vec<Cell>,
    /// First row of every cell, and the number of rows.
    pub(crate) starts: Vec<usize>,
    /// Whether sliding opens a contact (the associated law).
    pub(crate) associated: bool,
    /// `S`, row by row.
    pub(crate) scale: Vec<f64>,
    /// `S c S`, row by row.
    pub(crate) compliance: Vec<f64>,
    pub(crate) q: Vec<f64>,
    /// `W'` with the compliance, row-major, if it is kept dense.
    dense: Option<Vec<f64>>,
    /// Memory of a dense operator that is not in use.
    spare: Vec<f64>,
    /// `a`.
    unit: f64,
    /// Factors from `x` and `y` to the units of the certificate, row by row.
    certificate: Vec<[f64; 2]>,
    product: Vec<f64>,
    scaled: Vec<f64>,
}

impl Normalized {
    /// Takes over a problem; `dense` says whether its operator is kept as a dense matrix. Returns whether all its
    /// numbers are finite.
    pub(crate) fn load(&mut self, problem: &ConeNcp, dense: bool) -> bool {
        let n = problem.q().len();
        self.associated = problem.law() == FrictionLaw::Associated;
        self.scale.resize(n, 0.0);
        self.compliance.resize(n, 0.0);
        self.q.resize(n, 0.0);
        self.certificate.resize(n, [0.0; 2]);
        self.scaled.resize(n, 0.0);
        let (w_unit, z_unit) = problem.scales(&mut self.scaled);
        for (d, c) in self.scaled.iter_mut().zip(problem.compliance()) {
            *d = (*d + c).abs();
        }
        self.cut(problem);
        self.choose_scales();
        for i in 0..n {
            self.compliance[i] = self.scale[i] * problem.compliance()[i] * self.scale[i];
            self.q[i] = self.scale[i] * problem.q()[i];
        }
        let largest = self.q.iter().fold(0.0, |worst: f64, q| worst.max(q.abs()));
        self.unit = if largest > RESTING { largest } else { 1.0 };
        self.q.iter_mut().for_each(|q| *q /= self.unit);
        for i in 0..n {
            self.certificate[i] = [self.unit * self.scale[i] * z_unit, self.unit / self.scale[i] * w_unit];
        }
        for cell in &mut self.cells {
            if let Law::Interval { lower, upper } = &mut cell.law {
                let impulse = self.unit * self.scale[cell.row];
                (*lower, *upper) = (*lower / impulse, *upper / impulse);
            }
        }
        self.keep_dense(problem.delassus(), dense);
        let sum: f64 = self.q.iter().chain(&self.scale).sum();
        sum.is_finite() && self.unit.is_finite() && problem.delassus().is_finite()
    }

    fn cut(&mut self, problem: &ConeNcp) {
        self.cells.clear();
        self.starts.clear();
        for (cone, rows) in problem.cones().iter().zip(problem.starts().windows(2)) {
            let law = match *cone {
                Cone::Free { .. } => Law::Free,
                Cone::Nonnegative { .. } => Law::Nonnegative,
                Cone::Interval { lower, upper } => Law::Interval { lower, upper },
                Cone::Coulomb { mu, .. } => Law::Coulomb { mu },
                Cone::NoSlip { .. } => Law::NoSlip,
            };
            let dim = if cone.is_contact() { cone.dim() } else { 1 };
            for row in (rows[0]..rows[1]).step_by(dim) {
                self.cells.push(Cell { row, dim, law });
                self.starts.push(row);
            }
        }
        self.starts.push(problem.q().len());
    }

    /// Chooses `S` from the diagonal in `scaled`.
    fn choose_scales(&mut self) {
        let mean =
            |cell: &Cell, diagonal: &[f64]| diagonal[cell.rows()].iter().sum::<f64>() / cell.dim as f64;
        let largest = self.cells.iter().fold(0.0, |worst: f64, c| worst.max(mean(c, &self.scaled)));
        let default = if largest > 0.0 { largest } else { 1.0 };
        for cell in &self.cells {
            let own = mean(cell, &self.scaled);
            let size = if own > IMMOVABLE * largest { own } else { default };
            self.scale[cell.rows()].fill(1.0 / size.sqrt());
        }
    }

    fn keep_dense(&mut self, delassus: &Delassus, dense: bool) {
        let mut matrix = self.dense.take().unwrap_or_else(|| std::mem::take(&mut self.spare));
        if !dense {
            self.spare = matrix;
            return;
        }
        let mut product = std::mem::take(&mut self.product);
        self.write(delassus, &mut matrix, &mut product);
        self.product = product;
        self.dense = Some(matrix);
    }

    /// Writes `W'` with the compliance, row-major; `scratch` is memory to reuse.
    pub(crate) fn write_dense(&self, problem: &ConeNcp, matrix: &mut Vec<f64>, scratch: &mut Vec<f64>) {
        match &self.dense {
            Some(dense) => matrix.clone_from(dense),
            None => self.write(problem.delassus(), matrix, scratch),
        }
    }

    fn write(&self, delassus: &Delassus, matrix: &mut Vec<f64>, scratch: &mut Vec<f64>) {
        let n = self.q.len();
        matrix.resize(n * n, 0.0);
        delassus.write_dense(n, matrix, scratch);
        for (i, row) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
            let own = self.scale[i];
            row.iter_mut().zip(&self.scale).for_each(|(w, s)| *w *= own * s);
            row[i] += self.compliance[i];
        }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.q.len()
    }

    /// The dense operator with compliance, row-major, if it is kept.
    pub(crate) fn dense(&self) -> Option<&[f64]> {
        self.dense.as_deref()
    }

    /// Writes `y = W' x + q'` and `size = |W'| |x| + |q'|`. `problem` is the one that was loaded.
    pub(crate) fn velocity(&mut self, problem: &ConeNcp, x: &[f64], y: &mut [f64], size: &mut [f64]) {
        match &self.dense {
            Some(matrix) => {
                for (i, row) in matrix.chunks_exact(x.len().max(1)).enumerate() {
                    let (sum, magnitude) = dot_and_magnitude(row, x);
                    (y[i], size[i]) = (sum + self.q[i], magnitude + self.q[i].abs());
                }
            }
            None => {
                for i in 0..x.len() {
                    self.scaled[i] = self.scale[i] * x[i];
                }
                problem.delassus().multiply(&self.scaled, y, size, &mut self.product);
                for i in 0..x.len() {
                    let soft = self.compliance[i] * x[i];
                    y[i] = y[i] * self.scale[i] + soft + self.q[i];
                    size[i] = size[i] * self.scale[i] + soft.abs() + self.q[i].abs();
                }
            }
        }
    }

    /// The natural map of `x` with velocities `y` in the units of the certificate, and its rounding floor.
    pub(crate) fn natural_map(&self, x: &[f64], y: &[f64], size: &[f64]) -> (f64, f64) {
        let (mut square, mut rounding) = (0.0, 0.0);
        for cell in &self.cells {
            let [z_unit, w_unit] = self.certificate[cell.row];
            let (mut p, mut own) = ([0.0; 3], [0.0; 3]);
            let sliding = match cell.law {
                Law::Coulomb { mu } if !self.associated => mu * tangent_norm(&y[cell.rows()]) * w_unit,
                _ => 0.0,
            };
            let amplified = self.amplification(cell);
            for (k, i) in cell.rows().enumerate() {
                own[k] = x[i] * z_unit;
                p[k] = own[k] - y[i] * w_unit;
                let magnitude = size[i] * w_unit * if k > 0 { amplified } else { 1.0 } + own[k].abs();
                rounding += magnitude * magnitude;
            }
            p[0] -= sliding;
            match cell.law {
                Law::Free => {}
                Law::Nonnegative => p[0] = p[0].max(0.0),
                Law::Interval { lower, upper } => p[0] = p[0].max(lower * z_unit).min(upper * z_unit),
                Law::Coulomb { mu } => project_on_friction_cone(&mut p[..cell.dim], mu),
                Law::NoSlip => open_unless_pressed(&mut p[..cell.dim]),
            }
            square += (0..cell.dim).map(|k| (own[k] - p[k]) * (own[k] - p[k])).sum::<f64>();
        }
        (square.sqrt(), FLOOR * f64::EPSILON * rounding.sqrt())
    }

    /// What the rounding of a cell's tangential velocity is multiplied by in the natural map.
    fn amplification(&self, cell: &Cell) -> f64 {
        match cell.law {
            Law::Coulomb { mu } if !self.associated => mu.max(1.0),
            _ => 1.0,
        }
    }

    /// Replaces `x` by the nearest point its laws allow.
    pub(crate) fn project(&self, x: &mut [f64]) {
        for cell in &self.cells {
            match cell.law {
                Law::Free => {}
                Law::Nonnegative => x[cell.row] = x[cell.row].max(0.0),
                Law::Interval { lower, upper } => x[cell.row] = x[cell.row].max(lower).min(upper),
                Law::Coulomb { mu } => project_on_friction_cone(&mut x[cell.rows()], mu),
                Law::NoSlip => open_unless_pressed(&mut x[cell.rows()]),
            }
        }
    }

    /// Writes the impulses `r` of `x`.
    pub(crate) fn impulses(&self, x: &[f64], r: &mut [f64]) {
        for i in 0..x.len() {
            r[i] = self.unit * self.scale[i] * x[i];
        }
    }

    /// Writes the `x` of impulses `r`.
    pub(crate) fn unknowns(&self, r: &[f64], x: &mut [f64]) {
        for i in 0..r.len() {
            x[i] = r[i] / (self.unit * self.scale[i]);
        }
    }
}

/// Whether a natural map counts as solved: well within the tolerance or the rounding floor, so that the certificate on
/// the original data, rounded differently, agrees. Near the floor the natural map is all rounding.
pub(crate) fn passes(natural_map: f64, tolerance: f64, floor: f64, largest_floor: f64) -> bool {
    floor <= largest_floor && natural_map <= (0.9 * tolerance).max(0.5 * floor)
}
