//! Names and paths, as HDF5 takes and gives them.

use core::ffi::{CStr, c_char};
use std::borrow::Cow;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::session::Session;

/// Something that HDF5 takes as a name: any text without a NUL byte.
pub trait Name {
    /// As a C string.
    fn to_c(&self) -> Result<Cow<'_, CStr>>;
}

impl Name for CStr {
    fn to_c(&self) -> Result<Cow<'_, CStr>> {
        Ok(Cow::Borrowed(self))
    }
}

impl Name for CString {
    fn to_c(&self) -> Result<Cow<'_, CStr>> {
        Ok(Cow::Borrowed(self.as_c_str()))
    }
}

impl Name for OsStr {
    fn to_c(&self) -> Result<Cow<'_, CStr>> {
        match CString::new(self.as_bytes()) {
            Ok(name) => Ok(Cow::Owned(name)),
            Err(_) => Err(Failure::refused(format!("the name '{}' has a NUL byte", self.display()))),
        }
    }
}

macro_rules! as_os_str {
    ($($name:ty)*) => {
        $(impl Name for $name {
            fn to_c(&self) -> Result<Cow<'_, CStr>> {
                AsRef::<OsStr>::as_ref(self).to_c()
            }
        })*
    };
}

as_os_str! { str String Path PathBuf }

impl<N: Name + ?Sized> Name for &N {
    fn to_c(&self) -> Result<Cow<'_, CStr>> {
        (*self).to_c()
    }
}

impl Session {
    /// A text of HDF5's: `ask(buffer, size)` returns its whole length, or a negative number.
    pub(crate) fn ask_text(&self, call: &str, ask: impl Fn(*mut c_char, usize) -> isize) -> Result<CString> {
        let length = self.check(call, ask(core::ptr::null_mut(), 0))?.unsigned_abs();
        let mut buffer = vec![0_u8; length + 1];
        self.check(call, ask(buffer.as_mut_ptr().cast(), buffer.len()))?;
        CStr::from_bytes_until_nul(&buffer)
            .map(CStr::to_owned)
            .map_err(|_| Failure::refused(format!("{call} returned a text without an end")))
    }

    /// Takes a text over that HDF5 has allocated.
    ///
    /// # Safety
    /// `text` is a C string that is ours to free with `H5free_memory`, or null.
    pub(crate) unsafe fn take_text(&self, text: *mut c_char) -> Result<Option<CString>> {
        if text.is_null() {
            return Ok(None);
        }
        // SAFETY: by the contract.
        let owned = unsafe { CStr::from_ptr(text) }.to_owned();
        // SAFETY: by the contract; it is not used again.
        unsafe { call!(self, H5free_memory(text.cast())) }?;
        Ok(Some(owned))
    }
}
