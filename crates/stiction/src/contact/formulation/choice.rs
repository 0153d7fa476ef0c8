//! The formulation of an island: which complementarity problem is posed for its contacts.

use super::exact_cone::{ExactCone, ExactConeSettings};
use super::friction_box::{FrictionBox, FrictionBoxSettings};
use super::no_slip::{NoSlip, NoSlipSettings};
use super::polyhedral::{GapRule, Polyhedral, PolyhedralSettings};
use super::viscous::{ViscousElimination, ViscousRule, ViscousSettings};
use super::{FormulationError, IslandSolver, NormalSolver};
use crate::contact::impact::ImpactLaw;
use crate::model::Law;
use serde::{Deserialize, Serialize};
use stiction_solvers::{BoxLcpSolver, ChoiceError, ConeSolver, FrictionLaw, LcpSolver};

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
    /// Contacts with friction are viscous; the normal impulses are all that is to be found (Drumwright 2015, section IV).
    Viscous(ViscousSettings),
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
            Formulation::Viscous(ViscousSettings { rule: ViscousRule::Implicit, .. }) => "viscous",
            Formulation::Viscous(_) => "viscous-explicit",
        }
    }

    /// The law that a contact of this law obeys: its own, unless this contact model replaces all with friction.
    pub fn law_in_force(&self, law: Law) -> Law {
        match (self, law) {
            (Formulation::ExactCone(settings), law) => settings.law_in_force(law),
            (Formulation::Viscous(settings), law) => settings.law_in_force(law),
            (Formulation::NoSlip(_), Law::Coulomb { .. }) => Law::NoSlip,
            _ => law,
        }
    }

    /// The name of the solver it uses.
    pub fn solver_name(&self) -> &'static str {
        match self {
            Formulation::ExactCone(settings) => settings.solver.name(),
            Formulation::Polyhedral(settings) => settings.solver.name(),
            Formulation::FrictionBox(settings) => settings.solver.name(),
            Formulation::NoSlip(settings) => settings.solver.name(),
            Formulation::Viscous(settings) => settings.solver.name(),
        }
    }

    /// The solver it uses with its settings, as [`Formulation::set_solver`] takes it.
    pub fn solver_text(&self) -> String {
        match self {
            Formulation::ExactCone(settings) => settings.solver.to_string(),
            Formulation::Polyhedral(settings) => settings.solver.to_string(),
            Formulation::FrictionBox(settings) => settings.solver.to_string(),
            Formulation::NoSlip(settings) => settings.solver.to_string(),
            Formulation::Viscous(settings) => settings.solver.to_string(),
        }
    }

    /// The names of the solvers that fit this formulation.
    pub fn solvers(&self) -> Vec<&'static str> {
        match self {
            _ if self.viscosity().is_some() => {
                let normal =
                    NormalSolver::names().into_iter().filter(|name| !ConeSolver::NAMES.contains(name));
                ConeSolver::NAMES.iter().copied().chain(normal).collect()
            }
            Formulation::ExactCone(_) => ConeSolver::NAMES.to_vec(),
            Formulation::Polyhedral(_) => LcpSolver::NAMES.to_vec(),
            Formulation::FrictionBox(_) => BoxLcpSolver::NAMES.to_vec(),
            Formulation::NoSlip(_) | Formulation::Viscous(_) => NormalSolver::names(),
        }
    }

    /// Chooses a solver by its name and settings, such as `nsgs max_iterations=200`: see
    /// [`stiction_solvers::select::choice`].
    ///
    /// # Errors
    /// It does not fit this formulation, or has no such settings; the error lists those there are.
    pub fn set_solver(&mut self, text: &str) -> Result<(), FormulationError> {
        let name = self.name();
        let refuse = |error| FormulationError::of_choice(name, error);
        if let Some((viscosity, rule)) = self.viscosity() {
            return self.set_viscous_solver(text, viscosity, rule);
        }
        match self {
            Formulation::ExactCone(settings) => settings.solver = text.parse().map_err(refuse)?,
            Formulation::Polyhedral(settings) => settings.solver = text.parse().map_err(refuse)?,
            Formulation::FrictionBox(settings) => settings.solver = text.parse().map_err(refuse)?,
            Formulation::NoSlip(settings) => settings.solver = text.parse().map_err(refuse)?,
            Formulation::Viscous(settings) => settings.solver = text.parse().map_err(refuse)?,
        }
        Ok(())
    }

    /// The viscosity and the rule, if all contacts with friction are viscous.
    fn viscosity(&self) -> Option<(f64, ViscousRule)> {
        match self {
            Formulation::Viscous(settings) => Some((settings.viscosity, settings.rule)),
            Formulation::ExactCone(ExactConeSettings {
                replacement: Some(Law::Viscous { viscosity }),
                viscous,
                ..
            }) => Some((*viscosity, *viscous)),
            _ => None,
        }
    }

    /// Viscous friction as a problem of cones or, by a solver of these, of the normal impulses.
    fn set_viscous_solver(
        &mut self,
        text: &str,
        viscosity: f64,
        rule: ViscousRule,
    ) -> Result<(), FormulationError> {
        let (name, available) = (self.name(), self.solvers());
        match text.parse::<ConeSolver>() {
            Ok(solver) => {
                if let Formulation::ExactCone(settings) = self {
                    settings.solver = solver;
                } else {
                    let replacement = Some(Law::Viscous { viscosity });
                    let cone = ExactConeSettings { replacement, viscous: rule, solver, ..Default::default() };
                    *self = Formulation::ExactCone(cone);
                }
                return Ok(());
            }
            Err(ChoiceError::Unknown { .. }) => {}
            Err(error) => return Err(FormulationError::of_choice(name, error)),
        }
        let solver = text.parse::<NormalSolver>().map_err(|error| {
            let error = match error {
                ChoiceError::Unknown { name, .. } => ChoiceError::Unknown { name, available },
                other => other,
            };
            FormulationError::of_choice(name, error)
        })?;
        *self = Formulation::Viscous(ViscousSettings { viscosity, rule, solver });
        Ok(())
    }

    /// Whether contacts of this law can be posed.
    pub fn expresses(&self, law: Law) -> bool {
        match self {
            Formulation::ExactCone(_) | Formulation::Viscous(_) => true,
            Formulation::Polyhedral(_) | Formulation::FrictionBox(_) => law != Law::NoSlip,
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
        let available = Self::NAMES.iter().filter(|name| can(name)).copied().collect();
        Err(FormulationError::Law { law, formulation: self.name(), available })
    }

    /// Whether preloads can be posed, which Poisson's impact law needs. Newton's needs nothing new of a formulation.
    fn expresses_preloads(&self) -> bool {
        match self {
            Formulation::ExactCone(cone) => cone.law == FrictionLaw::Coulomb && cone.compliance == 0.0,
            Formulation::Polyhedral(_) | Formulation::Viscous(_) => true,
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
            return Err(FormulationError::CompliantImpact(*compliance));
        }
        let can = |name: &&str| Self::named(name).is_ok_and(|other| other.expresses_preloads());
        let available = Self::NAMES.iter().filter(|name| can(name)).copied().collect();
        Err(FormulationError::Impact { law, formulation: self.name(), available })
    }

    /// How the gap of predicted contacts enters.
    pub fn gap_rule(&self) -> GapRule {
        match self {
            Formulation::Polyhedral(settings) => settings.gap,
            _ => GapRule::StewartTrinkle,
        }
    }

    /// Whether what slides opens by its friction times its slip while it presses (the convex law).
    pub(crate) fn opens_with_slip(&self) -> bool {
        matches!(self, Formulation::ExactCone(settings) if settings.law == FrictionLaw::Associated)
    }

    /// Whether friction cones are pyramids.
    pub(crate) fn is_faceted(&self) -> bool {
        matches!(self, Formulation::Polyhedral(_))
    }

    /// Whether friction along one tangent knows nothing of the other.
    pub(crate) fn is_boxed(&self) -> bool {
        matches!(self, Formulation::FrictionBox(_))
    }

    /// Whether friction is bounded by the normal impulses of the last step.
    pub(crate) fn bounds_by_memory(&self) -> bool {
        matches!(self, Formulation::FrictionBox(settings) if settings.fixed_point.is_none())
    }

    /// Whether contacts that do not press have no friction, as is right; where contacts without slip are held as published they have.
    pub(crate) fn releases(&self) -> bool {
        !matches!(self, Formulation::NoSlip(settings) if !settings.releasing)
    }

    /// Makes the workspace that solves islands in this formulation.
    ///
    /// # Errors
    /// A setting out of range.
    pub fn solver(&self) -> Result<Box<dyn IslandSolver>, FormulationError> {
        let with_viscous_laws = |inner: Box<dyn IslandSolver>| -> Box<dyn IslandSolver> {
            Box::new(ViscousElimination::new(ViscousRule::Implicit, None, inner))
        };
        Ok(match self {
            Formulation::ExactCone(settings) => Box::new(ExactCone::new(settings.clone())?),
            Formulation::Polyhedral(settings) => {
                with_viscous_laws(Box::new(Polyhedral::new(settings.clone())?))
            }
            Formulation::FrictionBox(settings) => {
                with_viscous_laws(Box::new(FrictionBox::new(settings.clone())?))
            }
            Formulation::NoSlip(settings) => Box::new(NoSlip::new(settings.clone())?),
            Formulation::Viscous(settings) => settings.solver()?,
        })
    }
}

