//! Reading from and writing to a file descriptor at a position.

use std::fmt;
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;

use crate::target::Target;

/// Something that can be read at a position. Tests put one in between that fails, reads short, or is
/// interrupted.
pub trait ReadAt: Send + Sync {
    /// Reads up to as many bytes as `target` has; zero only at or past the end.
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize>;
}

/// Something that can be written at a position. Tests put one in between, as for [`ReadAt`].
pub trait WriteAt: Send + Sync {
    /// Writes some of the bytes, at least one, and says how many.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize>;
}

/// A descriptor of our own, or one that is lent.
pub struct Descriptor(Held);

enum Held {
    Own(File),
    /// Open as long as its lender lives.
    Lent(Arc<dyn AsFd + Send + Sync>),
}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Descriptor").field(&self.raw()).finish()
    }
}

/// What changes when somebody writes to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    size: u64,
    /// Seconds and nanoseconds of the last change of its content, and of its state.
    times: [(i64, i64); 2],
}

impl Stamp {
    /// When its state changed last: seconds and nanoseconds since 1970.
    pub fn last_change(&self) -> (i64, i64) {
        self.times[1]
    }
}

impl Descriptor {
    /// Locks the file against those who want to write it, as HDF5 does, until the descriptor is closed. Does not wait.
    ///
    /// # Errors
    /// If somebody has locked it to write it, or the file system has no locks.
    pub fn lock_to_read(&self) -> io::Result<()> {
        // SAFETY: the descriptor is open as long as this is borrowed.
        let status = unsafe { libc::flock(self.raw(), libc::LOCK_SH | libc::LOCK_NB) };
        if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Takes over a descriptor.
    pub fn new(descriptor: OwnedFd) -> Self {
        Self(Held::Own(File::from(descriptor)))
    }

    /// Uses a descriptor of somebody else's: many files at once need no second descriptor each.
    pub fn lent(by: Arc<dyn AsFd + Send + Sync>) -> Self {
        Self(Held::Lent(by))
    }

    fn raw(&self) -> RawFd {
        match &self.0 {
            Held::Own(file) => file.as_raw_fd(),
            Held::Lent(by) => by.as_fd().as_raw_fd(),
        }
    }

    /// Does something with it as a file.
    fn with<R>(&self, work: impl FnOnce(&File) -> R) -> R {
        match &self.0 {
            Held::Own(file) => work(file),
            Held::Lent(by) => {
                // SAFETY: open while `by` is borrowed, and not closed here.
                let file = ManuallyDrop::new(unsafe { File::from_raw_fd(by.as_fd().as_raw_fd()) });
                work(&file)
            }
        }
    }

    /// How the file is now; `None` if the system does not say.
    pub fn stamp(&self) -> Option<Stamp> {
        let found = self.with(File::metadata).ok()?;
        let times = [(found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec())];
        Some(Stamp { size: found.size(), times })
    }
}

impl Descriptor {
    /// Which file it is: the numbers of its device and of itself there.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        self.with(File::metadata).ok().map(|found| (found.dev(), found.ino()))
    }

    /// Bytes that the file has now; `None` if the system does not say.
    pub(crate) fn size(&self) -> Option<u64> {
        self.with(File::metadata).ok().map(|found| found.size())
    }

    /// Fails if so many bytes cannot be added to the file.
    pub(crate) fn check_room(&self, bytes: u64) -> io::Result<()> {
        crate::room::check(self.raw(), || self.size().unwrap_or(0), bytes)
    }
}

impl ReadAt for Descriptor {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        let offset = position(offset)?;
        // SAFETY: the target is valid to write for its length.
        let count = unsafe { libc::pread64(self.raw(), target.as_ptr().cast(), target.len(), offset) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

impl WriteAt for Descriptor {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        position(offset)?;
        self.with(|file| FileExt::write_at(file, bytes, offset))
    }
}

/// A position as the system wants it.
fn position(offset: u64) -> io::Result<i64> {
    i64::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput.into())
}
