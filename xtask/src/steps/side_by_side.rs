//! Does the same work with several items, some of them in parallel.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many processes to run at a time: one per core, but at most `most`.
pub(super) fn cores(most: usize) -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(most)
}

/// Does `work` with every item, with `lanes` of them at a time. They start in order, and the results are in the same order.
pub(super) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    lanes: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return done };
            done.push((number, work(item)));
        }
    };
    let mut results = thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes.max(1)).map(|_| scope.spawn(lane)).collect();
        let done = lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.flatten().collect::<Vec<_>>()
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        for lanes in [0, 1, 3, 200] {
            let squares = side_by_side(&items, lanes, |item| item * item);
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>(), "{lanes} lanes");
        }
        assert!(side_by_side(&[0; 0], 2, |item| *item).is_empty());
    }

    #[test]
    fn lanes_are_beside_each_other() {
        // None of them would come back alone.
        let barrier = Barrier::new(3);
        assert_eq!(
            side_by_side(&[1, 2, 3], 3, |item| {
                barrier.wait();
                *item
            }),
            [1, 2, 3]
        );
    }

    #[test]
    #[should_panic(expected = "of item 7")]
    fn a_panic_is_not_lost() {
        side_by_side(&[1, 7, 3], 2, |item| assert_ne!(*item, 7, "of item {item}"));
    }
}
