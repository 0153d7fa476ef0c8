//! Weighted sums of joint coordinates, which are what couplings and tendons are about: `length = sum c_i q_i`.

use super::{LinkId, LoopJointId, Model, Transmission};
use serde::{Deserialize, Serialize};

/// The coordinate of a hinge or slide with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The link whose joint it is; of a joint of a loop a link that it moves.
    pub link: LinkId,
    /// Place of the coordinate in `q`; those of loops come after all others.
    pub q: usize,
    /// Place of its rate in `v`, likewise.
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
    /// The sum of coordinates of hinges and slides times their weights; terms of one joint are added up, zeros left out.
    pub(crate) fn new(model: &Model, weights: &[(Transmission, f64)]) -> Self {
        let mut weights: Vec<(&str, Term)> =
            weights.iter().filter_map(|&(joint, weight)| model.term(joint, weight)).collect();
        weights.sort_by(|a, b| a.0.cmp(b.0));
        let mut terms: Vec<Term> = Vec::with_capacity(weights.len());
        for (_, term) in weights {
            match terms.last_mut().filter(|last| last.dof == term.dof) {
                Some(last) => last.coefficient += term.coefficient,
                None => terms.push(term),
            }
        }
        terms.retain(|term| term.coefficient != 0.0);
        let mut combination = Self { terms, reference: 0.0 };
        combination.reference = combination.value(&[model.q0.as_slice(), &model.loop_q0].concat());
        combination
    }

    /// Value where the springs of all joints are relaxed.
    pub(crate) fn at_spring_references(&self, model: &Model) -> f64 {
        let relaxed = |term: &Term| match term.dof.checked_sub(model.nv()) {
            None => model.links[term.link].spring_reference,
            Some(dof) => model.loop_joints[model.loop_joint_of(dof)].spring_reference,
        };
        self.terms.iter().map(|term| term.coefficient * relaxed(term)).sum()
    }

    /// Whether it is an angle: all its coordinates are. One that mixes hinges and slides has the unit of its weights, and counts
    /// as a length.
    pub(crate) fn is_angular(&self, model: &Model) -> bool {
        let angular = |term: &Term| match term.dof.checked_sub(model.nv()) {
            None => model.links[term.link].kind.is_angular(),
            Some(dof) => model.loop_joints[model.loop_joint_of(dof)].kind.is_angular(),
        };
        !self.terms.is_empty() && self.terms.iter().all(angular)
    }

    /// Value at a configuration, with the coordinates of loops behind it.
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

impl Model {
    /// The coordinate of a hinge or slide with a weight, and the joint's name.
    pub(crate) fn term(&self, joint: Transmission, coefficient: f64) -> Option<(&str, Term)> {
        match joint {
            Transmission::Joint(link) => {
                let joint = &self.links[link];
                Some((&joint.name, Term { link, q: joint.q, dof: joint.v, coefficient }))
            }
            Transmission::Loop(joint) => {
                let joint = &self.loop_joints[joint];
                let link = joint.links.into_iter().flatten().next()?;
                Some((&joint.name, Term { link, q: joint.q, dof: joint.v, coefficient }))
            }
            Transmission::Tendon(_) => None,
        }
    }

    /// The loop-closing joint that a velocity is of, counted from the first of loops.
    pub(crate) fn loop_joint_of(&self, dof: usize) -> LoopJointId {
        let dof = self.nv() + dof;
        LoopJointId::new(self.loop_joints.partition_point(|joint| joint.v <= dof).saturating_sub(1))
    }

    /// Links that a term's joint ties to each other.
    pub(crate) fn term_links(&self, term: &Term) -> [Option<LinkId>; 2] {
        match term.dof.checked_sub(self.nv()) {
            None => [None, Some(term.link)],
            Some(dof) => self.loop_joints[self.loop_joint_of(dof)].links,
        }
    }
}
