//! Mirror of `H5Lpublic.h`.

use core::ffi::{c_char, c_uint, c_void};

use crate::h5t::H5T_cset_t;
use crate::public::{H5O_token_t, herr_t, hid_t};

/// In place of a location: the same as the other one.
pub const H5L_SAME_LOC: hid_t = 0;

c_enum! {
    /// Kind of a link.
    H5L_type_t {
        H5L_TYPE_ERROR = -1,
        H5L_TYPE_HARD = 0,
        H5L_TYPE_SOFT = 1,
        H5L_TYPE_EXTERNAL = 64,
        H5L_TYPE_MAX = 255,
    }
}

/// Largest built-in link type.
pub const H5L_TYPE_BUILTIN_MAX: H5L_type_t = H5L_TYPE_SOFT;
/// Smallest user-defined link type.
pub const H5L_TYPE_UD_MIN: H5L_type_t = H5L_TYPE_EXTERNAL;
/// Largest user-defined link type.
pub const H5L_TYPE_UD_MAX: H5L_type_t = H5L_TYPE_MAX;

/// The union `u` of [`H5L_info2_t`]: `token` for hard links, `val_size` for all others.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5L_info2_u {
    pub token: H5O_token_t,
    pub val_size: usize,
}

/// What `H5Lget_info2` reports.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5L_info2_t {
    pub type_: H5L_type_t,
    pub corder_valid: bool,
    pub corder: i64,
    pub cset: H5T_cset_t,
    pub u: H5L_info2_u,
}

/// Callback of `H5Literate2`.
pub type H5L_iterate2_t = Option<
    unsafe extern "C" fn(
        group: hid_t,
        name: *const c_char,
        info: *const H5L_info2_t,
        op_data: *mut c_void,
    ) -> herr_t,
>;

/// Callback of `H5Pset_elink_cb`.
pub type H5L_elink_traverse_t = Option<
    unsafe extern "C" fn(
        parent_file_name: *const c_char,
        parent_group_name: *const c_char,
        child_file_name: *const c_char,
        child_object_name: *const c_char,
        acc_flags: *mut c_uint,
        fapl_id: hid_t,
        op_data: *mut c_void,
    ) -> herr_t,
>;
