//! How an island becomes a problem of cones: a cone for each block and a second one for a preload, and the rows they come from.

use super::{ExactConeSettings, PRELOADED, preload};
use crate::contact::formulation::viscous::{ViscousContacts, ViscousRule};
use crate::contact::island::{BlockKind, IslandProblem, Operator};
use crate::model::Law;
use stiction_solvers::{BlockRows, Cone, ConeData, Delassus, Piece};

/// Where the rows of the problem come from.
pub(super) struct Layout<'a> {
    pub(super) settings: &'a ExactConeSettings,
    pub(super) viscous: &'a ViscousContacts,
    pub(super) source: &'a mut Vec<usize>,
    pub(super) mobility: &'a mut Vec<f64>,
    pub(super) blocks: &'a mut Vec<[usize; 2]>,
}

impl Layout<'_> {
    pub(super) fn fill(
        &mut self,
        island: &IslandProblem,
        held: Option<f64>,
        data: ConeData,
        spare: &mut Delassus,
    ) {
        let ConeData { cones, delassus, q, compliance } = data;
        self.mobility.clear();
        cones.clear();
        q.clear();
        compliance.clear();
        self.source.clear();
        self.blocks.clear();
        let soft = self.settings.compliance;
        for (b, block) in island.blocks.iter().enumerate() {
            let first = self.source.len();
            let mut push = |cone: Cone, rows: [usize; 3], bias: f64, softness: f64| {
                cones.push(cone);
                for (k, &row) in rows[..cone.dim()].iter().enumerate() {
                    let free = if row == PRELOADED { 0.0 } else { island.free[row] };
                    self.source.push(row);
                    q.push(free + if k == 0 { bias } else { 0.0 });
                    compliance.push(softness);
                }
            };
            let row = block.row;
            let [rows, tangents] = [[row, row + 1, row + 2], [row + 1, row + 2, row + 3]];
            let preload = preload(block);
            match block.kind {
                BlockKind::Limit { bias } => push(Cone::Nonnegative { dim: 1 }, rows, bias, 0.0),
                BlockKind::Friction { bound } => {
                    push(Cone::Interval { lower: -bound, upper: bound }, rows, 0.0, 0.0);
                }
                BlockKind::Contact { law, bias, .. } => {
                    let law = self.settings.law_in_force(law);
                    let cone = match (law, held) {
                        (Law::Frictionless | Law::Viscous { .. }, _) => Cone::Nonnegative { dim: 1 },
                        (Law::Coulomb { mu } | Law::CoulombViscous { mu, .. }, _) => {
                            Cone::Coulomb { dim: 3, mu }
                        }
                        (Law::NoSlip, Some(mu)) => Cone::Coulomb { dim: 3, mu },
                        // A preload presses, whatever comes on top.
                        (Law::NoSlip, None) if preload > 0.0 => Cone::Nonnegative { dim: 1 },
                        (Law::NoSlip, None) => Cone::NoSlip { dim: 3 },
                    };
                    push(cone, rows, bias, soft);
                    match (cone, law) {
                        (Cone::Nonnegative { .. }, Law::NoSlip) => {
                            push(Cone::Free { dim: 2 }, tangents, 0.0, soft)
                        }
                        (Cone::Coulomb { .. }, _) if preload > 0.0 => {
                            let mobility = Some(island.entry(row, row)).filter(|g| *g > 0.0).unwrap_or(1.0);
                            push(cone, [PRELOADED, row + 1, row + 2], -mobility * preload, soft);
                            self.mobility.push(mobility);
                        }
                        _ => {}
                    }
                    let rub = self.viscous.weight(b, island.timestep);
                    if rub > 0.0 && self.settings.viscous == ViscousRule::Implicit {
                        push(Cone::Free { dim: 2 }, tangents, 0.0, 1.0 / rub);
                    } else if rub > 0.0 {
                        for tangent in [row + 1, row + 2] {
                            let impulse = -rub * island.before[tangent];
                            push(Cone::Interval { lower: impulse, upper: impulse }, [tangent; 3], 0.0, 0.0);
                        }
                    }
                }
            }
            self.blocks.push([first, self.source.len() - first]);
        }
        write_operator(island, cones, self.source, self.mobility, delassus, spare);
    }
}

/// Writes the operator of the problem, whose rows are the island's rows in `source`, or [`PRELOADED`] with nothing but the
/// diagonal that `mobility` has for them. `spare` is of the other form and changes places when the form changes.
fn write_operator(
    island: &IslandProblem,
    cones: &[Cone],
    source: &[usize],
    mobility: &[f64],
    delassus: &mut Delassus,
    spare: &mut Delassus,
) {
    let same = matches!(
        (&island.delassus, &*delassus),
        (Operator::Dense(_), Delassus::Dense(_)) | (Operator::Factored(_), Delassus::Factored(_))
    );
    if !same {
        std::mem::swap(delassus, spare);
    }
    let unchanged = source.len() == island.rows() && source.iter().enumerate().all(|(i, s)| i == *s);
    match (island.delassus, delassus) {
        (Operator::Dense(from), Delassus::Dense(to)) => {
            to.clear();
            if unchanged {
                to.extend_from_slice(from);
            } else {
                let n = island.rows();
                let entry = |i: usize, j: usize| if i.max(j) == PRELOADED { 0.0 } else { from[i * n + j] };
                to.extend(source.iter().flat_map(|&i| source.iter().map(move |&j| entry(i, j))));
                let preloaded = (0..source.len()).filter(|&i| source[i] == PRELOADED);
                preloaded.zip(mobility).for_each(|(i, g)| to[i * source.len() + i] = *g);
            }
        }
        (Operator::Factored(from), Delassus::Factored(to)) => {
            // The problem's blocks are its cones, even where rows are those of the island.
            copy_rows(island, from, cones, source, mobility, to);
        }
        _ => {}
    }
}

/// The same for rows of `Y`, where a preloaded row has a column of its own.
fn copy_rows(
    island: &IslandProblem,
    from: &BlockRows,
    cones: &[Cone],
    source: &[usize],
    mobility: &[f64],
    to: &mut BlockRows,
) {
    to.columns = from.columns;
    to.starts.clear();
    to.starts.push(0);
    to.piece_ptr.clear();
    to.piece_ptr.push(0);
    to.pieces.clear();
    to.values.clear();
    let mut mobility = mobility.iter();
    let mut row = 0;
    for cone in cones {
        // Rows that are none of the island's, and the first that is.
        let own = usize::from(source[row] == PRELOADED);
        let origin = source[row + own];
        // The island's block that holds the cone's rows: blocks are in the order of their rows.
        let block = island.blocks.partition_point(|b| b.row <= origin) - 1;
        let skip = origin - island.blocks[block].row;
        for (piece, values) in from.pieces(block) {
            let offset = to.values.len();
            to.pieces.push(Piece { column: piece.column, width: piece.width, offset });
            to.values.resize(offset + own * piece.width, 0.0);
            let end = (skip + cone.dim() - own) * piece.width;
            to.values.extend_from_slice(&values[skip * piece.width..end]);
        }
        if own == 1 {
            to.pieces.push(Piece { column: to.columns, width: 1, offset: to.values.len() });
            to.columns += 1;
            to.values.push(mobility.next().map_or(1.0, |g| g.sqrt()));
            to.values.resize(to.values.len() + cone.dim() - 1, 0.0);
        }
        row += cone.dim();
        to.piece_ptr.push(to.pieces.len());
        to.starts.push(row);
    }
}
