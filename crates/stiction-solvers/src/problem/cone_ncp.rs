//! The cone complementarity problem of contact: impulses in friction cones against the velocities they cause.
//!
//! `u = W r + q`, and for every block the law of its [`Cone`]; for a Coulomb block, in the order (normal, tangents),
//! with `u^ = u + mu |u_t| e_n` (De Saxce's correction),
//!
//! `|r_t| <= mu r_n`,  `mu |u^_t| <= u^_n`,  `r . u^ = 0`:
//!
//! an open contact carries nothing, a sticking one has `u = 0`, a sliding one has friction `mu r_n` against the sliding
//! velocity. Under the *associated* law the correction is left out: the problem is then convex, and sliding opens the
//! contact with the speed `mu |u_t|` (Anitescu).
//!
//! The constant `q` is the free velocity plus the bias `a_n` in normal rows; a diagonal compliance `c >= 0` adds `c r` to
//! `u`.
//!
//! # Certificate
//! With `s = 1 / mean |diag W|` and `a = max |q|` (1 where they vanish) the answer is `x = r / (a s)`, `y = u / a`, and
//! the residual `|| x - P_K(x - (y + mu |y_t| e_n)) ||_2`.
//!
//! # References
//! G. De Saxce, Z.-Q. Feng, *The bipotential method*, 1998; V. Acary, F. Cadoux, C. Lemarechal, J. Malick, *A
//! formulation of the linear discrete Coulomb friction problem via convex optimization*, ZAMM 91 (2011) 155-175.

use serde::{Deserialize, Serialize};

use crate::problem::cone::{Cone, tangent_norm};
use crate::problem::delassus::Delassus;
use crate::problem::error::SolverError;
use crate::problem::traits::{Problem, Residual, Solution};

/// The friction law of Coulomb blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrictionLaw {
    /// Coulomb's: friction in the plane of contact, whatever the sliding speed.
    #[default]
    Coulomb,
    /// The convex relaxation: a sliding contact opens with the speed `mu |u_t|`.
    Associated,
}

/// Find the impulses `r` (the solution's `z`) and velocities `u` (its `w`); see the [module](self).
///
/// ```
/// use stiction_solvers::{Chain, ChainSettings, Cone, ConeNcp, Delassus, Solution, Solver, Start, Status};
/// // A unit mass falls on the ground at 1 and slides at 3, with friction 0.5: it stops falling and slows down by 0.5.
/// let w = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let cones = vec![Cone::Coulomb { dim: 3, mu: 0.5 }];
/// let problem = ConeNcp::new(cones, Delassus::Dense(w), vec![-1.0, 3.0, 0.0])?;
/// let mut solver = Chain::new(ChainSettings::default())?;
/// let mut x = Solution::default();
/// assert_eq!(solver.solve(&problem, Start::Cold, &mut x).status, Status::Solved);
/// assert!((x.z[0] - 1.0).abs() < 1e-9 && (x.z[1] + 0.5).abs() < 1e-9 && (x.w[1] - 2.5).abs() < 1e-9);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct ConeNcp {
    law: FrictionLaw,
    cones: Vec<Cone>,
    /// First row of each block, and the number of rows.
    #[serde(skip)]
    starts: Vec<usize>,
    delassus: Delassus,
    q: Vec<f64>,
    compliance: Vec<f64>,
}

/// What a file says, before it is believed.
#[derive(Deserialize)]
struct Unchecked {
    #[serde(default)]
    law: FrictionLaw,
    cones: Vec<Cone>,
    delassus: Delassus,
    q: Vec<f64>,
    #[serde(default)]
    compliance: Vec<f64>,
}

impl TryFrom<Unchecked> for ConeNcp {
    type Error = SolverError;

    fn try_from(data: Unchecked) -> Result<ConeNcp, SolverError> {
        let mut problem = ConeNcp::new(data.cones, data.delassus, data.q)?.with_law(data.law);
        if !data.compliance.is_empty() {
            problem = problem.with_compliance(data.compliance)?;
        }
        Ok(problem)
    }
}

