//! What the cache promises, with real threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{Cache, Key, OutOfMemory};

fn key(chunk: u64) -> Key {
    Key { dataset: 1, chunk }
}

#[derive(Debug, PartialEq)]
enum Failure {
    Decoding,
    Memory,
}

impl From<OutOfMemory> for Failure {
    fn from(_: OutOfMemory) -> Self {
        Self::Memory
    }
}

/// Puts a chunk of this many bytes in, each of them the chunk's number; panics if it has to wait or is there.
fn put(cache: &Cache, chunk: u8, length: usize) {
    let mut decoded = false;
    let bytes = cache.get_or_decode(key(chunk.into()), length, |buffer| {
        decoded = true;
        buffer.fill(chunk);
        Ok::<(), Failure>(())
    });
    assert!(decoded && bytes.unwrap().iter().all(|&byte| byte == chunk));
}

#[test]
fn what_was_decoded_is_there() {
    let cache = Cache::new(100);
    put(&cache, 1, 10);
    assert_eq!(cache.get(key(1)).unwrap().as_slice(), [1; 10]);
    let again = cache.get_or_decode(key(1), 10, |_| Err(Failure::Decoding));
    assert_eq!(again.unwrap().as_slice(), [1; 10]);
    assert!(cache.get(key(2)).is_none());
    assert!(cache.get(Key { dataset: 2, chunk: 1 }).is_none());
}

#[test]
fn bytes_are_bounded_and_the_used_ones_stay() {
    let cache = Cache::new(100);
    for chunk in 0..10 {
        put(&cache, chunk, 10);
    }
    assert_eq!(cache.bytes(), 100);
    assert!(cache.get(key(0)).is_some());
    for chunk in 10..14 {
        put(&cache, chunk, 10);
        assert!(cache.bytes() <= 100);
    }
    assert!(cache.get(key(0)).is_some(), "it was used");
    assert!((1..5).all(|chunk| cache.get(key(chunk)).is_none()), "they were not");
    cache.set_capacity(20);
    assert_eq!(cache.bytes(), 20);
}

#[test]
fn a_chunk_larger_than_the_cache_is_given_but_not_kept() {
    let cache = Cache::new(100);
    put(&cache, 1, 1000);
    assert!(cache.get(key(1)).is_none());
    assert_eq!(cache.bytes(), 0);
    // A buffer that was used before has the right length all the same.
    put(&cache, 2, 7);
    put(&cache, 3, 90);
    put(&cache, 4, 60);
}

#[test]
fn failures_are_not_kept() {
    let cache = Cache::new(100);
    let failed = cache.get_or_decode(key(1), 10, |_| Err(Failure::Decoding));
    assert_eq!(failed.unwrap_err(), Failure::Decoding);
    let failed = cache.get_or_decode(key(1), isize::MAX.unsigned_abs(), |_| Ok::<(), Failure>(()));
    assert_eq!(failed.unwrap_err(), Failure::Memory);
    let panicked = std::panic::catch_unwind(|| cache.get_or_decode::<Failure>(key(1), 10, |_| panic!("oh")));
    assert!(panicked.is_err());
    put(&cache, 1, 10);
}

#[test]
fn a_dataset_is_forgotten_and_the_others_are_not() {
    let cache = Cache::new(100);
    put(&cache, 1, 10);
    let other = Key { dataset: 2, chunk: 1 };
    cache.get_or_decode(other, 5, |_| Ok::<(), Failure>(())).unwrap();
    cache.forget(1);
    assert!(cache.get(key(1)).is_none());
    assert!(cache.get(other).is_some());
    assert_eq!(cache.bytes(), 5);
}

#[test]
fn what_is_decoded_while_its_dataset_is_forgotten_is_not_kept() {
    let cache = Cache::new(100);
    let bytes = cache.get_or_decode(key(1), 10, |buffer| {
        cache.forget(1);
        buffer.fill(7);
        Ok::<(), Failure>(())
    });
    assert_eq!(bytes.unwrap().as_slice(), [7; 10]);
    assert!(cache.get(key(1)).is_none());
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn datasets_that_come_and_go_leave_nothing() {
    let cache = Cache::new(1000);
    for dataset in 0..1000 {
        for chunk in 0..3 {
            cache.get_or_decode(Key { dataset, chunk }, 5, |_| Ok::<(), Failure>(())).unwrap();
        }
        if dataset > 0 {
            cache.forget(dataset - 1);
        }
        assert_eq!(cache.bytes(), 15);
    }
    cache.set_capacity(10);
    assert_eq!(cache.bytes(), 10);
}

#[test]
fn many_threads_decode_each_chunk_once() {
    let cache = Cache::new(1 << 20);
    let decoded = AtomicUsize::new(0);
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                for chunk in 0..100_u8 {
                    let bytes = cache.get_or_decode(key(chunk.into()), 64, |buffer| {
                        decoded.fetch_add(1, Ordering::Relaxed);
                        thread::yield_now();
                        buffer.fill(chunk);
                        Ok::<(), Failure>(())
                    });
                    assert_eq!(bytes.unwrap().as_slice(), [chunk; 64]);
                }
            });
        }
    });
    assert_eq!(decoded.into_inner(), 100);
}

#[test]
fn a_child_begins_empty() {
    let cache = Cache::new(100);
    put(&cache, 1, 10);
    assert!(cache.after_fork_in_child());
    assert_eq!(cache.bytes(), 0);
    put(&cache, 1, 10);
    let lost = cache.get_or_decode(key(2), 10, |_| {
        assert!(cache.after_fork_in_child(), "nobody holds the lock while decoding");
        Ok::<(), Failure>(())
    });
    assert!(lost.is_ok());
    put(&cache, 2, 10);
}
