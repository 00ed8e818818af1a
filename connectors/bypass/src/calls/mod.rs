//! Calls other than reads and writes that have to do with raw data.

pub(crate) mod raw_data;
