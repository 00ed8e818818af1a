//! Questions about identifiers that connectors ask often. Each leaves the error stack as it was.

use crate::errors::preserve;
use crate::host::Host;
use crate::id::Id;

impl Host {
    /// Number of selected elements of a dataspace; `None` if HDF5 cannot tell.
    pub fn selected_elements(self, space: Id) -> Option<u64> {
        // SAFETY: the host verifies the identifier.
        let count = preserve(self, || unsafe { (self.functions().H5Sget_select_npoints)(space.0) });
        u64::try_from(count).ok()
    }

    /// Number of elements of a dataspace's extent; `None` if HDF5 cannot tell.
    pub fn extent_elements(self, space: Id) -> Option<u64> {
        // SAFETY: the host verifies the identifier.
        let count = preserve(self, || unsafe { (self.functions().H5Sget_simple_extent_npoints)(space.0) });
        u64::try_from(count).ok()
    }

    /// Size in bytes of one element of a datatype; `None` if HDF5 cannot tell.
    pub fn element_size(self, datatype: Id) -> Option<usize> {
        // SAFETY: the host verifies the identifier.
        let size = preserve(self, || unsafe { (self.functions().H5Tget_size)(datatype.0) });
        (size > 0).then_some(size)
    }
}
