//! Mirror of `H5VLconnector.h`, one submodule per part of the connector class; all of it is re-exported here.

mod attr;
mod blob;
mod class;
mod dataset;
mod datatype;
mod file;
mod group;
mod info;
mod link;
mod loc;
mod object;
mod request;

pub use attr::*;
pub use blob::*;
pub use class::*;
pub use dataset::*;
pub use datatype::*;
pub use file::*;
pub use group::*;
pub use info::*;
pub use link::*;
pub use loc::*;
pub use object::*;
pub use request::*;