/// The data of a [`ConeNcp`] for writing; see [`ConeNcp::refill`].
#[derive(Debug)]
pub struct ConeData<'a> {
    /// The blocks.
    pub cones: &'a mut Vec<Cone>,
    /// The Delassus operator.
    pub delassus: &'a mut Delassus,
    /// Free velocity plus bias, one entry per row.
    pub q: &'a mut Vec<f64>,
    /// Compliance, one entry per row.
    pub compliance: &'a mut Vec<f64>,
}

impl Default for ConeNcp {
    /// The problem of no rows, to be refilled.
    fn default() -> ConeNcp {
        let delassus = Delassus::Dense(Vec::new());
        let (law, starts) = (FrictionLaw::Coulomb, vec![0]);
        ConeNcp { law, cones: Vec::new(), starts, delassus, q: Vec::new(), compliance: Vec::new() }
    }
}

/// Memory for [`ConeNcp::assess`], to reuse.
#[derive(Clone, Debug, Default)]
pub struct ConeScratch {
    size: Vec<f64>,
    product: Vec<f64>,
}

/// How far an answer is from the laws of contact, in the problem's own units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConeCertificate {
    /// Worst approach speed of a nonnegative or normal row (m/s): `max(0, -u_n)`.
    pub approach: f64,
    /// Worst negative impulse of such a row (N s).
    pub pull: f64,
    /// Worst product of such a row's impulse and velocity (J).
    pub complementarity: f64,
    /// Worst excess of a tangential impulse over `mu r_n`, or of an interval row over its bounds (N s).
    pub cone_violation: f64,
    /// Worst lack of dissipation of a Coulomb block (J): `mu r_n |u_t| + r_t . u_t`, zero when friction opposes sliding
    /// with all it has.
    pub dissipation: f64,
    /// Worst velocity of a free row (m/s).
    pub bilateral: f64,
}

impl ConeNcp {
    /// The problem with these blocks under Coulomb's law, without compliance.
    ///
    /// # Errors
    /// A block with numbers out of range, an operator that does not fit the blocks, `q` of the wrong length, an entry
    /// that is not finite.
    pub fn new(cones: Vec<Cone>, delassus: Delassus, q: Vec<f64>) -> Result<ConeNcp, SolverError> {
        let compliance = vec![0.0; q.len()];
        let mut problem =
            ConeNcp { law: FrictionLaw::Coulomb, cones, starts: Vec::new(), delassus, q, compliance };
        problem.check()?;
        Ok(problem)
    }

    /// Replaces all data but the law, keeping the memory: `fill` writes them over the old ones. What it does not write
    /// stays.
    ///
    /// # Errors
    /// As for [`ConeNcp::new`] and [`ConeNcp::with_compliance`]. The problem is then that of no rows.
    pub fn refill(&mut self, fill: impl FnOnce(ConeData)) -> Result<(), SolverError> {
        let ConeNcp { cones, delassus, q, compliance, .. } = self;
        fill(ConeData { cones, delassus, q, compliance });
        let outcome = self.check();
        if outcome.is_err() {
            *self = ConeNcp { law: self.law, ..ConeNcp::default() };
        }
        outcome
    }

    /// Finds where the blocks start and checks everything.
    fn check(&mut self) -> Result<(), SolverError> {
        find_starts(&self.cones, &mut self.starts)?;
        self.delassus.validate(&self.starts)?;
        let n = self.starts.last().copied().unwrap_or(0);
        if self.q.len() != n {
            return Err(SolverError::Length { what: "q", given: self.q.len(), needed: n });
        }
        if let Some(row) = self.q.iter().position(|v| !v.is_finite()) {
            return Err(SolverError::NotFiniteVector { row, value: self.q[row] });
        }
        if self.compliance.len() != n {
            let (given, needed) = (self.compliance.len(), n);
            return Err(SolverError::Length { what: "compliance", given, needed });
        }
        if let Some(&value) = self.compliance.iter().find(|c| !(c.is_finite() && **c >= 0.0)) {
            let requirement = "a finite number of at least 0";
            return Err(SolverError::Setting { name: "compliance", value, requirement });
        }
        Ok(())
    }

