//! `stiction bench`: measures parts of the engine on data.

mod a10_grasp;
mod cones;
mod profile;
mod solvers;
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
    /// All solvers on all complementarity problems: successes, work, performance profile
    Solvers(solvers::SolversArgs),
}

/// Runs the command.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), CliError> {
    match &args.what {
        What::A10Grasp(args) => a10_grasp::bench(args),
        What::Cones(args) => cones::bench(args),
        What::Solvers(args) => solvers::bench(args),
    }
}
