//! Zarr directories: containers of groups and arrays, whose chunks are files.
//!
//! This is what a connector for Zarr stands on. It knows no HDF5. It reads and writes Zarr of version 3 and reads version 2, as
//! zarr-python, zarrs and tensorstore write them.
//!
//! * [`Container`]: a folder. Opens, lists, reads and replaces nodes; keeps consolidated metadata true.
//! * [`Node`], [`GroupMetadata`], [`ArrayMetadata`]: metadata documents. What is not known is kept as it is.
//! * [`Array`]: reads and writes whole chunks.
//! * [`Array::layout`]: where the chunks of a selection are, for the engine, which then reads, decodes, converts and delivers
//!   them on all cores. [`Array::engine_grid`] and [`Array::engine_pipeline`] are for writing through it; [`Array::write_stored`] and
//!   [`Array::write_inner`] store what it has encoded.
//! * [`Chain`]: the codecs of an array. [`Chain::pipeline`] is a pipeline for the engine where that is all there is to do, and
//!   [`Sharding`] tells where inner chunks are in a shard.
//!
//! ```
//! use codecs::Work;
//! use zarr::{ArrayMetadata, Container, DataType, GroupMetadata, Node, NodePath, Options};
//!
//! # let folder = tempfile::tempdir()?;
//! # let place = folder.path().join("example.zarr");
//! let container = Container::create(&place, &GroupMetadata::default(), Options::WRITE)?;
//! let mut metadata = ArrayMetadata::new(&[100, 100], DataType::Int(4), &[10, 100]);
//! metadata.codecs.push(serde_json::json!({"name": "gzip", "configuration": {"level": 5}}));
//! let path = NodePath::new("numbers")?;
//! container.create_node(&path, &Node::Array(metadata))?;
//!
//! let array = container.array(&path)?;
//! let mut work = Work::new();
//! let elements: Vec<u8> = (0..1000_i32).flat_map(i32::to_le_bytes).collect();
//! array.write_chunk(&[3, 0], &elements, &mut work)?;
//!
//! let mut read = vec![0; elements.len()];
//! assert!(array.read_chunk(&[3, 0], &mut read, &mut work)?);
//! assert_eq!(read, elements);
//! // Was never written: the fill value.
//! assert!(!array.read_chunk(&[4, 0], &mut read, &mut work)?);
//! assert_eq!(read, vec![0; elements.len()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Safety of files
//! A document or chunk is written under a temporary name and renamed: whoever reads sees the old one or the new one, also after
//! the process was killed. Two processes that write different chunks do not harm each other. Names that lead out of the container
//! are refused, and so are links that do. What is read from a container is not trusted: damaged documents and chunks are errors
//! that name the file, and memory is taken only for sizes that make sense.

#![forbid(unsafe_code)]

mod array;
pub mod base64;
mod chunk_files;
mod codec;
mod consolidated;
mod container;
mod directory;
mod error;
mod json;
mod layout;
mod metadata;
mod path;
mod whole_chunks;

pub use array::Array;
pub use chunk_files::{ChunkFiles, Replaced, Version};
pub use codec::{Chain, InnerChunk, Partial, Sharding, Values};
pub use consolidated::{NodeOfRoot, nodes_of_root};
pub use container::{Access, Child, Container, Lock, Options};
pub use directory::Durability;
pub use error::{ChunkProblem, Problem, ZarrError};
pub use json::{Object, parse as parse_document};
pub use metadata::{
    ArrayMetadata, BytesSpelling, CONSOLIDATED, ChunkKeys, DataType, Field, FillValue, Format, GroupMetadata,
    Node, Order, Separator, StructSpelling,
};
pub use path::{NodePath, check_name};
pub use whole_chunks::Buffers;
