//! Typed views of `get` and `specific` calls: the question or operation, and where the answer goes.
//!
//! The C interface passes these calls as a number and a union. [`Arguments::view`](crate::calls::Arguments)
//! reads the union once and gives an enum. Its variants have the inputs as safe values, and the outputs as [`Out`],
//! [`TextOut`] and similar types. A connector matches on it:
//!
//! ```ignore
//! fn dataset_get(&self, mut call: DatasetGet<'_, Self>) -> Result<c_int> {
//!     match call.arguments.view() {
//!         DatasetQuestion::Space(mut answer) => answer.give(copy_space(call.object.host(), self.space)?),
//!         DatasetQuestion::StorageSize(mut answer) => answer.set(4096),
//!         _ => return call.forward(),
//!     }
//!     Ok(0)
//! }
//! ```
//!
//! Every operation of HDF5 1.14 to 2.2 is a variant. An operation of a newer HDF5 is `Unknown` with its number (-1 if
//! there are no arguments at all). If the answer is an object of the connector itself, it is given through the call, which
//! knows the connector: [`ObjectGet::answer_file`](crate::calls::ObjectGet::answer_file),
//! [`FileSpecific::answer_reopen`](crate::calls::FileSpecific::answer_reopen).
//!
//! A view writes to the structure that HDF5 passed. A call forwards the same structure to the connector below, so a
//! connector can also forward first and then read or replace the answer.

mod attribute;
mod blob;
mod chunk;
mod dataset;
mod datatype;
mod file;
mod group;
mod identifiers;
mod information;
mod iteration;
mod link;
mod memory;
mod object;
mod out;
mod refresh;
mod request;

pub use attribute::{AttributeOperation, AttributeQuestion};
pub use blob::{BlobOperation, HeapAddresses};
pub use chunk::{ChunkInfo, ChunkTarget, ChunkVisitor, DirectChunk};
pub use dataset::{DatasetOperation, DatasetQuestion, SpaceStatus};
pub use datatype::{DatatypeOperation, DatatypeQuestion};
pub use file::{FileOperation, FileQuestion};
pub use group::{GroupOperation, GroupQuestion};
pub use identifiers::{copy_datatype, copy_space};
pub use information::{
    AttributeInfo, ContainerInfo, GroupInfo, GroupStorage, LinkInfo, LinkKind, ObjectInfo,
};
pub use iteration::{
    AttributeCallback, AttributeIteration, Index, LinkCallback, LinkIteration, ObjectCallback, ObjectVisit,
    Order,
};
pub use link::{LinkOperation, LinkQuestion, NewLink};
pub use memory::TargetBytes;
pub use object::{ObjectOperation, ObjectQuestion};
pub use out::{Answer, BytesOut, IdsOut, Out, Readable, TextOut};
pub use request::RequestQuestion;