    /// The problem of `n / dim` contacts with a dense matrix, the usual form of published problems.
    ///
    /// # Errors
    /// As for [`ConeNcp::new`].
    pub fn contacts(dim: usize, matrix: Vec<f64>, q: Vec<f64>, mu: &[f64]) -> Result<ConeNcp, SolverError> {
        let cones = mu.iter().map(|&mu| Cone::Coulomb { dim, mu }).collect();
        ConeNcp::new(cones, Delassus::Dense(matrix), q)
    }

    /// The same problem under another friction law.
    pub fn with_law(mut self, law: FrictionLaw) -> ConeNcp {
        self.law = law;
        self
    }

    /// The same problem with a diagonal compliance, one entry of at least zero per row.
    ///
    /// # Errors
    /// [`SolverError::Length`] or [`SolverError::Setting`].
    pub fn with_compliance(mut self, compliance: Vec<f64>) -> Result<ConeNcp, SolverError> {
        self.compliance = compliance;
        self.check()?;
        Ok(self)
    }

    /// The friction law.
    pub fn law(&self) -> FrictionLaw {
        self.law
    }

    /// The blocks.
    pub fn cones(&self) -> &[Cone] {
        &self.cones
    }

    /// First row of each block, and the number of rows at the end.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The Delassus operator, without compliance.
    pub fn delassus(&self) -> &Delassus {
        &self.delassus
    }

    /// The operator for writing values, say of the next time step; its structure must stay. Solvers report values that
    /// are not finite as a numerical failure.
    pub fn delassus_mut(&mut self) -> &mut Delassus {
        &mut self.delassus
    }

    /// Free velocity plus bias, one entry per row.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// The same for writing; see [`ConeNcp::delassus_mut`].
    pub fn q_mut(&mut self) -> &mut [f64] {
        &mut self.q
    }

    /// Compliance per row.
    pub fn compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// `(1 / a, 1 / (a s))`: the factors from velocities to `y` and from impulses to `x`. `diagonal` is scratch.
    pub fn scales(&self, diagonal: &mut [f64]) -> (f64, f64) {
        let n = self.q.len();
        let largest = self.q.iter().fold(0.0, |worst: f64, q| worst.max(q.abs()));
        let a = if largest > RESTING { largest } else { 1.0 };
        self.delassus.diagonal(diagonal);
        let sum: f64 = diagonal.iter().zip(&self.compliance).map(|(d, c)| (d + c).abs()).sum();
        let mean = if n > 0 && sum > 0.0 { sum / n as f64 } else { 1.0 };
        (1.0 / a, mean / a)
    }

    /// Writes `u = (W + diag c) r + q` and returns the residual of `r` and its rounding floor.
    ///
    /// The natural map is in the 2-norm over all rows, the other measures the worst of any row. Wrong lengths, and NaN
    /// anywhere, give infinite numbers.
    pub fn assess(&self, r: &[f64], u: &mut [f64], scratch: &mut ConeScratch) -> (Residual, f64) {
        let n = self.q.len();
        if r.len() != n || u.len() != n || !self.delassus.is_finite() {
            return (Residual::INFINITE, f64::INFINITY);
        }
        let ConeScratch { size, product } = scratch;
        size.clear();
        size.resize(n, 0.0);
        let (w_unit, z_unit) = self.scales(size);
        self.delassus.multiply(r, u, size, product);
        let mut worst = Residual::default();
        let (mut square, mut rounding) = (0.0, 0.0);
        for (cone, rows) in self.cones.iter().zip(self.starts.windows(2)) {
            let rows = rows[0]..rows[1];
            let amplified = self.amplification(cone);
            for i in rows.clone() {
                u[i] += self.compliance[i] * r[i] + self.q[i];
                let magnitude = (size[i] + self.compliance[i] * r[i].abs() + self.q[i].abs()) * w_unit;
                let own = magnitude * if i > rows.start { amplified } else { 1.0 } + (r[i] * z_unit).abs();
                rounding += own * own;
            }
            square += self.assess_block(cone, &r[rows.clone()], &u[rows], [w_unit, z_unit], &mut worst);
        }
        worst.natural_map = square.sqrt();
        let total = worst.natural_map + worst.primal + worst.dual + worst.complementarity + rounding;
        if total.is_finite() {
            (worst, FLOOR * f64::EPSILON * rounding.sqrt())
        } else {
            (Residual::INFINITE, f64::INFINITY)
        }
    }

