//! Calls other than reads and writes that concern raw data. Native HDF5 must see the changes that we have in memory, and we must
//! notice what native HDF5 changes.

pub(crate) mod blobs;
pub(crate) mod datasets;
pub(crate) mod extent;
pub(crate) mod files;
pub(crate) mod objects;
pub(crate) mod open;
