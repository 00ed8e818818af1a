//! Chooses the libhdf5 to work with: the one that the user names, or the newest that passes a test with the connector.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};

use super::probing::Probing;
use super::verdict::{self, Kind, Verdict};
use super::{prober, text};
use crate::environment::Changes;
use crate::probe::Version;
use crate::variables;

/// The time limit for each probe of a library.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The library, and what a process needs to use it with the connector.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) library: PathBuf,
    pub(crate) version: Version,
    pub(crate) changes: Changes,
    /// The plugin's file.
    pub(crate) plugin: Option<String>,
}

/// A library that can be loaded and is not too old.
struct Candidate {
    library: PathBuf,
    version: Version,
    library_path: Option<std::ffi::OsString>,
}

/// Chooses a library. The error says what is wrong with each.
pub(crate) fn choose(
    named: Option<&Path>,
    plugin_dir: Option<&Path>,
    connector: Option<&str>,
) -> Result<Choice> {
    variables::check()?;
    let named: Vec<_> = named.map(Path::to_path_buf).into_iter().collect();
    let (_, search) = super::find(&named, None, TIMEOUT, &mut Vec::new())?;
    let probing = Probing::prepare(plugin_dir, connector, TIMEOUT)?;
    probing.require_plugin()?;
    let mut failures = Vec::new();
    for candidate in candidates(&probing, search.found, &mut failures)? {
        let verdict = probing.through_connector(&candidate.library, candidate.version)?;
        if verdict.kind == Kind::Ok {
            return Ok(candidate.into_choice(&probing));
        }
        failures.push((candidate.library, verdict));
    }
    bail!("{}", complaint(&failures))
}

/// The libraries worth testing, newest first. Of equal versions, the one found first comes first.
fn candidates(
    probing: &Probing,
    libraries: Vec<PathBuf>,
    failures: &mut Vec<(PathBuf, Verdict)>,
) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for library in libraries {
        let outcome = probing.identify(&library)?;
        match verdict::judge_identity(&library, &outcome) {
            Ok(version) => {
                candidates.push(Candidate { library, version, library_path: outcome.library_path });
            }
            Err(verdict) => failures.push((library, verdict)),
        }
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.version));
    Ok(candidates)
}

impl Candidate {
    fn into_choice(self, probing: &Probing) -> Choice {
        let mut changes = probing.changes().clone();
        changes.set.extend(self.library_path.map(|path| (prober::LIBRARY_PATH, path)));
        let plugin = probing.plugin().path.clone();
        Choice { library: self.library, version: self.version, changes, plugin }
    }
}

/// The error when no library can be used.
fn complaint(failures: &[(PathBuf, Verdict)]) -> String {
    if failures.is_empty() {
        return "no libhdf5 was found\n  name one with --lib PATH; `h5bypass doctor` lists the directories it searched"
            .into();
    }
    let mut complaint = String::from("no libhdf5 works with the connector");
    for (library, verdict) in failures {
        let reason = verdict.reason.as_deref().unwrap_or("it does not work");
        let _ = write!(complaint, "\n  {}: {reason}", text(library));
        // The innermost entry of the error stack is closest to the cause.
        if let Some(detail) = verdict.details.last() {
            let _ = write!(complaint, "\n    {detail}");
        }
        if let Some(advice) = &verdict.advice {
            let _ = write!(complaint, "\n    -> {advice}");
        }
    }
    complaint + "\n  run `h5bypass doctor` for details"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complaint_names_every_library() {
        assert!(complaint(&[]).contains("--lib"));
        let verdict = |reason: &str, advice: &str| Verdict {
            kind: Kind::Failed,
            reason: Some(reason.into()),
            advice: Some(advice.into()),
            details: vec!["outer".into(), "inner".into()],
        };
        let text = complaint(&[("/a".into(), verdict("r1", "a1")), ("/b".into(), verdict("r2", "a2"))]);
        for part in ["/a: r1", "/b: r2", "inner", "-> a1", "-> a2", "doctor"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("outer"), "{text}");
    }
}
