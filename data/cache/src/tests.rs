//! What the cache promises, with real threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use crate::state::{SMALLEST_SPARE, SPARE_BYTES};
use crate::{Cache, Key, OutOfMemory, Shared};

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
fn what_is_begun_is_nobody_elses() {
    let cache = Cache::new(100);
    let mut begun = cache.try_begin(key(1), 10).unwrap().unwrap();
    assert!(cache.try_begin(key(1), 10).unwrap().is_none() && cache.get(key(1)).is_none());
    // Another one meanwhile, which comes to nothing: then anybody may begin it.
    drop(cache.try_begin(key(2), 10).unwrap().unwrap());
    drop(cache.try_begin(key(2), 10).unwrap().unwrap());
    begun.buffer().fill(7);
    assert_eq!(begun.finish().as_slice(), [7; 10]);
    assert_eq!(cache.get(key(1)).unwrap().as_slice(), [7; 10]);
    assert!(cache.try_begin(key(1), 10).unwrap().is_none());
    assert_eq!(cache.try_begin(key(3), usize::MAX).unwrap_err(), OutOfMemory { bytes: usize::MAX });
    assert!(cache.try_begin(key(3), 10).unwrap().is_some());
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

/// Something that is done to a chunk while it is being decoded.
type Change = fn(&Cache);

#[test]
fn what_is_decoded_while_its_chunk_changes_is_not_kept() {
    let changes: [(Change, Option<[u8; 10]>); 5] = [
        (|cache| cache.remove(key(1)), None),
        (|cache| cache.forget(1), None),
        (|cache| cache.put(key(1), Arc::new(vec![8; 10])), Some([8; 10])),
        // Another begins after the chunk was dropped, and is done first.
        (
            |cache| {
                cache.remove(key(1));
                put(cache, 1, 10);
            },
            Some([1; 10]),
        ),
        (
            |cache| {
                cache.forget(1);
                put(cache, 1, 10);
            },
            Some([1; 10]),
        ),
    ];
    for (change, after) in changes {
        for fails in [false, true] {
            let cache = Cache::new(100);
            let bytes = cache.get_or_decode(key(1), 10, |buffer| {
                change(&cache);
                buffer.fill(7);
                if fails { Err(Failure::Decoding) } else { Ok(()) }
            });
            assert_eq!(bytes.is_err(), fails);
            assert!(bytes.is_ok_and(|bytes| bytes.as_slice() == [7; 10]) || fails);
            assert_eq!(cache.get(key(1)).map(|bytes| bytes.to_vec()), after.map(|bytes| bytes.to_vec()));
            assert_eq!(cache.bytes(), after.map_or(0, |bytes| bytes.len()));
        }
    }
}

#[test]
fn an_old_decode_does_not_end_a_new_one() {
    let cache = Cache::new(100);
    let (began, go_on) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        let old = || {
            cache.get_or_decode(key(1), 10, |buffer| {
                began.wait();
                go_on.wait();
                buffer.fill(1);
                Ok::<(), Failure>(())
            })
        };
        let old = scope.spawn(old);
        began.wait();
        cache.remove(key(1));
        let new = cache.get_or_decode(key(1), 10, |buffer| {
            go_on.wait();
            // The old one ends while this one is at work.
            assert_eq!(old.join().unwrap().unwrap().as_slice(), [1; 10]);
            assert!(cache.get(key(1)).is_none());
            buffer.fill(2);
            Ok::<(), Failure>(())
        });
        assert_eq!(new.unwrap().as_slice(), [2; 10]);
    });
    assert_eq!(cache.get(key(1)).unwrap().as_slice(), [2; 10]);
    assert_eq!(cache.bytes(), 10);
}

#[test]
fn chunks_are_put_in_replaced_and_dropped() {
    let cache = Cache::new(100);
    cache.put(key(1), Arc::new(vec![1; 40]));
    cache.put(key(1), Arc::new(vec![2; 50]));
    assert_eq!((cache.get(key(1)).unwrap().as_slice(), cache.bytes()), (&[2; 50][..], 50));
    cache.put(key(2), Arc::new(vec![3; 50]));
    assert_eq!(cache.bytes(), 100);
    cache.remove(key(1));
    cache.remove(key(7));
    cache.remove(Key { dataset: 9, chunk: 1 });
    assert!(cache.get(key(1)).is_none());
    assert_eq!(cache.bytes(), 50);
    // Too large, so the old one goes and nothing else does.
    cache.put(key(2), Arc::new(vec![4; 30]));
    cache.put(key(3), Arc::new(vec![5; 20]));
    cache.put(key(2), Arc::new(vec![6; 101]));
    assert!(cache.get(key(2)).is_none());
    assert_eq!((cache.get(key(3)).unwrap().as_slice(), cache.bytes()), (&[5; 20][..], 20));
    for chunk in 10..30 {
        cache.put(key(chunk), Arc::new(vec![0; 30]));
        assert!(cache.bytes() <= 100);
    }
}

#[test]
fn one_chunk_replaced_again_and_again_leaves_nothing() {
    let cache = Cache::new(1000);
    put(&cache, 1, 10);
    for round in 0..10_000 {
        match round % 3 {
            0 => cache.put(key(2), Arc::new(vec![0; 10])),
            1 => cache.remove(key(2)),
            _ => put(&cache, 2, 10),
        }
    }
    assert!(cache.entries_in_clock() < 100);
    cache.set_capacity(10);
    assert_eq!(cache.bytes(), 10);
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
fn memory_of_chunks_that_went_serves_the_next_ones_within_limits() {
    let cache = Cache::new(8 * SPARE_BYTES);
    let read = |dataset, chunk, length| {
        let decoded = cache.get_or_decode(Key { dataset, chunk }, length, |_| Ok::<(), Failure>(()));
        decoded.unwrap().as_ptr()
    };
    let first = read(1, 0, SMALLEST_SPARE);
    cache.forget(1);
    assert_eq!(cache.spare_bytes(), SMALLEST_SPARE);
    assert_eq!(read(2, 0, SMALLEST_SPARE), first);
    assert_eq!(cache.spare_bytes(), 0);
    // Not what somebody still reads, nor small ones, nor more than is kept.
    let held = cache.get(Key { dataset: 2, chunk: 0 });
    read(2, 1, SMALLEST_SPARE - 1);
    cache.forget(2);
    assert_eq!((cache.spare_bytes(), held.unwrap().len()), (0, SMALLEST_SPARE));
    for chunk in 0..5 {
        read(3, chunk, SPARE_BYTES / 4);
    }
    cache.forget(3);
    assert_eq!(cache.spare_bytes(), SPARE_BYTES);
    // One of another size makes room.
    read(4, 0, SMALLEST_SPARE);
    assert_eq!(cache.spare_bytes(), SPARE_BYTES / 4 * 3);
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

#[test]
fn a_forked_child_gets_another_cache_if_the_lock_is_lost() {
    let shared = Shared::new(100);
    let key = Key { dataset: 1, chunk: 2 };
    shared.get().put(key, Arc::new(vec![3; 10]));
    assert!(shared.get().get(key).is_some());
    // Nobody uses it: it begins again, empty.
    shared.after_fork_in_child();
    assert!(shared.get().get(key).is_none());
    shared.set_capacity(50);
    assert_eq!(shared.get().capacity(), 50);
    let before = core::ptr::from_ref(shared.get());
    shared.get().while_locked(|| shared.after_fork_in_child());
    assert!(!core::ptr::eq(before, shared.get()));
    assert_eq!(shared.get().capacity(), 50, "another one of the same size");
}
