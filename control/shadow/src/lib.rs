//! Other formats as files of HDF5.
//!
//! Stock clients of HDF5 (h5py, PyTables) call functions that HDF5 refuses unless native HDF5 is at the bottom. So a container of
//! another format gets a *shadow*: a file of native HDF5 that exists in memory only. It has the groups, links, attributes, datatypes
//! and datasets of the container, but no elements of datasets. Native HDF5 does everything with names, as in any other file. The
//! elements belong to the format.
//!
//! ```text
//! H5Fopen   -> Backend::existing, open  -> an empty shadow, the root group is put into it    calls/files.rs, fill.rs
//! H5Dopen   -> groups on the way are put into the shadow        -> native                    calls/look.rs
//! H5Dread   -> Store::read_chunk on all cores, conversion, application's memory              transfer.rs
//! H5Dwrite  -> chunks in memory -> Store::write_chunk                                        transfer.rs, persist.rs
//! H5Gcreate -> native           -> noted as changed                                          calls/
//! H5Fclose  -> what has changed is described -> Store::persist                               persist.rs
//! ```
//!
//! A format implements [`Backend`] and [`Store`]. Its connector is [`Shadow`]`<TheFormat>`. docs/writing-a-format.md has a complete
//! example.
//!
//! **Keys.** HDF5's addresses and tokens change when a container is opened again, and are used again after a delete. A format
//! names objects by keys of its own, and references are keys.
//!
//! **Stubs.** Some clients want a regular file of HDF5 at a name. The container is then beside it, and a stub at the name (`stubs.rs`).
//!
//! **Who has the elements.** The format, chunk by chunk, if they are plain bytes. Elements with variable-length parts or references
//! are in the shadow, and the format keeps [`Values`](spec::Values).

mod backend;
mod calls;
mod chunk_questions;
mod connector;
mod container;
mod copy;
mod copy_elements;
mod counters;
mod dataset;
mod direct_chunks;
mod ending;
mod fill;
mod functions;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod hdf5;
mod kept;
mod locks;
mod master;
mod moving;
mod node;
mod opening;
mod paths;
mod persist;
mod regions;
mod registry;
mod resize;
mod stubs;
mod transfer;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod types;
mod values;
mod virtual_read;
mod virtual_sources;

pub mod spec;

pub use backend::{Backend, Failure, Mode, Outcome, Place, Store, Version};
pub use connector::Shadow;
pub use kept::set_cache_capacity;
pub use opening::Attached;
