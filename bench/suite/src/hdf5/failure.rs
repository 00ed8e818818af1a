//! What HDF5 says when it fails.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::ptr;

use anyhow::anyhow;
use h5_abi::{H5E_DEFAULT, H5E_WALK_DOWNWARD, H5E_error2_t};

use super::api::Api;

impl Api {
    /// Keeps this thread's errors from being printed.
    pub(super) fn print_nothing(&self) {
        // SAFETY: no function to print with.
        unsafe { (self.H5Eset_auto2)(H5E_DEFAULT, None, ptr::null_mut()) };
    }

    /// The status of a call, which is negative when it fails.
    #[inline]
    pub(super) fn check<T: Copy + PartialOrd + Default>(&self, call: &str, status: T) -> anyhow::Result<T> {
        if status < T::default() { Err(self.failure(call)) } else { Ok(status) }
    }

    /// The error of a call that just failed in this thread.
    #[cold]
    pub(super) fn failure(&self, call: &str) -> anyhow::Error {
        let mut stack: Vec<String> = Vec::new();
        // SAFETY: `collect` gets the vector it expects.
        unsafe {
            (self.H5Ewalk2)(H5E_DEFAULT, H5E_WALK_DOWNWARD, Some(collect), (&raw mut stack).cast());
            (self.H5Eclear2)(H5E_DEFAULT);
        }
        if stack.is_empty() {
            anyhow!("{call} failed")
        } else {
            anyhow!("{call} failed: {}", stack.join(": "))
        }
    }
}

unsafe extern "C" fn collect(_: c_uint, entry: *const H5E_error2_t, stack: *mut c_void) -> c_int {
    // SAFETY: HDF5 passes a valid entry, and the vector given to the walk.
    let (entry, stack) = unsafe { (&*entry, &mut *stack.cast::<Vec<String>>()) };
    let said = text(entry.desc);
    if !said.is_empty() {
        stack.push(said);
    }
    0
}

fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: a C string of the entry.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
}
