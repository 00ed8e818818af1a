//! HDF5's filters, without HDF5: the ones built into it and the ones people really use. [`beyond`] are some that only Zarr has.
//!
//! A [`Pipeline`] is made from what a dataset's creation properties say and turns a stored chunk into its
//! elements, or elements into a chunk to store. Everything that comes from a file is untrusted: damaged input
//! is an error that names the filter, never a panic, and never more memory than the chunk's size explains.
//!
//! ```
//! use codecs::{Filter, Pipeline, Work};
//!
//! let filter = |id, name: &str, parameters: &[u32]| Filter {
//!     id,
//!     name: name.to_owned(),
//!     optional: true,
//!     parameters: parameters.to_vec(),
//! };
//! let pipeline = Pipeline::new(&[filter(2, "shuffle", &[4]), filter(1, "deflate", &[6])])?;
//! let elements: Vec<u8> = (0..1000_u32).flat_map(u32::to_le_bytes).collect();
//!
//! // One for each thread, kept from chunk to chunk.
//! let mut work = Work::new();
//! let mut stored = Vec::new();
//! let mask = pipeline.encode(&elements, &mut stored, &mut work)?;
//! assert!(stored.len() < 1000);
//!
//! let mut output = vec![0; elements.len()];
//! pipeline.decode(&stored, mask, true, &mut output, &mut work)?;
//! assert_eq!(output, elements);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Cost
//! The last filter of a pipeline decodes straight into the caller's buffer; checksums and filters that change
//! nothing copy nothing. Results between two filters are in [`Work`], so that decoding allocates nothing once a
//! chunk of that size has been decoded (libraries may: bzip2's does).

mod bitshuffle;
mod blosc;
mod blosc2;
mod bzip2;
mod codec;
mod crc32c;
mod deflate;
mod error;
mod fletcher32;
mod inflate;
mod lz4;
mod lzf;
mod nbit;
mod pipeline;
mod registry;
mod scaleoffset;
mod shuffle;
mod szip;
mod transpose;
mod well_known;
mod work;
mod zstd;

pub use error::{CodecError, PipelineError, Unsupported};
pub use pipeline::{Packed, Pipeline};
pub use registry::{Filter, beyond};
pub use well_known::{Applied, WellKnown};
pub use work::Work;
