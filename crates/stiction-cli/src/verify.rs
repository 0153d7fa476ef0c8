//! `stiction verify`: simulates scenes with known answers and compares.

use crate::error::CliError;
use crate::names;
use crate::print::output;
use crate::print::progress::Progress;
use serde::Serialize;
use stiction::scene::did_you_mean;
use stiction_lab::analytic::{self, Case};
use stiction_lab::{Findings, table};

/// Arguments of `stiction verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// Scenes to verify [default: all]
    #[arg(value_name = "NAME", value_parser = names::verified(), hide_possible_values = true)]
    names: Vec<String>,
    /// Print one JSON list
    #[arg(long)]
    json: bool,
    /// List the scenes and do nothing else
    #[arg(long)]
    list: bool,
}

/// Runs the command.
pub(crate) fn verify(args: &VerifyArgs) -> Result<(), CliError> {
    let chosen = choose(&args.names)?;
    if args.list {
        return list(&chosen, args.json);
    }
    let progress = Progress::new("verify", 0, false);
    let found = analytic::verify(&chosen, &mut |done, total| progress.of(done, total));
    progress.done();
    if args.json {
        output::json(&found)?
    } else {
        output::data(&found.table())?
    }
    match found.counts() {
        [_, 0] => Ok(()),
        [total, failed] => Err(CliError::ChecksFailed { failed, total }),
    }
}

/// The cases of these names, in the order of the list; all without names.
fn choose(names: &[String]) -> Result<Vec<Case>, CliError> {
    let all = analytic::cases();
    for name in names {
        if !all.iter().any(|case| case.name == name) {
            let known = all.iter().map(|case| case.name);
            let hint = did_you_mean(name, known.clone());
            let known: Vec<&str> = known.collect();
            return Err(CliError::Usage(format!(
                "there is no scene {name} to verify{hint}; there are: {}",
                known.join(", ")
            )));
        }
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| name == case.name);
    Ok(all.into_iter().filter(wanted).collect())
}

fn list(cases: &[Case], json: bool) -> Result<(), CliError> {
    #[derive(Serialize)]
    struct Entry {
        scene: &'static str,
        about: &'static str,
    }
    if json {
        let entries: Vec<Entry> =
            cases.iter().map(|case| Entry { scene: case.name, about: case.about }).collect();
        return output::json(&entries);
    }
    output::data(&table::pairs(&cases.iter().map(|c| (c.name, c.about.to_string())).collect::<Vec<_>>()))
}
