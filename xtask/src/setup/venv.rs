//! The Python environment with the stock clients.

use std::fs;

use anyhow::{Context, Result, bail};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// Prints what the environment depends on; fails where `python3 -m venv` would.
const PROBE: &str = "import ensurepip, sys, venv; print(sys.version, sys.base_prefix)";

const NO_VENV: &str = "\
this Python cannot make virtual environments: its modules venv and ensurepip are missing.
On Debian or Ubuntu they are a package of their own: apt install python3-venv";

/// Makes `target/xtask/venv` from `python/requirements.txt`.
pub(crate) fn make(layout: &Layout) -> Result<()> {
    let list = layout.python_sources().join("requirements.txt");
    let requirements =
        fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let venv = layout.venv();
    let stamp = Stamp::new(
        layout.own().join("venv.stamp"),
        format!("{}\n{}\n{requirements}", venv.display(), describe_python()?.trim()),
    );
    if stamp.covers(&layout.python()) {
        return Ok(());
    }

    stamp.revoke()?;
    if venv.exists() {
        fs::remove_dir_all(&venv).with_context(|| format!("cannot remove {}", venv.display()))?;
    }
    let mut make = shell::command("python3");
    make.args(["-m", "venv"]).arg(&venv);
    shell::run_step(layout, "setup-venv", "making a Python environment", &mut make)?;

    let mut install = shell::command(layout.python());
    install.args(["-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"]);
    install.arg("--requirement").arg(&list);
    shell::run_step(
        layout,
        "setup-pip",
        "installing h5py, netCDF4, PyTables, hdf5plugin, xarray from PyPI",
        &mut install,
    )?;
    stamp.grant()
}

/// Which python3 this is, or what to install.
fn describe_python() -> Result<String> {
    let mut version = shell::command("python3");
    shell::capture("python3 --version", version.arg("--version"))
        .context("Python 3 is needed (Debian: apt install python3 python3-venv)")?;
    match shell::capture("python3", shell::command("python3").args(["-c", PROBE])) {
        Ok(description) => Ok(description),
        Err(_) => bail!(NO_VENV),
    }
}
