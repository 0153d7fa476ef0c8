//! Recordings: what a run leaves behind, as NumPy archives.

pub(crate) mod archive;
pub(crate) mod npz;
pub(crate) mod recorder;

pub use archive::{LAW_NAMES, MODE_NAMES, ReadError, ReadProblem, RecordError, Recording, SHAPE_NAMES};
pub use npz::NpzError;
pub use recorder::Recorder;
