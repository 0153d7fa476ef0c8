//! A problem of any class, for programs that learn the class from a file.

use std::fmt;

use crate::linalg::dense::largest_abs;
use crate::problem::active_set::ActiveSet;
use crate::problem::cones::cone::Cone;
use crate::problem::cones::cone_ncp::ConeNcp;
use crate::problem::linear::box_lcp::BoxLcp;
use crate::problem::linear::factored_lcp::FactoredLcp;
use crate::problem::linear::lcp::Lcp;
use crate::problem::linear::mlcp::Mlcp;
use crate::problem::smooth::mcp::Mcp;
use crate::problem::smooth::polynomial::Polynomial;
use crate::problem::traits::{Bounded, Problem, Residual, Solution};

/// The problem classes, in the order of growing generality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// [`FactoredLcp`].
    FactoredLcp,
    /// [`Lcp`].
    Lcp,
    /// [`BoxLcp`].
    BoxLcp,
    /// [`Mlcp`].
    Mlcp,
    /// [`Mcp`] of a [`Polynomial`].
    Mcp,
    /// [`ConeNcp`].
    ConeNcp,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 6] =
        [Class::FactoredLcp, Class::Lcp, Class::BoxLcp, Class::Mlcp, Class::Mcp, Class::ConeNcp];

    /// The name as the command line writes it.
    pub fn name(self) -> &'static str {
        match self {
            Class::FactoredLcp => "factored-lcp",
            Class::Lcp => "lcp",
            Class::BoxLcp => "box-lcp",
            Class::Mlcp => "mlcp",
            Class::Mcp => "mcp",
            Class::ConeNcp => "cone-ncp",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A problem of one of the classes.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each variant holds the class of its name")]
pub enum AnyProblem {
    FactoredLcp(FactoredLcp),
    Lcp(Lcp),
    BoxLcp(BoxLcp),
    Mlcp(Mlcp),
    Mcp(Mcp<Polynomial>),
    ConeNcp(ConeNcp),
}

/// Evaluates an expression with the problem inside, whatever its class.
macro_rules! with_inner {
    ($any:expr, $problem:ident => $value:expr) => {
        match $any {
            AnyProblem::FactoredLcp($problem) => $value,
            AnyProblem::Lcp($problem) => $value,
            AnyProblem::BoxLcp($problem) => $value,
            AnyProblem::Mlcp($problem) => $value,
            AnyProblem::Mcp($problem) => $value,
            AnyProblem::ConeNcp($problem) => $value,
        }
    };
}

impl AnyProblem {
    /// The class.
    pub fn class(&self) -> Class {
        match self {
            AnyProblem::FactoredLcp(_) => Class::FactoredLcp,
            AnyProblem::Lcp(_) => Class::Lcp,
            AnyProblem::BoxLcp(_) => Class::BoxLcp,
            AnyProblem::Mlcp(_) => Class::Mlcp,
            AnyProblem::Mcp(_) => Class::Mcp,
            AnyProblem::ConeNcp(_) => Class::ConeNcp,
        }
    }

    /// The basis that an answer shows, see [`ActiveSet::of_answer`]; of contacts the rows of those that press.
    pub fn active_set(&self, x: &Solution) -> ActiveSet {
        let nonnegative = |_| [0.0, f64::INFINITY];
        match self {
            AnyProblem::Lcp(problem) => ActiveSet::of_answer_beside(x, largest_abs(problem.q()), nonnegative),
            AnyProblem::FactoredLcp(problem) => {
                ActiveSet::of_answer_beside(x, largest_abs(problem.q()), nonnegative)
            }
            AnyProblem::BoxLcp(problem) => {
                ActiveSet::of_answer_beside(x, largest_abs(problem.q()), |i| problem.bounds(i))
            }
            AnyProblem::Mlcp(problem) => {
                let problem = problem.as_box_lcp();
                ActiveSet::of_answer_beside(x, largest_abs(problem.q()), |i| problem.bounds(i))
            }
            AnyProblem::Mcp(problem) => ActiveSet::of_answer(x, |i| problem.bounds(i)),
            AnyProblem::ConeNcp(problem) => {
                let normals = ActiveSet::of_answer_beside(x, largest_abs(problem.q()), nonnegative);
                let blocks = problem.cones().iter().zip(problem.starts());
                let rows = blocks.flat_map(|(cone, &start)| {
                    (start..start + cone.dim()).map(move |row| (cone, start, row))
                });
                let carries = |cone: &Cone, start: usize, row: usize| {
                    if cone.is_contact() { normals.contains(start) } else { x.z[row] != 0.0 }
                };
                ActiveSet::of(
                    x.z.len(),
                    rows.filter(|(cone, start, row)| carries(cone, *start, *row)).map(|(.., row)| row),
                )
            }
        }
    }
}

impl Problem for AnyProblem {
    fn dim(&self) -> usize {
        with_inner!(self, problem => problem.dim())
    }

    fn eval(&self, z: &[f64], w: &mut [f64]) {
        with_inner!(self, problem => problem.eval(z, w));
    }

    fn project(&self, z: &mut [f64]) {
        with_inner!(self, problem => problem.project(z));
    }

    fn residual(&self, x: &Solution) -> Residual {
        with_inner!(self, problem => problem.residual(x))
    }

    fn residual_floor(&self, x: &Solution) -> f64 {
        with_inner!(self, problem => problem.residual_floor(x))
    }
}

macro_rules! from_class {
    ($($class:ident: $problem:ty),+) => {
        $(impl From<$problem> for AnyProblem {
            fn from(problem: $problem) -> AnyProblem {
                AnyProblem::$class(problem)
            }
        })+
    };
}

from_class!(FactoredLcp: FactoredLcp, Lcp: Lcp, BoxLcp: BoxLcp, Mlcp: Mlcp, Mcp: Mcp<Polynomial>, ConeNcp: ConeNcp);
