//! The five solvers that Mylapilli and Jain compare, and ours: what both of their experiments are run with.
//!
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME
//! DETC2014-34322 (MJ14).

use std::path::Path;

use stiction::contact::{ExactConeSettings, Formulation, PolyhedralSettings};

use crate::error::CliError;

/// A friction cone and a solver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    /// As MJ14 abbreviate it; ours by their own names.
    pub(crate) name: &'static str,
    pub(crate) solver: &'static str,
    /// Four directions instead of the exact cone.
    pub(crate) pyramid: bool,
    /// Computation time of MJ14's pendulum (s).
    pub(crate) paper: Option<f64>,
}

/// The five, then the default of this engine.
pub(crate) const SCHEMES: [Scheme; 6] = [
    Scheme { name: "MLCP-PATH", solver: "path", pyramid: true, paper: Some(23.92) },
    Scheme { name: "MLCP-FB-RLM", solver: "fb-rlm", pyramid: true, paper: Some(22.78) },
    Scheme { name: "MLCP-FB-PLM", solver: "fb-plm", pyramid: true, paper: Some(24.24) },
    Scheme { name: "MNCP-RLM", solver: "mncp-rlm", pyramid: false, paper: Some(22.85) },
    Scheme { name: "MNCP-PLM", solver: "mncp-plm", pyramid: false, paper: Some(22.82) },
    DEFAULT,
];

/// Exact cones and the solver of this engine.
pub(crate) const DEFAULT: Scheme = Scheme { name: "default", solver: "chain", pyramid: false, paper: None };

impl Scheme {
    /// The contact model, with so many directions, turned against the sliding velocity or left along the axes.
    pub(crate) fn formulation(&self, directions: usize, aligned: bool) -> Formulation {
        let solver = self.solver.into();
        if self.pyramid {
            Formulation::Polyhedral(PolyhedralSettings { directions, aligned, solver, ..Default::default() })
        } else {
            Formulation::ExactCone(ExactConeSettings { solver, ..Default::default() })
        }
    }
}

/// Makes the directory that pictures go to, if it is not there.
pub(crate) fn make_directory(path: &Path) -> Result<(), CliError> {
    let action = "cannot be made";
    std::fs::create_dir_all(path).map_err(|source| CliError::File { path: path.into(), action, source })
}
