//! A file's raw bytes, read and written by position.
//!
//! A [`Store`] is a descriptor and the end of the space HDF5 has allocated in the file. Every call names its
//! range; interrupted and short ones go on where they stopped. Bytes past the end of the file but inside the
//! allocated space read as zeros, as HDF5's own driver gives them (early allocation in a file that was not yet
//! extended); a range outside the allocated space is an error.
//!
//! A store neither seeks nor caches, so any number of threads may read and write at once. [`Windows`] on it do, for whoever
//! reads and writes in small steps, and a [`Sieve`], for whoever only reads.

mod descriptor;
mod error;
mod file_system;
mod lock;
mod phase;
mod room;
mod sieve;
mod target;
mod windows;

pub use descriptor::{Descriptor, ReadAt, Stamp, WriteAt};
pub use error::StoreError;
pub use file_system::is_on_parallel_file_system;
pub use lock::try_lock;
pub use sieve::Sieve;
pub use target::{Run, Target};
pub use windows::{Piece, Windows, unwritten_bytes};

use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file to read from and to write to.
#[derive(Debug)]
pub struct Store<F = Descriptor> {
    file: F,
    /// A number that stands for itself: who says where the bytes of a call are says it after it was set.
    end: AtomicU64,
}

impl<F> Store<F> {
    /// A file whose allocated space ends at `end`, counted from its first byte.
    pub fn new(file: F, end: u64) -> Self {
        Self { file, end: AtomicU64::new(end) }
    }

    /// End of the allocated space.
    pub fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Moves the end of the allocated space, which changes in a file that is being written.
    pub fn set_end(&self, end: u64) {
        self.end.store(end, Ordering::Relaxed);
    }

    /// Checks that a range lies in the allocated space.
    pub fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        let end = self.end();
        match offset.checked_add(length) {
            Some(last) if last <= end => Ok(()),
            _ => Err(StoreError::OutsideFile { offset, length, end }),
        }
    }
}

impl<F: ReadAt> Store<F> {
    /// Fills `target` from `offset` on. `bounce` is memory to copy through where that is faster.
    pub fn read(&self, offset: u64, target: Target<'_>, bounce: &mut [u8]) -> Result<(), StoreError> {
        self.check(offset, target.len() as u64)?;
        if phase::is_slow(offset, target.as_ptr()) && target.len() >= phase::WORTHWHILE {
            return self.read_through(offset, target, bounce);
        }
        self.read_straight(offset, target)
    }

    /// Reads bytes into new memory; `None` if there is not as much memory. A range outside of the allocated space is an error
    /// before any memory is taken.
    pub fn read_new(&self, offset: u64, length: usize) -> Result<Option<Vec<u8>>, StoreError> {
        self.check(offset, length as u64)?;
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(length).is_err() {
            return Ok(None);
        }
        // SAFETY: as much room as was reserved, which nobody else knows of.
        let target = unsafe { Target::new(bytes.as_mut_ptr(), length) };
        self.read_straight(offset, target)?;
        // SAFETY: all of them were just written.
        unsafe { bytes.set_len(length) };
        Ok(Some(bytes))
    }

    fn read_straight(&self, mut offset: u64, mut target: Target<'_>) -> Result<(), StoreError> {
        while target.len() > 0 {
            match self.file.read_at(offset, target.reborrow()) {
                Ok(0) => {
                    target.fill(0);
                    return Ok(());
                }
                Ok(count) => {
                    offset += count as u64;
                    target = target.skip(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(StoreError::Io { offset, length: target.len() as u64, source });
                }
            }
        }
        Ok(())
    }

    /// Reads into a buffer whose place in its page is far from both ends of the copy, then copies.
    fn read_through(
        &self,
        mut offset: u64,
        mut target: Target<'_>,
        bounce: &mut [u8],
    ) -> Result<(), StoreError> {
        let bounce = phase::apart(bounce, offset);
        if bounce.is_empty() {
            return self.read_straight(offset, target);
        }
        while target.len() > 0 {
            let length = target.len().min(bounce.len());
            let part = &mut bounce[..length];
            self.read_straight(offset, Target::from_slice(part))?;
            target.reborrow().copy_from(part);
            target = target.skip(length);
            offset += length as u64;
        }
        Ok(())
    }
}

impl<F: WriteAt> Store<F> {
    /// Writes all of `bytes` from `offset` on.
    pub fn write(&self, mut offset: u64, mut bytes: &[u8]) -> Result<(), StoreError> {
        self.check(offset, bytes.len() as u64)?;
        while !bytes.is_empty() {
            let failed = |source| StoreError::Write { offset, length: bytes.len() as u64, source };
            match self.file.write_at(offset, bytes) {
                Ok(0) => return Err(failed(ErrorKind::WriteZero.into())),
                Ok(count) => {
                    offset += count as u64;
                    bytes = &bytes[count..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }
}

impl Store {
    /// Fails if so many bytes cannot be added to the file, as far as the system tells beforehand.
    pub fn check_room(&self, bytes: u64) -> Result<(), StoreError> {
        self.file.check_room(bytes).map_err(|source| StoreError::Write {
            offset: self.end(),
            length: bytes,
            source,
        })
    }

    /// Bytes that the file has now; `None` if the system does not say. Allocated space behind them was never written.
    pub fn size(&self) -> Option<u64> {
        self.file.size()
    }

    /// Which file it is: the numbers of its device and of itself there. `None` if the system does not say.
    pub fn identity(&self) -> Option<(u64, u64)> {
        self.file.identity()
    }

    /// How the file is now; `None` if the system does not say.
    pub fn stamp(&self) -> Option<Stamp> {
        self.file.stamp()
    }
}

#[cfg(test)]
mod tests;
