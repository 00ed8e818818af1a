//! Where the connector's shared library is.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// File name of the bypass connector.
pub(crate) const BYPASS_FILE: &str = "libh5bypass_vol.so";
/// File name of the statistics connector.
pub(crate) const STATS_FILE: &str = "libh5stats_vol.so";
/// File name of the Zarr connector.
pub(crate) const ZARR_FILE: &str = "libh5zarr_vol.so";
/// The variable that names the directory if no option does.
const VARIABLE: &str = "H5BYPASS_PLUGIN_DIR";

/// The plugin was in none of the directories.
#[derive(Debug)]
pub(crate) struct NotFound {
    /// The plugin's file.
    file: &'static str,
    /// The directories, in the order in which they were searched.
    pub(crate) looked_in: Vec<PathBuf>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was not found; looked in", self.file)?;
        for dir in &self.looked_in {
            write!(f, "\n  {}", dir.display())?;
        }
        write!(f, "\nname its directory with --plugin-dir DIR or {VARIABLE}=DIR")
    }
}

impl std::error::Error for NotFound {}

/// Finds the directory of the bypass connector, as an absolute path.
pub(crate) fn find(option: Option<&Path>) -> Result<PathBuf, NotFound> {
    find_file(option, BYPASS_FILE)
}

/// Finds the directory of one of the plugins.
pub(crate) fn find_file(option: Option<&Path>, file: &'static str) -> Result<PathBuf, NotFound> {
    let candidates = candidates(option, std::env::var_os(VARIABLE), std::env::current_exe().ok().as_deref());
    first_with_plugin(candidates, file)
}

/// The directories to search. If the user names one, it is the only one: any other could hold a different plugin.
fn candidates(option: Option<&Path>, variable: Option<OsString>, executable: Option<&Path>) -> Vec<PathBuf> {
    let named =
        option.map(Path::to_path_buf).or_else(|| variable.filter(|dir| !dir.is_empty()).map(PathBuf::from));
    if let Some(dir) = named {
        return vec![std::path::absolute(&dir).unwrap_or(dir)];
    }
    let Some(here) = executable.and_then(Path::parent) else { return Vec::new() };
    let mut dirs = vec![here.to_path_buf()];
    if let Some(prefix) = here.parent() {
        // The Python package has bin/ and plugin/.
        dirs.push(prefix.join("plugin"));
        dirs.push(prefix.join("lib/h5bypass/plugin"));
        dirs.push(prefix.join("lib/hdf5/plugin"));
    }
    dirs
}

fn first_with_plugin(candidates: Vec<PathBuf>, file: &'static str) -> Result<PathBuf, NotFound> {
    match candidates.iter().find(|dir| dir.join(file).is_file()) {
        Some(dir) => Ok(dir.clone()),
        None => Err(NotFound { file, looked_in: candidates }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_wins_over_the_variable_and_both_over_the_executable() {
        let exe = Some(Path::new("/x/bin/h5bypass"));
        assert_eq!(candidates(Some(Path::new("/o")), Some("/v".into()), exe), [Path::new("/o")]);
        assert_eq!(candidates(None, Some("/v".into()), exe), [Path::new("/v")]);
        assert_eq!(
            candidates(None, Some("".into()), exe),
            ["/x/bin", "/x/plugin", "/x/lib/h5bypass/plugin", "/x/lib/hdf5/plugin"].map(Path::new)
        );
    }

    #[test]
    fn a_relative_directory_becomes_absolute() {
        assert!(candidates(Some(Path::new("rel")), None, None)[0].is_absolute());
    }

    #[test]
    fn the_error_lists_every_directory() {
        let error = first_with_plugin(vec!["/nowhere/a".into(), "/nowhere/b".into()], ZARR_FILE).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("/nowhere/a")
                && text.contains("/nowhere/b")
                && text.contains("--plugin-dir")
                && text.contains("libh5zarr_vol.so"),
            "{text}"
        );
    }
}
