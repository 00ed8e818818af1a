//! Fetches what the tests need and this repository does not hold.
//!
//! * [`venv`]: the stock clients with their own libhdf5, and filter plugins, from PyPI;
//! * [`headers`]: the C headers of two HDF5 versions, from crates.io, to check our types against;
//! * [`hosts`]: the lists of stock libhdf5 files, one of them too old on purpose.
//!
//! Each part keeps a [`stamp`] of what it was made from and does nothing while that is unchanged.

mod headers;
mod hosts;
mod stamp;
mod venv;

use std::env;
use std::ffi::OsString;

use anyhow::{Context, Result};

pub(crate) use self::hosts::{libraries, site_packages};
use crate::layout::Layout;

/// Makes whatever is missing or out of date.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    venv::make(layout)?;
    headers::fetch(layout)?;
    hosts::list(layout)
}

/// The two header folders joined by `:`, as the tests want them in H5_ABI_HEADERS.
pub(crate) fn header_folders(layout: &Layout) -> Result<OsString> {
    let folders = headers::VERSIONS.iter().map(|version| layout.headers(version.hdf5));
    env::join_paths(folders).context("the path of the headers has a colon in it")
}