    /// What the rounding of a contact's tangential velocity is multiplied by in the natural map: De Saxce's correction adds
    /// `mu |u_t|` to the normal velocity.
    fn amplification(&self, cone: &Cone) -> f64 {
        match (cone, self.law) {
            (Cone::Coulomb { mu, .. }, FrictionLaw::Coulomb) => mu.max(1.0),
            _ => 1.0,
        }
    }

    /// Square of a block's part of the natural map; collects the other measures.
    fn assess_block(
        &self,
        cone: &Cone,
        r: &[f64],
        u: &[f64],
        [w_unit, z_unit]: [f64; 2],
        worst: &mut Residual,
    ) -> f64 {
        let sliding = match (cone, self.law) {
            (Cone::Coulomb { mu, .. }, FrictionLaw::Coulomb) => mu * tangent_norm(u) * w_unit,
            _ => 0.0,
        };
        let mut square = 0.0;
        // Blocks of Free and Nonnegative rows have any length; their rows are evaluated one by one.
        let width = if cone.is_contact() { r.len() } else { 1 };
        for (r, u) in r.chunks_exact(width).zip(u.chunks_exact(width)) {
            let (mut x, mut y, mut p, mut feasible) = ([0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]);
            for k in 0..width {
                x[k] = r[k] * z_unit;
                y[k] = u[k] * w_unit;
            }
            y[0] += sliding;
            for k in 0..width {
                p[k] = x[k] - y[k];
                feasible[k] = x[k];
            }
            cone.project(&mut p[..width], z_unit);
            cone.project(&mut feasible[..width], z_unit);
            let distance =
                |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>();
            square += distance(&x, &p);
            worst.primal = worst.primal.max(distance(&x, &feasible).sqrt());
            let (dual, product) = match *cone {
                Cone::Free { .. } => (y[0].abs(), 0.0),
                Cone::Nonnegative { .. } => (-y[0], (x[0] * y[0]).abs()),
                Cone::Interval { lower, upper } => {
                    let bound = if y[0] > 0.0 { lower } else { upper };
                    if bound.is_finite() {
                        (0.0, ((x[0] - bound * z_unit) * y[0]).abs())
                    } else {
                        (y[0].abs(), 0.0)
                    }
                }
                Cone::Coulomb { mu, .. } => {
                    let product = (0..width).map(|k| x[k] * y[k]).sum::<f64>();
                    (mu * tangent_norm(&y[..width]) - y[0], product.abs())
                }
                Cone::NoSlip { .. } => {
                    (-y[0], (x[0] * y[0]).abs().max(x[0].max(0.0) * tangent_norm(&y[..width])))
                }
            };
            worst.dual = worst.dual.max(dual);
            worst.complementarity = worst.complementarity.max(product);
        }
        square
    }

    /// Measures an answer in the problem's own units; `u` must be what [`ConeNcp::assess`] wrote for `r`.
    pub fn certificate(&self, r: &[f64], u: &[f64]) -> ConeCertificate {
        let mut c = ConeCertificate::default();
        let signorini = |c: &mut ConeCertificate, r: f64, u: f64| {
            c.approach = c.approach.max(-u);
            c.pull = c.pull.max(-r);
            c.complementarity = c.complementarity.max((r * u).abs());
        };
        for (cone, rows) in self.cones.iter().zip(self.starts.windows(2)) {
            let (r, u) = (&r[rows[0]..rows[1]], &u[rows[0]..rows[1]]);
            match *cone {
                Cone::Free { .. } => c.bilateral = u.iter().fold(c.bilateral, |worst, u| worst.max(u.abs())),
                Cone::Nonnegative { .. } => r.iter().zip(u).for_each(|(r, u)| signorini(&mut c, *r, *u)),
                Cone::Interval { lower, upper } => {
                    c.cone_violation = c.cone_violation.max(lower - r[0]).max(r[0] - upper);
                }
                Cone::Coulomb { mu, .. } => {
                    signorini(&mut c, r[0], u[0]);
                    c.cone_violation = c.cone_violation.max(tangent_norm(r) - mu * r[0]);
                    let power: f64 = r[1..].iter().zip(&u[1..]).map(|(r, u)| r * u).sum();
                    c.dissipation = c.dissipation.max((mu * r[0] * tangent_norm(u) + power).abs());
                }
                Cone::NoSlip { .. } => {
                    signorini(&mut c, r[0], u[0]);
                    c.complementarity = c.complementarity.max(r[0].max(0.0) * tangent_norm(u));
                    if r[0] <= 0.0 {
                        c.cone_violation = c.cone_violation.max(tangent_norm(r));
                    }
                }
            }
        }
        c
    }
}

