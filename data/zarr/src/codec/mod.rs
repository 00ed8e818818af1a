//! Codecs: from elements to the bytes of a chunk's file, and back.
//!
//! A [`Chain`] is what an array's list of codecs becomes. Codecs from bytes to bytes, and `transpose`, are filters of one
//! [`codecs::Pipeline`], so that whoever has an engine for pipelines can use it for Zarr. Shards and elements without a fixed
//! size are done here.

pub(crate) mod boxes;
mod chain;
mod named;
mod shard;
mod values;

pub(crate) use chain::zeros;
pub use chain::{Chain, Partial};
pub use shard::{InnerChunk, Sharding};
pub use values::Values;
