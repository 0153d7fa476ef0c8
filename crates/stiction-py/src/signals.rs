//! Work that Ctrl-C ends: it runs on a thread of its own, while the interpreter's thread listens.

use crate::error::refuse;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time between two looks for a signal.
const LISTEN: Duration = Duration::from_millis(50);

/// Does `work` without the interpreter lock. A signal whose handler raises (Ctrl-C does) sets the flag that `work` is given, which
/// then has to end soon; the exception is returned.
pub(crate) fn attended<T: Send>(py: Python, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        std::thread::scope(|scope| {
            let (send, done) = channel();
            let stop = &stop;
            // Nobody waits for the result after a signal.
            scope.spawn(move || drop(send.send(work(stop))));
            loop {
                match done.recv_timeout(LISTEN) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(signal) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            return Err(signal);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(refuse("the work ended without a result"));
                    }
                }
            }
        })
    })
}
