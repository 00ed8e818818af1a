//! Which writes pieces become.

use std::cell::RefCell;
use std::sync::Arc;

use convert::{Bits, Class, Datatype, HostTraits, Integer, Member, Order, Pad};
use selection::{ChunkGrid, Extent, pieces};
use store::StoreError;

use super::*;
use crate::request::Converted;
use crate::source::Origin;

const DIRECT: u64 = Costs::LOCAL_FILE.direct;
const WINDOW: usize = Costs::LOCAL_FILE.window;

/// A file in memory that remembers what was read and written.
struct Recorder {
    bytes: RefCell<Vec<u8>>,
    calls: RefCell<Vec<Call>>,
    /// The application's memory.
    memory: core::ops::Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read(u64, usize),
    /// From a window, or straight from memory.
    Write(u64, usize),
    Direct(u64, usize),
}

impl Origin for Recorder {
    fn costs(&self) -> Costs {
        Costs::LOCAL_FILE
    }

    fn read(&self, offset: u64, target: Target<'_>, _: &mut [u8]) -> Result<(), StoreError> {
        self.calls.borrow_mut().push(Call::Read(offset, target.len()));
        let length = target.len();
        target.copy_from(&self.bytes.borrow()[usize::try_from(offset).unwrap()..][..length]);
        Ok(())
    }
}

