//! A progress bar on standard error, when that is a terminal and nobody asked for silence.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use stiction_solvers::io::printable;

/// A progress bar, or nothing.
pub(crate) struct Progress {
    bar: ProgressBar,
    stride: u64,
}

impl Progress {
    /// A bar of `total` units called `label`.
    pub(crate) fn new(label: &str, total: u64, quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar =
            ProgressBar::with_draw_target(Some(total), target).with_message(printable(label).into_owned());
        if let Ok(style) =
            ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} {elapsed_precise} (left {eta})")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, stride: (total / 500).max(1) }
    }

    /// Says how far it is; cheap enough for every step.
    pub(crate) fn at(&self, done: u64) {
        if done.is_multiple_of(self.stride) {
            self.bar.set_position(done);
        }
    }

    /// Says how far it is where the total is known as late as this.
    pub(crate) fn of(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }

    /// Takes the bar away.
    pub(crate) fn done(self) {
        self.bar.finish_and_clear();
    }
}
