//! The least friction with which the bodies could have moved as they did in the last step.
//!
//! Where contacts outnumber what they hold, many impulses `r` give the velocities that `lambda` gave: all with
//! `G r = G lambda`. One of them lies within `s` times every coefficient of friction if and only if the distance
//! `min 1/2 (r - lambda) . G (r - lambda)` from `lambda` to the cones of friction `s mu` is zero. That is the associated
//! cone problem with `q = -G lambda`: convex, with unique velocities `u = G (r - lambda)`, which then vanish. Cones grow
//! with `s`, so bisection finds the least.
//!
//! # References
//! M. Anitescu, *Optimization-based simulation of nonsmooth rigid multibody dynamics*, Mathematical Programming 105
//! (2006).

use crate::constraint::rows::RowKind;
use crate::contact::{BlockKind, Law};
use crate::report::LastStep;
use crate::report::last_step::KickBlock;
use stiction_solvers::{
    Chain, ChainSettings, Cone, ConeNcp, Delassus, FrictionLaw, Solution, Solver, Start, Status,
};

/// Velocities this small against those that the impulses give count as none.
const SAME: f64 = 1e-9;

/// Halvings of the interval.
const HALVINGS: usize = 40;

/// A contact whose normal velocity is larger than this (m/s) opens and carries nothing.
pub(crate) const OPENS: f64 = 1e-9;

impl LastStep<'_> {
    /// See [`Simulation::least_friction`](crate::sim::Simulation::least_friction). `largest` is the largest margin of an act that was returned,
    /// which shows that so much is enough.
    pub(crate) fn least_friction(&self, largest: f64) -> Option<f64> {
        let mut demand = Demand::new(*self)?;
        let (mut low, mut high) = (0.0, largest);
        if demand.meets(low)? {
            return Some(low);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if demand.meets(middle)? { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// The cone of a block at the friction factor `s`, and whether it can carry anything.
    fn cones_of(&self, of_kick: &KickBlock<'_>, s: f64, cones: &mut Vec<Cone>) {
        let (block, impulse) = (&of_kick.block, of_kick.impulse());
        let opens = |bias: f64| of_kick.rates()[0] + bias > OPENS;
        let fixed = |value: f64| Cone::Interval { lower: value, upper: value };
        match block.kind {
            RowKind::Bilateral => cones.push(Cone::Free { dim: block.count }),
            RowKind::Unilateral(BlockKind::Friction { .. }) if block.compliance > 0.0 => {
                cones.push(fixed(impulse[0]));
            }
            RowKind::Unilateral(BlockKind::Friction { bound }) => {
                cones.push(Cone::Interval { lower: -bound, upper: bound });
            }
            RowKind::Unilateral(BlockKind::Limit { bias } | BlockKind::Contact { bias, .. })
                if opens(bias) =>
            {
                cones.extend(impulse.iter().map(|&value| fixed(value)));
            }
            RowKind::Unilateral(BlockKind::Limit { .. }) => cones.push(Cone::Nonnegative { dim: 1 }),
            RowKind::Unilateral(BlockKind::Contact { law, .. }) => match self.formulation.law_in_force(law) {
                Law::Coulomb { mu } => cones.push(Cone::Coulomb { dim: 3, mu: s * mu }),
                Law::NoSlip => cones.push(Cone::Coulomb { dim: 3, mu: s }),
                _ => {
                    cones.push(Cone::Nonnegative { dim: 1 });
                    cones.extend(impulse[1..].iter().map(|&value| fixed(value)));
                }
            },
        }
    }
}

/// The convex problem, to be solved for one factor after the other.
struct Demand<'a> {
    step: LastStep<'a>,
    blocks: Vec<KickBlock<'a>>,
    chain: Chain,
    problem: ConeNcp,
    solution: Solution,
    cones: Vec<Cone>,
    /// Largest velocity that counts as none.
    same: f64,
}

impl<'a> Demand<'a> {
    fn new(step: LastStep<'a>) -> Option<Self> {
        let blocks: Vec<_> = step.blocks().collect();
        let (matrix, impulse) = step.dense_rows(&blocks);
        let n = impulse.len();
        let q: Vec<f64> =
            matrix.chunks(n).map(|row| -row.iter().zip(&impulse).map(|(g, x)| g * x).sum::<f64>()).collect();
        // Products before they cancel.
        let size = |row: &[f64]| row.iter().zip(&impulse).map(|(g, x)| (g * x).abs()).sum::<f64>();
        let same = SAME * matrix.chunks(n).map(size).fold(0.0, f64::max);
        let mut cones = Vec::new();
        for block in &blocks {
            step.cones_of(block, 1.0, &mut cones);
        }
        let problem =
            ConeNcp::new(cones.clone(), Delassus::Dense(matrix), q).ok()?.with_law(FrictionLaw::Associated);
        let target = 1e-14;
        let chain = Chain::new(ChainSettings { target, ..Default::default() }).ok()?;
        Some(Self { step, blocks, chain, problem, solution: Solution::new(n), cones, same })
    }

    /// Whether impulses within `s` times the friction give the same velocities; `None` if nobody knows.
    fn meets(&mut self, s: f64) -> Option<bool> {
        self.cones.clear();
        for block in &self.blocks {
            self.step.cones_of(block, s, &mut self.cones);
        }
        let cones = &self.cones;
        self.problem.refill(|data| data.cones.clone_from(cones)).ok()?;
        let report = self.chain.solve(&self.problem, Start::Cold, &mut self.solution);
        let moved = self.solution.w.iter().fold(0.0, |worst: f64, u| worst.max(u.abs()));
        (moved <= self.same || report.status == Status::Solved).then_some(moved <= self.same)
    }
}
