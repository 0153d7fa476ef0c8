//! `stiction bench`: runs the experiments of the laboratory and prints what they find.

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use stiction::contact::ImpactLaw;
use stiction_lab::analytic::convergence;
use stiction_lab::papers::{a10, d15, mj14};
use stiction_lab::solvers::cones::{self, ConesSettings, Set};
use stiction_lab::solvers::suite::{self, SuiteSettings};
use stiction_lab::{Findings, LabError};
use stiction_solvers::Class;
use stiction_solvers::select::registry::{Entry, SOLVERS};

use crate::error::CliError;
use crate::formulation::FormulationArgs;
use crate::names;
use crate::print::output;
use crate::print::progress::Progress;
use crate::solve::find_solver;

/// The folder with the problems of the repository.
const PROBLEMS: &str = "problems";

/// Arguments of `stiction bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

/// How the findings are told.
#[derive(Debug, clap::Args)]
struct Telling {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw the pictures of the experiment into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Small friction-box problems of grasps beside published times, and frictionless problems of 5000 contacts
    A10Grasp(A10GraspArgs),
    /// Solvers of exact friction cones on public and generated contact problems; prints Markdown as it goes
    Cones(ConesArgs),
    /// Errors of six scenes as the step is halved
    Convergence(ConvergenceArgs),
    /// Time for many frictionless contacts of few velocities: Drumwright 2015, section V
    D15Complexity(D15ComplexityArgs),
    /// Blocks held by grippers under several contact models: Drumwright 2015, table I
    D15Grasp(D15GraspArgs),
    /// A pendulum of twelve balls with the solvers of Mylapilli and Jain 2014
    Mj14Pendulum(Mj14PendulumArgs),
    /// A thrown sphere with the solvers of Mylapilli and Jain 2014 beside the closed form
    Mj14Sphere(Telling),
    /// All solvers on all complementarity problems: successes, work, performance profile
    Solvers(SolversArgs),
}

#[derive(Debug, clap::Args)]
struct A10GraspArgs {
    /// Largest scaled residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-8, allow_negative_numbers = true)]
    tol: f64,
    /// Problems for each hand and number of contacts
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    problems: u16,
    /// Leave out the problems of 5000 contacts
    #[arg(long)]
    small: bool,
    #[command(flatten)]
    telling: Telling,
}

#[derive(Debug, clap::Args)]
struct ConesArgs {
    /// The kind of problems
    #[arg(long, value_enum, default_value_t = Kind::All)]
    set: Kind,
    /// The solver, or "all"
    #[arg(long, value_name = "NAME", default_value = "robust", value_parser = names::cone_solvers(), hide_possible_values = true)]
    solver: String,
    /// A few problems of each kind
    #[arg(long)]
    quick: bool,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// All of them
    All,
    /// The 54 public problems, if STICTION_DATA names their folder
    Public,
    /// 936 generated islands of 1 to 40 contacts
    Islands,
    /// Five motions with impulses carried over
    Sequences,
    /// Towers and piles of 48 to 400 contacts
    Large,
    /// Random bodies and blocks
    Random,
}

#[derive(Debug, clap::Args)]
struct ConvergenceArgs {
    #[command(flatten)]
    formulation: FormulationArgs,
    /// Steps down to 1.2 ms and a reference 16 times as fine
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    telling: Telling,
}

#[derive(Debug, clap::Args)]
struct D15ComplexityArgs {
    /// Up to 1000 contacts, and 300 for dense methods
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    telling: Telling,
}

#[derive(Debug, clap::Args)]
struct D15GraspArgs {
    /// Trials of 10 steps whose times are taken
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// Steps after which the drift is taken [default: 10000]
    #[arg(long, value_name = "N")]
    hold: Option<usize>,
    /// A drift after 200 steps only, unless --hold says otherwise, and fewer orders of the contacts
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    telling: Telling,
}

#[derive(Debug, clap::Args)]
struct Mj14PendulumArgs {
    /// Simulated time in seconds
    #[arg(long, value_name = "S", default_value_t = 20.0, allow_negative_numbers = true)]
    duration: f64,
    /// Coefficient of restitution, 0 to 1
    #[arg(long, value_name = "E", default_value_t = 0.7, allow_negative_numbers = true)]
    restitution: f64,
    /// How restitution acts: poisson, newton
    #[arg(long, value_name = "LAW", default_value_t = ImpactLaw::Poisson, value_parser = names::impact_laws(), hide_possible_values = true)]
    impact: ImpactLaw,
    /// Runs of each solver, of which the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    #[command(flatten)]
    telling: Telling,
}

#[derive(Debug, clap::Args)]
struct SolversArgs {
    /// Folder with problem files, searched to the bottom [default: $STICTION_DATA, else problems]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Largest scaled residual that counts as solved
    #[arg(long, value_name = "T", default_value_t = 1e-10, allow_negative_numbers = true)]
    tol: f64,
    /// Leave out cone problems of more rows than this: some solvers take minutes for them
    #[arg(long, value_name = "N", default_value_t = 330)]
    cone_rows: usize,
    #[command(flatten)]
    telling: Telling,
}

