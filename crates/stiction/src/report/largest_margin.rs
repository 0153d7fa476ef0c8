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
//! contacts' margins. Two numbers are asked for:
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

use crate::constraint::rows::{RowBlock, RowKind};
use crate::contact::{BlockKind, Formulation, Law};
use crate::model::GeomId;
use crate::report::LastStep;
use crate::report::forces::ContactForce;
use crate::report::least_friction::OPENS;
use nalgebra::Vector2;
use std::f64::consts::{FRAC_PI_2, TAU};
use stiction_solvers::{
    Chain, ChainSettings, Cone, ConeData, ConeNcp, Delassus, FrictionLaw, Solution, Solver, Start, Status,
};

/// A pair counts as pressing with at least this part of the force that it returned.
const PRESSES: f64 = 1e-3;

/// Velocities this small against those that the impulses give count as none.
const SAME: f64 = 1e-10;

/// What margins are found to, absolutely.
const ACCURACY: f64 = 1e-7;

/// Where bisections end.
const FINE: f64 = 1e-9;

/// By how much more than the least other pairs help: a set that is nearly a single point is hard to hit.
const ROOM: [f64; 4] = [1e-8, 1e-7, 1e-6, 1e-5];

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
    /// The largest margins of the net force of two geoms, in the order of
    /// [`PairForce::geoms`](crate::report::forces::PairForce::geoms), over all impulses that would have given the velocities of the
    /// last step: friction needed over friction available, `|sum lambda_t| / sum mu lambda_n`, without slip the coefficient
    /// needed. Found to 1e-6 or so, the second to 1e-4 where the others' least friction leaves a single point.
    ///
    /// `None` if the pair does not press, bounces, or has no dry friction, if its forces come from the acceleration stepper, or if a
    /// problem cannot be solved. Solves some hundred dense problems of as many rows as the island has, and allocates: not
    /// for every step.
    pub(crate) fn pair_margins(&self, geoms: [GeomId; 2]) -> Option<PairMargins> {
        let returned = self.net_friction(geoms)?;
        let margin = returned.point.norm();
        if let Formulation::ExactCone(settings) = self.formulation
            && settings.compliance > 0.0
        {
            // Compliance makes forces unique.
            return Some(PairMargins { largest: margin, alone: margin });
        }
        let mut solutions = Solutions::new(self, geoms, &returned)?;
        let largest = solutions.farthest(margin)?;
        let alone = match solutions.least_help()? {
            None => largest,
            Some(help) => ROOM.iter().find_map(|room| {
                solutions.help = Some(help * (1.0 + room));
                solutions.farthest(0.0)
            })?,
        };
        Some(PairMargins { largest, alone })
    }

    /// What the returned impulses of a pair say; `None` without dry friction or without pressure.
    fn net_friction(&self, geoms: [GeomId; 2]) -> Option<NetFriction> {
        let of_pair = || self.forces.iter().filter(|c| c.contact.geoms == geoms);
        let law = of_pair().next()?.contact.law;
        let mu = coefficient(law)?.unwrap_or(1.0);
        let available = mu * of_pair().map(|c| c.impulse.x.max(0.0)).sum::<f64>();
        let viscous = self.h * law.viscosity();
        let dry = |c: &ContactForce| {
            Vector2::new(c.impulse.y + viscous * c.velocity.y, c.impulse.z + viscous * c.velocity.z)
        };
        let point = of_pair().map(dry).sum::<Vector2<f64>>() / available;
        let bound = if law == Law::NoSlip { UNBOUNDED } else { 1.0 };
        (available > 0.0).then_some(NetFriction { available, point, bound })
    }

    /// The geoms of a block that is a contact.
    fn geoms_of(&self, block: &RowBlock) -> Option<[GeomId; 2]> {
        block.contact.map(|index| self.contacts[index].geoms)
    }

    /// The blocks that are connected with those of a pair through moving trees, in their order.
    fn blocks_around(&self, geoms: [GeomId; 2]) -> Vec<RowBlock> {
        let rows = self.rows;
        let mut reached = vec![false; self.model.trees.len()];
        let mut chosen: Vec<bool> = rows.blocks.iter().map(|b| self.geoms_of(b) == Some(geoms)).collect();
        let mut count = 0;
        while count < chosen.iter().filter(|chosen| **chosen).count() {
            count = chosen.iter().filter(|chosen| **chosen).count();
            for (block, _) in rows.blocks.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
                rows.pieces(block).iter().for_each(|piece| reached[piece.tree.index()] = true);
            }
            for (block, chosen) in rows.blocks.iter().zip(&mut chosen) {
                *chosen |= rows.pieces(block).iter().any(|piece| reached[piece.tree.index()]);
            }
        }
        rows.blocks.iter().zip(chosen).filter_map(|(block, chosen)| chosen.then_some(*block)).collect()
    }

    /// Adds what a block can carry to the layout. Its rows begin at `row`; `impulse` is what it returned, and `fixed` becomes
    /// what it carries in every solution.
    fn lay_out(
        &self,
        block: &RowBlock,
        own: bool,
        row: usize,
        impulse: &[f64],
        layout: &mut Layout,
        fixed: &mut [f64],
    ) {
        let rates = &self.rates[block.row..block.row + block.count];
        match block.kind {
            RowKind::Bilateral if block.softness == 0.0 && block.compliance == 0.0 => {
                (row..row + block.count).for_each(|row| layout.push_row(row, Cone::Free { dim: 1 }));
            }
            RowKind::Unilateral(BlockKind::Friction { bound }) if rates[0].abs() <= OPENS => {
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
                    let viscous = -self.h * law.viscosity() * sliding;
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
    available: f64,
    /// `sum lambda_t` over that.
    point: Vector2<f64>,
    /// What its margin can be at most.
    bound: f64,
}

/// A part of the impulses in `S`.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Whatever friction there is.
    Given(Cone),
    /// A sticking contact, of the pair or of another; without slip it has no coefficient.
    Sticks { mu: Option<f64>, own: bool },
}

impl Part {
    /// Its cones, where other pairs have the part `help` of their friction.
    fn push_cones(self, help: Option<f64>, cones: &mut Vec<Cone>) {
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
struct Unknown {
    rows: Vec<(usize, f64)>,
    friction: Vector2<f64>,
    available: f64,
}

/// The set `S` as unknowns in cones.
#[derive(Debug, Default)]
struct Layout {
    parts: Vec<Part>,
    unknowns: Vec<Unknown>,
}

impl Layout {
    /// An unknown that belongs to the pair only as far as `friction` and `available` say.
    fn push(&mut self, rows: &[(usize, f64)], friction: Vector2<f64>, available: f64) {
        self.unknowns.push(Unknown { rows: rows.to_vec(), friction, available });
    }

    /// A row in a cone, of no interest otherwise.
    fn push_row(&mut self, row: usize, cone: Cone) {
        self.parts.push(Part::Given(cone));
        self.push(&[(row, 1.0)], Vector2::zeros(), 0.0);
    }

    /// The dry part of a contact whose first row is `row`; `mu` is `None` without slip.
    fn push_dry(&mut self, row: usize, mu: Option<f64>, sliding: Vector2<f64>, own: bool) {
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

/// `S`, and the problem whether it has certain points.
struct Solutions {
    layout: Layout,
    /// Delassus operator among the unknowns (row-major), and `-B^T G lambda` of what they make up.
    matrix: Vec<f64>,
    q: Vec<f64>,
    /// Largest velocity that counts as none.
    same: f64,
    /// What the margin can be at most, and the least friction available that counts as pressing (N s).
    bound: f64,
    pressing: f64,
    /// Largest margin of contacts of other pairs in the returned impulses; none if no such contact sticks.
    others: Option<f64>,
    /// Part of their friction that other pairs are left with; all of it if none is given.
    help: Option<f64>,
    chain: Chain,
    problem: ConeNcp,
    solution: Solution,
}

impl Solutions {
    fn new(step: &LastStep<'_>, geoms: [GeomId; 2], returned: &NetFriction) -> Option<Self> {
        let blocks = step.blocks_around(geoms);
        let (delassus, impulse) = step.dense_rows(&blocks);
        let n = impulse.len();
        let (mut layout, mut fixed) = (Layout::default(), vec![0.0; n]);
        let mut first = 0;
        for block in &blocks {
            let own = step.geoms_of(block) == Some(geoms);
            let rows = first..first + block.count;
            step.lay_out(block, own, first, &impulse[rows.clone()], &mut layout, &mut fixed[rows]);
            first += block.count;
        }
        let made_up: Vec<f64> = impulse.iter().zip(&fixed).map(|(all, fixed)| all - fixed).collect();
        let effect: Vec<f64> = delassus.chunks(n).map(|row| dot(row, &made_up)).collect();
        let size = |row: &[f64]| row.iter().zip(&impulse).map(|(g, x)| (g * x).abs()).sum::<f64>();
        let unknowns = &layout.unknowns;
        let along = |u: &Unknown| -u.rows.iter().map(|(row, part)| part * effect[*row]).sum::<f64>();
        let entry = |a: &Unknown, b: &Unknown| -> f64 {
            let terms = a.rows.iter().flat_map(|r| b.rows.iter().map(move |c| (r, c)));
            terms.map(|(r, c)| r.1 * c.1 * delassus[r.0 * n + c.0]).sum()
        };
        let others = step.forces.iter().filter(|c| c.contact.geoms != geoms);
        let others = others.filter_map(|c| c.margin).fold(0.0, f64::max);
        let sticks = layout.parts.iter().any(|part| matches!(part, Part::Sticks { own: false, .. }));
        Some(Self {
            matrix: unknowns.iter().flat_map(|a| unknowns.iter().map(move |b| entry(a, b))).collect(),
            q: unknowns.iter().map(along).collect(),
            same: SAME * delassus.chunks(n).map(size).fold(0.0, f64::max),
            bound: returned.bound,
            pressing: PRESSES * returned.available,
            others: sticks.then_some(others),
            help: None,
            chain: Chain::new(ChainSettings { target: 1e-14, ..Default::default() }).ok()?,
            problem: ConeNcp::default().with_law(FrictionLaw::Associated),
            solution: Solution::default(),
            layout,
        })
    }

    /// The least part of their friction with which other pairs let the bodies move as they did; `Some(None)` if they have no
    /// such friction, `None` if nobody knows.
    fn least_help(&mut self) -> Option<Option<f64>> {
        let Some(mut high) = self.others else { return Some(None) };
        let (mut low, mut middle) = (0.0, 0.0);
        while high - low > FINE {
            self.help = Some(middle);
            if self.has(None)? {
                high = middle
            } else {
                low = middle
            }
            middle = 0.5 * (low + high);
        }
        Some(Some(high))
    }

    /// Step 3: the distance of the farthest point from the origin; one at the distance `best` is known.
    fn farthest(&mut self, mut best: f64) -> Option<f64> {
        let mut supports: Vec<(f64, f64)> = Vec::new();
        let mut next: Vec<f64> = (0..4).map(|k| f64::from(k) * FRAC_PI_2).collect();
        while let Some(angle) = next.pop() {
            let (reach, point) = self.support(angle)?;
            best = best.max(point.norm());
            if best >= self.bound * (1.0 - ACCURACY) {
                return Some(if self.bound == UNBOUNDED { f64::INFINITY } else { 1.0 });
            }
            let place = supports.partition_point(|(other, _)| *other < angle);
            supports.insert(place, (angle, reach));
            if next.is_empty() && supports.len() < DIRECTIONS {
                let sides = supports.iter().zip(supports.iter().cycle().skip(1));
                let corner = sides.map(|(a, b)| corner(*a, *b)).max_by(|a, b| a.0.total_cmp(&b.0));
                next.extend(
                    corner.filter(|(distance, _)| *distance > best + ACCURACY).map(|(_, angle)| angle),
                );
            }
        }
        Some(best)
    }

    /// Step 2: how far the points reach in a direction, and one that reaches so far.
    fn support(&mut self, angle: f64) -> Option<(f64, Vector2<f64>)> {
        let (sin, cos) = libm::sincos(angle);
        let direction = Vector2::new(cos, sin);
        // All points reach beyond the lower end.
        let (mut low, mut high) = (-1.1 * self.bound, self.bound);
        let mut point = None;
        let mut middle = high * (1.0 - 0.5 * ACCURACY);
        while high - low > FINE {
            if self.has(Some((direction, middle)))? {
                let reached = self.point();
                (low, point) = (middle.max(direction.dot(&reached)).min(high), Some(reached));
            } else {
                high = middle;
            }
            middle = 0.5 * (low + high);
        }
        point.map(|point| (high, point))
    }

    /// Whether there is a point, or one that reaches as far as asked in a direction; `None` if nobody knows.
    fn has(&mut self, reach: Option<(Vector2<f64>, f64)>) -> Option<bool> {
        let (layout, matrix, q) = (&self.layout, &self.matrix, &self.q);
        let m = layout.unknowns.len();
        // Inequalities `row . x >= least`, as rows `row . x - slack = least`; and the size of their terms.
        let mut inequalities: Vec<(Vec<f64>, f64, f64)> = Vec::new();
        if let Some((direction, s)) = reach {
            let largest = |of: &dyn Fn(&Unknown) -> f64| layout.unknowns.iter().map(of).fold(0.0, f64::max);
            let [friction, available] = [largest(&|u| u.friction.norm()), largest(&|u| u.available)];
            let row = |of: &dyn Fn(&Unknown) -> f64| layout.unknowns.iter().map(of).collect();
            inequalities.push((row(&|u| u.available), self.pressing, available));
            let over = row(&|u| direction.dot(&u.friction) - s * u.available);
            inequalities.push((over, 0.0, friction + s.abs() * available));
        }
        let diagonal = (0..m).map(|i| matrix[i * m + i]).sum::<f64>() / m as f64;
        let size = m + inequalities.len();
        let (help, carried) = (self.help, &mut self.solution);
        let mut warm = carried.z.len() == size;
        self.problem
            .refill(|ConeData { cones, delassus, q: constants, compliance }| {
                cones.clear();
                layout.parts.iter().for_each(|part| part.push_cones(help, cones));
                cones.extend(inequalities.iter().map(|_| Cone::Nonnegative { dim: 1 }));
                constants.clear();
                constants.extend_from_slice(q);
                constants.resize(size, 0.0);
                let mut extended = vec![0.0; size * size];
                for i in 0..m {
                    extended[i * size..i * size + m].copy_from_slice(&matrix[i * m..(i + 1) * m]);
                }
                for (k, (row, least, scale)) in inequalities.iter().enumerate() {
                    let weight = diagonal / (scale * scale);
                    let entries = || row.iter().copied().enumerate().chain([(m + k, -1.0)]);
                    for (i, a) in entries().filter(|(_, a)| *a != 0.0) {
                        entries().for_each(|(j, b)| extended[i * size + j] += weight * a * b);
                        constants[i] -= weight * a * least;
                    }
                }
                *delassus = Delassus::Dense(extended);
                compliance.clear();
                compliance.resize(size, 0.0);
            })
            .ok()?;
        warm &= carried.z.iter().all(|z| z.is_finite());
        let start = if warm { Start::Warm } else { Start::Cold };
        let report = self.chain.solve(&self.problem, start, carried);
        let moved = carried.w.iter().fold(0.0, |worst: f64, u| worst.max(u.abs()));
        (moved <= self.same || report.status == Status::Solved).then_some(moved <= self.same)
    }

    /// The point of the last answer.
    fn point(&self) -> Vector2<f64> {
        let (mut friction, mut available) = (Vector2::zeros(), 0.0);
        for (unknown, z) in self.layout.unknowns.iter().zip(&self.solution.z) {
            friction += *z * unknown.friction;
            available += z * unknown.available;
        }
        friction / available.max(f64::MIN_POSITIVE)
    }
}

/// Where the support lines `(angle, reach)` of two neighbouring directions meet: distance from the origin and angle, the
/// latter strictly between theirs.
fn corner(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let turn = if b.0 > a.0 { b.0 - a.0 } else { b.0 - a.0 + TAU };
    let (sin, cos) = libm::sincos(turn);
    // In axes along and across the first direction.
    let across = (b.1 - a.1 * cos) / sin;
    let beyond = libm::atan2(across, a.1);
    let between = if beyond > 0.01 * turn && beyond < 0.99 * turn { beyond } else { 0.5 * turn };
    let angle = a.0 + between;
    (libm::hypot(a.1, across), if angle < TAU { angle } else { angle - TAU })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
