//! `h5bypass __explain`: inspects one file, in a process that may crash or hang without harm.
//!
//! It writes to standard output, for the `explain` that started it: a line `at <step>` before each step, to show progress and
//! to tell where a crash happened, and each [`Message`] as a line of JSON as soon as it is known.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;

use anyhow::Result;
use h5_client::{ExplainOperation, Failure, File, FileAccess, Library, Object as _};
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use super::explanation::Explanation;
use super::{inspect, wording};
use crate::args::ExplainWorkerArgs;
use crate::probe::announce;

/// The search announces its progress after this many objects.
const OBJECTS_PER_STEP: u64 = 512;

/// A message of the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// The file is open.
    Opened {
        /// The connector that the file was really opened through.
        connector: Option<String>,
        /// Whether that connector has the operation that explains its decisions.
        explains: bool,
    },
    Dataset(Box<Dataset>),
    /// Something is missing or cannot be read. Other datasets follow.
    Problem(Problem),
    /// The worker cannot go on.
    Failed {
        cause: String,
    },
    /// The last message.
    Done,
}

/// A dataset that failed, or the search for datasets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Problem {
    /// `None` if it is not about one dataset.
    pub(super) path: Option<String>,
    pub(super) cause: String,
}

/// Inspects the file and reports. Failures are reported, too.
pub(crate) fn work(args: &ExplainWorkerArgs) -> Result<ExitCode> {
    match look(args) {
        Ok(()) => send(&Message::Done)?,
        Err(failure) => send(&Message::Failed { cause: inspect::cause(&failure) })?,
    }
    announce("exit");
    Ok(ExitCode::SUCCESS)
}

fn look(args: &ExplainWorkerArgs) -> Result<(), Failure> {
    announce("loading the library");
    let library = Library::load(&args.library)?;
    announce("H5open");
    let h5 = library.enter()?;
    announce("opening the file");
    let file = File::open(&h5, &args.file, &FileAccess::default_of(&h5))?;
    let operation = ExplainOperation::find(&h5);
    let connector = file.connector()?;
    tell(&Message::Opened { connector, explains: operation.is_some() })?;

    let names = if args.datasets.is_empty() { search(&file)? } else { named(args)? };
    for (number, name) in names.iter().enumerate() {
        let path = wording::name(name.to_bytes());
        announce(&format!("dataset {} of {}: {}", number + 1, names.len(), wording::printable(&path)));
        tell(&match look_at(&file, name, &path, operation) {
            Ok(dataset) => Message::Dataset(Box::new(dataset)),
            Err(cause) => Message::Problem(Problem { path: Some(path), cause }),
        })?;
    }
    announce("closing the file");
    file.close()
}

/// All datasets of the file.
fn search(file: &File) -> Result<Vec<CString>, Failure> {
    announce("the search for datasets");
    let (names, result) = inspect::datasets(file, |objects| {
        if objects % OBJECTS_PER_STEP == 0 {
            announce(&format!("the search for datasets: {objects} objects"));
        }
    });
    if let Err(failure) = result {
        let cause = format!("the search for datasets ended early: {}", inspect::cause(&failure));
        tell(&Message::Problem(Problem { path: None, cause }))?;
    }
    names.iter().map(|name| absolute(name.to_bytes())).collect()
}

/// The datasets that were asked for.
fn named(args: &ExplainWorkerArgs) -> Result<Vec<CString>, Failure> {
    args.datasets.iter().map(|name| absolute(name.as_bytes())).collect()
}

fn absolute(name: &[u8]) -> Result<CString, Failure> {
    let slash: &[u8] = if name.starts_with(b"/") { b"" } else { b"/" };
    c_string(OsStr::from_bytes(&[slash, name].concat()))
}

fn c_string(text: &OsStr) -> Result<CString, Failure> {
    CString::new(text.as_bytes()).map_err(|_| Failure::refused("a name holds a NUL byte"))
}

/// Everything about a dataset, or why it cannot be found out.
fn look_at(
    file: &File,
    name: &CStr,
    path: &str,
    operation: Option<ExplainOperation>,
) -> Result<Dataset, String> {
    let dataset = inspect::open(file, name)?;
    let told = || {
        let extent = inspect::extent(&dataset)?;
        let (datatype, element_bytes) = inspect::datatype(&dataset)?;
        let (layout, filters) = inspect::storage(&dataset, &extent, element_bytes)?;
        let explanation = match operation.map(|operation| dataset.explain(operation)) {
            Some(Ok(text)) => Explanation::parse(&text),
            Some(Err(failure)) => {
                Explanation::unknown(format!("the connector failed: {}", inspect::cause(&failure)))
            }
            None => Explanation::default(),
        };
        Ok(Dataset {
            path: path.into(),
            datatype: datatype.to_string(),
            element_bytes,
            bytes: extent.elements().saturating_mul(element_bytes),
            extent,
            layout,
            filters,
            explanation,
        })
    };
    told().map_err(|failure: Failure| inspect::cause(&failure))
}

fn tell(message: &Message) -> Result<(), Failure> {
    send(message).map_err(|error| Failure::refused(error.to_string()))
}

fn send(message: &Message) -> Result<()> {
    println!("{}", serde_json::to_string(message)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_start_at_the_root() {
        for (name, expected) in [("a/b", c"/a/b"), ("/a", c"/a"), ("", c"/"), ("./x", c"/./x")] {
            assert_eq!(absolute(name.as_bytes()).unwrap().as_c_str(), expected);
        }
        assert!(absolute(b"a\0b").is_err());
    }
}
