//! The reverse Cuthill-McKee order of the rows of a sparse matrix `Y`, which keeps the entries of `Y Y^T` near its diagonal.
//!
//! # Method
//! Rows are neighbours if they share a column.
//! 1. Begin a component at the row with the fewest neighbours; walk it breadth first; begin again at the row met last.
//! 2. Walk breadth first, the neighbours of a row with fewer neighbours first. Number the rows as they are met.
//! 3. Turn the order round.
//!
//! # References
//! A. George, J. W. H. Liu, *Computer Solution of Large Sparse Positive Definite Systems*, 1981, chapter 4.

use crate::linalg::capacity::reserve_to;
use crate::linalg::sparse_rows::SparseRows;

/// Memory for ordering.
#[derive(Clone, Debug, Default)]
pub(crate) struct CuthillMckee {
    order: Vec<usize>,
    /// Neighbours, counted once for each column that is shared.
    degree: Vec<usize>,
    by_degree: Vec<usize>,
    /// The last walk that met a row.
    met: Vec<usize>,
}

impl CuthillMckee {
    /// The order: every row of `0..n` once.
    pub(crate) fn order(&mut self, rows: &SparseRows, n: usize) -> &[usize] {
        let Self { order, degree, by_degree, met } = self;
        degree.clear();
        degree.extend((0..n).map(|i| rows.row(i).iter().map(|&(k, _)| rows.column(k).len()).sum::<usize>()));
        by_degree.clear();
        by_degree.extend(0..n);
        by_degree.sort_unstable_by_key(|&i| (degree[i], i));
        met.clear();
        met.resize(n, 0);
        order.clear();
        reserve_to(order, n);
        for (walk, &seed) in by_degree.iter().enumerate() {
            if met[seed] > 0 {
                continue;
            }
            let first = order.len();
            breadth_first(rows, seed, 2 * walk + 1, degree, met, order); // step 1
            let far = order[order.len() - 1];
            order.truncate(first);
            breadth_first(rows, far, 2 * walk + 2, degree, met, order); // step 2
        }
        order.reverse(); // step 3
        order
    }
}

/// Appends the component of `seed` to the order and marks it.
fn breadth_first(
    rows: &SparseRows,
    seed: usize,
    mark: usize,
    degree: &[usize],
    met: &mut [usize],
    order: &mut Vec<usize>,
) {
    let mut at = order.len();
    order.push(seed);
    met[seed] = mark;
    while at < order.len() {
        let found = order.len();
        for &(k, _) in rows.row(order[at]) {
            for &(j, _) in rows.column(k) {
                if met[j] != mark {
                    met[j] = mark;
                    order.push(j);
                }
            }
        }
        order[found..].sort_unstable_by_key(|&j| (degree[j], j));
        at += 1;
    }
}
