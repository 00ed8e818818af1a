//! Decoding allocates nothing once the memory for work has been used.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use codecs::Work;
use common::*;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is done by the system's allocator; counting touches no memory that is allocated.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps what `GlobalAlloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn none_in_the_steady_state() {
    let elements: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
    let pipelines = [
        vec![filter(SHUFFLE, &[4]), filter(DEFLATE, &[4]), filter(FLETCHER32, &[])],
        vec![filter(FLETCHER32, &[]), filter(SHUFFLE, &[4]), filter(LZF, &[])],
        vec![filter(DEFLATE, &[1]), filter(ZSTD, &[]), filter(LZ4, &[])],
        vec![filter(SHUFFLE, &[4]), filter(SHUFFLE, &[3])],
    ];
    let mut work = Work::new();
    let mut output = vec![0; elements.len()];
    for filters in pipelines {
        let pipeline = pipeline(&filters);
        let (stored, mask) = encode(&pipeline, &elements).unwrap();
        pipeline.decode(&stored, mask, true, &mut output, &mut work).unwrap();
        pipeline.decode(&stored, mask, true, &mut output, &mut work).unwrap();
        let before = COUNT.get();
        for _ in 0..3 {
            pipeline.decode(&stored, mask, true, &mut output, &mut work).unwrap();
        }
        assert_eq!(COUNT.get(), before, "{filters:?}");
        assert_eq!(output, elements);
    }
}
