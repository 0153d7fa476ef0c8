//! The contact models and solvers of the table.

use stiction::contact::{
    ExactConeSettings, Formulation, FormulationError, NoSlipSettings, PolyhedralSettings,
};

use super::scene;

/// A contact model of the engine with its solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// The pyramid of four directions by Lemke's method alone, from nothing.
    Lemke,
    /// The same with the contacts in an order of this number.
    LemkeShuffled(u64),
    /// The same by proximal-point steps around Lemke's method, the engine's own.
    ProximalLemke,
    /// Without slip as published: tangents are held wherever there is a contact.
    NoSlip(&'static str),
    /// Without slip where contacts press, the engine's own reading.
    NoSlipReleasing,
    /// Round cones.
    ExactCone,
}

impl Method {
    /// In the order of the table.
    pub(super) const ALL: [Method; 7] = [
        Method::Lemke,
        Method::LemkeShuffled(1),
        Method::ProximalLemke,
        Method::NoSlip("active-set-qp"),
        Method::NoSlip("ppm"),
        Method::NoSlipReleasing,
        Method::ExactCone,
    ];

    /// The contact model.
    pub(super) fn formulation(self) -> Result<Formulation, FormulationError> {
        let mut formulation = match self {
            // Directions along the edges of the faces, as in the paper.
            Method::Lemke | Method::LemkeShuffled(_) | Method::ProximalLemke => {
                Formulation::Polyhedral(PolyhedralSettings { aligned: false, ..Default::default() })
            }
            Method::NoSlip(_) => {
                Formulation::NoSlip(NoSlipSettings { releasing: false, ..Default::default() })
            }
            Method::NoSlipReleasing => Formulation::NoSlip(NoSlipSettings::default()),
            Method::ExactCone => Formulation::ExactCone(ExactConeSettings::default()),
        };
        match self {
            // Without proximal-point steps Lemke's method is left.
            Method::Lemke | Method::LemkeShuffled(_) => formulation.set_solver("lemke steps=0")?,
            Method::NoSlip(solver) => formulation.set_solver(solver)?,
            _ => {}
        }
        Ok(formulation)
    }

    /// Name of the solver in the table.
    pub(super) fn solver(self) -> &'static str {
        match self {
            Method::Lemke => "lemke",
            Method::LemkeShuffled(_) => "lemke shuffled",
            Method::ProximalLemke => "proximal-lemke",
            Method::NoSlip(solver) => solver,
            Method::NoSlipReleasing => "ppm",
            Method::ExactCone => "chain",
        }
    }

    /// The starts it is measured with, whether they are from the step before: Lemke's method alone begins at nothing.
    pub(super) fn starts(self) -> &'static [bool] {
        match self {
            Method::Lemke | Method::LemkeShuffled(_) => &[false],
            _ => &[false, true],
        }
    }

    /// The order of the contacts.
    pub(super) fn order(self) -> [usize; scene::CONTACTS] {
        match self {
            Method::LemkeShuffled(number) => scene::shuffled(number),
            _ => scene::in_order(),
        }
    }

    /// Running time of ten steps in the paper's table I: mean and standard deviation (s).
    pub(super) fn published(self) -> Option<[f64; 2]> {
        match self {
            Method::Lemke => Some([10.9681, 2.1812]),
            Method::NoSlip("active-set-qp") => Some([1.9892, 0.2640]),
            Method::NoSlip("ppm") => Some([1.6680, 0.3669]),
            _ => None,
        }
    }
}
