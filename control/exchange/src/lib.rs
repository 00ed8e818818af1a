//! Compares and copies files and objects, each side through any connector of one libhdf5.
//!
//! ```no_run
//! use h5_client::Library;
//! use h5_exchange::compare::{Options, compare};
//! use h5_exchange::{Place, Quiet};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let h5 = Library::load("/usr/lib/libhdf5.so".as_ref())?.enter()?;
//! let report = compare(&h5, &Place::file("a.h5"), &Place::file("b.zarr").through("zarr"), &Options::default(), &mut Quiet)?;
//! assert!(report.is_equal());
//! # Ok(())
//! # }
//! ```
//!
//! What both have in common: a [`Place`] says what a side is, and opens it. [`walk`] visits each object once and remembers
//! under which name. [`blocks`] cuts extents into parts that fit in memory. Elements that lead outside of themselves
//! (variable length, references) become trees of values ([`h5_client::Value`]).

#![forbid(unsafe_code)]

pub mod blocks;
pub mod compare;
pub mod copy;
mod error;
mod numbers;
mod parts;
mod place;
mod progress;
mod shown;
mod types;
mod values;
pub mod walk;

pub use error::{At, Error, Result};
pub use place::{Place, Side};
pub use progress::{Progress, Quiet};
pub use values::Tolerance;
