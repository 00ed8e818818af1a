//! Random reads and writes through windows agree with the bytes they stand for, and cost few system calls.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::AtomicBool;

use super::*;

/// A file in memory that counts calls, and fails to write if told so.
#[derive(Default)]
struct Memory {
    bytes: Mutex<Vec<u8>>,
    reads: AtomicUsize,
    writes: AtomicUsize,
    is_full: AtomicBool,
}

impl ReadAt for Memory {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let bytes = self.bytes.lock().unwrap();
        let from = usize::try_from(offset).unwrap().min(bytes.len());
        let count = target.len().min(bytes.len() - from);
        target.copy_from(&bytes[from..from + count]);
        Ok(count)
    }
}

impl WriteAt for Memory {
    fn write_at(&self, offset: u64, given: &[u8]) -> io::Result<usize> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        if self.is_full.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut bytes = self.bytes.lock().unwrap();
        let (from, to) = (usize::try_from(offset).unwrap(), usize::try_from(offset).unwrap() + given.len());
        if bytes.len() < to {
            bytes.resize(to, 0);
        }
        bytes[from..to].copy_from_slice(given);
        Ok(given.len())
    }
}

impl Memory {
    fn calls(&self) -> (usize, usize) {
        (self.reads.load(Ordering::Relaxed), self.writes.load(Ordering::Relaxed))
    }
}

fn store(length: usize) -> Store<Memory> {
    let memory = Memory::default();
    *memory.bytes.lock().unwrap() = vec![7; length];
    Store::new(memory, length as u64)
}

fn read(windows: &Windows, store: &Store<Memory>, piece: Piece, offset: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0xAA; length];
    windows.read(store, piece, offset, Target::from_slice(&mut bytes)).unwrap();
    bytes
}

thread_local! {
    static SEED: RefCell<u64> = const { RefCell::new(1) };
}

fn random(below: u64) -> u64 {
    SEED.with_borrow_mut(|seed| {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed % below
    })
}

#[test]
fn random_reads_and_writes_agree_with_plain_memory() {
    // Pieces around the sizes where something changes; bytes before and behind them are other objects'.
    for length in [1_u64, 100, WINDOW as u64, WINDOW as u64 + 1, 5 * WINDOW as u64 - 3, 40 * WINDOW as u64] {
        let (before, behind) = (1000, 500);
        let store = store(usize::try_from(before + length + behind).unwrap());
        let piece = Piece { start: before, length };
        let windows = Windows::default();
        let mut plain = vec![7_u8; usize::try_from(length).unwrap()];
        for turn in 0..3000_u64 {
            let from = random(length);
            let longest = if random(50) == 0 { 3 * WINDOW as u64 } else { 200 };
            let count = usize::try_from((random(longest) + 1).min(length - from)).unwrap();
            let range = usize::try_from(from).unwrap()..usize::try_from(from).unwrap() + count;
            match random(8) {
                0..=3 => {
                    let bytes = vec![u8::try_from(turn % 256).unwrap(); count];
                    windows.write(&store, piece, before + from, &bytes).unwrap();
                    plain[range].copy_from_slice(&bytes);
                }
                4..=6 => {
                    assert_eq!(read(&windows, &store, piece, before + from, count), plain[range]);
                }
                _ if random(10) == 0 => {
                    windows.flush(&store).unwrap();
                    assert!(!windows.is_changed());
                    if random(2) == 0 {
                        windows.forget();
                    }
                }
                _ => {}
            }
        }
        windows.flush(&store).unwrap();
        let file = store.file.bytes.lock().unwrap();
        assert!(file[..1000].iter().all(|byte| *byte == 7), "what lies before it is untouched");
        assert_eq!(file[1000..1000 + plain.len()], plain);
        assert!(file[1000 + plain.len()..].iter().all(|byte| *byte == 7), "and what lies behind it");
    }
}

#[test]
fn writes_that_follow_one_another_cost_one_call_for_each_window() {
    let store = store(20 * WINDOW);
    let (windows, piece) = (Windows::default(), Piece { start: 0, length: 20 * WINDOW as u64 });
    for row in 0..(20 * WINDOW / 64) as u64 {
        windows.write(&store, piece, row * 64, &[1; 64]).unwrap();
    }
    windows.flush(&store).unwrap();
    assert_eq!(store.file.calls(), (0, 20), "nothing is read");
}

#[test]
fn neighbours_are_read_together_and_strangers_alone() {
    let store = store(1000 * WINDOW);
    let (windows, piece) = (Windows::default(), Piece { start: 0, length: 1000 * WINDOW as u64 });
    for row in 0..(2 * WINDOW / 64) as u64 {
        read(&windows, &store, piece, row * 64, 64);
    }
    // The first one cannot know that others follow.
    assert_eq!(store.file.calls(), (3, 0));
    for far in 0..10 {
        read(&windows, &store, piece, (100 + far * 50) * WINDOW as u64, 64);
    }
    assert_eq!(store.file.calls(), (13, 0));
    assert!(windows.state().windows.len() <= 3, "none of them is worth a window");
}

#[test]
fn what_cannot_be_written_stays() {
    let store = store(WINDOW);
    let (windows, piece) = (Windows::default(), Piece { start: 0, length: WINDOW as u64 });
    windows.write(&store, piece, 5, b"abc").unwrap();
    store.file.is_full.store(true, Ordering::Relaxed);
    assert!(windows.flush(&store).is_err() && windows.leave(&store).is_err());
    assert!(windows.is_changed());
    store.file.is_full.store(false, Ordering::Relaxed);
    windows.leave(&store).unwrap();
    assert!(windows.state().windows.is_empty());
    assert_eq!(&store.file.bytes.lock().unwrap()[4..9], b"\x07abc\x07");
}

#[test]
fn outside_of_the_file_or_the_piece_is_an_error() {
    let store = store(100);
    let (windows, piece) = (Windows::default(), Piece { start: 10, length: 50 });
    let mut bytes = [0; 4];
    assert!(windows.write(&store, piece, 98, b"abcd").is_err());
    assert!(windows.write(&store, piece, 58, b"abcd").is_err());
    assert!(windows.write(&store, piece, 8, b"abcd").is_err());
    assert!(windows.read(&store, piece, 58, Target::from_slice(&mut bytes)).is_err());
    assert!(windows.read(&store, piece, u64::MAX, Target::from_slice(&mut bytes)).is_err());
}
