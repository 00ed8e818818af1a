//! Which reads pieces become.

use std::cell::RefCell;

use selection::{Extent, Selection, pieces};
use store::StoreError;

use super::*;
use crate::memory::Memory;

const GAP: u64 = Costs::LOCAL_FILE.gap;
const DIRECT: u64 = Costs::LOCAL_FILE.direct;
const WINDOW: usize = Costs::LOCAL_FILE.window;

/// Bytes 0, 1, 2, ... 250, 0, 1, ... of any length; remembers what was read, and whether into the window.
#[derive(Default)]
struct Recorder {
    reads: RefCell<Vec<Read>>,
    window: core::cell::Cell<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Read {
    offset: u64,
    length: usize,
    into_window: bool,
}

fn byte(offset: u64) -> u8 {
    u8::try_from(offset % 251).unwrap()
}

impl Origin for Recorder {
    fn costs(&self) -> Costs {
        Costs::LOCAL_FILE
    }

    fn read(&self, offset: u64, mut target: Target<'_>, _: &mut [u8]) -> Result<(), StoreError> {
        let (length, window) = (target.len(), self.window.get());
        let into_window = (window..window + WINDOW).contains(&target.as_ptr().addr());
        self.reads.borrow_mut().push(Read { offset, length, into_window });
        let bytes: Vec<u8> = (offset..offset + length as u64).map(byte).collect();
        target.reborrow().copy_from(&bytes);
        Ok(())
    }
}

/// Reads selections, each with its base, one after another into one buffer; gives the reads.
fn fetch(element: u64, parts: &[(u64, &Selection)]) -> Vec<Read> {
    let total: u64 = parts.iter().map(|(_, file)| file.len()).sum();
    let extent = Extent::new(&[total]).unwrap();
    let mut buffer = vec![0xEE; usize::try_from(total * element).unwrap()];
    let memory = Memory::from_slice(&mut buffer);
    let (mut window, mut bounce) = (vec![0; WINDOW], vec![0; 8192]);
    let recorder = Recorder::default();
    recorder.window.set(window.as_ptr().addr());
    let buffers = Buffers { window: &mut window, bounce: &mut bounce };
    let mut fetch = Fetch::new(&recorder, Delivery::plain(&memory), (element, element), buffers);
    let mut done = 0;
    for (base, file) in parts {
        let to = Selection::tile(&extent, &[done], &[file.len()]).unwrap();
        pieces(file.rows(0..u64::MAX), &to, |piece| fetch.piece(*base, &piece).unwrap()).unwrap();
        done += file.len();
    }
    fetch.flush().unwrap();
    let mut wanted = Vec::new();
    for (base, file) in parts {
        let mut cursor = file.cursor(0);
        while let Some((offset, length)) = cursor.next_run(u64::MAX) {
            wanted.extend((base + offset * element..base + (offset + length) * element).map(byte));
        }
    }
    assert!(buffer == wanted);
    recorder.reads.into_inner()
}

fn slab(extent: &[u64], start: &[u64], stride: &[u64], count: &[u64], block: &[u64]) -> Selection {
    Selection::hyperslab(&Extent::new(extent).unwrap(), start, stride, count, block).unwrap()
}

fn all(length: u64) -> Selection {
    Selection::all(&Extent::new(&[length]).unwrap())
}

#[test]
fn a_run_is_one_read_into_memory() {
    for length in [1, 100, DIRECT / 4, DIRECT, 1_000_000] {
        let bytes = usize::try_from(length * 4).unwrap();
        assert_eq!(
            fetch(4, &[(1000, &all(length))]),
            [Read { offset: 1000, length: bytes, into_window: false }]
        );
    }
}

#[test]
fn every_second_column_reads_each_window_once() {
    let file = slab(&[256, 1024], &[0, 0], &[1, 2], &[256, 512], &[1, 1]);
    let reads = fetch(4, &[(0, &file)]);
    assert_eq!(reads.len(), 8, "1 MiB in windows of 128 KiB");
    for (number, read) in reads.iter().enumerate() {
        assert!(read.into_window);
        assert_eq!(read.offset, (number * WINDOW) as u64);
        assert!(read.length <= WINDOW && read.length >= WINDOW - 4);
    }
}

#[test]
fn a_column_of_a_wide_matrix_is_one_read_for_each_element() {
    let file = slab(&[100, 8192], &[0, 7], &[1, 1], &[100, 1], &[1, 1]);
    let reads = fetch(4, &[(0, &file)]);
    let expected: Vec<_> =
        (0..100).map(|row| Read { offset: row * 32768 + 28, length: 4, into_window: false }).collect();
    assert_eq!(reads, expected);
}

#[test]
fn gaps_up_to_a_page_are_read_over() {
    for (gap, together) in [(1, true), (GAP, true), (GAP + 1, false), (100_000, false)] {
        let file = slab(&[(200 + gap) * 10], &[0], &[200 + gap], &[10], &[200]);
        let reads = fetch(1, &[(5, &file)]);
        assert_eq!(reads.len(), if together { 1 } else { 10 }, "gap {gap}");
        assert!(reads.iter().all(|read| read.into_window == together));
        // As separate selections, the same.
        let parts: Vec<_> = (0..10).map(|turn| (5 + turn * (200 + gap), all(200))).collect();
        let parts: Vec<_> = parts.iter().map(|(base, file)| (*base, file)).collect();
        assert_eq!(fetch(1, &parts), reads);
    }
}

#[test]
fn blocks_are_read_directly_from_some_size_on() {
    for (block, direct) in [(DIRECT - 1, false), (DIRECT, true), (100_000, true)] {
        let file = slab(&[(block + 10) * 6], &[0], &[block + 10], &[6], &[block]);
        let reads = fetch(1, &[(0, &file)]);
        assert_eq!(reads.len(), if direct { 6 } else { 1 });
        assert!(reads.iter().all(|read| read.into_window != direct), "{reads:?}");
    }
}

#[test]
fn windows_are_never_larger_than_the_buffer() {
    let file = slab(&[1_000_000], &[0], &[100], &[10_000], &[99]);
    let reads = fetch(1, &[(3, &file)]);
    assert_eq!(reads.len(), 1_000_000_usize.div_ceil(WINDOW));
    assert!(reads.iter().all(|read| read.length <= WINDOW && read.into_window));
    assert!(reads.windows(2).all(|pair| pair[0].offset + pair[0].length as u64 <= pair[1].offset));
}

#[test]
fn neighbouring_small_chunks_are_read_together() {
    // Tiles of 8 x 8 from chunks of 8 x 16, side by side in the file.
    let tile = slab(&[8, 16], &[0, 4], &[1, 1], &[8, 8], &[1, 1]);
    let parts: Vec<_> = (0..20).map(|number| (number * 512, &tile)).collect();
    assert_eq!(fetch(4, &parts), [Read { offset: 16, length: 20 * 512 - 32, into_window: true }]);
    // Whole chunks one after another on both sides need no window.
    let chunk = all(1000);
    let parts: Vec<_> = (0..20).map(|number| (number * 4000, &chunk)).collect();
    assert_eq!(fetch(4, &parts), [Read { offset: 0, length: 80_000, into_window: false }]);
    // Chunks far apart are not.
    let parts: Vec<_> = (0..20).map(|number| (number * 10_000, &tile)).collect();
    assert_eq!(fetch(4, &parts).len(), 20);
}

#[test]
fn what_goes_back_in_the_file_is_correct() {
    let chunk = all(10);
    let reads = fetch(4, &[(1000, &chunk), (0, &chunk), (40, &chunk), (9000, &chunk), (1000, &chunk)]);
    assert_eq!(reads.len(), 4);
}

#[test]
fn repeated_points_are_read_once() {
    let extent = Extent::new(&[1000]).unwrap();
    let points = Selection::points(&extent, &[5, 5, 5, 6, 7, 7, 100, 100]).unwrap();
    assert_eq!(fetch(8, &[(0, &points)]), [Read { offset: 40, length: 768, into_window: true }]);
    // One that lies inside an earlier run, and one behind both.
    let points = Selection::points(&extent, &[10, 11, 12, 13, 14, 11, 40]).unwrap();
    assert_eq!(fetch(8, &[(0, &points)]), [Read { offset: 80, length: 248, into_window: true }]);
    let points = Selection::points(&extent, &[10, 11, 12, 13, 14, 11]).unwrap();
    assert_eq!(fetch(8, &[(0, &points)]), [Read { offset: 80, length: 40, into_window: true }]);
}

#[test]
fn elements_of_no_bytes() {
    assert!(fetch(0, &[(5, &all(10)), (5, &all(3))]).iter().all(|read| read.length == 0));
}

#[test]
fn positions_that_do_not_fit_are_an_error() {
    let mut buffer = [0; 8];
    let memory = Memory::from_slice(&mut buffer);
    let recorder = Recorder::default();
    let piece = |file: u64, memory: u64, stride: u64, count: u64| Piece {
        file,
        file_stride: stride,
        memory,
        memory_stride: 1,
        block: 1,
        count,
    };
    for (base, piece) in [
        (u64::MAX, piece(0, 0, 1, 1)),
        (0, piece(u64::MAX / 4, 0, 1, 1)),
        (0, piece(0, u64::MAX / 4, 1, 1)),
        (0, piece(0, 0, u64::MAX / 8, 9)),
        (0, piece(0, 0, u64::MAX, 2)),
    ] {
        let buffers = Buffers { window: &mut vec![0; 20_000], bounce: &mut [] };
        let mut fetch = Fetch::new(&recorder, Delivery::plain(&memory), (8, 8), buffers);
        assert!(matches!(fetch.piece(base, &piece), Err(MoveError::Overflow)), "{base} {piece:?}");
    }
    assert!(recorder.reads.borrow().is_empty());
}