/// A formulation by names, as a scene or a user writes it; `None` where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FormulationChoice<'a> {
    /// Name of the formulation.
    pub name: Option<&'a str>,
    /// The solver with its settings.
    pub solver: Option<&'a str>,
    /// Number of directions that span the friction polygon.
    pub friction_directions: Option<usize>,
    /// Viscosity of each contact point (N s/m).
    pub viscosity: Option<f64>,
    /// Compliance of contacts (1/kg).
    pub compliance: Option<f64>,
}

impl FormulationChoice<'_> {
    /// The formulation, with the default for what is not said.
    ///
    /// # Errors
    /// An unknown name, a solver that does not fit, a setting that the formulation does not have or that is out of range.
    pub fn formulation(&self) -> Result<Formulation, FormulationError> {
        let mut formulation = self.name.map_or(Ok(Formulation::default()), Formulation::named)?;
        if let Some(solver) = self.solver {
            formulation.set_solver(solver)?;
        }
        let name = formulation.name();
        let pyramid = match &formulation {
            Formulation::Polyhedral(_) => None,
            Formulation::ExactCone(_) => Some("no pyramid, its cone is exact"),
            Formulation::FrictionBox(_) | Formulation::NoSlip(_) | Formulation::Viscous(_) => {
                Some("no pyramid")
            }
        };
        if let (Some(directions), Some(why)) = (self.friction_directions, pyramid) {
            let setting = format!("{directions} friction directions");
            return Err(FormulationError::NotApplicable { setting, formulation: name, why });
        }
        if let Formulation::Viscous(settings) = &mut formulation {
            settings.viscosity = self.viscosity.ok_or(FormulationError::NoViscosity { formulation: name })?;
        }
        match &mut formulation {
            Formulation::ExactCone(settings) => {
                settings.compliance = self.compliance.unwrap_or(0.0);
                if let Some(Law::Viscous { viscosity }) = &mut settings.replacement {
                    let missing = FormulationError::NoViscosity { formulation: name };
                    *viscosity = self.viscosity.ok_or(missing)?;
                }
            }
            other => {
                if let Some(compliance) = self.compliance {
                    let setting = format!("compliance {compliance}");
                    return Err(FormulationError::NotApplicable { setting, formulation: name, why: "none" });
                }
                if let (Formulation::Polyhedral(settings), Some(directions)) =
                    (other, self.friction_directions)
                {
                    settings.directions = directions;
                }
            }
        }
        // A workspace is made to have every setting checked by the one who knows.
        formulation.solver()?;
        Ok(formulation)
    }
}
