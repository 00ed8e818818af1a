//! The libhdf5 that is calling us: *the host*.
//!
//! Nothing here links to libhdf5. The host loads the plugin, and one process may hold several hosts (the
//! h5py, netCDF4 and PyTables wheels each carry their own), so everything is asked of one particular
//! [`Host`]. An identifier ([`Id`]) means nothing outside the host that gave it out.
//!
//! * [`locate`] finds the host from an address inside it and resolves its functions once.
//! * [`Functions`] is the table of resolved functions, the only place with HDF5's C names.
//! * [`errors`] keeps the host's error stack intact over our own calls and adds our entries to it.
//! * [`context`] keeps our own calls from leaving traces in the application's.
//! * [`id`] holds identifiers and gives them back.
//!
//! # Safety
//! Functions of the host may be called only from inside one of its callbacks (or, in tests, from a thread
//! that is otherwise allowed to call HDF5). The safe wrappers rely on HDF5 verifying every identifier it is
//! given: a stale or foreign one yields an HDF5 error, not undefined behaviour.

mod conversion;
mod dataspace;
mod datatype;
mod driver;
mod filters;
mod functions;
mod global_lock;
mod host;
mod shared_io;
mod transfer;
mod value_memory;
mod variable;
mod virtual_dataset;

pub mod bundled_plugins;
pub mod context;
pub mod errors;
pub mod id;
pub mod lent_filter;
pub mod locate;
pub mod process;
pub mod questions;

pub use conversion::ConversionWay;
pub use dataspace::{ExtentDescription, PerDimension, SelectedBlock, SelectionDescription, SpaceDescription};
pub use datatype::{BitLayout, BitPadding, ByteOrder, FloatFields, MantissaNorm, TextPadding, TypeClass};
pub use driver::{Driver, PosixDriver};
pub use functions::Functions;
pub use host::{Host, Version};
pub use id::{Id, OwnedId};
pub use questions::Questions;
pub use shared_io::{ChunkWish, SharedIo};
pub use transfer::{ActualSelectionIo, NoSelectionIo, SelectionIo};
pub use value_memory::ValueMemory;
pub use variable::Variable;
pub use virtual_dataset::{VirtualMapping, VirtualView};
