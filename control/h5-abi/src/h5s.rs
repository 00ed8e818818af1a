//! Mirror of `H5Spublic.h`.

use core::ffi::c_uint;

use crate::public::{HSIZE_UNDEF, hid_t, hsize_t};

/// In place of a dataspace: all of it.
pub const H5S_ALL: hid_t = 0;
/// In place of a memory dataspace: one contiguous block.
pub const H5S_BLOCK: hid_t = 1;
/// In place of a file dataspace: the selection is in the transfer property list.
pub const H5S_PLIST: hid_t = 2;

/// No limit to a dimension.
pub const H5S_UNLIMITED: hsize_t = HSIZE_UNDEF;

/// Largest rank of a dataspace.
pub const H5S_MAX_RANK: usize = 32;

pub const H5S_SEL_ITER_GET_SEQ_LIST_SORTED: c_uint = 0x0001;
pub const H5S_SEL_ITER_SHARE_WITH_DATASPACE: c_uint = 0x0002;

c_enum! {
    /// Kind of a dataspace.
    H5S_class_t {
        H5S_NO_CLASS = -1,
        H5S_SCALAR = 0,
        H5S_SIMPLE = 1,
        H5S_NULL = 2,
    }
}

c_enum! {
    /// How a selection combines with the one there is.
    H5S_seloper_t {
        H5S_SELECT_NOOP = -1,
        H5S_SELECT_SET = 0,
        H5S_SELECT_OR = 1,
        H5S_SELECT_AND = 2,
        H5S_SELECT_XOR = 3,
        H5S_SELECT_NOTB = 4,
        H5S_SELECT_NOTA = 5,
        H5S_SELECT_APPEND = 6,
        H5S_SELECT_PREPEND = 7,
        H5S_SELECT_INVALID = 8,
    }
}

c_enum! {
    /// Kind of a selection.
    H5S_sel_type {
        H5S_SEL_ERROR = -1,
        H5S_SEL_NONE = 0,
        H5S_SEL_POINTS = 1,
        H5S_SEL_HYPERSLABS = 2,
        H5S_SEL_ALL = 3,
        H5S_SEL_N = 4,
    }
}
