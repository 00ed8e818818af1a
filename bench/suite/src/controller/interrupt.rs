//! Ctrl-C: the worker is killed and files are removed before this process ends.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// The first signal that was received, or 0.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// From now on, the first signal that asks this process to end is only recorded. The second ends it at once.
pub fn watch_for_interrupts() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: all zeros is a valid value of this structure of integers, a set and an optional function.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = remember as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESETHAND;
        // SAFETY: the handler does what a handler may, the structure is complete, and the old one is not asked for.
        // This cannot fail for a valid signal. If it did, Ctrl-C would do what it does by default.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

extern "C" fn remember(signal: libc::c_int) {
    let _ = SIGNAL.compare_exchange(0, signal, Relaxed, Relaxed);
}

/// Whether the user interrupted this process.
pub fn was_interrupted() -> bool {
    interrupted_by().is_some()
}

/// The signal that interrupted this process.
pub fn interrupted_by() -> Option<u8> {
    u8::try_from(SIGNAL.load(Relaxed)).ok().filter(|signal| *signal > 0)
}

/// Records a signal that ended a worker. Ctrl-C goes to the whole process group, and we may notice the worker's end first.
pub(super) fn note_worker(signal: Option<i32>) {
    if signal == Some(libc::SIGINT) {
        remember(libc::SIGINT);
    }
}
