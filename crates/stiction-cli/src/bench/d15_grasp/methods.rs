//! Contact models and solvers for the same step of the grasp.
//!
//! * *Stewart-Trinkle*: normals `n`, four friction directions `D` a contact and a multiplier `lambda`,
//!   `0 <= (r_n, beta, lambda)  perp  (u_n, D u_t + lambda, mu r_n - sum beta) >= 0`: six unknowns a contact, by Lemke's
//!   method, and by proximal-point steps around it, which spread impulses that are not unique. Lemke's method is there twice:
//!   with the contacts in the order given, by faces and along their rims, and shuffled. All contacts of a face approach
//!   alike, every ratio test has ties, and the order of the unknowns breaks them.
//! * *No slip*: tangential velocities vanish. Independent tangent rows (found one by one, as in the paper's algorithm 2)
//!   span what is held; what remains of the normal rows across that span is a problem of one unknown a contact,
//!   `0 <= z  perp  Y' Y'^T z + q >= 0`, by principal pivoting or by the active-set method for quadratic programs.
//! * *Exact cone*: Coulomb's law with round cones, by the chain of Newton and interior-point methods.
//!
//! # References
//! D. E. Stewart, J. C. Trinkle, International Journal for Numerical Methods in Engineering 39 (1996) 2673-2691.
//! E. Drumwright, *Rapidly computable viscous friction and no-slip rigid contact models*, 2015, sections V and VI.

use std::time::Instant;

use stiction_solvers::{
    ActiveSet, ActiveSetQp, ActiveSetQpSettings, Chain, ChainSettings, Cone, ConeNcp, Delassus, FactoredLcp,
    Lcp, Lemke, LemkeSettings, Ppm, PpmSettings, ProximalLemke, ProximalSettings, Report, Solution, Solver,
    SolverError, Start,
};

use super::scene::{Rows, VELOCITIES};

/// Coefficient of friction of the Coulomb models.
const MU: f64 = 100.0;
/// A row is held by the tangents if less than this share of its length is across their span.
const DEPENDENT: f64 = 1e-6;

/// A contact model with its solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    StewartTrinkleLemke,
    /// With the contacts in an order of this number.
    StewartTrinkleShuffled(u64),
    StewartTrinkleProximal,
    NoSlipActiveSet,
    NoSlipPpm,
    ExactConeChain,
}

impl Model {
    /// In the order of the table.
    pub(crate) const ALL: [Model; 6] = [
        Model::StewartTrinkleLemke,
        Model::StewartTrinkleShuffled(1),
        Model::StewartTrinkleProximal,
        Model::NoSlipActiveSet,
        Model::NoSlipPpm,
        Model::ExactConeChain,
    ];

    /// Names of model and solver.
    pub(crate) fn names(self) -> [&'static str; 2] {
        match self {
            Model::StewartTrinkleLemke => ["stewart-trinkle", "lemke"],
            Model::StewartTrinkleShuffled(_) => ["stewart-trinkle", "lemke shuffled"],
            Model::StewartTrinkleProximal => ["stewart-trinkle", "proximal-lemke"],
            Model::NoSlipActiveSet => ["no-slip", "active-set-qp"],
            Model::NoSlipPpm => ["no-slip", "ppm"],
            Model::ExactConeChain => ["exact-cone", "chain"],
        }
    }

    /// Running time of the paper's table I: mean and standard deviation (s).
    pub(crate) fn published(self) -> Option<[f64; 2]> {
        match self {
            Model::StewartTrinkleLemke => Some([10.9681, 2.1812]),
            Model::NoSlipActiveSet => Some([1.9892, 0.2640]),
            Model::NoSlipPpm => Some([1.6680, 0.3669]),
            Model::StewartTrinkleShuffled(_) | Model::StewartTrinkleProximal | Model::ExactConeChain => None,
        }
    }
}

