//! The tables of `stiction bench cones`, in Markdown.

use stiction_solvers::samples::{Motion, StepClass};
use stiction_solvers::{Report, Status};

use super::prototype;

/// Iterations within which a solver alone is to be done.
const CAP: usize = 1000;

/// A solve from nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) report: Report,
    /// How the solve to the strict tolerance ended.
    pub(super) strict: Status,
    /// (s)
    pub(super) time: f64,
}

/// A solve of a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) class: StepClass,
    pub(super) report: Report,
    /// (s)
    pub(super) time: f64,
}

/// Columns for problems solved from nothing.
pub(super) const COLD: [&str; 9] = [
    "problems",
    "solver",
    "of",
    "1e-6/1e-9/1e-12",
    "in 1000 iterations",
    "iterations",
    "factorizations",
    "time/us",
    "prototype",
];

/// Columns for sequences.
pub(super) const WARM: [&str; 8] =
    ["motion", "class", "solver", "steps", "unsolved", "factorizations", "time/us", "prototype"];

/// Title and header.
pub(super) fn begin(title: &str, header: &[&str]) -> String {
    let rule = header.iter().map(|_| "---").collect::<Vec<_>>();
    format!("\n## {title}\n\nWork and times are median/p95/max.\n\n{}{}", row(header), row(&rule))
}

fn row<S: AsRef<str>>(cells: &[S]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A row of the first kind.
pub(super) fn cold(name: &[&str], solver: &str, outcomes: &[Outcome], published: &str) -> String {
    let count = |test: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| test(outcome)).count();
    let solved = |o: &Outcome| o.report.status == Status::Solved;
    let rough = count(&|o| solved(o) || o.report.residual.natural_map <= 1e-6);
    let strict = count(&|o| o.strict == Status::Solved);
    let capped = count(&|o| solved(o) && o.report.iterations <= CAP);
    let of = |value: &dyn Fn(&Outcome) -> f64| spread(outcomes.iter().map(value).collect(), 0);
    row(&[
        name.join(", "),
        solver.into(),
        outcomes.len().to_string(),
        format!("{rough}/{}/{strict}", count(&solved)),
        capped.to_string(),
        of(&|o| o.report.iterations as f64),
        of(&|o| o.report.pivots as f64),
        of(&|o| 1e6 * o.time),
        published.into(),
    ])
}

/// The rows of a motion.
pub(super) fn warm(motion: Motion, solver: &str, steps: &[Step]) -> String {
    let of_class = |class: StepClass| {
        let own: Vec<&Step> = steps.iter().filter(|step| step.class == class).collect();
        let unsolved = own.iter().filter(|step| step.report.status != Status::Solved).count();
        row(&[
            motion.name().into(),
            class.name().into(),
            solver.into(),
            own.len().to_string(),
            unsolved.to_string(),
            spread(own.iter().map(|step| step.report.pivots as f64).collect(), 0),
            spread(own.iter().map(|step| 1e6 * step.time).collect(), 1),
            prototype::sequence(motion, class, solver).into(),
        ])
    };
    StepClass::ALL.into_iter().map(of_class).collect()
}

/// Median, 95th percentile and maximum, or a dash.
fn spread(mut values: Vec<f64>, digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    let at = |part: usize| values.get((values.len() * part / 100).min(values.len().saturating_sub(1)));
    match (at(50), at(95), values.last()) {
        (Some(median), Some(high), Some(most)) => {
            format!("{median:.digits$}/{high:.digits$}/{most:.digits$}")
        }
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_median_high_and_maximum() {
        assert_eq!(spread((1..=100).rev().map(f64::from).collect(), 0), "51/96/100");
        assert_eq!(spread(vec![2.5], 1), "2.5/2.5/2.5");
        assert_eq!(spread(vec![], 1), "-");
    }
}
