//! The public data suites, read from the folder that the variable STICTION_DATA names.
#![allow(dead_code, clippy::unwrap_used, reason = "not every test file uses every suite; a test may panic")]

use serde_json::Value;
use stiction_solvers::{BlockSparse, BoxLcp, Cone, ConeNcp, Delassus, Lcp, Mlcp, MlcpBlocks};

use crate::common::stewart_trinkle;

/// A problem with its name, and whether it has a solution.
pub(crate) struct Case<P> {
    pub(crate) name: String,
    pub(crate) problem: P,
    pub(crate) solvable: bool,
}

/// The problems of one file, or nothing (said loudly) when the environment does not name the data folder.
fn cases<P>(file: &str, count: usize, read: impl Fn(&Value) -> P) -> Vec<Case<P>> {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return Vec::new();
    };
    let text = std::fs::read_to_string(std::path::Path::new(&folder).join(file)).unwrap();
    let suite: Value = serde_json::from_str(&text).unwrap();
    let problems = suite["problems"].as_array().unwrap();
    assert_eq!(problems.len(), count, "{file}");
    problems
        .iter()
        .map(|p| Case {
            name: p["name"].as_str().unwrap().to_string(),
            problem: read(p),
            solvable: p["solvable"].as_bool().unwrap_or(true),
        })
        .collect()
}

/// All numbers of a vector, or of a matrix given by rows.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// The 51 linear problems, 47 of them solvable.
pub(crate) fn linear() -> Vec<Case<Lcp>> {
    cases("lcp/lcp_suite.json", 51, |p| Lcp::new(numbers(&p["M"]), numbers(&p["q"])).unwrap())
}

/// The 24 Stewart-Trinkle problems.
pub(crate) fn contact() -> Vec<Case<Lcp>> {
    cases("stlcp/st_lcp_suite.json", 24, |p| {
        let friction = numbers(&p["mu"]);
        let gaps = vec![0.0; friction.len()];
        let k = p["k"].as_u64().unwrap() as usize;
        stewart_trinkle(&numbers(&p["W"]), &numbers(&p["q_contact"]), &gaps, &friction, k)
    })
}

/// The 6 box problems; `A x = b + w` in the file.
pub(crate) fn boxes() -> Vec<Case<BoxLcp>> {
    cases("lcp/blcp_suite.json", 6, |p| {
        let bounds = |key: &str, none: f64| -> Vec<f64> {
            p[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(none)).collect()
        };
        let q = numbers(&p["b"]).iter().map(|b| -b).collect();
        let (lower, upper) = (bounds("lo", f64::NEG_INFINITY), bounds("hi", f64::INFINITY));
        BoxLcp::new(numbers(&p["A"]), q, lower, upper).unwrap()
    })
}

/// The 17 mixed problems.
pub(crate) fn mixed() -> Vec<Case<Mlcp>> {
    cases("mlcp/mlcp_suite.json", 17, |p| {
        let [a, c, d, b, a_vector, b_vector] = ["A", "C", "D", "B", "a", "b"].map(|key| numbers(&p[key]));
        let blocks = MlcpBlocks { a: &a, c: &c, d: &d, b: &b, a_vector: &a_vector, b_vector: &b_vector };
        Mlcp::new(&blocks).unwrap()
    })
}

/// The 54 problems of contact with friction, by name, in block-sparse form.
pub(crate) fn frictional() -> Vec<Case<ConeNcp>> {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return Vec::new();
    };
    let files = std::fs::read_dir(std::path::Path::new(&folder).join("fc")).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| !path.ends_with("index.json"));
    paths.sort();
    assert_eq!(paths.len(), 54);
    paths
        .iter()
        .map(|path| {
            let problem: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            Case {
                name: problem["name"].as_str().unwrap().into(),
                problem: frictional_problem(&problem),
                solvable: true,
            }
        })
        .collect()
}

fn frictional_problem(file: &Value) -> ConeNcp {
    let indices = |value: &Value| -> Vec<usize> {
        value.as_array().unwrap().iter().map(|i| i.as_u64().unwrap() as usize).collect()
    };
    let dim = file["dim"].as_u64().unwrap() as usize;
    let cones: Vec<Cone> = numbers(&file["mu"]).into_iter().map(|mu| Cone::Coulomb { dim, mu }).collect();
    let (w, values) = (&file["W"], numbers(&file["W"]["val"]));
    let operator = BlockSparse {
        starts: (0..=cones.len()).map(|i| dim * i).collect(),
        row_ptr: indices(&w["rowptr"]),
        columns: indices(&w["col"]),
        value_ptr: (0..=values.len() / (dim * dim)).map(|k| dim * dim * k).collect(),
        values,
    };
    ConeNcp::new(cones, Delassus::Sparse(operator), numbers(&file["q"])).unwrap()
}
