//! A solve that somebody watches: it can be ended from outside, and tells of its iterations.
//!
//! Whoever waits for a solve installs a [`Watch`] on the thread that solves, for as long as [`watched`] runs. It is asked where
//! time limits are, between two pivots, factorizations or sweeps and within long factorizations, by every solver and every
//! solver inside another, which therefore need no argument for it. Without a watch nothing is asked.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What an iteration of a method came to.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The method under way, of a solver that tries several ([`Robust`](crate::Robust)); empty for others.
    pub method: &'static str,
    /// Number of the iteration as [`Report::iterations`](crate::Report::iterations) counts them.
    pub iteration: usize,
    /// Natural map of the iterate (dimensionless).
    pub natural_map: f64,
    /// The iterate in the problem's units (n); empty where the method does not have it at hand.
    pub z: &'a [f64],
}

/// Somebody who watches a solve.
pub trait Watch {
    /// Whether the solve is to end with the best answer so far ([`Status::Interrupted`](crate::Status::Interrupted)). It is
    /// asked often: an answer should take well below a microsecond. After a yes it is not asked again.
    fn interrupts(&self) -> bool {
        false
    }

    /// Whether the iterations are to be told: a method then evaluates its iterates as for a history.
    fn wants_progress(&self) -> bool {
        false
    }

    /// Hears of an iteration, of methods that keep a history, and of every method that a solver of several has tried. A yes ends
    /// the solve as [`Watch::interrupts`] does.
    fn hears(&self, progress: &Progress) -> bool {
        let _ = progress;
        false
    }
}

/// The flag of another thread.
impl Watch for std::sync::Arc<std::sync::atomic::AtomicBool> {
    fn interrupts(&self) -> bool {
        self.load(std::sync::atomic::Ordering::Relaxed)
    }
}

thread_local! {
    static WATCH: RefCell<Option<Rc<dyn Watch>>> = const { RefCell::new(None) };
    static STOPPED: Cell<bool> = const { Cell::new(false) };
    static METHOD: Cell<&'static str> = const { Cell::new("") };
    static ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// What was installed before; installed again when this is dropped, also by a panic.
struct Before(Option<Rc<dyn Watch>>, bool, bool);

impl Drop for Before {
    fn drop(&mut self) {
        WATCH.set(self.0.take());
        STOPPED.set(self.1);
        ASIDE.set(self.2);
    }
}

/// Does `work` with somebody watching the solves in it, all of them until they have ended one.
///
/// ```
/// use std::rc::Rc;
/// use std::sync::{Arc, atomic::AtomicBool};
/// use stiction_solvers::{Lcp, Path, PathSettings, Solution, Solver, Start, Status, watched};
/// let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
/// let mut solver = Path::new(PathSettings::default())?;
/// let mut x = Solution::default();
/// // Another thread would set it while the solve is under way.
/// let stop = Arc::new(AtomicBool::new(true));
/// let report = watched(Rc::new(stop), || solver.solve(&problem, Start::Cold, &mut x));
/// assert_eq!(report.status, Status::Interrupted);
/// # Ok::<(), stiction_solvers::SolverError>(())
/// ```
pub fn watched<T>(watch: Rc<dyn Watch>, work: impl FnOnce() -> T) -> T {
    let _before = Before(WATCH.replace(Some(watch)), STOPPED.replace(false), ASIDE.replace(false));
    work()
}

/// Whether somebody watches on this thread.
pub(crate) fn is_watched() -> bool {
    WATCH.with_borrow(Option::is_some)
}

/// Whether the watch has ended the solve, or does now.
pub(crate) fn is_interrupted() -> bool {
    STOPPED.get() || ends(|watch| watch.interrupts())
}

/// Whether iterations are to be told.
pub(crate) fn wants_progress() -> bool {
    !ASIDE.get() && WATCH.with_borrow(|watch| watch.as_ref().is_some_and(|watch| watch.wants_progress()))
}

/// Tells of an iteration.
pub(crate) fn tell(iteration: usize, natural_map: f64, z: &[f64]) {
    if wants_progress() && !STOPPED.get() {
        let _ = ends(|watch| watch.hears(&Progress { method: METHOD.get(), iteration, natural_map, z }));
    }
}

/// Says which of several methods is under way; empty for none. Returns the one before.
pub(crate) fn name_method(name: &'static str) -> &'static str {
    METHOD.replace(name)
}

/// Does `work` on a problem that is not the one watched, but helps to solve it: nobody hears of its iterations.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    let before = ASIDE.replace(true);
    let result = work();
    ASIDE.set(before);
    result
}

fn ends(ask: impl FnOnce(&dyn Watch) -> bool) -> bool {
    let ended = WATCH.with_borrow(|watch| watch.as_ref().is_some_and(|watch| ask(&**watch)));
    STOPPED.set(STOPPED.get() || ended);
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Always;

    impl Watch for Always {
        fn interrupts(&self) -> bool {
            true
        }
    }

    struct Never;

    impl Watch for Never {}

    #[test]
    fn a_watch_ends_what_it_watches_and_nothing_after_it_or_around_it() {
        watched(Rc::new(Never), || {
            watched(Rc::new(Always), || assert!(is_watched() && is_interrupted()));
            assert!(is_watched() && !is_interrupted());
        });
        assert!(!is_watched() && !is_interrupted());
        let panicked =
            std::panic::catch_unwind(|| watched(Rc::new(Always), || panic!("{}", is_interrupted())));
        assert!(panicked.is_err() && !is_watched() && !is_interrupted());
    }
}
