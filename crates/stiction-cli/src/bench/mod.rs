//! `stiction bench`: measures parts of the engine on data.

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
    /// Solvers of exact friction cones on public and generated contact problems
    Cones(cones::ConesArgs),
    /// All solvers on all complementarity problems: successes, work, performance profile
    Solvers(solvers::SolversArgs),
}

/// Runs the command.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), CliError> {
    match &args.what {
        What::Cones(args) => cones::bench(args),
        What::Solvers(args) => solvers::bench(args),
    }
}
