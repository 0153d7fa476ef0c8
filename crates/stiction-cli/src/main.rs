//! The `stiction` command: simulate a scene, check a scene, verify the engine against analytic answers, show a
//! recording, solve complementarity problems, measure solvers.
//!
//! Data goes to standard output, everything else to standard error. Exit status: 0 when the command did what was
//! asked, 1 when it ran but the outcome is not good (an unsolved step, a failed check), 2 when the request itself
//! cannot be met (a scene that does not load, an unknown name, a file that cannot be read).
//!
//! A file per subcommand (`run`, `view`, `check`, `solve`, `verify`, `bench`, `completions`), and what they share: `simulate`, `scene`,
//! `formulation`, `names` and `islands` make simulations of arguments, `start` starts of solves; `print` is what they print; `targets`
//! guards what is written.

mod bench;
mod check;
mod completions;
mod error;
mod formulation;
mod islands;
mod names;
mod print;
mod run;
mod scene;
mod simulate;
mod solve;
mod start;
mod targets;
mod verify;
mod view;

use crate::print::{excerpt, output, report};
use clap::{CommandFactory, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;
use stiction_solvers::io::printable_lines;

/// Rigid multibody dynamics with contact and dry friction, certified every step.
#[derive(Debug, Parser)]
#[command(name = "stiction", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene and say how well the contact laws were met.
    Run(run::RunArgs),
    /// Load a scene and list what was inferred, defaulted, ignored or repaired.
    Check(check::CheckArgs),
    /// Simulate scenes with known answers and compare.
    Verify(verify::VerifyArgs),
    /// Show a recording, or a scene after simulating it, as a page on this machine.
    View(view::ViewArgs),
    /// Solve the complementarity problems of a file, every answer certified.
    Solve(solve::SolveArgs),
    /// Measure solvers on data.
    Bench(bench::BenchArgs),
    /// Print a script that completes commands, options and names in a shell.
    Completions(completions::CompletionsArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => {
            // Help that nobody could read is a failure too.
            let told = answer.print().and_then(|()| std::io::stdout().flush());
            let status = if told.is_ok() { answer.exit_code() } else { 2 };
            return ExitCode::from(u8::try_from(status).unwrap_or(2));
        }
    };
    let outcome = match cli.command {
        Command::Run(args) => report::answered(args.json, run::run(&args)),
        Command::Check(args) => check::check(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::View(args) => view::view(&args),
        Command::Solve(args) => solve::solve(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Completions(args) => completions::completions(&args, Cli::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let colours = excerpt::coloured(&std::io::stderr());
            let excerpt = error.place().map(|place| excerpt::excerpt(place, colours)).unwrap_or_default();
            let message = format!("error: {error}");
            output::coloured_note(format!("{}\n{excerpt}", printable_lines(&message)).trim_end());
            ExitCode::from(error.exit_status())
        }
    }
}
