//! HDF5's global lock, for the tests: with real threads and with shuttle's.

use crate::HostLock;
use crate::shim::{Condvar, Mutex, thread};
use thread::ThreadId;

/// HDF5's global lock: recursive, with an ordinary entrance that waits, and the two functions that we use.
#[derive(Default)]
pub(crate) struct ModelHost {
    owner: Mutex<Owner>,
    free: Condvar,
}

#[derive(Default)]
struct Owner {
    thread: Option<ThreadId>,
    count: u32,
}

impl ModelHost {
    /// The beginning of a call into the library.
    pub(crate) fn enter(&self) {
        let me = thread::current().id();
        let mut owner = self.owner.lock().unwrap();
        while owner.thread.is_some_and(|thread| thread != me) {
            owner = self.free.wait(owner).unwrap();
        }
        owner.thread = Some(me);
        owner.count += 1;
    }

    /// The end of a call into the library.
    pub(crate) fn exit(&self) {
        let mut owner = self.owner.lock().unwrap();
        assert_eq!(owner.thread, Some(thread::current().id()));
        owner.count -= 1;
        if owner.count == 0 {
            owner.thread = None;
            self.free.notify_one();
        }
    }

    /// How many times this thread holds the lock.
    pub(crate) fn held(&self) -> u32 {
        let owner = self.owner.lock().unwrap();
        if owner.thread == Some(thread::current().id()) { owner.count } else { 0 }
    }
}

impl HostLock for ModelHost {
    fn release(&self) -> u32 {
        let mut owner = self.owner.lock().unwrap();
        if owner.thread != Some(thread::current().id()) {
            return 0;
        }
        owner.thread = None;
        self.free.notify_one();
        std::mem::take(&mut owner.count)
    }

    fn try_acquire(&self, count: u32) -> bool {
        let me = thread::current().id();
        let mut owner = self.owner.lock().unwrap();
        let free = owner.thread.is_none_or(|thread| thread == me);
        if free {
            owner.thread = Some(me);
            owner.count += count;
        }
        free
    }
}
