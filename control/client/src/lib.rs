//! A safe client of a libhdf5 that is loaded by its path.
//!
//! ```no_run
//! use h5_client::{Dataspace, Datatype, File, FileAccess, Library, Location as _};
//!
//! # fn main() -> h5_client::Result<()> {
//! let h5 = Library::load("/usr/lib/libhdf5.so".as_ref())?.enter()?;
//! let file = File::create(&h5, "numbers.h5", &FileAccess::native(&h5)?)?;
//! let integers = Datatype::predefined(&h5, "NATIVE_INT32")?;
//! let dataset = file.create_dataset("numbers", &integers, &Dataspace::simple(&h5, &[3])?, None)?;
//! dataset.write(&integers, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0])?;
//! # Ok(())
//! # }
//! ```
//!
//! **Libraries.** [`Library`] finds each function when it is loaded, and calls only what it has: an old libhdf5 can be
//! loaded and asked for its version. It is never unloaded.
//!
//! **Threads.** Most builds of libhdf5 are not thread-safe. A [`Session`] is one thread's turn with a library, and every
//! handle holds a part of it. Another thread that enters the same library waits until the last handle is gone. In a
//! thread-safe build, several threads can make prepared calls at once ([`Transfer::shared`]).
//!
//! **Memory.** Reads and writes take slices of bytes. How many bytes HDF5 may touch follows from the datatype and the
//! dataspace in memory, and is compared with the slice first. Elements that contain pointers (variable-length data,
//! references) live in [`Elements`], which HDF5 fills and frees.
//!
//! **Failures** carry HDF5's error stack. Nothing is printed.

#![expect(unsafe_code, reason = "calls into a C library found at run time")]

/// Calls a function of HDF5 and checks its result. The caller vouches for the arguments.
macro_rules! call {
    ($session:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let session: &$crate::Session = $session;
        let function = session.functions().$name()?;
        session.check(stringify!($name), function($($argument),*))
    }};
}

mod attribute;
mod chunk;
mod connector;
mod copying;
mod creation;
mod dataset;
mod dataspace;
mod datatype;
mod elements;
mod explain;
mod failure;
mod file;
mod functions;
mod group;
mod handle;
mod iteration;
mod library;
mod link;
mod making;
mod name;
mod object;
mod properties;
mod reference;
mod selection;
mod session;
mod transfer;
mod values;

pub mod stock;

pub use attribute::{Attribute, Attributes};
pub use chunk::StoredChunk;
pub use connector::{Connector, ConnectorInfo};
pub use copying::CopyFlags;
pub use creation::{
    AttributeCreation, FileCreation, FillValue, LinkCreation, Mapping, Thresholds, TypeCreation,
};
pub use dataset::Dataset;
pub use dataspace::{Dataspace, Hyperslab};
pub use datatype::{Bits, Class, Datatype, Description, Float, Member};
pub use elements::Elements;
pub use explain::ExplainOperation;
pub use failure::{Entry, Failure, Result};
pub use file::File;
pub use functions::Functions;
pub use group::{AnyLocation, Group, Location};
pub use handle::Handle;
pub use library::{Library, Version};
pub use link::{Link, LinkTarget, Links};
pub use making::Making;
pub use name::Name;
pub use object::{AnyObject, Object, ObjectInfo};
pub use properties::{DatasetAccess, DatasetCreation, FileAccess, Filter, GroupCreation};
pub use reference::{NewReference, Part, ReferenceTarget};
pub use selection::Selection;
pub use session::Session;
pub use transfer::{MultiTransfer, SharedTransfer, Transfer};
pub use values::Value;
