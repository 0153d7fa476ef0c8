//! The formulation of an island: which complementarity problem is posed for its contacts.

use crate::contact::acceleration_forces::ContactForces;
use crate::contact::formulation::exact_cone::{ExactCone, ExactConeSettings, ViscousRule};
use crate::contact::formulation::friction_box::{FrictionBox, FrictionBoxSettings};
use crate::contact::formulation::no_slip::{NoSlip, NoSlipSettings};
use crate::contact::formulation::polyhedral::{GapRule, Polyhedral, PolyhedralSettings};
use crate::contact::impact::ImpactLaw;
use crate::contact::island::{IslandProblem, IslandReport, Memory};
use crate::model::Law;
use crate::scene::SceneOptions;
use crate::suggestion::did_you_mean;
use serde::{Deserialize, Serialize};
use stiction_solvers::select::registry;
use stiction_solvers::{Class, FrictionLaw};

/// Which problem is posed for an island of contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Formulation {
    /// The friction cone itself (De Saxce and Feng 1998), or its convex relaxation (Anitescu 2006).
    ExactCone(ExactConeSettings),
    /// Friction cones replaced by pyramids, a linear complementarity problem (Stewart and Trinkle 1996; Anitescu
    /// and Potra 1997).
    Polyhedral(PolyhedralSettings),
    /// Tangential impulses bounded by boxes, a symmetric problem (Arechavaleta, Lopez-Damian and Morales 2010).
    FrictionBox(FrictionBoxSettings),
    /// Contacts with friction do not slip, whatever it takes (Drumwright 2015, section VI).
    NoSlip(NoSlipSettings),
}

/// An unknown or unusable formulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormulationError {
    /// No formulation of this name.
    #[error("contact model '{0}' is unknown; available: {available}{hint}", available = Formulation::NAMES.join(", "),
        hint = did_you_mean(.0, Formulation::NAMES))]
    Unknown(String),
    /// The solver does not fit.
    #[error("solver '{solver}' cannot solve contact model '{formulation}'; available: {list}{hint}",
        list = available.join(", "), hint = did_you_mean(solver, available.iter().copied()))]
    Solver {
        /// What was asked for.
        solver: String,
        /// The formulation.
        formulation: String,
        /// What fits.
        available: Vec<&'static str>,
    },
    /// A law that the formulation cannot express.
    #[error("contact model '{formulation}' cannot express the law '{law}'; these can: {available}")]
    Law {
        /// The law.
        law: Law,
        /// The formulation.
        formulation: String,
        /// What can.
        available: String,
    },
    /// An impact law that the formulation cannot express.
    #[error(
        "contact model '{formulation}' cannot express restitution by the impact law '{law}'; use the impact law 'newton', or one of: \
        {available}"
    )]
    Impact {
        /// The law.
        law: ImpactLaw,
        /// The formulation.
        formulation: String,
        /// What can.
        available: String,
    },
    /// A setting out of range.
    #[error("{0}")]
    Setting(String),
}

impl Default for Formulation {
    fn default() -> Self {
        Formulation::ExactCone(ExactConeSettings::default())
    }
}

impl Formulation {
    /// The names of all formulations.
    pub const NAMES: [&'static str; 11] = [
        "cone",
        "convex",
        "stewart-trinkle",
        "anitescu-potra",
        "frictionless",
        "viscous",
        "viscous-explicit",
        "friction-box",
        "friction-box-fixed-point",
        "no-slip",
        "no-slip-paper",
    ];

