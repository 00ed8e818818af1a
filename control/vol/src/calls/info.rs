//! Info callbacks: copy, compare, free, to and from text.

use core::ffi::{CStr, c_char, c_int, c_void};

use super::file::with_slot;
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::info::Info;
use h5_host::errors::preserve;

/// # Safety
/// As [`Info::from_raw`].
unsafe fn required<'a, C: Connector>(info: *const c_void) -> Result<&'a Info<C>> {
    // SAFETY: by the contract.
    unsafe { Info::from_raw(info) }.ok_or_else(|| Error::bad_argument("no connector info"))
}

pub(crate) unsafe extern "C" fn info_copy<C: Connector, const SLOT: usize>(
    info: *const c_void,
) -> *mut c_void {
    with_slot::<C, SLOT, _>(Callback::InfoCopy, |_| {
        // SAFETY: HDF5 passes an info of ours.
        let info = unsafe { required::<C>(info) }?;
        Ok(info.try_clone()?.into_raw())
    })
}

pub(crate) unsafe extern "C" fn info_compare<C: Connector, const SLOT: usize>(
    order: *mut c_int,
    left: *const c_void,
    right: *const c_void,
) -> c_int {
    with_slot::<C, SLOT, _>(Callback::InfoCompare, |_| {
        // SAFETY: HDF5 passes infos of ours and a valid out-pointer.
        unsafe {
            *order = required::<C>(left)?.compare(required::<C>(right)?)? as c_int;
        }
        Ok(0)
    })
}

pub(crate) unsafe extern "C" fn info_free<C: Connector, const SLOT: usize>(info: *mut c_void) -> c_int {
    with_slot::<C, SLOT, _>(Callback::InfoFree, |_| {
        // SAFETY: HDF5 passes an info of ours and gives it up.
        drop(unsafe { Info::<C>::take_raw(info) });
        Ok(0)
    })
}

pub(crate) unsafe extern "C" fn info_to_string<C: Connector, const SLOT: usize>(
    info: *const c_void,
    text: *mut *mut c_char,
) -> c_int {
    with_slot::<C, SLOT, _>(Callback::InfoToString, |instance| {
        // SAFETY: HDF5 passes an info of ours.
        let string = unsafe { required::<C>(info) }?.to_text()?;
        let bytes = string.as_bytes_with_nul();
        let host = instance.host();
        // SAFETY: asks the host for memory that the application will give back to it.
        let memory = preserve(host, || unsafe { (host.functions().H5allocate_memory)(bytes.len(), false) });
        if memory.is_null() {
            return Err(Error::failed("out of memory for an info string"));
        }
        // SAFETY: `memory` has room for all bytes; `text` is a valid out-pointer.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.cast(), bytes.len());
            *text = memory.cast();
        }
        Ok(0)
    })
}

pub(crate) unsafe extern "C" fn info_from_string<C: Connector, const SLOT: usize>(
    text: *const c_char,
    info: *mut *mut c_void,
) -> c_int {
    with_slot::<C, SLOT, _>(Callback::InfoFromString, |instance| {
        if text.is_null() || info.is_null() {
            return Err(Error::bad_argument("no info string"));
        }
        // SAFETY: not null, so a C string valid for the call, and a valid out-pointer.
        unsafe { *info = Info::<C>::from_text(instance.host(), CStr::from_ptr(text)).into_raw() };
        Ok(0)
    })
}
