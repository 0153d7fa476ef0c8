//! Cone problems through the conic library: the associated law at once, Coulomb's by a fixed point.
//!
//! # Problem
//! [`ConeNcp`], in the units of `normalized`. Under the associated law it is the optimality condition of
//!
//! minimize `1/2 x . W x + (q + s) . x` over the cones, with `s = 0`;
//!
//! under Coulomb's law the same with De Saxce's correction `s = (mu |u_t|, 0, 0)` of the solution itself.
//!
//! # Method
//! 1. Solve the program with the library. Tangents of contacts without slip are free, as if they were active.
//! 2. Associated law: done. Coulomb's law: the new `s` from the velocities, and again.
//!
//! # Convergence and failure
//! The program as Clarabel does, to a tolerance of about 1e-8. The fixed point converges linearly where friction is moderate
//! (Acary and others 2011), and not at all on many sliding contacts of large friction: the best answer is returned. The
//! matrix must be symmetric.
//!
//! # Cost
//! A program a round, each some 10 to 20 sparse factorizations of all rows.
//!
//! # References
//! V. Acary, F. Cadoux, C. Lemarechal, J. Malick, *A formulation of the linear discrete Coulomb friction problem via convex
//! optimization*, ZAMM 91 (2011) 155-175.

use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT, ZeroConeT};

use crate::cones::normalized::{Law, Normalized};
use crate::cones::state::{Limits, State};
use crate::conic::InteriorPoint;
use crate::conic::interior_point::{ASYMMETRY, Program, Triplets, allows_start, run_library};
use crate::problem::cones::cone::tangent_norm;
use crate::problem::{ConeNcp, Lcp, Report, Solution, Solver, Start, Status};

/// Rounds of the fixed point.
const ROUNDS: usize = 100;

impl Solver<ConeNcp> for InteriorPoint {
    fn solve(&mut self, problem: &ConeNcp, start: Start, x: &mut Solution) -> Report {
        let mut state = State::default();
        let limits = Limits::of_descent(self.settings().tolerance, self.settings().time_limit, false);
        if let Err(report) = state.open_dense(problem, limits, start, x) {
            return report;
        }
        let mut s = vec![0.0; state.x.len()];
        let mut status = Status::MaxIterations;
        for round in 0..ROUNDS {
            if !allows_start(state.incumbent.budget(), state.x.len()) {
                status = Status::TimeLimit;
                break;
            }
            let Some(program) = pose(&state.problem, &s) else {
                return state.close(problem, Status::NumericalFailure, x);
            };
            let Some((impulses, _, iterations, _)) =
                run_library(self.settings(), state.incumbent.budget(), &program)
            else {
                status = Status::NumericalFailure;
                break;
            };
            state.incumbent.iterations += iterations;
            state.incumbent.pivots += iterations;
            if impulses.iter().any(|x| !x.is_finite()) {
                status = Status::NumericalFailure;
                break;
            }
            state.x.copy_from_slice(&impulses);
            state.problem.project(&mut state.x);
            if state.look(problem) {
                status = Status::Solved;
                break;
            }
            if state.problem.associated || round + 1 == ROUNDS {
                status = if state.problem.associated { Status::Stalled } else { status };
                break;
            }
            correct(&state.problem, &state.y, &mut s);
        }
        state.close(problem, status, x)
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        Solver::<Lcp>::limit_time(self, seconds);
    }
}

/// Step 2.
fn correct(problem: &Normalized, y: &[f64], s: &mut [f64]) {
    for cell in &problem.cells {
        if let Law::Coulomb { mu } = cell.law {
            s[cell.row] = mu * tangent_norm(&y[cell.rows()]);
        }
    }
}

