//! The largest margin of a pair of geoms over all forces that are as good as those returned.
//!
//! # Problem
//! Where contacts outnumber what they hold, forces are not unique. With the velocities of the last step every impulse in
//! the convex set
//! ```text
//! S = { lambda : G lambda = G lambda*, open contacts carry nothing, sliding ones have all their friction against sliding,
//!                sticking ones |lambda_t| <= mu lambda_n }
//! ```
//! meets the laws as well as the returned `lambda*`. The worst margin that a single contact may have there says nothing: let
//! some self-stress (`G eta = 0`; the four corners of a box have six) push it sideways, and others have friction to spare.
//! With a `lambda_n` that goes to zero a self-stress that goes to zero makes `|lambda_t| = mu lambda_n`. The worst is 1
//! under any load, and unbounded without slip.
//!
//! The contacts of a pair share their normal, and what they do against each other leaves their net force as it is. So the
//! margin of a pair is that of its net force, `|p|` with `p = sum lambda_t / sum mu lambda_n`, at most the largest of its
//! contacts' margins. Of a step with two kicks `lambda` is both of them, and the sums go over both. Two numbers are asked for:
//! - the *largest* in `S`. Pairs can still be at odds: pads that squeeze a cube may shear it against each other as far as
//!   the weaker one's friction goes, and nothing in the laws of rigid bodies forbids it;
//! - the largest *alone*, where the friction of all other pairs is scaled down to the least common part with which the
//!   bodies could move as they did, mostly none: all of the weight on this pad. That is what to count on. (A pair may be at
//!   odds with normal forces too: a floor can push a box against a wall.)
//!
//! # Method
//! 1. The points `p` are the image of a convex set under a linear-fractional map, thus a convex set in the plane. Its point
//!    farthest from the origin is sought.
//! 2. It reaches `s` along a unit vector `d` if `S` has a point with `d . sum lambda_t >= s sum mu lambda_n`. As in
//!    [`least_friction`](LastStep::least_friction) that holds if a distance to a product of cones is zero, a convex
//!    problem that has the inequality as one more row. Bisection on `s` gives the support function.
//! 3. Support lines enclose the set in a polygon. Its farthest corner is the next direction, until no corner is farther than
//!    a point that was reached.
//!
//! # References
//! S. Boyd, L. Vandenberghe, *Convex Optimization*, 2004, sections 2.3.3 (linear-fractional maps) and 4.2.5 (bisection).

mod solutions;
mod unknowns;

use solutions::Solutions;
use unknowns::Layout;

use crate::constraint::rows::RowKind;
use crate::contact::{BlockKind, Formulation, Law};
use crate::model::GeomId;
use crate::report::LastStep;
use crate::report::last_step::KickBlock;
use crate::report::least_friction::OPENS;
use nalgebra::Vector2;
use stiction_solvers::Cone;

/// A pair counts as pressing with at least this part of the force that it returned.
const PRESSES: f64 = 1e-3;

/// Velocities this small against those that the impulses give count as none.
const SAME: f64 = 1e-10;

/// What margins are found to, absolutely.
const ACCURACY: f64 = 1e-7;

/// Where bisections end.
const FINE: f64 = 1e-9;

/// By how much more than the least other pairs help: a set that is nearly a single point is hard to hit.
const EXCESSES: [f64; 4] = [1e-8, 1e-7, 1e-6, 1e-5];

/// Directions in which the support function is evaluated at most: enough for 1e-3 if the set is a disk.
const DIRECTIONS: usize = 80;

/// A margin beyond this has no bound.
const UNBOUNDED: f64 = 1e3;

/// Margins of a pair of geoms over all solutions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairMargins {
    /// The largest; infinite if it has no bound, which only contacts without slip can have.
    pub largest: f64,
    /// The largest if the friction of other pairs helps as little as it can.
    pub alone: f64,
}

