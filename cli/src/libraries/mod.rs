//! The libhdf5 copies on this machine: finds them, tests them with the connector (one process per library), and chooses one.

pub(crate) mod choice;
mod library_file;
mod loading;
pub(crate) mod plugin;
mod prober;
pub(crate) mod probing;
mod python;
mod search;
pub(crate) mod survey;
pub(crate) mod verdict;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::plain;
use python::Python;
use search::Search;

/// The libraries that the user names, or all that can be found.
pub(crate) fn find(
    named: &[PathBuf],
    python: Option<&Path>,
    timeout: Duration,
    notes: &mut Vec<String>,
) -> Result<(Option<Python>, Search)> {
    if !named.is_empty() {
        let found = named.iter().map(|path| named_library(path)).collect::<Result<_>>()?;
        return Ok((None, Search::only(found)));
    }
    let python = match python {
        Some(interpreter) => Some(Python::ask(interpreter, timeout)?),
        None => Python::ask(&Python::default_interpreter(), timeout)
            .map_err(|error| {
                notes.push(plain::words(&format!("no Python packages were searched: {error:#}")));
            })
            .ok(),
    };
    let search = Search::everywhere(python.as_ref());
    Ok((python, search))
}

fn named_library(path: &Path) -> Result<PathBuf> {
    let canonical = path.canonicalize().with_context(|| format!("--lib {}", path.display()))?;
    if canonical.is_dir() {
        bail!("--lib {} is a directory: name the library in it", path.display());
    }
    Ok(canonical)
}

/// A path as text.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
