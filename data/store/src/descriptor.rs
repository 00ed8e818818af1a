//! Reading from a file descriptor at a position.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::target::Target;

/// Something that can be read at a position. Tests put one in between that fails, reads short, or is
/// interrupted.
pub trait ReadAt: Send + Sync {
    /// Reads up to as many bytes as `target` has; zero only at or past the end.
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize>;

    /// Reads consecutive bytes into several targets.
    fn read_scattered_at(&self, offset: u64, targets: &mut [Target<'_>]) -> io::Result<usize>;
}

/// A descriptor of our own.
#[derive(Debug)]
pub struct Descriptor(OwnedFd);

impl Descriptor {
    /// Takes over a descriptor.
    pub fn new(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }
}

impl ReadAt for Descriptor {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        let offset = position(offset)?;
        // SAFETY: the target is valid to write for its length.
        let count =
            unsafe { libc::pread64(self.0.as_raw_fd(), target.as_ptr().cast(), target.len(), offset) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    fn read_scattered_at(&self, offset: u64, targets: &mut [Target<'_>]) -> io::Result<usize> {
        let offset = position(offset)?;
        let mut vectors = [libc::iovec { iov_base: core::ptr::null_mut(), iov_len: 0 }; crate::MOST_PIECES];
        if targets.len() > vectors.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for (vector, target) in vectors.iter_mut().zip(&*targets) {
            *vector = libc::iovec { iov_base: target.as_ptr().cast(), iov_len: target.len() };
        }
        let used = libc::c_int::try_from(targets.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: every vector describes a target that is valid to write.
        let count = unsafe { libc::preadv64(self.0.as_raw_fd(), vectors.as_ptr(), used, offset) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

/// A position as the system wants it.
fn position(offset: u64) -> io::Result<i64> {
    i64::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput.into())
}
