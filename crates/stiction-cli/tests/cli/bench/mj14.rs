//! `stiction bench mj14-sphere` and `mj14-pendulum`: five solvers beside the closed form, and beside each other.

use super::number;
use crate::common::{scratch, stiction, stiction_in};
use serde_json::Value;

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// The larger of two numbers under a key.
fn larger(value: &Value, key: &str) -> f64 {
    array(value, key).iter().map(|v| v.as_f64().unwrap()).fold(0.0, f64::max)
}

/// The paper's, in its order.
const FIVE: [&str; 5] = ["MLCP-PATH", "MLCP-FB-RLM", "MLCP-FB-PLM", "MNCP-RLM", "MNCP-PLM"];

#[test]
fn a_sphere_slides_and_rolls_by_the_closed_form_except_where_a_pyramid_is_too_weak() {
    let json = stiction(&["bench", "mj14-sphere", "--json"]).exits_with(0).json();
    assert!((number(&json, "sliding") - 0.291_247).abs() < 1e-6);
    assert!((number(&json, "rolling") - 10.0 / 7.0).abs() < 1e-15);
    let root_two = 2.0_f64.sqrt();
    for example in array(&json, "examples") {
        let name = example["name"].as_str().unwrap();
        let throws = array(example, "throws");
        let names: Vec<&str> = throws.iter().map(|t| t["scheme"].as_str().unwrap()).collect();
        if name == "2 aligned" {
            assert_eq!(names, [&FIVE[..3], &["pyramid default"]].concat());
        } else {
            assert_eq!(names, [&FIVE[..], &["default", "pyramid default"]].concat());
        }
        for throw in throws {
            assert_eq!(number(throw, "unsolved"), 0.0, "{throw}");
            assert!(number(throw, "worst_residual") <= 1.01e-10, "{throw}");
            assert!(number(throw, "error_of_model") <= 1e-9, "{throw}");
            let pyramid = throw["directions"].is_number();
            assert_eq!(number(throw, "variables"), if pyramid { 6.0 } else { 3.0 });
            let (error, slides) = (larger(throw, "error"), number(throw, "slides_until"));
            match name {
                "1" | "2 aligned" => assert!(error <= 1e-9, "{throw}"),
                _ if !pyramid => assert!(error <= 1e-9, "{throw}"),
                "2" => {
                    let lost = 4.0 / 7.0 * (1.0 - 1.0 / root_two);
                    assert!((error - lost).abs() < 1e-3, "{throw}");
                    assert!((slides - 0.291_247 * root_two).abs() <= 1e-3, "{throw}");
                }
                // Pulled to the side by up to 2/7 v0 (cos 22.5 - sin 22.5) sin 22.5 degrees.
                _ => assert!((larger(throw, "error") - 0.118_34).abs() < 1e-3, "{throw}"),
            }
            if error <= 1e-9 {
                assert!((slides - 0.291_247).abs() <= 1e-3, "{throw}");
            }
        }
    }
}

#[test]
fn the_error_of_a_pyramid_vanishes_like_the_square_of_its_angle() {
    let json = stiction(&["bench", "mj14-sphere", "--json"]).exits_with(0).json();
    let throws = array(&json, "directions");
    assert_eq!(throws.len(), 4 * 7);
    for throw in throws {
        let k = number(throw, "directions");
        assert_eq!(number(throw, "variables"), k + 2.0);
        let lost = 4.0 / 7.0 * (1.0 - (std::f64::consts::PI / k).cos());
        let measured = larger(throw, "error");
        // The end of sliding lies within a step.
        assert!(measured <= lost + 1e-9 && measured >= lost - 2e-3 * lost - 1e-9, "{lost} {throw}");
    }
}

