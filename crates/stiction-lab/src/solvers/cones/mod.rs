//! The solvers of the exact friction cone on problems of one kind each, beside the figures of the
//! prototype that the methods were chosen with.
//!
//! Every solver runs alone, from nothing but in the sequences, on one core. *Solved* is what the problem certifies.

mod prototype;
mod tables;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use stiction_solvers::samples::random;
use stiction_solvers::samples::random::Range;
use stiction_solvers::samples::{Family, Form, Motion, Sample, Sequence, large};
use stiction_solvers::select::registry::{AnySolver, Entry};
use stiction_solvers::{AnyProblem, Report, Solution, Start, io};

use crate::Progress;
use crate::error::LabError;
use tables::{Outcome, Step};

/// A solve shorter than this (s) is repeated, and the shortest time counts.
const REPEAT: f64 = 1e-3;

/// Tolerance at which work and time are measured, and the strict one.
const TOLERANCE: f64 = 1e-9;
const STRICT: f64 = 1e-12;

/// A kind of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The 54 public problems.
    Public,
    /// 936 generated islands of 1 to 40 contacts.
    Islands,
    /// Five motions with impulses carried over.
    Sequences,
    /// Towers and piles of 48 to 400 contacts.
    Large,
    /// Random bodies and blocks.
    Random,
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct ConesSettings {
    /// Solvers that serve [`Class::ConeNcp`](stiction_solvers::Class::ConeNcp).
    pub contestants: Vec<&'static Entry>,
    /// A few problems of each kind.
    pub quick: bool,
    /// The folder with the public problems, a JSON file each; needed for [`Set::Public`].
    pub public: Option<PathBuf>,
}

/// Writes the tables of a kind, in Markdown, row by row: some take minutes.
///
/// # Errors
/// The public problems cannot be read, or the table cannot be written.
pub fn run(
    set: Set,
    settings: &ConesSettings,
    out: &mut dyn Write,
    progress: Progress,
) -> Result<(), LabError> {
    let mut bench = Bench { contestants: &settings.contestants, quick: settings.quick, out, progress };
    match set {
        Set::Public => match &settings.public {
            Some(folder) => bench.public(folder),
            None => Err(LabError::Refused("the folder with the public problems is needed".into())),
        },
        Set::Islands => bench.islands(),
        Set::Sequences => bench.sequences(),
        Set::Large => bench.towers_and_piles(),
        Set::Random => bench.anything(),
    }
}

/// What all kinds need.
struct Bench<'a> {
    contestants: &'a [&'static Entry],
    quick: bool,
    out: &'a mut dyn Write,
    progress: Progress<'a>,
}

/// Every `stride`th of a list.
fn some<T>(list: Vec<T>, stride: usize) -> Vec<T> {
    list.into_iter().step_by(stride).collect()
}

/// The samples of a kind in one form.
fn posed(samples: Vec<Sample>, form: Form) -> Result<Vec<AnyProblem>, LabError> {
    samples.into_iter().map(|sample| Ok(sample.system.problem(form)?.into())).collect()
}

fn timed(
    solver: &mut dyn AnySolver,
    problem: &AnyProblem,
    start: Start,
    x: &mut Solution,
) -> Option<(Report, f64)> {
    let begin = Instant::now();
    let report = solver.solve(problem, start, x)?;
    Some((report, begin.elapsed().as_secs_f64()))
}

