//! The solvers by name, for programs that learn the name from a user.
//!
//! One entry a solver, in [`SOLVERS`]: its name, the classes it serves and what it is good for.

use thiserror::Error;

use crate::cones::{
    Admm, AdmmSettings, Chain, ChainSettings, ConeInteriorPoint, ConeInteriorPointSettings, MncpPlm,
    MncpPlmSettings, MncpRlm, MncpRlmSettings, Newton, NewtonSettings, Nsgs, NsgsSettings, Ppn, PpnSettings,
    QpSplit, QpSplitSettings,
};
#[cfg(feature = "conic")]
use crate::conic::{InteriorPoint, InteriorPointSettings};
use crate::dual_active_set::{ActiveSetQp, ActiveSetQpSettings, Ppm, PpmSettings};
use crate::newton::{FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings};
use crate::pivoting::lcp_adapter::Reduced;
use crate::pivoting::{
    Dantzig, DantzigSettings, Enumeration, EnumerationSettings, Lemke, LemkeHowson, LemkeHowsonSettings,
    LemkeSettings, ProximalLemke, ProximalSettings,
};
use crate::problem::{
    AnyProblem, BoxLcp, Class, ConeNcp, FactoredLcp, HistoryEntry, Lcp, Mcp, Mlcp, Polynomial, Report,
    Solution, Solver, SolverError, Start,
};
use crate::select::choice::{reduced_enumeration, reduced_lemke, reduced_proximal_lemke};
use crate::select::robust::{Attempt, Robust, RobustSettings};
use crate::select::settings_text::{ChoiceError, read, split};
use crate::sweeps::{Pgs, PgsSettings, PgsSm, PgsSmSettings};

/// A solver for problems whose class is known at run time only.
pub trait AnySolver {
    /// As [`Solver::solve`]; `None` if the solver does not serve the problem's class.
    fn solve(&mut self, problem: &AnyProblem, start: Start, x: &mut Solution) -> Option<Report>;

    /// As [`Solver::limit_time`].
    fn limit_time(&mut self, seconds: Option<f64>);

    /// As [`Solver::history`]: the convergence history of the last solve, if the settings ask for it.
    fn history(&self) -> &[HistoryEntry];

    /// As [`Solver::certificate`]: the multipliers that prove that the last problem has no feasible point, of methods that can
    /// tell them.
    fn certificate(&self) -> &[f64] {
        &[]
    }

    /// What the last solve tried, if the solver is made of several.
    fn tried(&self) -> &[Attempt] {
        &[]
    }
}

/// A solver, or why there is none.
type Made = Result<Box<dyn AnySolver + Send>, MakeError>;

/// A solver's entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// What it is good for, in a few words.
    pub about: &'static str,
    /// The classes it serves.
    pub classes: &'static [Class],
    make: fn(f64, &str) -> Made,
}

impl Entry {
    /// Whether the solver serves problems of this class.
    pub fn serves(&self, class: Class) -> bool {
        self.classes.contains(&class)
    }

    /// The solver, for a tolerance of the natural map (dimensionless).
    ///
    /// # Errors
    /// [`SolverError::Setting`] if the tolerance is out of range.
    pub fn make(&self, tolerance: f64) -> Result<Box<dyn AnySolver + Send>, SolverError> {
        match (self.make)(tolerance, "") {
            Ok(solver) => Ok(solver),
            Err(MakeError::Range(error)) => Err(error),
            // No settings, none of them wrong.
            Err(MakeError::Text(_)) => Err(SolverError::Structure { what: "no settings" }),
        }
    }

    /// The same with settings of the solver, in the grammar of [`ChoiceError`]'s module (`max_iterations=200 history=true`). A
    /// `tolerance` among them counts instead of the one given.
    ///
    /// # Errors
    /// A setting that the solver does not have, a value of the wrong kind, or one out of range.
    pub fn make_with(&self, tolerance: f64, settings: &str) -> Result<Box<dyn AnySolver + Send>, MakeError> {
        (self.make)(tolerance, settings)
    }
}

