//! netCDF4's own tests, which its wheel does not have.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// The folder of the tests, fetched if it is not there.
pub(crate) fn netcdf4_tests(layout: &Layout) -> Result<PathBuf> {
    let script = layout.python_sources().join("suites/fetch_netcdf4_tests.py");
    let recipe = fs::read_to_string(&script).with_context(|| format!("cannot read {}", script.display()))?;
    let folder = layout.own().join("netcdf4-tests");
    let stamp = Stamp::new(folder.with_extension("stamp"), recipe);
    if stamp.covers(&folder) {
        return Ok(folder);
    }
    stamp.revoke()?;
    shell::empty_folder(&folder)?;
    let mut fetch = shell::command(layout.python());
    fetch.arg(script).arg(&folder);
    shell::run_step(layout, "setup-netcdf4-tests", "fetching netCDF4's tests from PyPI", &mut fetch)?;
    stamp.grant()?;
    Ok(folder)
}
