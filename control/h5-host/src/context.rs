//! Calls of ours in a context of their own.
//!
//! HDF5 keeps what it has looked up in property lists in a context for each call of the application: the allocator for
//! variable-length data, the function for failing filters, buffer sizes, B-tree ratios. Public functions begin a
//! new one. The callbacks of the connector below do not: they use that of the call we are in, and what they look up in
//! the list that we give them stays there. HDF5 would then use it instead of what the application's own list says.

use core::ffi::c_void;

use crate::host::Host;

/// Runs `calls` in a context of their own, in which property lists are default ones. In a host without the functions for
/// that they run in the context of the application's call.
pub fn apart<R>(host: Host, calls: impl FnOnce() -> R) -> R {
    /// Ends the context, also after a panic.
    struct Context(Host, *mut c_void);
    impl Drop for Context {
        fn drop(&mut self) {
            let functions = self.0.functions();
            // SAFETY: the one that was begun last, and not ended yet: calls are nested.
            unsafe {
                if let Some(close) = functions.H5VLclose_lib_context {
                    close(self.1);
                } else if let Some(finish) = functions.H5VLfinish_lib_state {
                    finish();
                }
            }
        }
    }

    let functions = host.functions();
    let mut context = core::ptr::null_mut();
    // SAFETY: a valid out-pointer. Neither touches the error stack.
    let begun = unsafe {
        match (functions.H5VLopen_lib_context, functions.H5VLclose_lib_context) {
            (Some(open), Some(_)) => open(&raw mut context) >= 0,
            _ => match (functions.H5VLstart_lib_state, functions.H5VLfinish_lib_state) {
                (Some(start), Some(_)) => start() >= 0,
                _ => false,
            },
        }
    };
    let _context = begun.then(|| Context(host, context));
    calls()
}
