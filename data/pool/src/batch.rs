//! One call of `run`: its tasks, who claims them, and what came of them.
//!
//! Claiming is one `fetch_add` on a cursor, so tasks are claimed in increasing order and each by one participant.
//! Stopping moves the cursor to the end. Nothing looks at a "stopped" flag between claiming a task and running it:
//! what is claimed runs. Hence, when task *n* fails, all tasks below *n* have run or will, and the failure of the
//! lowest index is the one that a plain loop would have met.
//!
//! **Ordering.** The cursor is accessed with `Relaxed` only. It carries no data from thread to thread: what the
//! tasks read was written before the batch was enrolled under the crew's lock, what they wrote is read after the
//! last helper has left under the same lock, and the outcome has a lock of its own.

use crate::scratch::Scratch;
use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::shim::{Condvar, Mutex, lock};
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

/// A batch as the crew sees it: the types of its tasks and errors are forgotten.
pub(crate) trait TakePart: Sync {
    /// Are there tasks that nobody has claimed? A hint: true may be out of date at once, false is final.
    fn has_unclaimed(&self) -> bool;

    /// Claims and runs tasks until there are none left, or until `leave` says so, which is asked before each. Never
    /// panics.
    fn take_part(&self, scratch: &mut Scratch, leave: &dyn Fn(&mut Scratch) -> bool);

    /// What the caller waits on (with the crew's lock) until the last helper has left.
    fn all_left(&self) -> &Condvar;
}

/// A batch lives on the stack of the thread that called `run`.
pub(crate) struct Batch<'work, F, E> {
    cursor: Cursor,
    tasks: usize,
    work: &'work F,
    outcome: Mutex<Outcome<E>>,
    all_left: Condvar,
}

/// On a cache line (or two, as they are fetched in pairs) of its own: every claim of every participant writes it.
#[repr(align(128))]
struct Cursor(AtomicUsize);

/// What went wrong so far, each with its task's index.
struct Outcome<E> {
    error: Option<(usize, E)>,
    panic: Option<(usize, Payload)>,
}

type Payload = Box<dyn Any + Send>;

impl<'work, F, E> Batch<'work, F, E>
where
    F: Fn(usize, &mut Scratch) -> Result<(), E> + Sync,
    E: Send,
{
    pub(crate) const fn new(tasks: usize, work: &'work F) -> Self {
        Self {
            cursor: Cursor(AtomicUsize::new(0)),
            tasks,
            work,
            outcome: Mutex::new(Outcome { error: None, panic: None }),
            all_left: Condvar::new(),
        }
    }

    /// The error of the lowest index, if there was one. A panic comes first: it goes on in this thread.
    pub(crate) fn into_result(self) -> Result<(), E> {
        let Outcome { error, panic } = self.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, payload)) = panic {
            resume_unwind(payload);
        }
        error.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn claim(&self) -> Option<usize> {
        // Looked at first, so that the cursor is not moved again and again past the end.
        if !self.has_unclaimed() {
            return None;
        }
        let index = self.cursor.0.fetch_add(1, Ordering::Relaxed);
        (index < self.tasks).then_some(index)
    }

    fn stop(&self) {
        self.cursor.0.fetch_max(self.tasks, Ordering::Relaxed);
    }

    fn run_one(&self, index: usize, scratch: &mut Scratch) {
        // AssertUnwindSafe: whoever could see what the panic left behind sees the panic too, as in the scoped
        // threads of the standard library.
        match catch_unwind(AssertUnwindSafe(|| (self.work)(index, scratch))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.stop();
                let second = keep_lowest(&mut lock(&self.outcome).error, index, error);
                drop_quietly(second);
            }
            Err(payload) => {
                self.stop();
                let second = keep_lowest(&mut lock(&self.outcome).panic, index, payload);
                drop_quietly(second);
            }
        }
    }
}

impl<F, E> TakePart for Batch<'_, F, E>
where
    F: Fn(usize, &mut Scratch) -> Result<(), E> + Sync,
    E: Send,
{
    fn has_unclaimed(&self) -> bool {
        self.cursor.0.load(Ordering::Relaxed) < self.tasks
    }

    fn take_part(&self, scratch: &mut Scratch, leave: &dyn Fn(&mut Scratch) -> bool) {
        while !leave(scratch)
            && let Some(index) = self.claim()
        {
            self.run_one(index, scratch);
        }
    }

    fn all_left(&self) -> &Condvar {
        &self.all_left
    }
}

/// Keeps the entry with the lower index; gives back the other one.
fn keep_lowest<T>(kept: &mut Option<(usize, T)>, index: usize, value: T) -> Option<T> {
    match kept {
        Some((lowest, _)) if *lowest < index => Some(value),
        _ => kept.replace((index, value)).map(|(_, higher)| higher),
    }
}

/// Drops somebody else's value where a panic in its destructor must not be seen.
pub(crate) fn drop_quietly<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // Its own destructor may panic as well: enough.
        mem::forget(payload);
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn claims_are_in_order_and_end() {
        let work = |_, _: &mut Scratch| Ok::<(), ()>(());
        let batch = Batch::new(3, &work);
        assert_eq!(
            [batch.claim(), batch.claim(), batch.claim(), batch.claim()],
            [Some(0), Some(1), Some(2), None]
        );
        assert!(!batch.has_unclaimed());
    }

    #[test]
    fn the_lowest_error_is_kept_whatever_the_order() {
        let work = |index, _: &mut Scratch| Err::<(), usize>(index);
        let batch = Batch::new(10, &work);
        for index in [5, 2, 7] {
            batch.run_one(index, &mut Scratch::new());
        }
        assert!(!batch.has_unclaimed());
        assert_eq!(batch.into_result(), Err(2));
    }

    #[test]
    fn errors_whose_destructors_panic_do_no_harm() {
        struct Bomb(usize);
        impl Drop for Bomb {
            fn drop(&mut self) {
                assert_eq!(self.0, 2, "only the one that is returned is dropped in peace");
            }
        }
        let work = |index, _: &mut Scratch| Err::<(), Bomb>(Bomb(index));
        let batch = Batch::new(10, &work);
        for index in [5, 2, 7] {
            batch.run_one(index, &mut Scratch::new());
        }
        assert!(batch.into_result().is_err_and(|bomb| bomb.0 == 2));
    }
}
