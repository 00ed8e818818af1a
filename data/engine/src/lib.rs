//! The data plane: moves raw bytes of datasets between files and the application's memory.
//!
//! ```text
//! Request (parts: layout, selections, memory) -> Plan (tasks in file order) -> fetch -> scatter
//! ```
//!
//! It knows no HDF5: the control plane has asked where everything is, and says so in a [`Request`]. A plan is
//! data, a list of tasks sorted by file offset over all datasets and files of the call; the pool's threads and
//! the caller work it off. Inside a task neighbouring bytes are read together, sparse ones one by one, and long
//! runs go straight into the application's memory.

mod error;
mod fetch;
mod memory;
mod plan;
mod request;
mod run;
mod scatter;
mod source;

pub use error::EngineError;
pub use memory::Memory;
pub use request::{ChunkAddress, Fill, Layout, Part, Request};
pub use run::Engine;
pub use source::{Segment, Source};
