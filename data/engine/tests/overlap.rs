//! Parts that go to the same memory come one after another: the last one stays.

mod common;

use common::Bytes;
use engine::{Engine, Fill, Layout, Memory, Part, Request, Source};
use pool::Pool;
use selection::{Extent, Selection};

/// Parts whose memory is the same `length` bytes, at different bases of the file.
fn read(source: &Source, bases: &[u64], length: u64, buffer: &mut [u8], threads: usize) {
    let all = Selection::all(&Extent::new(&[length]).unwrap());
    let address = buffer.as_mut_ptr();
    let part = |&base| Part {
        source,
        layout: Layout::Contiguous(base),
        element: 1,
        conversion: None,
        file: all.clone(),
        file_in_order: true,
        memory_selection: all.clone(),
        // SAFETY: not exclusive among the parts, which is the point: the engine takes one after another.
        memory: unsafe { Memory::new(address, buffer.len()) },
        fill: Fill::Untouched,
    };
    let mut request = Request { parts: bases.iter().map(part).collect() };
    Engine::new(&Pool::new(threads)).read(&mut request).unwrap();
}

#[test]
fn the_last_part_stays_whatever_the_order_in_the_file() {
    let file = Bytes::new(8 << 20, 0);
    for length in [100, 3 << 20] {
        for bases in [[5 << 20, 77, 4 << 20], [0, 2 << 20, 1 << 20], [3 << 20, 2 << 20, 1000]] {
            for threads in [1, 2, 4] {
                let mut buffer = vec![0; common::size(length)];
                read(&file.source(), &bases, length, &mut buffer, threads);
                assert!(
                    buffer == file.bytes[common::size(bases[2])..][..buffer.len()],
                    "{bases:?}, {threads}"
                );
            }
        }
    }
}

#[test]
fn a_part_that_overlaps_another_in_part() {
    let file = Bytes::new(4 << 20, 0);
    let source = file.source();
    let mut buffer = vec![0; 3 << 20];
    let address = buffer.as_mut_ptr();
    let extent = Extent::new(&[3 << 20]).unwrap();
    let tile = |start: u64, size: u64| Selection::tile(&extent, &[start], &[size]).unwrap();
    let part = |base: u64, to: Selection| Part {
        source: &source,
        layout: Layout::Contiguous(base),
        element: 1,
        conversion: None,
        file: Selection::all(&Extent::new(&[to.len()]).unwrap()),
        file_in_order: true,
        memory_selection: to,
        // SAFETY: as above.
        memory: unsafe { Memory::new(address, 3 << 20) },
        fill: Fill::Untouched,
    };
    let mut request =
        Request { parts: vec![part(2 << 20, tile(0, 2 << 20)), part(0, tile(1 << 20, 2 << 20))] };
    Engine::new(&Pool::new(4)).read(&mut request).unwrap();
    assert!(buffer[..1 << 20] == file.bytes[2 << 20..3 << 20]);
    assert!(buffer[1 << 20..] == file.bytes[..2 << 20]);
}
