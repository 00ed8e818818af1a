//! Reporting: why data was left to native HDF5, what failed, and what was counted.

pub(crate) mod board;
pub(crate) mod description;
pub(crate) mod fault;
pub(crate) mod questions;
pub(crate) mod reason;
pub(crate) mod summary;
pub(crate) mod summary_file;
pub(crate) mod tally;
