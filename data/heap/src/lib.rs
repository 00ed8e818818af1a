//! HDF5's global heap: where the values of variable-length elements are.
//!
//! An element of a variable-length type is stored as a [`Reference`]: how long its value is, and which object of which
//! collection it is. A [`Collection`] is a piece of the file, usually of 4 KiB, with any number of objects. [`fetch`] reads
//! several of them; neighbours are read together.
//!
//! Everything in a collection is untrusted. What HDF5 would not accept is an error here, so that HDF5 can be asked what it
//! makes of it.

#![forbid(unsafe_code)]

mod collection;
mod fetch;
mod gathered;
mod reference;

pub use collection::Collection;
pub use fetch::{HeapError, fetch, fetch_present, has_no_collection, neighbours};
pub use gathered::Gathered;
pub use reference::Reference;
