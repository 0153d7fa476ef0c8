//! The connections there are: never more than a given number, and the newest has a right to a place.
//!
//! A browser that has connected asks at once. So where all places are taken, the connection that has not asked for the
//! longest makes room, and whoever opens hundreds and says nothing keeps nobody out. One that is being answered stays: a
//! page is whole.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a newcomer waits for a place that is being given up.
const WAIT: Duration = Duration::from_millis(500);

/// The connections there are.
#[derive(Debug)]
pub(super) struct Connections {
    /// In the order in which they came.
    open: Mutex<Vec<Connection>>,
    left: Condvar,
    most: usize,
}

#[derive(Debug)]
struct Connection {
    stream: Arc<TcpStream>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Asking,
    Answered,
    /// Closed for another, by a thread that does not know it yet.
    Leaving,
}

/// A connection's place, which is free again with the end of this value.
#[derive(Debug)]
pub(super) struct Seat {
    connections: Arc<Connections>,
    stream: Arc<TcpStream>,
}

impl Connections {
    pub(super) fn at_most(most: usize) -> Self {
        Self { open: Mutex::new(Vec::with_capacity(most)), left: Condvar::new(), most }
    }

    /// A place for a connection; none if all are being answered.
    pub(super) fn seat(this: &Arc<Self>, stream: &Arc<TcpStream>) -> Option<Seat> {
        let mut open = this.lock();
        if open.len() >= this.most {
            close_oldest(&mut open);
            let full = |open: &mut Vec<Connection>| open.len() >= this.most;
            let waited = this.left.wait_timeout_while(open, WAIT, full);
            open = waited.unwrap_or_else(PoisonError::into_inner).0;
            if open.len() >= this.most {
                return None;
            }
        }
        open.push(Connection { stream: stream.clone(), stage: Stage::Asking });
        Some(Seat { connections: this.clone(), stream: stream.clone() })
    }

    /// Closes the connection that has not asked for the longest, if there is one.
    pub(super) fn make_room(&self) {
        close_oldest(&mut self.lock());
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// The list is whole whatever a thread was doing when it panicked.
    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn close_oldest(open: &mut [Connection]) {
    if let Some(oldest) = open.iter_mut().find(|connection| connection.stage == Stage::Asking) {
        oldest.stage = Stage::Leaving;
        // Its thread, which waits for it, finds it at its end. If it cannot be closed it is gone.
        let _ = oldest.stream.shutdown(Shutdown::Both);
    }
}

impl Seat {
    /// From now on the connection makes no room for others. Says whether it still has its place.
    pub(super) fn begin_answer(&self) -> bool {
        let mut open = self.connections.lock();
        let own = open.iter_mut().find(|connection| Arc::ptr_eq(&connection.stream, &self.stream));
        own.is_some_and(|own| {
            let stays = own.stage == Stage::Asking;
            own.stage = if stays { Stage::Answered } else { own.stage };
            stays
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.connections.lock().retain(|connection| !Arc::ptr_eq(&connection.stream, &self.stream));
        self.connections.left.notify_one();
    }
}
