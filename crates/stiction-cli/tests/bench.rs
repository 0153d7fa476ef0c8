//! `stiction bench d15-grasp`, `d15-complexity` and `convergence` in their quick forms: structure, and facts that hold on any
//! machine.

#![allow(clippy::panic, reason = "a test may panic")]

mod common;

use common::{scratch, stiction, stiction_in};
use serde_json::Value;

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

#[test]
fn the_blocks_are_held_without_drift_by_all_but_lemkes_method_in_the_order_given() {
    let json = stiction(&["bench", "d15-grasp", "--quick", "--trials", "3", "--json"]).exits_with(0).json();
    let rows = json["rows"].as_array().unwrap();
    let mut names: Vec<[&str; 3]> = Vec::new();
    for row in rows {
        let [model, solver, start] = ["model", "solver", "start"].map(|key| row[key].as_str().unwrap());
        names.push([model, solver, start]);
        let variables = match model {
            "stewart-trinkle" => 216.0,
            "no-slip" => 36.0,
            _ => 108.0,
        };
        assert_eq!(number(row, "variables"), variables, "{row}");
        assert_eq!(number(row, "failures"), 0.0, "{row}");
        assert_eq!(number(row, "regularized"), 0.0, "{row}");
        assert!(number(&row["solve"], "least") < number(&row["run"], "mean"), "{row}");
        // Lemke's answers are right and let the blocks swing: see the command's own tests.
        if solver != "lemke" {
            assert_eq!(number(row, "held"), number(&json, "hold_steps"), "{row}");
            assert!(number(row, "drift_hold") <= 1e-9, "{row}");
        }
        if start == "warm" && solver != "lemke" {
            assert!(number(row, "pivots_mean") < number(row, "pivots_max"), "{row}");
        }
    }
    let of = |solver: &str| &rows[names.iter().position(|name| name[1..] == [solver, "cold"]).unwrap()];
    assert_eq!(names.len(), 12, "{names:?}");
    assert!(number(&json, "orders_held") > 0.5 * number(&json, "orders"));
    assert!(number(of("ppm"), "pivots_mean") <= 6.0 && number(of("ppm"), "pivots_max") <= 7.0);
    for lemke in ["lemke", "lemke shuffled"] {
        assert!(number(of(lemke), "solve_step") > 6.6 * number(of("ppm"), "solve_step"));
    }
    assert_eq!(number(&of("lemke")["paper"], "mean"), 10.9681);
}

#[test]
fn the_papers_tripled_normals_have_as_many_contacts() {
    let args = ["bench", "d15-grasp", "--normals", "tripled", "--trials", "1", "--hold", "20"];
    let out = stiction(&args).exits_with(0).stdout;
    for word in ["216", "proximal-lemke", "10.97 +- 2.18", "given, not found", "tripled"] {
        assert!(out.contains(word), "{word:?} is not in {out}");
    }
}

#[test]
fn work_grows_in_proportion_to_the_contacts_for_methods_that_never_form_the_matrix() {
    let dir = scratch("bench_complexity");
    let args = ["bench", "d15-complexity", "--quick", "--json", "--svg", "growth.svg"];
    let json = stiction_in(&dir, &args).exits_with(0).json();
    let solvers = json["solvers"].as_array().unwrap();
    let names: Vec<&str> = solvers.iter().map(|s| s["solver"].as_str().unwrap()).collect();
    assert_eq!(names, ["ppm", "active-set-qp", "dantzig", "lemke"]);
    for solver in solvers {
        for point in solver["points"].as_array().unwrap() {
            assert_eq!(point["solved"], true, "{solver}");
            assert!(number(point, "worst_residual") <= 1e-10 && number(point, "time") > 0.0, "{point}");
        }
    }
    // The bound is 1.15 on a machine of one's own; others may be at work here.
    assert!(number(&solvers[0], "slope") < 1.4, "{}", solvers[0]);
    assert!(number(&solvers[0], "slope") < number(&solvers[3], "slope"), "{json}");
    let svg = std::fs::read_to_string(dir.join("growth.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("ppm: slope"), "{svg}");
}

#[test]
fn errors_vanish_with_the_step_to_first_order_in_contact_and_to_fourth_in_flight() {
    let dir = scratch("bench_convergence");
    let args = ["bench", "convergence", "--quick", "--json", "--svg", "orders.svg"];
    let json = stiction_in(&dir, &args).exits_with(0).json();
    let scenes = json["scenes"].as_array().unwrap();
    assert_eq!((json["contact"].as_str(), scenes.len()), (Some("cone"), 6));
    for scene in scenes {
        let points = scene["points"].as_array().unwrap();
        assert_eq!(points.len(), 4);
        assert!(points.iter().all(|point| number(point, "unsolved") == 0.0), "{scene}");
        let order = number(scene, "order");
        assert!(order >= if scene["free"] == true { 3.8 } else { 0.9 }, "{scene}");
        assert!(number(&points[3], "error") < 0.2 * number(&points[0], "error"), "{scene}");
    }
    assert!(std::fs::read_to_string(dir.join("orders.svg")).unwrap().contains("drop: order"));
}

#[test]
fn the_contact_model_of_the_convergence_is_a_choice() {
    let out = stiction(&["bench", "convergence", "--quick", "--contact", "stewart-trinkle"]).exits_with(0);
    assert!(out.stdout.contains("Contact model stewart-trinkle"), "{}", out.stdout);
    let refused = stiction(&["bench", "convergence", "--contact", "glue"]).exits_with(2);
    assert!(refused.stderr.contains("'glue' is unknown"), "{}", refused.stderr);
}
