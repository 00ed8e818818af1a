//! Data locks: shared by readers, exclusive for writers, and waited for only without the global lock.

use crate::lock::Released;
use crate::shim::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::thread_mark::assert_released;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, TryLockError};

/// A reader-writer lock that is *outside* the global lock: to wait for it, show that the global lock is not held.
///
/// The guards end before the global lock is taken back at the end of
/// [`without`](crate::GlobalLock::without): their lifetime is that of its scope. Those of `try_read` and `try_write`
/// need none, and may be held across it: that is the right order, data lock outside.
///
/// A panic while the lock is held does not poison it. Not recursive: a thread that holds it, even for reading, must
/// not wait for it again.
#[derive(Default)]
pub struct DatasetLock<T> {
    data: RwLock<T>,
}

/// Shared access to the data of a [`DatasetLock`].
#[must_use = "the lock is given up as soon as the guard is dropped"]
pub struct DatasetReadGuard<'lock, T>(RwLockReadGuard<'lock, T>);

/// Exclusive access to the data of a [`DatasetLock`].
#[must_use = "the lock is given up as soon as the guard is dropped"]
pub struct DatasetWriteGuard<'lock, T>(RwLockWriteGuard<'lock, T>);

impl<T> DatasetLock<T> {
    /// Guards `data`; nobody holds the lock.
    pub const fn new(data: T) -> Self {
        Self { data: RwLock::new(data) }
    }

    /// Waits until no writer holds the lock.
    pub fn read<'lock>(&'lock self, _proof: &Released<'lock>) -> DatasetReadGuard<'lock, T> {
        assert_released();
        DatasetReadGuard(self.data.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until nobody holds the lock.
    pub fn write<'lock>(&'lock self, _proof: &Released<'lock>) -> DatasetWriteGuard<'lock, T> {
        assert_released();
        DatasetWriteGuard(self.data.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// For the model that shows what happens to those who wait without a proof.
    #[cfg(all(test, feature = "shuttle"))]
    pub(crate) fn write_without_proof(&self) -> DatasetWriteGuard<'_, T> {
        DatasetWriteGuard(self.data.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shared access if that needs no waiting. Allowed everywhere.
    pub fn try_read(&self) -> Option<DatasetReadGuard<'_, T>> {
        match self.data.try_read() {
            Ok(guard) => Some(DatasetReadGuard(guard)),
            Err(TryLockError::Poisoned(poisoned)) => Some(DatasetReadGuard(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Exclusive access if that needs no waiting. Allowed everywhere.
    pub fn try_write(&self) -> Option<DatasetWriteGuard<'_, T>> {
        match self.data.try_write() {
            Ok(guard) => Some(DatasetWriteGuard(guard)),
            Err(TryLockError::Poisoned(poisoned)) => Some(DatasetWriteGuard(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The data of a lock that nobody else can see needs no locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.data.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The data, without the lock.
    pub fn into_inner(self) -> T {
        self.data.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for DatasetLock<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DatasetLock").finish_non_exhaustive()
    }
}

impl<T> Deref for DatasetReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Deref for DatasetWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for DatasetWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for DatasetReadGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl<T: fmt::Debug> fmt::Debug for DatasetWriteGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}
