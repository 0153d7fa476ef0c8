//! The text form of Siconos: LCP, MLCP and friction files of whitespace separated tokens.
//!
//! * **LCP**: `n`, matrix, `q`.
//! * **MLCP**: `isStorage1 isStorage2 n m` (`n` equations, `m` complementarities). Storage 1 goes on with the ends of
//!   the blocks from 0 to `n + m`, a 0 (equation) or 1 (complementarity) for every block, matrix and `q`. Storage 2
//!   goes on with `A`, `B`, `C`, `D` row-major, `a`, `b`. If both are announced the first is read.
//! * **Friction, local**: dimension (2 or 3), number of contacts, matrix `W`, `q`, coefficients of friction.
//! * **Friction, global**: dimension, number of contacts, matrices `M` and `H`, `f`, `w`, coefficients of friction.
//! * **Matrix**: `storage rows columns`, then
//!   0, dense: `rows columns` again and the entries, column-major;
//!   1, blocks: their number, the numbers of block rows and block columns, the row and the column each ends before, two
//!   lengths, where each block row starts in the list of blocks, the block column of each, then for each block its
//!   number and its entries, column-major;
//!   2, sparse: origin, a line of the library that wrote it, `rows-by-columns, ...`, and `col j : locations s to e`
//!   followed by lines `row : value`, or for triplets lines `row column : value`.
//!
//! What follows the data (a solution, a flag, comments) is ignored. The kinds of file have no mark: a text is read as an
//! LCP if its fourth number repeats its first as the third does, and else, or if that fails, as a friction problem if it
//! begins with 2 or 3, and as an MLCP if not. A friction problem is global if a second matrix follows the first.

use crate::io::friction::Triplets;
use crate::io::{Fault, LARGEST_ASSEMBLED, friction};
use crate::problem::{AnyProblem, BoxLcp, Lcp, Mlcp, MlcpBlocks};

/// Reads a text as an LCP or an MLCP.
pub(crate) fn parse(text: &str) -> Result<AnyProblem, Fault> {
    let head: Vec<&str> = text.split_whitespace().take(4).collect();
    let as_lcp = head.len() == 4 && head[0] == head[2] && head[0] == head[3];
    // An MLCP begins with two flags; its other kinds of beginnings are for it to refuse.
    let as_friction = matches!(head[..], ["2" | "3", _, "0" | "1" | "2", _]);
    let other = || {
        if as_friction { friction_problem(text) } else { mlcp(&mut Tokens::new(text)) }
    };
    if !as_lcp {
        return other();
    }
    match (lcp(&mut Tokens::new(text)), other()) {
        (Ok(problem), _) | (Err(_), Ok(problem)) => Ok(problem),
        (Err(fault), Err(_)) => Err(fault),
    }
}

/// The words of a text with the lines they stand in.
#[derive(Clone)]
struct Tokens<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    words: std::str::SplitWhitespace<'a>,
    line: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Tokens<'a> {
        Tokens { lines: text.lines().enumerate(), words: "".split_whitespace(), line: 0 }
    }

    fn fault(&self, message: String) -> Fault {
        Fault::new(format!("line {}", self.line), message)
    }

    /// The next word, which is to say `what`.
    fn word(&mut self, what: &str) -> Result<&'a str, Fault> {
        loop {
            if let Some(word) = self.words.next() {
                return Ok(word);
            }
            let Some((number, line)) = self.lines.next() else {
                return Err(self.fault(format!("the file ends where {what} is needed")));
            };
            self.line = number + 1;
            self.words = line.split_whitespace();
        }
    }

    fn number(&mut self, what: &str) -> Result<f64, Fault> {
        let word = self.word(what)?;
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.unexpected(word, what, "a finite number")),
        }
    }

    fn count(&mut self, what: &str) -> Result<usize, Fault> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.unexpected(word, what, "a whole number"))
    }

    fn unexpected(&self, word: &str, what: &str, needed: &str) -> Fault {
        let word: String = word.chars().take(40).collect();
        self.fault(format!("{word:?} stands where {what} is needed, {needed}"))
    }

    /// A whole number that must be `right`.
    fn expect(&mut self, what: &str, right: usize) -> Result<(), Fault> {
        match self.count(what)? {
            count if count == right => Ok(()),
            count => Err(self.fault(format!("{what} is {count}: {right} is needed"))),
        }
    }

    /// `count` numbers; memory grows with the text only.
    fn numbers(&mut self, what: &str, count: usize) -> Result<Vec<f64>, Fault> {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(self.number(what)?);
        }
        Ok(numbers)
    }

    /// `count` increasing whole numbers, the last of them `last`.
    fn ends(&mut self, what: &str, count: usize, last: usize) -> Result<Vec<usize>, Fault> {
        let mut ends: Vec<usize> = Vec::new();
        for _ in 0..count {
            let end = self.count(what)?;
            if ends.last().is_some_and(|before| *before > end) {
                return Err(self.fault(format!("{what} is {end}: they must not decrease")));
            }
            ends.push(end);
        }
        if ends.last().copied().unwrap_or(0) == last {
            Ok(ends)
        } else {
            Err(self.fault(format!("the last of {what} must be {last}")))
        }
    }
}

