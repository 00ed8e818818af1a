//! Mirror of `H5Ipublic.h`.

c_enum! {
    /// Kind of the object behind an identifier. The values are the same in 1.14.5 and 2.2.0.
    H5I_type_t {
        H5I_UNINIT = -2,
        H5I_BADID = -1,
        H5I_FILE = 1,
        H5I_GROUP = 2,
        H5I_DATATYPE = 3,
        H5I_DATASPACE = 4,
        H5I_DATASET = 5,
        H5I_MAP = 6,
        H5I_ATTR = 7,
        H5I_VFL = 8,
        H5I_VOL = 9,
        H5I_GENPROP_CLS = 10,
        H5I_GENPROP_LST = 11,
        H5I_ERROR_CLASS = 12,
        H5I_ERROR_MSG = 13,
        H5I_ERROR_STACK = 14,
        H5I_SPACE_SEL_ITER = 15,
        H5I_EVENTSET = 16,
        H5I_NTYPES = 17,
    }
}
