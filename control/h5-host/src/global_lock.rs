//! The global lock of a thread-safe host.

use crate::host::Host;

impl Host {
    /// Whether the global lock can be given up and taken back from inside a callback.
    pub fn can_release_global_lock(self) -> bool {
        let functions = self.functions();
        self.is_thread_safe()
            && functions.H5TSmutex_release.is_some()
            && functions.H5TSmutex_acquire.is_some()
    }

    /// Gives the global lock up and returns how many times it was held: 0 if there is no lock, or it was not held.
    pub fn release_global_lock(self) -> u32 {
        let mut count = 0;
        if let Some(release) = self.functions().H5TSmutex_release {
            // SAFETY: a valid out-pointer. Called inside a callback, by the thread that holds the lock.
            let status = unsafe { release(&raw mut count) };
            if status < 0 {
                return 0;
            }
        }
        count
    }

    /// Takes the global lock `count` times if it is free.
    pub fn try_acquire_global_lock(self, count: u32) -> bool {
        let Some(acquire) = self.functions().H5TSmutex_acquire else { return true };
        let mut acquired = false;
        // SAFETY: a valid out-pointer.
        let status = unsafe { acquire(count, &raw mut acquired) };
        status >= 0 && acquired
    }
}
