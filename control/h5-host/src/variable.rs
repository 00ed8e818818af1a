//! Variables of the host that hold identifiers, such as `H5T_NATIVE_INT_g`.
//!
//! A program that is linked to libhdf5 and names such a variable holds it itself: the linker puts a copy into the
//! executable, and the library uses that one. Its own, which is what asking the library for the symbol gives, is then never
//! set. So both are looked at.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::ffi::CString;

use h5_abi::hid_t;
use libloading::os::unix::Library;

use crate::id::Id;
use crate::locate::{base_of_image, base_of_program};

/// A variable of the host.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    own: NonNull<hid_t>,
    /// The executable's copy, if it has one.
    copy: Option<NonNull<hid_t>>,
}

// SAFETY: the variable is read only inside the host's callbacks.
unsafe impl Send for Variable {}
// SAFETY: as for `Send`.
unsafe impl Sync for Variable {}

impl Variable {
    /// The variable that the library has at this address under this name; `None` if that is null.
    ///
    /// # Safety
    /// `own` is null or the address of a variable of that name and of type `hid_t`.
    pub(crate) unsafe fn new(own: *mut c_void, name: &str) -> Option<Self> {
        let own = NonNull::new(own.cast())?;
        Some(Self { own, copy: copy_in_program(name).filter(|copy| *copy != own) })
    }

    /// What is in it now; invalid before the library has set it. Called only inside the host's callbacks.
    pub fn get(self) -> Id {
        // SAFETY: a variable of the host, mapped as long as the host is.
        let own = Id(unsafe { self.own.as_ptr().read_volatile() });
        match self.copy {
            // SAFETY: a variable of the executable, which is mapped as long as the process lives.
            Some(copy) if !own.is_valid() => Id(unsafe { copy.as_ptr().read_volatile() }),
            _ => own,
        }
    }
}

/// The variable of this name in the executable.
fn copy_in_program(name: &str) -> Option<NonNull<hid_t>> {
    let name = CString::new(name).ok()?;
    // SAFETY: only the address is taken.
    let found = unsafe { Library::this().get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?.into_raw();
    // Not what a library has that the program is linked to: it may be another libhdf5.
    (base_of_image(found)? == base_of_program()?).then_some(NonNull::new(found.cast())?)
}
