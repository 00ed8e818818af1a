//! What the tests of whole processes share.

use std::sync::Barrier;

use pool::Pool;

/// With as many participants as the pool has threads: hangs if the workers are not there.
pub(crate) fn together(pool: &Pool) {
    let barrier = Barrier::new(pool.threads());
    pool.run(pool.threads(), usize::MAX, |_, _| {
        barrier.wait();
        Ok::<(), ()>(())
    })
    .unwrap();
}
