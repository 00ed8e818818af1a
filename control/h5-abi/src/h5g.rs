//! Mirror of `H5Gpublic.h`.

use core::ffi::{c_char, c_uint, c_ulong, c_void};

use crate::h5o::H5O_stat_t;
use crate::public::{herr_t, hid_t, hsize_t, time_t};

c_enum! {
    /// How a group stores its links.
    H5G_storage_type_t {
        H5G_STORAGE_TYPE_UNKNOWN = -1,
        H5G_STORAGE_TYPE_SYMBOL_TABLE = 0,
        H5G_STORAGE_TYPE_COMPACT = 1,
        H5G_STORAGE_TYPE_DENSE = 2,
    }
}

/// What `H5Gget_info` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5G_info_t {
    pub storage_type: H5G_storage_type_t,
    pub nlinks: hsize_t,
    pub max_corder: i64,
    pub mounted: bool,
}

c_enum! {
    /// Kind of object in the deprecated [`H5G_stat_t`].
    H5G_obj_t {
        H5G_UNKNOWN = -1,
        H5G_GROUP = 0,
        H5G_DATASET = 1,
        H5G_TYPE = 2,
        H5G_LINK = 3,
        H5G_UDLINK = 4,
        H5G_RESERVED_5 = 5,
        H5G_RESERVED_6 = 6,
        H5G_RESERVED_7 = 7,
    }
}

/// Callback of the deprecated `H5Giterate`.
pub type H5G_iterate_t =
    Option<unsafe extern "C" fn(group: hid_t, name: *const c_char, op_data: *mut c_void) -> herr_t>;

/// What the deprecated `H5Gget_objinfo` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5G_stat_t {
    pub fileno: [c_ulong; 2],
    pub objno: [c_ulong; 2],
    pub nlink: c_uint,
    pub type_: H5G_obj_t,
    pub mtime: time_t,
    pub linklen: usize,
    pub ohdr: H5O_stat_t,
}
