//! From HDF5's datatypes to descriptions that conversions are made from.

pub(crate) use h5_translate::{describe, describe_indirect};
