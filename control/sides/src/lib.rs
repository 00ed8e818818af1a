//! Further files that a connector keeps in step with the one below it.
//!
//! A connector of the framework stands on one other. What it wants done in other files as well, it does as an application would:
//! it opens them with HDF5's public functions and holds identifiers. Then each of these calls has a context of its own, errors of
//! its own, and any stack of connectors below it, as if another application made it.
//!
//! * [`Hdf5`] makes the calls. Each returns a [`Failure`] with HDF5's own words. The application's error stack stays as it is, and
//!   nothing is printed.
//! * [`Place`] is where a call points, relative to an identifier.
//! * [`References`] puts the references of one file into the terms of another.
//! * [`compare`](Hdf5::compare) tells what is not the same in two files.
//!
//! # Safety
//! Functions of the host are called only inside one of its callbacks. Identifiers are verified by HDF5.

#![deny(unsafe_code)]

mod failure;
mod functions;
#[macro_use]
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod hdf5;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod attributes;
mod compare;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod datasets;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod elements;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod files;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod iteration;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod links;
#[expect(unsafe_code, reason = "calls HDF5's public functions")]
mod objects;
mod place;
#[expect(
    unsafe_code,
    reason = "calls HDF5's public functions, and follows pointers of the application's elements"
)]
mod references;

pub use failure::{Failure, Outcome};
pub use hdf5::Hdf5;
pub use place::Place;
pub use references::{Home, References};
