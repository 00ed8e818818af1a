//! All paths that the other modules use.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The workspace and its target folder.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The folder with the workspace's Cargo.toml.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, by default `root/target`.
    pub(crate) target: PathBuf,
}

impl Layout {
    /// The workspace this program was built in; honours CARGO_TARGET_DIR as cargo does.
    pub(crate) fn of_this_workspace() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the folder of xtask has no parent")?
            .to_path_buf();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) if !folder.is_empty() => {
                env::current_dir().context("cannot tell the current folder")?.join(folder)
            }
            _ => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// What xtask makes for itself.
    pub(crate) fn own(&self) -> PathBuf {
        self.target.join("xtask")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.own().join("logs")
    }

    /// Working folders of the suites: emptied before each run.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.own().join("tmp").join(name)
    }

    pub(crate) fn venv(&self) -> PathBuf {
        self.own().join("venv")
    }

    /// The venv's Python, which has all the clients.
    pub(crate) fn python(&self) -> PathBuf {
        self.venv().join("bin/python")
    }

    /// Lines `name <TAB> path`: the stock libhdf5 files to test with.
    pub(crate) fn hosts_file(&self) -> PathBuf {
        self.own().join("hosts.txt")
    }

    /// One such line: a libhdf5 too old for us, which must be refused.
    pub(crate) fn old_host_file(&self) -> PathBuf {
        self.own().join("old-host.txt")
    }

    /// The C headers of one HDF5 version.
    pub(crate) fn headers(&self, hdf5: &str) -> PathBuf {
        self.target.join("hdf5-src").join(hdf5).join("src")
    }

    /// Where cargo puts the optimised plugins: the value of HDF5_PLUGIN_PATH.
    pub(crate) fn plugins(&self) -> PathBuf {
        self.target.join("release")
    }

    /// The Python sources of this repository.
    pub(crate) fn python_sources(&self) -> PathBuf {
        self.root.join("python")
    }
}
