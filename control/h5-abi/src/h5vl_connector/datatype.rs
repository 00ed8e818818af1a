//! The named datatype part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{herr_t, hid_t};

c_enum! {
    /// Which named datatype `get` operation is asked for.
    H5VL_datatype_get_t {
        H5VL_DATATYPE_GET_BINARY_SIZE = 0,
        H5VL_DATATYPE_GET_BINARY = 1,
        H5VL_DATATYPE_GET_TCPL = 2,
    }
}

/// `get_binary_size` of [`H5VL_datatype_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_datatype_get_binary_size_t {
    pub size: *mut usize,
}

/// `get_binary` of [`H5VL_datatype_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_datatype_get_binary_t {
    pub buf: *mut c_void,
    pub buf_size: usize,
}

/// `get_tcpl` of [`H5VL_datatype_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_datatype_get_tcpl_t {
    pub tcpl_id: hid_t,
}

/// The union `args` of [`H5VL_datatype_get_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_datatype_get_args_u {
    pub get_binary_size: H5VL_datatype_get_binary_size_t,
    pub get_binary: H5VL_datatype_get_binary_t,
    pub get_tcpl: H5VL_datatype_get_tcpl_t,
}

/// Arguments of the named datatype `get` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_datatype_get_args_t {
    pub op_type: H5VL_datatype_get_t,
    pub args: H5VL_datatype_get_args_u,
}

c_enum! {
    /// Which named datatype `specific` operation is asked for.
    H5VL_datatype_specific_t {
        H5VL_DATATYPE_FLUSH = 0,
        H5VL_DATATYPE_REFRESH = 1,
    }
}

/// `flush` of [`H5VL_datatype_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_datatype_flush_t {
    pub type_id: hid_t,
}

/// `refresh` of [`H5VL_datatype_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_datatype_refresh_t {
    pub type_id: hid_t,
}

/// The union `args` of [`H5VL_datatype_specific_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_datatype_specific_args_u {
    pub flush: H5VL_datatype_flush_t,
    pub refresh: H5VL_datatype_refresh_t,
}

/// Arguments of the named datatype `specific` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_datatype_specific_args_t {
    pub op_type: H5VL_datatype_specific_t,
    pub args: H5VL_datatype_specific_args_u,
}

/// Number of an optional named datatype operation.
pub type H5VL_datatype_optional_t = c_int;

/// The named datatype callbacks of a connector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_datatype_class_t {
    pub commit: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            type_id: hid_t,
            lcpl_id: hid_t,
            tcpl_id: hid_t,
            tapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void,
    >,
    pub open: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            tapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void,
    >,
    pub get: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_datatype_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub specific: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_datatype_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub optional: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub close: Option<unsafe extern "C" fn(dt: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t>,
}

impl H5VL_datatype_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self =
        Self { commit: None, open: None, get: None, specific: None, optional: None, close: None };
}
