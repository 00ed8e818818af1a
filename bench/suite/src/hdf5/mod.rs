//! A libhdf5 that is loaded by its path, and the functions of it that the benchmark uses.
//!
//! The work is done by `h5-client`. Here are the benchmark's own terms: the two ways to access a file, memory at a chosen
//! offset in its page, and calls that are prepared once and made many times. Everything here belongs to the thread that
//! loaded the library, except for the calls that [`in_threads`] makes.

mod buffer;
mod dataset;
mod datatype;
mod file;
mod library;
mod multi;
mod space;
mod threads;
mod transfers;

pub(crate) use buffer::{Buffer, PAGE};
pub(crate) use dataset::{Dataset, StoredChunk};
pub(crate) use datatype::Datatype;
pub(crate) use file::File;
pub(crate) use h5_client::{DatasetCreation as Creation, Filter};
pub(crate) use library::Library;
pub(crate) use multi::Multi;
pub(crate) use space::{Selection, Slab, Space, UNLIMITED, selections};
pub(crate) use threads::{all_at_once, in_threads, read_in_threads};
pub(crate) use transfers::{Call, Operation, Transfers};
