//! Weighted sums of joint coordinates, which are what couplings and tendons are about: `length = sum c_i q_i`.

use super::{Link, Model};
use serde::{Deserialize, Serialize};

/// The coordinate of a hinge or slide with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The link whose joint it is.
    pub link: usize,
    /// Place of the coordinate in `q`.
    pub q: usize,
    /// Place of its rate in `v`.
    pub dof: usize,
    /// Weight.
    pub coefficient: f64,
}

/// A weighted sum of the coordinates of hinges and slides. One without terms is zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Combination {
    /// The terms, in the order of the joints' names, each joint once.
    pub terms: Vec<Term>,
    /// Value at [`Model::q0`].
    pub reference: f64,
}

impl Combination {
    /// The sum of `(link, coefficient)`, all of them hinges or slides; terms of one joint are added up, zeros left out.
    pub(super) fn new(model: &Model, mut weights: Vec<(usize, f64)>) -> Self {
        weights.sort_by(|a, b| model.links[a.0].name.cmp(&model.links[b.0].name));
        let mut terms: Vec<Term> = Vec::with_capacity(weights.len());
        for (link, coefficient) in weights {
            match terms.last_mut().filter(|last| last.link == link) {
                Some(last) => last.coefficient += coefficient,
                None => {
                    let &Link { q, v, .. } = &model.links[link];
                    terms.push(Term { link, q, dof: v, coefficient });
                }
            }
        }
        terms.retain(|term| term.coefficient != 0.0);
        let mut combination = Self { terms, reference: 0.0 };
        combination.reference = combination.value(&model.q0);
        combination
    }

    /// Value at a configuration.
    pub fn value(&self, q: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.coefficient * q[term.q]).sum()
    }

    /// Difference of the value to that at [`Model::q0`].
    pub fn offset(&self, q: &[f64]) -> f64 {
        self.value(q) - self.reference
    }

    /// Rate at a velocity, or the sum over any vector with an entry per generalized velocity.
    pub fn rate(&self, v: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.coefficient * v[term.dof]).sum()
    }
}
