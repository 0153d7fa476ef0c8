//! Whether impulses meet the laws of their rows, given what the rows do.

use crate::constraint::rows::RowKind;
use crate::contact::{BlockKind, Formulation, Law};

/// Friction that is off its direction by less than this part of its bound has it.
const ALONG: f64 = 1e-11;

/// The part of what counts for nothing that does so for friction of joints: no later step knows of it, so it must not add up.
const FORGOTTEN: f64 = 1e-3;

/// How laws are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge {
    /// A displacement (m or rad) that counts for nothing.
    small: f64,
    /// Whether contacts that do not press have no friction.
    releases: bool,
    /// Whether friction along one tangent knows nothing of the other.
    boxed: bool,
}

impl Judge {
    pub(super) fn new(formulation: &Formulation, small: f64) -> Self {
        Self { small, releases: formulation.releases(), boxed: formulation.is_boxed() }
    }

    /// Whether impulses meet a law, given the displacements of the rows: those of open ones do not close, those of closed ones are none, and
    /// so are those along friction that is not used up; friction that is, opposes them.
    pub(super) fn stands(
        &self,
        kind: RowKind,
        count: usize,
        impulse: impl Fn(usize) -> f64,
        moved: impl Fn(usize) -> f64,
    ) -> bool {
        let still = |r: usize| moved(r).abs() <= self.small;
        let normal = || if impulse(0) > 0.0 { still(0) } else { moved(0) >= -self.small };
        let held = || (1..count).all(still);
        match kind {
            RowKind::Bilateral => (0..count).all(still),
            RowKind::Unilateral(BlockKind::Limit { .. }) => normal(),
            RowKind::Unilateral(BlockKind::Friction { bound }) => {
                let strict = Self { small: FORGOTTEN * self.small, ..*self };
                strict.rubs_along(&[impulse(0)], bound, &[moved(0)])
            }
            RowKind::Unilateral(BlockKind::Contact { law, .. }) => {
                normal()
                    && match law {
                        Law::Frictionless => true,
                        _ if impulse(0) <= 0.0 && self.releases => (1..count).all(|r| impulse(r) == 0.0),
                        Law::NoSlip => held(),
                        Law::Coulomb { mu } => {
                            let moved = [moved(1), moved(2)];
                            self.rubs([impulse(1), impulse(2)], mu * impulse(0), moved)
                        }
                        Law::Viscous { .. } | Law::CoulombViscous { .. } => false,
                    }
            }
        }
    }

    /// Whether friction is within its bound and nothing moves, or at it and against what moves.
    fn rubs(&self, friction: [f64; 2], bound: f64, moved: [f64; 2]) -> bool {
        if self.boxed {
            return (0..2).all(|k| self.rubs_along(&friction[k..=k], bound, &moved[k..=k]));
        }
        self.rubs_along(&friction, bound, &moved)
    }

    fn rubs_along(&self, friction: &[f64], bound: f64, moved: &[f64]) -> bool {
        let still = moved.iter().all(|moved| moved.abs() <= self.small);
        if still || length(friction) < bound {
            return still && length(friction) <= (1.0 + ALONG) * bound;
        }
        let path = length(moved);
        let off =
            friction.iter().zip(moved).map(|(friction, moved)| (friction + bound * moved / path).powi(2));
        path > self.small && off.sum::<f64>().sqrt() <= ALONG * bound
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
