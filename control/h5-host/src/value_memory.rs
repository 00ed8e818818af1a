//! Memory for variable-length values, from functions of the application.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

use crate::id::Id;
use crate::questions::Questions;

/// The functions of a transfer property list that take and free memory for variable-length values.
#[derive(Debug, Clone, Copy)]
pub struct ValueMemory {
    allocate: unsafe extern "C" fn(usize, *mut c_void) -> *mut c_void,
    allocate_info: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    free_info: *mut c_void,
}

impl Questions {
    /// The functions that a transfer property list has for such memory; `Ok(None)` if HDF5 uses the C library's, and an error
    /// if it does not tell.
    #[expect(clippy::result_unit_err, reason = "why, the host has said on its error stack")]
    pub fn value_memory(self, transfer: Id) -> Result<Option<ValueMemory>, ()> {
        if self.is_default_transfer(transfer) {
            return Ok(None);
        }
        let (mut allocate, mut free) = (None, None);
        let (mut allocate_info, mut free_info) = (null_mut(), null_mut());
        // SAFETY: the host verifies the list; valid out-pointers. The functions are not called here.
        let status = unsafe {
            (self.0.functions().H5Pget_vlen_mem_manager)(
                transfer.0,
                &raw mut allocate,
                &raw mut allocate_info,
                &raw mut free,
                &raw mut free_info,
            )
        };
        let found = allocate.map(|allocate| ValueMemory { allocate, allocate_info, free, free_info });
        if status < 0 { Err(()) } else { Ok(found) }
    }
}

impl ValueMemory {
    /// Takes memory; `None` if the application has none. Call it only on the thread of the application's call.
    pub fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the application has given function and pointer to HDF5 to be called like this during its call.
        NonNull::new(unsafe { (self.allocate)(bytes, self.allocate_info) }.cast())
    }

    /// Gives memory back. Call it only on the thread of the application's call.
    ///
    /// # Safety
    /// [`allocate`](Self::allocate) has returned it, and nobody uses it any more.
    pub unsafe fn free(&self, memory: NonNull<u8>) {
        let memory = memory.as_ptr().cast();
        // SAFETY: as for `allocate`; without a function of its own the application uses the C library's.
        unsafe {
            match self.free {
                Some(free) => free(memory, self.free_info),
                None => libc::free(memory),
            }
        }
    }
}
