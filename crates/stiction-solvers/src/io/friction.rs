//! Friction problems as files hold them, brought to a [`ConeNcp`] of Coulomb contacts.
//!
//! *Local*: `u = W r + q`. *Global*: `M v = H r + f`, `u = H^T v + w`, so that `W = H^T M^-1 H` and `q = H^T M^-1 f + w`. `M` is
//! taken apart into the blocks that its entries connect (bodies), each factored as `L L^T`; the rows of `Y = H^T L^-T` make
//! the operator `W = Y Y^T`, which is never formed. Where a block is not symmetric positive definite, `W` is multiplied out.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::io::{Fault, LARGEST_ASSEMBLED};
use crate::problem::{AnyProblem, BlockRows, BlockSparse, Cone, ConeNcp, Delassus, Piece};

/// Rows up to which a sparse operator is kept dense: dense loops are faster there.
const SMALL: usize = 180;

/// A matrix as a list of entries, where duplicates add.
#[derive(Clone, Debug, Default)]
pub(crate) struct Triplets {
    pub(crate) rows: usize,
    pub(crate) entries: Vec<(usize, usize, f64)>,
}

impl Triplets {
    /// The entries that are not zero of a dense row-major matrix.
    pub(crate) fn of_dense(rows: usize, columns: usize, matrix: &[f64]) -> Triplets {
        let entries = matrix
            .iter()
            .enumerate()
            .filter(|(_, v)| **v != 0.0)
            .map(|(at, v)| (at / columns.max(1), at % columns.max(1), *v))
            .collect();
        Triplets { rows, entries }
    }
}

fn cones(dim: usize, mu: &[f64]) -> Vec<Cone> {
    mu.iter().map(|&mu| Cone::Coulomb { dim, mu }).collect()
}

fn problem(cones: Vec<Cone>, delassus: Delassus, q: Vec<f64>) -> Result<AnyProblem, Fault> {
    let problem = ConeNcp::new(cones, delassus, q).map_err(|e| Fault::new("the problem", e.to_string()))?;
    Ok(problem.into())
}

/// A problem with a dense operator, row-major.
pub(crate) fn local(dim: usize, mu: &[f64], w: Vec<f64>, q: Vec<f64>) -> Result<AnyProblem, Fault> {
    problem(cones(dim, mu), Delassus::Dense(w), q)
}

/// A problem with an operator in blocks: `(block row, block column, dim * dim entries row-major)`.
pub(crate) fn local_blocks(
    dim: usize,
    mu: &[f64],
    mut blocks: Vec<(usize, usize, Vec<f64>)>,
    q: Vec<f64>,
) -> Result<AnyProblem, Fault> {
    blocks.sort_by_key(|block| (block.0, block.1));
    let count = mu.len();
    let mut sparse = BlockSparse {
        starts: (0..=count).map(|i| i * dim).collect(),
        row_ptr: vec![0; count + 1],
        columns: Vec::new(),
        value_ptr: vec![0],
        values: Vec::new(),
    };
    let mut last = None;
    for (i, j, values) in blocks {
        if last == Some((i, j)) {
            let first = sparse.values.len() - dim * dim;
            sparse.values[first..].iter_mut().zip(&values).for_each(|(sum, v)| *sum += v);
            continue;
        }
        last = Some((i, j));
        sparse.row_ptr[i + 1] += 1;
        sparse.columns.push(j);
        sparse.values.extend(values);
        sparse.value_ptr.push(sparse.values.len());
    }
    for i in 0..count {
        sparse.row_ptr[i + 1] += sparse.row_ptr[i];
    }
    let n = count * dim;
    let operator = Delassus::Sparse(sparse);
    let filled = 2 * operator.values().len() > n * n;
    let operator = if n <= SMALL || (filled && n <= LARGEST_ASSEMBLED) {
        Delassus::Dense(operator.to_dense(n))
    } else {
        operator
    };
    problem(cones(dim, mu), operator, q)
}

