//! Calls of ours in a context of their own.
//!
//! HDF5 keeps what it has looked up in property lists in a context for each call of the application: the allocator for
//! variable-length data, the function for failing filters, buffer sizes, B-tree ratios. Public functions begin a
//! new one. The callbacks of the connector below do not: they use that of the call we are in, and what they look up in
//! the list that we give them stays there. HDF5 would then use it instead of what the application's own list says.

use core::ffi::c_void;

use crate::host::Host;

/// A context that was begun last. Ends when it is dropped, also after a panic.
struct Context(Host, *mut c_void);

impl Context {
    /// `None` in a host without the functions for that.
    fn begin(host: Host) -> Option<Self> {
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
        begun.then_some(Self(host, context))
    }
}

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

/// Runs `calls` in a context of their own, in which property lists are default ones. In a host without the functions for
/// that they run in the context of the application's call.
pub fn apart<R>(host: Host, calls: impl FnOnce() -> R) -> R {
    let _context = Context::begin(host);
    calls()
}

/// What HDF5 knows in the call that we are in, for a part of it that is made in a later one.
///
/// HDF5 notes there that objects are wrapped by a connector. Native HDF5 forgets the wrapped file that it keeps for itself if a
/// file is closed in a call for which that was not noted.
#[derive(Debug)]
pub struct KeptContext {
    host: Host,
    /// Null in a host without the functions for that.
    state: *mut c_void,
}

// SAFETY: it is used inside callbacks of the host only, one at a time.
unsafe impl Send for KeptContext {}

impl KeptContext {
    /// That of the call that we are in. It must be [resumed](Self::resume) sometime.
    pub fn of_call(host: Host) -> Self {
        let functions = host.functions();
        let mut state = core::ptr::null_mut();
        if let (Some(retrieve), Some(_), Some(_)) =
            (functions.H5VLretrieve_lib_state, functions.H5VLrestore_lib_state, functions.H5VLfree_lib_state)
        {
            // SAFETY: a valid out-pointer, inside a callback. It does not touch the error stack.
            let status = unsafe { retrieve(&raw mut state) };
            if status < 0 {
                state = core::ptr::null_mut();
            }
        }
        Self { host, state }
    }

    /// Runs `calls`, in a later callback of the same host, as if they were made in that call.
    pub fn resume<R>(self, calls: impl FnOnce() -> R) -> R {
        /// Gives what HDF5 keeps of it back, also after a panic.
        struct Release(KeptContext);
        impl Drop for Release {
            fn drop(&mut self) {
                if let Some(free) = self.0.host.functions().H5VLfree_lib_state
                    && !self.0.state.is_null()
                {
                    // SAFETY: it came from this host, and nobody has it any more: the context that used it has ended.
                    unsafe { free(self.0.state) };
                }
            }
        }

        let release = Release(self);
        let kept = &release.0;
        let context = Context::begin(kept.host);
        if let (Some(_), Some(restore), false) =
            (&context, kept.host.functions().H5VLrestore_lib_state, kept.state.is_null())
        {
            // SAFETY: it came from this host, and is freed after the context in which it is used. Without it the calls work,
            // too.
            unsafe { restore(kept.state) };
        }
        calls()
    }
}
