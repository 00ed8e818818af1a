//! Advisory locks of whole files, as HDF5 takes them.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Locks a file or folder, for others to see that it is in use: exclusively, or together with others that do not lock it
/// exclusively. Does not wait. False if somebody else has locked it. The lock goes with the last descriptor of this opening.
pub fn try_lock(file: &File, exclusive: bool) -> io::Result<bool> {
    let kind = if exclusive { libc::LOCK_EX } else { libc::LOCK_SH };
    loop {
        // SAFETY: the descriptor is open while `file` is borrowed; the call touches no memory.
        if unsafe { libc::flock(file.as_raw_fd(), kind | libc::LOCK_NB) } == 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::Interrupted => {}
            io::ErrorKind::WouldBlock => return Ok(false),
            _ => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_see_the_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        // Folders can be locked, too.
        let open = || File::open(folder.path()).expect("opened");
        let (first, second, third) = (open(), open(), open());
        assert!(try_lock(&first, false).unwrap() && try_lock(&second, false).unwrap());
        assert!(!try_lock(&third, true).unwrap());
        drop((first, second));
        assert!(try_lock(&third, true).unwrap());
        assert!(!try_lock(&open(), false).unwrap());
    }
}
