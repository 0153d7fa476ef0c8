//! Convex quadratic programs over disks: friction at known normal impulses.
//!
//! # Problem
//! `min 1/2 x . H x + c . x` with `|x_i| <= R_i` for blocks `x_i` of one or two rows. `H` is positive semidefinite. It may also
//! lack symmetry (matrices printed with few digits do); then what is solved is `-(H x + c)` in the normal cone at `x`.
//!
//! # Method
//! The proximal method of multipliers, `m` being the forces that keep `x` in the disks, `P` the projection on them; at first
//! `tau = 1e-3`, `sigma = 10`:
//! 1. With `p = x + m / sigma` solve `G(x) = H x + c + tau (x - x_0) + sigma (p - P(p)) = 0` by Newton steps
//!    `(H + tau I + sigma (I - P')) d = -G`.
//! 2. Along `d` the product `G . d` grows from below zero to above; halve the step until it is at most half of what it was,
//!    which a step near the solution is at once.
//! 3. Solved in few steps: `tau` falls. Not solved: it grows tenfold.
//! 4. `m <- sigma (p - P(p))`, `x_0 <- x`; evaluate `P(p)` by its natural map. If a solved round left more than a quarter of
//!    it, `sigma` grows threefold. Go to 1.
//!
//! # Convergence and failure
//! `G` is strongly monotone and the gradient of a convex function: Newton's method with this search finds its zero from
//! anywhere, at last quadratically, but long on the way where `tau` is small beside the curvature of small disks. The
//! multipliers converge linearly, the faster the larger `sigma`. Without symmetry there is no proof. The best point so far is
//! the answer.
//!
//! # Cost
//! `2/3 n^3` operations a Newton step; some 25 of them from nothing to rounding.
//!
//! # References
//! R. T. Rockafellar, *Augmented Lagrangians and applications of the proximal point algorithm in convex programming*,
//! Mathematics of Operations Research 1 (1976) 97-116, section 5.

use crate::linalg::capacity::reserve_to;
use crate::linalg::dense::dot;
use crate::linalg::lu::Lu;

/// Weight of the proximal term, beside a mean diagonal of 1: the first one, the least (less is lost in rounding on singular
/// `H`) and the largest.
const FIRST: f64 = 1e-3;
const LEAST: f64 = 1e-9;
const LARGEST: f64 = 1.0;

/// Weight of the penalty: the first one and the largest, and by how much it grows when a round that was solved leaves more
/// than a part [`SLOW`] of the natural map.
const PENALTY: [f64; 2] = [10.0, 1e4];
const STIFFER: f64 = 3.0;
const SLOW: f64 = 0.25;

/// Part of `G . d` that a step may leave beyond its zero.
const PAST: f64 = 0.5;

/// Root mean square of `G` and of the natural map that is rounding, relative to the size of the terms or to 1: the units are
/// those in which the largest velocity of the whole problem is 1, and `c` has its rounding.
const TIGHT: f64 = 4e-15;

/// A round that leaves more than this part of the least natural map so far has gained nothing; so many of them end it.
const GAIN: f64 = 0.9;
const PATIENCE: usize = 5;

/// Multiplier and Newton steps, and halvings of a step, at most.
const ROUNDS: usize = 50;
const STEPS: usize = 30;
const HALVINGS: usize = 30;

/// A disk for the rows `row..row + dim`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Disk {
    pub(crate) row: usize,
    pub(crate) dim: usize,
    pub(crate) radius: f64,
}

/// The program and the method's workspace. Callers fill `disks`, `h` (row-major) and `c`, and give a start in `x` and `m`.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskProgram {
    pub(crate) disks: Vec<Disk>,
    pub(crate) h: Vec<f64>,
    pub(crate) c: Vec<f64>,
    /// The answer.
    pub(crate) x: Vec<f64>,
    /// The forces that keep it in the disks.
    pub(crate) m: Vec<f64>,
    /// Newton steps of the last solve.
    pub(crate) steps: usize,
    tau: f64,
    sigma: f64,
    centre: Vec<f64>,
    p: Vec<f64>,
    g: Vec<f64>,
    step: Vec<f64>,
    from: Vec<f64>,
    best: Vec<f64>,
    lu: Lu,
}

