//! The data plane: moves raw bytes of datasets between files and the application's memory.
//!
//! ```text
//! Request (parts: layout, selections, memory) -> Plan (tasks in file order)
//!     -> fetch -> decode -> convert -> scatter
//! ```
//!
//! It knows no HDF5: the control plane has asked where everything is, and says so in a [`Request`]. A plan is
//! data, a list of tasks sorted by file offset over all datasets and files of the call; the pool's threads and
//! the caller work it off. Inside a task neighbouring bytes are read together, sparse ones one by one, and long
//! runs go straight into the application's memory. Chunks that filters have gone over are fetched and decoded as a
//! whole; those of which only a part is wanted are kept in a cache.
//!
//! The values of variable-length elements are elsewhere in the file. [`Engine::read_values`] fetches them for elements that
//! were read before, and makes the pointers that the application gets.
//!
//! Writing is the same the other way round. Where storage exists, bytes are written in place ([`Engine::write`], planned
//! like a read). Other chunks are put together in memory and encoded ([`Engine::gather`], [`Engine::encode`]); the
//! control plane stores them.

mod ahead;
mod behind;
mod bytes;
mod decode;
mod delivery;
mod deposit;
mod encode;
mod error;
mod fetch;
mod gather;
mod memory;
mod outline;
mod pace;
mod plan;
mod put_values;
mod request;
mod run;
mod scatter;
mod source;
mod spares;
mod unpack;
mod values;
mod walk;
mod write;

pub use ahead::{Ahead, Progress};
pub use behind::{Behind, EncodedChunk};
pub use error::EngineError;
pub use gather::{Base, ChunkJob, Gathered, Gathering, Then};
pub use memory::Memory;
pub use pace::Pace;
pub use plan::TASK_BYTES;
pub use put_values::{HeapWriter, PutError, PutValues, WithPointers, put_values};
pub use request::{
    ChunkAddress, ChunkData, Converted, FileRun, Fill, FilteredChunks, Kept, Layout, MakesChunks,
    PairFailure, Part, Request, StoredChunk, TakesChunks, Window,
};
pub use run::Engine;
pub use source::{ByteStore, Costs, Segment, Source};
pub use spares::Spares;
pub use values::{Allocator, InFile, NewerObjects, Owned, SystemAllocator, ValueError, Values};
pub use write::{InPlace, Places, WritePart};
