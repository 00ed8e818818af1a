//! The single flight under many schedules.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::thread;

use crate::{Cache, Key, OutOfMemory};

const KEY: Key = Key { dataset: 1, chunk: 1 };

#[derive(Debug)]
struct Failure;

impl From<OutOfMemory> for Failure {
    fn from(_: OutOfMemory) -> Self {
        Self
    }
}

/// Three threads want one chunk; the first decoder may fail, and a fourth thread forgets the dataset meanwhile.
fn scenario(first_fails: bool, forgetting: bool) {
    let cache = Arc::new(Cache::new(100));
    let decoded = Arc::new(AtomicUsize::new(0));
    let mut threads: Vec<_> = (0..3)
        .map(|_| {
            let (cache, decoded) = (Arc::clone(&cache), Arc::clone(&decoded));
            thread::spawn(move || {
                let outcome = cache.get_or_decode(KEY, 4, |buffer| {
                    let before = decoded.fetch_add(1, Ordering::SeqCst);
                    thread::yield_now();
                    if first_fails && before == 0 {
                        return Err(Failure);
                    }
                    buffer.fill(9);
                    Ok(())
                });
                outcome.is_ok_and(|bytes| {
                    assert_eq!(bytes.as_slice(), [9; 4]);
                    true
                })
            })
        })
        .collect();
    if forgetting {
        let cache = Arc::clone(&cache);
        threads.push(thread::spawn(move || {
            cache.forget(KEY.dataset);
            true
        }));
    }
    let succeeded = threads.into_iter().map(|thread| thread.join().unwrap());
    let succeeded = succeeded.filter(|success| *success).count();
    let failures = usize::from(first_fails);
    assert_eq!(succeeded, 3 - failures + usize::from(forgetting));
    if !forgetting {
        assert_eq!(decoded.load(Ordering::SeqCst), 1 + failures);
        assert_eq!(cache.bytes(), 4);
    }
}

#[test]
fn one_decodes_and_the_others_wait() {
    shuttle::check_random(|| scenario(false, false), 2000);
}

#[test]
fn after_a_failure_another_tries() {
    shuttle::check_random(|| scenario(true, false), 2000);
}

#[test]
fn forgetting_wakes_those_who_wait() {
    shuttle::check_random(|| scenario(false, true), 2000);
    shuttle::check_random(|| scenario(true, true), 2000);
}

/// A writer changes a chunk while two threads read it, each twice: the second time, after the change at the latest, they
/// must see the new one. `change` is what the writer does to the cache.
fn change(change: fn(&Cache)) {
    let cache = Arc::new(Cache::new(100));
    let stored = Arc::new(AtomicUsize::new(1));
    let read = |cache: &Cache, stored: &AtomicUsize| {
        let bytes = cache.get_or_decode(KEY, 1, |buffer| {
            let found = stored.load(Ordering::SeqCst);
            thread::yield_now();
            buffer[0] = u8::try_from(found).unwrap();
            Ok::<(), Failure>(())
        });
        bytes.unwrap()[0]
    };
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (cache, stored) = (Arc::clone(&cache), Arc::clone(&stored));
            thread::spawn(move || {
                let first = read(&cache, &stored);
                let second = read(&cache, &stored);
                assert!(first <= second, "what was seen once stays seen");
            })
        })
        .collect();
    stored.store(2, Ordering::SeqCst);
    change(&cache);
    assert_eq!(read(&cache, &stored), 2);
    for reader in readers {
        reader.join().unwrap();
    }
    assert_eq!(read(&cache, &stored), 2);
    assert_eq!(cache.bytes(), 1);
}

#[test]
fn after_a_change_nobody_gets_the_old_chunk() {
    shuttle::check_random(|| change(|cache| cache.remove(KEY)), 3000);
    shuttle::check_random(|| change(|cache| cache.forget(KEY.dataset)), 3000);
    shuttle::check_random(|| change(|cache| cache.put(KEY, Arc::new(vec![2]))), 3000);
}

/// What who wants two chunks at once must not do, and does here if `is_waiting`: wait for one while others wait for the
/// other, which it has begun.
fn two_at_once(is_waiting: bool) {
    let cache = Arc::new(Cache::new(100));
    let chunks = [1, 2].map(|chunk| Key { dataset: 1, chunk });
    let threads: Vec<_> = [[0, 1], [1, 0]]
        .into_iter()
        .map(|order| {
            let cache = Arc::clone(&cache);
            thread::spawn(move || {
                let one_by_one = |keys: &[Key]| {
                    for &key in keys {
                        let filled = cache.get_or_decode(key, 4, |buffer| {
                            buffer.fill(9);
                            Ok::<(), Failure>(())
                        });
                        assert_eq!(filled.unwrap().as_slice(), [9; 4]);
                    }
                };
                let [first, second] = order.map(|place: usize| chunks[place]);
                let begun = cache.try_begin(first, 4).unwrap();
                thread::yield_now();
                let next = if begun.is_some() { cache.try_begin(second, 4).unwrap() } else { None };
                match (begun, next) {
                    (Some(mut begun), Some(mut next)) => {
                        begun.buffer().fill(9);
                        next.buffer().fill(9);
                        assert_eq!((begun.finish(), next.finish()), (vec![9; 4].into(), vec![9; 4].into()));
                    }
                    (Some(_begun), None) if is_waiting => one_by_one(&[second]),
                    (begun, _) => {
                        drop(begun);
                        one_by_one(&[first, second]);
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(cache.bytes(), 8);
}

#[test]
fn who_wants_two_at_once_waits_for_neither() {
    shuttle::check_random(|| two_at_once(false), 3000);
}

#[test]
#[should_panic(expected = "deadlock")]
fn waiting_with_one_begun_would_be_found() {
    shuttle::check_random(|| two_at_once(true), 3000);
}
