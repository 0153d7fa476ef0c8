//! The residual of an answer to a problem in a box: every row and every unknown in a unit of its own.
//!
//! # Definition
//! `w = M z + q` in `l <= z <= u`. The size of the terms that make `w_i`, and what of `z_j` counts, are
//!
//! `W_i = |q_i| + min(sum_j |M_ij| |z_j|, C_i)`,  `U_j = min(min_i W_i / |M_ij|, max(|z|, |bound of j|))`
//!
//! with `|z|` the largest entry of `z` (of the unknowns connected with `z_j`, where nothing but `|z|` limits `U_j`), and the residual is the largest component of the natural map in these units,
//! `min((z_j - l_j) / U_j, max(w_j / W_j, (z_j - u_j) / U_j))`.
//! `C_i = 16 m_i max_k |q_k| / m_k`, with `m_i` the largest `|M_ij|` of a row (for `M = Y Y^T` the root of the diagonal) and `k` over
//! the rows that entries of some size connect with row `i`, comes from the data alone: along a ray `|z|` grows until any
//! `w` is small beside the terms that cancel in it, and an answer that is too large by decades must excuse nothing. Where
//! `q = 0` there is no such limit.
//!
//! No `W_i` is less than `D_i = 1e-4 m_i min(T, max_k |q_k| / m_k)`, with `T = max |M_kj| |z_j| / m_k` the largest term in any row
//! `k` that is met (`|w_k|` at most a hundredth of its terms). A row whose terms are all smaller by decades than those of
//! the rows it is connected with is a sum that cancelled when the problem was posed: the tangential velocity of a rolling sphere
//! is `1e-17` of rounding beside a normal impulse of `1e-2`. Elimination is backward stable only in the norm of each row (Rigal and
//! Gaches), not entry by entry, and mixes such a row with those that are met, so that no solver can be asked for its sign.
//! At a tolerance of `1e-10` this excuses `1e-14` of the largest term, a few dozen roundings. Rows that share no unknown,
//! directly or through others, excuse nothing for each other.
//!
//! # What it says
//! Let the residual be `e`. Move every unknown whose first term is the lesser one to its bound: `z'`. Then
//! `|z'_j - z_j| <= e max(|z|, |bound|)`, and this changes `w_i` by at most `sum_j |M_ij| e U_j <= n e W_i`. Every row is then
//! complementary, but for at most `(n + 1) e W_i`. By the theorem of Oettli and Prager that is what changes of the data
//! by the fraction `(n + 1) e / (1 - n e)` of *each entry* of `M` and `q` make good: `z'` solves such a problem exactly. Zero
//! stays zero in it, a row in other units is the same row, and a small or zero diagonal plays no part. (Where `D_i` is the
//! larger, the constant `q_i` changes by up to `(n + 1) e D_i` instead.)
//!
//! For a P-matrix the distance to the solution `z*` follows from Chen and Xiang: in these units all entries of
//! `M' = W^-1 M U` are at most 1 in size, and `max_j |z_j - z*_j| / U_j <= e max ||(I - D + D M')^-1||`, over all diagonal `D` between
//! 0 and `I`. For other matrices the distance to a solution is bounded nowhere (there may be none beside an answer that solves a
//! problem next to this one).
//!
//! Of a nonlinear function the same is said of its linearization at `z`: `M = J(z)`, `q = F(z) - J(z) z`.
//!
//! # Rounding
//! No elimination leaves less than about `64 eps (|q_i| + sum_j |M_ij| |z_j|)` in every row; the largest of these beside its
//! `W_i`, over the rows that are met, is the *floor*. It exceeds `64 eps` only where `C_i` limits the terms, and is none at all beyond `2e-7`: impulses `1e9` times
//! larger than the data explain excuse nothing.
//!
//! # References
//! W. Oettli, W. Prager, *Compatibility of approximate solution of linear equations with given error bounds for coefficients
//! and right-hand sides*, Numerische Mathematik 6 (1964) 405-409; J. L. Rigal, J. Gaches, *On the compatibility of a given solution
//! with the data of a linear system*, Journal of the ACM 14 (1967) 543-548; X. Chen, S. Xiang, *Computation of error bounds for
//! P-matrix linear complementarity problems*, Mathematical Programming 106 (2006) 513-525.