/// A largest velocity below this is none: dividing by it would overflow, and squares vanish.
pub(crate) const RESTING: f64 = 1e-150;

/// The rounding floor is this many times `eps || |W||x| + |x| + |q| ||`: a few roundings per product.
pub(crate) const FLOOR: f64 = 4.0;

/// Writes the first row of each block and the number of rows; checks the blocks.
fn find_starts(cones: &[Cone], starts: &mut Vec<usize>) -> Result<(), SolverError> {
    starts.clear();
    let mut end = 0_usize;
    starts.push(end);
    for (i, cone) in cones.iter().enumerate() {
        cone.validate(i)?;
        let next = end.checked_add(cone.dim());
        end = next.ok_or(SolverError::Structure { what: "too many rows" })?;
        starts.push(end);
    }
    Ok(())
}

/// [`ConeNcp::assess`] does the same without allocating.
impl Problem for ConeNcp {
    fn dim(&self) -> usize {
        self.q.len()
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        let mut size = vec![0.0; w.len()];
        self.delassus.multiply(z, w, &mut size, &mut Vec::new());
        for i in 0..w.len() {
            w[i] += self.compliance[i] * z[i] + self.q[i];
        }
    }

    fn project(&self, z: &mut [f64]) {
        for (cone, rows) in self.cones.iter().zip(self.starts.windows(2)) {
            cone.project(&mut z[rows[0]..rows[1]], 1.0);
        }
    }

