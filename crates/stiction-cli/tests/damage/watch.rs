//! How long a file takes, and how much memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::any::Any;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A file that takes longer than this never ends.
const NEVER: Duration = Duration::from_secs(60);

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, with how much each thread holds, and held at most.
struct Counting;

fn count(change: isize) {
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call is passed on to the system allocator unchanged; the counters allocate nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What came of a piece of work.
pub struct Watched<T> {
    /// Nothing if it panicked.
    pub outcome: Result<T, Box<dyn Any + Send>>,
    pub time: Duration,
    /// Bytes held at once.
    pub memory: usize,
}

/// Does the work, and ends the process with a message if it does not end.
pub fn watch<T>(what: &str, index: usize, work: impl FnOnce() -> T) -> Watched<T> {
    let (done, ended) = channel::<()>();
    let name = format!("{what} {index}");
    let watching = std::thread::spawn(move || {
        if ended.recv_timeout(NEVER) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{name} does not end");
            std::process::abort();
        }
    });
    let held = HELD.get();
    MOST.set(held);
    let start = Instant::now();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    let time = start.elapsed();
    let memory = (MOST.get() - held).unsigned_abs();
    drop(done);
    let _ = watching.join();
    Watched { outcome, time, memory }
}

/// A folder of this test's own.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damage").join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn memory_is_what_is_held_at_once() {
    let watched = watch("memory", 0, || {
        for _ in 0..3 {
            drop(std::hint::black_box(vec![1_u8; 1_000_000]));
        }
        std::hint::black_box(vec![0_u8; 2_000_000]).len()
    });
    assert!((2_000_000..2_100_000).contains(&watched.memory), "{}", watched.memory);
}
