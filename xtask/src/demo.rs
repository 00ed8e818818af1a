//! `cargo xtask demo`: stock h5py reads one file natively and through the connector.

use anyhow::{Context, Result, ensure};

use crate::layout::Layout;
use crate::shell;

/// Runs `python/demo.py` with `h5bypass run --` as the way to start a program through the connector.
pub(crate) fn run(layout: &Layout) -> Result<()> {
    let folder = layout.scratch("demo");
    shell::empty_folder(&folder)?;
    let mut python = shell::command(layout.python());
    python.arg(layout.python_sources().join("demo.py")).arg("--folder").arg(&folder);
    python.args(["--expect", "bypass", "--"]).arg(layout.plugins().join("h5bypass")).args(["run", "--"]);
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    let status = python.status().context("cannot start Python")?;
    ensure!(status.success(), "the demo failed ({status})");
    Ok(())
}