/// The program, with rows in the order of the library's cones. `None` if the operator is not symmetric.
fn pose(problem: &Normalized, s: &[f64]) -> Option<Program> {
    let n = problem.len();
    let w = problem.dense()?;
    let mut hessian = Triplets::default();
    let largest = w.iter().fold(0.0, |worst: f64, w| worst.max(w.abs()));
    for j in 0..n {
        for i in 0..=j {
            let (above, below) = (w[i * n + j], w[j * n + i]);
            if (above - below).abs() > ASYMMETRY * largest {
                return None;
            }
            hessian.add(i, j, 0.5 * (above + below));
        }
    }
    let (mut rows, mut right, mut cones) = (Triplets::default(), Vec::new(), Vec::new());
    let mut push = |entry: Option<(usize, f64)>, bound: f64| {
        if let Some((column, value)) = entry {
            rows.add(right.len(), column, value);
        }
        right.push(bound);
    };
    // Equations first, then signs, then friction cones.
    let mut count = 0;
    for cell in &problem.cells {
        match cell.law {
            Law::Interval { lower, upper } if lower == upper => {
                push(Some((cell.row, 1.0)), lower);
                count += 1;
            }
            Law::Coulomb { mu: 0.0 } => {
                for i in cell.row + 1..cell.row + cell.dim {
                    push(Some((i, 1.0)), 0.0);
                    count += 1;
                }
            }
            _ => {}
        }
    }
    cones.push(ZeroConeT(count));
    count = 0;
    for cell in &problem.cells {
        match cell.law {
            Law::Nonnegative | Law::NoSlip | Law::Coulomb { mu: 0.0 } => {
                push(Some((cell.row, -1.0)), 0.0);
                count += 1;
            }
            Law::Interval { lower, upper } if lower < upper => {
                for (sign, bound) in [(1.0, upper), (-1.0, -lower)] {
                    if bound.is_finite() {
                        push(Some((cell.row, sign)), bound);
                        count += 1;
                    }
                }
            }
            _ => {}
        }
    }
    cones.push(NonnegativeConeT(count));
    for cell in &problem.cells {
        if let Law::Coulomb { mu } = cell.law
            && mu > 0.0
        {
            push(Some((cell.row, -mu)), 0.0);
            (cell.row + 1..cell.row + cell.dim).for_each(|i| push(Some((i, -1.0)), 0.0));
            cones.push(SecondOrderConeT(cell.dim));
        }
    }
    let gradient = problem.q.iter().zip(s).map(|(q, s)| q + s).collect();
    let rows = rows.matrix(right.len(), n);
    Some(Program { hessian: hessian.matrix(n, n), gradient, rows, right, cones })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cones::newton::proximal::{Ppn, PpnSettings};
    use crate::conic::InteriorPointSettings;
    use crate::problem::FrictionLaw;
    use crate::samples::{Form, islands};

    #[test]
    fn the_convex_law_has_the_velocities_that_newtons_method_finds() {
        let settings = InteriorPointSettings { tolerance: 1e-5, ..Default::default() };
        let mut solver = InteriorPoint::new(settings).unwrap();
        let mut ppn = Ppn::new(PpnSettings::default()).unwrap();
        let (mut solved, mut total) = (0, 0);
        for sample in islands::Family::Box.samples(1).iter().step_by(7) {
            let problem = sample.system.problem(Form::Dense).unwrap();
            let soft = vec![1e-3; problem.q().len()];
            let problem = problem.with_law(FrictionLaw::Associated).with_compliance(soft).unwrap();
            let (mut a, mut b) = (Solution::default(), Solution::default());
            total += 1;
            if solver.solve(&problem, Start::Cold, &mut a).status != Status::Solved {
                continue;
            }
            assert_eq!(ppn.solve(&problem, Start::Cold, &mut b).status, Status::Solved);
            let size = problem.q().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
            assert!(a.w.iter().zip(&b.w).all(|(a, b)| (a - b).abs() < 1e-3 * size), "{}", sample.name);
            solved += 1;
        }
        // Friction of 100 and more is beyond the library.
        assert!(solved * 10 >= total * 7, "{solved} of {total}");
    }

    #[test]
    fn the_fixed_point_solves_most_boxes_under_coulombs_law() {
        let settings = InteriorPointSettings { tolerance: 1e-6, ..Default::default() };
        let mut solver = InteriorPoint::new(settings).unwrap();
        let (mut solved, mut total) = (0, 0);
        for sample in islands::Family::Box.samples(1).iter().step_by(9) {
            let problem = sample.system.problem(Form::Dense).unwrap();
            let mut x = Solution::default();
            let report = solver.solve(&problem, Start::Cold, &mut x);
            total += 1;
            solved += usize::from(report.status == Status::Solved);
            assert!(report.residual.natural_map.is_finite());
        }
        assert!(solved * 2 >= total, "{solved} of {total}");
    }
}
