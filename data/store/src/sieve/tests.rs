//! Reads through a sieve give the bytes of the file, and reads that follow one another cost few system calls.

use std::io;
use std::sync::atomic::AtomicBool;

use super::*;

/// A file in memory that counts reads.
struct Numbers {
    bytes: Vec<u8>,
    reads: AtomicUsize,
    /// Whether reads fail when they have given something.
    is_broken: AtomicBool,
}

impl ReadAt for Numbers {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let from = usize::try_from(offset).unwrap().min(self.bytes.len());
        let count = target.len().min(self.bytes.len() - from);
        target.copy_from(&self.bytes[from..from + count]);
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(io::Error::other("broken"));
        }
        Ok(count)
    }
}

const END: u64 = 1 << 20;

fn file() -> Store<Numbers> {
    let mut random = 1_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random.to_be_bytes()[0]
    };
    let bytes = (0..END).map(|_| next()).collect();
    Store::new(Numbers { bytes, reads: AtomicUsize::new(0), is_broken: AtomicBool::new(false) }, END)
}

/// How many system calls reads at these places cost; a read that is not served counts as one.
fn cost(piece: Piece, places: impl Iterator<Item = u64>, length: usize) -> usize {
    let (store, sieve) = (file(), Sieve::default());
    let mut alone = 0;
    for place in places {
        let from = usize::try_from(place).unwrap();
        let compare = |bytes: &[u8]| assert_eq!(bytes, &store.file.bytes[from..from + length]);
        alone += usize::from(sieve.read(&store, piece, place, length, compare).is_none());
    }
    alone + store.file.reads.load(Ordering::Relaxed)
}

const ALL: Piece = Piece { start: 0, length: END };

#[test]
fn reads_that_follow_one_another_cost_one_call_for_each_sieve() {
    // The first one is read by itself.
    assert_eq!(cost(ALL, (0..256).map(|row| row * 4096), 64), 1 + 16);
    assert_eq!(cost(ALL, (0..256).map(|row| row * 4096), 4096), 1 + 16);
    assert_eq!(cost(ALL, (0..256).rev().map(|row| row * 4096), 64), 1 + 16);
    assert_eq!(cost(ALL, (0..1000).map(|row| row * 64), 64), 2);
}

#[test]
fn reads_that_jump_are_not_served() {
    let places = (0..100).map(|number| number * 7919 * 64 % (END - 64));
    let (store, sieve) = (file(), Sieve::default());
    let served = places.filter(|place| sieve.read(&store, ALL, *place, 64, |_| ()).is_some()).count();
    assert_eq!((served, store.file.reads.load(Ordering::Relaxed)), (0, 0));
}

#[test]
fn nothing_outside_of_the_piece_is_read() {
    let piece = Piece { start: 1000, length: 3000 };
    assert_eq!(cost(piece, (0..100).map(|number| 1000 + number * 30), 30), 2);
    assert_eq!(cost(piece, (0..100).rev().map(|number| 1000 + number * 30), 30), 2);
    let (store, sieve) = (file(), Sieve::default());
    for (place, length) in [(999, 2), (3999, 2), (u64::MAX, 2), (1000, 3001)] {
        assert!(sieve.read(&store, piece, place, length, |_| ()).is_none());
    }
    assert_eq!(store.file.reads.load(Ordering::Relaxed), 0);
}

#[test]
fn a_piece_that_is_not_all_in_the_file_is_not_served() {
    let piece = Piece { start: END - 100, length: 200 };
    let (store, sieve) = (file(), Sieve::default());
    for place in [END - 100, END - 90, END - 80] {
        assert!(sieve.read(&store, piece, place, 10, |_| ()).is_none());
    }
}

#[test]
fn random_steps_give_the_bytes_of_the_file() {
    let (store, sieve) = (file(), Sieve::default());
    let (mut random, mut place, mut served) = (7_u64, 0_u64, 0);
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = usize::try_from((random >> 33) % 6000 + 1).unwrap();
        let step = (random >> 20) % 9000;
        place = if random >> 62 == 0 { place.saturating_sub(step) } else { place + step } % (END - 6001);
        let from = usize::try_from(place).unwrap();
        let compare = |bytes: &[u8]| assert_eq!(bytes, &store.file.bytes[from..from + length]);
        served += usize::from(sieve.read(&store, ALL, place, length, compare).is_some());
    }
    assert!(served > 10_000, "{served}");
}

#[test]
fn what_a_failed_read_has_overwritten_is_not_used() {
    let (store, sieve) = (file(), Sieve::default());
    let read = |place: u64| {
        let from = usize::try_from(place).unwrap();
        let compare = |bytes: &[u8]| assert_eq!(bytes, &store.file.bytes[from..from + 100]);
        sieve.read(&store, ALL, place, 100, compare)
    };
    assert!(read(0).is_none() && read(100).is_some());
    // The next ones are behind the end of what is there.
    let beyond = SIEVE as u64 + 200;
    assert!(read(beyond).is_none());
    store.file.is_broken.store(true, Ordering::Relaxed);
    assert!(read(beyond + 100).is_none());
    store.file.is_broken.store(false, Ordering::Relaxed);
    assert!(read(200).is_none() && read(300).is_some());
}

#[test]
fn nothing_is_known_behind_the_end_of_what_was_read() {
    let (store, sieve) = (file(), Sieve::default());
    let read = |place: u64, length: usize| {
        let from = usize::try_from(place).unwrap();
        let compare = |bytes: &[u8]| assert_eq!(bytes, &store.file.bytes[from..from + length]);
        sieve.read(&store, ALL, place, length, compare)
    };
    // Something else is in the memory before it is used for the beginning of the file.
    assert!(read(END - 300, 100).is_none() && read(END - 400, 100).is_some());
    // Back from here, so that the sieve is not full.
    assert!(read(300, 100).is_none() && read(200, 100).is_some());
    assert!(read(250, 51).is_some(), "ends one byte behind it");
}

#[test]
fn memory_is_given_back() {
    let before = HELD.load(Ordering::Relaxed);
    let store = file();
    let sieves: Vec<_> = (0..8).map(|_| Sieve::default()).collect();
    for sieve in &sieves {
        let _ = sieve.read(&store, ALL, 0, 64, |_| ());
        sieve.read(&store, ALL, 64, 64, |_| ()).unwrap();
    }
    assert!(HELD.load(Ordering::Relaxed) >= 8 * SIEVE);
    drop(sieves);
    // Other tests have sieves, too.
    assert!(HELD.load(Ordering::Relaxed) < before + 8 * SIEVE);
}
