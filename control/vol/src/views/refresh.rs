//! Whether a call makes HDF5 discard what it knows about an object and reload it from the file.

use h5_abi::{H5VL_DATASET_REFRESH, H5VL_OBJECT_REFRESH};

use crate::calls::{DatasetSpecific, ObjectSpecific};
use crate::connector::Connector;

impl<C: Connector> DatasetSpecific<'_, C> {
    /// Whether this is `H5Drefresh`.
    pub fn is_refresh(&self) -> bool {
        self.arguments.peek().is_some_and(|arguments| arguments.op_type == H5VL_DATASET_REFRESH)
    }
}

impl<C: Connector> ObjectSpecific<'_, C> {
    /// Whether this is `H5Orefresh`.
    pub fn is_refresh(&self) -> bool {
        self.arguments.peek().is_some_and(|arguments| arguments.op_type == H5VL_OBJECT_REFRESH)
    }
}