fn lcp(tokens: &mut Tokens) -> Result<AnyProblem, Fault> {
    let n = tokens.count("the number of unknowns")?;
    let m = matrix(tokens, n)?;
    let q = tokens.numbers("an entry of q", n)?;
    Ok(Lcp::new(m, q).map_err(|e| tokens.fault(e.to_string()))?.into())
}

/// A friction problem, local or global: the second matrix tells.
fn friction_problem(text: &str) -> Result<AnyProblem, Fault> {
    let tokens = &mut Tokens::new(text);
    let dim = tokens.count("the dimension")?;
    let contacts = tokens.count("the number of contacts")?;
    let Some(rows) = contacts.checked_mul(dim) else {
        return Err(tokens.fault(format!("{contacts} contacts are too many")));
    };
    let first = any_matrix(tokens, None, None)?;
    if first.rows != first.columns {
        let message =
            format!("the matrix has {} rows and {} columns: it must be square", first.rows, first.columns);
        return Err(tokens.fault(message));
    }
    let global = |mut tokens: Tokens| -> Result<AnyProblem, Fault> {
        let h = any_matrix(&mut tokens, Some(first.rows), Some(rows))?;
        let f = tokens.numbers("an entry of f", first.rows)?;
        let w = tokens.numbers("an entry of w", rows)?;
        let mu = tokens.numbers("a coefficient of friction", contacts)?;
        let mass = Triplets::of_dense(first.rows, first.rows, &first.entries);
        let h = Triplets::of_dense(h.rows, h.columns, &h.entries);
        friction::global(dim, &mu, &mass, &h, &f, &w)
    };
    // The numbers of q are no storage, size and entries of a second matrix.
    match (global(tokens.clone()), first.rows == rows) {
        (Ok(problem), _) => Ok(problem),
        (Err(fault), false) => Err(fault),
        (Err(_), true) => {
            let q = tokens.numbers("an entry of q", rows)?;
            let mu = tokens.numbers("a coefficient of friction", contacts)?;
            friction::local(dim, &mu, first.entries, q)
        }
    }
}

fn mlcp(tokens: &mut Tokens) -> Result<AnyProblem, Fault> {
    let flag = |tokens: &mut Tokens, what: &str| match tokens.count(what)? {
        flag @ 0..=1 => Ok(flag == 1),
        other => {
            Err(tokens.fault(format!("{what} is {other}: 0 or 1 is needed, for an LCP the size thrice")))
        }
    };
    let by_blocks = flag(tokens, "isStorage1")?;
    let by_parts = flag(tokens, "isStorage2")?;
    let n = tokens.count("the number of equations")?;
    let m = tokens.count("the number of complementarities")?;
    let Some(size) = n.checked_add(m) else {
        return Err(tokens.fault(format!("{n} equations and {m} complementarities are too many")));
    };
    match (by_blocks, by_parts) {
        (true, _) => mlcp_by_blocks(tokens, n, size),
        (false, true) => mlcp_by_parts(tokens, n, m),
        (false, false) => Err(tokens.fault("isStorage1 and isStorage2 are both 0: one must be 1".into())),
    }
}

fn mlcp_by_parts(tokens: &mut Tokens, n: usize, m: usize) -> Result<AnyProblem, Fault> {
    let mut part = |what: &str, rows: usize, columns: usize| match rows.checked_mul(columns) {
        Some(entries) => tokens.numbers(what, entries),
        None => Err(tokens.fault(format!("{rows} rows of {columns} are too many"))),
    };
    let a = part("an entry of A", n, n)?;
    let b = part("an entry of B", m, m)?;
    let c = part("an entry of C", n, m)?;
    let d = part("an entry of D", m, n)?;
    let (a_vector, b_vector) = (part("an entry of a", n, 1)?, part("an entry of b", m, 1)?);
    let blocks = MlcpBlocks { a: &a, b: &b, c: &c, d: &d, a_vector: &a_vector, b_vector: &b_vector };
    Ok(Mlcp::new(&blocks).map_err(|e| tokens.fault(e.to_string()))?.into())
}

