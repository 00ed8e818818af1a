//! Whether a file may grow.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

/// Fails if so many bytes cannot be added to a file: the file system is full, or the process must not write files that
/// large. What the system does not tell is taken to be fine. The size is asked for only if there is a limit.
pub(crate) fn check(descriptor: RawFd, size: impl FnOnce() -> u64, bytes: u64) -> io::Result<()> {
    let mut system = MaybeUninit::<libc::statvfs64>::zeroed();
    // SAFETY: a valid out-pointer; an invalid descriptor is an error. Zeros are a value of the structure.
    let system =
        unsafe { (libc::fstatvfs64(descriptor, system.as_mut_ptr()) == 0).then(|| system.assume_init()) };
    if let Some(system) = system
        && system.f_bfree.saturating_mul(system.f_frsize) < bytes
    {
        return Err(io::Error::from_raw_os_error(libc::ENOSPC));
    }
    let mut limit = MaybeUninit::<libc::rlimit64>::zeroed();
    // SAFETY: a valid out-pointer. Zeros are a value of the structure.
    let limit = unsafe {
        (libc::getrlimit64(libc::RLIMIT_FSIZE, limit.as_mut_ptr()) == 0).then(|| limit.assume_init())
    };
    if let Some(limit) = limit
        && limit.rlim_cur != libc::RLIM64_INFINITY
        && size().saturating_add(bytes) > limit.rlim_cur
    {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_little_fits_and_everything_does_not() {
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        check(file.as_raw_fd(), || 0, 1).unwrap();
        assert_eq!(check(file.as_raw_fd(), || 0, u64::MAX).unwrap_err().raw_os_error(), Some(libc::ENOSPC));
    }
}
