//! Ctrl-C: a worker is ended and files are removed before this process ends.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// The first signal; 0 before it.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From now on the signals that ask for an end are remembered, each once: the second ends the process at once.
pub fn watch_for_interrupts() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: all zeros is a valid value of this structure of integers, a set and an optional function.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = remember as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESETHAND;
        // SAFETY: the handler does what a handler may, the structure is complete, and the old one is not asked for.
        // That it fails for a valid signal cannot be; and then Ctrl-C only does what it always does.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

extern "C" fn remember(signal: libc::c_int) {
    let _ = SIGNAL.compare_exchange(0, signal, Relaxed, Relaxed);
}

/// Whether somebody asked for an end.
pub fn was_interrupted() -> bool {
    interrupted_by().is_some()
}

/// The signal by which somebody asked for an end.
pub fn interrupted_by() -> Option<u8> {
    u8::try_from(SIGNAL.load(Relaxed)).ok().filter(|signal| *signal > 0)
}

/// Takes note of a worker that Ctrl-C has ended: the whole group of processes gets the signal, and the worker may be the
/// first to tell.
pub(super) fn note_worker(signal: Option<i32>) {
    if signal == Some(libc::SIGINT) {
        remember(libc::SIGINT);
    }
}