/// Blocks of equations and complementarities in any order; the order of [`Mlcp`] is kept where the file has it.
fn mlcp_by_blocks(tokens: &mut Tokens, n: usize, size: usize) -> Result<AnyProblem, Fault> {
    let mut ends = vec![tokens.count("the start of the first block")?];
    if ends != [0] {
        return Err(tokens.fault(format!("the first block starts at {}: 0 is needed", ends[0])));
    }
    while ends.last().is_some_and(|&end| end < size) {
        let end = tokens.count("the end of a block")?;
        if ends.last().is_some_and(|&before| end <= before) || end > size {
            let message = format!("a block ends at {end}: ends must increase up to n + m = {size}");
            return Err(tokens.fault(message));
        }
        ends.push(end);
    }
    let mut complementarity = Vec::new();
    for block in ends.windows(2) {
        let kind = tokens.count("the kind of a block")?;
        if kind > 1 {
            let message = format!("the kind of a block is {kind}: 0 (equation) or 1 is needed");
            return Err(tokens.fault(message));
        }
        // No size is believed: what has been announced is not yet there.
        if size > LARGEST_ASSEMBLED {
            return Err(too_large(tokens, size));
        }
        complementarity.extend(std::iter::repeat_n(kind == 1, block[1] - block[0]));
    }
    let equations = complementarity.iter().filter(|c| !**c).count();
    if equations != n {
        return Err(tokens.fault(format!("the blocks have {equations} equations: n = {n} is needed")));
    }
    let matrix = matrix(tokens, size)?;
    let q = tokens.numbers("an entry of q", size)?;
    let refuse = |tokens: &Tokens, error: crate::problem::SolverError| tokens.fault(error.to_string());
    if complementarity[..n].iter().any(|c| *c) {
        let lower = complementarity.iter().map(|c| if *c { 0.0 } else { f64::NEG_INFINITY }).collect();
        let problem = BoxLcp::new(matrix, q, lower, vec![f64::INFINITY; size]);
        return Ok(problem.map_err(|e| refuse(tokens, e))?.into());
    }
    let part = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| -> Vec<f64> {
        rows.flat_map(|i| matrix[i * size..][columns.clone()].iter().copied()).collect()
    };
    let (a, c, d, b) = (part(0..n, 0..n), part(0..n, n..size), part(n..size, 0..n), part(n..size, n..size));
    let blocks = MlcpBlocks { a: &a, c: &c, d: &d, b: &b, a_vector: &q[..n], b_vector: &q[n..] };
    Ok(Mlcp::new(&blocks).map_err(|e| refuse(tokens, e))?.into())
}

fn too_large(tokens: &Tokens, n: usize) -> Fault {
    tokens.fault(format!("the matrix has {n} rows: at most {LARGEST_ASSEMBLED} are read"))
}

/// A square matrix of `n` rows, row-major.
fn matrix(tokens: &mut Tokens, n: usize) -> Result<Vec<f64>, Fault> {
    Ok(any_matrix(tokens, Some(n), Some(n))?.entries)
}

/// A matrix, row-major.
struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

/// A matrix of the sizes that are given, or else of those it says.
fn any_matrix(tokens: &mut Tokens, rows: Option<usize>, columns: Option<usize>) -> Result<Matrix, Fault> {
    let storage = tokens.count("the storage of the matrix")?;
    let mut size = |what: &str, right: Option<usize>| match right {
        Some(right) => tokens.expect(what, right).map(|()| right),
        None => tokens.count(what),
    };
    let rows = size("the number of rows", rows)?;
    let columns = size("the number of columns", columns)?;
    if rows.max(columns) > LARGEST_ASSEMBLED {
        return Err(too_large(tokens, rows.max(columns)));
    }
    let entries =
        match storage {
            0 => dense(tokens, rows, columns),
            1 => blocks(tokens, rows, columns),
            2 => sparse(tokens, rows, columns),
            other => Err(tokens
                .fault(format!("the storage is {other}: 0 (dense), 1 (blocks) or 2 (sparse) is needed"))),
        }?;
    Ok(Matrix { rows, columns, entries })
}

