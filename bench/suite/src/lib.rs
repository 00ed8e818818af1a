//! The benchmark: native HDF5, the connector and a limit without HDF5 run each scenario in turns, in one process.

mod bench;
mod compare;
pub mod controller;
mod converted;
mod filtered;
mod hdf5;
mod matrix;
mod measure;
pub mod own;
mod page_cache;
mod plain;
mod protocol;
mod random;
mod registry;
mod scenario;
mod scratch;
mod stored;
mod variable;
mod virtual_data;
mod walk;
mod worker;
mod writing;

pub use protocol::{Event, Finished, Own, Purpose, Request, Samples};
pub use registry::scenarios;
pub use scenario::{Scenario, Way};
pub use worker::work;

use scenario::Spent;
