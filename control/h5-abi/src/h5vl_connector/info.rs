//! The connector info and object wrapping parts of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5i::H5I_type_t;
use crate::public::herr_t;

/// The callbacks around a connector's info (its configuration).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_info_class_t {
    pub size: usize,
    pub copy: Option<unsafe extern "C" fn(info: *const c_void) -> *mut c_void>,
    pub cmp: Option<
        unsafe extern "C" fn(cmp_value: *mut c_int, info1: *const c_void, info2: *const c_void) -> herr_t,
    >,
    pub free: Option<unsafe extern "C" fn(info: *mut c_void) -> herr_t>,
    pub to_str: Option<unsafe extern "C" fn(info: *const c_void, str: *mut *mut c_char) -> herr_t>,
    pub from_str: Option<unsafe extern "C" fn(str: *const c_char, info: *mut *mut c_void) -> herr_t>,
}

impl H5VL_info_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self = Self { size: 0, copy: None, cmp: None, free: None, to_str: None, from_str: None };
}

c_callbacks! {
    /// The wrapping callbacks of a pass-through connector.
    H5VL_wrap_class_t {
        fn get_object(obj: *const c_void) -> *mut c_void;
        fn get_wrap_ctx(obj: *const c_void, wrap_ctx: *mut *mut c_void) -> herr_t;
        fn wrap_object(obj: *mut c_void, obj_type: H5I_type_t, wrap_ctx: *mut c_void) -> *mut c_void;
        fn unwrap_object(obj: *mut c_void) -> *mut c_void;
        fn free_wrap_ctx(wrap_ctx: *mut c_void) -> herr_t;
    }
}