    /// The formulation a scene asks for, with the default for what it does not say.
    ///
    /// # Errors
    /// An unknown name, a solver that does not fit, or a setting out of range.
    pub fn of_scene(options: &SceneOptions) -> Result<Self, FormulationError> {
        let mut formulation = match &options.contact_model {
            Some(name) => Self::named(name)?,
            None => Self::default(),
        };
        if let Some(solver) = &options.solver {
            formulation.set_solver(solver)?;
        }
        let name = formulation.name();
        let refuse = |what: String, why: &str| Err(FormulationError::Setting(format!("{what}: {why}")));
        match &mut formulation {
            Formulation::Polyhedral(settings) => {
                if let Some(directions) = options.friction_directions {
                    settings.directions = directions;
                }
                if let Some(compliance) = options.compliance {
                    return refuse(
                        format!("compliance {compliance}"),
                        &format!("contact model '{name}' has none"),
                    );
                }
            }
            Formulation::FrictionBox(_) | Formulation::NoSlip(_) => {
                if let Some(directions) = options.friction_directions {
                    let why = format!("contact model '{name}' has no pyramid");
                    return refuse(format!("{directions} friction directions"), &why);
                }
                if let Some(compliance) = options.compliance {
                    let why = format!("contact model '{name}' has none");
                    return refuse(format!("compliance {compliance}"), &why);
                }
            }
            Formulation::ExactCone(settings) => {
                if let Some(directions) = options.friction_directions {
                    let why = format!("contact model '{name}' has no pyramid, its cone is exact");
                    return refuse(format!("{directions} friction directions"), &why);
                }
                settings.compliance = options.compliance.unwrap_or(0.0);
                if let Some(Law::Viscous { viscosity }) = &mut settings.replacement {
                    *viscosity = options.viscosity.ok_or_else(|| {
                        let needed = "needs the coefficient of viscosity of each contact point (N s/m): \
                                      stiction:viscosity in the scene, or --viscosity";
                        FormulationError::Setting(format!("contact model '{name}' {needed}"))
                    })?;
                }
            }
        }
        // A workspace is made to have every setting checked by the one who knows.
        formulation.solver()?;
        Ok(formulation)
    }

    /// The formulation of this name, as the command line and scene files write it. Of the viscous ones the coefficient
    /// is still to be set.
    pub fn named(name: &str) -> Result<Self, FormulationError> {
        let cone = ExactConeSettings::default();
        let pyramid = PolyhedralSettings::default();
        let viscous = Some(Law::Viscous { viscosity: 0.0 });
        Ok(match name {
            "cone" => Formulation::ExactCone(cone),
            "convex" => Formulation::ExactCone(ExactConeSettings { law: FrictionLaw::Associated, ..cone }),
            "frictionless" => {
                Formulation::ExactCone(ExactConeSettings { replacement: Some(Law::Frictionless), ..cone })
            }
            "viscous" => Formulation::ExactCone(ExactConeSettings { replacement: viscous, ..cone }),
            "viscous-explicit" => Formulation::ExactCone(ExactConeSettings {
                replacement: viscous,
                viscous: ViscousRule::Explicit,
                ..cone
            }),
            "stewart-trinkle" => Formulation::Polyhedral(pyramid),
            "anitescu-potra" => {
                Formulation::Polyhedral(PolyhedralSettings { gap: GapRule::AnitescuPotra, ..pyramid })
            }
            "friction-box" => Formulation::FrictionBox(FrictionBoxSettings::default()),
            "friction-box-fixed-point" => Formulation::FrictionBox(FrictionBoxSettings {
                fixed_point: Some(FrictionBoxSettings::ROUNDS),
                ..Default::default()
            }),
            "no-slip" => Formulation::NoSlip(NoSlipSettings::default()),
            "no-slip-paper" => Formulation::NoSlip(NoSlipSettings { releasing: false, ..Default::default() }),
            _ => return Err(FormulationError::Unknown(name.into())),
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Formulation::ExactCone(cone) => match (cone.replacement, cone.law, cone.viscous) {
                (Some(Law::Frictionless), ..) => "frictionless",
                (Some(Law::Viscous { .. }), _, ViscousRule::Implicit) => "viscous",
                (Some(Law::Viscous { .. }), _, ViscousRule::Explicit) => "viscous-explicit",
                (_, FrictionLaw::Coulomb, _) => "cone",
                (_, FrictionLaw::Associated, _) => "convex",
            },
            Formulation::Polyhedral(PolyhedralSettings { gap: GapRule::StewartTrinkle, .. }) => {
                "stewart-trinkle"
            }
            Formulation::Polyhedral(PolyhedralSettings { gap: GapRule::AnitescuPotra, .. }) => {
                "anitescu-potra"
            }
            Formulation::FrictionBox(FrictionBoxSettings { fixed_point: None, .. }) => "friction-box",
            Formulation::FrictionBox(_) => "friction-box-fixed-point",
            Formulation::NoSlip(NoSlipSettings { releasing: true, .. }) => "no-slip",
            Formulation::NoSlip(_) => "no-slip-paper",
        }
    }

    /// The law that a contact of this law obeys: its own, unless this contact model replaces all with friction.
    pub fn law_in_force(&self, law: Law) -> Law {
        match (self, law) {
            (Formulation::ExactCone(settings), law) => settings.law_in_force(law),
            (Formulation::NoSlip(_), Law::Coulomb { .. }) => Law::NoSlip,
            _ => law,
        }
    }

    /// The name of the solver it uses.
    pub fn solver_name(&self) -> &str {
        match self {
            Formulation::ExactCone(settings) => &settings.solver,
            Formulation::Polyhedral(settings) => &settings.solver,
            Formulation::FrictionBox(settings) => &settings.solver,
            Formulation::NoSlip(settings) => &settings.solver,
        }
    }

    /// The names of the solvers that fit this formulation.
    pub fn solvers(&self) -> Vec<&'static str> {
        let fitting = |fits: fn(&registry::Entry) -> bool| {
            registry::SOLVERS.iter().filter(|entry| fits(entry)).map(|entry| entry.name).collect()
        };
        match self {
            Formulation::ExactCone(_) => fitting(|entry| entry.serves(Class::ConeNcp)),
            Formulation::Polyhedral(_) => PolyhedralSettings::SOLVERS.to_vec(),
            Formulation::FrictionBox(_) => fitting(|entry| entry.serves(Class::BoxLcp)),
            Formulation::NoSlip(_) => fitting(NoSlip::serves),
        }
    }

