//! Islands as problem files: what `run --islands DIR` writes, for `stiction solve`.

use crate::error::CliError;
use crate::targets;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, PoisonError};
use stiction::contact::{PosedIslands, RecordingSolver};
use stiction::sim::Simulation;
use stiction_solvers::io;

/// Steps, from the first to before the last: `A:B`, where either may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps(Range<u64>);

impl FromStr for Steps {
    type Err = String;

    fn from_str(text: &str) -> Result<Steps, String> {
        let number = |text: &str, missing: u64| match text {
            "" => Ok(missing),
            _ => text.parse::<u64>().map_err(|_| format!("'{text}' is not the number of a step")),
        };
        let (first, end) = text.split_once(':').ok_or("two steps are needed, as in 0:10")?;
        let (first, end) = (number(first, 0)?, number(end, u64::MAX)?);
        if first >= end {
            return Err(format!("there is no step from {first} to before {end}"));
        }
        Ok(Steps(first..end))
    }
}

/// Writes every island of some steps to a directory, as it is posed, with its warm start.
#[derive(Debug)]
pub(crate) struct IslandWriter {
    directory: PathBuf,
    steps: Range<u64>,
    islands: PosedIslands,
    first: u64,
}

impl IslandWriter {
    /// Has a simulation's islands written; makes the directory if it is not there.
    pub(crate) fn new(
        directory: &Path,
        steps: Option<&Steps>,
        simulation: &mut Simulation,
    ) -> Result<Self, CliError> {
        std::fs::create_dir_all(directory).map_err(|source| CliError::File {
            path: directory.into(),
            action: "cannot be made",
            source,
        })?;
        let islands = PosedIslands::default();
        let solver = simulation.settings().formulation.solver()?;
        simulation.set_island_solver(Box::new(RecordingSolver::new(solver, Arc::clone(&islands))));
        let steps = steps.map_or(0..u64::MAX, |steps| steps.0.clone());
        Ok(Self { directory: directory.into(), steps, islands, first: simulation.step_number() })
    }

    /// Writes the islands of the step just taken. Steps count from the beginning of the run.
    pub(crate) fn write(&self, simulation: &Simulation) -> Result<(), CliError> {
        let step = simulation.step_number().saturating_sub(self.first + 1);
        let islands = std::mem::take(&mut *self.islands.lock().unwrap_or_else(PoisonError::into_inner));
        if !self.steps.contains(&step) {
            return Ok(());
        }
        for (number, island) in islands.iter().enumerate() {
            let path = self.directory.join(format!("step{step:06}-island{number:03}.json"));
            let name = format!("step {step}, island {number}");
            let text = io::to_json_with_start(&name, &island.problem, Some(&island.start));
            targets::write(&path, text.as_bytes())?;
        }
        Ok(())
    }
}
