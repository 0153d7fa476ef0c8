//! The set of impulses that the motion allows: whether it has certain points, and the one farthest out.

use super::unknowns::{Layout, Part, Unknown};
use super::{ACCURACY, DIRECTIONS, FINE, NetFriction, PRESSES, SAME, UNBOUNDED};
use crate::model::GeomId;
use crate::report::LastStep;
use nalgebra::Vector2;
use std::f64::consts::{FRAC_PI_2, TAU};
use stiction_solvers::{
    Chain, ChainSettings, Cone, ConeData, ConeNcp, Delassus, FrictionLaw, Solution, Solver, Start, Status,
};

/// `S`, and the problem whether it has certain points.
pub(super) struct Solutions {
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
    pub(super) help: Option<f64>,
    chain: Chain,
    problem: ConeNcp,
    solution: Solution,
}

impl Solutions {
    pub(super) fn new(
        step: &LastStep<'_>,
        geoms: [GeomId; 2],
        returned: &NetFriction,
        others: f64,
    ) -> Option<Self> {
        let blocks = step.blocks_around(geoms);
        let (delassus, impulse) = step.dense_rows(&blocks);
        let n = impulse.len();
        let (mut layout, mut fixed) = (Layout::default(), vec![0.0; n]);
        let mut first = 0;
        for block in &blocks {
            let own = block.geoms() == Some(geoms);
            let rows = first..first + block.block.count;
            step.lay_out(block, own, first, &mut layout, &mut fixed[rows.clone()]);
            first = rows.end;
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
    pub(super) fn least_help(&mut self) -> Option<Option<f64>> {
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
    pub(super) fn farthest(&mut self, mut best: f64) -> Option<f64> {
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