#[test]
fn the_table_and_the_pictures_of_the_sphere_have_every_solver() {
    let dir = scratch("bench_mj14_sphere");
    let out = stiction_in(&dir, &["bench", "mj14-sphere", "--out", "pictures"]).exits_with(0).stdout;
    for word in
        ["0.29125 s", "0.41189 s", "path", "fb-rlm", "fb-plm", "mncp-rlm", "mncp-plm", "chain", "lemke"]
    {
        assert!(out.contains(word), "{word:?} is not in {out}");
    }
    for example in ["1", "2", "2-aligned", "22.5"] {
        let svg = std::fs::read_to_string(dir.join(format!("pictures/mj14-sphere-{example}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("MLCP-FB-PLM") && svg.contains("friction (N)"));
    }
    let svg = std::fs::read_to_string(dir.join("pictures/mj14-sphere-directions.svg")).unwrap();
    assert!(svg.contains("solve of a step"));
}

#[test]
fn every_solver_swings_the_pendulum_certified_and_without_free_energy() {
    let dir = scratch("bench_mj14_pendulum");
    let args = ["bench", "mj14-pendulum", "--duration", "2", "--repeat", "1", "--json", "--out", "pictures"];
    let json = stiction_in(&dir, &args).exits_with(0).json();
    let runs = array(&json, "runs");
    let names: Vec<&str> = runs.iter().map(|run| run["scheme"].as_str().unwrap()).collect();
    assert_eq!(names, [&FIVE[..], &["default", "redundant"]].concat());
    assert_eq!((number(&json, "restitution"), json["impact"].as_str()), (0.7, Some("poisson")));
    let paper: Vec<f64> = runs[..5].iter().map(|run| number(run, "paper")).collect();
    assert_eq!(paper, [23.92, 22.78, 24.24, 22.85, 22.82]);
    for run in runs {
        assert_eq!((number(run, "steps"), number(run, "unsolved")), (2000.0, 0.0), "{run}");
        assert!(number(run, "worst_residual") <= 1e-8, "{run}");
        assert!(number(run, "free_rise") <= 1e-3, "{run}");
        assert!(number(run, "bounces") > 0.0 && number(run, "worst_bilateral") <= 1e-8, "{run}");
        let redundant = run["scheme"] == "redundant";
        assert_eq!(number(run, "velocities"), if redundant { 72.0 } else { 12.0 }, "{run}");
        assert_eq!(number(run, "adding"), 0.0, "{run}");
        assert!((number(run, "first_contact") - 0.143).abs() <= 2e-3, "{run}");
        assert!(number(run, "end_energy") < number(run, "start_energy"), "{run}");
        let times = &run["times"];
        for stage in ["collision", "free_velocity", "rows", "solve", "integrate", "certificate"] {
            assert!(number(times, stage) > 0.0, "{run}");
        }
        let sum: f64 = times.as_object().unwrap().values().map(|time| time.as_f64().unwrap()).sum();
        assert!((sum - number(run, "time")).abs() < 1e-9, "{run}");
    }
    // The same problem in other clothes: rounding needs time to part them.
    assert_eq!(array(&json, "parted").len(), names.len() * (names.len() - 1) / 2);
    for pair in array(&json, "parted").iter().filter(|pair| pair["second"] != "redundant") {
        assert!(array(pair, "times").iter().all(|t| t.as_f64().is_none_or(|t| t > 0.5)), "{pair}");
    }
    for picture in ["height", "velocity", "energy"] {
        let svg = std::fs::read_to_string(dir.join(format!("pictures/mj14-pendulum-{picture}.svg"))).unwrap();
        assert!(svg.contains("MNCP-PLM") && svg.contains("the end, all runs"));
    }
}

#[test]
fn the_table_of_the_pendulum_has_the_papers_times_and_no_duration_is_refused() {
    let out =
        stiction(&["bench", "mj14-pendulum", "--duration", "0.2", "--repeat", "1"]).exits_with(0).stdout;
    for word in ["23.92", "22.78", "24.24", "22.85", "22.82", "set-up/s", "parted at/s", "never", "0 of 200"]
    {
        assert!(out.contains(word), "{word:?} is not in {out}");
    }
    let inelastic = ["bench", "mj14-pendulum", "--duration", "0.2", "--repeat", "1", "--restitution", "0"];
    let inelastic = stiction(&[&inelastic[..], &["--impact", "newton"]].concat()).exits_with(0).stdout;
    assert!(inelastic.contains("restitution 0 (newton)") && inelastic != out, "{inelastic}");
    let refused = stiction(&["bench", "mj14-pendulum", "--restitution", "1.5"]).exits_with(2);
    assert!(refused.stderr.contains("restitution"), "{}", refused.stderr);
    let refused = stiction(&["bench", "mj14-pendulum", "--duration", "-1"]).exits_with(2);
    assert!(refused.stderr.contains("positive number of seconds"), "{}", refused.stderr);
    stiction(&["bench", "mj14-pendulum", "--repeat", "0"]).exits_with(2);
}
