//! The connectors a client is run through, and the environment that makes HDF5 load them.

use std::path::PathBuf;
use std::process::Command;

use crate::layout::Layout;

/// A stack of VOL connectors, chosen by environment variables only: the clients are unchanged.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    /// Name for logs and messages.
    pub(crate) label: &'static str,
    /// The connectors that must be found loaded, outermost first.
    pub(crate) expected: &'static [&'static str],
    /// Value of HDF5_VOL_CONNECTOR.
    string: Option<&'static str>,
    /// Value of HDF5_PLUGIN_PATH.
    plugins: Option<PathBuf>,
}

impl Connector {
    /// HDF5 as it is.
    pub(crate) fn native() -> Self {
        Self { label: "native", expected: &["native"], string: None, plugins: None }
    }

    /// Our connector.
    pub(crate) fn bypass(layout: &Layout) -> Self {
        Self {
            label: "bypass",
            expected: &["bypass"],
            string: Some("bypass under_vol=0;under_info={}"),
            plugins: Some(layout.plugins()),
        }
    }

    /// The statistics connector on top of ours.
    pub(crate) fn stats_over_bypass(layout: &Layout) -> Self {
        Self {
            label: "h5stats-over-bypass",
            expected: &["h5stats", "bypass"],
            string: Some("h5stats under_vol=518;under_info={under_vol=0;under_info={}}"),
            plugins: Some(layout.plugins()),
        }
    }

    /// The Zarr connector, with every new file a Zarr directory.
    pub(crate) fn zarr(layout: &Layout) -> Self {
        Self {
            label: "zarr",
            expected: &["zarr"],
            string: Some("zarr all=1;transcode=zstd"),
            plugins: Some(layout.plugins()),
        }
    }

    /// The Zarr connector, with every new file a Zarr directory behind a stub.
    pub(crate) fn zarr_stubs(layout: &Layout) -> Self {
        Self {
            label: "zarr-stubs",
            expected: &["zarr"],
            string: Some("zarr all=1;stub=1;transcode=zstd"),
            plugins: Some(layout.plugins()),
        }
    }

    /// The mirror connector, with a second file of native HDF5 beside each. When a file is closed, both are compared.
    pub(crate) fn mirror(layout: &Layout) -> Self {
        Self {
            label: "mirror",
            expected: &["mirror"],
            string: Some("mirror verify=close"),
            plugins: Some(layout.plugins()),
        }
    }

    /// HDF5's own example of a connector: known to be imperfect, which the tests of the comparison use.
    #[cfg(test)]
    pub(crate) fn pass_through() -> Self {
        Self {
            label: "pass_through",
            expected: &["pass_through"],
            string: Some("pass_through under_vol=0;under_info={}"),
            plugins: None,
        }
    }

    /// Sets the variables for `command`.
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Some(string) = self.string {
            command.env("HDF5_VOL_CONNECTOR", string);
        }
        if let Some(plugins) = &self.plugins {
            command.env("HDF5_PLUGIN_PATH", plugins);
        }
    }
}
