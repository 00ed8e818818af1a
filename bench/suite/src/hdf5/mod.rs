//! A libhdf5 that is loaded by its path, and what of its C functions the benchmark calls.
//!
//! This folder is where most of the crate's `unsafe` is; `filtered/without_python.rs` has some for loading one filter, and a few
//! system calls have theirs. Everything here belongs to the thread that loaded the library, but for the
//! calls that [`in_threads`] makes.

mod api;
mod buffer;
mod dataset;
mod datatype;
mod failure;
mod file;
mod handle;
mod library;
mod multi;
mod properties;
mod space;
mod threads;
mod transfers;

pub(crate) use buffer::{Buffer, PAGE};
pub(crate) use dataset::{Dataset, StoredChunk};
pub(crate) use datatype::{Class, Datatype};
pub(crate) use file::File;
pub(crate) use library::Library;
pub(crate) use multi::Multi;
pub(crate) use properties::{Creation, Filter};
pub(crate) use space::{Slab, Space, UNLIMITED};
pub(crate) use threads::{all_at_once, in_threads, read_in_threads};
pub(crate) use transfers::{Call, Operation, Transfers};
