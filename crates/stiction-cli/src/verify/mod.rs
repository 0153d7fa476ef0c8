//! `stiction verify`: simulates scenes with known answers and compares.
//!
//! Each case builds a scene, runs it with the engine's defaults, and returns checks: a quantity, its exact value by
//! a formula that the engine does not use, what was obtained, and how far the two may differ. A case that cannot run
//! or has an unsolved step counts as failed, with the reason.

mod dry_friction;
mod elliptic;
mod free_motion;
mod joints;
mod rest;
mod rig;
mod stacks;

use crate::error::CliError;
use crate::progress::Progress;
use crate::{output, table};
use rig::CaseError;
use serde::Serialize;
use stiction::scene::did_you_mean;

/// Arguments of `stiction verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// Scenes to verify [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Print one JSON list
    #[arg(long)]
    json: bool,
    /// List the scenes and do nothing else
    #[arg(long)]
    list: bool,
}

/// A scene with known answers.
pub(crate) struct Case {
    /// Name on the command line.
    pub(crate) name: &'static str,
    /// What happens in it, in a line.
    pub(crate) about: &'static str,
    /// Runs it.
    pub(crate) run: fn() -> Result<Vec<Check>, CaseError>,
}

/// All cases, in the order in which they are listed.
fn cases() -> Vec<Case> {
    [free_motion::CASES, joints::CASES, dry_friction::CASES, rest::CASES, stacks::CASES]
        .into_iter()
        .flatten()
        .map(|case| Case { ..*case })
        .collect()
}

/// One comparison. Numbers are NaN when the case could not run.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    quantity: String,
    exact: f64,
    obtained: f64,
    error: f64,
    bound: f64,
}

impl Check {
    /// The error is the difference, in the quantity's unit.
    pub(crate) fn absolute(quantity: impl Into<String>, exact: f64, obtained: f64, bound: f64) -> Self {
        Self { quantity: quantity.into(), exact, obtained, error: (obtained - exact).abs(), bound }
    }

    /// The error is the difference over the exact value.
    pub(crate) fn relative(quantity: impl Into<String>, exact: f64, obtained: f64, bound: f64) -> Self {
        let quantity = quantity.into() + ", relative";
        Self { quantity, exact, obtained, error: ((obtained - exact) / exact).abs(), bound }
    }

    /// Something that ought to be zero and is given as a size.
    pub(crate) fn zero(quantity: impl Into<String>, obtained: f64, bound: f64) -> Self {
        Self::absolute(quantity, 0.0, obtained, bound)
    }

    fn failed(reason: &CaseError) -> Self {
        let nothing = f64::NAN;
        Self {
            quantity: format!("did not run: {reason}"),
            exact: nothing,
            obtained: nothing,
            error: nothing,
            bound: nothing,
        }
    }

    /// NaN does not pass.
    fn pass(&self) -> bool {
        self.error <= self.bound
    }
}

/// A line of `verify --json`; numbers that do not exist are `null`.
#[derive(Debug, Serialize)]
struct Line {
    scene: &'static str,
    quantity: String,
    exact: f64,
    obtained: f64,
    error: f64,
    bound: f64,
    pass: bool,
}

/// Runs the command.
pub(crate) fn verify(args: &VerifyArgs) -> Result<(), CliError> {
    let chosen = choose(&args.names)?;
    if args.list {
        return list(&chosen, args.json);
    }
    let progress = Progress::new("verify", chosen.len() as u64, false);
    let mut lines = Vec::new();
    for (done, case) in chosen.iter().enumerate() {
        progress.at(done as u64);
        lines.extend(lines_of(case));
    }
    progress.done();
    if args.json {
        output::json(&lines)?
    } else {
        output::data(&listing(&lines))?
    }
    let failed = lines.iter().filter(|line| !line.pass).count();
    if failed == 0 { Ok(()) } else { Err(CliError::ChecksFailed { failed, total: lines.len() }) }
}

