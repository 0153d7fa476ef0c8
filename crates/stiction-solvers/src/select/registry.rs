//! The solvers by name, for programs that learn the name from a user.
//!
//! One entry a solver, in [`SOLVERS`]: its name, the classes it serves and what it is good for.

use thiserror::Error;

use crate::cones::{Admm, Chain, ConeInteriorPoint, MncpPlm, MncpRlm, Newton, Nsgs, Ppn, QpSplit};
#[cfg(feature = "conic")]
use crate::conic::InteriorPoint;
use crate::dual_active_set::{ActiveSetQp, Ppm};
use crate::newton::{FbPlm, FbRlm, Path};
use crate::pivoting::lcp_adapter::Reduced;
use crate::pivoting::{Dantzig, Enumeration, Lemke, LemkeHowson, ProximalLemke};
use crate::problem::{
    AnyProblem, BoxLcp, Class, ConeNcp, FactoredLcp, Lcp, Mcp, Mlcp, Polynomial, Report, Solution, Solver,
    SolverError, Start,
};
use crate::select::defaults;
use crate::select::robust::{Attempt, Robust, RobustSettings};
use crate::sweeps::{Pgs, PgsSm};

/// A solver for problems whose class is known at run time only.
pub trait AnySolver {
    /// As [`Solver::solve`]; `None` if the solver does not serve the problem's class.
    fn solve(&mut self, problem: &AnyProblem, start: Start, x: &mut Solution) -> Option<Report>;

    /// As [`Solver::limit_time`].
    fn limit_time(&mut self, seconds: Option<f64>);

    /// What the last solve tried, if the solver is made of several.
    fn tried(&self) -> &[Attempt] {
        &[]
    }
}

/// A solver's entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// What it is good for, in a few words.
    pub about: &'static str,
    /// The classes it serves.
    pub classes: &'static [Class],
    make: fn(f64) -> Result<Box<dyn AnySolver + Send>, SolverError>,
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
        (self.make)(tolerance)
    }
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

/// Writes the table: `name: type, [classes it serves], how it is made, what it is good for;`.
macro_rules! solvers {
    ($($(#[$attribute:meta])* $name:literal: $type:ty, [$($class:ident),+], $make:expr, $about:literal;)+) => {
        /// All solvers.
        pub const SOLVERS: &[Entry] = &[$($(#[$attribute])* Entry {
            name: $name,
            about: $about,
            classes: &[$(Class::$class),+],
            make: |tolerance| {
                struct Named($type);
                impl AnySolver for Named {
                    fn solve(&mut self, problem: &AnyProblem, start: Start, x: &mut Solution) -> Option<Report> {
                        match problem {
                            $(AnyProblem::$class(problem) => Some(Solver::solve(&mut self.0, problem, start, x)),)+
                            #[allow(unreachable_patterns, reason = "a solver may serve every class")]
                            _ => None,
                        }
                    }

                    fn limit_time(&mut self, seconds: Option<f64>) {
                        $(Solver::<class!($class)>::limit_time(&mut self.0, seconds);)+
                    }
                }
                let make: fn(f64) -> Result<$type, SolverError> = $make;
                Ok(Box::new(Named(make(tolerance)?)))
            },
        },)+ Entry {
            name: "robust",
            about: "several methods in turn; the default",
            classes: &Class::ALL,
            make: |tolerance| Ok(Box::new(RobustAny::new(tolerance)?)),
        }];
    };
}

solvers! {
    "lemke": Reduced<Lemke>, [Lcp, BoxLcp, Mlcp, FactoredLcp], |t| Reduced::new(t, defaults::lemke),
        "complementary pivoting; copositive matrices, friction";
    "lemke-howson": LemkeHowson, [Lcp], defaults::lemke_howson,
        "bimatrix games (zero diagonal blocks, q < 0), from every label; other problems by lemke";
    "proximal-lemke": Reduced<ProximalLemke>, [Lcp, BoxLcp, Mlcp, FactoredLcp],
        |t| Reduced::new(t, defaults::proximal_lemke),
        "the same where the solution is not unique: nearly the least-norm one";
    "dantzig": Dantzig, [Lcp, BoxLcp, Mlcp], defaults::dantzig,
        "principal pivoting index by index; symmetric semidefinite or P matrices, bounds";
    "ppm": Ppm, [FactoredLcp], defaults::ppm,
        "many frictionless contacts of few velocities; work grows with the velocities";
    "active-set-qp": ActiveSetQp, [FactoredLcp], defaults::active_set_qp,
        "the same by orthogonal factors; badly conditioned rows";
    "pgs": Pgs, [Lcp, BoxLcp, FactoredLcp], defaults::pgs,
        "projected Gauss-Seidel sweeps; symmetric semidefinite, low accuracy or large";
    "pgs-sm": PgsSm, [Lcp, BoxLcp, FactoredLcp], defaults::pgs_sm,
        "sweeps find the bounds, subspace steps the rest; symmetric semidefinite";
    "fb-rlm": FbRlm, [Lcp, BoxLcp, Mlcp, Mcp], defaults::fb_rlm,
        "damped least squares on the Fischer-Burmeister equations; any matrix, nonlinear problems";
    "fb-plm": FbPlm, [Lcp, BoxLcp, Mlcp, Mcp], defaults::fb_plm,
        "the same with a non-monotone line search and a watchdog";
    "path": Path, [Lcp, BoxLcp, Mlcp, Mcp], defaults::path,
        "path-search Newton on the normal map; any matrix, nonlinear problems";
    #[cfg(feature = "conic")]
    "interior-point": InteriorPoint, [Lcp, BoxLcp, FactoredLcp, ConeNcp], defaults::interior_point,
        "a conic library's interior point; convex problems with an interior, large sparse data, cross-checks";
    "enumeration": Reduced<Enumeration>, [Lcp, BoxLcp, Mlcp], |t| Reduced::new(t, defaults::enumeration),
        "all bases of a problem of at most 12 unknowns; any matrix";
    "chain": Chain, [ConeNcp], defaults::chain,
        "Newton from carried impulses, interior point from nothing, proximal-point Newton to finish: exact friction cones";
    "newton": Newton, [ConeNcp], defaults::newton,
        "Newton on the equations of Alart and Curnier; warm starts";
    "ppn": Ppn, [ConeNcp], defaults::ppn,
        "the same inside proximal-point steps; rank-deficient problems from any start";
    "nsgs": Nsgs, [ConeNcp], defaults::nsgs,
        "Gauss-Seidel over contacts, each solved exactly; rough answers without factorization";
    "admm": Admm, [ConeNcp], defaults::admm,
        "alternating directions; moderate accuracy with few factorizations";
    "cone-interior-point": ConeInteriorPoint, [ConeNcp], defaults::cone_interior_point,
        "non-convex interior point; a first guess from nothing, not the last digits";
    "mncp-rlm": MncpRlm, [ConeNcp], defaults::mncp_rlm,
        "damped least squares on the equations of Mylapilli and Jain; exact cones, comparison";
    "mncp-plm": MncpPlm, [ConeNcp], defaults::mncp_plm,
        "the same with a non-monotone line search and a watchdog; up to some hundred contacts";
    "qp-split": QpSplit, [ConeNcp], defaults::qp_split,
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
    fn new(tolerance: f64) -> Result<RobustAny, SolverError> {
        let settings = RobustSettings { tolerance, ..RobustSettings::default() };
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
