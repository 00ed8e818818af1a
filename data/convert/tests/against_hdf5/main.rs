//! Compares conversions with what stock copies of HDF5 make of the same bytes.
//!
//! The hosts are those listed in the file that `H5_HOSTS_FILE` names; `cargo xtask test` sets it.

mod check;
#[path = "../common/mod.rs"]
mod common;
mod hdf5;
mod imagination;
mod make;
mod numbers;
mod random;
mod structures;
mod types;
