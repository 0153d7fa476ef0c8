//! Recordings: what a run did, step by step, as plain numbers that need nothing else to be played or checked.
//!
//! ```text
//! Simulation -> Recorder -> Sink: Recording (memory) -> archive (.npz)
//!                                                    -> page (crate stiction-page)
//!                           Sink: another, such as a live viewer
//! ```
//!
//! | file | what it is |
//! |---|---|
//! | `sink` | the trait through which a run hands out its steps |
//! | `recorder` | watches a simulation, finds the poses of its bodies, and feeds a sink |
//! | `run` | what stays the same during a run: names, shapes, the first state |
//! | `tables` | the sink that keeps every step, in flat columns |
//! | `columns` | how a table declares its columns |
//! | `joint_table` | what joints, connects and welds transmitted among these columns |
//! | `moved_table` | the bodies that the removal of overlap moved among these columns |
//! | `row_table` | the rows of limits, joint friction, equalities and actions among these columns |
//! | `schema` | the arrays of the archive with their shapes and units; writes and reads the tables |
//! | `check` | refuses archives that contradict themselves |
//! | `size` | how large the archive would be |
//! | `npz` | the container: NumPy arrays in a zip file |
//! | `error` | why a recording cannot be written or read |
//!
//! Impulses, velocities and frames of every contact, and impulses, velocities and bounds of every other row, are recorded in full
//! precision, and so are the poses of the bodies that the removal of overlap moved: what a certificate says of them can be computed
//! again from the file alone.

mod check;
mod columns;
mod error;
mod joint_table;
mod moved_table;
mod npz;
mod recorder;
mod row_table;
mod run;
mod schema;
mod sink;
mod size;
mod tables;
#[cfg(test)]
mod tests;

pub use error::{ReadError, ReadProblem, RecordError};
pub use joint_table::JointTable;
pub use moved_table::MovedTable;
pub use npz::NpzError;
pub use recorder::Recorder;
pub use row_table::{ROW_LAW_NAMES, RowTable, SOURCE_KIND_NAMES, SourceTable};
pub use run::{BodyTable, GeomTable, HeightFieldTable, MeshTable, Poses, Run};
pub use run::{LAW_NAMES, MODE_NAMES, SHAPE_NAMES};
pub use sink::{RecordedStep, Sink};
pub use tables::{ContactTable, NO_MARGIN, Recording};
