//! The JSON forms: each a function from one object to a problem.

use serde_json::{Map, Value};

use crate::io::friction::Triplets;
use crate::io::stewart_trinkle::Contacts;
use crate::io::{Fault, LARGEST_ASSEMBLED, NamedProblem, friction, stewart_trinkle};
use crate::problem::Problem;
use crate::problem::smooth::polynomial::Term;
use crate::problem::{
    ActiveSet, AnyProblem, BoxLcp, ConeNcp, FactoredLcp, Lcp, Mcp, Mlcp, MlcpBlocks, Polynomial,
};

/// Reads one object.
pub(super) type Form = fn(&Object) -> Result<AnyProblem, Fault>;

/// The value of the key `format`, and the reader.
pub(super) const FORMS: [(&str, Form); 12] = [
    ("lcp-1", lcp),
    ("lcp-suite-1", lcp),
    ("box-lcp-1", box_lcp),
    ("blcp-1", blcp),
    ("mlcp-1", mlcp),
    ("mlcp-suite-1", mlcp),
    ("factored-lcp-1", factored_lcp),
    ("polynomial-mcp-1", polynomial_mcp),
    ("stewart-trinkle-lcp-1", stewart_trinkle_lcp),
    ("fc-1", fc),
    ("fc-global-1", fc_global),
    ("cone-ncp-1", cone_ncp),
];

pub(super) fn form(name: &str) -> Option<Form> {
    FORMS.iter().find(|form| form.0 == name).map(|form| form.1)
}

/// The problems of a file: its list, or itself.
pub(super) fn problems(file: &Value, form: Form, name: &str) -> Result<Vec<NamedProblem>, Fault> {
    let Some(list) = file.get("problems") else {
        return Ok(vec![Object::of(file, String::new())?.problem(form, name)?]);
    };
    let Value::Array(list) = list else {
        return Err(Fault::new("problems", format!("is {}: a list is needed", shown(list))));
    };
    let each = |(i, value): (usize, &Value)| {
        Object::of(value, format!("problems[{i}]."))?.problem(form, &format!("{name}_{i}"))
    };
    list.iter().enumerate().map(each).collect()
}

/// An object, and the words that lead to its keys in a message.
pub(super) struct Object<'a> {
    map: &'a Map<String, Value>,
    at: String,
}

/// A value as a message shows it: whole if it is short.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".into(),
        Value::String(text) if text.chars().count() > 40 => {
            format!("\"{}...\"", text.chars().take(40).collect::<String>())
        }
        other => other.to_string(),
    }
}

impl<'a> Object<'a> {
    fn of(value: &'a Value, at: String) -> Result<Object<'a>, Fault> {
        match value {
            Value::Object(map) => Ok(Object { map, at }),
            other => {
                Err(Fault::new(at.trim_end_matches('.'), format!("is {}: an object is needed", shown(other))))
            }
        }
    }

    fn problem(&self, form: Form, default_name: &str) -> Result<NamedProblem, Fault> {
        let name = match self.map.get("name") {
            None => default_name.to_string(),
            Some(Value::String(name)) => name.clone(),
            Some(other) => return Err(self.fault("name", format!("is {}: a text is needed", shown(other)))),
        };
        let problem = form(self)?;
        let start = match self.map.contains_key("start") {
            true => Some(self.vector_of("start", problem.dim(), "one for each unknown")?),
            false => None,
        };
        let basis = match self.map.contains_key("basis") {
            true => Some(ActiveSet::of(problem.dim(), self.indices("basis", problem.dim())?)),
            false => None,
        };
        Ok(NamedProblem { name, problem, start, basis })
    }

    fn fault(&self, key: &str, message: String) -> Fault {
        Fault::new(format!("{}{key}", self.at), message)
    }

    /// The object under a key.
    fn object(&self, key: &str) -> Result<Object<'a>, Fault> {
        match self.map.get(key) {
            Some(value) => Object::of(value, format!("{}{key}.", self.at)),
            None => Err(self.fault(key, "is missing".into())),
        }
    }

    /// A whole number.
    fn count(&self, key: &str) -> Result<usize, Fault> {
        let value = self.map.get(key).unwrap_or(&Value::Null);
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        count.ok_or_else(|| self.fault(key, format!("is {}: a whole number is needed", shown(value))))
    }

