//! Baraff's extension of Dantzig's method: normal forces and, bounded by them, friction.
//!
//! # Problem
//! `w = M z + q`. A *normal* index satisfies `0 <= z_i  perp  w_i >= 0`. A *friction* index belongs to a normal one and satisfies
//! `|z_k| <= mu z_n`, with `w_k = 0` between the bounds, `w_k <= 0` at the upper and `w_k >= 0` at the lower one. `M` need
//! not be symmetric: a contact that slides has its friction folded into its normal's column. There may be no solution.
//!
//! # Method
//! 1. Start with no index active, or from the basic solution of given modes (a solved sub-problem's, say), if it is complementary.
//! 2. Take the normal index with the most negative `w`. Its friction indices go to the bound that opposes their `w`,
//!    which satisfies the law as long as `z_n = 0`.
//! 3. Raise its `z`; free indices keep `w = 0`, friction at a bound follows its normal. Stop where an index is about to break its
//!    law: `z_n` falls to zero, `w` of an idle normal falls to zero, friction meets its bound or leaves it.
//! 4. Change that index's mode and go to 3, until the raised index has `w = 0`. If nothing stops it, there is a ray.
//! 5. Until no normal index has `w < 0`, go to 2. Solve for the free indices once more, evaluate on the original data.
//!
//! # Convergence and failure
//! Without friction this is Dantzig's method, with its guarantee. With friction there is none: the method may meet a singular
//! block or repeat itself (*stalled*), or a *ray*, which is all it can say where no solution exists (Painleve's paradox; for
//! one contact it is a proof). It is reliable where friction is moderate.
//!
//! # Cost
//! `2/3 f^3 + n^2` operations a pivot with `f` free indices.
//!
//! # References
//! D. Baraff, *Fast contact force computation for nonpenetrating rigid bodies*, SIGGRAPH 1994, 23-34, sections 4.2 to 4.4.
//! A. Loomis, D. Balkcom, *Computation reuse for rigid-body dynamics*, IEEE International Conference on Robotics and
//! Automation 2006, section II.

mod friction_lcp;

pub use friction_lcp::{FrictionLcp, IndexLaw};

use crate::driver::Incumbent;
use crate::linalg::dense::{dot_and_magnitude, scales};
use crate::linalg::lu::Lu;
use crate::problem::{Problem, Report, Residual, Solution, Status};

/// Largest scaled natural map that counts as solved.
const TOLERANCE: f64 = 1e-10;

/// A change of `w` or `z` below this part of the terms it is a sum of is round-off.
const ROUND_OFF: f64 = 1e-12;

/// What an index does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexMode {
    /// `z = 0`: a normal that is not active, friction of one, or friction that is not needed since `w = 0` as it is.
    #[default]
    Idle,
    /// `w = 0`.
    Free,
    /// Friction at its upper bound `mu z_n`.
    Upper,
    /// Friction at its lower bound `-mu z_n`.
    Lower,
}

impl IndexMode {
    /// Multiple of `mu z_n` that friction is fixed at.
    fn bound_factor(self) -> f64 {
        match self {
            IndexMode::Upper => 1.0,
            IndexMode::Lower => -1.0,
            IndexMode::Idle | IndexMode::Free => 0.0,
        }
    }

    /// The bound that opposes `w`, which counts as zero up to `small`.
    fn against(w: f64, small: f64) -> IndexMode {
        if w.abs() <= small {
            IndexMode::Idle
        } else if w < 0.0 {
            IndexMode::Upper
        } else {
            IndexMode::Lower
        }
    }
}

/// Why raising an index ended short.
enum Halt {
    Ray,
    Singular,
    Limit,
}

/// The method with its workspace; see the [module documentation](self).
///
/// `iterations` of the report counts raised indices, `pivots` the changes of mode.
#[derive(Clone, Debug, Default)]
pub struct Baraff {
    modes: Vec<IndexMode>,
    free: Vec<usize>,
    lu: Lu,
    part: Vec<f64>,
    z: Vec<f64>,
    w: Vec<f64>,
    dz: Vec<f64>,
    dw: Vec<f64>,
    pivots: usize,
    incumbent: Incumbent,
}

