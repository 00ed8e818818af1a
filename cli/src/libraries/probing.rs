//! Tests a library with the environment that `run` would give it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use super::prober::{Outcome, Prober};
use super::verdict::{self, Expectation, Verdict};
use super::{plugin, text};
use crate::args::Step;
use crate::connector::{BYPASS, Base, Spec, ZARR};
use crate::environment::{self, Changes, Existing, Wishes};
use crate::probe::Version;
use crate::{plugin_dir, variables};

/// The connector's own file.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Plugin {
    pub(crate) path: Option<String>,
    pub(crate) stats_path: Option<String>,
    /// The Zarr connector's file.
    pub(crate) zarr_path: Option<String>,
    pub(crate) problem: Option<String>,
    pub(crate) advice: Option<String>,
}

/// Everything that is needed to test a library.
#[derive(Debug)]
pub(crate) struct Probing {
    prober: Prober,
    plugin_dir: Option<PathBuf>,
    plugin: Plugin,
    changes: Changes,
    /// Name of the connector that files must go through.
    connector: String,
    plugins_disabled: bool,
    /// Variables with invalid values. They are reported separately and must not make every library fail.
    invalid: Vec<&'static str>,
}

impl Probing {
    /// Finds the plugin, checks that it can be loaded, and works out the environment.
    pub(crate) fn prepare(
        plugin_dir: Option<&Path>,
        connector: Option<&str>,
        timeout: Duration,
    ) -> Result<Self> {
        let prober = Prober::new(timeout).context("cannot determine the path of this program")?;
        let (plugin_dir, mut plugin) = match plugin_dir::find(plugin_dir) {
            Ok(dir) => {
                let plugin = examine(&prober, &dir)?;
                (Some(dir), plugin)
            }
            Err(error) => (None, Plugin { problem: Some(error.to_string()), ..Plugin::default() }),
        };
        let mut changes = changes(plugin_dir.as_deref(), Base::Bypass)?;
        let mut name = BYPASS.to_owned();
        if let Some(value) = connector {
            changes.set.retain(|(name, _)| *name != environment::VOL_CONNECTOR);
            changes.set.push((environment::VOL_CONNECTOR, value.into()));
            name = Spec::parse(value).map(|spec| spec.name.to_owned()).unwrap_or_default();
            // A connector that is not ours does not need our plugin.
            plugin.problem = plugin.problem.filter(|_| Spec::parse(value).is_some_and(|spec| spec.is_ours()));
        }
        let invalid: Vec<_> = variables::faults().iter().map(|fault| fault.variable).collect();
        changes.unset.extend(&invalid);
        let plugins_disabled = Existing::read().disables_plugins();
        Ok(Self { prober, plugin_dir, plugin, changes, connector: name, plugins_disabled, invalid })
    }

    /// The connector's own file.
    pub(crate) fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// Fails, with advice, if the plugin cannot be used.
    pub(crate) fn require_plugin(&self) -> Result<()> {
        let Plugin { path, problem, advice, .. } = &self.plugin;
        let Some(problem) = problem else { return Ok(()) };
        let path = path.as_deref().map(|path| format!("{path}: ")).unwrap_or_default();
        let advice = advice.as_deref().map(|advice| format!("\n  -> {advice}")).unwrap_or_default();
        bail!("{path}{problem}{advice}")
    }

    /// The variables that load the connector.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    pub(crate) fn plugin_dir(&self) -> Option<&Path> {
        self.plugin_dir.as_deref()
    }

    /// The plugin, and the name of the connector that was tested.
    pub(crate) fn into_plugin(self) -> (Plugin, String) {
        (self.plugin, self.connector)
    }

    /// Loads a library without any connector.
    pub(crate) fn identify(&self, library: &Path) -> Result<Outcome> {
        self.prober.plain(library, Step::Identify).context("cannot start a probe")
    }

    /// Writes and reads a file through the connector.
    pub(crate) fn through_connector(&self, library: &Path, version: Version) -> Result<Verdict> {
        if self.plugin.problem.is_some() {
            return Ok(verdict::without_plugin());
        }
        let expected = Expectation { connector: &self.connector, ..self.expectation(&self.changes) };
        self.roundtrip(library, version, &self.changes, &expected)
    }

    /// Writes and reads a Zarr directory with a stub, through the Zarr connector. `None` if that is not installed.
    pub(crate) fn through_zarr(&self, library: &Path, version: Version) -> Result<Option<Verdict>> {
        let Some(dir) = self.plugin_dir.as_deref().filter(|_| self.plugin.zarr_path.is_some()) else {
            return Ok(None);
        };
        let mut changes = changes(Some(dir), Base::Zarr)?;
        changes.unset.extend(&self.invalid);
        let expected = Expectation { connector: ZARR, makes_directory: true, ..self.expectation(&changes) };
        self.roundtrip(library, version, &changes, &expected).map(Some)
    }

    fn expectation<'a>(&self, changes: &'a Changes) -> Expectation<'a> {
        let path = changes.get(environment::PLUGIN_PATH).map(|value| value.to_string_lossy());
        Expectation {
            connector: BYPASS,
            plugin_path: path.unwrap_or_default(),
            plugins_disabled: self.plugins_disabled,
            makes_directory: false,
        }
    }

    /// The same with the environment as it is, through the connector that it names.
    pub(crate) fn as_set(&self, library: &Path, version: Version, connector: &str) -> Result<Verdict> {
        let changes = Changes { set: Vec::new(), unset: self.invalid.clone() };
        let path = std::env::var_os(environment::PLUGIN_PATH).unwrap_or_default();
        let plugin_path = path.to_string_lossy();
        let expected = Expectation { connector, plugin_path, ..self.expectation(&changes) };
        self.roundtrip(library, version, &changes, &expected)
    }

    fn roundtrip(
        &self,
        library: &Path,
        version: Version,
        changes: &Changes,
        expected: &Expectation<'_>,
    ) -> Result<Verdict> {
        let outcome = self.prober.probe(library, Step::Roundtrip, changes).context("cannot start a probe")?;
        Ok(verdict::judge_roundtrip(version, &outcome, expected))
    }
}

/// The variables of a probe. `HDF5_PLUGIN_PRELOAD` is not changed: if it forbids plugins, the probe must show that.
fn changes(plugin_dir: Option<&Path>, base: Base) -> Result<Changes> {
    let Some(dir) = plugin_dir else { return Ok(Changes::default()) };
    let settings = if base == Base::Zarr { vec!["stub=1"] } else { Vec::new() };
    let wishes = Wishes { base, settings, plugin_dir: dir.to_path_buf(), ..Wishes::default() };
    let existing =
        Existing { plugin_path: std::env::var_os(environment::PLUGIN_PATH), ..Existing::default() };
    Changes::new(&wishes, &existing)
}

/// Checks whether the dynamic linker can load the plugin.
fn examine(prober: &Prober, dir: &Path) -> Result<Plugin> {
    let path = dir.join(plugin_dir::BYPASS_FILE);
    let other = |file: &str| Some(dir.join(file)).filter(|file| file.is_file()).map(|file| text(&file));
    let outcome = prober.plain(&path, Step::Load).context("cannot start a probe")?;
    let (problem, advice) =
        plugin::judge(&path, &outcome).map(|unusable| (unusable.problem, unusable.advice)).unzip();
    Ok(Plugin {
        path: Some(text(&path)),
        stats_path: other(plugin_dir::STATS_FILE),
        zarr_path: other(plugin_dir::ZARR_FILE),
        problem,
        advice,
    })
}