    /// A list of whole numbers, each below `end`.
    fn indices(&self, key: &str, end: usize) -> Result<Vec<usize>, Fault> {
        let index = |(i, value): (usize, &Value)| match value.as_u64() {
            Some(index) if index < end as u64 => Ok(index as usize),
            _ => {
                let message = format!("is {}: a whole number below {end} is needed", shown(value));
                Err(self.fault(&format!("{key}[{i}]"), message))
            }
        };
        self.list(key)?.iter().enumerate().map(index).collect()
    }

    /// A list of numbers as long as `n`; `why` says where that is from.
    fn vector_of(&self, key: &str, n: usize, why: &str) -> Result<Vec<f64>, Fault> {
        let list = self.vector(key)?;
        if list.len() == n {
            return Ok(list);
        }
        Err(self.fault(key, format!("has {} entries: {n} are needed, {why}", list.len())))
    }

    fn list(&self, key: &str) -> Result<&'a Vec<Value>, Fault> {
        match self.map.get(key) {
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(self.fault(key, format!("is {}: a list is needed", shown(other)))),
            None => Err(self.fault(key, "is missing".into())),
        }
    }

    /// A list of numbers.
    fn vector(&self, key: &str) -> Result<Vec<f64>, Fault> {
        let number = |(i, value)| self.number(value, || format!("{key}[{i}]"));
        self.list(key)?.iter().enumerate().map(number).collect()
    }

    fn number(&self, value: &Value, key: impl Fn() -> String) -> Result<f64, Fault> {
        let fault = || self.fault(&key(), format!("is {}: a finite number is needed", shown(value)));
        value.as_f64().filter(|x| x.is_finite()).ok_or_else(fault)
    }

    /// A list of numbers or `null`, which stands for `none`.
    fn bounds(&self, key: &str, none: f64) -> Result<Vec<f64>, Fault> {
        let bound = |(i, value): (usize, &Value)| {
            if value.is_null() { Ok(none) } else { self.number(value, || format!("{key}[{i}]")) }
        };
        self.list(key)?.iter().enumerate().map(bound).collect()
    }

    /// The entries, row-major, of a list of `rows` lists of `columns` numbers; `why` says where these sizes are from.
    fn matrix(&self, key: &str, rows: usize, columns: usize, why: &str) -> Result<Vec<f64>, Fault> {
        let list = self.list(key)?;
        if list.len() != rows {
            return Err(self.fault(key, format!("has {} rows: {rows} are needed, {why}", list.len())));
        }
        let mut entries = Vec::new();
        for (i, row) in list.iter().enumerate() {
            let Value::Array(row) = row else {
                return Err(self.fault(&format!("{key}[{i}]"), format!("is {}: a row is needed", shown(row))));
            };
            if row.len() != columns {
                let message = format!("has {} entries: {columns} are needed, {why}", row.len());
                return Err(self.fault(&format!("{key}[{i}]"), message));
            }
            for (j, value) in row.iter().enumerate() {
                entries.push(self.number(value, || format!("{key}[{i}][{j}]"))?);
            }
        }
        Ok(entries)
    }

    /// A square matrix as large as the vector under `vector`, which has `n` entries.
    fn square(&self, key: &str, n: usize, vector: &str) -> Result<Vec<f64>, Fault> {
        self.matrix(key, n, n, &format!("as many as {vector} has entries"))
    }

    /// A list of bounds as long as the vector under `vector`.
    fn bounds_like(&self, key: &str, none: f64, n: usize, vector: &str) -> Result<Vec<f64>, Fault> {
        let list = self.bounds(key, none)?;
        if list.len() == n {
            Ok(list)
        } else {
            let message = format!("has {} entries: {n} are needed, as many as {vector} has", list.len());
            Err(self.fault(key, message))
        }
    }

    /// A fault of the problem as a whole, or of a matrix in it.
    fn of_whole(&self, fault: Fault) -> Fault {
        Fault::new(format!("{}{}", self.at, fault.place), fault.message)
    }

    /// An error of a constructor, which names the rest itself.
    fn refused(&self, error: &crate::problem::SolverError) -> Fault {
        Fault::new(self.at.trim_end_matches('.'), error.to_string())
    }
}

fn lcp(object: &Object) -> Result<AnyProblem, Fault> {
    let q = object.vector("q")?;
    let m = object.square("M", q.len(), "q")?;
    Ok(Lcp::new(m, q).map_err(|e| object.refused(&e))?.into())
}

fn box_lcp(object: &Object) -> Result<AnyProblem, Fault> {
    let q = object.vector("q")?;
    let n = q.len();
    let m = object.square("M", n, "q")?;
    let lower = object.bounds_like("lower", f64::NEG_INFINITY, n, "q")?;
    let upper = object.bounds_like("upper", f64::INFINITY, n, "q")?;
    Ok(BoxLcp::new(m, q, lower, upper).map_err(|e| object.refused(&e))?.into())
}

