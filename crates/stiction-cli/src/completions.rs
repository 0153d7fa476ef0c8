//! `stiction completions`: what a shell must know to complete commands, options and the names that they take.

use crate::error::CliError;
use crate::print::output;
use clap::Command;
use clap_complete::Shell;

/// Arguments of `stiction completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the completions of a command line for a shell.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "stiction", &mut script);
    output::data(&String::from_utf8_lossy(&script))
}
