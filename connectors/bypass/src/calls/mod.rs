//! Calls other than reads and writes that have to do with raw data: native HDF5 must find what we have of it, and we must find
//! what native HDF5 has changed.

pub(crate) mod datasets;
pub(crate) mod extent;
pub(crate) mod files;
pub(crate) mod objects;
pub(crate) mod open;