fn blcp(object: &Object) -> Result<AnyProblem, Fault> {
    let mut q = object.vector("b")?;
    q.iter_mut().for_each(|v| *v = -*v);
    let n = q.len();
    let m = object.square("A", n, "b")?;
    let lower = object.bounds_like("lo", f64::NEG_INFINITY, n, "b")?;
    let upper = object.bounds_like("hi", f64::INFINITY, n, "b")?;
    Ok(BoxLcp::new(m, q, lower, upper).map_err(|e| object.refused(&e))?.into())
}

fn mlcp(object: &Object) -> Result<AnyProblem, Fault> {
    let (a_vector, b_vector) = (object.vector("a")?, object.vector("b")?);
    let (n, m) = (a_vector.len(), b_vector.len());
    let why = format!("as a has {n} entries and b has {m}");
    let block = |key, rows, columns| object.matrix(key, rows, columns, &why);
    let (a, c) = (block("A", n, n)?, block("C", n, m)?);
    let (d, b) = (block("D", m, n)?, block("B", m, m)?);
    let blocks = MlcpBlocks { a: &a, c: &c, d: &d, b: &b, a_vector: &a_vector, b_vector: &b_vector };
    Ok(Mlcp::new(&blocks).map_err(|e| object.refused(&e))?.into())
}

fn factored_lcp(object: &Object) -> Result<AnyProblem, Fault> {
    let q = object.vector("q")?;
    let columns = match object.list("Y")?.first() {
        Some(Value::Array(row)) => row.len(),
        _ => 0,
    };
    let why = "as many as q has entries, all as long as the first";
    let half = object.matrix("Y", q.len(), columns, why)?;
    Ok(FactoredLcp::from_half(columns, half, q).map_err(|e| object.refused(&e))?.into())
}

fn polynomial_mcp(object: &Object) -> Result<AnyProblem, Fault> {
    let list = object.list("F")?;
    let n = list.len();
    if n > LARGEST_ASSEMBLED {
        let message = format!("has {n} values: at most {LARGEST_ASSEMBLED} are read");
        return Err(object.fault("F", message));
    }
    let values: Vec<Vec<Term>> = list
        .iter()
        .enumerate()
        .map(|(i, terms)| {
            let Value::Array(terms) = terms else {
                let message = format!("is {}: a list of terms is needed", shown(terms));
                return Err(object.fault(&format!("F[{i}]"), message));
            };
            terms.iter().enumerate().map(|(t, term)| read_term(object, term, [i, t], n)).collect()
        })
        .collect::<Result<_, Fault>>()?;
    let function = Polynomial::new(values).map_err(|e| object.refused(&e))?;
    let lower = object.bounds_like("lower", f64::NEG_INFINITY, n, "F")?;
    let upper = object.bounds_like("upper", f64::INFINITY, n, "F")?;
    Ok(Mcp::new(function, lower, upper).map_err(|e| object.refused(&e))?.into())
}

/// `[c, [k_0, k_1, ...]]`.
fn read_term(object: &Object, term: &Value, [i, t]: [usize; 2], n: usize) -> Result<Term, Fault> {
    let fault = |message: String| object.fault(&format!("F[{i}][{t}]"), message);
    let (coefficient, exponents) = match term.as_array().map(Vec::as_slice) {
        Some([coefficient, Value::Array(exponents)]) => (coefficient, exponents),
        _ => return Err(fault(format!("is {}: a term is [c, [k_0, k_1, ...]]", shown(term)))),
    };
    if exponents.len() != n {
        return Err(fault(format!("has {} exponents: {n} are needed, one an unknown", exponents.len())));
    }
    let largest = u64::from(Polynomial::LARGEST_EXPONENT);
    let exponent = |value: &Value| match value.as_u64().filter(|&k| k <= largest) {
        Some(k) => Ok(k as u32),
        None => Err(fault(format!(
            "has the exponent {}: a whole number from 0 to {largest} is needed",
            shown(value)
        ))),
    };
    let coefficient = object.number(coefficient, || format!("F[{i}][{t}][0]"))?;
    Ok((coefficient, exponents.iter().map(exponent).collect::<Result<_, Fault>>()?))
}