/// What a step's contact problem took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) report: Report,
    pub(crate) variables: usize,
    /// From the rows to the problem, and the solver's call alone (s).
    pub(crate) pose: f64,
    pub(crate) solve: f64,
}

/// A model at work, with what it carries from step to step.
pub(crate) struct Method {
    kind: Kind,
    warm: bool,
    x: Solution,
    basis: ActiveSet,
    /// Number of the order in which contacts are dealt, and the problem's data in it.
    shuffle: Option<u64>,
    dealt: Rows,
}

enum Kind {
    StewartTrinkle(Box<Lemke>, Lcp),
    Proximal(Box<ProximalLemke>, Lcp),
    ActiveSet(Box<ActiveSetQp>, NoSlip),
    Ppm(Box<Ppm>, NoSlip),
    ExactCone(Box<Chain>, ConeNcp),
}

impl Method {
    /// The model; if `warm`, each solve begins at the answer of the step before.
    pub(crate) fn new(model: Model, warm: bool) -> Result<Method, SolverError> {
        let kind = match model {
            Model::StewartTrinkleLemke | Model::StewartTrinkleShuffled(_) => {
                Kind::StewartTrinkle(Box::new(Lemke::new(LemkeSettings::default())?), Lcp::empty())
            }
            Model::StewartTrinkleProximal => {
                let proximal = ProximalLemke::new(ProximalSettings::default())?;
                Kind::Proximal(Box::new(proximal), Lcp::empty())
            }
            Model::NoSlipActiveSet => Kind::ActiveSet(
                Box::new(ActiveSetQp::new(ActiveSetQpSettings::default())?),
                NoSlip::default(),
            ),
            Model::NoSlipPpm => Kind::Ppm(Box::new(Ppm::new(PpmSettings::default())?), NoSlip::default()),
            Model::ExactConeChain => {
                Kind::ExactCone(Box::new(Chain::new(ChainSettings::default())?), ConeNcp::default())
            }
        };
        let shuffle = match model {
            Model::StewartTrinkleShuffled(number) => Some(number),
            _ => None,
        };
        let (x, basis, dealt) = (Solution::default(), ActiveSet::default(), Rows::default());
        Ok(Method { kind, warm, x, basis, shuffle, dealt })
    }

    /// Makes the next step begin from nothing.
    pub(crate) fn forget(&mut self) {
        self.x.z.clear();
        self.basis = ActiveSet::default();
    }

    /// Solves the contact problem of a step and writes `p` after it.
    pub(crate) fn step(&mut self, rows: &Rows, momentum: &mut Vec<f64>) -> Result<Work, SolverError> {
        let mut dealt = std::mem::take(&mut self.dealt);
        let rows = match self.shuffle {
            Some(number) => {
                rows.deal(&shuffled(rows.contacts(), number), &mut dealt);
                &dealt
            }
            None => rows,
        };
        let work = self.step_in_order(rows, momentum);
        self.dealt = dealt;
        work
    }