fn dense(tokens: &mut Tokens, m: usize, n: usize) -> Result<Vec<f64>, Fault> {
    tokens.expect("the number of rows", m)?;
    tokens.expect("the number of columns", n)?;
    let columns = tokens.numbers("an entry of the matrix", m * n)?;
    Ok((0..m * n).map(|at| columns[(at % n) * m + at / n]).collect())
}

fn blocks(tokens: &mut Tokens, m: usize, n: usize) -> Result<Vec<f64>, Fault> {
    let count = tokens.count("the number of blocks")?;
    let rows = tokens.count("the number of block rows")?;
    let columns = tokens.count("the number of block columns")?;
    let row_ends = tokens.ends("the ends of block rows", rows, m)?;
    let column_ends = tokens.ends("the ends of block columns", columns, n)?;
    tokens.expect("the length of the list of row starts", rows.saturating_add(1))?;
    tokens.expect("the length of the list of block columns", count)?;
    let row_starts = tokens.ends("the starts of block rows", rows.saturating_add(1), count)?;
    let mut column_of = Vec::new();
    for _ in 0..count {
        let column = tokens.count("a block column")?;
        if column >= columns {
            return Err(tokens.fault(format!("a block column is {column}: there are {columns}, from 0")));
        }
        column_of.push(column);
    }
    let span = |ends: &[usize], k: usize| (if k == 0 { 0 } else { ends[k - 1] })..ends[k];
    let mut matrix = vec![0.0; m * n];
    for row in 0..rows {
        for block in row_starts[row]..row_starts[row + 1] {
            tokens.expect("the number of a block", block)?;
            for j in span(&column_ends, column_of[block]) {
                for i in span(&row_ends, row) {
                    matrix[i * n + j] = tokens.number("an entry of a block")?;
                }
            }
        }
    }
    Ok(matrix)
}

fn sparse(tokens: &mut Tokens, m: usize, n: usize) -> Result<Vec<f64>, Fault> {
    let origin = tokens.count("the origin of the sparse matrix")?;
    if !(1..=3).contains(&origin) {
        let message = format!("the origin is {origin}: 1 (triplets), 2 (columns) or 3 (rows) is needed");
        return Err(tokens.fault(message));
    }
    // The library's line, up to `rows-by-columns,`.
    let sizes = format!("{m}-by-{n},");
    while tokens.word("the line of sizes")? != sizes {}
    let mut entries = None;
    loop {
        let word = tokens.word("the number of entries")?;
        match word.trim_end_matches(':') {
            "nnz" => entries = Some(tokens.word("the number of entries")?.trim_end_matches(',')),
            "1-norm" => break,
            _ => {}
        }
        if tokens.line > 8 && entries.is_none() {
            return Err(tokens.unexpected(word, "nnz", "the number of entries"));
        }
    }
    tokens.word("the norm")?;
    let entries = entries.and_then(|word| word.parse::<usize>().ok());
    let entries = entries.ok_or_else(|| tokens.fault("nnz is not a whole number".into()))?;
    let mut matrix = vec![0.0; m * n];
    let mut column = None;
    let mut read = 0;
    while read < entries {
        let word = tokens.word("an entry of the sparse matrix")?;
        if word == "col" {
            column = Some(tokens.count("a column")?);
            for (what, fixed) in [("`:`", ":"), ("`locations`", "locations")] {
                let word = tokens.word(what)?;
                if word != fixed {
                    return Err(tokens.unexpected(word, what, "col j : locations s to e"));
                }
            }
            for what in ["a location", "`to`", "a location"] {
                tokens.word(what)?;
            }
            continue;
        }
        let first: usize = word.parse().map_err(|_| tokens.unexpected(word, "a row", "a whole number"))?;
        let (major, minor) = match (origin, column) {
            (1, _) => (tokens.count("a column")?, first),
            (_, Some(column)) => (column, first),
            (_, None) => return Err(tokens.unexpected(word, "col", "the start of a column")),
        };
        let word = tokens.word("`:`")?;
        if word != ":" {
            return Err(tokens.unexpected(word, "`:`", "row : value"));
        }
        let value = tokens.number("an entry of the sparse matrix")?;
        // Rows of origin 3 are printed as columns of the transpose.
        let (row, column) = if origin == 3 { (major, minor) } else { (minor, major) };
        if row >= m || column >= n {
            return Err(
                tokens.fault(format!("the entry ({minor}, {major}) is outside the matrix of {m} rows"))
            );
        }
        let at = row * n + column;
        matrix[at] += value;
        read += 1;
    }
    Ok(matrix)
}
