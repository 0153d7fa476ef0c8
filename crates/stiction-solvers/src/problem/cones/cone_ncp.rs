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
//! Its residual is in [`assess`](super::assess).
//!
//! # References
//! G. De Saxce, Z.-Q. Feng, *The bipotential method*, 1998; V. Acary, F. Cadoux, C. Lemarechal, J. Malick, *A
//! formulation of the linear discrete Coulomb friction problem via convex optimization*, ZAMM 91 (2011) 155-175.

use serde::{Deserialize, Serialize};

use crate::problem::cones::assess::ConeScratch;
use crate::problem::cones::cone::Cone;
use crate::problem::cones::delassus::Delassus;
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
    pub(super) law: FrictionLaw,
    pub(super) cones: Vec<Cone>,
    /// First row of each block, and the number of rows.
    #[serde(skip)]
    pub(super) starts: Vec<usize>,
    pub(super) delassus: Delassus,
    pub(super) q: Vec<f64>,
    pub(super) compliance: Vec<f64>,
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
}

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
    use crate::problem::cones::delassus::{BlockRows, BlockSparse, Piece};

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