impl DiskProgram {
    /// Reserves memory for `n` rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve_to(&mut self.disks, n);
        reserve_to(&mut self.h, n * n);
        self.lu.reserve(n);
        for list in self.vectors() {
            reserve_to(list, n);
        }
    }

    fn vectors(&mut self) -> [&mut Vec<f64>; 9] {
        [
            &mut self.c,
            &mut self.x,
            &mut self.m,
            &mut self.centre,
            &mut self.p,
            &mut self.g,
            &mut self.step,
            &mut self.from,
            &mut self.best,
        ]
    }

    /// Solves the program from `x` and `m`, until at most the part `rest` of the natural map of `x` is left.
    pub(crate) fn solve(&mut self, rest: f64) {
        let n = self.c.len();
        self.vectors().into_iter().for_each(|list| list.resize(n, 0.0));
        self.best.fill(0.0);
        self.steps = 0;
        (self.tau, self.sigma) = (FIRST, PENALTY[0]);
        project(&self.disks, &mut self.x);
        self.p.copy_from_slice(&self.x);
        let enough = rest * self.natural_map().0;
        let (mut least, mut last, mut useless) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            self.centre.copy_from_slice(&self.x);
            let found = self.newton();
            self.move_forces();
            let (natural, size) = self.natural_map();
            useless = if natural <= GAIN * least { 0 } else { useless + 1 };
            if natural < least {
                least = natural;
                self.best.copy_from_slice(&self.p);
            }
            if natural <= enough.max(rounding(n, size)) || useless == PATIENCE {
                break;
            }
            if found && natural > SLOW * last {
                self.sigma = (STIFFER * self.sigma).min(PENALTY[1]);
            }
            last = natural;
        }
        self.x.copy_from_slice(&self.best);
    }

    /// Steps 1 to 3; whether the equations are solved.
    fn newton(&mut self) -> bool {
        let before = self.steps;
        let found = self.search();
        self.tau *= match self.steps - before {
            _ if !found => 10.0,
            0..=2 => 0.01,
            3..=5 => 0.1,
            _ => 0.3,
        };
        self.tau = self.tau.clamp(LEAST, LARGEST);
        found
    }

    /// The forces of step 4, and `P(p)` in `p`.
    fn move_forces(&mut self) {
        for i in 0..self.x.len() {
            self.p[i] = self.x[i] + self.m[i] / self.sigma;
            self.m[i] = self.sigma * self.p[i];
        }
        project(&self.disks, &mut self.p);
        self.m.iter_mut().zip(&self.p).for_each(|(m, p)| *m -= self.sigma * p);
    }

    /// Steps 1 and 2.
    fn search(&mut self) -> bool {
        let n = self.c.len();
        let mut size = self.evaluate();
        for _ in 0..STEPS {
            if dot(&self.g, &self.g).sqrt() <= rounding(n, size) {
                return true;
            }
            if !self.direction() {
                return false;
            }
            self.steps += 1;
            let slope = dot(&self.g, &self.step);
            self.from.copy_from_slice(&self.x);
            let mut t = 1.0;
            for _ in 0..HALVINGS {
                for i in 0..n {
                    self.x[i] = self.from[i] + t * self.step[i];
                }
                size = self.evaluate();
                if dot(&self.g, &self.step) <= PAST * slope.abs() {
                    break;
                }
                t *= 0.5;
            }
        }
        false
    }

    /// Writes `G` at `x`, and returns the size of its terms.
    fn evaluate(&mut self) -> f64 {
        let n = self.c.len();
        for i in 0..n {
            self.p[i] = self.x[i] + self.m[i] / self.sigma;
            self.g[i] = self.sigma * self.p[i];
        }
        project(&self.disks, &mut self.p);
        let mut size = 0.0;
        for i in 0..n {
            let own = dot(&self.h[i * n..(i + 1) * n], &self.x) + self.c[i];
            let force = self.g[i] - self.sigma * self.p[i];
            self.g[i] = own + self.tau * (self.x[i] - self.centre[i]) + force;
            size += self.sigma * self.sigma * self.p[i] * self.p[i] + force * force + self.c[i] * self.c[i];
        }
        size.sqrt()
    }

    /// Writes Newton's step at `x`; whether there is one.
    fn direction(&mut self) -> bool {
        let n = self.c.len();
        let matrix = self.lu.matrix_mut(n);
        matrix.copy_from_slice(&self.h);
        for disk in &self.disks {
            let rows = disk.row..disk.row + disk.dim;
            let mut p = [0.0; 2];
            rows.clone().enumerate().for_each(|(k, i)| p[k] = self.x[i] + self.m[i] / self.sigma);
            let length = (p[0] * p[0] + p[1] * p[1]).sqrt();
            let outside = length > disk.radius;
            // I - P' = I - k (I - t t^T) with k = R / |p|; on a line I.
            let k = if outside && disk.dim == 2 { disk.radius / length } else { 0.0 };
            for (a, i) in rows.clone().enumerate() {
                matrix[i * n + i] += self.tau;
                if outside {
                    matrix[i * n + i] += self.sigma * (1.0 - k);
                    for (b, j) in rows.clone().enumerate() {
                        matrix[i * n + j] += self.sigma * k * (p[a] / length) * (p[b] / length);
                    }
                }
            }
        }
        if self.lu.factor().is_err() {
            return false;
        }
        self.step.iter_mut().zip(&self.g).for_each(|(d, g)| *d = -g);
        self.lu.solve(&mut self.step);
        self.step.iter().all(|d| d.is_finite())
    }

    /// The length of the natural map `x - P(x - (H x + c))` of the point in `p`, and the size of its terms.
    fn natural_map(&mut self) -> (f64, f64) {
        let n = self.c.len();
        let mut size = 0.0;
        for i in 0..n {
            self.from[i] = self.p[i] - (dot(&self.h[i * n..(i + 1) * n], &self.p) + self.c[i]);
            size += self.p[i] * self.p[i] + self.c[i] * self.c[i];
        }
        project(&self.disks, &mut self.from);
        let square: f64 = self.p.iter().zip(&self.from).map(|(p, image)| (p - image) * (p - image)).sum();
        (square.sqrt(), size.sqrt())
    }
}