/// A global problem.
pub(crate) fn global(
    dim: usize,
    mu: &[f64],
    mass: &Triplets,
    h: &Triplets,
    f: &[f64],
    w: &[f64],
) -> Result<AnyProblem, Fault> {
    let bodies = Bodies::of(mass)?;
    let columns = bodies.columns_of(h, dim * mu.len());
    let forces: Vec<DVector<f64>> = bodies.list.iter().map(|body| body.part(f)).collect();
    match bodies.roots() {
        Some(roots) => factored(dim, mu, &bodies, &roots, &columns, &forces, w),
        None => product(dim, mu, &bodies, &columns, &forces, w),
    }
}

/// The operator as rows of `Y = H^T L^-T`.
fn factored(
    dim: usize,
    mu: &[f64],
    bodies: &Bodies,
    roots: &[Cholesky<f64, Dyn>],
    columns: &[Vec<(usize, DVector<f64>)>],
    forces: &[DVector<f64>],
    w: &[f64],
) -> Result<AnyProblem, Fault> {
    // The diagonal of a Cholesky factor is positive, so that this never fails.
    let half_solve = |body: usize, b: &DVector<f64>| {
        let mut x = b.clone();
        roots[body].l_dirty().solve_lower_triangular_mut(&mut x);
        x
    };
    let forces: Vec<DVector<f64>> = forces.iter().enumerate().map(|(b, f)| half_solve(b, f)).collect();
    let mut y = BlockRows { columns: bodies.size, ..BlockRows::default() };
    y.starts = (0..=mu.len()).map(|i| i * dim).collect();
    y.piece_ptr.push(0);
    let mut q = w.to_vec();
    for contact in 0..mu.len() {
        let rows = &columns[contact * dim..(contact + 1) * dim];
        let mut touched: Vec<usize> = rows.iter().flatten().map(|(body, _)| *body).collect();
        touched.sort_unstable();
        touched.dedup();
        for body in touched {
            let width = bodies.list[body].velocities.len();
            y.pieces.push(Piece { column: bodies.list[body].column, width, offset: y.values.len() });
            for (k, row) in rows.iter().enumerate() {
                let zero = DVector::zeros(width);
                let part = row.iter().find(|(b, _)| *b == body).map_or(&zero, |(_, part)| part);
                let half = half_solve(body, part);
                q[contact * dim + k] += half.dot(&forces[body]);
                y.values.extend(half.iter());
            }
        }
        y.piece_ptr.push(y.pieces.len());
    }
    problem(cones(dim, mu), Delassus::Factored(y), q)
}

/// The operator multiplied out, for mass matrices that are not symmetric (some programs write those) or not definite.
fn product(
    dim: usize,
    mu: &[f64],
    bodies: &Bodies,
    columns: &[Vec<(usize, DVector<f64>)>],
    forces: &[DVector<f64>],
    w: &[f64],
) -> Result<AnyProblem, Fault> {
    let n = dim * mu.len();
    if n > LARGEST_ASSEMBLED {
        let message =
            format!("is not symmetric, and {n} rows are too many: at most {LARGEST_ASSEMBLED} are read");
        return Err(Fault::new("M", message));
    }
    let singular = |body: usize| {
        let place = format!("M, the block of velocity {}", bodies.list[body].velocities[0]);
        Fault::new(place, "is singular: a mass matrix must not be")
    };
    let factors: Vec<_> = bodies.list.iter().map(|body| body.matrix.clone().lu()).collect();
    let solve = |body: usize, b: &DVector<f64>| factors[body].solve(b).ok_or_else(|| singular(body));
    let mut dense = vec![0.0; n * n];
    let mut q = w.to_vec();
    for (j, column) in columns.iter().enumerate() {
        for (body, part) in column {
            let moved = solve(*body, part)?;
            for (i, row) in columns.iter().enumerate() {
                let through = row.iter().filter(|(b, _)| b == body).map(|(_, part)| part.dot(&moved));
                dense[i * n + j] += through.sum::<f64>();
            }
        }
    }
    for (body, force) in forces.iter().enumerate() {
        let moved = solve(body, force)?;
        for (q, row) in q.iter_mut().zip(columns) {
            *q += row.iter().filter(|(b, _)| *b == body).map(|(_, part)| part.dot(&moved)).sum::<f64>();
        }
    }
    local(dim, mu, dense, q)
}

