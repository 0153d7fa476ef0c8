//! The rows besides those of contacts in a recording: one column per quantity, one entry per row.

use crate::constraint::RowSource;
use crate::model::Model;
use crate::recording::columns::columns;
use crate::recording::error::ReadProblem;
use crate::recording::npz::{NpzReader, NpzWriter};
use crate::report::{RowForce, RowLaw};
use std::io::{Read, Seek, Write};

/// Names of the laws of rows, by code.
pub const ROW_LAW_NAMES: [&str; 4] = RowLaw::KINDS;

/// Names of the kinds of what rows are of, by code.
pub const SOURCE_KIND_NAMES: [&str; 4] = RowSource::KINDS;

/// What rows may be of: joints (those of trees before those of loops), tendons, cables, equalities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceTable {
    /// Names.
    pub names: Vec<String>,
    /// Kinds, as codes of [`SOURCE_KIND_NAMES`].
    pub kind: Vec<i32>,
}

impl SourceTable {
    pub(crate) fn of_model(model: &Model) -> Self {
        let mut table = Self::default();
        for source in RowSource::ALL {
            let names = source.names(model).map(String::from);
            table.kind.extend(std::iter::repeat_n(source.kind() as i32, names.len()));
            table.names.extend(names);
        }
        table
    }

    /// Place of a source, by its kind and its index among those.
    pub(crate) fn place(&self, source: RowSource, index: usize) -> usize {
        self.of(source).start + index
    }

    /// Places of the sources of a kind.
    pub fn of(&self, source: RowSource) -> std::ops::Range<usize> {
        let place = |kind: usize| self.kind.partition_point(|&of| of < kind as i32);
        place(source.kind())..place(source.kind() + 1)
    }

    pub(crate) fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        npz.strings("source_names", &self.names)?;
        npz.array("source_kind", &[self.kind.len()], &self.kind)
    }

    pub(crate) fn read<R: Read + Seek>(npz: &mut NpzReader<R>) -> Result<Self, ReadProblem> {
        let names = npz.strings("source_names")?;
        let kind = npz.array("source_kind", &[names.len()])?;
        Ok(Self { names, kind })
    }
}

columns! {
    /// Rows of all steps, one entry of each vector per row ([`RowForce`]).
    pub struct RowTable("row") {
        /// Law, as code of [`ROW_LAW_NAMES`].
        pub law: i32,
        /// What it is of, as index into the [`SourceTable`].
        pub source: i32,
        /// Number of the row in its source.
        pub number: i32,
        /// 1 for rates of angles, 0 for speeds.
        pub angular: i32,
        /// Impulse (N s or N m s).
        pub impulse: f64,
        /// Velocity of which the laws hold (m/s or rad/s).
        pub velocity: f64,
        /// Velocity before the impulses.
        pub before: f64,
        /// Velocity before the step.
        pub start: f64,
        /// Velocity of the bodies after the impulses: `velocity`, but where the laws hold of displacements.
        pub after: f64,
        /// How long the forces of which the impulse is the sum act (s).
        pub duration: f64,
        /// Prescribed part of these.
        pub drift: f64,
        /// Least impulse.
        pub lower: f64,
        /// Largest impulse.
        pub upper: f64,
        /// What is left of a limit's range over the step (m/s or rad/s).
        pub bias: f64,
        /// How far the row gives way (m/s or rad/s per N s or N m s).
        pub compliance: f64,
    }
}

impl RowTable {
    /// Ends a step with these rows.
    pub(crate) fn push_step(&mut self, sources: &SourceTable, rows: &[RowForce]) {
        for row in rows {
            self.law.push(row.law.kind() as i32);
            self.source.push(sources.place(row.source, row.index) as i32);
            self.number.push(row.number as i32);
            self.angular.push(i32::from(row.angular));
            self.impulse.push(row.impulse);
            self.velocity.push(row.velocity);
            self.before.push(row.before);
            self.start.push(row.start);
            self.after.push(row.after);
            self.duration.push(row.duration);
            self.drift.push(row.drift);
            self.lower.push(row.lower);
            self.upper.push(row.upper);
            self.bias.push(row.bias);
            self.compliance.push(row.compliance);
        }
        self.ptr.push(self.law.len() as i64);
    }
}
