//! Mirror of `H5public.h` (and `hid_t`, `H5I_INVALID_HID` of `H5Ipublic.h`, `H5P_DEFAULT` of `H5Ppublic.h`).

use core::ffi::c_int;

/// Identifier of an open HDF5 object.
pub type hid_t = i64;
/// Result of most calls: negative on failure.
pub type herr_t = c_int;
/// Three-valued result: positive for true, zero for false, negative on failure.
pub type htri_t = c_int;
/// The C `bool`.
pub type hbool_t = bool;
/// Sizes of dataspaces and of things in files.
pub type hsize_t = u64;
/// Signed counterpart of [`hsize_t`].
pub type hssize_t = i64;
/// Address in a file.
pub type haddr_t = u64;
/// C's `time_t`, 64 bits on every platform this project builds for.
pub type time_t = i64;

/// No identifier; what failing calls return.
pub const H5I_INVALID_HID: hid_t = -1;
/// The default property list of whatever class is expected.
pub const H5P_DEFAULT: hid_t = 0;

/// No address.
pub const HADDR_UNDEF: haddr_t = u64::MAX;
/// Largest address.
pub const HADDR_MAX: haddr_t = HADDR_UNDEF - 1;

/// No size.
pub const HSIZE_UNDEF: hsize_t = u64::MAX;

c_enum! {
    /// Order of an iteration.
    H5_iter_order_t {
        H5_ITER_UNKNOWN = -1,
        H5_ITER_INC = 0,
        H5_ITER_DEC = 1,
        H5_ITER_NATIVE = 2,
        H5_ITER_N = 3,
    }
}

/// Iteration callback: stop, with an error.
pub const H5_ITER_ERROR: herr_t = -1;
/// Iteration callback: go on.
pub const H5_ITER_CONT: herr_t = 0;
/// Iteration callback: stop, with success.
pub const H5_ITER_STOP: herr_t = 1;

c_enum! {
    /// The index an iteration goes over.
    H5_index_t {
        H5_INDEX_UNKNOWN = -1,
        H5_INDEX_NAME = 0,
        H5_INDEX_CRT_ORDER = 1,
        H5_INDEX_N = 2,
    }
}

/// Storage used by an index and its heap.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5_ih_info_t {
    pub index_size: hsize_t,
    pub heap_size: hsize_t,
}

/// Size of [`H5O_token_t`].
pub const H5O_MAX_TOKEN_SIZE: usize = 16;

/// Permanent name of an object in its file; the content is the connector's.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::pub_underscore_fields, reason = "the name C has")]
pub struct H5O_token_t {
    pub __data: [u8; H5O_MAX_TOKEN_SIZE],
}
