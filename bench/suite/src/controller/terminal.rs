//! The width of the terminal.

use std::io::{IsTerminal, stderr, stdout};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};

/// The width of the terminal that standard output goes to. `None` if it is not a terminal.
pub fn width_of_output() -> Option<usize> {
    let stdout = stdout();
    stdout.is_terminal().then(|| width(stdout.as_raw_fd())).flatten()
}

/// The width of the terminal that standard error goes to. `None` if it is not a terminal.
pub fn width_of_errors() -> Option<usize> {
    let stderr = stderr();
    stderr.is_terminal().then(|| width(stderr.as_raw_fd())).flatten()
}

fn width(descriptor: RawFd) -> Option<usize> {
    let mut size = MaybeUninit::<libc::winsize>::uninit();
    // SAFETY: the descriptor is that of a standard stream, and there is room for the answer.
    if unsafe { libc::ioctl(descriptor, libc::TIOCGWINSZ, size.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: it was filled in, as it did not fail.
    let size = unsafe { size.assume_init() };
    // Some terminals report no width.
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}
