//! Mirror of `H5Rpublic.h`.

c_enum! {
    /// Kind of a reference.
    H5R_type_t {
        H5R_BADTYPE = -1,
        H5R_OBJECT1 = 0,
        H5R_DATASET_REGION1 = 1,
        H5R_OBJECT2 = 2,
        H5R_DATASET_REGION2 = 3,
        H5R_ATTR = 4,
        H5R_MAXTYPE = 5,
    }
}

/// Size of [`H5R_ref_t`].
pub const H5R_REF_BUF_SIZE: usize = 64;

/// The union `u` of [`H5R_ref_t`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5R_ref_u {
    pub __data: [u8; H5R_REF_BUF_SIZE],
    pub align: i64,
}

/// A reference of any kind, in memory. It is opaque, and may hold pointers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5R_ref_t {
    pub u: H5R_ref_u,
}
