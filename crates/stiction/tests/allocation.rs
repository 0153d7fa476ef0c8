//! A step allocates nothing after warm-up.

mod common;

use common::{shipped, simulate};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of the thread that asks for it.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system allocator unchanged; counting touches only a thread-local number.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    for (name, warm_up) in
        [("grasp", 100), ("box_stack", 100), ("sphere_slide", 100), ("belt", 100), ("humanoid", 3000)]
    {
        let mut s = simulate(&shipped(name));
        for _ in 0..warm_up {
            let _ = s.step().unwrap();
        }
        let before = COUNT.with(Cell::get);
        for _ in 0..200 {
            let _ = s.step().unwrap();
        }
        let count = COUNT.with(Cell::get) - before;
        assert_eq!(count, 0, "{name}: {count} allocations in 200 steps");
    }
}