/// A set of velocities that the mass matrix connects.
struct Body {
    velocities: Vec<usize>,
    /// First column of the operator.
    column: usize,
    matrix: DMatrix<f64>,
}

impl Body {
    /// The body's part of a vector over all velocities.
    fn part(&self, b: &[f64]) -> DVector<f64> {
        DVector::from_iterator(self.velocities.len(), self.velocities.iter().map(|&v| b[v]))
    }
}

struct Bodies {
    list: Vec<Body>,
    /// Number of velocities.
    size: usize,
    /// Body of each velocity, and its place there.
    body: Vec<usize>,
    place: Vec<usize>,
}

impl Bodies {
    fn of(mass: &Triplets) -> Result<Bodies, Fault> {
        let n = mass.rows;
        let mut root: Vec<usize> = (0..n).collect();
        for &(i, j, value) in &mass.entries {
            if value != 0.0 {
                let (a, b) = (find(&mut root, i), find(&mut root, j));
                root[a.max(b)] = a.min(b);
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
        for i in 0..n {
            members[find(&mut root, i)].push(i);
        }
        members.retain(|list| !list.is_empty());
        let (mut body, mut place) = (vec![0; n], vec![0; n]);
        let mut list = Vec::with_capacity(members.len());
        let mut column = 0;
        for (b, velocities) in members.into_iter().enumerate() {
            let width = velocities.len();
            if width > LARGEST_ASSEMBLED {
                let message = format!("connects {width} velocities: at most {LARGEST_ASSEMBLED} are read");
                return Err(Fault::new("M", message));
            }
            for (k, &velocity) in velocities.iter().enumerate() {
                (body[velocity], place[velocity]) = (b, k);
            }
            list.push(Body { velocities, column, matrix: DMatrix::zeros(width, width) });
            column += width;
        }
        for &(i, j, value) in &mass.entries {
            if value != 0.0 {
                list[body[i]].matrix[(place[i], place[j])] += value;
            }
        }
        Ok(Bodies { list, size: n, body, place })
    }

    /// The parts of the columns of `H` by body.
    fn columns_of(&self, h: &Triplets, rows: usize) -> Vec<Vec<(usize, DVector<f64>)>> {
        let mut columns: Vec<Vec<(usize, DVector<f64>)>> = vec![Vec::new(); rows];
        for &(velocity, row, value) in &h.entries {
            let body = self.body[velocity];
            let column = &mut columns[row];
            let at = column.iter().position(|(b, _)| *b == body).unwrap_or_else(|| {
                column.push((body, DVector::zeros(self.list[body].velocities.len())));
                column.len() - 1
            });
            column[at].1[self.place[velocity]] += value;
        }
        columns
    }

    /// The Cholesky factors, if all blocks are symmetric and positive definite.
    fn roots(&self) -> Option<Vec<Cholesky<f64, Dyn>>> {
        let factor = |body: &Body| {
            let asymmetry = (&body.matrix - body.matrix.transpose()).amax();
            let symmetric = asymmetry <= ASYMMETRY * body.matrix.amax();
            if symmetric { Cholesky::new(body.matrix.clone()) } else { None }
        };
        self.list.iter().map(factor).collect()
    }
}

/// Relative difference of mirrored entries that is rounding.
const ASYMMETRY: f64 = 1e-12;

/// Root of an element in a forest of sets; halves the path.
fn find(root: &mut [usize], mut i: usize) -> usize {
    while root[i] != i {
        root[i] = root[root[i]];
        i = root[i];
    }
    i
}
