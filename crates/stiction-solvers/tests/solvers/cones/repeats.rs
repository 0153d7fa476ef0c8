//! A solver's answer depends on the problem and the start, to the bit, and on nothing that it solved before: what a restored
//! snapshot, another process or a shuffled batch rely on.

use stiction_solvers::samples::random::{self, Range};
use stiction_solvers::samples::{Form, Sample};
use stiction_solvers::{ConeNcp, ConeSolver, Problem, Solution, Solver, Start};

/// Problems of all kinds of blocks and sizes, large and small in turn, dense and factored.
fn problems() -> Vec<ConeNcp> {
    let sample = |seed: u64| -> Sample {
        match seed % 3 {
            0 => random::contacts(seed, Range::USUAL),
            1 => random::mixed(seed, Range::USUAL),
            _ => random::planted(seed, Range::USUAL).0,
        }
    };
    let form = |seed: u64| if seed % 4 < 3 { Form::Dense } else { Form::Factored };
    // Small enough that every solver takes milliseconds.
    let mut problems: Vec<ConeNcp> = (0..60)
        .map(|seed| sample(seed).system.problem(form(seed)).unwrap())
        .filter(|problem| problem.dim() <= 24)
        .take(16)
        .collect();
    problems.sort_by_key(Problem::dim);
    let small = problems.len() / 2;
    (0..small).flat_map(|i| [problems[problems.len() - 1 - i].clone(), problems[i].clone()]).collect()
}

/// The bits of a cold answer, then of one started near it.
fn bits(solver: &mut dyn Solver<ConeNcp>, problem: &ConeNcp) -> Vec<u64> {
    let mut x = Solution::default();
    let cold = solver.solve(problem, Start::Cold, &mut x);
    let mut bits: Vec<u64> = x.z.iter().chain(&x.w).map(|v| v.to_bits()).collect();
    x.z.iter_mut().enumerate().for_each(|(i, z)| *z *= 1.0 + 1e-3 * (i % 7) as f64);
    let warm = solver.solve(problem, Start::Warm, &mut x);
    bits.extend(x.z.iter().chain(&x.w).map(|v| v.to_bits()));
    for report in [cold, warm] {
        bits.extend([report.iterations as u64, report.pivots as u64, report.residual.natural_map.to_bits()]);
    }
    bits
}

#[test]
fn what_a_cone_solver_has_solved_before_leaves_no_trace() {
    let problems = problems();
    for name in ConeSolver::NAMES {
        let choice: ConeSolver = name.parse().unwrap();
        let mut used = choice.make().unwrap();
        for (i, problem) in problems.iter().enumerate() {
            let mut fresh = choice.make().unwrap();
            assert_eq!(bits(&mut *used, problem), bits(&mut *fresh, problem), "{name}, problem {i}");
        }
    }
}
