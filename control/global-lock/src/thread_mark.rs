//! What a thread has to remember about itself: is it in a user's callback, has it given up a lock?

use crate::shim::thread_local;
use std::cell::Cell;
use std::marker::PhantomData;

/// Not a lock: the address of no [`GlobalLock`](crate::GlobalLock).
const NONE: usize = 0;

thread_local! {
    static CALLBACKS: Cell<u32> = const { Cell::new(0) };
    /// The innermost lock that this thread has given up and not taken back, by its address.
    static RELEASED: Cell<usize> = const { Cell::new(NONE) };
}

/// Marks the thread as inside a user's callback (of `H5Literate`, `H5Ovisit`, `H5Dchunk_iter` and the like) until it is
/// dropped. There the library holds protected metadata under its lock, so
/// [`GlobalLock::without`](crate::GlobalLock::without) keeps the lock.
///
/// Scopes nest, and belong to their thread.
///
/// ```compile_fail,E0277
/// let scope = global_lock::UserCallbackScope::enter();
/// std::thread::spawn(move || drop(scope));
/// ```
#[must_use = "the mark lasts as long as this value"]
#[derive(Debug)]
pub struct UserCallbackScope {
    _of_this_thread: PhantomData<*const ()>,
}

impl UserCallbackScope {
    /// Marks this thread. Call it before an operation that calls the user back is forwarded to the library.
    pub fn enter() -> Self {
        // A thread whose thread-locals are gone is ending and does not iterate; it is never marked.
        let _ = CALLBACKS.try_with(|depth| depth.set(depth.get() + 1));
        Self { _of_this_thread: PhantomData }
    }

    /// Whether this thread is inside such a callback.
    pub fn is_active() -> bool {
        CALLBACKS.try_with(Cell::get).is_ok_and(|depth| depth > 0)
    }
}

impl Drop for UserCallbackScope {
    fn drop(&mut self) {
        let _ = CALLBACKS.try_with(|depth| depth.set(depth.get() - 1));
    }
}

/// Has this thread given up the lock at this address (and is that the last thing it did to a lock)?
pub(crate) fn has_released(lock: usize) -> bool {
    RELEASED.try_with(Cell::get).is_ok_and(|released| released == lock)
}

/// Notes that the lock at this address is given up, until the value is dropped.
pub(crate) struct Mark {
    before: usize,
}

impl Mark {
    pub(crate) fn new(lock: usize) -> Self {
        Self { before: RELEASED.try_with(|mark| mark.replace(lock)).unwrap_or(NONE) }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = RELEASED.try_with(|mark| mark.set(self.before));
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn scopes_nest_and_belong_to_their_thread() {
        assert!(!UserCallbackScope::is_active());
        let outer = UserCallbackScope::enter();
        let inner = UserCallbackScope::enter();
        assert!(!std::thread::spawn(UserCallbackScope::is_active).join().unwrap());
        drop(inner);
        assert!(UserCallbackScope::is_active());
        drop(outer);
        assert!(!UserCallbackScope::is_active());
    }

    #[test]
    fn marks_are_undone_in_order() {
        assert!(!has_released(1));
        let outer = Mark::new(1);
        assert!(has_released(1) && !has_released(2));
        let inner = Mark::new(2);
        assert!(!has_released(1) && has_released(2));
        drop(inner);
        assert!(has_released(1));
        drop(outer);
        assert!(!has_released(1));
    }
}
