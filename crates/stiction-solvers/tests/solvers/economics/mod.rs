//! Equilibria of economies: problems whose functions have poles beside the bounds, and whose prices may be of any size.
//!
//! Every answer is judged in the test itself, in the problem's own units: `z` in its bounds, `F(z)` of the sign that belongs
//! there, and what the literature knows of it.

mod cases;
mod dual;

use cases::{Case, Known};
use dual::Function;
use stiction_solvers::{
    FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Mcp, Path, PathSettings, Robust, RobustSettings, Smooth,
    Solution, Solver, Start, Status,
};

/// Largest entry of `z - mid(l, z - F(z), u)`.
fn natural_map(problem: &Mcp<Function>, (lower, upper): (&[f64], &[f64]), z: &[f64]) -> f64 {
    let mut f = vec![0.0; z.len()];
    problem.function().value(z, &mut f);
    let entry = |i: usize| (z[i] - (z[i] - f[i]).max(lower[i]).min(upper[i])).abs();
    let entries = (0..z.len()).map(entry);
    entries.fold(0.0, |worst, entry| if entry.is_nan() { f64::INFINITY } else { entry.max(worst) })
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// Whether an answer is what is known; `first` is the answer from another start, if there was one.
fn agrees(known: &Known, z: &[f64], first: &mut Option<Vec<f64>>) -> bool {
    match known {
        Known::Only(answer, digits) => distance(answer, z) <= *digits,
        Known::OneOf(answers, digits) => answers.iter().any(|answer| distance(answer, z) <= *digits),
        Known::UpToPrices(answer, quantities) => {
            let prices = |z: &[f64]| z[*quantities..].iter().sum::<f64>();
            let unit = prices(answer) / prices(z);
            let scale = |(i, z): (usize, &f64)| if i < *quantities { *z } else { z * unit };
            let scaled: Vec<f64> = z.iter().enumerate().map(scale).collect();
            // A bound of a price may be the largest of them, and then keeps the others from being smaller beside it.
            distance(answer, &scaled) <= 1e-4
        }
        Known::Same => distance(first.get_or_insert_with(|| z.to_vec()), z) <= 1e-6,
        Known::Nothing => true,
    }
}

type Named = (&'static str, Box<dyn Solver<Mcp<Function>>>);

fn solvers() -> [Named; 4] {
    [
        ("path", Box::new(Path::new(PathSettings::default()).unwrap())),
        ("fb-plm", Box::new(FbPlm::new(FbPlmSettings::default()).unwrap())),
        ("robust", Box::new(Robust::new(RobustSettings::default()).unwrap())),
        ("fb-rlm", Box::new(FbRlm::new(FbRlmSettings::default()).unwrap())),
    ]
}

/// Solves the cases from all their starts, and from nothing. Whatever is called solved must be an answer; `must_solve` says of
/// whom all have to be. Returns how many solves there were, and how many of them each solver did.
fn check(cases: Vec<Case>, exact: bool, must_solve: &[&str]) -> (usize, [usize; 4]) {
    let (mut solves, mut solved) = (0, [0; 4]);
    for Case { name, function, lower, upper, starts, known } in cases {
        let function = if exact { function } else { dual::by_differences(function, &lower, &upper) };
        let problem = Mcp::new(function, lower.clone(), upper.clone()).unwrap();
        let mut first = None;
        for (number, start) in starts.iter().map(Some).chain([None]).enumerate() {
            solves += 1;
            for ((solver_name, mut solver), solved) in solvers().into_iter().zip(&mut solved) {
                let mut x = Solution { z: start.cloned().unwrap_or_default(), w: vec![] };
                let from = if start.is_some() { Start::Warm } else { Start::Cold };
                let report = solver.solve(&problem, from, &mut x);
                let what = format!("{name} by {solver_name} from start {number}: {report:?} {:?}", x.z);
                if report.status == Status::Solved {
                    *solved += 1;
                    let error = natural_map(&problem, (&lower, &upper), &x.z);
                    assert!(error <= 1e-6 && agrees(&known, &x.z, &mut first), "{what} {error:e}");
                } else {
                    assert!(!must_solve.contains(&solver_name), "{what}");
                }
            }
        }
    }
    eprintln!("of {solves} solves path, fb-plm, robust and fb-rlm did {solved:?}");
    (solves, solved)
}

fn economies(lower: f64) -> Vec<Case> {
    vec![
        cases::five_firms(lower),
        cases::five_firms_and_a_price(lower),
        cases::ten_firms(lower),
        cases::mathiesen(0.75, [1.0, 0.5], lower),
        cases::mathiesen(0.75, [1.0, 2.0], lower),
        cases::mathiesen(0.9, [5.0, 3.0], lower),
        cases::scarf(lower),
        cases::kehoe(lower),
        cases::exchange(5, 1.0, lower),
        cases::exchange(8, 0.4, lower),
        cases::exchange(10, 2.0, lower),
        cases::transport(lower),
    ]
}

#[test]
fn equilibria_are_found_from_every_start_whatever_the_least_price_with_and_without_a_jacobian() {
    let (mut solves, mut by_damping) = (0, 0);
    for exact in [true, false] {
        for lower in [0.0, 1e-8, 1e-6, 1e-2] {
            let (count, solved) = check(economies(lower), exact, &["path", "fb-plm", "robust"]);
            solves += count;
            by_damping += solved[3];
        }
    }
    // Regular damping ends in local minima beside the poles more often than the others.
    assert!(by_damping * 20 >= solves * 19, "{by_damping} of {solves}");
}

#[test]
fn small_problems_of_the_literature_are_solved_from_every_start() {
    for exact in [true, false] {
        let all = vec![cases::quadratic(true), cases::quadratic(false), cases::billups()];
        let _ = check(all, exact, &["path", "fb-plm", "robust", "fb-rlm"]);
    }
}

#[test]
fn conditions_without_a_multiplier_at_a_cusp_are_never_called_solved() {
    // N19 (jkitchin/ripopt #19): residuals as small as one likes, and no solution.
    for exact in [true, false] {
        let (_, solved) = check(vec![cases::cusp()], exact, &[]);
        assert_eq!(solved, [0; 4]);
    }
}
