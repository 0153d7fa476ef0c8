//! Problems as JSON text that [`read`](crate::io::read) takes back without the loss of a bit.

use serde_json::{Value, json};

use crate::problem::{AnyProblem, Bounded, Cone, ConeNcp, Delassus, FrictionLaw, Mcp, Polynomial};

/// The text of a problem in its own form; see [the table](super).
///
/// A number that is not finite has no place in JSON and becomes `null`, which the reader refuses by name; an infinite bound of
/// a cone problem is the text `"inf"`. A cone problem is written as `fc-1` if it is one of rigid Coulomb contacts of one
/// dimension with its operator in blocks or dense, else as `cone-ncp-1`.
///
/// ```
/// use stiction_solvers::io::{parse, to_json};
/// use stiction_solvers::{AnyProblem, Lcp};
/// let problem = Lcp::new(vec![2.0], vec![-1.0]).unwrap().into();
/// let text = to_json("small", &problem);
/// let read = &parse(&text, "inline", "").unwrap()[0].problem;
/// assert!(matches!(read, AnyProblem::Lcp(problem) if problem.q() == [-1.0]));
/// ```
pub fn to_json(name: &str, problem: &AnyProblem) -> String {
    to_json_with_start(name, problem, None)
}

/// The same, with a guess to start from.
pub fn to_json_with_start(name: &str, problem: &AnyProblem, start: Option<&[f64]>) -> String {
    let body = match problem {
        AnyProblem::Lcp(p) => {
            let n = p.q().len();
            json!({"format": "lcp-1", "M": rows(p.matrix(), n), "q": p.q()})
        }
        AnyProblem::BoxLcp(p) => {
            let n = p.q().len();
            json!({"format": "box-lcp-1", "M": rows(p.matrix(), n), "q": p.q(),
                "lower": bounds(p.lower()), "upper": bounds(p.upper())})
        }
        AnyProblem::Mlcp(p) => {
            let (n, whole) = (p.free(), p.as_box_lcp());
            let size = whole.q().len();
            let part = |from: usize, to: usize, left: usize, right: usize| -> Value {
                (from..to).map(|i| Value::from(&whole.row(i)[left..right])).collect()
            };
            json!({"format": "mlcp-1",
                "A": part(0, n, 0, n), "C": part(0, n, n, size), "D": part(n, size, 0, n),
                "B": part(n, size, n, size), "a": &whole.q()[..n], "b": &whole.q()[n..]})
        }
        AnyProblem::FactoredLcp(p) => {
            let list: Value = (0..p.q().len()).map(|i| Value::from(p.row(i))).collect();
            json!({"format": "factored-lcp-1", "Y": list, "q": p.q()})
        }
        AnyProblem::Mcp(p) => polynomial_mcp(p),
        AnyProblem::ConeNcp(p) => fc(p).unwrap_or_else(|| {
            let mut body = serde_json::to_value(p).unwrap_or_default();
            body["format"] = "cone-ncp-1".into();
            body
        }),
    };
    let mut body = body;
    body["name"] = name.into();
    if let Some(start) = start {
        body["start"] = start.into();
    }
    format!("{body}\n")
}

fn polynomial_mcp(problem: &Mcp<Polynomial>) -> Value {
    let values = problem.function().values();
    let side = |k: usize| -> Vec<f64> { (0..values.len()).map(|i| problem.bounds(i)[k]).collect() };
    json!({"format": "polynomial-mcp-1", "F": values, "lower": bounds(&side(0)), "upper": bounds(&side(1))})
}

fn rows(matrix: &[f64], n: usize) -> Value {
    matrix.chunks_exact(n.max(1)).map(Value::from).collect()
}

/// An infinite bound is `null`: serde_json writes every number that is not finite so.
fn bounds(list: &[f64]) -> Value {
    Value::from(list)
}

/// A problem of Coulomb contacts of one dimension, in the form that others read too.
fn fc(problem: &ConeNcp) -> Option<Value> {
    let Some(&Cone::Coulomb { dim, .. }) = problem.cones().first() else { return None };
    let mu: Option<Vec<f64>> = problem
        .cones()
        .iter()
        .map(|cone| match *cone {
            Cone::Coulomb { dim: own, mu } if own == dim => Some(mu),
            _ => None,
        })
        .collect();
    let mu = mu?;
    let rigid = problem.compliance().iter().all(|c| *c == 0.0);
    let (n, count) = (problem.q().len(), mu.len());
    let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::<f64>::new());
    match problem.delassus() {
        _ if !rigid || problem.law() != FrictionLaw::Coulomb => return None,
        Delassus::Factored(_) => return None,
        Delassus::Sparse(sparse) => {
            for i in 0..count {
                for (j, block) in sparse.row(i) {
                    columns.push(j);
                    values.extend(block);
                }
                row_ptr.push(columns.len());
            }
        }
        Delassus::Dense(w) => {
            for i in 0..count {
                for j in 0..count {
                    let block: Vec<f64> =
                        (0..dim * dim).map(|k| w[(i * dim + k / dim) * n + j * dim + k % dim]).collect();
                    if i == j || block.iter().any(|v| *v != 0.0) {
                        columns.push(j);
                        values.extend(block);
                    }
                }
                row_ptr.push(columns.len());
            }
        }
    }
    Some(json!({"format": "fc-1", "dim": dim, "nc": count, "mu": mu, "q": problem.q(),
        "W": {"rows": n, "block": dim, "rowptr": row_ptr, "col": columns, "val": values}}))
}