impl LastStep<'_> {
    /// See [`Simulation::pair_margins`](crate::sim::Simulation::pair_margins); `others` is the largest margin that contacts of other pairs returned.
    pub(crate) fn pair_margins(&self, geoms: [GeomId; 2], others: f64) -> Option<PairMargins> {
        let returned = self.net_friction(geoms)?;
        let margin = returned.point.norm();
        if let Formulation::ExactCone(settings) = self.formulation
            && settings.compliance > 0.0
        {
            // Compliance makes forces unique.
            return Some(PairMargins { largest: margin, alone: margin });
        }
        let mut solutions = Solutions::new(self, geoms, &returned, others)?;
        let largest = solutions.farthest(margin)?;
        let alone = match solutions.least_help()? {
            None => largest,
            Some(help) => EXCESSES.iter().find_map(|excess| {
                solutions.help = Some(help * (1.0 + excess));
                solutions.farthest(0.0)
            })?,
        };
        Some(PairMargins { largest, alone })
    }

    /// What the returned impulses of a pair say; `None` without dry friction or without pressure.
    fn net_friction(&self, geoms: [GeomId; 2]) -> Option<NetFriction> {
        let (mut available, mut dry, mut in_force) = (0.0, Vector2::zeros(), None);
        for of_pair in self.blocks().filter(|of_kick| of_kick.geoms() == Some(geoms)) {
            let RowKind::Unilateral(BlockKind::Contact { law, .. }) = of_pair.block.kind else { continue };
            let law = self.formulation.law_in_force(law);
            let mu = coefficient(law)?.unwrap_or(1.0);
            let (impulse, rates) = (of_pair.impulse(), of_pair.rates());
            let viscous = of_pair.duration() * law.viscosity();
            available += mu * impulse[0].max(0.0);
            dry += Vector2::new(impulse[1] + viscous * rates[1], impulse[2] + viscous * rates[2]);
            in_force = Some(law);
        }
        let (law, point) = (in_force?, dry / available);
        let bound = if law == Law::NoSlip { UNBOUNDED } else { 1.0 };
        (available > 0.0).then_some(NetFriction { available, point, bound })
    }

    /// The blocks that are connected with those of a pair through moving trees, in their order.
    fn blocks_around(&self, geoms: [GeomId; 2]) -> Vec<KickBlock<'_>> {
        let blocks: Vec<_> = self.blocks().collect();
        let mut reached = vec![false; self.model.trees.len()];
        let mut chosen: Vec<bool> = blocks.iter().map(|b| b.geoms() == Some(geoms)).collect();
        let mut count = 0;
        while count < chosen.iter().filter(|chosen| **chosen).count() {
            count = chosen.iter().filter(|chosen| **chosen).count();
            for (block, _) in blocks.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
                block.trees().for_each(|tree| reached[tree.index()] = true);
            }
            for (block, chosen) in blocks.iter().zip(&mut chosen) {
                *chosen |= block.trees().any(|tree| reached[tree.index()]);
            }
        }
        blocks.into_iter().zip(chosen).filter_map(|(block, chosen)| chosen.then_some(block)).collect()
    }

    /// Adds what a block can carry to the layout. Its rows begin at `row`; `fixed` becomes what it carries in every solution.
    fn lay_out(
        &self,
        of_kick: &KickBlock<'_>,
        own: bool,
        row: usize,
        layout: &mut Layout,
        fixed: &mut [f64],
    ) {
        let (block, impulse, rates) = (&of_kick.block, of_kick.impulse(), of_kick.rates());
        match block.kind {
            RowKind::Bilateral if block.softness == 0.0 && block.compliance == 0.0 => {
                (row..row + block.count).for_each(|row| layout.push_row(row, Cone::Free { dim: 1 }));
            }
            RowKind::Unilateral(BlockKind::Friction { bound })
                if rates[0].abs() <= OPENS && block.compliance == 0.0 =>
            {
                layout.push_row(row, Cone::Interval { lower: -bound, upper: bound });
            }
            RowKind::Unilateral(BlockKind::Limit { bias }) if rates[0] + bias <= OPENS => {
                layout.push_row(row, Cone::Nonnegative { dim: 1 });
            }
            RowKind::Unilateral(BlockKind::Contact { law, bias, .. }) if rates[0] + bias <= OPENS => {
                let law = self.formulation.law_in_force(law);
                if let Some(mu) = coefficient(law) {
                    let sliding = Vector2::new(rates[1], rates[2]);
                    layout.push_dry(row, mu, sliding, own);
                    let viscous = -of_kick.duration() * law.viscosity() * sliding;
                    fixed[1..].copy_from_slice(viscous.as_slice());
                } else {
                    layout.push_row(row, Cone::Nonnegative { dim: 1 });
                    fixed[1..].copy_from_slice(&impulse[1..]);
                }
            }
            _ => fixed.copy_from_slice(impulse),
        }
    }
}

/// The coefficient of dry friction, `Some(None)` without slip; `None` without dry friction.
fn coefficient(law: Law) -> Option<Option<f64>> {
    match law {
        Law::NoSlip => Some(None),
        law => (law.mu() > 0.0).then_some(Some(law.mu())),
    }
}

/// The returned friction of a pair.
struct NetFriction {
    /// `sum mu lambda_n`, without slip `sum lambda_n` (N s).
    pub(super) available: f64,
    /// `sum lambda_t` over that.
    pub(super) point: Vector2<f64>,
    /// What its margin can be at most.
    pub(super) bound: f64,
}
