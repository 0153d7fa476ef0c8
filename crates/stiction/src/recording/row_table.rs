//! The rows besides those of contacts in a recording: one column per quantity, one entry per row.

use crate::constraint::RowSource;
use crate::model::Model;
use crate::recording::error::ReadProblem;
use crate::recording::npz::{NpzReader, NpzWriter};
use crate::recording::schema::step_pointers;
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
    pub(crate) fn of(model: &Model) -> Self {
        let mut table = Self::default();
        for source in RowSource::ALL {
            let names = source.names(model).map(String::from);
            table.kind.extend(std::iter::repeat_n(source.kind() as i32, names.len()));
            table.names.extend(names);
        }
        table
    }

    /// Place of a source, by its kind and its index among those.
    fn place(&self, source: RowSource, index: usize) -> usize {
        self.kind.partition_point(|&kind| kind < source.kind() as i32) + index
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

/// Rows of all steps, one entry of each vector per row ([`RowForce`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowTable {
    /// Rows before each step, and after the last.
    pub ptr: Vec<i64>,
    /// Law, as code of [`ROW_LAW_NAMES`].
    pub law: Vec<i32>,
    /// What it is of, as index into the [`SourceTable`].
    pub source: Vec<i32>,
    /// Number of the row in its source.
    pub number: Vec<i32>,
    /// 1 for rates of angles, 0 for speeds.
    pub angular: Vec<i32>,
    /// Impulse (N s or N m s).
    pub impulse: Vec<f64>,
    /// Velocity after the step (m/s or rad/s).
    pub velocity: Vec<f64>,
    /// Velocity before the impulses.
    pub before: Vec<f64>,
    /// Velocity before the step.
    pub start: Vec<f64>,
    /// Prescribed part of these.
    pub drift: Vec<f64>,
    /// Least impulse.
    pub lower: Vec<f64>,
    /// Largest impulse.
    pub upper: Vec<f64>,
    /// What is left of a limit's range over the step (m/s or rad/s).
    pub bias: Vec<f64>,
    /// How far the row gives way (m/s or rad/s per N s or N m s).
    pub compliance: Vec<f64>,
}

impl RowTable {
    /// The rows of a step.
    pub fn of_step(&self, step: usize) -> std::ops::Range<usize> {
        self.ptr[step] as usize..self.ptr[step + 1] as usize
    }

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
            self.drift.push(row.drift);
            self.lower.push(row.lower);
            self.upper.push(row.upper);
            self.bias.push(row.bias);
            self.compliance.push(row.compliance);
        }
        self.ptr.push(self.law.len() as i64);
    }

    pub(crate) fn write<W: Write + Seek>(&self, npz: &mut NpzWriter<W>) -> std::io::Result<()> {
        let r = [self.law.len()];
        npz.array("row_ptr", &[self.ptr.len()], &self.ptr)?;
        npz.array("row_law", &r, &self.law)?;
        npz.array("row_source", &r, &self.source)?;
        npz.array("row_number", &r, &self.number)?;
        npz.array("row_angular", &r, &self.angular)?;
        npz.array("row_impulse", &r, &self.impulse)?;
        npz.array("row_velocity", &r, &self.velocity)?;
        npz.array("row_before", &r, &self.before)?;
        npz.array("row_start", &r, &self.start)?;
        npz.array("row_drift", &r, &self.drift)?;
        npz.array("row_lower", &r, &self.lower)?;
        npz.array("row_upper", &r, &self.upper)?;
        npz.array("row_bias", &r, &self.bias)?;
        npz.array("row_compliance", &r, &self.compliance)
    }

    pub(crate) fn read<R: Read + Seek>(npz: &mut NpzReader<R>, steps: usize) -> Result<Self, ReadProblem> {
        let (ptr, r) = step_pointers(npz, "row_ptr", steps)?;
        let r = [r];
        Ok(Self {
            ptr,
            law: npz.array("row_law", &r)?,
            source: npz.array("row_source", &r)?,
            number: npz.array("row_number", &r)?,
            angular: npz.array("row_angular", &r)?,
            impulse: npz.array("row_impulse", &r)?,
            velocity: npz.array("row_velocity", &r)?,
            before: npz.array("row_before", &r)?,
            start: npz.array("row_start", &r)?,
            drift: npz.array("row_drift", &r)?,
            lower: npz.array("row_lower", &r)?,
            upper: npz.array("row_upper", &r)?,
            bias: npz.array("row_bias", &r)?,
            compliance: npz.array("row_compliance", &r)?,
        })
    }
}
