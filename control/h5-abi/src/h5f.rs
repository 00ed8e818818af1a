//! Mirror of `H5Fpublic.h`.

use core::ffi::c_uint;

use crate::public::{H5_ih_info_t, HSIZE_UNDEF, haddr_t, hsize_t};

pub const H5F_ACC_RDONLY: c_uint = 0x0000;
pub const H5F_ACC_RDWR: c_uint = 0x0001;
pub const H5F_ACC_TRUNC: c_uint = 0x0002;
pub const H5F_ACC_EXCL: c_uint = 0x0004;
pub const H5F_ACC_CREAT: c_uint = 0x0010;
pub const H5F_ACC_SWMR_WRITE: c_uint = 0x0020;
pub const H5F_ACC_SWMR_READ: c_uint = 0x0040;
pub const H5F_ACC_DEFAULT: c_uint = 0xffff;
pub const H5F_OBJ_FILE: c_uint = 0x0001;
pub const H5F_OBJ_DATASET: c_uint = 0x0002;
pub const H5F_OBJ_GROUP: c_uint = 0x0004;
pub const H5F_OBJ_DATATYPE: c_uint = 0x0008;
pub const H5F_OBJ_ATTR: c_uint = 0x0010;
pub const H5F_OBJ_ALL: c_uint =
    H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_DATATYPE | H5F_OBJ_ATTR;
pub const H5F_OBJ_LOCAL: c_uint = 0x0020;

/// No limit.
pub const H5F_UNLIMITED: hsize_t = HSIZE_UNDEF;

c_enum! {
    /// How a file manages its space.
    H5F_fspace_strategy_t {
        H5F_FSPACE_STRATEGY_FSM_AGGR = 0,
        H5F_FSPACE_STRATEGY_PAGE = 1,
        H5F_FSPACE_STRATEGY_AGGR = 2,
        H5F_FSPACE_STRATEGY_NONE = 3,
        H5F_FSPACE_STRATEGY_NTYPES = 4,
    }
}

c_enum! {
    /// How far a flush goes in a hierarchy of mounted files.
    H5F_scope_t {
        H5F_SCOPE_LOCAL = 0,
        H5F_SCOPE_GLOBAL = 1,
    }
}

c_enum! {
    /// What closing a file does to objects still open in it.
    H5F_close_degree_t {
        H5F_CLOSE_DEFAULT = 0,
        H5F_CLOSE_WEAK = 1,
        H5F_CLOSE_SEMI = 2,
        H5F_CLOSE_STRONG = 3,
    }
}

/// `super` of [`H5F_info2_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5F_info2_super_t {
    pub version: c_uint,
    pub super_size: hsize_t,
    pub super_ext_size: hsize_t,
}

/// `free` of [`H5F_info2_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5F_info2_free_t {
    pub version: c_uint,
    pub meta_size: hsize_t,
    pub tot_space: hsize_t,
}

/// `sohm` of [`H5F_info2_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5F_info2_sohm_t {
    pub version: c_uint,
    pub hdr_size: hsize_t,
    pub msgs_info: H5_ih_info_t,
}

/// What `H5Fget_info2` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5F_info2_t {
    pub super_: H5F_info2_super_t,
    pub free: H5F_info2_free_t,
    pub sohm: H5F_info2_sohm_t,
}

c_enum! {
    /// Kind of file memory.
    H5F_mem_t {
        H5FD_MEM_NOLIST = -1,
        H5FD_MEM_DEFAULT = 0,
        H5FD_MEM_SUPER = 1,
        H5FD_MEM_BTREE = 2,
        H5FD_MEM_DRAW = 3,
        H5FD_MEM_GHEAP = 4,
        H5FD_MEM_LHEAP = 5,
        H5FD_MEM_OHDR = 6,
        H5FD_MEM_NTYPES = 7,
    }
}

/// One free section of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5F_sect_info_t {
    pub addr: haddr_t,
    pub size: hsize_t,
}

c_enum! {
    /// Bounds of the file format versions used for new objects.
    ///
    /// `H5F_LIBVER_V200` exists since 2.0. `H5F_LIBVER_LATEST` and `H5F_LIBVER_NBOUNDS` differ between
    /// releases and are not declared here.
    H5F_libver_t {
        H5F_LIBVER_ERROR = -1,
        H5F_LIBVER_EARLIEST = 0,
        H5F_LIBVER_V18 = 1,
        H5F_LIBVER_V110 = 2,
        H5F_LIBVER_V112 = 3,
        H5F_LIBVER_V114 = 4,
        H5F_LIBVER_V200 = 5,
    }
}

/// Entries of [`H5F_retry_info_t::retries`].
pub const H5F_NUM_METADATA_READ_RETRY_TYPES: usize = 21;

/// What `H5Fget_metadata_read_retry_info` reports.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5F_retry_info_t {
    pub nbins: c_uint,
    pub retries: [*mut u32; H5F_NUM_METADATA_READ_RETRY_TYPES],
}
