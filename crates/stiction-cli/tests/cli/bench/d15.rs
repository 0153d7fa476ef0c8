//! `stiction bench d15-grasp` and `d15-complexity` in their quick forms: structure, and facts that hold on any machine.

use super::number;
use crate::common::{scratch, stiction, stiction_in};

#[test]
fn the_blocks_are_held_without_drift_by_all_but_lemkes_method_alone() {
    let json = stiction(&["bench", "d15-grasp", "--quick", "--trials", "3", "--json"]).exits_with(0).json();
    let rows = json["rows"].as_array().unwrap();
    for row in rows {
        let [model, solver] = ["model", "solver"].map(|key| row[key].as_str().unwrap());
        let variables = match model {
            "stewart-trinkle" => 216.0,
            "cone" => 108.0,
            _ => 36.0,
        };
        assert_eq!(number(row, "contacts"), 36.0, "{row}");
        assert_eq!(number(row, "variables"), variables, "{row}");
        // Lemke's method alone ends at vertices about which the blocks swing, or nowhere, as in the paper.
        if !["lemke", "lemke shuffled"].contains(&solver) {
            assert_eq!(number(row, "unsolved"), 0.0, "{row}");
            assert_eq!(number(row, "regularized"), 0.0, "{row}");
            assert_eq!(number(row, "held"), number(&json, "hold_steps"), "{row}");
            assert!(number(row, "drift_hold") <= 1e-9, "{row}");
        }
    }
    let names: Vec<[&str; 3]> =
        rows.iter().map(|row| ["model", "solver", "start"].map(|key| row[key].as_str().unwrap())).collect();
    assert_eq!(names.len(), 12, "{names:?}");
    assert!(number(&json, "orders_held") > 0.5 * number(&json, "orders"), "{json}");
    let of = |solver: &str| &rows[names.iter().position(|name| name[1..] == [solver, "cold"]).unwrap()];
    let ppm = of("ppm");
    assert!(number(ppm, "pivots_mean") <= 6.0 && number(ppm, "pivots_max") <= 7.0, "{ppm}");
    // Table I is about time. What does not depend on the machine: a pivot of Lemke's method updates a square of its
    // unknowns, one of ppm at most a row of the 14 velocities for each of its own.
    for lemke in ["lemke", "lemke shuffled"] {
        let lemke = number(of(lemke), "pivots_mean") * 216.0 * 216.0;
        assert!(lemke > 6.6 * number(ppm, "pivots_mean") * 36.0 * 14.0);
    }
    assert_eq!(number(&of("lemke")["paper"], "mean"), 10.9681);
}

#[test]
fn the_table_of_the_grasp_stands_beside_the_papers() {
    let dir = scratch("bench_d15_grasp");
    let args = ["bench", "d15-grasp", "--quick", "--trials", "1", "--hold", "20", "--out", "pictures"];
    let out = stiction_in(&dir, &args).exits_with(0).stdout;
    for word in ["216", "proximal-lemke", "lemke shuffled", "no-slip-paper", "1096810", "166800"] {
        assert!(out.contains(word), "{word:?} is not in {out}");
    }
    let svg = std::fs::read_to_string(dir.join("pictures/d15-grasp.svg")).unwrap();
    assert!(svg.contains("drift of the blocks") && svg.contains("no-slip-paper, ppm"), "{svg}");
}

#[test]
fn work_is_bounded_by_the_velocities_for_methods_that_never_form_the_matrix() {
    let dir = scratch("bench_complexity");
    let args = ["bench", "d15-complexity", "--quick", "--json", "--out", "pictures"];
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
    // A pivot of ppm costs O(m^2 + m n) at most: with pivots that grow no faster than the velocities m, work is linear in the
    // number n of contacts. Lemke's method pivots once for each active contact and pays n^2 for it.
    let pivots = |solver: usize, contacts: f64| {
        let points = solvers[solver]["points"].as_array().unwrap();
        number(points.iter().find(|point| number(point, "contacts") == contacts).unwrap(), "pivots")
    };
    assert!(pivots(0, 1000.0) <= 4.0 * number(&json, "velocities"), "{json}");
    assert!(pivots(0, 1000.0) <= pivots(0, 100.0), "{json}");
    let svg = std::fs::read_to_string(dir.join("pictures/d15-complexity.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("ppm: slope"), "{svg}");
}