mod components;
mod entries;

use std::cell::Cell;

use components::Components;
pub(crate) use entries::{Dense, Entries};

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::largest_abs;
use crate::problem::traits::Residual;

/// `C_i` is this multiple of what the constants say: loads that add up in a stack are no ray.
pub(crate) const REASONABLE: f64 = 16.0;

/// Entries no less than this part of their row's largest connect rows.
pub(crate) const CONNECTS: f64 = 1e-3;

/// Terms below this share of what the constants say are no smaller: elimination, whose error is that of the largest term of
/// the rows it combines, cannot tell them from zero.
const SHARE: f64 = 1e-4;

/// A row left with no more than this share of its terms is an equation that is met, more or less.
const CANCELS: f64 = 1e-2;

/// An equation left so little of its own terms is solved, whatever else is in the problem.
const NEGLIGIBLE: f64 = 1e-12;

/// The rounding floor is so many roundings of the terms.
const ROUNDINGS: f64 = 64.0;

/// A larger floor is none.
const LARGEST: f64 = 2e-7;

/// One column in so many is worth a pass of its own; above that all are measured in one pass.
const SPARSE: usize = 8;

/// `|value| / size`, zero for zero.
pub(crate) fn part(value: f64, size: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.abs() / size }
}

thread_local! {
    /// Memory of an assessment, between two of them: answers are assessed in loops, through `&self`.
    static WORKSPACE: Cell<Assessed> = Cell::default();
}

/// An answer under assessment.
#[derive(Default)]
pub(crate) struct Assessed {
    w: Vec<f64>,
    /// `|q_i|`.
    constant: Vec<f64>,
    /// `sum_j |M_ij| |z_j|`.
    terms: Vec<f64>,
    /// `W_i`.
    sizes: Vec<f64>,
    weights: Vec<f64>,
    components: Components,
    /// Whether the components are those of this answer.
    found: bool,
}

/// The natural map of one index, as far as it is known without `U_j`.
struct Index {
    /// Distances from the bounds, negative beyond them.
    below: f64,
    above: f64,
    /// `w / W`.
    value: f64,
    /// Upper limits of the unit of either distance.
    scales: [f64; 2],
}

impl Assessed {
    /// Begins with no rows.
    pub(crate) fn begin() -> Assessed {
        let mut assessed = WORKSPACE.take();
        for list in [&mut assessed.w, &mut assessed.constant, &mut assessed.terms] {
            list.clear();
        }
        assessed
    }

    /// The next row: `w_i`, `q_i` and `sum_j |M_ij| |z_j|`.
    pub(crate) fn push(&mut self, w: f64, q: f64, terms: f64) {
        self.w.push(w);
        self.constant.push(q.abs());
        self.terms.push(terms);
    }

    /// The residual of `z`, whose rows have all been given, and its rounding floor. Both are infinite if a number is not
    /// finite.
    pub(crate) fn finish(
        mut self,
        matrix: &impl Entries,
        z: &[f64],
        bounds: impl Fn(usize) -> [f64; 2],
    ) -> (Residual, f64) {
        // Most assessments need neither, and one that does must not allocate long after the first.
        let links = z.len() + matrix.links();
        reserve_to(&mut self.sizes, z.len());
        reserve_to(&mut self.weights, links);
        reserve_to(&mut self.components.parents, links);
        reserve_to(&mut self.components.largest, z.len());
        reserve_to(&mut self.components.spans, links);
        let finite = |list: &[f64]| list.iter().all(|value| value.is_finite());
        let verdict = if finite(z) && finite(&self.w) && finite(&self.terms) && finite(&self.constant) {
            let floor = self.measure_rows(matrix, z);
            (self.measure(matrix, z, bounds), floor)
        } else {
            (Residual::INFINITE, f64::INFINITY)
        };
        WORKSPACE.set(self);
        verdict
    }

