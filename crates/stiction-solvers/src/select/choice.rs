//! A solver and its settings as one value, of those that serve a class of problems.
//!
//! | choice | of the solvers for |
//! |---|---|
//! | [`ConeSolver`] | friction cones ([`ConeNcp`]) |
//! | [`LcpSolver`] | [`Lcp`]s whose matrix is neither symmetric nor semidefinite, such as those of friction pyramids |
//! | [`BoxLcpSolver`] | symmetric semidefinite problems with bounds ([`BoxLcp`]) |
//! | [`FactoredLcpSolver`] | problems of low rank ([`FactoredLcp`]) |
//!
//! A choice is written as a value of Rust, or as text in the grammar of [`ChoiceError`]'s module
//! (`nsgs max_iterations=200`), which is also how it is serialized: [`FromStr`] and [`Display`] are each other's inverse.
//!
//! Every solver's settings have a field `tolerance`, the largest natural map of an answer that counts as solved
//! (dimensionless). Where a choice says nothing it is 1e-10 for every solver, and other settings are the solver's defaults.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::robust::{Robust, RobustSettings};
use super::settings_text::{ChoiceError, read, split, write};
use crate::cones::{
    Admm, AdmmSettings, Chain, ChainSettings, ConeInteriorPoint, ConeInteriorPointSettings, MncpPlm,
    MncpPlmSettings, MncpRlm, MncpRlmSettings, Newton, NewtonSettings, Nsgs, NsgsSettings, Ppn, PpnSettings,
    QpSplit, QpSplitSettings,
};
#[cfg(feature = "conic")]
use crate::conic::{InteriorPoint, InteriorPointSettings};
use crate::dual_active_set::{ActiveSetQp, ActiveSetQpSettings, Ppm, PpmSettings};
use crate::newton::{FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings};
use crate::pivoting::Reduced;
use crate::pivoting::{
    Dantzig, DantzigSettings, Enumeration, EnumerationSettings, Lemke, LemkeSettings, ProximalLemke,
    ProximalSettings,
};
use crate::problem::{BoxLcp, ConeNcp, FactoredLcp, Lcp, Solver, SolverError};
use crate::sweeps::{Pgs, PgsSettings, PgsSm, PgsSmSettings};

/// Tolerance of a choice that says nothing of it.
const TOLERANCE: f64 = 1e-10;

/// Natural map that the chain goes on to, a hundred roundings: in a simulation, residuals add up over the steps and move
/// bodies that should rest.
const CHAIN_TARGET: f64 = 1e-14;

/// Settings of which a choice says nothing.
macro_rules! unsaid {
    ($Settings:ident $({ $field:ident: $value:expr })?) => {
        $Settings { tolerance: TOLERANCE, $($field: $value,)? ..$Settings::default() }
    };
}