/// Runs the command.
pub(crate) fn bench(args: &BenchArgs) -> Result<(), CliError> {
    let bar = Progress::new("bench", 0, false);
    let progress: stiction_lab::Progress = &mut |done, total| bar.of(done, total);
    match &args.what {
        What::A10Grasp(A10GraspArgs { tol, problems, small, telling }) => {
            let settings = a10::GraspSettings { tolerance: *tol, problems: *problems, large: !small };
            telling.tell(&a10::run(&settings, progress)?)
        }
        What::Cones(cones) => cones.bench(progress),
        What::Convergence(ConvergenceArgs { formulation, quick, telling }) => {
            telling.tell(&convergence::run(*quick, &formulation.options(), progress)?)
        }
        What::D15Complexity(D15ComplexityArgs { quick, telling }) => {
            telling.tell(&d15::complexity::run(*quick, progress)?)
        }
        What::D15Grasp(D15GraspArgs { trials, hold, quick, telling }) => {
            let settings = d15::grasp::GraspSettings {
                trials: *trials,
                hold: hold.unwrap_or(if *quick { 200 } else { 10_000 }),
                orders: if *quick { 10 } else { 100 },
            };
            telling.tell(&d15::grasp::run(&settings, progress)?)
        }
        What::Mj14Pendulum(Mj14PendulumArgs { duration, restitution, impact, repeat, telling }) => {
            let settings = mj14::pendulum::PendulumSettings {
                duration: *duration,
                restitution: *restitution,
                impact: *impact,
                repeat: *repeat,
            };
            telling.tell(&mj14::pendulum::run(&settings, progress)?)
        }
        What::Mj14Sphere(telling) => telling.tell(&mj14::sphere::run(progress)?),
        What::Solvers(SolversArgs { data, tol, cone_rows, telling }) => {
            let folder = data.clone().or_else(|| std::env::var_os("STICTION_DATA").map(PathBuf::from));
            let folder = folder.unwrap_or_else(|| PROBLEMS.into());
            if data.is_none() && !folder.is_dir() {
                return Err(CliError::Usage(format!(
                    "there is no folder '{}' here: name one with problem files by --data, or by STICTION_DATA",
                    folder.display()
                )));
            }
            let settings = SuiteSettings { folder, tolerance: *tol, cone_rows: *cone_rows };
            let found = suite::run(&settings, progress)?;
            found.left_out.iter().for_each(|line| output::note(line));
            telling.tell(&found)
        }
    }
}

impl Telling {
    /// Draws and prints what was found.
    fn tell(&self, found: &impl Findings) -> Result<(), CliError> {
        if let Some(directory) = &self.out {
            for picture in found.pictures() {
                picture.write(directory)?;
            }
        }
        if self.json { output::json(found) } else { output::data(&found.table()) }
    }
}

impl ConesArgs {
    fn bench(&self, progress: stiction_lab::Progress) -> Result<(), CliError> {
        let data = std::env::var_os("STICTION_DATA").map(PathBuf::from);
        let settings = ConesSettings {
            contestants: contestants(&self.solver)?,
            quick: self.quick,
            public: data.map(|data| data.join("fc")),
        };
        let sets = match self.set {
            Kind::All => vec![Set::Public, Set::Islands, Set::Sequences, Set::Large, Set::Random],
            Kind::Public => vec![Set::Public],
            Kind::Islands => vec![Set::Islands],
            Kind::Sequences => vec![Set::Sequences],
            Kind::Large => vec![Set::Large],
            Kind::Random => vec![Set::Random],
        };
        for set in sets {
            if set == Set::Public && settings.public.is_none() {
                let needed = "the variable STICTION_DATA must name the folder with fc/*.json in it";
                if self.set == Kind::Public {
                    return Err(CliError::Usage(format!("--set public: {needed}")));
                }
                output::note(&format!("the public problems are left out: {needed}"));
                continue;
            }
            match cones::run(set, &settings, &mut output::Printable, progress) {
                // A reader that has gone away (`| head`) is not an error.
                Err(LabError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                outcome => outcome?,
            }
        }
        std::io::stdout().flush().map_err(CliError::Output)
    }
}

/// The solvers of friction cones that were asked for.
fn contestants(name: &str) -> Result<Vec<&'static Entry>, CliError> {
    let serving: Vec<&Entry> = SOLVERS.iter().filter(|entry| entry.serves(Class::ConeNcp)).collect();
    if name == "all" {
        return Ok(serving);
    }
    let entry = find_solver(name)?;
    if entry.serves(Class::ConeNcp) {
        return Ok(vec![entry]);
    }
    let names: Vec<&str> = serving.iter().map(|entry| entry.name).collect();
    Err(CliError::Usage(format!(
        "--solver {name}: it does not serve friction cones; these do: {}",
        names.join(", ")
    )))
}
