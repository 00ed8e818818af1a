//! Mirror of `H5Apublic.h`.

use core::ffi::{c_char, c_void};

use crate::h5o::H5O_msg_crt_idx_t;
use crate::h5t::H5T_cset_t;
use crate::public::{herr_t, hid_t, hsize_t};

/// What `H5Aget_info` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5A_info_t {
    pub corder_valid: bool,
    pub corder: H5O_msg_crt_idx_t,
    pub cset: H5T_cset_t,
    pub data_size: hsize_t,
}

/// Callback of `H5Aiterate2`.
pub type H5A_operator2_t = Option<
    unsafe extern "C" fn(
        location_id: hid_t,
        attr_name: *const c_char,
        ainfo: *const H5A_info_t,
        op_data: *mut c_void,
    ) -> herr_t,
>;

/// Callback of the deprecated `H5Aiterate1`.
pub type H5A_operator1_t = Option<
    unsafe extern "C" fn(location_id: hid_t, attr_name: *const c_char, operator_data: *mut c_void) -> herr_t,
>;
