//! Mirror of `H5Epublic.h`.

use core::ffi::{c_char, c_uint, c_void};

use crate::public::{herr_t, hid_t};

/// The error stack of the calling thread.
pub const H5E_DEFAULT: hid_t = 0;

c_enum! {
    /// Major or minor error message.
    H5E_type_t {
        H5E_MAJOR = 0,
        H5E_MINOR = 1,
    }
}

/// One entry of an error stack.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5E_error2_t {
    pub cls_id: hid_t,
    pub maj_num: hid_t,
    pub min_num: hid_t,
    pub line: c_uint,
    pub func_name: *const c_char,
    pub file_name: *const c_char,
    pub desc: *const c_char,
}

c_enum! {
    /// Direction of a walk of an error stack.
    H5E_direction_t {
        H5E_WALK_UPWARD = 0,
        H5E_WALK_DOWNWARD = 1,
    }
}

/// Callback of `H5Ewalk2`.
pub type H5E_walk2_t = Option<
    unsafe extern "C" fn(n: c_uint, err_desc: *const H5E_error2_t, client_data: *mut c_void) -> herr_t,
>;

/// Callback of automatic error reports.
pub type H5E_auto2_t = Option<unsafe extern "C" fn(estack: hid_t, client_data: *mut c_void) -> herr_t>;