    /// Chooses the solver of this name.
    ///
    /// # Errors
    /// It does not fit this formulation; the error lists those that do.
    pub fn set_solver(&mut self, name: &str) -> Result<(), FormulationError> {
        let fitting = self.solvers();
        if !fitting.contains(&name) {
            let (solver, formulation) = (name.into(), self.name().into());
            return Err(FormulationError::Solver { solver, formulation, available: fitting });
        }
        match self {
            Formulation::ExactCone(settings) => settings.solver = name.into(),
            Formulation::Polyhedral(settings) => settings.solver = name.into(),
            Formulation::FrictionBox(settings) => settings.solver = name.into(),
            Formulation::NoSlip(settings) => settings.solver = name.into(),
        }
        Ok(())
    }

    /// Whether contacts of this law can be posed.
    pub fn expresses(&self, law: Law) -> bool {
        match self {
            Formulation::ExactCone(_) => true,
            Formulation::Polyhedral(_) | Formulation::FrictionBox(_) => {
                matches!(law, Law::Frictionless | Law::Coulomb { .. })
            }
            Formulation::NoSlip(_) => {
                matches!(law, Law::Frictionless | Law::Coulomb { .. } | Law::NoSlip)
            }
        }
    }

    /// Checks that all laws can be posed.
    ///
    /// # Errors
    /// The first that cannot, with the formulations that can.
    pub fn check_laws(&self, mut laws: impl Iterator<Item = Law>) -> Result<(), FormulationError> {
        let Some(law) = laws.find(|law| !self.expresses(*law)) else { return Ok(()) };
        let can = |name: &&str| Self::named(name).is_ok_and(|other| other.expresses(law));
        let available: Vec<&str> = Self::NAMES.iter().filter(|name| can(name)).copied().collect();
        let (formulation, available) = (self.name().into(), available.join(", "));
        Err(FormulationError::Law { law, formulation, available })
    }

    /// Whether preloads can be posed, which Poisson's impact law needs. Newton's needs nothing new of a formulation.
    fn expresses_preloads(&self) -> bool {
        match self {
            Formulation::ExactCone(cone) => cone.law == FrictionLaw::Coulomb && cone.compliance == 0.0,
            Formulation::Polyhedral(_) => true,
            Formulation::FrictionBox(_) | Formulation::NoSlip(_) => false,
        }
    }

