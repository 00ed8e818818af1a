//! Mirror of `H5PLpublic.h`.

use core::ffi::{CStr, c_uint};

c_enum! {
    /// Kind of a plugin, as `H5PLget_plugin_type` returns it.
    H5PL_type_t {
        H5PL_TYPE_ERROR = -1,
        H5PL_TYPE_FILTER = 0,
        H5PL_TYPE_VOL = 1,
        H5PL_TYPE_VFD = 2,
        H5PL_TYPE_NONE = 3,
    }
}

pub const H5PL_FILTER_PLUGIN: c_uint = 0x0001;
pub const H5PL_VOL_PLUGIN: c_uint = 0x0002;
pub const H5PL_VFD_PLUGIN: c_uint = 0x0004;
pub const H5PL_ALL_PLUGIN: c_uint = 0xFFFF;

/// Value of `HDF5_PLUGIN_PRELOAD` that turns plugins off.
pub const H5PL_NO_PLUGIN: &CStr = c"::";
