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

use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, Law};
use crate::report::LastStep;
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
    /// The least factor `s` such that impulses within `s` times the friction of every contact would have given the
    /// velocities that the last step gave: the margin of a grasp or a support as a whole, where
    /// [`ContactForce::margin`](crate::report::forces::ContactForce::margin) is that of the forces that the solver returned, and
    /// their largest is never less. Of contacts without slip it is the coefficient of friction that would do. Found to a
    /// relative 1e-7 or so.
    ///
    /// Joint friction, limits and equalities may carry any impulse that they allow; viscous contacts keep their
    /// tangential impulses. `None` if no contact with dry friction presses, or a problem cannot be solved. Solves some
    /// forty dense problems of as many rows as the step had, and allocates: not for every step.
    pub(crate) fn least_friction(&self) -> Option<f64> {
        // The returned solution shows that its own largest margin is enough.
        let largest = self.forces.iter().filter_map(|c| c.margin).reduce(f64::max)?;
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

    /// Delassus operator (dense, row-major) and impulses of the rows of some blocks in the last step.
    pub(crate) fn dense_rows(&self, blocks: &[RowBlock]) -> (Vec<f64>, Vec<f64>) {
        let rows = self.rows;
        let impulse: Vec<f64> =
            blocks.iter().flat_map(|b| &rows.impulse[b.row..b.row + b.count]).copied().collect();
        let n = impulse.len();
        let mut matrix = vec![0.0; n * n];
        let mut first = 0;
        for a in blocks {
            let mut second = 0;
            for b in blocks {
                for (p, q) in rows.pieces(a).iter().flat_map(|p| rows.pieces(b).iter().map(move |q| (p, q))) {
                    if p.tree == q.tree {
                        rows.delassus(self.model, (a, p), (b, q), |r, c, value| {
                            matrix[(first + r) * n + second + c] += value;
                        });
                    }
                }
                second += b.count;
            }
            first += a.count;
        }
        (matrix, impulse)
    }

    /// The cone of a block at the friction factor `s`, and whether it can carry anything.
    fn cones_of(&self, block: &RowBlock, s: f64, cones: &mut Vec<Cone>) {
        let impulse = &self.rows.impulse[block.row..block.row + block.count];
        let opens = |bias: f64| self.rates[block.row] + bias > OPENS;
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
    chain: Chain,
    problem: ConeNcp,
    solution: Solution,
    cones: Vec<Cone>,
    /// Largest velocity that counts as none.
    same: f64,
}

impl<'a> Demand<'a> {
    fn new(step: LastStep<'a>) -> Option<Self> {
        let (matrix, impulse) = step.dense_rows(&step.rows.blocks);
        let n = impulse.len();
        let q: Vec<f64> =
            matrix.chunks(n).map(|row| -row.iter().zip(&impulse).map(|(g, x)| g * x).sum::<f64>()).collect();
        // Products before they cancel.
        let size = |row: &[f64]| row.iter().zip(&impulse).map(|(g, x)| (g * x).abs()).sum::<f64>();
        let same = SAME * matrix.chunks(n).map(size).fold(0.0, f64::max);
        let mut cones = Vec::new();
        for block in &step.rows.blocks {
            step.cones_of(block, 1.0, &mut cones);
        }
        let problem =
            ConeNcp::new(cones.clone(), Delassus::Dense(matrix), q).ok()?.with_law(FrictionLaw::Associated);
        let target = 1e-14;
        let chain = Chain::new(ChainSettings { target, ..Default::default() }).ok()?;
        Some(Self { step, chain, problem, solution: Solution::new(n), cones, same })
    }

    /// Whether impulses within `s` times the friction give the same velocities; `None` if nobody knows.
    fn meets(&mut self, s: f64) -> Option<bool> {
        self.cones.clear();
        for block in &self.step.rows.blocks {
            self.step.cones_of(block, s, &mut self.cones);
        }
        let cones = &self.cones;
        self.problem.refill(|data| data.cones.clone_from(cones)).ok()?;
        let report = self.chain.solve(&self.problem, Start::Cold, &mut self.solution);
        let moved = self.solution.w.iter().fold(0.0, |worst: f64, u| worst.max(u.abs()));
        (moved <= self.same || report.status == Status::Solved).then_some(moved <= self.same)
    }
}
