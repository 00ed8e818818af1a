//! `cargo xtask bench`: measurements, each done by a script under `python/bench`.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::args::Overhead;
use crate::layout::Layout;
use crate::shell;

/// The cost of passing through, by `python/bench/overhead.py`.
pub(crate) fn overhead(layout: &Layout, options: &Overhead) -> Result<()> {
    let results = layout.target.join("bench");
    fs::create_dir_all(&results).context("cannot make the folder for results")?;
    let folder = layout.scratch("bench-overhead");
    shell::empty_folder(&folder)?;
    let mut python = shell::command(layout.python());
    python.arg(layout.python_sources().join("bench/overhead.py"));
    python.arg("--rounds").arg(options.rounds.to_string());
    python.arg("--folder").arg(&folder).arg("--output").arg(results.join("overhead.json"));
    // Only the plugins' folder: which connector a file is opened through, the script says file by file.
    python.env("HDF5_PLUGIN_PATH", layout.plugins()).env("PYTHONDONTWRITEBYTECODE", "1");
    python.env("H5STATS_OUT", folder.join("h5stats.json"));
    let status = python.status().context("cannot start Python")?;
    ensure!(status.success(), "the benchmark failed ({status})");
    Ok(())
}