/// Writes a choice: `name: Variant(Settings { what is not the solver's default }), constructor;` for every solver, the
/// first for who says nothing.
macro_rules! choice {
    (
        $(#[$doc:meta])* $Choice:ident of $Problem:ty {
            $first:literal: $First:ident($FirstSettings:ident $({ $first_field:ident: $first_value:expr })?), $first_make:expr;
            $($(#[$attribute:meta])* $name:literal: $Variant:ident($Settings:ident), $make:expr;)+
        }
    ) => {
        impl Default for $Choice {
            fn default() -> Self {
                Self::$First(unsaid!($FirstSettings $({ $first_field: $first_value })?))
            }
        }

        choice! {
            @all $(#[$doc])* $Choice of $Problem {
                $first: $First($FirstSettings $({ $first_field: $first_value })?), $first_make;
                $($(#[$attribute])* $name: $Variant($Settings), $make;)+
            }
        }
    };
    (
        @all $(#[$doc:meta])* $Choice:ident of $Problem:ty {
            $($(#[$attribute:meta])* $name:literal: $Variant:ident($Settings:ident $({ $field:ident: $value:expr })?), $make:expr;)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[non_exhaustive]
        pub enum $Choice {
            $($(#[$attribute])* #[doc = concat!("`", $name, "`")] $Variant($Settings),)+
        }

        impl $Choice {
            /// The names, the default's first.
            pub const NAMES: &'static [&'static str] = &[$($(#[$attribute])* $name),+];

            /// The name.
            pub fn name(&self) -> &'static str {
                match self {
                    $($(#[$attribute])* Self::$Variant(_) => $name,)+
                }
            }

            /// Largest natural map of an answer that counts as solved (dimensionless).
            pub fn tolerance(&self) -> f64 {
                match self {
                    $($(#[$attribute])* Self::$Variant(settings) => settings.tolerance,)+
                }
            }

            /// The same with another tolerance.
            #[must_use]
            pub fn with_tolerance(mut self, tolerance: f64) -> Self {
                match &mut self {
                    $($(#[$attribute])* Self::$Variant(settings) => settings.tolerance = tolerance,)+
                }
                self
            }

            /// The solver.
            ///
            /// # Errors
            /// [`SolverError::Setting`] names the first setting that is out of range.
            pub fn make(&self) -> Result<Box<dyn Solver<$Problem> + Send>, SolverError> {
                match self {
                    $($(#[$attribute])* Self::$Variant(settings) => {
                        let make: fn($Settings) -> Result<_, SolverError> = $make;
                        Ok(Box::new(make(settings.clone())?))
                    })+
                }
            }
        }

        impl FromStr for $Choice {
            type Err = ChoiceError;

            fn from_str(text: &str) -> Result<Self, ChoiceError> {
                let (name, words) = split(text);
                match name {
                    $($(#[$attribute])* $name => {
                        Ok(Self::$Variant(read($name, unsaid!($Settings $({ $field: $value })?), words)?))
                    })+
                    _ => Err(ChoiceError::Unknown { name: name.into(), available: Self::NAMES.to_vec() }),
                }
            }
        }

        impl Display for $Choice {
            fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())?;
                match self {
                    $($(#[$attribute])* Self::$Variant(settings) => {
                        write(f, &unsaid!($Settings $({ $field: $value })?), settings)
                    })+
                }
            }
        }

        impl TryFrom<String> for $Choice {
            type Error = ChoiceError;

            fn try_from(text: String) -> Result<Self, ChoiceError> {
                text.parse()
            }
        }

        impl From<$Choice> for String {
            fn from(choice: $Choice) -> String {
                choice.to_string()
            }
        }
    };
}

choice! {
    /// A solver of friction cones, with its settings.
    ConeSolver of ConeNcp {
        "chain": Chain(ChainSettings { target: CHAIN_TARGET }), Chain::new;
        #[cfg(feature = "conic")]
        "interior-point": InteriorPoint(InteriorPointSettings), InteriorPoint::new;
        "newton": Newton(NewtonSettings), Newton::new;
        "ppn": Ppn(PpnSettings), Ppn::new;
        "nsgs": Nsgs(NsgsSettings), Nsgs::new;
        "admm": Admm(AdmmSettings), Admm::new;
        "cone-interior-point": ConeInteriorPoint(ConeInteriorPointSettings), ConeInteriorPoint::new;
        "mncp-rlm": MncpRlm(MncpRlmSettings), MncpRlm::new;
        "mncp-plm": MncpPlm(MncpPlmSettings), MncpPlm::new;
        "qp-split": QpSplit(QpSplitSettings), QpSplit::new;
        "robust": Robust(RobustSettings), Robust::new;
    }
}

choice! {
    /// A solver of linear complementarity problems with any matrix, with its settings. `lemke` is the method inside
    /// proximal-point steps, which share loads among redundant contacts.
    LcpSolver of Lcp {
        "lemke": Lemke(ProximalSettings), ProximalLemke::new;
        "fb-rlm": FbRlm(FbRlmSettings), FbRlm::new;
        "fb-plm": FbPlm(FbPlmSettings), FbPlm::new;
        "path": Path(PathSettings), Path::new;
    }
}

choice! {
    /// A solver of symmetric semidefinite problems with bounds, with its settings.
    BoxLcpSolver of BoxLcp {
        "pgs-sm": PgsSm(PgsSmSettings), PgsSm::new;
        "lemke": Lemke(LemkeSettings), reduced_lemke;
        "proximal-lemke": ProximalLemke(ProximalSettings), reduced_proximal_lemke;
        "dantzig": Dantzig(DantzigSettings), Dantzig::new;
        "pgs": Pgs(PgsSettings), Pgs::new;
        "fb-rlm": FbRlm(FbRlmSettings), FbRlm::new;
        "fb-plm": FbPlm(FbPlmSettings), FbPlm::new;
        "path": Path(PathSettings), Path::new;
        #[cfg(feature = "conic")]
        "interior-point": InteriorPoint(InteriorPointSettings), InteriorPoint::new;
        "enumeration": Enumeration(EnumerationSettings), reduced_enumeration;
        "robust": Robust(RobustSettings), Robust::new;
    }
}

choice! {
    /// A solver of problems of low rank, with its settings.
    FactoredLcpSolver of FactoredLcp {
        "ppm": Ppm(PpmSettings), Ppm::new;
        "lemke": Lemke(LemkeSettings), reduced_lemke;
        "proximal-lemke": ProximalLemke(ProximalSettings), reduced_proximal_lemke;
        "active-set-qp": ActiveSetQp(ActiveSetQpSettings), ActiveSetQp::new;
        "pgs": Pgs(PgsSettings), Pgs::new;
        "pgs-sm": PgsSm(PgsSmSettings), PgsSm::new;
        #[cfg(feature = "conic")]
        "interior-point": InteriorPoint(InteriorPointSettings), InteriorPoint::new;
        "robust": Robust(RobustSettings), Robust::new;
    }
}

pub(super) fn reduced_lemke(settings: LemkeSettings) -> Result<Reduced<Lemke>, SolverError> {
    let solver =
        Reduced::new(settings.tolerance, |tolerance| Lemke::new(LemkeSettings { tolerance, ..settings }))?;
    Ok(solver.within(settings.time_limit))
}

pub(super) fn reduced_proximal_lemke(
    settings: ProximalSettings,
) -> Result<Reduced<ProximalLemke>, SolverError> {
    let solver = Reduced::new(settings.tolerance, |tolerance| {
        ProximalLemke::new(ProximalSettings { tolerance, ..settings })
    })?;
    Ok(solver.within(settings.time_limit))
}

pub(super) fn reduced_enumeration(
    settings: EnumerationSettings,
) -> Result<Reduced<Enumeration>, SolverError> {
    let solver = Reduced::new(settings.tolerance, |tolerance| {
        Enumeration::new(EnumerationSettings { tolerance, ..settings })
    })?;
    Ok(solver.within(settings.time_limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Class;
    use crate::select::registry::{self, SOLVERS};

    /// A text of every name, with a setting, reads as what it writes; every choice makes its solver.
    macro_rules! check {
        ($Choice:ident) => {
            for name in $Choice::NAMES {
                let choice: $Choice = name.parse().unwrap();
                assert_eq!((choice.name(), choice.to_string().as_str()), (*name, *name));
                assert_eq!(choice.tolerance(), TOLERANCE);
                let text = format!("{name} tolerance=0.001");
                let other: $Choice = text.parse().unwrap();
                assert_eq!(other, choice.clone().with_tolerance(1e-3));
                assert_eq!(other.to_string(), text);
                assert_eq!(
                    serde_json::from_str::<$Choice>(&serde_json::to_string(&other).unwrap()).unwrap(),
                    other
                );
                assert!(other.make().is_ok(), "{name}");
                assert!(other.with_tolerance(2.0).make().is_err(), "{name}");
            }
            assert_eq!($Choice::default().name(), $Choice::NAMES[0]);
        };
    }

    #[test]
    fn every_choice_is_read_as_it_is_written() {
        check!(ConeSolver);
        check!(LcpSolver);
        check!(BoxLcpSolver);
        check!(FactoredLcpSolver);
    }

    #[test]
    fn choices_are_the_solvers_that_the_registry_has_for_their_class() {
        for (class, names) in [
            (Class::ConeNcp, ConeSolver::NAMES),
            (Class::BoxLcp, BoxLcpSolver::NAMES),
            (Class::FactoredLcp, FactoredLcpSolver::NAMES),
        ] {
            let mut registered: Vec<_> =
                SOLVERS.iter().filter(|entry| entry.serves(class)).map(|entry| entry.name).collect();
            let mut names = names.to_vec();
            registered.sort_unstable();
            names.sort_unstable();
            assert_eq!(names, registered, "{class}");
        }
        assert!(LcpSolver::NAMES.iter().all(|name| registry::find(name).is_ok()));
    }

    #[test]
    fn several_settings_are_read_and_what_is_wrong_is_refused_with_what_fits() {
        let choice: ConeSolver = "nsgs  max_iterations=200 relaxation=1.25".parse().unwrap();
        let ConeSolver::Nsgs(settings) = choice else { panic!("{choice:?}") };
        assert_eq!((settings.max_iterations, settings.relaxation), (200, 1.25));
        let refused = |text: &str| text.parse::<ConeSolver>().unwrap_err().to_string();
        let message = refused("nsg");
        assert!(message.contains("did you mean \"nsgs\"") && message.contains("chain"), "{message}");
        let message = refused("nsgs max_iteration=3");
        assert!(
            message.contains("did you mean \"max_iterations\"") && message.contains("relaxation"),
            "{message}"
        );
        for wrong in ["nsgs max_iterations=-1", "nsgs max_iterations=few", "nsgs max_iterations"] {
            let message = refused(wrong);
            assert!(message.contains("nsgs") && message.contains("max_iterations"), "{message}");
        }
    }
}
