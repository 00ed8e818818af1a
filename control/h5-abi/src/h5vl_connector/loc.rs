//! Where an operation happens, and the arguments of every `optional` callback.

use core::ffi::{c_char, c_int, c_void};

use crate::h5i::H5I_type_t;
use crate::public::{H5_index_t, H5_iter_order_t, H5O_token_t, hid_t, hsize_t};

c_enum! {
    /// How an object is located: itself, by name, by index or by token.
    H5VL_loc_type_t {
        H5VL_OBJECT_BY_SELF = 0,
        H5VL_OBJECT_BY_NAME = 1,
        H5VL_OBJECT_BY_IDX = 2,
        H5VL_OBJECT_BY_TOKEN = 3,
    }
}

/// Location by a path relative to the object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_loc_by_name_t {
    pub name: *const c_char,
    pub lapl_id: hid_t,
}

/// Location by position in an index of a group.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_loc_by_idx_t {
    pub name: *const c_char,
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub n: hsize_t,
    pub lapl_id: hid_t,
}

/// Location by token.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_loc_by_token_t {
    pub token: *mut H5O_token_t,
}

/// The union `loc_data` of [`H5VL_loc_params_t`]: `type_` says which member is in use (none for
/// `H5VL_OBJECT_BY_SELF`).
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_loc_data_u {
    pub loc_by_token: H5VL_loc_by_token_t,
    pub loc_by_name: H5VL_loc_by_name_t,
    pub loc_by_idx: H5VL_loc_by_idx_t,
}

/// Where an operation is to happen, relative to the object pointer given with it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_loc_params_t {
    pub obj_type: H5I_type_t,
    pub type_: H5VL_loc_type_t,
    pub loc_data: H5VL_loc_data_u,
}

/// Arguments of every `optional` callback.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_optional_args_t {
    pub op_type: c_int,
    pub args: *mut c_void,
}
