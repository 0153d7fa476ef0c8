//! Mylapilli and Jain 2014: five solvers for contact in minimal coordinates, on two experiments.
//!
//! The paper poses a contact of `k` friction directions as a mixed linear problem (MLCP, eq. 16-22 of the paper) and the round
//! cone as a nonlinear one (MNCP), and solves them by PATH and by two damped least-squares methods on the Fischer-Burmeister
//! equations: RLM with an ordinary line search, PLM with a projected one. All five are shipped; the default of this engine,
//! the exact cone by the chain of solvers, runs beside them.
//!
//! | module | experiment |
//! |---|---|
//! | [`sphere`] | a sphere thrown along a floor, beside its closed form |
//! | [`pendulum`] | twelve balls on hinges that swing into a floor and a wall, with restitution |
//!
//! # References
//! H. Mylapilli, A. Jain, *Evaluation of complementarity techniques for minimal coordinate contact dynamics*, ASME IDETC 2014,
//! DETC2014-34322.

pub mod pendulum;
pub mod sphere;

use stiction::contact::{ExactConeSettings, Formulation, FormulationError, PolyhedralSettings};

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
    pub(crate) fn formulation(
        &self,
        directions: usize,
        aligned: bool,
    ) -> Result<Formulation, FormulationError> {
        let mut formulation = if self.pyramid {
            Formulation::Polyhedral(PolyhedralSettings { directions, aligned, ..Default::default() })
        } else {
            Formulation::ExactCone(ExactConeSettings::default())
        };
        formulation.set_solver(self.solver)?;
        Ok(formulation)
    }
}