    /// Writes the sizes `W_i` and returns the rounding floor.
    fn measure_rows(&mut self, matrix: &impl Entries, z: &[f64]) -> f64 {
        let limited = exceed(matrix, &self.constant, &self.terms);
        let least = self.least_terms(matrix, z);
        self.found = limited || least.is_some();
        if self.found {
            self.components.find(matrix, &self.constant);
        }
        let floor = ROUNDINGS * f64::EPSILON * self.write_sizes(matrix, limited, least);
        if self.terms.is_empty() || floor > LARGEST { 0.0 } else { floor }
    }

    /// Whether a row of this size is smaller by decades than `largest` times its entries, and not met.
    fn is_small(&self, matrix: &impl Entries, i: usize, size: f64, largest: f64) -> bool {
        self.w[i].abs() > NEGLIGIBLE * size && size < largest * matrix.row_size(i)
    }

    /// What the terms of the rows that are met say (`1e-4 T`), if there is a row whose own are smaller.
    fn least_terms(&mut self, matrix: &impl Entries, z: &[f64]) -> Option<f64> {
        let any_is_small = |this: &Self, largest: f64| {
            (0..this.w.len()).any(|i| this.is_small(matrix, i, this.constant[i] + this.terms[i], largest))
        };
        // First by a bound that costs no look at the columns.
        let limit = |(j, z): (usize, &f64)| z.abs() * matrix.column_limit(j);
        if !any_is_small(self, SHARE * z.iter().enumerate().map(limit).fold(0.0, f64::max)) {
            return None;
        }
        let Assessed { w, constant, terms, sizes, weights, .. } = self;
        let meets = |i: usize| w[i].abs() <= CANCELS * (constant[i] + terms[i]);
        sizes.clear();
        sizes.extend((0..z.len()).map(|i| if meets(i) { matrix.row_size(i) } else { f64::INFINITY }));
        matrix.weights(sizes, weights);
        let term = |(z, weight): (&f64, &f64)| z.abs() * weight;
        let largest = SHARE * z.iter().zip(&*weights).map(term).fold(0.0, f64::max);
        any_is_small(self, largest).then_some(largest)
    }

    /// Writes the sizes, limited by `C_i` and raised to `D_i` where these matter; returns by how much the largest terms of a
    /// row that is met exceed its size.
    fn write_sizes(&mut self, matrix: &impl Entries, limited: bool, least: Option<f64>) -> f64 {
        self.sizes.clear();
        let mut floor: f64 = 1.0;
        for i in 0..self.w.len() {
            let (constant, terms) = (self.constant[i], self.terms[i]);
            let reasonable = if limited && terms > REASONABLE * constant {
                terms.min(REASONABLE * self.components.largest(i) * matrix.row_size(i))
            } else {
                terms
            };
            let mut size = constant + reasonable;
            if let Some(largest) = least.filter(|largest| self.is_small(matrix, i, size, *largest)) {
                let explained = self.components.largest(i);
                let explained = if explained.is_finite() { SHARE * explained } else { 0.0 };
                size = size.max(explained.min(largest) * matrix.row_size(i));
            }
            self.sizes.push(size);
            if reasonable < terms && self.w[i].abs() <= CANCELS * (constant + terms) {
                floor = floor.max(part(constant + terms, size));
            }
        }
        floor
    }

    fn index(&self, i: usize, z: f64, span: f64, [lower, upper]: [f64; 2]) -> Index {
        let value = part(self.w[i], self.sizes[i]).copysign(self.w[i]);
        let scale = |bound: f64| if bound.is_finite() { span.max(bound.abs()) } else { f64::INFINITY };
        Index { below: z - lower, above: upper - z, value, scales: [scale(lower), scale(upper)] }
    }

    /// Finds what is connected, and the largest `|z|` in each such set.
    fn find_spans(&mut self, matrix: &impl Entries, z: &[f64]) {
        if !self.found {
            self.components.find(matrix, &self.constant);
            self.found = true;
        }
        self.components.find_spans(matrix, z);
    }