    fn step_in_order(&mut self, rows: &Rows, momentum: &mut Vec<f64>) -> Result<Work, SolverError> {
        let begin = Instant::now();
        match &mut self.kind {
            Kind::StewartTrinkle(_, problem) | Kind::Proximal(_, problem) => stewart_trinkle(rows, problem),
            Kind::ActiveSet(_, no_slip) | Kind::Ppm(_, no_slip) => no_slip.pose(rows)?,
            Kind::ExactCone(_, problem) => exact_cone(rows, problem)?,
        }
        let posed = Instant::now();
        let (x, basis) = (&mut self.x, &self.basis);
        let pivoting = if self.warm && !basis.is_empty() { Start::Basis(basis) } else { Start::Cold };
        let carried = if self.warm && !x.z.is_empty() { Start::Warm } else { Start::Cold };
        let report = match &mut self.kind {
            Kind::StewartTrinkle(lemke, problem) => lemke.solve(problem, pivoting, x),
            Kind::Proximal(proximal, problem) => Solver::solve(proximal.as_mut(), problem, carried, x),
            Kind::ActiveSet(active_set, no_slip) => active_set.solve(&no_slip.problem, pivoting, x),
            Kind::Ppm(ppm, no_slip) => ppm.solve(&no_slip.problem, pivoting, x),
            Kind::ExactCone(chain, problem) => chain.solve(problem, carried, x),
        };
        let solved = Instant::now();
        match &self.kind {
            Kind::StewartTrinkle(lemke, _) => self.basis.clone_from(lemke.active_set()),
            Kind::ActiveSet(active_set, _) => self.basis.clone_from(active_set.active_set()),
            Kind::Ppm(ppm, _) => self.basis.clone_from(ppm.active_set()),
            Kind::Proximal(..) | Kind::ExactCone(..) => {}
        }
        self.push(rows, momentum);
        Ok(Work {
            report,
            variables: self.x.z.len(),
            pose: (posed - begin).as_secs_f64(),
            solve: (solved - posed).as_secs_f64(),
        })
    }

    /// Writes what the impulses make of the free momentum.
    fn push(&self, rows: &Rows, momentum: &mut Vec<f64>) {
        momentum.clone_from(&rows.free);
        let z = &self.x.z;
        match &self.kind {
            Kind::StewartTrinkle(..) | Kind::Proximal(..) => {
                let n = rows.contacts();
                for i in 0..n {
                    let friction = &z[n + 4 * i..n + 4 * i + 4];
                    add(momentum, rows.row(i, 0), z[i]);
                    add(momentum, rows.row(i, 1), friction[0] - friction[1]);
                    add(momentum, rows.row(i, 2), friction[2] - friction[3]);
                }
            }
            Kind::ActiveSet(_, no_slip) | Kind::Ppm(_, no_slip) => {
                no_slip.release(momentum);
                for (i, z) in z.iter().enumerate() {
                    add(momentum, no_slip.problem.row(i), *z);
                }
                // What rounding left of the tangential velocities.
                no_slip.release(momentum);
            }
            Kind::ExactCone(..) => {
                for (row, z) in rows.half.chunks_exact(VELOCITIES).zip(z) {
                    add(momentum, row, *z);
                }
            }
        }
    }
}

/// The problem without slip in the space across the tangent rows.
#[derive(Default)]
struct NoSlip {
    /// Orthonormal rows that span the tangent rows.
    held: Vec<f64>,
    problem: FactoredLcp,
}

impl NoSlip {
    fn pose(&mut self, rows: &Rows) -> Result<(), SolverError> {
        self.held.clear();
        for i in 0..rows.contacts() {
            for k in [1, 2] {
                self.hold(rows.row(i, k));
            }
        }
        let n = rows.contacts();
        let (mut half, mut q) = (Vec::with_capacity(n * VELOCITIES), Vec::with_capacity(n));
        for i in 0..n {
            let (at, row) = (half.len(), rows.row(i, 0));
            half.extend_from_slice(row);
            self.release(&mut half[at..]);
            if Self::depends(&half[at..], row) {
                // Held by the tangents already: what rounding leaves of the row is no direction to push in.
                half[at..].fill(0.0);
                q.push(rows.approach[i].max(0.0));
            } else {
                q.push(dot(&half[at..], &rows.free) + rows.approach[i]);
            }
        }
        self.problem = FactoredLcp::from_half(VELOCITIES, half, q)?;
        Ok(())
    }

    /// Takes a row into the span unless it depends on it.
    fn hold(&mut self, row: &[f64]) {
        if self.held.len() == VELOCITIES * VELOCITIES {
            return;
        }
        let mut across: [f64; VELOCITIES] = std::array::from_fn(|k| row[k]);
        self.release(&mut across);
        if !Self::depends(&across, row) {
            // Once more: what a short rest has lost in rounding.
            self.release(&mut across);
            let scale = 1.0 / dot(&across, &across).sqrt();
            self.held.extend(across.iter().map(|a| scale * a));
        }
    }