impl Baraff {
    /// The modes of the last answer, to start the next solve from.
    pub fn modes(&self) -> &[IndexMode] {
        &self.modes
    }

    /// Solves `problem` from the modes `start` (of another length than the problem's they are ignored); what has been
    /// reached is left in `x`, and is a solution only if the report says so.
    pub fn solve(&mut self, problem: &FrictionLcp, start: &[IndexMode], x: &mut Solution) -> Report {
        let n = problem.dim();
        self.pivots = 0;
        for vector in [&mut self.z, &mut self.w, &mut self.dz, &mut self.dw] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        x.resize(n);
        x.z.fill(0.0);
        self.incumbent.open(TOLERANCE);
        if problem.assess(&x.z).0 == Residual::INFINITE {
            return self.incumbent.report(Status::NumericalFailure);
        }
        let unit = 1.0 / scales(&problem.matrix, &problem.q).0;
        self.begin(problem, start, unit); // step 1
        let mut halt = None;
        while let Some(raised) = self.worst(problem, unit) {
            self.incumbent.iterations += 1; // step 2
            if let Err(end) = self.raise(problem, raised, unit) {
                halt = Some(end);
                break;
            }
        }
        self.incumbent.pivots = self.pivots;
        x.z.copy_from_slice(&self.z);
        let mut assessment = problem.assess(&x.z);
        if halt.is_none() && self.basic_solution(problem).is_ok() {
            let solved_anew = problem.assess(&self.z);
            if solved_anew.0.natural_map <= assessment.0.natural_map {
                x.z.copy_from_slice(&self.z);
                assessment = solved_anew;
            }
        }
        problem.eval(&x.z, &mut x.w);
        self.incumbent.adopt(assessment);
        let end = match halt {
            None | Some(Halt::Singular) => Status::Stalled,
            Some(Halt::Ray) => Status::Ray,
            Some(Halt::Limit) => Status::MaxIterations,
        };
        let report = self.incumbent.report(end);
        // Modes at which the method halted are no basis for the next solve, even where rounding lets the answer pass.
        if halt.is_some() { Report { status: end, ..report } } else { report }
    }

    /// Step 1.
    fn begin(&mut self, problem: &FrictionLcp, start: &[IndexMode], unit: f64) {
        let n = problem.dim();
        self.modes.clear();
        if start.len() == n {
            self.modes.extend_from_slice(start);
            if self.basic_solution(problem).is_ok() && self.is_complementary(problem, unit) {
                return;
            }
            self.modes.clear();
        }
        self.modes.resize(n, IndexMode::Idle);
        self.z.fill(0.0);
        problem.eval(&self.z, &mut self.w);
    }

    /// Whether all but idle normals are complementary.
    fn is_complementary(&self, problem: &FrictionLcp, unit: f64) -> bool {
        let small = ROUND_OFF * unit;
        (0..problem.dim()).all(|i| match (problem.laws[i], self.modes[i]) {
            (IndexLaw::Normal, IndexMode::Idle) => true,
            (IndexLaw::Normal, mode) => mode == IndexMode::Free && self.z[i] >= 0.0,
            (IndexLaw::Friction { normal, .. }, IndexMode::Idle) => {
                self.modes[normal] == IndexMode::Idle || self.w[i].abs() <= small
            }
            (IndexLaw::Friction { normal, .. }, mode) => {
                self.modes[normal] == IndexMode::Free
                    && match mode {
                        IndexMode::Upper => self.w[i] <= small,
                        IndexMode::Lower => self.w[i] >= -small,
                        _ => self.z[i].abs() <= problem.bound(i, &self.z),
                    }
            }
        })
    }

