//! What the connector counted in the processes of a run: the files of `BYPASS_VOL_STATS` (docs/statistics.md).

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// What one process counted, including processes that were forked from it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Statistics {
    pub(crate) reads: Share,
    pub(crate) writes: Share,
    reasons: Vec<Reason>,
    forked: Option<Box<Self>>,
}

/// How many calls were bypassed, and how many were not.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Share {
    pub(crate) bypassed: u64,
    pub(crate) passed_on: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Reason {
    code: String,
}

/// The value of `BYPASS_VOL_STATS` for which every process writes a file of its own into `folder`.
pub(crate) fn pattern(folder: &Path) -> PathBuf {
    folder.join("%p.json")
}

impl Statistics {
    /// The sum over all files in a folder. A process that was killed has left its file empty.
    pub(crate) fn of_folder(folder: &Path) -> Result<Self> {
        let mut sum = Self::default();
        let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let file = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            if !text.is_empty() {
                let one = serde_json::from_str(&text);
                sum.add(one.with_context(|| format!("{} has no statistics", file.display()))?);
            }
        }
        Ok(sum)
    }

    /// Adds another's counts, and those of the processes that were forked from it.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { reads, writes, reasons, forked } = other;
        for (sum, share) in [(&mut self.reads, reads), (&mut self.writes, writes)] {
            sum.bypassed += share.bypassed;
            sum.passed_on += share.passed_on;
        }
        self.reasons.extend(reasons);
        if let Some(forked) = forked {
            self.add(*forked);
        }
    }

    /// Whether a call was passed on for this reason (docs/reasons.md).
    pub(crate) fn has_reason(&self, code: &str) -> bool {
        self.reasons.iter().any(|reason| reason.code == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{
        "version": 1, "process": 7, "files_opened": 2,
        "reads": { "bypassed": 27, "bytes": 460928, "passed_on": 545 },
        "writes": { "bypassed": 4, "bytes": 9, "passed_on": 4462 },
        "reasons": [{ "code": "mpi", "direction": "read", "count": 545, "sentence": "" }],
        "filters": [],
        "forked": {
            "processes": 1, "files_opened": 1,
            "reads": { "bypassed": 3, "bytes": 1, "passed_on": 5 },
            "writes": { "bypassed": 1, "bytes": 2, "passed_on": 9 },
            "reasons": [{ "code": "virtual", "direction": "read", "count": 5, "sentence": "" }]
        }
    }"#;

    #[test]
    fn all_processes_add_up() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Statistics::of_folder(folder.path()).expect("nothing"), Statistics::default());
        for (name, text) in [("1.json", ONE), ("2.json", ONE), ("3.json", "")] {
            fs::write(folder.path().join(name), text).expect("written");
        }
        let sum = Statistics::of_folder(folder.path()).expect("statistics");
        assert_eq!(sum.reads, Share { bypassed: 60, passed_on: 1100 });
        assert_eq!(sum.writes, Share { bypassed: 10, passed_on: 8942 });
        assert!(sum.has_reason("mpi") && sum.has_reason("virtual") && !sum.has_reason("driver"));
    }

    #[test]
    fn a_file_of_something_else_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("4.json"), "{}").expect("written");
        let error = Statistics::of_folder(folder.path()).expect_err("not statistics");
        assert!(format!("{error:#}").contains("4.json has no statistics"), "{error:#}");
    }
}