/// Why a solver cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MakeError {
    /// The settings cannot be read.
    #[error(transparent)]
    Text(#[from] ChoiceError),
    /// A setting is out of range.
    #[error(transparent)]
    Range(#[from] SolverError),
}

/// Why a name gives no solver.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryError {
    /// No solver has the name.
    #[error("there is no solver {name:?}; there are: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The solver does not serve the class.
    #[error("{solver} does not serve problems of class {class}; these do: {fitting}")]
    NotServed {
        /// The solver asked for.
        solver: &'static str,
        /// The problem's class.
        class: Class,
        /// The solvers that serve it.
        fitting: String,
    },
}

/// The solver of this name.
///
/// # Errors
/// [`RegistryError::Unknown`], which lists the names.
///
/// ```
/// use stiction_solvers::{Class, Lcp, Solution, Start, Status};
/// use stiction_solvers::select::registry::find;
/// let entry = find("lemke").unwrap();
/// assert!(entry.serves(Class::Lcp) && !entry.serves(Class::ConeNcp));
/// let problem = Lcp::new(vec![2.0], vec![-1.0]).unwrap().into();
/// let mut x = Solution::default();
/// let report = entry.make(1e-10).unwrap().solve(&problem, Start::Cold, &mut x).unwrap();
/// assert_eq!((report.status, x.z[0]), (Status::Solved, 0.5));
/// assert!(find("lemkes").unwrap_err().to_string().contains("there are: "));
/// ```
pub fn find(name: &str) -> Result<&'static Entry, RegistryError> {
    let known = || names(SOLVERS.iter());
    SOLVERS
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| RegistryError::Unknown { name: name.into(), known: known() })
}

/// The solver that a text names, and the settings behind the name (`nsgs max_iterations=200`), for [`Entry::make_with`].
///
/// # Errors
/// [`RegistryError::Unknown`], which lists the names.
///
/// ```
/// use stiction_solvers::select::registry::parse;
/// let (entry, settings) = parse("pgs sweeps=3").unwrap();
/// assert_eq!((entry.name, settings), ("pgs", "sweeps=3"));
/// let refused = entry.make_with(1e-10, settings).map(|_| ()).unwrap_err().to_string();
/// assert!(refused.contains("has no setting 'sweeps'"));
/// ```
pub fn parse(text: &str) -> Result<(&'static Entry, &str), RegistryError> {
    let (name, settings) = split(text);
    Ok((find(name)?, settings))
}

/// The solver of this name for problems of this class.
///
/// # Errors
/// [`RegistryError`] lists what could be meant instead.
pub fn find_for(name: &str, class: Class) -> Result<&'static Entry, RegistryError> {
    let entry = find(name)?;
    if entry.serves(class) {
        return Ok(entry);
    }
    let fitting = names(SOLVERS.iter().filter(|entry| entry.serves(class)));
    Err(RegistryError::NotServed { solver: entry.name, class, fitting })
}

fn names<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    entries.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

/// The type of a class's problems.
macro_rules! class {
    (Mcp) => { Mcp<Polynomial> };
    ($class:ident) => { $class };
}