    /// The idle normal that breaks its law most.
    fn worst(&self, problem: &FrictionLcp, unit: f64) -> Option<usize> {
        let mut worst = None;
        let mut least = -ROUND_OFF * unit;
        for i in 0..problem.dim() {
            let idle = problem.laws[i] == IndexLaw::Normal && self.modes[i] == IndexMode::Idle;
            if idle && self.w[i] < least {
                (worst, least) = (Some(i), self.w[i]);
            }
        }
        worst
    }

    /// Column of an index with the friction that follows it, in row `i`.
    fn column(&self, problem: &FrictionLcp, i: usize, column: usize) -> f64 {
        let row = problem.row(i);
        let mut value = row[column];
        if problem.laws[column] == IndexLaw::Normal {
            for (k, law) in problem.laws.iter().enumerate() {
                if let IndexLaw::Friction { normal, mu } = *law
                    && normal == column
                {
                    value += self.modes[k].bound_factor() * mu * row[k];
                }
            }
        }
        value
    }

    /// Factors the block of the free indices, `skip` left out.
    fn factor(&mut self, problem: &FrictionLcp, skip: Option<usize>) -> Result<(), Halt> {
        self.free.clear();
        self.free.extend((0..problem.dim()).filter(|&i| self.modes[i] == IndexMode::Free && Some(i) != skip));
        let f = self.free.len();
        let mut lu = std::mem::take(&mut self.lu);
        let block = lu.matrix_mut(f);
        for (r, &i) in self.free.iter().enumerate() {
            for (c, &j) in self.free.iter().enumerate() {
                block[r * f + c] = self.column(problem, i, j);
            }
        }
        let outcome = if f == 0 { Ok(()) } else { lu.factor().map_err(|_| Halt::Singular) };
        self.lu = lu;
        outcome
    }

    /// Spreads the free part of a vector: friction at a bound follows its normal, the rest is zero.
    fn spread(modes: &[IndexMode], free: &[usize], part: &[f64], problem: &FrictionLcp, out: &mut [f64]) {
        out.fill(0.0);
        for (&i, value) in free.iter().zip(part) {
            out[i] = *value;
        }
        Self::follow(modes, problem, out);
    }

    fn follow(modes: &[IndexMode], problem: &FrictionLcp, out: &mut [f64]) {
        for (k, law) in problem.laws.iter().enumerate() {
            if let (IndexLaw::Friction { normal, mu }, true) = (*law, modes[k] != IndexMode::Free) {
                out[k] = modes[k].bound_factor() * mu * out[normal];
            }
        }
    }

    /// `z` and `w` of the present modes.
    fn basic_solution(&mut self, problem: &FrictionLcp) -> Result<(), Halt> {
        self.factor(problem, None)?;
        self.part.clear();
        self.part.extend(self.free.iter().map(|&i| -problem.q[i]));
        self.lu.solve(&mut self.part);
        Self::spread(&self.modes, &self.free, &self.part, problem, &mut self.z);
        problem.eval(&self.z, &mut self.w);
        Ok(())
    }

    /// Steps 2 to 4 for one normal index.
    fn raise(&mut self, problem: &FrictionLcp, raised: usize, unit: f64) -> Result<(), Halt> {
        let limit = 5000.max(50 * problem.dim());
        self.free_normal(problem, raised, unit);
        loop {
            self.direction(problem, raised)?;
            let Some((step, index, mode)) = self.first_event(problem, raised, unit) else {
                return Err(Halt::Ray);
            };
            for i in 0..problem.dim() {
                self.z[i] += step * self.dz[i];
                self.w[i] += step * self.dw[i];
            }
            self.pivots += 1;
            if index == raised {
                self.w[raised] = 0.0;
                return Ok(());
            }
            match (problem.laws[index], mode) {
                (IndexLaw::Normal, IndexMode::Free) => self.free_normal(problem, index, unit),
                (IndexLaw::Normal, _) => self.idle_normal(problem, index),
                _ => self.modes[index] = mode,
            }
            if self.pivots > limit {
                return Err(Halt::Limit);
            }
        }
    }

