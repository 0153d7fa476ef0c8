//! The laboratory: what stiction is measured with.
//!
//! Analytic cases, whose answers are known by formulas that the engine does not use; experiments of papers, beside the
//! published numbers; and all solvers on collections of problems. The command line prints them (`stiction verify`,
//! `stiction bench`), tests assert on them, and the documentation shows their tables and pictures. Everything runs on the
//! shipped engine and the shipped solvers.
//!
//! | module | |
//! |---|---|
//! | [`analytic`] | scenes with known answers, and the order in which time stepping converges to them |
//! | [`papers`] | experiments of papers, a folder a paper |
//! | [`solvers`] | every solver on every problem: successes, work, performance profiles |
//! | [`plot`] | charts as SVG |
//! | [`table`], [`statistics`] | plain text tables; means, spreads, exponents |
//!
//! An experiment is a `Settings` with a `run`, whose outcome is [`Findings`]: a table, pictures, and as data what serde makes
//! of it. This crate is published because the command
//! line needs it; its interface follows the experiments and is not kept stable.

pub mod analytic;
pub mod error;
pub mod papers;
pub mod plot;
pub mod solvers;
pub mod statistics;
pub mod table;

pub use error::LabError;

/// What an experiment found.
pub trait Findings: serde::Serialize {
    /// The numbers as a plain text table, with the published ones beside them where there are any.
    fn table(&self) -> String;

    /// The pictures that help to read them.
    fn pictures(&self) -> Vec<plot::Picture> {
        Vec::new()
    }
}

/// Is told, while an experiment goes on, how many of its parts are done, and of how many.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);
