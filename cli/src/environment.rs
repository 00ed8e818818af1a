//! The environment variables that load the connector into a stock libhdf5, and how they combine with those
//! that are already set.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::connector::{self, Base, Spec};

pub(crate) const PLUGIN_PATH: &str = "HDF5_PLUGIN_PATH";
pub(crate) const PLUGIN_PRELOAD: &str = "HDF5_PLUGIN_PRELOAD";
pub(crate) const VOL_CONNECTOR: &str = "HDF5_VOL_CONNECTOR";
pub(crate) const NTHREADS: &str = settings::NTHREADS.name;
pub(crate) const STATS: &str = settings::STATS.name;
pub(crate) const STATS_OUT: &str = settings::STATS_OUT.name;
/// Where the Zarr connector writes its counters to.
pub(crate) const ZARR_STATS: &str = "ZARR_VOL_STATS";
pub(crate) const DISABLE: &str = settings::DISABLE.name;
/// Where the connector writes a trace to.
pub(crate) const TRACE: &str = settings::TRACE.name;

/// The value of `HDF5_PLUGIN_PRELOAD` that makes libhdf5 load no plugin at all.
pub(crate) const NO_PLUGINS: &str = "::";

/// Where libhdf5 (1.14; 2.x, as wheels and default builds have it) looks for plugins when `HDF5_PLUGIN_PATH`
/// is not set. Setting the variable would hide these directories and their filter plugins, so it must include them.
const DEFAULT_PLUGIN_DIRS: [&str; 3] =
    ["/usr/local/hdf5/lib/plugin", "/usr/local/lib/plugin", "/usr/local/lib/hdf5/plugin"];

/// What the user asked for.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    /// The connector to load.
    pub(crate) base: Base,
    /// What its info string says beyond what is below it.
    pub(crate) settings: Vec<&'static str>,
    /// Absolute directory of the plugin.
    pub(crate) plugin_dir: PathBuf,
    /// Size of the thread pool.
    pub(crate) threads: Option<u32>,
    /// Stack the statistics connector on top.
    pub(crate) stats: bool,
    /// Absolute path of the file for its results.
    pub(crate) stats_out: Option<PathBuf>,
    /// Override conflicting variables instead of refusing.
    pub(crate) replace: bool,
}

/// The variables that are already set.
#[derive(Debug, Default)]
pub(crate) struct Existing {
    /// `HDF5_PLUGIN_PATH`
    pub(crate) plugin_path: Option<OsString>,
    /// `HDF5_PLUGIN_PRELOAD`
    pub(crate) plugin_preload: Option<OsString>,
    /// `HDF5_VOL_CONNECTOR`
    pub(crate) vol_connector: Option<OsString>,
}

impl Existing {
    /// Reads the environment of this process.
    pub(crate) fn read() -> Self {
        Self {
            plugin_path: std::env::var_os(PLUGIN_PATH),
            plugin_preload: std::env::var_os(PLUGIN_PRELOAD),
            vol_connector: std::env::var_os(VOL_CONNECTOR),
        }
    }

    /// Whether libhdf5 will load no plugin at all.
    pub(crate) fn disables_plugins(&self) -> bool {
        self.plugin_preload.as_deref() == Some(OsStr::new(NO_PLUGINS))
    }
}

/// Variables to set and to remove.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) set: Vec<(&'static str, OsString)>,
    pub(crate) unset: Vec<&'static str>,
}

impl Changes {
    /// Works out what has to change. Fails if an existing variable conflicts.
    pub(crate) fn new(wishes: &Wishes, existing: &Existing) -> Result<Self> {
        let mut changes = Self::default();

        if existing.disables_plugins() {
            if !wishes.replace {
                bail!(
                    "{PLUGIN_PRELOAD} is '{NO_PLUGINS}', which makes HDF5 load no plugins at all\n  \
                     unset it (`unset {PLUGIN_PRELOAD}`), or use --replace"
                );
            }
            changes.unset.push(PLUGIN_PRELOAD);
        }

        let current = existing.vol_connector.as_deref().unwrap_or_default().to_string_lossy();
        let current = Spec::parse(&current).filter(|_| !wishes.replace);
        if let Some(foreign) = current.as_ref().filter(|spec| !spec.agrees_with(wishes.base)) {
            bail!(
                "{VOL_CONNECTOR} is already set to the connector '{}'\n  \
                 unset it (`unset {VOL_CONNECTOR}`), or use --replace to override it for this command",
                foreign.name
            );
        }

        changes.set(PLUGIN_PATH, plugin_path(&wishes.plugin_dir, existing.plugin_path.as_deref())?);
        changes.set(
            VOL_CONNECTOR,
            connector::value(wishes.base, &wishes.settings, current.as_ref(), wishes.stats),
        );
        if let Some(threads) = wishes.threads {
            changes.set(NTHREADS, threads.to_string());
        }
        if wishes.stats {
            changes.set(STATS, "1");
        }
        if let Some(file) = &wishes.stats_out {
            changes.set(STATS_OUT, file);
        }
        Ok(changes)
    }

