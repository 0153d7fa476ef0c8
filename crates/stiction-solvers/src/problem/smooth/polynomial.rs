//! Polynomial functions: the nonlinear problems that a file can hold.
//!
//! `F_i(z) = sum_t c_t z_0^(k_t0) z_1^(k_t1) ...` with whole exponents. Many of the literature's small complementarity
//! problems are of this form, Kojima and Shindo's among them.
//!
//! # References
//! S. P. Dirkse, M. C. Ferris, *MCPLIB: a collection of nonlinear mixed complementarity problems*, Optimization
//! Methods and Software 5 (1995) 319-345.

use serde::{Deserialize, Serialize};

use crate::problem::error::SolverError;
use crate::problem::smooth::mcp::Smooth;

/// One term: the coefficient and the exponent of every unknown.
pub type Term = (f64, Vec<u32>);

/// A function of `n` unknowns whose `n` values are polynomials.
///
/// Serialized as the list of its values, each a list of terms: `[[[3, [2, 0]], [-6, [0, 0]]], ...]` begins with
/// `3 z_0^2 - 6`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<Term>>", into = "Vec<Vec<Term>>")]
pub struct Polynomial {
    values: Vec<Vec<Term>>,
}

impl Polynomial {
    /// Largest exponent: beyond it a double precision polynomial says nothing.
    pub const LARGEST_EXPONENT: u32 = 64;

    /// The function with these values; every term has as many exponents as there are values.
    ///
    /// # Errors
    /// [`SolverError::Length`] for a term with another number of exponents, [`SolverError::NotFiniteVector`] (with
    /// the number of the value) for a coefficient, [`SolverError::Setting`] for an exponent above
    /// [`Polynomial::LARGEST_EXPONENT`].
    pub fn new(values: Vec<Vec<Term>>) -> Result<Polynomial, SolverError> {
        let needed = values.len();
        for (row, terms) in values.iter().enumerate() {
            for (coefficient, exponents) in terms {
                if exponents.len() != needed {
                    return Err(SolverError::Length { what: "exponents", given: exponents.len(), needed });
                }
                if !coefficient.is_finite() {
                    return Err(SolverError::NotFiniteVector { row, value: *coefficient });
                }
                if let Some(&exponent) = exponents.iter().find(|&&k| k > Self::LARGEST_EXPONENT) {
                    return Err(SolverError::Setting {
                        name: "exponent",
                        value: f64::from(exponent),
                        requirement: "a whole number from 0 to 64",
                    });
                }
            }
        }
        Ok(Polynomial { values })
    }

    /// The values, each a list of terms.
    pub fn values(&self) -> &[Vec<Term>] {
        &self.values
    }
}

impl TryFrom<Vec<Vec<Term>>> for Polynomial {
    type Error = SolverError;

    fn try_from(values: Vec<Vec<Term>>) -> Result<Polynomial, SolverError> {
        Polynomial::new(values)
    }
}

impl From<Polynomial> for Vec<Vec<Term>> {
    fn from(polynomial: Polynomial) -> Self {
        polynomial.values
    }
}

impl Smooth for Polynomial {
    fn dim(&self) -> usize {
        self.values.len()
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        for (f, terms) in f.iter_mut().zip(&self.values) {
            *f = terms.iter().map(|(c, exponents)| c * product(z, exponents, None)).sum();
        }
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        jacobian.fill(0.0);
        for (row, terms) in jacobian.chunks_exact_mut(z.len().max(1)).zip(&self.values) {
            for (c, exponents) in terms {
                for (j, &k) in exponents.iter().enumerate().filter(|(_, k)| **k > 0) {
                    row[j] += c * f64::from(k) * product(z, exponents, Some(j));
                }
            }
        }
    }
}

/// `prod_j z_j^(k_j)`, with the exponent of `lowered` less by one.
fn product(z: &[f64], exponents: &[u32], lowered: Option<usize>) -> f64 {
    let factors = z.iter().zip(exponents).enumerate().filter(|(_, (_, k))| **k > 0);
    factors.map(|(j, (z, k))| power(*z, if lowered == Some(j) { k - 1 } else { *k })).product()
}

/// `x^k` by repeated multiplication, which gives the same bits everywhere (`f64::powi` need not).
fn power(x: f64, k: u32) -> f64 {
    (0..k).fold(1.0, |value, _| value * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jacobian_is_the_derivative_of_the_value() {
        // (3 x^2 y - 2, x + y^3).
        let f = Polynomial::new(vec![
            vec![(3.0, vec![2, 1]), (-2.0, vec![0, 0])],
            vec![(1.0, vec![1, 0]), (1.0, vec![0, 3])],
        ])
        .unwrap();
        let (mut value, mut jacobian) = ([0.0; 2], [0.0; 4]);
        f.value(&[2.0, 3.0], &mut value);
        f.jacobian(&[2.0, 3.0], &mut jacobian);
        assert_eq!(value, [34.0, 29.0]);
        assert_eq!(jacobian, [36.0, 12.0, 1.0, 27.0]);
        // At zero nothing is divided by zero.
        f.jacobian(&[0.0, 0.0], &mut jacobian);
        assert_eq!(jacobian, [0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn terms_of_the_wrong_length_and_huge_exponents_are_refused() {
        assert!(Polynomial::new(vec![vec![(1.0, vec![1, 0])]]).is_err());
        assert!(Polynomial::new(vec![vec![(f64::NAN, vec![1])]]).is_err());
        assert!(Polynomial::new(vec![vec![(1.0, vec![1_000_000])]]).is_err());
    }
}