/// Length of a vector of `n` rows that is rounding of terms of this length.
fn rounding(n: usize, size: f64) -> f64 {
    TIGHT * (n as f64).sqrt() * size.max(1.0)
}

/// Replaces `x` by the nearest point in the disks.
fn project(disks: &[Disk], x: &mut [f64]) {
    for disk in disks {
        let x = &mut x[disk.row..disk.row + disk.dim];
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > disk.radius {
            x.iter_mut().for_each(|x| *x *= disk.radius / length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn random_programs_of_every_rank_and_conditioning_are_solved() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(17);
        let mut program = DiskProgram::default();
        let (mut steps, mut worst) = (0, 0.0_f64);
        for trial in 0..300 {
            let blocks = 1 + trial % 12;
            program.disks.clear();
            let mut n = 0;
            for _ in 0..blocks {
                let dim = random.random_range(1..3);
                program.disks.push(Disk { row: n, dim, radius: 10f64.powf(random.random_range(-6.0..2.0)) });
                n += dim;
            }
            let rank = 1 + trial % n;
            let decades = [0.0, 3.0, 6.0][trial % 3];
            let y: Vec<f64> = (0..n * rank)
                .map(|k| {
                    random.random_range(-1.0..1.0)
                        * 10f64.powf(-0.5 * decades * (k % rank) as f64 / rank as f64)
                })
                .collect();
            program.h =
                (0..n * n).map(|e| dot(&y[e / n * rank..][..rank], &y[e % n * rank..][..rank])).collect();
            program.c = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
            program.x = vec![0.0; n];
            program.m = vec![0.0; n];
            program.solve(0.0);
            steps += program.steps;
            program.p.clone_from(&program.x);
            let (natural, size) = program.natural_map();
            worst = worst.max(natural / size);
            for disk in &program.disks {
                let x = &program.x[disk.row..disk.row + disk.dim];
                assert!(dot(x, x).sqrt() <= disk.radius * (1.0 + 1e-15));
            }
        }
        eprintln!("natural map at most {worst:e} of the terms, {} Newton steps a program", steps / 300);
        assert!(worst < 1e-12 && steps < 300 * 40, "{worst:e} {steps}");
    }
}
