//! Steps 3 to 5: the ratio test, which finds what stops the variable that enters.

use super::BoundedTableau;
use crate::pivoting::face::Face;
use crate::pivoting::tableaus::dictionary::{TIE, TIE_FLOOR, Tie, steepest};

/// What stops the entering variable.
pub(super) enum Block {
    /// The variable of a row, at its lower or upper bound, after this step.
    Row(usize, Face, f64),
    /// Its own other bound, after this step.
    Own(f64),
}

impl BoundedTableau {
    /// The range of a basic or entering variable.
    pub(super) fn range(&self, variable: usize, bounds: &[[f64; 2]]) -> [f64; 2] {
        let n = self.dictionary.n;
        if variable == 2 * n {
            [self.target, f64::INFINITY]
        } else if variable >= n {
            bounds[variable - n]
        } else if bounds[variable][0] == bounds[variable][1] {
            [f64::NEG_INFINITY, f64::INFINITY]
        } else if self.faces[variable] == Face::Upper {
            [f64::NEG_INFINITY, 0.0]
        } else {
            [0.0, f64::INFINITY]
        }
    }

    /// Steps 3 to 5: what stops the variable of `column` moving in `direction`; nothing on a ray.
    pub(super) fn block(&mut self, column: usize, direction: f64, bounds: &[[f64; 2]]) -> Option<Block> {
        let n = self.dictionary.n;
        let mut largest: f64 = 1.0;
        for row in 0..n {
            self.column[row] = direction * self.dictionary.at(row, column);
            largest = largest.max(self.column[row].abs());
        }
        let smallest = self.smallest_pivot * largest;
        // The distance of a row to the bound it moves to.
        let distance = |tableau: &Self, row: usize| {
            let slope = tableau.column[row];
            if slope.abs() <= smallest {
                return None;
            }
            let [lower, upper] = tableau.range(tableau.dictionary.basic[row], bounds);
            let (distance, face) = if slope < 0.0 {
                (tableau.values[row] - lower, Face::Lower)
            } else {
                (upper - tableau.values[row], Face::Upper)
            };
            (distance < f64::INFINITY).then_some((distance.max(0.0), face))
        };
        let entering = self.dictionary.nonbasic[column];
        let [lower, upper] = self.range(entering, bounds);
        let own = if entering == 2 * n { self.fixed[entering] - lower } else { upper - lower };
        let mut step = own;
        for row in 0..n {
            if let Some((distance, _)) = distance(self, row) {
                step = step.min(distance / self.column[row].abs());
            }
        }
        if step == f64::INFINITY || step.is_nan() {
            return None;
        }
        self.ties.clear();
        if own - step <= (TIE * step).max(TIE_FLOOR) {
            if entering == 2 * n {
                return Some(Block::Own(own));
            }
            self.ties.push(Tie { row: n, slope: 1.0, inwards: 1.0 });
        }
        for row in 0..n {
            if let Some((distance, face)) = distance(self, row) {
                let way = step * self.column[row].abs();
                if distance - way <= (TIE * way).max(TIE_FLOOR) {
                    if self.dictionary.basic[row] == 2 * n {
                        return Some(Block::Row(row, face, step));
                    }
                    let inwards = if face == Face::Upper { -1.0 } else { 1.0 };
                    self.ties.push(Tie { row, slope: self.column[row].abs(), inwards });
                }
            }
        }
        // Step 4.
        let Tie { row, inwards, .. } = if self.reference.is_empty() {
            steepest(&self.ties)?
        } else {
            let reference = self.reference.iter().copied();
            self.dictionary.lexicographic_minimum(&mut self.ties, reference)?
        };
        let face = if inwards < 0.0 { Face::Upper } else { Face::Lower };
        Some(if row == n { Block::Own(step) } else { Block::Row(row, face, step) })
    }
}
