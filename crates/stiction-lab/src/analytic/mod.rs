//! Analytic cases: scenes whose answers are known.
//!
//! Each case builds a scene, runs it with the engine's defaults but for what the scene says, and returns [`Check`]s: a quantity, its exact value by
//! a formula that the engine does not use, what was obtained, and how far the two may differ. A case that cannot run
//! or has an unsolved step counts as failed, with the reason.
//!
//! | file | what is known |
//! |---|---|
//! | `free_motion` | flight, spin, impacts without friction: the laws of Newton and Euler |
//! | `joints` | what a joint transmits: a heavy pendulum at rest and swinging |
//! | `dry_friction` | sliding, sticking and rolling by Coulomb's law |
//! | `rest` | forces and centres of pressure at rest |
//! | `in_motion` | what is held, swept or struck while it moves, under impulses at both ends of a step |
//! | `stacks` | loads of stacks and grasps, drift over long times |
//! | `elliptic` | complete elliptic integrals, for periods |
//! | `rig` | [`Rig`]: a scene under test, asked for what acts on its bodies |
//! | [`convergence`] | not cases but orders: the error of six scenes as the step is halved |

pub mod convergence;
mod dry_friction;
mod elliptic;
mod free_motion;
mod in_motion;
mod joints;
mod rest;
pub mod rig;
mod stacks;

pub use rig::{CaseError, Rig};

use crate::{Findings, Progress, table};
use serde::Serialize;

/// A scene with known answers.
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// What happens in it, in a line.
    pub about: &'static str,
    /// Runs it.
    pub run: fn() -> Result<Vec<Check>, CaseError>,
}

/// All cases, in the order in which they are listed.
pub fn cases() -> Vec<Case> {
    [free_motion::CASES, joints::CASES, dry_friction::CASES, rest::CASES, stacks::CASES, in_motion::CASES]
        .into_iter()
        .flatten()
        .map(|case| Case { ..*case })
        .collect()
}

/// One comparison. Numbers are NaN when the case could not run.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is compared, with its unit.
    pub quantity: String,
    /// Its value by the formula.
    pub exact: f64,
    /// What the engine says.
    pub obtained: f64,
    /// How far the two differ.
    pub error: f64,
    /// How far they may.
    pub bound: f64,
}

impl Check {
    /// The error is the difference, in the quantity's unit.
    pub fn absolute(quantity: impl Into<String>, exact: f64, obtained: f64, bound: f64) -> Self {
        Self { quantity: quantity.into(), exact, obtained, error: (obtained - exact).abs(), bound }
    }

    /// The error is the difference over the exact value.
    pub fn relative(quantity: impl Into<String>, exact: f64, obtained: f64, bound: f64) -> Self {
        let quantity = quantity.into() + ", relative";
        Self { quantity, exact, obtained, error: ((obtained - exact) / exact).abs(), bound }
    }

    /// Something that ought to be zero and is given as a size.
    pub fn zero(quantity: impl Into<String>, obtained: f64, bound: f64) -> Self {
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

    /// Whether the error is within the bound; one that is not a number is not.
    pub fn pass(&self) -> bool {
        self.error <= self.bound
    }
}

/// A check of a case as data; numbers that do not exist are `null`.
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

/// What came of cases.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Verification {
    lines: Vec<Line>,
}

impl Verification {
    /// Number of checks, and of those that failed.
    pub fn counts(&self) -> [usize; 2] {
        [self.lines.len(), self.lines.iter().filter(|line| !line.pass).count()]
    }
}

impl Findings for Verification {
    fn table(&self) -> String {
        listing(&self.lines)
    }
}

/// Runs cases.
pub fn verify(cases: &[Case], progress: Progress) -> Verification {
    let mut lines = Vec::new();
    for (done, case) in cases.iter().enumerate() {
        progress(done, cases.len());
        lines.extend(lines_of(case));
    }
    Verification { lines }
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
