//! Loads a real libhdf5 and drives a connector through its C API.
//!
//! Tests of connectors run in stock HDF5 libraries, as applications have them: [`StockHost::all`] loads the
//! ones listed in the file that the environment variable `H5_HOSTS_FILE` names. A connector is registered in
//! them as a Rust type, without a plugin file, so that tests can look at its counters.
//!
//! ```no_run
//! # fn test<C: h5_vol::Connector>() {
//! for host in h5_vol_test::StockHost::all() {
//!     let h5 = host.enter();
//!     let connector = h5.register::<C>().unwrap();
//!     let access = h5.access_through(&connector, "").unwrap();
//!     let file = h5.create_file("/tmp/x.h5", &access).unwrap();
//!     let group = h5.create_group(&file, "g").unwrap();
//! }
//! # }
//! ```
//!
//! Most hosts are not thread-safe: a [`Session`] holds the host's lock, so tests of one process take turns.
//! [`conformance`] has functions that any connector's tests can call.

mod connectors;
mod host;
mod operations;
mod scratch;

pub mod conformance;
pub mod own_process;

pub use connectors::Connected;
pub use h5_client::{AnyObject, Entry, Failure, File, FileAccess, Result};
pub use host::{Session, StockHost};
pub use operations::AsDataset;
pub use scratch::Scratch;