fn stewart_trinkle_lcp(object: &Object) -> Result<AnyProblem, Fault> {
    let friction = object.vector("mu")?;
    let contacts = friction.len();
    let size = 3 * contacts;
    let why = format!("three a contact, as mu has {contacts} entries");
    let delassus = object.matrix("W", size, size, &why)?;
    let velocity = object.vector("q_contact")?;
    if velocity.len() != size {
        let message = format!("has {} entries: {size} are needed, {why}", velocity.len());
        return Err(object.fault("q_contact", message));
    }
    let directions = object.map.get("k").unwrap_or(&Value::Null);
    let Some(k) = directions.as_u64().filter(|k| (2..=64).contains(k)).map(|k| k as usize) else {
        let message =
            format!("is {}: a whole number of friction directions from 2 to 64 is needed", shown(directions));
        return Err(object.fault("k", message));
    };
    let n = (k + 2) * contacts;
    if n > LARGEST_ASSEMBLED {
        let message = format!(
            "is {k} for {contacts} contacts, which makes {n} unknowns: at most {LARGEST_ASSEMBLED} are read"
        );
        return Err(object.fault("k", message));
    }
    let contacts = Contacts { delassus: &delassus, velocity: &velocity, friction: &friction };
    Ok(stewart_trinkle::assemble(&contacts, k).map_err(|e| object.refused(&e))?.into())
}

/// `dim` and `mu` of a friction problem.
fn contacts(object: &Object) -> Result<(usize, Vec<f64>), Fault> {
    let dim = object.count("dim")?;
    if dim != 2 && dim != 3 {
        return Err(object.fault("dim", format!("is {dim}: 2 or 3 rows a contact are read")));
    }
    Ok((dim, object.vector("mu")?))
}

fn fc(object: &Object) -> Result<AnyProblem, Fault> {
    let (dim, mu) = contacts(object)?;
    let count = mu.len();
    let q = object.vector_of("q", dim * count, "dim for every entry of mu")?;
    let w = object.object("W")?;
    let columns = w.indices("col", count)?;
    let row_ptr = w.indices("rowptr", columns.len() + 1)?;
    let increasing = row_ptr.is_sorted() && row_ptr.first() == Some(&0);
    if row_ptr.len() != count + 1 || !increasing || row_ptr.last() != Some(&columns.len()) {
        let message = format!(
            "must be {} numbers that increase from 0 to {}, the number of blocks",
            count + 1,
            columns.len()
        );
        return Err(w.fault("rowptr", message));
    }
    let size = dim * dim;
    let values = w.vector_of("val", size * columns.len(), "dim * dim for every entry of col")?;
    let rows =
        row_ptr.windows(2).enumerate().flat_map(|(i, range)| std::iter::repeat_n(i, range[1] - range[0]));
    let blocks =
        rows.zip(columns).zip(values.chunks_exact(size)).map(|((i, j), v)| (i, j, v.to_vec())).collect();
    friction::local_blocks(dim, &mu, blocks, q).map_err(|fault| object.of_whole(fault))
}

fn fc_global(object: &Object) -> Result<AnyProblem, Fault> {
    let (dim, mu) = contacts(object)?;
    let rows = dim * mu.len();
    let w = object.vector_of("w", rows, "dim for every entry of mu")?;
    let f = object.vector("f")?;
    let matrix = |key: &str, rows: usize, columns: usize| -> Result<Triplets, Fault> {
        let matrix = object.object(key)?;
        for (side, given, needed) in
            [("rows", matrix.count("rows")?, rows), ("cols", matrix.count("cols")?, columns)]
        {
            if given != needed {
                return Err(matrix.fault(side, format!("is {given}: {needed} is needed, for f and w")));
            }
        }
        let (i, j, v) = (matrix.indices("i", rows)?, matrix.indices("j", columns)?, matrix.vector("v")?);
        if i.len() != v.len() || j.len() != v.len() {
            let message =
                format!("has {} entries, i has {} and j {}: they must agree", v.len(), i.len(), j.len());
            return Err(matrix.fault("v", message));
        }
        let entries = i.into_iter().zip(j).zip(v).map(|((i, j), v)| (i, j, v)).collect();
        Ok(Triplets { rows, entries })
    };
    let mass = matrix("M", f.len(), f.len())?;
    let h = matrix("H", f.len(), rows)?;
    friction::global(dim, &mu, &mass, &h, &f, &w).map_err(|fault| object.of_whole(fault))
}

fn cone_ncp(object: &Object) -> Result<AnyProblem, Fault> {
    let body = object.map.clone();
    let problem: ConeNcp =
        serde_json::from_value(Value::Object(body)).map_err(|e| object.fault("cones", e.to_string()))?;
    Ok(problem.into())
}