/// Writes the table: `name: type(settings), [classes it serves], how it is made, what it is good for;`.
macro_rules! solvers {
    ($($(#[$attribute:meta])*
        $name:literal: $type:ty [$Settings:ident], [$first:ident $(, $class:ident)*], $make:expr, $about:literal;
    )+) => {
        /// All solvers.
        pub const SOLVERS: &[Entry] = &[$($(#[$attribute])* Entry {
            name: $name,
            about: $about,
            classes: &[Class::$first $(, Class::$class)*],
            make: |tolerance, settings| {
                struct Named($type);
                impl AnySolver for Named {
                    fn solve(&mut self, problem: &AnyProblem, start: Start, x: &mut Solution) -> Option<Report> {
                        match problem {
                            AnyProblem::$first(problem) => Some(Solver::solve(&mut self.0, problem, start, x)),
                            $(AnyProblem::$class(problem) => Some(Solver::solve(&mut self.0, problem, start, x)),)*
                            #[allow(unreachable_patterns, reason = "a solver may serve every class")]
                            _ => None,
                        }
                    }

                    fn limit_time(&mut self, seconds: Option<f64>) {
                        Solver::<class!($first)>::limit_time(&mut self.0, seconds);
                        $(Solver::<class!($class)>::limit_time(&mut self.0, seconds);)*
                    }

                    // One history, whatever the class.
                    fn history(&self) -> &[HistoryEntry] {
                        Solver::<class!($first)>::history(&self.0)
                    }

                    fn certificate(&self) -> &[f64] {
                        Solver::<class!($first)>::certificate(&self.0)
                    }
                }
                let make: fn($Settings) -> Result<$type, SolverError> = $make;
                let settings = read($name, $Settings { tolerance, ..$Settings::default() }, settings)?;
                Ok(Box::new(Named(make(settings)?)))
            },
        },)+ Entry {
            name: "robust",
            about: "several methods in turn; the default",
            classes: &Class::ALL,
            make: |tolerance, settings| {
                let settings = read("robust", RobustSettings { tolerance, ..RobustSettings::default() }, settings)?;
                Ok(Box::new(RobustAny::new(settings)?))
            },
        }];
    };
}

solvers! {
    "lemke": Reduced<Lemke> [LemkeSettings], [Lcp, BoxLcp, Mlcp, FactoredLcp], reduced_lemke,
        "complementary pivoting; copositive matrices, friction";
    "lemke-howson": LemkeHowson [LemkeHowsonSettings], [Lcp], LemkeHowson::new,
        "bimatrix games (zero diagonal blocks, q < 0), from every label; other problems by lemke";
    "proximal-lemke": Reduced<ProximalLemke> [ProximalSettings], [Lcp, BoxLcp, Mlcp, FactoredLcp], reduced_proximal_lemke,
        "the same where the solution is not unique: nearly the least-norm one";
    "dantzig": Dantzig [DantzigSettings], [Lcp, BoxLcp, Mlcp], Dantzig::new,
        "principal pivoting index by index; symmetric semidefinite or P matrices, bounds";
    "ppm": Ppm [PpmSettings], [FactoredLcp], Ppm::new,
        "many frictionless contacts of few velocities; work grows with the velocities";
    "active-set-qp": ActiveSetQp [ActiveSetQpSettings], [FactoredLcp], ActiveSetQp::new,
        "the same by orthogonal factors; badly conditioned rows";
    "pgs": Pgs [PgsSettings], [Lcp, BoxLcp, FactoredLcp], Pgs::new,
        "projected Gauss-Seidel sweeps; symmetric semidefinite, low accuracy or large";
    "pgs-sm": PgsSm [PgsSmSettings], [Lcp, BoxLcp, FactoredLcp], PgsSm::new,
        "sweeps find the bounds, subspace steps the rest; symmetric semidefinite";
    "fb-rlm": FbRlm [FbRlmSettings], [Lcp, BoxLcp, Mlcp, Mcp], FbRlm::new,
        "damped least squares on the Fischer-Burmeister equations; any matrix, nonlinear problems";
    "fb-plm": FbPlm [FbPlmSettings], [Lcp, BoxLcp, Mlcp, Mcp], FbPlm::new,
        "the same with a non-monotone line search and a watchdog";
    "path": Path [PathSettings], [Lcp, BoxLcp, Mlcp, Mcp], Path::new,
        "path-search Newton on the normal map; any matrix, nonlinear problems";
    #[cfg(feature = "conic")]
    "interior-point": InteriorPoint [InteriorPointSettings], [Lcp, BoxLcp, FactoredLcp, ConeNcp], InteriorPoint::new,
        "a conic library's interior point; convex problems with an interior, large sparse data, cross-checks";
    "enumeration": Reduced<Enumeration> [EnumerationSettings], [Lcp, BoxLcp, Mlcp], reduced_enumeration,
        "all bases of a problem of at most 12 unknowns; any matrix";
    "chain": Chain [ChainSettings], [ConeNcp], Chain::new,
        "Newton from carried impulses, interior point from nothing, proximal-point Newton to finish: exact friction cones";
    "newton": Newton [NewtonSettings], [ConeNcp], Newton::new,
        "Newton on the equations of Alart and Curnier; warm starts";
    "ppn": Ppn [PpnSettings], [ConeNcp], Ppn::new,
        "the same inside proximal-point steps; rank-deficient problems from any start";
    "nsgs": Nsgs [NsgsSettings], [ConeNcp], Nsgs::new,
        "Gauss-Seidel over contacts, each solved exactly; rough answers without factorization";
    "admm": Admm [AdmmSettings], [ConeNcp], Admm::new,
        "alternating directions; moderate accuracy with few factorizations";
    "cone-interior-point": ConeInteriorPoint [ConeInteriorPointSettings], [ConeNcp], ConeInteriorPoint::new,
        "non-convex interior point; a first guess from nothing, not the last digits";
    "mncp-rlm": MncpRlm [MncpRlmSettings], [ConeNcp], MncpRlm::new,
        "damped least squares on the equations of Mylapilli and Jain; exact cones, comparison";
    "mncp-plm": MncpPlm [MncpPlmSettings], [ConeNcp], MncpPlm::new,
        "the same with a non-monotone line search and a watchdog; up to some hundred contacts";
    "qp-split": QpSplit [QpSplitSettings], [ConeNcp], QpSplit::new,
        "normal impulses and friction in turn, each by a quadratic program; converges linearly";
}

/// The robust driver of every class.
struct RobustAny {
    factored: Robust<FactoredLcp>,
    lcp: Robust<Lcp>,
    bounded: Robust<BoxLcp>,
    mixed: Robust<Mlcp>,
    nonlinear: Robust<Mcp<Polynomial>>,
    cones: Robust<ConeNcp>,
    last: Class,
}

impl RobustAny {
    fn new(settings: RobustSettings) -> Result<RobustAny, SolverError> {
        Ok(RobustAny {
            factored: Robust::new(settings.clone())?,
            lcp: Robust::new(settings.clone())?,
            bounded: Robust::new(settings.clone())?,
            mixed: Robust::new(settings.clone())?,
            nonlinear: Robust::new(settings.clone())?,
            cones: Robust::new(settings)?,
            last: Class::Lcp,
        })
    }
}

impl AnySolver for RobustAny {
    fn solve(&mut self, problem: &AnyProblem, start: Start, x: &mut Solution) -> Option<Report> {
        self.last = problem.class();
        Some(match problem {
            AnyProblem::FactoredLcp(problem) => self.factored.solve(problem, start, x),
            AnyProblem::Lcp(problem) => self.lcp.solve(problem, start, x),
            AnyProblem::BoxLcp(problem) => self.bounded.solve(problem, start, x),
            AnyProblem::Mlcp(problem) => self.mixed.solve(problem, start, x),
            AnyProblem::Mcp(problem) => self.nonlinear.solve(problem, start, x),
            AnyProblem::ConeNcp(problem) => self.cones.solve(problem, start, x),
        })
    }

    fn limit_time(&mut self, seconds: Option<f64>) {
        self.factored.limit_time(seconds);
        self.lcp.limit_time(seconds);
        self.bounded.limit_time(seconds);
        self.mixed.limit_time(seconds);
        self.nonlinear.limit_time(seconds);
        self.cones.limit_time(seconds);
    }

    /// Several methods have several histories, of which none is the solve's.
    fn history(&self) -> &[HistoryEntry] {
        &[]
    }

    fn certificate(&self) -> &[f64] {
        match self.last {
            Class::FactoredLcp => self.factored.certificate(),
            Class::Lcp => self.lcp.certificate(),
            Class::BoxLcp => self.bounded.certificate(),
            Class::Mlcp => self.mixed.certificate(),
            Class::Mcp => self.nonlinear.certificate(),
            Class::ConeNcp => self.cones.certificate(),
        }
    }

    fn tried(&self) -> &[Attempt] {
        match self.last {
            Class::FactoredLcp => self.factored.tried(),
            Class::Lcp => self.lcp.tried(),
            Class::BoxLcp => self.bounded.tried(),
            Class::Mlcp => self.mixed.tried(),
            Class::Mcp => self.nonlinear.tried(),
            Class::ConeNcp => self.cones.tried(),
        }
    }
}
