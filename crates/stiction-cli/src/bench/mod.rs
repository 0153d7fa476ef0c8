//! `stiction bench`: measures parts of the engine on data.

mod a10_grasp;
mod cones;
mod convergence;
mod d15_complexity;
mod d15_grasp;
mod line_plot;
mod log_plot;
mod measure;
mod mj14;
mod mj14_pendulum;
mod mj14_sphere;
mod profile;
mod solvers;
mod stacked;
mod svg;

use crate::error::CliError;

/// Arguments of `stiction bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Small friction-box problems of grasps beside published times, and frictionless problems of 5000 contacts
    A10Grasp(a10_grasp::GraspArgs),
    /// Solvers of exact friction cones on public and generated contact problems
    Cones(cones::ConesArgs),
    /// Errors of six scenes as the step is halved
    Convergence(convergence::ConvergenceArgs),
    /// Time for many frictionless contacts of few velocities: Drumwright 2015, section V
    D15Complexity(d15_complexity::ComplexityArgs),
    /// Blocks held by grippers under three contact models: Drumwright 2015, table I
    D15Grasp(d15_grasp::GraspArgs),
    /// A pendulum of twelve balls with the solvers of Mylapilli and Jain 2014
    Mj14Pendulum(mj14_pendulum::PendulumArgs),
    /// A thrown sphere with the solvers of Mylapilli and Jain 2014 beside the closed form
    Mj14Sphere(mj14_sphere::SphereArgs),
    /// All solvers on all complementarity problems: successes, work, performance profile
    Solvers(solvers::SolversArgs),
}

/// Runs the command.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), CliError> {
    match &args.what {
        What::A10Grasp(args) => a10_grasp::bench(args),
        What::Cones(args) => cones::bench(args),
        What::Convergence(args) => convergence::bench(args),
        What::D15Complexity(args) => d15_complexity::bench(args),
        What::D15Grasp(args) => d15_grasp::bench(args),
        What::Mj14Pendulum(args) => mj14_pendulum::bench(args),
        What::Mj14Sphere(args) => mj14_sphere::bench(args),
        What::Solvers(args) => solvers::bench(args),
    }
}
