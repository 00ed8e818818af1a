//! Python environments: that of the stock clients, and others.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// Prints what the environment depends on. Fails if `python3 -m venv` would.
const PROBE: &str = "import ensurepip, sys, venv; print(sys.version, sys.base_prefix)";

const NO_VENV: &str = "\
this Python cannot make virtual environments: its modules venv and ensurepip are missing.
On Debian or Ubuntu they are a package of their own: apt install python3-venv";

/// A Python environment with pinned packages.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Where it is made.
    pub(crate) folder: PathBuf,
    /// The list of packages with their versions.
    pub(crate) requirements: PathBuf,
    /// The message while they are installed.
    pub(crate) what: &'static str,
}

impl Environment {
    /// The one of the tests: the stock clients.
    pub(super) fn of_tests(layout: &Layout) -> Self {
        Self {
            folder: layout.venv(),
            requirements: layout.python_sources().join("requirements.txt"),
            what: "installing h5py, netCDF4, PyTables, hdf5plugin, xarray, zarr from PyPI",
        }
    }

    /// Its Python.
    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// Creates it, unless it exists with exactly these packages.
    pub(crate) fn make(&self, layout: &Layout) -> Result<()> {
        let list = &self.requirements;
        let requirements =
            fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
        let stamp = Stamp::new(
            self.folder.with_extension("stamp"),
            format!("{}\n{}\n{requirements}", self.folder.display(), describe_python()?.trim()),
        );
        if stamp.covers(&self.python()) {
            return Ok(());
        }

        stamp.revoke()?;
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)
                .with_context(|| format!("cannot remove {}", self.folder.display()))?;
        }
        let mut make = shell::command("python3");
        make.args(["-m", "venv"]).arg(&self.folder);
        shell::run_step(layout, "setup-venv", "making a Python environment", &mut make)?;

        let mut install = shell::command(self.python());
        install.args(["-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:"]);
        install.arg("--requirement").arg(list);
        shell::run_step(layout, "setup-pip", self.what, &mut install)?;
        stamp.grant()
    }
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
