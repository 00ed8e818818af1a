//! The system's page cache.

use core::ptr;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use anyhow::{Context, Result};

use crate::registry::CannotBeMeasured;

const PAGE: usize = 4096;
/// The share of a file that may stay in the cache, in percent. Other programs may use some of it.
const MOST_PERCENT: usize = 5;

/// Drops a file from the cache, so that the next read comes from the disk.
///
/// # Errors
/// [`CannotBeMeasured`] if the file stays in memory, as on tmpfs.
pub(crate) fn drop_pages(path: &Path) -> Result<()> {
    let named = || path.display().to_string();
    let file = File::open(path).with_context(named)?;
    // Pages that are not on the disk yet cannot be dropped.
    file.sync_data().with_context(named)?;
    // SAFETY: an open file; 0 bytes from 0 on means all.
    let error = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error)).with_context(named);
    }
    let (resident, pages) = resident_pages(&file).with_context(named)?;
    if resident * 100 > pages * MOST_PERCENT {
        let why =
            format!("the system does not drop {} from its cache: is it on a file system in memory?", named());
        return Err(CannotBeMeasured(why).into());
    }
    Ok(())
}

/// The number of a file's pages that are in memory, and of all its pages.
fn resident_pages(file: &File) -> io::Result<(usize, usize)> {
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    if length == 0 {
        return Ok((0, 0));
    }
    // SAFETY: a new mapping of an open file, which nobody looks into.
    let start = unsafe {
        libc::mmap(ptr::null_mut(), length, libc::PROT_NONE, libc::MAP_SHARED, file.as_raw_fd(), 0)
    };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let mut pages = vec![0; length.div_ceil(PAGE)];
    // SAFETY: the mapping, and a byte for each of its pages.
    let status = unsafe { libc::mincore(start, length, pages.as_mut_ptr()) };
    let failure = io::Error::last_os_error();
    // SAFETY: the mapping from above.
    unsafe { libc::munmap(start, length) };
    if status != 0 {
        return Err(failure);
    }
    Ok((pages.iter().filter(|&&page| page & 1 != 0).count(), pages.len()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_written_is_forgotten_or_it_is_said() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        fs::write(&path, vec![1; 100 * PAGE]).unwrap();
        let dropped = drop_pages(&path);
        let (resident, pages) = resident_pages(&File::open(&path).unwrap()).unwrap();
        // Not every file system can drop it; what matters is that it is known.
        assert_eq!((pages, dropped.is_ok()), (100, resident <= 5), "{resident} pages, {dropped:?}");
        let read = fs::read(&path).unwrap();
        let (resident, _) = resident_pages(&File::open(&path).unwrap()).unwrap();
        assert_eq!((read.len(), resident), (100 * PAGE, 100));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let failure = drop_pages(Path::new("/nowhere/x.h5")).unwrap_err();
        assert_eq!(failure.to_string(), "/nowhere/x.h5");
    }
}
