//! Seeing how much memory a target takes: no more than the sizes it was given explain.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Much more than a target's chunks explain. bzip2 takes 8 MiB whatever it compresses.
const LIMIT: usize = 16 << 20;

/// What is more than this at once is not to be had, so that a mistake does not take the machine down.
const MOST_AT_ONCE: usize = 1 << 30;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting. What libraries in C take does not come here: libFuzzer's limit is for that.
#[derive(Debug)]
pub struct Counting;

impl Counting {
    /// Whether so much more can be had.
    fn admit(size: usize) -> bool {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        if size > MOST_AT_ONCE {
            return false;
        }
        PEAK.fetch_max(LIVE.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
        true
    }
}

// SAFETY: all is done by the system's allocator, or refused; counting touches no memory that is allocated.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::admit(layout.size()) {
            return core::ptr::null_mut();
        }
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Self::admit(layout.size()) {
            return core::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs something that must not take more memory than targets may. Sees nothing unless the program's allocator is
/// [`Counting`].
pub(crate) fn bounded<R>(run: impl FnOnce() -> R) -> R {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    LARGEST.store(0, Ordering::Relaxed);
    let result = run();
    let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(
        taken <= LIMIT && largest <= LIMIT,
        "{taken} bytes of memory were taken, at most {largest} asked for at once; {LIMIT} are allowed"
    );
    result
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn too_much_memory_is_noticed() {
        let take = |len: usize| bounded(|| drop(black_box(Vec::<u8>::with_capacity(len))));
        take(LIMIT / 2);
        assert!(std::panic::catch_unwind(|| take(LIMIT + 1)).is_err());
        let refused = || bounded(|| assert!(Vec::<u8>::new().try_reserve(MOST_AT_ONCE + 1).is_err()));
        assert!(std::panic::catch_unwind(refused).is_err(), "even asking is too much");
        bounded(|| {});
    }
}
