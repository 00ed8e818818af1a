//! Events in the life of the process.

/// Registers a function that runs in every forked child, in its only thread, before `fork` returns there.
///
/// It must not wait for locks: threads that held them do not exist in the child.
pub fn on_fork_in_child(handler: extern "C" fn()) {
    // SAFETY: registers a function of an image that is never unloaded (plugins are linked with `nodelete`).
    // Failure means out of memory, and only that the child counts and pools as its parent did.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}