    /// Checks that restitution by this law can be posed.
    ///
    /// # Errors
    /// It cannot; the error lists the formulations that can.
    pub fn check_impact(&self, law: ImpactLaw) -> Result<(), FormulationError> {
        if law == ImpactLaw::Newton || self.expresses_preloads() {
            return Ok(());
        }
        if let Formulation::ExactCone(ExactConeSettings { compliance, .. }) = self
            && *compliance > 0.0
        {
            let why =
                "restitution by the impact law 'poisson' needs rigid contacts; use the impact law 'newton'";
            return Err(FormulationError::Setting(format!("compliance {compliance}: {why}")));
        }
        let can = |name: &&str| Self::named(name).is_ok_and(|other| other.expresses_preloads());
        let available: Vec<&str> = Self::NAMES.iter().filter(|name| can(name)).copied().collect();
        Err(FormulationError::Impact {
            law,
            formulation: self.name().into(),
            available: available.join(", "),
        })
    }

    /// How the gap of predicted contacts enters.
    pub fn gap_rule(&self) -> GapRule {
        match self {
            Formulation::Polyhedral(settings) => settings.gap,
            Formulation::ExactCone(_) | Formulation::FrictionBox(_) | Formulation::NoSlip(_) => {
                GapRule::StewartTrinkle
            }
        }
    }

    /// Makes the workspace that solves islands in this formulation.
    pub fn solver(&self) -> Result<IslandSolver, FormulationError> {
        match self {
            Formulation::ExactCone(settings) => {
                Ok(IslandSolver::ExactCone(Box::new(ExactCone::new(settings.clone())?)))
            }
            Formulation::Polyhedral(settings) => {
                Ok(IslandSolver::Polyhedral(Box::new(Polyhedral::new(settings.clone())?)))
            }
            Formulation::FrictionBox(settings) => {
                Ok(IslandSolver::FrictionBox(Box::new(FrictionBox::new(settings.clone())?)))
            }
            Formulation::NoSlip(settings) => {
                Ok(IslandSolver::NoSlip(Box::new(NoSlip::new(settings.clone())?)))
            }
        }
    }
}

/// The workspace behind a [`Formulation`].
#[derive(Debug)]
pub enum IslandSolver {
    /// See [`ExactCone`].
    ExactCone(Box<ExactCone>),
    /// See [`Polyhedral`].
    Polyhedral(Box<Polyhedral>),
    /// See [`FrictionBox`].
    FrictionBox(Box<FrictionBox>),
    /// See [`NoSlip`].
    NoSlip(Box<NoSlip>),
    /// Forces instead of impulses, for the acceleration stepper: see [`ContactForces`].
    Acceleration(Box<ContactForces>),
}

impl IslandSolver {
    /// Whether problems need [`IslandProblem::before`].
    pub fn asks_velocities(&self) -> bool {
        match self {
            IslandSolver::ExactCone(cone) => cone.asks_velocities(),
            IslandSolver::Acceleration(_) => true,
            _ => false,
        }
    }

    /// Number of rows above which islands may come with a factored operator ([`crate::contact::island::Operator`]).
    pub fn factored_from(&self) -> usize {
        match self {
            IslandSolver::ExactCone(_) => ExactCone::FACTORED_FROM,
            IslandSolver::NoSlip(_) => NoSlip::FACTORED_FROM,
            IslandSolver::Polyhedral(_) | IslandSolver::FrictionBox(_) | IslandSolver::Acceleration(_) => {
                usize::MAX
            }
        }
    }

    /// Solves an island. `memory` holds what is known of each block from the last step and receives what is to be
    /// remembered, the impulses among it (N s).
    pub fn solve(&mut self, island: &IslandProblem, memory: &mut [Memory]) -> IslandReport {
        match self {
            IslandSolver::ExactCone(cone) => cone.solve(island, memory),
            IslandSolver::Polyhedral(polyhedral) => polyhedral.solve(island, memory),
            IslandSolver::FrictionBox(friction_box) => friction_box.solve(island, memory),
            IslandSolver::NoSlip(no_slip) => no_slip.solve(island, memory),
            IslandSolver::Acceleration(forces) => forces.solve(island, memory),
        }
    }
}
