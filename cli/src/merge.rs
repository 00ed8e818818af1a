//! `h5bypass stats merge`: adds up the summaries that the processes of a program have written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value, json};

use crate::args::MergeArgs;

/// The version of summaries that is understood (docs/statistics.md).
const VERSION: u64 = 1;

/// Counts that are added up. Those of a forked process are added to those of the process that tells them.
const COUNTS: [&str; 5] =
    ["files_opened", "missing_sources", "plain_sources", "chunks_decoded_ahead", "chunks_encoded_behind"];

/// What is counted of reads, and of writes.
const TRANSFERS: [&str; 4] = ["bypassed", "bytes", "passed_on", "asynchronous"];

/// Prints the sum.
pub(crate) fn merge(args: &MergeArgs) -> Result<ExitCode> {
    let mut sum = Sum::default();
    for file in &args.files {
        let text = fs::read(file).with_context(|| format!("{}: cannot be read", file.display()))?;
        // It is made when the first file is opened, and written when the process ends.
        ensure!(!text.is_empty(), "{}: is empty: its process has not ended, or was killed", file.display());
        let summary = serde_json::from_slice(&text)
            .with_context(|| format!("{}: is not a summary of the connector", file.display()))?;
        sum.add_file(&summary, file)?;
    }
    println!("{}", serde_json::to_string_pretty(&sum.document(&args.files))?);
    Ok(ExitCode::SUCCESS)
}

/// The sum of summaries.
#[derive(Debug, Default)]
struct Sum {
    processes: u64,
    counts: BTreeMap<&'static str, u64>,
    transfers: BTreeMap<(&'static str, &'static str), u64>,
    /// By code, direction and sentence: a sentence may name what is different in each process.
    reasons: BTreeMap<[String; 3], u64>,
    filters: Vec<Value>,
}

impl Sum {
    fn add_file(&mut self, summary: &Value, file: &Path) -> Result<()> {
        match summary["version"].as_u64() {
            Some(VERSION) => {}
            Some(other) => bail!("{}: a summary of version {other}, not {VERSION}", file.display()),
            None => bail!("{}: is not a summary of the connector", file.display()),
        }
        self.processes += 1;
        self.add(summary);
        if let Some(forked) = summary["forked"].as_object() {
            self.processes += forked.get("processes").and_then(Value::as_u64).unwrap_or(0);
            self.add(&summary["forked"]);
        }
        for filter in summary["filters"].as_array().into_iter().flatten() {
            if !self.filters.contains(filter) {
                self.filters.push(filter.clone());
            }
        }
        Ok(())
    }

    fn add(&mut self, counted: &Value) {
        for name in COUNTS {
            *self.counts.entry(name).or_default() += counted[name].as_u64().unwrap_or(0);
        }
        for direction in ["reads", "writes"] {
            for name in TRANSFERS {
                *self.transfers.entry((direction, name)).or_default() +=
                    counted[direction][name].as_u64().unwrap_or(0);
            }
        }
        for reason in counted["reasons"].as_array().into_iter().flatten() {
            let key = ["code", "direction", "sentence"]
                .map(|name| reason[name].as_str().unwrap_or_default().to_owned());
            *self.reasons.entry(key).or_default() += reason["count"].as_u64().unwrap_or(0);
        }
    }

    /// The same document as of one process, without what only one has.
    fn document(&self, files: &[PathBuf]) -> Value {
        let mut document = Map::new();
        document.insert("version".to_owned(), VERSION.into());
        document.insert("summaries".to_owned(), files.len().into());
        document.insert("processes".to_owned(), self.processes.into());
        for (name, count) in &self.counts {
            document.insert((*name).to_owned(), (*count).into());
        }
        for ((direction, name), count) in &self.transfers {
            document.entry(*direction).or_insert_with(|| json!({}))[*name] = (*count).into();
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let reasons = reasons.into_iter().map(|([code, direction, sentence], count)| {
            json!({ "code": code, "direction": direction, "count": count, "sentence": sentence })
        });
        document.insert("reasons".to_owned(), reasons.collect());
        document.insert("filters".to_owned(), self.filters.clone().into());
        Value::Object(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(bypassed: u64, reason: &str, count: u64) -> Value {
        json!({
            "version": 1, "files_opened": 1,
            "reads": { "bypassed": bypassed, "bytes": 8 * bypassed, "passed_on": count, "asynchronous": 0 },
            "reasons": [{ "code": reason, "direction": "read", "count": count, "sentence": "why" }],
            "filters": [{ "id": 1 }],
            "forked": null,
        })
    }

    #[test]
    fn counts_and_reasons_are_added_up() {
        let mut sum = Sum::default();
        let files = ["a", "b", "c"].map(PathBuf::from);
        sum.add_file(&summary(2, "mpi-layout", 1), &files[0]).unwrap();
        sum.add_file(&summary(3, "mpi-layout", 4), &files[1]).unwrap();
        let mut forked = summary(1, "compact", 9);
        forked["forked"] = summary(10, "compact", 1);
        forked["forked"]["processes"] = 2.into();
        sum.add_file(&forked, &files[2]).unwrap();
        let document = sum.document(&files);
        assert_eq!(document["summaries"], 3);
        assert_eq!(document["processes"], 5);
        assert_eq!(document["files_opened"], 4);
        assert_eq!(document["reads"]["bypassed"], 16);
        assert_eq!(document["reads"]["bytes"], 128);
        assert_eq!(document["reasons"][0]["code"], "compact");
        assert_eq!(document["reasons"][0]["count"], 10);
        assert_eq!(document["reasons"][1]["count"], 5);
        assert_eq!(document["filters"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn other_documents_are_refused_by_name() {
        let refused = |value| Sum::default().add_file(&value, Path::new("x.json")).unwrap_err().to_string();
        assert!(refused(json!({})).contains("x.json"));
        assert!(refused(json!({ "version": 2 })).contains("version 2"));
    }
}
