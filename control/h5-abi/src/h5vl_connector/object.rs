//! The object part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_uint, c_void};

use crate::h5i::H5I_type_t;
use crate::h5o::{H5O_info2_t, H5O_iterate2_t, H5O_type_t};
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{H5_index_t, H5_iter_order_t, H5O_token_t, herr_t, hid_t};

c_enum! {
    /// Which object `get` operation is asked for.
    H5VL_object_get_t {
        H5VL_OBJECT_GET_FILE = 0,
        H5VL_OBJECT_GET_NAME = 1,
        H5VL_OBJECT_GET_TYPE = 2,
        H5VL_OBJECT_GET_INFO = 3,
    }
}

/// `get_file` of [`H5VL_object_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_get_file_t {
    pub file: *mut *mut c_void,
}

/// `get_name` of [`H5VL_object_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_get_name_t {
    pub buf_size: usize,
    pub buf: *mut c_char,
    pub name_len: *mut usize,
}

/// `get_type` of [`H5VL_object_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_get_type_t {
    pub obj_type: *mut H5O_type_t,
}

/// `get_info` of [`H5VL_object_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_get_info_t {
    pub fields: c_uint,
    pub oinfo: *mut H5O_info2_t,
}

/// The union `args` of [`H5VL_object_get_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_object_get_args_u {
    pub get_file: H5VL_object_get_file_t,
    pub get_name: H5VL_object_get_name_t,
    pub get_type: H5VL_object_get_type_t,
    pub get_info: H5VL_object_get_info_t,
}

/// Arguments of the object `get` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_object_get_args_t {
    pub op_type: H5VL_object_get_t,
    pub args: H5VL_object_get_args_u,
}

c_enum! {
    /// Which object `specific` operation is asked for.
    H5VL_object_specific_t {
        H5VL_OBJECT_CHANGE_REF_COUNT = 0,
        H5VL_OBJECT_EXISTS = 1,
        H5VL_OBJECT_LOOKUP = 2,
        H5VL_OBJECT_VISIT = 3,
        H5VL_OBJECT_FLUSH = 4,
        H5VL_OBJECT_REFRESH = 5,
    }
}

/// Arguments of the object operation `visit`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_visit_args_t {
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub fields: c_uint,
    pub op: H5O_iterate2_t,
    pub op_data: *mut c_void,
}

/// `change_rc` of [`H5VL_object_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_change_rc_t {
    pub delta: c_int,
}

/// `exists` of [`H5VL_object_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_exists_t {
    pub exists: *mut bool,
}

/// `lookup` of [`H5VL_object_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_lookup_t {
    pub token_ptr: *mut H5O_token_t,
}

/// `flush` of [`H5VL_object_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_flush_t {
    pub obj_id: hid_t,
}

/// `refresh` of [`H5VL_object_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_refresh_t {
    pub obj_id: hid_t,
}

/// The union `args` of [`H5VL_object_specific_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_object_specific_args_u {
    pub change_rc: H5VL_object_change_rc_t,
    pub exists: H5VL_object_exists_t,
    pub lookup: H5VL_object_lookup_t,
    pub visit: H5VL_object_visit_args_t,
    pub flush: H5VL_object_flush_t,
    pub refresh: H5VL_object_refresh_t,
}

/// Arguments of the object `specific` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_object_specific_args_t {
    pub op_type: H5VL_object_specific_t,
    pub args: H5VL_object_specific_args_u,
}

/// Number of an optional object operation.
pub type H5VL_object_optional_t = c_int;

/// The object callbacks of a connector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_class_t {
    pub open: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            opened_type: *mut H5I_type_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void,
    >,
    pub copy: Option<
        unsafe extern "C" fn(
            src_obj: *mut c_void,
            loc_params1: *const H5VL_loc_params_t,
            src_name: *const c_char,
            dst_obj: *mut c_void,
            loc_params2: *const H5VL_loc_params_t,
            dst_name: *const c_char,
            ocpypl_id: hid_t,
            lcpl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub get: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_object_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub specific: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_object_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub optional: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
}

impl H5VL_object_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self = Self { open: None, copy: None, get: None, specific: None, optional: None };
}
