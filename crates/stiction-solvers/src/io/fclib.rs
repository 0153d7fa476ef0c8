//! Friction problems in HDF5 files of the FCLIB collection.
//!
//! A file has one of the groups `fclib_local` (`W`, `vectors/q`, `vectors/mu`), `fclib_global` (`M`, `H`, `vectors/f`, `vectors/w`,
//! `vectors/mu`; optional bilateral rows `G`, `vectors/b`) or `fclib_global_rolling`, which is refused: it has rolling friction.
//! Contact rows are in the order (normal, tangents). A matrix is a group of `m`, `n`, `nz`, `p`, `i`, `x` after CSparse:
//!
//! | `nz` | storage |
//! |---|---|
//! | -1 | columns: `p` where each begins, `i` the rows |
//! | -2 | rows: `p` where each begins, `i` the columns |
//! | at least 0 | that many triplets, `i` the rows, `p` the columns (the header that comes with the format says the opposite) |
//!
//! The solutions and guesses in the files are placeholders and not read.
//!
//! # References
//! V. Acary, M. Bremond, T. Koziara, F. Perignon, *FCLIB: a collection of discrete 3D frictional contact problems*, INRIA
//! technical report 444 (2014).

use hdf5_reader::{Dataset, Hdf5File, OpenOptions};

use crate::io::friction::Triplets;
use crate::io::{Fault, LARGEST_ASSEMBLED, friction};
use crate::problem::AnyProblem;

/// Most numbers of a set: 134 MB. A file of a few bytes may announce any number.
const LARGEST_SET: u64 = 1 << 24;

/// Reads the problem of a file's bytes.
pub(super) fn parse(bytes: Vec<u8>) -> Result<AnyProblem, Fault> {
    let largest = 8 * LARGEST_SET as usize;
    let limits = OpenOptions::default().with_max_read_bytes(largest).with_max_chunk_bytes(largest);
    let file =
        Hdf5File::from_vec_with_options(bytes, limits).map_err(|e| Fault::new("the file", e.to_string()))?;
    let has = |group: &str| file.group(group).is_ok();
    let file = Reader { file: &file };
    if has("fclib_local") {
        local(&file)
    } else if has("fclib_global_rolling") {
        Err(Fault::new(
            "fclib_global_rolling",
            "rolling friction is not read; fclib_local and fclib_global are",
        ))
    } else if has("fclib_global") {
        global(&file)
    } else {
        Err(Fault::new("the file", "has neither the group fclib_local nor fclib_global"))
    }
}

struct Reader<'a> {
    file: &'a Hdf5File,
}

