//! A framework for HDF5 VOL connectors in safe Rust.
//!
//! A connector is a type that implements [`Connector`], and [`PassThrough`] if it stands on another connector or
//! [`Terminal`] if it does not. A plugin is a `cdylib` crate with [`export!`]`(TheType)` in it. The framework makes the
//! C side: the `H5VL_class_t`, object wrapping, infos and their strings, stacking on any other connector, panics and
//! the error stack.
//!
//! # Who calls whom
//! ```text
//! H5open           -> H5PLget_plugin_info, initialize, info_from_str          (HDF5_VOL_CONNECTOR)
//! H5Fopen          -> file_open(info of the access list)  -> below: file_open -> attach
//! H5Dopen          -> get_wrap_ctx, dataset_open          -> below: ...       -> attach, free_wrap_ctx
//! H5Dread          -> dataset_read                        -> below: ...
//! H5Literate       -> link_specific -> below iterates; ids it makes for the application -> wrap_object
//! H5Fis_accessible -> file_specific without an object: the info of the access list says what is below
//! H5Fclose         -> file_close                          -> below: ... and the object is released
//! exit             -> the host's exit handler closes what is open, terminate; then process_exit
//! ```
//!
//! # Safety
//! `unsafe` is confined to this crate and the ones below it: a connector is written without. The invariants
//! above the level of single functions are in SAFETY.md.

mod below;
mod callback;
mod class;
mod closing;
mod connector;
mod error;
mod export;
mod funnel;
mod host_functions;
mod info;
mod info_string;
mod inner_file;
mod instance;
mod kept_errors;
mod lending;
mod location;
mod methods;
mod native_allocation;
mod native_blobs;
mod native_chunks;
mod native_contents;
mod native_source;
mod object;
mod slots;
mod token;

pub mod calls;
pub mod native;
pub mod views;

pub use below::{BelowConnector, BelowObject};
pub use callback::Callback;
pub use connector::Connector;
pub use error::{Error, Result};
pub use export::{Refusal, class_for};
/// The capability of making requests, for [`Connector::CAPABILITIES`].
pub use h5_abi::H5VL_CAP_FLAG_ASYNC as ASYNCHRONOUS;
pub use info::{Info, Settings, access_through, settings_of};
pub use info_string::{InfoString, InfoStringError, in_braces};
pub use inner_file::InnerFile;
pub use kept_errors::KeptErrors;
pub use lending::{Lender, Lends, Storage};
pub use location::{Location, OwnLocation, Target};
pub use methods::{
    Attributes, Blobs, Datasets, Datatypes, Files, Groups, Introspection, Links, Methods, Objects,
    PassThrough, Requests, Terminal, Tokens,
};
pub use object::{NewObject, Object, ObjectKind, Origin};
pub use slots::{SLOTS, Slots};
pub use token::Token;

pub use h5_host::errors::Kind as ErrorKind;
pub use h5_host::{Host, Id, OwnedId, Questions, Version};

#[doc(hidden)]
pub use h5_host::{Variable, locate};

#[doc(hidden)]
pub use export::{TakeAnswer, ask, plugin_info, plugin_type, process_exit};

/// The guide's example is compiled with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/writing-a-connector.md")]
struct WritingAConnector;
