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
