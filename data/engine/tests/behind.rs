//! Chunks that are encoded before they must be stored: what comes of them, and that nobody works for one that is not wanted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use codecs::{Filter, Pipeline};
use engine::Behind;
use pool::{Class, Ended, Pool};
use selection::Dims;

static ENCODED: AtomicUsize = AtomicUsize::new(0);

fn note_encoded() {
    ENCODED.fetch_add(1, Ordering::Relaxed);
}

/// Shuffles bytes: its result is easy to tell.
fn shuffle() -> Arc<Pipeline> {
    let filter = Filter { id: 2, name: "shuffle".to_owned(), optional: false, parameters: vec![2] };
    Arc::new(Pipeline::new(&[filter]).unwrap())
}

fn start(pool: &Pool, elements: &Arc<Vec<u8>>) -> Behind {
    Behind::start(pool, &shuffle(), elements, Dims::new(&[0]).unwrap(), note_encoded).unwrap()
}

#[test]
fn nobody_works_for_what_was_dropped() {
    let pool = Pool::new(2);
    let (release, held) = mpsc::channel::<()>();
    // The only thread is busy.
    let busy = pool.submit(Class::Request, move |_| assert!(held.recv().is_err())).unwrap();
    let (dropped, wanted) = (Arc::new(vec![1, 2, 3, 4]), Arc::new(vec![1, 2, 3, 4]));
    drop(start(&pool, &dropped));
    assert_eq!(Arc::strong_count(&dropped), 1, "somebody still has the elements");
    let behind = start(&pool, &wanted);
    drop(release);
    assert_eq!(busy.wait(), Ended::Done);
    assert_eq!(behind.finish(), Some((vec![1, 3, 2, 4], 0)));
    assert_eq!(ENCODED.load(Ordering::Relaxed), 1);
}