    /// Whether what is `across` the span is as good as nothing of a row.
    fn depends(across: &[f64], row: &[f64]) -> bool {
        dot(across, across) <= DEPENDENT * DEPENDENT * dot(row, row)
    }

    /// Leaves of a vector what is across the span.
    fn release(&self, vector: &mut [f64]) {
        for held in self.held.chunks_exact(VELOCITIES) {
            let share = dot(held, vector);
            vector.iter_mut().zip(held).for_each(|(v, h)| *v -= share * h);
        }
    }
}

/// The numbers below `n` in a random order (Fisher-Yates, by a linear congruential generator).
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut state = seed;
    for i in (1..n).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The upper bits are the random ones.
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

/// Unknowns: normal impulses, then friction along `t1, -t1, t2, -t2` contact by contact, then multipliers.
fn stewart_trinkle(rows: &Rows, problem: &mut Lcp) {
    let n = rows.contacts();
    let size = 6 * n;
    let product = gram(rows);
    let u = |row: usize| dot(&rows.half[row * VELOCITIES..(row + 1) * VELOCITIES], &rows.free);
    // The row of Y and the sign of an impulse.
    let direction = |i: usize| match i.checked_sub(n) {
        None => (3 * i, 1.0),
        Some(k) => (3 * (k / 4) + 1 + k % 4 / 2, if k % 2 == 0 { 1.0 } else { -1.0 }),
    };
    problem.resize(size);
    let matrix = problem.matrix_mut();
    for i in 0..5 * n {
        let (row, sign) = direction(i);
        for j in 0..5 * n {
            let (column, other) = direction(j);
            matrix[i * size + j] = sign * other * product[row * 3 * n + column];
        }
    }
    for contact in 0..n {
        let lambda = 5 * n + contact;
        matrix[lambda * size + contact] = MU;
        for k in n + 4 * contact..n + 4 * contact + 4 {
            matrix[k * size + lambda] = 1.0;
            matrix[lambda * size + k] = -1.0;
        }
    }
    for i in 0..5 * n {
        let (row, sign) = direction(i);
        let gap = if i < n { rows.approach[i] } else { 0.0 };
        problem.q_mut()[i] = sign * u(row) + gap;
    }
}

fn exact_cone(rows: &Rows, problem: &mut ConeNcp) -> Result<(), SolverError> {
    problem.refill(|data| {
        data.cones.clear();
        data.cones.resize(rows.contacts(), Cone::Coulomb { dim: 3, mu: MU });
        *data.delassus = Delassus::Dense(gram(rows));
        data.q.clear();
        data.q.extend(rows.half.chunks_exact(VELOCITIES).map(|row| dot(row, &rows.free)));
        rows.approach.iter().enumerate().for_each(|(i, gap)| data.q[3 * i] += gap);
        data.compliance.clear();
        data.compliance.resize(data.q.len(), 0.0);
    })
}

