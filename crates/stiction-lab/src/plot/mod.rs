//! Charts as SVG text.
//!
//! A picture is a grid of panels, a panel a chart of named lines, an axis linear or logarithmic. Lines that lie on each other
//! cannot be told apart: experiments draw what several runs have in common once, and their differences on a logarithmic axis.
//!
//! | file | |
//! |---|---|
//! | `frame` | the grid: sizes, margins, strokes |
//! | `axis` | from numbers to places, and round numbers to write beside them |
//! | `chart` | a panel: grid lines, legend, lines |

mod axis;
mod chart;
mod frame;

pub use axis::Scale;
pub use chart::{Panel, Series};

use std::io::Write;
use std::path::Path;

use stiction_solvers::io;

use crate::error::LabError;

/// A picture of an experiment.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Name of its file, without the ending.
    pub name: String,
    /// The SVG text.
    pub svg: String,
}

impl Picture {
    /// Panels in rows of so many.
    pub fn new(name: impl Into<String>, columns: usize, panels: &[Panel]) -> Picture {
        let svg = frame::grid(columns, panels.len(), |text, k| chart::draw(text, &panels[k]));
        Picture { name: name.into(), svg }
    }

    /// Writes the file `name.svg` into a directory, which is made if it is not there.
    pub fn write(&self, directory: &Path) -> Result<(), LabError> {
        let path = directory.join(format!("{}.svg", self.name));
        let failed = |source| LabError::File { path: path.clone(), action: "cannot be written", source };
        std::fs::create_dir_all(directory).map_err(failed)?;
        io::replace_file(&path, |file| file.write_all(self.svg.as_bytes())).map_err(failed)
    }
}
