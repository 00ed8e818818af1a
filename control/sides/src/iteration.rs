//! Lists of links and of attributes.

use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;

use h5_abi::{H5_INDEX_NAME, H5_ITER_INC, H5A_info_t, H5L_TYPE_HARD, H5L_info2_t, herr_t, hid_t};
use h5_vol::Id;

use crate::failure::Outcome;
use crate::hdf5::{DEFAULT, Hdf5};

/// A link: to an object of the file, or another kind with its value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Hard,
    Other { class: i32, value: Vec<u8> },
}

impl Hdf5 {
    /// All links of a group, by name.
    pub(crate) fn links_of(self, group: Id) -> Outcome<Vec<(CString, Link)>> {
        unsafe extern "C" fn visit(
            _: hid_t,
            name: *const c_char,
            info: *const H5L_info2_t,
            data: *mut c_void,
        ) -> herr_t {
            // SAFETY: the data is the list below; HDF5 passes a C string and information.
            unsafe {
                (*data.cast::<Vec<(CString, H5L_info2_t)>>()).push((CStr::from_ptr(name).to_owned(), *info));
            };
            0
        }
        let mut found = Vec::<(CString, H5L_info2_t)>::new();
        let (start, data) = (core::ptr::null_mut(), (&raw mut found).cast());
        // SAFETY: the function and its data belong together; both outlive the call.
        unsafe { call!(self, H5Literate2(group.0, H5_INDEX_NAME, H5_ITER_INC, start, Some(visit), data)) }?;
        found
            .into_iter()
            .map(|(name, info)| {
                if info.type_ == H5L_TYPE_HARD {
                    return Ok((name, Link::Hard));
                }
                // SAFETY: for all other kinds this member is set.
                let mut value = vec![0_u8; unsafe { info.u.val_size }];
                if !value.is_empty() {
                    let (buffer, size) = (value.as_mut_ptr().cast(), value.len());
                    // SAFETY: a buffer of that size.
                    unsafe { call!(self, H5Lget_val(group.0, name.as_ptr(), buffer, size, DEFAULT)) }?;
                }
                Ok((name, Link::Other { class: info.type_.0, value }))
            })
            .collect()
    }

    /// Names of all attributes of an object, sorted.
    pub(crate) fn attributes_of(self, object: Id) -> Outcome<Vec<CString>> {
        unsafe extern "C" fn visit(
            _: hid_t,
            name: *const c_char,
            _: *const H5A_info_t,
            data: *mut c_void,
        ) -> herr_t {
            // SAFETY: the data is the list below; HDF5 passes a C string.
            unsafe { (*data.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned()) };
            0
        }
        let mut names = Vec::<CString>::new();
        let (start, data) = (core::ptr::null_mut(), (&raw mut names).cast());
        // SAFETY: as above.
        unsafe { call!(self, H5Aiterate2(object.0, H5_INDEX_NAME, H5_ITER_INC, start, Some(visit), data)) }?;
        Ok(names)
    }
}
