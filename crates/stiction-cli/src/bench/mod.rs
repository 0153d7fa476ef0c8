//! `stiction bench`: measures parts of the engine on data.

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
    /// All solvers on all complementarity problems: successes, work, performance profile
    Solvers(solvers::SolversArgs),
}

/// Runs the command.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), CliError> {
    match &args.what {
        What::Solvers(args) => solvers::bench(args),
    }
}