    fn measure(&mut self, matrix: &impl Entries, z: &[f64], bounds: impl Fn(usize) -> [f64; 2]) -> Residual {
        let span = largest_abs(z);
        let (mut all, mut apart) = (false, false);
        let mut worst = Residual::default();
        for (i, z) in z.iter().enumerate() {
            self.index(i, *z, span, bounds(i)).add_known(&mut worst);
        }
        // Only columns that can raise the largest component are measured.
        let undecided = |index: &Index, worst: &Residual| index.most() > worst.natural_map;
        let mut measured = 0;
        for (i, &own) in z.iter().enumerate() {
            let index = self.index(i, own, span, bounds(i));
            if undecided(&index, &worst) {
                let few = measured < self.sizes.len() / SPARSE;
                let one = if few { matrix.weight(i, &self.sizes) } else { None };
                let weight = one.unwrap_or_else(|| {
                    if !all {
                        matrix.weights(&self.sizes, &mut self.weights);
                        all = true;
                    }
                    self.weights[i]
                });
                measured += 1;
                if index.rests_on_span(weight) {
                    if !apart {
                        self.find_spans(matrix, z);
                        apart = true;
                    }
                    let span = self.components.span(matrix.unknown(i));
                    self.index(i, own, span, bounds(i)).add(weight, &mut worst);
                } else {
                    index.add(weight, &mut worst);
                }
            }
        }
        worst
    }
}

impl Index {
    /// Whether the unit of a distance is that of the span: the column is so small that it does not matter to any row.
    fn rests_on_span(&self, weight: f64) -> bool {
        self.scales.iter().any(|scale| weight * scale < 1.0)
    }

    /// The natural map with the distances in units of `1 / weight` or `scales`, whichever is less.
    fn natural_map(&self, weight: f64) -> f64 {
        let [below, above] = self.distances(weight);
        below.min(self.value.max(-above))
    }

    fn distances(&self, weight: f64) -> [f64; 2] {
        let measure = |distance: f64, scale: f64| {
            if distance == 0.0 || distance == f64::INFINITY {
                return distance;
            }
            distance * weight.max(1.0 / scale)
        };
        [measure(self.below, self.scales[0]), measure(self.above, self.scales[1])]
    }

    /// No unit makes the natural map larger.
    fn most(&self) -> f64 {
        if self.below < 0.0 || self.above < 0.0 {
            f64::INFINITY
        } else if if self.value > 0.0 { self.below == 0.0 } else { self.above == 0.0 } {
            0.0
        } else {
            self.value.abs()
        }
    }

    /// Adds what is certain without the column: units are at most `scales`.
    fn add_known(&self, worst: &mut Residual) {
        worst.natural_map = worst.natural_map.max(self.natural_map(0.0).abs());
        let [below, above] = self.distances(0.0);
        let pushed = if self.value > 0.0 { below } else { above };
        if pushed.is_finite() {
            worst.complementarity = worst.complementarity.max((pushed * self.value).abs());
        } else {
            worst.dual = worst.dual.max(self.value.abs());
        }
        worst.primal = worst.primal.max(-below).max(-above);
    }

    /// Adds what the column says.
    fn add(&self, weight: f64, worst: &mut Residual) {
        worst.natural_map = worst.natural_map.max(self.natural_map(weight).abs());
        let [below, above] = self.distances(weight);
        worst.primal = worst.primal.max(-below).max(-above);
    }
}

/// Whether the terms of a row exceed what the largest constant alone explains: mostly no, and then nothing limits them.
fn exceed(matrix: &impl Entries, constant: &[f64], terms: &[f64]) -> bool {
    let largest = (0..constant.len()).max_by(|a, b| constant[*a].total_cmp(&constant[*b]));
    let Some(largest) = largest.filter(|k| constant[*k] > 0.0) else { return false };
    let unit = REASONABLE * part(constant[largest], matrix.row_size(largest));
    let unit = if unit.is_finite() { unit } else { 0.0 };
    (0..terms.len()).any(|i| terms[i] > REASONABLE * constant[i] && terms[i] > unit * matrix.row_size(i))
}