impl Reader<'_> {
    /// A set of a size that is read.
    fn set(&self, path: &str) -> Result<Dataset, Fault> {
        let fault = |e: hdf5_reader::error::Error| Fault::new(path, e.to_string());
        let set = self.file.dataset(path).map_err(fault)?;
        match set.num_elements().map_err(fault)? {
            count if count > LARGEST_SET => {
                Err(Fault::new(path, format!("announces {count} numbers: at most {LARGEST_SET} are read")))
            }
            _ => Ok(set),
        }
    }

    fn integers(&self, path: &str) -> Result<Vec<i64>, Fault> {
        let fault = |e: hdf5_reader::error::Error| Fault::new(path, e.to_string());
        let list = self.set(path)?.read_array::<i32>().map_err(fault)?;
        Ok(list.iter().map(|v| i64::from(*v)).collect())
    }

    fn integer(&self, path: &str) -> Result<i64, Fault> {
        let list = self.integers(path)?;
        list.first().copied().ok_or_else(|| Fault::new(path, "is empty: a whole number is needed"))
    }

    fn numbers(&self, path: &str, count: Option<usize>) -> Result<Vec<f64>, Fault> {
        let fault = |e: hdf5_reader::error::Error| Fault::new(path, e.to_string());
        let list = self.set(path)?.read_array::<f64>().map_err(fault)?;
        let list: Vec<f64> = list.iter().copied().collect();
        if let Some(at) = list.iter().position(|v| !v.is_finite()) {
            return Err(Fault::new(
                format!("{path}[{at}]"),
                format!("is {}: a finite number is needed", list[at]),
            ));
        }
        match count {
            Some(count) if list.len() != count => {
                Err(Fault::new(path, format!("has {} entries: {count} are needed", list.len())))
            }
            _ => Ok(list),
        }
    }

    fn matrix(&self, path: &str) -> Result<(Triplets, usize), Fault> {
        let size = |what: &str| {
            let at = format!("{path}/{what}");
            let value = self.integer(&at)?;
            usize::try_from(value)
                .ok()
                .filter(|size| *size <= 64 * LARGEST_ASSEMBLED)
                .ok_or_else(|| Fault::new(at, format!("is {value}: a size is needed")))
        };
        let (rows, columns) = (size("m")?, size("n")?);
        let storage = self.integer(&format!("{path}/nz"))?;
        let (p, i) = (self.integers(&format!("{path}/p"))?, self.integers(&format!("{path}/i"))?);
        let x = self.numbers(&format!("{path}/x"), None)?;
        let count = if storage >= 0 { storage } else { p.last().copied().unwrap_or(0) };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if i.len() < count || x.len() < count || (storage >= 0 && p.len() < count) {
            let message =
                format!("announces {count} entries: i has {}, x {}, p {}", i.len(), x.len(), p.len());
            return Err(Fault::new(path, message));
        }
        let mut entries = Vec::with_capacity(count);
        let mut add = |row: i64, column: i64, value: f64| {
            let inside = |k: i64, end: usize| usize::try_from(k).ok().filter(|k| *k < end);
            match (inside(row, rows), inside(column, columns)) {
                (Some(row), Some(column)) => {
                    entries.push((row, column, value));
                    Ok(())
                }
                _ => Err(Fault::new(
                    path,
                    format!("has the entry ({row}, {column}), outside its {rows} rows and {columns} columns"),
                )),
            }
        };
        if storage >= 0 {
            for k in 0..count {
                add(i[k], p[k], x[k])?;
            }
        } else {
            let by_rows = storage == -2;
            let lines = if by_rows { rows } else { columns };
            if p.len() != lines + 1 || !p.is_sorted() || p[0] != 0 {
                let message = format!("must be {} numbers that increase from 0", lines + 1);
                return Err(Fault::new(format!("{path}/p"), message));
            }
            for line in 0..lines {
                for k in p[line] as usize..p[line + 1] as usize {
                    let (major, minor) = (line as i64, i[k]);
                    if by_rows {
                        add(major, minor, x[k])?
                    } else {
                        add(minor, major, x[k])?
                    };
                }
            }
        }
        Ok((Triplets { rows, entries }, columns))
    }

    /// Refuses bilateral rows, unless they are all zero.
    fn refuse_bilateral(&self, path: &str) -> Result<(), Fault> {
        if self.file.group(path).is_err() || self.matrix(path)?.0.entries.iter().all(|entry| entry.2 == 0.0) {
            return Ok(());
        }
        Err(Fault::new(path, "bilateral rows are not read"))
    }

    fn dim(&self, group: &str) -> Result<usize, Fault> {
        let at = format!("{group}/spacedim");
        match self.integer(&at)? {
            2 => Ok(2),
            3 => Ok(3),
            dim => Err(Fault::new(at, format!("is {dim}: 2 or 3 rows a contact are read"))),
        }
    }
}

fn expect(path: &str, what: &str, given: usize, needed: usize) -> Result<(), Fault> {
    if given == needed {
        return Ok(());
    }
    Err(Fault::new(path, format!("has {given} {what}: {needed} are needed")))
}

fn local(file: &Reader) -> Result<AnyProblem, Fault> {
    let dim = file.dim("fclib_local")?;
    let mu = file.numbers("fclib_local/vectors/mu", None)?;
    let n = dim * mu.len();
    let q = file.numbers("fclib_local/vectors/q", Some(n))?;
    file.refuse_bilateral("fclib_local/V")?;
    file.refuse_bilateral("fclib_local/R")?;
    let (w, columns) = file.matrix("fclib_local/W")?;
    expect("fclib_local/W", "rows", w.rows, n)?;
    expect("fclib_local/W", "columns", columns, n)?;
    let mut blocks = std::collections::BTreeMap::new();
    for (i, j, value) in w.entries {
        let block = blocks.entry((i / dim, j / dim)).or_insert_with(|| vec![0.0; dim * dim]);
        block[(i % dim) * dim + j % dim] += value;
    }
    let blocks = blocks.into_iter().map(|((i, j), values)| (i, j, values)).collect();
    friction::local_blocks(dim, &mu, blocks, q)
}

fn global(file: &Reader) -> Result<AnyProblem, Fault> {
    let dim = file.dim("fclib_global")?;
    let mu = file.numbers("fclib_global/vectors/mu", None)?;
    let n = dim * mu.len();
    let w = file.numbers("fclib_global/vectors/w", Some(n))?;
    let (mass, columns) = file.matrix("fclib_global/M")?;
    expect("fclib_global/M", "columns", columns, mass.rows)?;
    let f = file.numbers("fclib_global/vectors/f", Some(mass.rows))?;
    let (h, columns) = file.matrix("fclib_global/H")?;
    expect("fclib_global/H", "rows", h.rows, mass.rows)?;
    expect("fclib_global/H", "columns", columns, n)?;
    file.refuse_bilateral("fclib_global/G")?;
    friction::global(dim, &mu, &mass, &h, &f, &w)
}
