//! What kind of file system a file is on.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// File systems that many machines share and that every one of them knows by the same number, so that all processes of a
/// program find the same: Lustre, GPFS, BeeGFS, CephFS, OrangeFS, PanFS. A machine that serves NFS or SMB to the others
/// sees another file system than they do, so these are not among them.
const PARALLEL: [u64; 6] = [0x0BD0_0BD0, 0x4750_4653, 0x1983_0326, 0x00C3_6400, 0x2003_0528, 0xAAD7_AAEA];

/// Whether a file is on a parallel file system.
///
/// # Errors
/// If the system does not say.
pub fn is_on_parallel_file_system(file: &Path) -> io::Result<bool> {
    let name = CString::new(file.as_os_str().as_bytes())?;
    let mut found = MaybeUninit::<libc::statfs64>::uninit();
    // SAFETY: a string that ends with a zero, and room for the answer.
    if unsafe { libc::statfs64(name.as_ptr(), found.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has filled it.
    let number = unsafe { found.assume_init() }.f_type;
    // Its type differs between systems; the number has 32 bits, and may be negative.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast, reason = "only the lower 32 bits count")]
    let number = number as u64 & 0xFFFF_FFFF;
    Ok(PARALLEL.contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_none_of_them_and_what_is_missing_is_an_error() {
        assert!(!is_on_parallel_file_system(Path::new("/proc/self")).unwrap());
        assert!(is_on_parallel_file_system(Path::new("/proc/self/missing")).is_err());
        assert!(is_on_parallel_file_system(Path::new("a\0b")).is_err());
    }
}
