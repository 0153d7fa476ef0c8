//! The set of impulses that the motion allows, as unknowns in cones.

use crate::report::least_friction::OPENS;
use nalgebra::Vector2;
use stiction_solvers::Cone;

/// A part of the impulses in `S`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Whatever friction there is.
    Given(Cone),
    /// A sticking contact, of the pair or of another; without slip it has no coefficient.
    Sticks { mu: Option<f64>, own: bool },
}

impl Part {
    /// Its cones, where other pairs have the part `help` of their friction.
    pub(super) fn push_cones(self, help: Option<f64>, cones: &mut Vec<Cone>) {
        match (self, help) {
            (Part::Given(cone), _) => cones.push(cone),
            (Part::Sticks { mu, own: false }, Some(help)) => {
                cones.push(Cone::Coulomb { dim: 3, mu: help * mu.unwrap_or(1.0) });
            }
            (Part::Sticks { mu: Some(mu), .. }, _) => cones.push(Cone::Coulomb { dim: 3, mu }),
            (Part::Sticks { mu: None, .. }, _) => {
                cones.extend([Cone::Nonnegative { dim: 1 }, Cone::Free { dim: 2 }]);
            }
        }
    }
}

/// One unknown: what a unit of it adds to the impulses, and to the net friction and available friction of the pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Unknown {
    pub(super) rows: Vec<(usize, f64)>,
    pub(super) friction: Vector2<f64>,
    pub(super) available: f64,
}

/// The set `S` as unknowns in cones.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) parts: Vec<Part>,
    pub(super) unknowns: Vec<Unknown>,
}

impl Layout {
    /// An unknown that belongs to the pair only as far as `friction` and `available` say.
    pub(super) fn push(&mut self, rows: &[(usize, f64)], friction: Vector2<f64>, available: f64) {
        self.unknowns.push(Unknown { rows: rows.to_vec(), friction, available });
    }

    /// A row in a cone, of no interest otherwise.
    pub(super) fn push_row(&mut self, row: usize, cone: Cone) {
        self.parts.push(Part::Given(cone));
        self.push(&[(row, 1.0)], Vector2::zeros(), 0.0);
    }

    /// The dry part of a contact whose first row is `row`; `mu` is `None` without slip.
    pub(super) fn push_dry(&mut self, row: usize, mu: Option<f64>, sliding: Vector2<f64>, own: bool) {
        let weight = f64::from(u8::from(own));
        let available = weight * mu.unwrap_or(1.0);
        let speed = libm::hypot(sliding.x, sliding.y);
        match mu {
            Some(mu) if speed > OPENS => {
                let friction = -mu / speed * sliding;
                self.parts.push(Part::Given(Cone::Nonnegative { dim: 1 }));
                let rows = [(row, 1.0), (row + 1, friction.x), (row + 2, friction.y)];
                self.push(&rows, weight * friction, available);
            }
            _ => {
                self.parts.push(Part::Sticks { mu, own });
                self.push(&[(row, 1.0)], Vector2::zeros(), available);
                self.push(&[(row + 1, 1.0)], weight * Vector2::x(), 0.0);
                self.push(&[(row + 2, 1.0)], weight * Vector2::y(), 0.0);
            }
        }
    }
}
