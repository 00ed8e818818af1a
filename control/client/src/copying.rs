//! How an application wants objects copied (`H5Ocopy`).

use core::ffi::c_uint;

use h5_abi::hid_t;

use crate::failure::Result;
use crate::session::Session;

/// What an object copy property list says (`H5Pset_copy_object`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopyFlags(c_uint);

impl CopyFlags {
    /// Those of an application's list.
    pub fn of_list(session: &Session, list: hid_t) -> Result<Self> {
        let mut flags = 0;
        // SAFETY: HDF5 verifies the list; a place for the flags.
        unsafe { call!(session, H5Pget_copy_object(list, &raw mut flags)) }?;
        Ok(Self(flags))
    }

    /// Groups in a group are copied without what is in them (`H5O_COPY_SHALLOW_HIERARCHY_FLAG`).
    pub fn is_shallow(self) -> bool {
        self.0 & 0x01 != 0
    }

    /// What soft links lead to is copied in place of them (`H5O_COPY_EXPAND_SOFT_LINK_FLAG`).
    pub fn expands_soft_links(self) -> bool {
        self.0 & 0x02 != 0
    }

    /// What external links lead to is copied in place of them (`H5O_COPY_EXPAND_EXT_LINK_FLAG`).
    pub fn expands_external_links(self) -> bool {
        self.0 & 0x04 != 0
    }

    /// What references lead to is copied, too (`H5O_COPY_EXPAND_REFERENCE_FLAG`).
    pub fn expands_references(self) -> bool {
        self.0 & 0x08 != 0
    }

    /// Attributes are not copied (`H5O_COPY_WITHOUT_ATTR_FLAG`).
    pub fn leaves_attributes_out(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// Committed datatypes that the target has already are used there (`H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG`).
    pub fn merges_datatypes(self) -> bool {
        self.0 & 0x40 != 0
    }
}
