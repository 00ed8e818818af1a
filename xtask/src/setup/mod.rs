//! Downloads what the tests need and this repository does not contain.
//!
//! * [`venv`]: the stock clients with their own libhdf5, and filter plugins, from PyPI;
//! * [`headers`]: the C headers of two HDF5 versions, from crates.io, to check our types against;
//! * [`hosts`]: the lists of stock libhdf5 files, one of them too old on purpose;
//! * [`Parallel`]: an HDF5 built for MPI, only for the tests that need one;
//! * [`netcdf4_tests()`]: netCDF4's own tests, only for the step that runs them;
//! * [`real_data()`]: netCDF files of others, only for the benchmark of the clients;
//! * [`browser()`]: a headless Chromium, only for the tests that need one.
//!
//! Each part keeps a [`stamp`] of what it was made from and does nothing while that is unchanged.

mod browser;
mod headers;
mod hosts;
mod netcdf4_tests;
mod parallel;
mod real_data;
mod stamp;
mod venv;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

pub(crate) use self::browser::browser;
pub(crate) use self::hosts::{libraries, site_packages, stock_libraries};
pub(crate) use self::netcdf4_tests::netcdf4_tests;
pub(crate) use self::parallel::Parallel;
pub(crate) use self::real_data::real_data;
pub(crate) use self::venv::Environment;
use crate::layout::Layout;

/// Creates everything that is missing or out of date.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    Environment::of_tests(layout).make(layout)?;
    headers::fetch(layout)?;
    hosts::list(layout)
}

/// The two header folders joined by `:`, for H5_ABI_HEADERS.
pub(crate) fn header_folders(layout: &Layout) -> Result<OsString> {
    let folders = headers::VERSIONS.iter().map(|version| layout.headers(version.hdf5));
    env::join_paths(folders).context("the path of the headers has a colon in it")
}

/// The folder with hdf5plugin's filters.
pub(crate) fn filter_plugins(layout: &Layout) -> Result<PathBuf> {
    Ok(site_packages(layout)?.join("hdf5plugin/plugins"))
}