/// `Y Y^T`, row-major.
fn gram(rows: &Rows) -> Vec<f64> {
    let size = 3 * rows.contacts();
    let mut product = vec![0.0; size * size];
    for i in 0..size {
        let own = &rows.half[i * VELOCITIES..(i + 1) * VELOCITIES];
        for (j, other) in rows.half.chunks_exact(VELOCITIES).take(i + 1).enumerate() {
            let value = dot(own, other);
            product[i * size + j] = value;
            product[j * size + i] = value;
        }
    }
    product
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f64], row: &[f64], factor: f64) {
    sum.iter_mut().zip(row).for_each(|(s, r)| *s += factor * r);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::super::scene::{Normals, Scene};
    use super::*;
    use stiction_solvers::Status;

    /// The first step under a model: problem, impulse of every normal row and momentum.
    fn first_step(model: Model) -> (Rows, Solution, Vec<f64>) {
        let (mut rows, mut momentum) = (Rows::default(), Vec::new());
        Scene::new(Normals::Face).pose(&mut rows);
        let mut method = Method::new(model, false).unwrap();
        let work = method.step(&rows, &mut momentum).unwrap();
        assert_eq!(work.report.status, Status::Solved);
        (rows, method.x, momentum)
    }

    #[test]
    fn the_blocks_stay_at_rest_unless_lemkes_method_says_otherwise() {
        for model in Model::ALL.into_iter().filter(|model| *model != Model::StewartTrinkleLemke) {
            let (_, _, momentum) = first_step(model);
            assert!(momentum.iter().all(|p| p.abs() < 1e-11), "{model:?}: {momentum:?}");
        }
    }

    #[test]
    fn blocks_may_swing_about_the_points_that_carry_them_by_right_answers() {
        let (rows, x, momentum) = first_step(Model::StewartTrinkleLemke);
        let speed = |contact: usize, k: usize| dot(rows.row(contact, k), &momentum);
        let sliding = |i: usize| speed(i, 1).hypot(speed(i, 2));
        // A gripper's whole impulse is 0.2 N s, nearly all of it in one point, which stays.
        for gripper_face in [0, 2] {
            let heaviest =
                (12 * gripper_face..12 * gripper_face + 12).max_by(|i, j| x.z[*i].total_cmp(&x.z[*j]));
            let heaviest = heaviest.unwrap();
            assert!(x.z[heaviest] > 0.199 && sliding(heaviest) < 1e-12, "{heaviest}: {}", x.z[heaviest]);
        }
        // Everywhere friction is within its pyramid, and at its edge where a point slides.
        assert!((0..36).any(|i| sliding(i) > 1e-2), "{momentum:?}");
        for i in 0..36 {
            let friction: f64 = x.z[36 + 4 * i..40 + 4 * i].iter().sum();
            let margin = MU * x.z[i] - friction;
            assert!(speed(i, 0) > -1e-12 && margin > -1e-10, "{i}");
            assert!(sliding(i) < 1e-10 || margin < 1e-10, "{i}: {margin}");
        }
    }

    #[test]
    fn an_order_of_contacts_has_each_once_and_changes_nothing_but_their_places() {
        let (mut rows, mut dealt) = (Rows::default(), Rows::default());
        Scene::new(Normals::Face).pose(&mut rows);
        let order = shuffled(36, 1);
        rows.deal(&order, &mut dealt);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..36) && order != shuffled(36, 2) && dealt.free == rows.free);
        for (place, &contact) in order.iter().enumerate() {
            assert_eq!(dealt.approach[place], rows.approach[contact]);
            assert!((0..3).all(|k| dealt.row(place, k) == rows.row(contact, k)));
        }
    }

    #[test]
    fn a_face_without_slip_holds_three_velocities_and_three_faces_eight() {
        let mut rows = Rows::default();
        Scene::new(Normals::Face).pose(&mut rows);
        let mut no_slip = NoSlip::default();
        no_slip.pose(&rows).unwrap();
        // Three spins of two blocks between faces that do not turn depend on each other: 9 - 1.
        assert_eq!(no_slip.held.len(), 8 * VELOCITIES);
        assert!((0..36).all(|i| no_slip.problem.row(i).iter().any(|y| y.abs() > 1e-3)));
    }

    #[test]
    fn tangents_of_normals_along_all_axes_hold_every_relative_velocity() {
        let mut rows = Rows::default();
        Scene::new(Normals::Tripled).pose(&mut rows);
        let mut no_slip = NoSlip::default();
        no_slip.pose(&rows).unwrap();
        // All but the common motion along the rails.
        assert_eq!(no_slip.held.len(), 13 * VELOCITIES);
        assert!(no_slip.problem.half().iter().all(|y| *y == 0.0));
    }
}