impl Bench<'_> {
    fn write(&mut self, text: &str) -> Result<(), LabError> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// All problems from nothing, twice: to the tolerance and to the strict one.
    fn cold(&mut self, entry: &Entry, problems: &[AnyProblem]) -> Result<Vec<Outcome>, LabError> {
        let mut solver = entry.make(TOLERANCE)?;
        let mut strict = entry.make(STRICT)?;
        let mut outcomes = Vec::with_capacity(problems.len());
        for (k, problem) in problems.iter().enumerate() {
            (self.progress)(k, problems.len());
            let mut x = Solution::default();
            let Some((report, mut time)) = timed(solver.as_mut(), problem, Start::Cold, &mut x) else {
                continue;
            };
            for _ in 0..2 {
                if time < REPEAT
                    && let Some((_, again)) = timed(solver.as_mut(), problem, Start::Cold, &mut x)
                {
                    time = time.min(again);
                }
            }
            let Some(strict) = strict.solve(problem, Start::Cold, &mut x) else { continue };
            outcomes.push(Outcome { report, strict: strict.status, time });
        }
        Ok(outcomes)
    }

    fn public(&mut self, folder: &Path) -> Result<(), LabError> {
        let unreadable = |source| LabError::File { path: folder.into(), action: "cannot be read", source };
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
            .map_err(unreadable)?;
        files.retain(|path| {
            path.extension().is_some_and(|ending| ending == "json")
                && path.file_stem().is_some_and(|s| s != "index")
        });
        files.sort();
        let mut problems = Vec::new();
        for file in some(files, if self.quick { 6 } else { 1 }) {
            problems.extend(io::read(&file)?.into_iter().map(|named| named.problem));
        }
        self.write(&tables::begin("Public problems", &tables::COLD))?;
        for entry in self.contestants {
            let outcomes = self.cold(entry, &problems)?;
            self.write(&tables::cold(&["all"], entry.name, &outcomes, prototype::public(entry.name)))?;
        }
        Ok(())
    }

    fn islands(&mut self) -> Result<(), LabError> {
        let stride = if self.quick { 12 } else { 1 };
        self.write(&tables::begin("Generated islands, 1 to 40 contacts", &tables::COLD))?;
        for entry in self.contestants {
            let mut all = Vec::new();
            for family in Family::ALL {
                let problems = posed(some(family.samples(0), stride), Form::Dense)?;
                let outcomes = self.cold(entry, &problems)?;
                self.write(&tables::cold(&[family.name()], entry.name, &outcomes, ""))?;
                all.extend(outcomes);
            }
            self.write(&tables::cold(&["all"], entry.name, &all, prototype::islands(entry.name)))?;
        }
        Ok(())
    }

    fn anything(&mut self) -> Result<(), LabError> {
        let count = if self.quick { 100 } else { 1000 };
        type Draw = fn(u64, Range) -> Sample;
        let kinds: [(&str, Draw); 3] = [
            ("contacts", random::contacts),
            ("mixed blocks", random::mixed),
            ("known answer", |seed, range| random::planted(seed, range).0),
        ];
        self.write(&tables::begin("Random bodies, 1 to 60 contacts", &tables::COLD))?;
        for entry in self.contestants {
            for (label, range) in
                [("mu to 3", Range { friction: 3.0, ..Range::WIDE }), ("mu to 1000", Range::WIDE)]
            {
                for (kind, draw) in kinds {
                    let problems = posed((0..count).map(|seed| draw(seed, range)).collect(), Form::Dense)?;
                    let outcomes = self.cold(entry, &problems)?;
                    self.write(&tables::cold(&[kind, label], entry.name, &outcomes, ""))?;
                }
            }
        }
        Ok(())
    }

    fn towers_and_piles(&mut self) -> Result<(), LabError> {
        let seeds = if self.quick { 1..2 } else { 1..4 };
        let sizes = if self.quick { 2 } else { 4 };
        let towers = large::TOWERS.iter().take(sizes).map(|boxes| {
            let samples: Vec<Sample> = seeds.clone().map(|seed| large::tower(*boxes, seed)).collect();
            (format!("tower {boxes}, {} contacts", 4 * boxes), samples)
        });
        let piles = large::PILES.iter().take(sizes).map(|size| {
            let samples: Vec<Sample> = seeds.clone().map(|seed| large::heap(*size, seed)).collect();
            (format!("pile {}, {} contacts", size[0], size[1]), samples)
        });
        let kinds: Vec<(String, Vec<Sample>)> = towers.chain(piles).collect();
        self.write(&tables::begin("Large islands", &tables::COLD))?;
        for entry in self.contestants {
            for (name, samples) in &kinds {
                // Dense too, where that is not a matter of minutes.
                for (form, word) in [(Form::Factored, "in factors"), (Form::Dense, "dense")] {
                    let problems = posed(samples.clone(), form)?;
                    let outcomes = self.cold(entry, &problems)?;
                    let published = prototype::large(name, entry.name);
                    self.write(&tables::cold(&[name.as_str(), word], entry.name, &outcomes, published))?;
                }
            }
        }
        Ok(())
    }

    fn sequences(&mut self) -> Result<(), LabError> {
        self.write(&tables::begin("Sequences, impulses carried over", &tables::WARM))?;
        for entry in self.contestants {
            for motion in Motion::ALL {
                let length = if self.quick { motion.problems() / 10 } else { motion.problems() };
                let steps = self.follow(entry, motion, length)?;
                self.write(&tables::warm(motion, entry.name, &steps))?;
            }
        }
        Ok(())
    }

    fn follow(&mut self, entry: &Entry, motion: Motion, length: usize) -> Result<Vec<Step>, LabError> {
        let mut solver = entry.make(TOLERANCE)?;
        let mut sequence = Sequence::new(motion, Form::Dense);
        let mut x = Solution::default();
        let mut steps = Vec::with_capacity(length);
        for k in 0..length {
            (self.progress)(k, length);
            let Some(problem) = sequence.pose(&mut x)? else { break };
            let problem = AnyProblem::from(problem.clone());
            let carried = x.clone();
            let Some((report, mut time)) = timed(solver.as_mut(), &problem, Start::Warm, &mut x) else {
                break;
            };
            for _ in 0..2 {
                let mut again = carried.clone();
                if time < REPEAT
                    && let Some((_, repeated)) = timed(solver.as_mut(), &problem, Start::Warm, &mut again)
                {
                    time = time.min(repeated);
                }
            }
            steps.push(Step { class: sequence.advance(&x), report, time });
        }
        Ok(steps)
    }
}