    /// The new value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.as_os_str())
    }

    fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.set.push((name, value.into()));
    }

    /// Applies the changes to a command.
    pub(crate) fn apply(&self, command: &mut std::process::Command) {
        for name in &self.unset {
            command.env_remove(name);
        }
        for (name, value) in &self.set {
            command.env(name, value);
        }
    }
}

/// The new `HDF5_PLUGIN_PATH`.
fn plugin_path(dir: &Path, existing: Option<&OsStr>) -> Result<OsString> {
    if dir.as_os_str().as_bytes().contains(&b':') {
        bail!(
            "the plugin directory '{}' contains ':', which separates directories in {PLUGIN_PATH}",
            dir.display()
        );
    }
    if let Some(existing) = existing {
        return Ok(prepend(dir.as_os_str(), existing));
    }
    let defaults: Vec<_> = DEFAULT_PLUGIN_DIRS.into_iter().filter(|dir| Path::new(dir).is_dir()).collect();
    Ok(prepend(dir.as_os_str(), OsStr::new(&defaults.join(":"))))
}

/// Puts `first` before the ':'-separated `rest`, without empty entries and without duplicates.
fn prepend(first: &OsStr, rest: &OsStr) -> OsString {
    let mut entries = vec![first.as_bytes()];
    for entry in rest.as_bytes().split(|byte| *byte == b':') {
        if !entry.is_empty()
            && !entries
                .iter()
                .any(|seen| Path::new(OsStr::from_bytes(seen)) == Path::new(OsStr::from_bytes(entry)))
        {
            entries.push(entry);
        }
    }
    OsString::from_vec(entries.join(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes() -> Wishes {
        Wishes { plugin_dir: "/p".into(), ..Wishes::default() }
    }

    fn get<'a>(changes: &'a Changes, name: &str) -> Option<&'a OsStr> {
        changes.set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.as_os_str())
    }

    #[test]
    fn prepend_keeps_order_and_drops_duplicates() {
        let cases = [("", "/p"), ("/a:/b", "/p:/a:/b"), ("/a:/p:/a/", "/p:/a"), ("::", "/p"), ("/p", "/p")];
        for (rest, expected) in cases {
            assert_eq!(prepend(OsStr::new("/p"), OsStr::new(rest)), expected, "{rest:?}");
        }
    }

    #[test]
    fn prepend_keeps_names_that_are_not_unicode() {
        let odd = OsStr::from_bytes(b"/\xff");
        assert_eq!(prepend(OsStr::new("/p"), odd).as_bytes(), b"/p:/\xff");
    }

    #[test]
    fn a_colon_in_the_directory_is_an_error() {
        assert!(plugin_path(Path::new("/a:b"), None).is_err());
    }

    #[test]
    fn all_wishes_become_variables() {
        let all = Wishes { threads: Some(3), stats: true, stats_out: Some("/o".into()), ..wishes() };
        let existing = Existing { plugin_path: Some("/q".into()), ..Existing::default() };
        let changes = Changes::new(&all, &existing).unwrap();
        assert_eq!(get(&changes, PLUGIN_PATH), Some(OsStr::new("/p:/q")));
        assert_eq!(get(&changes, NTHREADS), Some(OsStr::new("3")));
        assert_eq!(get(&changes, STATS), Some(OsStr::new("1")));
        assert_eq!(get(&changes, STATS_OUT), Some(OsStr::new("/o")));
        assert!(
            get(&changes, VOL_CONNECTOR).unwrap().to_str().unwrap().starts_with("h5stats under_vol=518;")
        );
        assert!(changes.unset.is_empty());
    }

    #[test]
    fn nothing_more_than_asked_is_set() {
        let changes = Changes::new(&wishes(), &Existing::default()).unwrap();
        let names: Vec<_> = changes.set.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [PLUGIN_PATH, VOL_CONNECTOR]);
    }

    #[test]
    fn a_foreign_connector_is_refused_or_replaced() {
        let existing = Existing { vol_connector: Some("async under_vol=0".into()), ..Existing::default() };
        let error = Changes::new(&wishes(), &existing).unwrap_err().to_string();
        assert!(error.contains("'async'") && error.contains("--replace"), "{error}");

        let changes = Changes::new(&Wishes { replace: true, ..wishes() }, &existing).unwrap();
        assert_eq!(get(&changes, VOL_CONNECTOR), Some(OsStr::new("bypass under_vol=0;under_info={}")));
    }

    #[test]
    fn disabled_plugins_are_refused_or_enabled() {
        let existing = Existing { plugin_preload: Some("::".into()), ..Existing::default() };
        assert!(Changes::new(&wishes(), &existing).unwrap_err().to_string().contains(PLUGIN_PRELOAD));
        let changes = Changes::new(&Wishes { replace: true, ..wishes() }, &existing).unwrap();
        assert_eq!(changes.unset, [PLUGIN_PRELOAD]);
    }
}