impl Sink for Recorder {
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let is_direct = self.memory.contains(&bytes.as_ptr().addr());
        let call = if is_direct { Call::Direct } else { Call::Write };
        self.calls.borrow_mut().push(call(offset, bytes.len()));
        self.bytes.borrow_mut()[usize::try_from(offset).unwrap()..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

const FILE: usize = 1 << 20;

fn old(offset: usize) -> u8 {
    u8::try_from(offset % 251).unwrap()
}

fn part(element: u64, conversion: Option<Arc<Converted>>, file: Selection, memory: &[u8]) -> WritePart<'_> {
    let memory_selection = Selection::all(&Extent::new(&[file.len()]).unwrap());
    WritePart { element, conversion, file, file_in_order: true, memory_selection, memory }
}

/// Writes a part at `base` and gives the calls. The memory's bytes must all differ from the file's.
fn deposit(part: &WritePart<'_>, base: u64, chunks: Option<(&ChunkGrid, &[u64])>) -> Vec<Call> {
    let addresses = part.memory.as_ptr_range();
    let recorder = Recorder {
        bytes: RefCell::new((0..FILE).map(old).collect()),
        calls: RefCell::default(),
        memory: addresses.start.addr()..addresses.end.addr(),
    };
    let (mut window, mut gathered, mut converted) = (vec![0xDD; WINDOW], vec![0; 65536], vec![0; 65536]);
    let buffers = Buffers { window: &mut window, gathered: &mut gathered, converted: &mut converted };
    let mut deposit = Deposit::new(&recorder, part, buffers);
    let mut places = Vec::new();
    match chunks {
        None => {
            deposit.within_box_of(base, &part.file);
            let rows = part.file.rows(0..u64::MAX);
            pieces(rows, &part.memory_selection, |piece| deposit.piece(base, &piece).unwrap()).unwrap();
            let mut cursor = part.file.cursor(0);
            while let Some((offset, _)) = cursor.next_run(1) {
                places.push(base + offset * part.element);
            }
        }
        Some((grid, addresses)) => {
            let touched = grid.touched(&part.file).unwrap();
            for (chunk, address) in touched.iter().zip(addresses) {
                deposit.enter(&chunk);
                let local = touched.local(&chunk);
                pieces(local.rows(), &part.memory_selection, |piece| {
                    deposit.piece(*address, &piece).unwrap();
                    for block in 0..piece.count {
                        let first = piece.file + block * piece.file_stride;
                        places.extend((first..first + piece.block).map(|at| address + at * part.element));
                    }
                })
                .unwrap();
            }
        }
    }
    deposit.flush().unwrap();
    let mut is_written = vec![false; FILE];
    for place in places {
        let place = usize::try_from(place).unwrap();
        is_written[place..place + usize::try_from(part.element).unwrap()].fill(true);
    }
    if part.conversion.is_none() {
        for (at, byte) in recorder.bytes.borrow().iter().enumerate() {
            assert_eq!(*byte == 255, is_written[at], "byte {at}");
            assert!(*byte == 255 || *byte == old(at), "byte {at}");
        }
    }
    recorder.calls.into_inner()
}

fn slab(extent: &[u64], start: &[u64], stride: &[u64], count: &[u64], block: &[u64]) -> Selection {
    Selection::hyperslab(&Extent::new(extent).unwrap(), start, stride, count, block).unwrap()
}

fn writes(element: u64, file: Selection) -> Vec<Call> {
    let memory = vec![255; usize::try_from(file.len() * element).unwrap()];
    deposit(&part(element, None, file, &memory), 100, None)
}

#[test]
fn a_run_is_one_write_from_memory() {
    for length in [1, 100, DIRECT / 4, 200_000] {
        let file = Selection::all(&Extent::new(&[length]).unwrap());
        assert_eq!(writes(4, file), [Call::Direct(100, usize::try_from(length * 4).unwrap())]);
    }
    // Rows of a band are one run.
    let band = slab(&[100, 50], &[10, 0], &[1, 1], &[20, 50], &[1, 1]);
    assert_eq!(writes(8, band), [Call::Direct(100 + 10 * 50 * 8, 20 * 50 * 8)]);
    // Large blocks do not wait for each other.
    let tile = slab(&[4, 20_000], &[0, 10], &[1, 1], &[3, 19_000], &[1, 1]);
    let calls: Vec<_> = (0..3).map(|row| Call::Direct(110 + row * 20_000, 19_000)).collect();
    assert_eq!(writes(1, tile), calls);
}

#[test]
fn what_is_scattered_in_memory_is_written_together() {
    let file = Selection::all(&Extent::new(&[1000]).unwrap());
    let memory = vec![255; 8000];
    let mut scattered = part(4, None, file, &memory);
    scattered.memory_selection = slab(&[1000, 2], &[0, 1], &[1, 1], &[1000, 1], &[1, 1]);
    assert_eq!(deposit(&scattered, 100, None), [Call::Write(100, 4000)]);
    let backwards: Vec<u64> = (0..1000).rev().collect();
    scattered.memory_selection = Selection::points(&Extent::new(&[1000]).unwrap(), &backwards).unwrap();
    assert_eq!(deposit(&scattered, 100, None), [Call::Write(100, 4000)]);
}

#[test]
fn dense_blocks_are_sieved_and_sparse_ones_are_not() {
    let strided = |stride: u64| slab(&[500_000], &[5], &[stride], &[20], &[4]);
    // From the first to the last byte, not more.
    assert_eq!(writes(1, strided(8)), [Call::Read(105, 19 * 8 + 4), Call::Write(105, 19 * 8 + 4)]);
    let together = 19 * 3000 + 4;
    assert_eq!(writes(1, strided(3000)), [Call::Read(105, together), Call::Write(105, together)]);
    // As many as the window has room for at a time.
    let most = 18 * 7000 + 4;
    let calls = [Call::Read(105, most), Call::Write(105, most), Call::Direct(105 + 19 * 7000, 4)];
    assert_eq!(writes(1, strided(7000)), calls);
    let far = writes(1, strided(20_999));
    let is_small = |call: &Call| matches!(call, Call::Direct(_, 4) | Call::Write(_, 4));
    assert_eq!(far.iter().filter(|call| is_small(call)).count(), 20, "{far:?}");
    // Two that are not small are not worth reading what lies between.
    let two = slab(&[100_000], &[5], &[15_000], &[2], &[4000]);
    assert_eq!(writes(1, two), [Call::Write(105, 4000), Call::Write(15_105, 4000)]);
}

#[test]
fn more_than_a_window_is_several() {
    let calls = writes(1, slab(&[900_000], &[0], &[4], &[100_000], &[3]));
    let read: usize =
        calls.iter().map(|call| if let Call::Read(_, length) = call { *length } else { 0 }).sum();
    assert!((399_000..=399_999).contains(&read), "{read}");
    assert_eq!(calls.len(), 8);
}

#[test]
fn bytes_outside_of_the_box_are_never_written_back() {
    // Every second column of the left half: a window has several rows, each is written by itself.
    let left = slab(&[10, 200], &[0, 0], &[1, 2], &[10, 50], &[1, 1]);
    let calls = writes(2, left);
    let rows: Vec<_> = (0..10).map(|row| Call::Write(100 + row * 400, 198)).collect();
    assert_eq!(calls[0], Call::Read(100, 9 * 400 + 198));
    assert_eq!(calls[1..], rows);
    // The middle columns of each plane, all rows of some planes.
    let columns = slab(&[3, 10, 200], &[0, 0, 50], &[2, 1, 1], &[2, 10, 100], &[1, 1, 1]);
    let calls = writes(1, columns);
    assert_eq!(calls.len(), 20);
    assert!(calls.iter().all(|call| matches!(call, Call::Write(_, 100) | Call::Direct(_, 100))));
    // The last dimensions are covered: all between the first and the last row is inside of the box.
    let rows = slab(&[50, 20], &[1, 0], &[2, 1], &[20, 20], &[1, 1]);
    assert_eq!(writes(1, rows), [Call::Read(120, 38 * 20 + 20), Call::Write(120, 38 * 20 + 20)]);
}

#[test]
fn a_chunk_is_claimed_whole_but_not_what_lies_between_chunks() {
    let extent = Extent::new(&[20, 20]).unwrap();
    let grid = ChunkGrid::new(&extent, &[10, 10]).unwrap();
    let every_second = || slab(&[20, 20], &[0, 0], &[1, 2], &[20, 10], &[1, 1]);
    let memory = vec![255; 200];
    let in_chunks = |file: Selection, addresses: &[u64]| {
        deposit(&part(1, None, file, &memory), 0, Some((&grid, addresses)))
    };
    let apart = in_chunks(every_second(), &[0, 200, 400, 100_000]);
    assert_eq!(
        apart,
        [
            Call::Read(0, 499),
            Call::Write(0, 99),
            Call::Write(200, 99),
            Call::Write(400, 99),
            Call::Read(100_000, 99),
            Call::Write(100_000, 99)
        ]
    );
    let odd = slab(&[20, 20], &[0, 1], &[1, 2], &[20, 10], &[1, 1]);
    // Side by side, but the first byte of each chunk is not written: it is the next chunk's own.
    let next = in_chunks(odd, &[0, 100, 200, 300]);
    assert_eq!(next[0], Call::Read(1, 399));
    assert_eq!(next[1..], [0, 100, 200, 300].map(|at| Call::Write(at + 1, 99)));
    let tops = slab(&[20, 20], &[0, 0], &[10, 1], &[2, 20], &[10, 1]);
    let memory = vec![255; 400];
    let whole = deposit(&part(1, None, tops, &memory), 0, Some((&grid, &[0, 100, 200, 300])));
    assert_eq!(whole, [Call::Write(0, 400)]);
}

#[test]
fn elements_of_which_only_a_part_is_written_are_read_first() {
    let integer = |size: usize| {
        let bits = Bits {
            order: Order::Little,
            precision: size * 8,
            offset: 0,
            low_pad: Pad::Zero,
            high_pad: Pad::Zero,
        };
        Datatype { size, class: Class::Integer(Integer { bits, signed: false }) }
    };
    let member = |name: &str, offset| Member { name: name.to_owned(), offset, datatype: integer(2) };
    let compound = |size, members| Datatype { size, class: Class::Compound(members) };
    let file_type = compound(8, vec![member("a", 1), member("b", 4)]);
    let memory_type = compound(2, vec![member("b", 0)]);
    let host = HostTraits { native_half: true, keeps_denormal_flag: false };
    let conversion = Conversion::new(&memory_type, &file_type, host).unwrap();
    let converted = Arc::new(Converted { conversion, element: 2 });
    let memory = vec![255; 2000];
    let run = Selection::all(&Extent::new(&[1000]).unwrap());
    let calls = deposit(&part(8, Some(Arc::clone(&converted)), run, &memory), 100, None);
    assert_eq!(calls, [Call::Read(100, 8000), Call::Write(100, 8000)]);
    let sparse = slab(&[10_000], &[0], &[400], &[3], &[1]);
    let calls = deposit(&part(8, Some(Arc::clone(&converted)), sparse, &memory), 100, None);
    assert_eq!(calls, [Call::Read(100, 6408), Call::Write(100, 6408)]);
    let column = slab(&[3, 400], &[0, 7], &[1, 1], &[3, 1], &[1, 1]);
    let calls = deposit(&part(8, Some(converted), column, &memory), 100, None);
    assert_eq!(calls[0], Call::Read(156, 6408));
    assert_eq!(calls[1..], [156, 3356, 6556].map(|at| Call::Write(at, 8)));
}

#[test]
fn positions_that_do_not_fit() {
    let memory = [255; 100];
    let file = Selection::all(&Extent::new(&[10]).unwrap());
    let part = part(8, None, file, &memory);
    let recorder = Recorder { bytes: RefCell::default(), calls: RefCell::default(), memory: 0..0 };
    let (mut window, mut other) = (vec![0; WINDOW], [vec![], vec![]]);
    let [gathered, converted] = &mut other;
    let mut deposit = Deposit::new(&recorder, &part, Buffers { window: &mut window, gathered, converted });
    let piece = Piece { file: 1, file_stride: 2, memory: 0, memory_stride: 1, block: 1, count: 5 };
    for base in [u64::MAX, u64::MAX - 79] {
        assert!(matches!(deposit.piece(base, &piece), Err(MoveError::Overflow)), "{base}");
    }
}