    fn residual(&self, x: &Solution) -> Residual {
        self.assess(&x.z, &mut vec![0.0; self.q.len()], &mut ConeScratch::default()).0
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        self.assess(&x.z, &mut vec![0.0; self.q.len()], &mut ConeScratch::default()).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::delassus::{BlockRows, BlockSparse, Piece};

    /// Case b of jiminy issue 456, to eight digits: one sliding contact.
    fn sliding() -> (ConeNcp, Solution) {
        let w = vec![2.0, 0.3, 0.4, 0.3, 1.5, -0.2, 0.4, -0.2, 1.0];
        let problem = ConeNcp::contacts(3, w, vec![-1.0, 2.0, -0.7], &[0.3]).unwrap();
        (problem, Solution { z: vec![0.5159012088, -0.1510402933, 0.0337741758], w: vec![] })
    }

    #[test]
    fn a_known_sliding_contact_has_no_residual_and_a_wrong_one_has() {
        let (problem, mut x) = sliding();
        assert!(problem.residual(&x).natural_map < 1e-9);
        let mut u = vec![0.0; 3];
        problem.eval(&x.z, &mut u);
        let certificate = problem.certificate(&x.z, &u);
        assert!(certificate.approach < 1e-9 && certificate.dissipation < 1e-9 && certificate.pull == 0.0);
        x.z[1] = -x.z[1];
        assert!(problem.residual(&x).natural_map > 0.1);
        // The convex law would let the contact open.
        let convex = problem.with_law(FrictionLaw::Associated);
        x.z[1] = -x.z[1];
        assert!(convex.residual(&x).natural_map > 0.1);
    }

    #[test]
    fn every_kind_of_block_is_judged_by_its_own_law() {
        let cones = vec![
            Cone::Free { dim: 1 },
            Cone::Nonnegative { dim: 2 },
            Cone::Interval { lower: -1.0, upper: 1.0 },
            Cone::Coulomb { dim: 2, mu: 0.5 },
        ];
        let mut w = vec![0.0; 36];
        (0..6).for_each(|i| w[7 * i] = 1.0);
        // Held; closed; open; dragged at the upper bound; sliding in -t.
        let q = vec![-3.0, -2.0, 1.0, -4.0, -2.0, -9.0];
        let problem = ConeNcp::new(cones, Delassus::Dense(w), q).unwrap();
        let exact = Solution { z: vec![3.0, 2.0, 0.0, 1.0, 2.0, 1.0], w: vec![] };
        assert!(problem.residual(&exact).natural_map < 1e-15, "{:?}", problem.residual(&exact));
        for i in 0..6 {
            let mut off = exact.clone();
            off.z[i] -= 0.5;
            assert!(problem.residual(&off).natural_map > 0.01, "row {i}");
        }
    }

    #[test]
    fn sparse_and_factored_operators_are_the_dense_one() {
        // Two contacts on one body of two velocities, in the plane; Y rows (1 0), (0 2), (1 1), (0 1).
        let cones = vec![Cone::Coulomb { dim: 2, mu: 0.4 }; 2];
        let starts = vec![0, 2, 4];
        let factored = Delassus::Factored(BlockRows {
            columns: 2,
            starts: starts.clone(),
            piece_ptr: vec![0, 1, 3],
            pieces: vec![
                Piece { column: 0, width: 2, offset: 0 },
                Piece { column: 0, width: 1, offset: 4 },
                Piece { column: 1, width: 1, offset: 6 },
            ],
            values: vec![1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 1.0, 1.0],
        });
        let dense = factored.to_dense(4);
        let expected = [1.0, 0.0, 1.0, 0.0, 0.0, 4.0, 2.0, 2.0, 1.0, 2.0, 2.0, 1.0, 0.0, 2.0, 1.0, 1.0];
        assert_eq!(dense, expected);
        let block = |i: usize, j: usize| [0, 1, 4, 5].map(|k| dense[(2 * i + k / 4) * 4 + 2 * j + k % 4]);
        let sparse = Delassus::Sparse(BlockSparse {
            starts,
            row_ptr: vec![0, 2, 4],
            columns: vec![0, 1, 0, 1],
            value_ptr: vec![0, 4, 8, 12, 16],
            values: [block(0, 0), block(0, 1), block(1, 0), block(1, 1)].concat(),
        });
        assert_eq!(sparse.to_dense(4), dense);
        let x = Solution { z: vec![0.3, -0.1, 0.2, 0.05], w: vec![] };
        let q = vec![-1.0, 0.5, -0.2, 0.1];
        let residual = |w: Delassus| {
            let problem = ConeNcp::new(cones.clone(), w, q.clone()).unwrap();
            (problem.residual(&x), problem.residual_floor(&x))
        };
        let reference = residual(Delassus::Dense(dense));
        for other in [residual(sparse), residual(factored)] {
            assert!((other.0.natural_map - reference.0.natural_map).abs() < 1e-15);
            assert!(other.1 < 2.0 * reference.1 + 1e-15);
        }
    }

    #[test]
    fn a_structure_that_does_not_fit_is_refused() {
        let cones = vec![Cone::Coulomb { dim: 3, mu: 0.4 }];
        let new = |w: Delassus, q: Vec<f64>| ConeNcp::new(cones.clone(), w, q);
        assert!(new(Delassus::Dense(vec![0.0; 4]), vec![0.0; 3]).is_err());
        assert!(new(Delassus::Dense(vec![0.0; 9]), vec![0.0; 2]).is_err());
        assert!(new(Delassus::Dense(vec![f64::NAN; 9]), vec![0.0; 3]).is_err());
        let sparse = BlockSparse {
            starts: vec![0, 3],
            row_ptr: vec![0, 1],
            columns: vec![1],
            value_ptr: vec![0, 9],
            values: vec![0.0; 9],
        };
        assert!(new(Delassus::Sparse(sparse), vec![0.0; 3]).unwrap_err().to_string().contains("range"));
    }
}
