//! The link part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5l::{H5L_info2_t, H5L_iterate2_t, H5L_type_t};
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{H5_index_t, H5_iter_order_t, herr_t, hid_t, hsize_t};

c_enum! {
    /// Which kind of link to create.
    H5VL_link_create_t {
        H5VL_LINK_CREATE_HARD = 0,
        H5VL_LINK_CREATE_SOFT = 1,
        H5VL_LINK_CREATE_UD = 2,
    }
}

/// `hard` of [`H5VL_link_create_args_u`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_link_hard_t {
    pub curr_obj: *mut c_void,
    pub curr_loc_params: H5VL_loc_params_t,
}

/// `soft` of [`H5VL_link_create_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_soft_t {
    pub target: *const c_char,
}

/// `ud` of [`H5VL_link_create_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_ud_t {
    pub type_: H5L_type_t,
    pub buf: *const c_void,
    pub buf_size: usize,
}

/// The union `args` of [`H5VL_link_create_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_link_create_args_u {
    pub hard: H5VL_link_hard_t,
    pub soft: H5VL_link_soft_t,
    pub ud: H5VL_link_ud_t,
}

/// Arguments of the link `create` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_link_create_args_t {
    pub op_type: H5VL_link_create_t,
    pub args: H5VL_link_create_args_u,
}

c_enum! {
    /// Which link `get` operation is asked for.
    H5VL_link_get_t {
        H5VL_LINK_GET_INFO = 0,
        H5VL_LINK_GET_NAME = 1,
        H5VL_LINK_GET_VAL = 2,
    }
}

/// `get_info` of [`H5VL_link_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_get_info_t {
    pub linfo: *mut H5L_info2_t,
}

/// `get_name` of [`H5VL_link_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_get_name_t {
    pub name_size: usize,
    pub name: *mut c_char,
    pub name_len: *mut usize,
}

/// `get_val` of [`H5VL_link_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_get_val_t {
    pub buf_size: usize,
    pub buf: *mut c_void,
}

/// The union `args` of [`H5VL_link_get_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_link_get_args_u {
    pub get_info: H5VL_link_get_info_t,
    pub get_name: H5VL_link_get_name_t,
    pub get_val: H5VL_link_get_val_t,
}

/// Arguments of the link `get` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_link_get_args_t {
    pub op_type: H5VL_link_get_t,
    pub args: H5VL_link_get_args_u,
}

c_enum! {
    /// Which link `specific` operation is asked for.
    H5VL_link_specific_t {
        H5VL_LINK_DELETE = 0,
        H5VL_LINK_EXISTS = 1,
        H5VL_LINK_ITER = 2,
    }
}

/// Arguments of the link operation `iterate`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_iterate_args_t {
    pub recursive: bool,
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub idx_p: *mut hsize_t,
    pub op: H5L_iterate2_t,
    pub op_data: *mut c_void,
}

/// `exists` of [`H5VL_link_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_exists_t {
    pub exists: *mut bool,
}

/// The union `args` of [`H5VL_link_specific_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_link_specific_args_u {
    pub exists: H5VL_link_exists_t,
    pub iterate: H5VL_link_iterate_args_t,
}

/// Arguments of the link `specific` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_link_specific_args_t {
    pub op_type: H5VL_link_specific_t,
    pub args: H5VL_link_specific_args_u,
}

/// Number of an optional link operation.
pub type H5VL_link_optional_t = c_int;

/// The link callbacks of a connector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_class_t {
    pub create: Option<
        unsafe extern "C" fn(
            args: *mut H5VL_link_create_args_t,
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            lcpl_id: hid_t,
            lapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub copy: Option<
        unsafe extern "C" fn(
            src_obj: *mut c_void,
            loc_params1: *const H5VL_loc_params_t,
            dst_obj: *mut c_void,
            loc_params2: *const H5VL_loc_params_t,
            lcpl_id: hid_t,
            lapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub move_: Option<
        unsafe extern "C" fn(
            src_obj: *mut c_void,
            loc_params1: *const H5VL_loc_params_t,
            dst_obj: *mut c_void,
            loc_params2: *const H5VL_loc_params_t,
            lcpl_id: hid_t,
            lapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub get: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_link_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub specific: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_link_specific_args_t,
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

impl H5VL_link_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self =
        Self { create: None, copy: None, move_: None, get: None, specific: None, optional: None };
}
