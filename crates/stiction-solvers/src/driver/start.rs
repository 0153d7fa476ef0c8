//! Where a solve starts: from a guess, from a basis, or from nothing.

use crate::problem::{ActiveSet, Problem, Report, Solution, Start};

/// Gives `x` the length `n`, and says whether it holds a guess: a warm start, of that length, all numbers finite.
pub(crate) fn take_guess(start: Start, n: usize, x: &mut Solution) -> bool {
    let guess = matches!(start, Start::Warm) && x.z.len() == n && x.z.iter().all(|z| z.is_finite());
    x.resize(n);
    guess
}

/// The basis to start from, if there is one for `n` unknowns.
pub(crate) fn basis(start: Start<'_>, n: usize) -> Option<&ActiveSet> {
    match start {
        Start::Basis(set) if set.len() == n => Some(set),
        _ => None,
    }
}

/// Ends a solve whose data are not finite: the answer is the point of the set nearest to zero, with `w = 0`.
pub(crate) fn refuse<P: Problem + ?Sized>(problem: &P, x: &mut Solution) -> Report {
    x.resize(problem.dim());
    x.z.fill(0.0);
    problem.project(&mut x.z);
    x.w.fill(0.0);
    Report::NOT_FINITE
}
