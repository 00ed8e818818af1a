//! Mirror of `H5Tpublic.h` and `H5Tdevelop.h`.
//!
//! The predefined datatypes (`H5T_NATIVE_INT`, ...) are run-time variables of the library, not constants: not
//! here.

use core::ffi::c_void;

use crate::public::{herr_t, hid_t};

/// `H5Tset_size`: variable-length string.
pub const H5T_VARIABLE: usize = usize::MAX;
/// Largest length of an opaque tag.
pub const H5T_OPAQUE_TAG_MAX: usize = 256;

c_enum! {
    /// Class of a datatype.
    ///
    /// `H5T_COMPLEX` exists since 2.0; `H5T_NCLASSES` (11 in 1.14, 12 in 2.x) is not declared here.
    H5T_class_t {
        H5T_NO_CLASS = -1,
        H5T_INTEGER = 0,
        H5T_FLOAT = 1,
        H5T_TIME = 2,
        H5T_STRING = 3,
        H5T_BITFIELD = 4,
        H5T_OPAQUE = 5,
        H5T_COMPOUND = 6,
        H5T_REFERENCE = 7,
        H5T_ENUM = 8,
        H5T_VLEN = 9,
        H5T_ARRAY = 10,
        H5T_COMPLEX = 11,
    }
}

c_enum! {
    /// Byte order.
    H5T_order_t {
        H5T_ORDER_ERROR = -1,
        H5T_ORDER_LE = 0,
        H5T_ORDER_BE = 1,
        H5T_ORDER_VAX = 2,
        H5T_ORDER_MIXED = 3,
        H5T_ORDER_NONE = 4,
    }
}

c_enum! {
    /// Representation of negative integers.
    H5T_sign_t {
        H5T_SGN_ERROR = -1,
        H5T_SGN_NONE = 0,
        H5T_SGN_2 = 1,
        H5T_NSGN = 2,
    }
}

c_enum! {
    /// Normalisation of the mantissa.
    H5T_norm_t {
        H5T_NORM_ERROR = -1,
        H5T_NORM_IMPLIED = 0,
        H5T_NORM_MSBSET = 1,
        H5T_NORM_NONE = 2,
    }
}

c_enum! {
    /// Character set.
    H5T_cset_t {
        H5T_CSET_ERROR = -1,
        H5T_CSET_ASCII = 0,
        H5T_CSET_UTF8 = 1,
        H5T_CSET_RESERVED_2 = 2,
        H5T_CSET_RESERVED_3 = 3,
        H5T_CSET_RESERVED_4 = 4,
        H5T_CSET_RESERVED_5 = 5,
        H5T_CSET_RESERVED_6 = 6,
        H5T_CSET_RESERVED_7 = 7,
        H5T_CSET_RESERVED_8 = 8,
        H5T_CSET_RESERVED_9 = 9,
        H5T_CSET_RESERVED_10 = 10,
        H5T_CSET_RESERVED_11 = 11,
        H5T_CSET_RESERVED_12 = 12,
        H5T_CSET_RESERVED_13 = 13,
        H5T_CSET_RESERVED_14 = 14,
        H5T_CSET_RESERVED_15 = 15,
    }
}

/// Number of character sets defined.
pub const H5T_NCSET: H5T_cset_t = H5T_CSET_RESERVED_2;

c_enum! {
    /// How strings end.
    H5T_str_t {
        H5T_STR_ERROR = -1,
        H5T_STR_NULLTERM = 0,
        H5T_STR_NULLPAD = 1,
        H5T_STR_SPACEPAD = 2,
        H5T_STR_RESERVED_3 = 3,
        H5T_STR_RESERVED_4 = 4,
        H5T_STR_RESERVED_5 = 5,
        H5T_STR_RESERVED_6 = 6,
        H5T_STR_RESERVED_7 = 7,
        H5T_STR_RESERVED_8 = 8,
        H5T_STR_RESERVED_9 = 9,
        H5T_STR_RESERVED_10 = 10,
        H5T_STR_RESERVED_11 = 11,
        H5T_STR_RESERVED_12 = 12,
        H5T_STR_RESERVED_13 = 13,
        H5T_STR_RESERVED_14 = 14,
        H5T_STR_RESERVED_15 = 15,
    }
}

/// Number of string endings defined.
pub const H5T_NSTR: H5T_str_t = H5T_STR_RESERVED_3;

c_enum! {
    /// What unused bits hold.
    H5T_pad_t {
        H5T_PAD_ERROR = -1,
        H5T_PAD_ZERO = 0,
        H5T_PAD_ONE = 1,
        H5T_PAD_BACKGROUND = 2,
        H5T_NPAD = 3,
    }
}

c_enum! {
    /// Direction in which `H5Tget_native_type` matches.
    H5T_direction_t {
        H5T_DIR_DEFAULT = 0,
        H5T_DIR_ASCEND = 1,
        H5T_DIR_DESCEND = 2,
    }
}

c_enum! {
    /// What went wrong with one element of a conversion.
    H5T_conv_except_t {
        H5T_CONV_EXCEPT_RANGE_HI = 0,
        H5T_CONV_EXCEPT_RANGE_LOW = 1,
        H5T_CONV_EXCEPT_PRECISION = 2,
        H5T_CONV_EXCEPT_TRUNCATE = 3,
        H5T_CONV_EXCEPT_PINF = 4,
        H5T_CONV_EXCEPT_NINF = 5,
        H5T_CONV_EXCEPT_NAN = 6,
    }
}

c_enum! {
    /// What a conversion exception callback did.
    H5T_conv_ret_t {
        H5T_CONV_ABORT = -1,
        H5T_CONV_UNHANDLED = 0,
        H5T_CONV_HANDLED = 1,
    }
}

/// One variable-length element in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hvl_t {
    pub len: usize,
    pub p: *mut c_void,
}

/// Conversion exception callback.
pub type H5T_conv_except_func_t = Option<
    unsafe extern "C" fn(
        except_type: H5T_conv_except_t,
        src_id: hid_t,
        dst_id: hid_t,
        src_buf: *mut c_void,
        dst_buf: *mut c_void,
        user_data: *mut c_void,
    ) -> H5T_conv_ret_t,
>;

c_enum! {
    /// What a conversion function is asked to do.
    H5T_cmd_t {
        H5T_CONV_INIT = 0,
        H5T_CONV_CONV = 1,
        H5T_CONV_FREE = 2,
    }
}

c_enum! {
    /// Whether a conversion needs a background buffer.
    H5T_bkg_t {
        H5T_BKG_NO = 0,
        H5T_BKG_TEMP = 1,
        H5T_BKG_YES = 2,
    }
}

/// State of a conversion function.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5T_cdata_t {
    pub command: H5T_cmd_t,
    pub need_bkg: H5T_bkg_t,
    pub recalc: bool,
    pub priv_: *mut c_void,
}

c_enum! {
    /// Hard or soft conversion function.
    H5T_pers_t {
        H5T_PERS_DONTCARE = -1,
        H5T_PERS_HARD = 0,
        H5T_PERS_SOFT = 1,
    }
}

/// A conversion function.
pub type H5T_conv_t = Option<
    unsafe extern "C" fn(
        src_id: hid_t,
        dst_id: hid_t,
        cdata: *mut H5T_cdata_t,
        nelmts: usize,
        buf_stride: usize,
        bkg_stride: usize,
        buf: *mut c_void,
        bkg: *mut c_void,
        dset_xfer_plist: hid_t,
    ) -> herr_t,
>;