    /// Makes a normal active, from `z = 0`: its friction goes to the bound that opposes `w`.
    fn free_normal(&mut self, problem: &FrictionLcp, index: usize, unit: f64) {
        self.modes[index] = IndexMode::Free;
        for (k, law) in problem.laws.iter().enumerate() {
            if matches!(law, IndexLaw::Friction { normal, .. } if *normal == index) {
                self.modes[k] = IndexMode::against(self.w[k], ROUND_OFF * unit);
            }
        }
    }

    fn idle_normal(&mut self, problem: &FrictionLcp, index: usize) {
        self.modes[index] = IndexMode::Idle;
        self.z[index] = 0.0;
        for (k, law) in problem.laws.iter().enumerate() {
            if matches!(law, IndexLaw::Friction { normal, .. } if *normal == index) {
                self.modes[k] = IndexMode::Idle;
                self.z[k] = 0.0;
            }
        }
    }

    /// Step 3: how `z` and `w` change when the raised index's `z` grows by one.
    fn direction(&mut self, problem: &FrictionLcp, raised: usize) -> Result<(), Halt> {
        self.factor(problem, Some(raised))?;
        self.part.clear();
        for r in 0..self.free.len() {
            let value = -self.column(problem, self.free[r], raised);
            self.part.push(value);
        }
        self.lu.solve(&mut self.part);
        Self::spread(&self.modes, &self.free, &self.part, problem, &mut self.dz);
        self.dz[raised] = 1.0;
        Self::follow(&self.modes, problem, &mut self.dz);
        for i in 0..problem.dim() {
            let (sum, magnitude) = dot_and_magnitude(problem.row(i), &self.dz);
            let free = self.modes[i] == IndexMode::Free && i != raised;
            self.dw[i] = if free || sum.abs() <= ROUND_OFF * magnitude { 0.0 } else { sum };
        }
        Ok(())
    }

    /// The least step to an index that is about to break its law, and its mode from there on. Of several the first.
    fn first_event(
        &self,
        problem: &FrictionLcp,
        raised: usize,
        unit: f64,
    ) -> Option<(f64, usize, IndexMode)> {
        let mut first: Option<(f64, usize, IndexMode)> = None;
        let mut offer = |distance: f64, speed: f64, index: usize, mode: IndexMode| {
            if speed > 0.0 {
                let step = distance.max(0.0) / speed;
                if first.is_none_or(|(least, ..)| step < least) {
                    first = Some((step, index, mode));
                }
            }
        };
        let fastest = self.dz.iter().fold(0.0, |most: f64, dz| most.max(dz.abs()));
        let moves = |speed: f64| if speed.abs() <= ROUND_OFF * fastest { 0.0 } else { speed };
        for i in 0..problem.dim() {
            let (z, w, dz, dw) = (self.z[i], self.w[i], self.dz[i], self.dw[i]);
            match (problem.laws[i], self.modes[i]) {
                _ if i == raised => offer(-w, dw, i, IndexMode::Free),
                (IndexLaw::Normal, IndexMode::Free) => offer(z, moves(-dz), i, IndexMode::Idle),
                (IndexLaw::Normal, _) => {
                    if w >= -ROUND_OFF * unit {
                        offer(w, -dw, i, IndexMode::Free);
                    }
                }
                (IndexLaw::Friction { normal, mu }, IndexMode::Free) => {
                    let (bound, grows) = (mu * self.z[normal], mu * self.dz[normal]);
                    offer(bound - z, moves(dz - grows), i, IndexMode::Upper);
                    offer(bound + z, moves(-dz - grows), i, IndexMode::Lower);
                }
                (_, IndexMode::Upper) => offer(-w, dw, i, IndexMode::Free),
                (_, IndexMode::Lower) => offer(w, -dw, i, IndexMode::Free),
                (IndexLaw::Friction { normal, .. }, IndexMode::Idle) => {
                    if self.modes[normal] == IndexMode::Free {
                        offer(0.0, dw.abs(), i, IndexMode::Free);
                    }
                }
            }
        }
        first
    }
}
