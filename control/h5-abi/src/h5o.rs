//! Mirror of `H5Opublic.h` (`H5O_token_t` and `H5_ih_info_t` are in [`public`](crate::public), as in C).

use core::ffi::{c_char, c_uint, c_ulong, c_void};

use crate::public::{H5_ih_info_t, H5O_token_t, herr_t, hid_t, hsize_t, time_t};

/// Ask for `fileno`, `token`, `type_` and `rc`.
pub const H5O_INFO_BASIC: c_uint = 0x0001;
/// Ask for the four times.
pub const H5O_INFO_TIME: c_uint = 0x0002;
/// Ask for `num_attrs`.
pub const H5O_INFO_NUM_ATTRS: c_uint = 0x0004;
/// Everything [`H5O_info2_t`] has.
///
/// With deprecated symbols on (their default) the headers define it again with two bits more, which only the
/// deprecated `H5O_info1_t` has a place for; every library accepts this value.
pub const H5O_INFO_ALL: c_uint = H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS;
/// Ask for `hdr`.
pub const H5O_NATIVE_INFO_HDR: c_uint = 0x0008;
/// Ask for `meta_size`.
pub const H5O_NATIVE_INFO_META_SIZE: c_uint = 0x0010;
/// Everything [`H5O_native_info_t`] has.
pub const H5O_NATIVE_INFO_ALL: c_uint = H5O_NATIVE_INFO_HDR | H5O_NATIVE_INFO_META_SIZE;

pub const H5O_COPY_SHALLOW_HIERARCHY_FLAG: c_uint = 0x0001;
pub const H5O_COPY_EXPAND_SOFT_LINK_FLAG: c_uint = 0x0002;
pub const H5O_COPY_EXPAND_EXT_LINK_FLAG: c_uint = 0x0004;
pub const H5O_COPY_EXPAND_REFERENCE_FLAG: c_uint = 0x0008;
pub const H5O_COPY_WITHOUT_ATTR_FLAG: c_uint = 0x0010;
pub const H5O_COPY_PRESERVE_NULL_FLAG: c_uint = 0x0020;
pub const H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG: c_uint = 0x0040;
pub const H5O_COPY_ALL: c_uint = 0x007F;

c_enum! {
    /// Kind of an object in a file.
    H5O_type_t {
        H5O_TYPE_UNKNOWN = -1,
        H5O_TYPE_GROUP = 0,
        H5O_TYPE_DATASET = 1,
        H5O_TYPE_NAMED_DATATYPE = 2,
        H5O_TYPE_MAP = 3,
        H5O_TYPE_NTYPES = 4,
    }
}

/// `space` of [`H5O_hdr_info_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_hdr_info_space_t {
    pub total: hsize_t,
    pub meta: hsize_t,
    pub mesg: hsize_t,
    pub free: hsize_t,
}

/// `mesg` of [`H5O_hdr_info_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_hdr_info_mesg_t {
    pub present: u64,
    pub shared: u64,
}

/// Object header statistics.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_hdr_info_t {
    pub version: c_uint,
    pub nmesgs: c_uint,
    pub nchunks: c_uint,
    pub flags: c_uint,
    pub space: H5O_hdr_info_space_t,
    pub mesg: H5O_hdr_info_mesg_t,
}

/// What `H5Oget_info3` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_info2_t {
    pub fileno: c_ulong,
    pub token: H5O_token_t,
    pub type_: H5O_type_t,
    pub rc: c_uint,
    pub atime: time_t,
    pub mtime: time_t,
    pub ctime: time_t,
    pub btime: time_t,
    pub num_attrs: hsize_t,
}

/// `meta_size` of [`H5O_native_info_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_native_info_meta_size_t {
    pub obj: H5_ih_info_t,
    pub attr: H5_ih_info_t,
}

/// What `H5Oget_native_info` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_native_info_t {
    pub hdr: H5O_hdr_info_t,
    pub meta_size: H5O_native_info_meta_size_t,
}

/// Creation index of an object header message.
pub type H5O_msg_crt_idx_t = u32;

/// Callback of `H5Ovisit3`.
pub type H5O_iterate2_t = Option<
    unsafe extern "C" fn(
        obj: hid_t,
        name: *const c_char,
        info: *const H5O_info2_t,
        op_data: *mut c_void,
    ) -> herr_t,
>;

/// Object header statistics of the deprecated `H5Gget_objinfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5O_stat_t {
    pub size: hsize_t,
    pub free: hsize_t,
    pub nmesgs: c_uint,
    pub nchunks: c_uint,
}
