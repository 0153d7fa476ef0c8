//! Which contacts press without slip: every set tried, against the search.

use nalgebra::{DMatrix, DVector};
use stiction::contact::{
    Block, BlockKind, IslandProblem, IslandSolver, Law, Memory, NoSlip, NoSlipSettings, Operator,
};
use stiction_solvers::Status;

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    /// Uniform in -1 to 1.
    fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        2.0 * (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 1.0
    }
}

/// Contacts whose rows are independent, with `u = G lambda + free`.
struct Island {
    blocks: Vec<Block>,
    delassus: DMatrix<f64>,
    free: DVector<f64>,
}

impl Island {
    /// Contacts that meet; what a normal impulse does to tangents is of the size `coupling` of what it does to normals.
    fn random(contacts: usize, coupling: f64, random: &mut Random) -> Self {
        let rows = 3 * contacts;
        let mut half = DMatrix::from_fn(rows, rows, |_, _| random.number());
        for i in 0..rows {
            for j in 0..rows {
                if (i % 3 == 0) != (j % 3 == 0) {
                    half[(i, j)] *= coupling;
                }
            }
        }
        let mut free = DVector::from_fn(rows, |_, _| random.number());
        (0..contacts).for_each(|b| free[3 * b] = -free[3 * b].abs());
        let blocks = (0..contacts)
            .map(|b| {
                let bias = if random.number() > 0.0 { 0.0 } else { 0.1 * random.number().abs() };
                let kind = BlockKind::Contact { law: Law::NoSlip, bias, preload: 0.0 };
                Block { kind, row: 3 * b, restitution: 0.0 }
            })
            .collect();
        Self { blocks, delassus: &half * half.transpose(), free }
    }

    fn bias(&self, b: usize) -> f64 {
        match self.blocks[b].kind {
            BlockKind::Contact { bias, .. } => bias,
            _ => 0.0,
        }
    }

    /// Whether the contacts in `set` press when they are held and the others do not approach.
    fn is_consistent(&self, set: usize) -> bool {
        let held = |b: &usize| set >> b & 1 == 1;
        let contacts = 0..self.blocks.len();
        let rows: Vec<usize> = contacts.clone().filter(held).flat_map(|b| 3 * b..3 * b + 3).collect();
        let bias = |row: usize| if row.is_multiple_of(3) { self.bias(row / 3) } else { 0.0 };
        let matrix = DMatrix::from_fn(rows.len(), rows.len(), |i, j| self.delassus[(rows[i], rows[j])]);
        let velocity = DVector::from_fn(rows.len(), |i, _| -self.free[rows[i]] - bias(rows[i]));
        // LU of no rows is none.
        let impulse = if rows.is_empty() { Some(velocity) } else { matrix.lu().solve(&velocity) };
        let Some(impulse) = impulse else { return false };
        let mut u = self.free.clone();
        for (row, impulse) in rows.iter().zip(&impulse) {
            u += self.delassus.column(*row) * *impulse;
        }
        impulse.iter().step_by(3).all(|n| *n > 0.0)
            && contacts.clone().filter(|b| !held(b)).all(|b| u[3 * b] + self.bias(b) >= 0.0)
    }

    /// What the formulation says, the contacts that press, and whether some of them slip.
    fn solve(&self) -> (Status, usize, bool) {
        let mut solver = NoSlip::new(NoSlipSettings::default()).unwrap();
        let mut memory = vec![Memory::default(); self.blocks.len()];
        let zeros = vec![0.0; self.free.len()];
        let island = IslandProblem {
            blocks: &self.blocks,
            delassus: Operator::Dense(self.delassus.as_slice()),
            free: self.free.as_slice(),
            before: &zeros,
            timestep: 0.01,
        };
        let report = solver.solve(&island, &mut memory);
        let set = memory.iter().enumerate().map(|(b, m)| usize::from(m.impulse[0] > 0.0) << b).sum();
        (report.solver.status, set, report.solver.regularization > 0.0)
    }
}

#[test]
fn a_set_is_found_where_there_is_one_and_none_where_there_is_none() {
    let mut random = Random(7);
    for coupling in [0.1, 0.3, 1.0] {
        for contacts in 1..=6 {
            let (mut possible, mut found) = (0, 0);
            for _ in 0..500 {
                let island = Island::random(contacts, coupling, &mut random);
                let exists = (0..1 << contacts).any(|set| island.is_consistent(set));
                let (status, set, slips) = island.solve();
                possible += usize::from(exists);
                assert_eq!(status, Status::Solved, "{contacts} contacts");
                if !slips {
                    assert!(island.is_consistent(set), "{contacts} contacts: {set:b}");
                    found += 1;
                }
            }
            println!(
                "coupling {coupling}, {contacts} contacts: a set in {possible} of 500, found in {found}"
            );
            assert!(100 * found >= 99 * possible && possible < 500, "{found} of {possible}");
        }
    }
}
