//! The current Python environment: where its packages are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::process::scratch;
use crate::process::subprocess::{self, Ending};

/// Asks an interpreter for its directories. `getsitepackages` is missing in some virtual environments.
const QUESTION: &str = r#"
import json, site, sys
paths = list(getattr(site, "getsitepackages", list)())
if getattr(site, "ENABLE_USER_SITE", False):
    paths.append(site.getusersitepackages())
paths += [path for path in sys.path if path]
print(json.dumps({"executable": sys.executable, "prefixes": [sys.prefix, sys.base_prefix], "paths": paths}))
"#;

/// Where the Python package names the interpreter that it is installed with.
const INTERPRETER: &str = "H5BYPASS_INTERPRETER";

/// What the interpreter answered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Python {
    pub(crate) executable: PathBuf,
    /// `<prefix>/lib` may hold a libhdf5 (conda does that).
    pub(crate) prefixes: Vec<PathBuf>,
    /// Directories with packages.
    pub(crate) paths: Vec<PathBuf>,
}

impl Python {
    /// Asks one interpreter.
    pub(crate) fn ask(interpreter: &Path, timeout: Duration) -> Result<Self> {
        let scratch = scratch::directory()?;
        let mut command = Command::new(interpreter);
        command.args(["-c", QUESTION]);
        let finished = subprocess::run(command, timeout, scratch.path())
            .with_context(|| format!("cannot run the Python interpreter '{}'", interpreter.display()))?;
        if finished.ending != Ending::Exited(0) {
            let last = finished.stderr.lines().next_back().unwrap_or("it printed nothing");
            bail!("'{}' is not a usable Python interpreter: {last}", interpreter.display());
        }
        parse(&finished.stdout)
            .with_context(|| format!("'{}' is not a usable Python interpreter", interpreter.display()))
    }

    /// The interpreter of the active environment; of the nearest `.venv`, in the current directory or one above it; the one that
    /// this command is installed with; or the one in `PATH`.
    pub(crate) fn default_interpreter() -> PathBuf {
        let active =
            ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
        let here = std::env::current_dir().unwrap_or_default();
        let near = here.ancestors().map(|folder| folder.join(".venv"));
        let own = std::env::var_os(INTERPRETER).map(PathBuf::from);
        active
            .chain(near)
            .map(|environment| environment.join("bin/python"))
            .chain(own)
            .find(|interpreter| interpreter.is_file())
            .unwrap_or_else(|| PathBuf::from("python3"))
    }
}

/// Parses the answer, which is the last line. Code that runs when the interpreter starts may print others.
fn parse(stdout: &str) -> Result<Python> {
    Ok(serde_json::from_str(stdout.lines().next_back().unwrap_or_default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_last_line() {
        let python =
            parse("welcome\n{\"executable\":\"/p\",\"prefixes\":[\"/u\"],\"paths\":[\"/a\",\"/b\"]}\n")
                .unwrap();
        assert_eq!(python.paths, [Path::new("/a"), Path::new("/b")]);
        assert!(parse("").is_err());
    }
}
