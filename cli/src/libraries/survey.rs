//! The libhdf5 copies to choose from. Each is tested with the connector only when it is needed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};

use super::choice::Choice;
use super::probing::Probing;
use super::verdict::{self, Kind};
use super::{prober, text};
use crate::environment;
use crate::probe::Version;
use crate::variables;

/// The time limit for each probe of a library.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A library that can be loaded and is not too old.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
    pub(crate) is_thread_safe: bool,
    /// The `LD_LIBRARY_PATH` that is needed to load it, if it differs from ours.
    pub(crate) variables: Vec<(OsString, OsString)>,
}

/// The libraries and packages that were found.
#[derive(Debug)]
pub(crate) struct Survey {
    probing: Probing,
    found: Vec<PathBuf>,
    /// Folders with the packages of the current Python.
    packages: Vec<PathBuf>,
}

impl Survey {
    /// Searches where `doctor` does. Fails if there is no usable plugin.
    pub(crate) fn new(plugin_dir: Option<&Path>) -> Result<Self> {
        variables::check()?;
        let probing = Probing::prepare(plugin_dir, None, TIMEOUT)?;
        probing.require_plugin()?;
        let (python, search) = super::find(&[], None, TIMEOUT, &mut Vec::new())?;
        let packages = python.map(|python| python.paths).unwrap_or_default();
        Ok(Self { probing, found: search.found, packages })
    }

    /// All libraries, in the order in which `doctor` tests them.
    pub(crate) fn found(&self) -> &[PathBuf] {
        &self.found
    }

    /// Folders with the packages of the current Python.
    pub(crate) fn packages(&self) -> &[PathBuf] {
        &self.packages
    }

    /// `HDF5_PLUGIN_PATH` with the plugin's folder in it.
    pub(crate) fn plugin_path(&self) -> &OsStr {
        let mut set = self.probing.changes().set.iter();
        set.find(|(name, _)| *name == environment::PLUGIN_PATH).map_or(OsStr::new(""), |(_, value)| value)
    }

    /// Loads a library without a connector, or says why that cannot be done.
    pub(crate) fn identify(&self, path: &Path) -> Result<Candidate> {
        let outcome = self.probing.identify(path)?;
        match verdict::judge_identity(path, &outcome) {
            Ok(version) => {
                let is_thread_safe = outcome.report.and_then(|report| report.thread_safe).unwrap_or(false);
                let variables = outcome.library_path.map(|value| (prober::LIBRARY_PATH.into(), value));
                let variables = variables.into_iter().collect();
                Ok(Candidate { path: path.to_owned(), version, is_thread_safe, variables })
            }
            Err(verdict) => bail!("{}: {}", text(path), verdict.reason.unwrap_or_default()),
        }
    }

    /// Writes and reads a file through the connector, or says why that cannot be done.
    pub(crate) fn prove(&self, candidate: &Candidate) -> Result<()> {
        let verdict = self.probing.through_connector(&candidate.path, candidate.version)?;
        if verdict.kind == Kind::Ok {
            return Ok(());
        }
        let advice = verdict.advice.map(|advice| format!("\n    -> {advice}")).unwrap_or_default();
        bail!("{}: {}{advice}", text(&candidate.path), verdict.reason.unwrap_or_default())
    }

    /// What a process needs to use this library with the connector.
    pub(crate) fn choice(&self, path: &Path) -> Result<Choice> {
        let Candidate { path, version, variables, .. } = self.identify(path)?;
        let mut changes = self.probing.changes().clone();
        changes.set.extend(variables.into_iter().map(|(_, value)| (prober::LIBRARY_PATH, value)));
        Ok(Choice { library: path, version, changes, plugin: self.probing.plugin().path.clone() })
    }
}
