//! Who attends a solve for Python: hears Ctrl-C, tells a callback of the iterations and stops at a limit on them.
//!
//! The solve runs on the interpreter's thread, which looks for signals itself where the solver asks whether to end; a thread of
//! its own would cost more than a small solve. Before [`LISTEN`] has passed nothing but the clock is looked at.

use numpy::PyArray1;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};
use stiction_solvers::{Progress, Report, Status, Watch, watched};

/// Time between two looks for a signal.
const LISTEN: Duration = Duration::from_millis(30);

/// An iteration of a solve, for its callback.
#[pyclass(module = "stiction._stiction", name = "SolveProgress", frozen, get_all)]
pub(crate) struct PySolveProgress {
    /// Number of the iteration; 0 is the start.
    iteration: usize,
    /// Natural map of the iterate on the original data, scaled (dimensionless).
    residual: f64,
    /// The iterate (n); None where the method does not have it at hand.
    z: Option<Py<PyArray1<f64>>>,
    /// Name of the method.
    method: String,
}

#[pymethods]
impl PySolveProgress {
    fn __repr__(&self) -> String {
        let Self { iteration, residual, method, .. } = self;
        format!("<stiction.SolveProgress: iteration {iteration} of {method}, residual {residual:.1e}>")
    }
}

/// What was raised while the solve was under way; it is raised again when that is over.
pub(crate) type Raised = Rc<RefCell<Option<PyErr>>>;

/// How a solve is attended.
pub(crate) struct Attendance {
    /// Told of every iteration; ends the solve by a true answer.
    pub(crate) callback: Option<Py<PyAny>>,
    /// Most iterations, counted over all methods.
    pub(crate) limit: Option<usize>,
    /// Name of the method, of a solver that is one.
    pub(crate) method: String,
}

/// The watch.
struct Attendant {
    attendance: Attendance,
    next_look: Cell<Instant>,
    raised: Raised,
    heard: Cell<usize>,
    at_limit: Rc<Cell<bool>>,
}

impl Attendance {
    /// Solves by `work`, which may raise by `raised` too. Returns its report.
    ///
    /// # Errors
    /// What a signal's handler (Ctrl-C's raises `KeyboardInterrupt`), the callback or the work raised.
    pub(crate) fn attend(
        self,
        raised: Raised,
        work: impl FnOnce() -> Option<Report>,
    ) -> PyResult<Option<Report>> {
        let at_limit = Rc::new(Cell::new(false));
        let attendant = Attendant {
            attendance: self,
            next_look: Cell::new(Instant::now() + LISTEN),
            raised: raised.clone(),
            heard: Cell::new(0),
            at_limit: at_limit.clone(),
        };
        let report = watched(Rc::new(attendant), work);
        if let Some(error) = raised.take() {
            return Err(error);
        }
        Ok(report.map(|report| match report.status {
            Status::Interrupted if at_limit.get() => Report { status: Status::MaxIterations, ..report },
            _ => report,
        }))
    }
}

impl Attendant {
    fn raise(&self, error: PyErr) -> bool {
        self.raised.borrow_mut().get_or_insert(error);
        true
    }
}

impl Watch for Attendant {
    fn interrupts(&self) -> bool {
        if self.raised.borrow().is_some() {
            return true;
        }
        let now = Instant::now();
        if now < self.next_look.get() {
            return false;
        }
        self.next_look.set(now + LISTEN);
        Python::attach(|py| py.check_signals()).is_err_and(|signal| self.raise(signal))
    }

    fn wants_progress(&self) -> bool {
        self.attendance.callback.is_some() || self.attendance.limit.is_some()
    }

    fn hears(&self, progress: &Progress) -> bool {
        if self.raised.borrow().is_some() {
            return true;
        }
        self.heard.set(self.heard.get() + 1);
        if let Some(callback) = &self.attendance.callback {
            let method = if progress.method.is_empty() { &self.attendance.method } else { progress.method };
            let answer = Python::attach(|py| {
                let z = (!progress.z.is_empty()).then(|| PyArray1::from_slice(py, progress.z).unbind());
                let Progress { iteration, natural_map: residual, .. } = *progress;
                let told = PySolveProgress { iteration, residual, z, method: method.into() };
                callback.call1(py, (told,))?.is_truthy(py)
            });
            match answer {
                Ok(false) => {}
                Ok(true) => return true,
                Err(error) => return self.raise(error),
            }
        }
        let over = self.attendance.limit.is_some_and(|limit| self.heard.get() > limit);
        self.at_limit.set(over);
        over
    }
}