/// Runs a case; one that cannot run becomes a single failed line with the reason.
fn lines_of(case: &Case) -> Vec<Line> {
    let checks = (case.run)().unwrap_or_else(|error| vec![Check::failed(&error)]);
    let line = |check: Check| Line {
        scene: case.name,
        pass: check.pass(),
        quantity: check.quantity,
        exact: check.exact,
        obtained: check.obtained,
        error: check.error,
        bound: check.bound,
    };
    checks.into_iter().map(line).collect()
}

/// The cases of these names, in the order of the list; all without names.
fn choose(names: &[String]) -> Result<Vec<Case>, CliError> {
    let all = cases();
    for name in names {
        if !all.iter().any(|case| case.name == name) {
            let known = all.iter().map(|case| case.name);
            let hint = did_you_mean(name, known.clone());
            let known: Vec<&str> = known.collect();
            return Err(CliError::Usage(format!(
                "there is no scene {name} to verify{hint}; there are: {}",
                known.join(", ")
            )));
        }
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| name == case.name);
    Ok(all.into_iter().filter(wanted).collect())
}

fn list(cases: &[Case], json: bool) -> Result<(), CliError> {
    #[derive(Serialize)]
    struct Entry {
        scene: &'static str,
        about: &'static str,
    }
    if json {
        let entries: Vec<Entry> =
            cases.iter().map(|case| Entry { scene: case.name, about: case.about }).collect();
        return output::json(&entries);
    }
    output::data(&table::pairs(&cases.iter().map(|c| (c.name, c.about.to_string())).collect::<Vec<_>>()))
}

fn listing(lines: &[Line]) -> String {
    let header = ["scene", "quantity", "exact", "obtained", "error", "bound", "verdict"];
    let right = [false, false, true, true, true, true, false];
    let number = |x: f64| match x {
        x if x.is_nan() => "-".to_string(),
        x if x != 0.0 && x.abs() < 1e-4 => format!("{x:.2e}"),
        x => format!("{x:.9}"),
    };
    let size = |x: f64| if x.is_nan() { "-".to_string() } else { format!("{x:.1e}") };
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            vec![
                line.scene.to_string(),
                line.quantity.clone(),
                number(line.exact),
                number(line.obtained),
                size(line.error),
                size(line.bound),
                if line.pass { "pass" } else { "FAIL" }.to_string(),
            ]
        })
        .collect();
    let passed = lines.iter().filter(|line| line.pass).count();
    table::columns(&header, &right, &rows) + &format!("\n{passed} of {} checks pass\n", lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_at_the_bound_passes_and_one_that_is_not_a_number_does_not() {
        assert!(Check::absolute("x", 1.0, 1.5, 0.5).pass());
        assert!(!Check::absolute("x", 1.0, 1.5, 0.4).pass());
        assert!(!Check::absolute("x", 1.0, f64::NAN, f64::INFINITY).pass());
        assert!(Check::relative("x", -2.0, -2.2, 0.11).pass());
        assert!(!Check::relative("x", -2.0, 2.0, 0.11).pass());
    }

    #[test]
    fn a_case_that_cannot_run_is_a_failed_line_with_the_reason_and_no_numbers() {
        let run = || Err(CaseError::Unsolved { time: 0.5, status: "Ray".into() });
        let lines = lines_of(&Case { name: "x", about: "", run });
        assert_eq!(lines.len(), 1);
        let json = serde_json::to_value(&lines[0]).unwrap();
        assert_eq!(json["pass"], false);
        assert!(json["error"].is_null() && json["obtained"].is_null());
        assert!(json["quantity"].as_str().unwrap().contains("unsolved step at t = 0.5 s (Ray)"));
        assert!(listing(&lines).contains("FAIL"));
    }

    #[test]
    fn names_of_cases_are_unique() {
        let mut names: Vec<&str> = cases().iter().map(|c| c.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
