//! Events in the life of the process, and memory that outlives some of them.

use core::sync::atomic::AtomicU64;

/// Registers a function that runs in every forked child, in its only thread, before `fork` returns there.
///
/// It must not wait for locks: threads that held them do not exist in the child.
pub fn on_fork_in_child(handler: extern "C" fn()) {
    // SAFETY: registers a function of an image that is never unloaded (plugins are linked with `nodelete`).
    // Failure means out of memory, and only that the child counts and pools as its parent did.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// Zeroed words of memory that this process shares with all children that it forks from now on. They stay valid however
/// a process ends. Pages that are not touched take no memory, and nothing is ever freed. `None` if the system refuses.
pub fn shared_with_children(words: usize) -> Option<&'static [AtomicU64]> {
    let bytes = words.checked_mul(size_of::<AtomicU64>()).filter(|bytes| *bytes > 0)?;
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: asks for new memory, at no particular place.
    let place = unsafe { libc::mmap(core::ptr::null_mut(), bytes, access, kind, -1, 0) };
    if place == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: that many bytes, aligned to pages and all zeros, which are such numbers; never unmapped. Other processes
    // change them through the same type.
    Some(unsafe { core::slice::from_raw_parts(place.cast(), words) })
}
