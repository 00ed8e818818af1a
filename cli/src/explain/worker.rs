//! `h5bypass __explain`: looks at one file, in a process that may crash or hang without harm.
//!
//! On standard output, for the `explain` that started it: a line `at <step>` before each step, so that a crash can be
//! placed and progress shown, and each [`Message`] as a line of JSON as soon as it is known.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use super::explanation::Explanation;
use super::wording;
use crate::args::ExplainWorkerArgs;
use crate::probe::announce;
use crate::probe::host::inspect::ExplainOperation;
use crate::probe::host::{FileId, Host, Trouble};

/// After how many objects of a search there is a sign of life.
const OBJECTS_PER_STEP: u64 = 512;

/// What the worker has to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// The file is open.
    Opened {
        /// The connector it really goes through.
        connector: Option<String>,
        /// Whether that has the operation to explain itself.
        explains: bool,
    },
    Dataset(Box<Dataset>),
    /// Something is missing or cannot be read; the others follow.
    Problem(Problem),
    /// There is no way to go on.
    Failed {
        cause: String,
    },
    /// All is said.
    Done,
}

/// A dataset (or the search for them) that gave an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Problem {
    /// Nothing if it is about no dataset in particular.
    pub(super) path: Option<String>,
    pub(super) cause: String,
}

/// Looks and reports; what goes wrong is reported, too.
pub(crate) fn work(args: &ExplainWorkerArgs) -> Result<ExitCode> {
    match look(args) {
        Ok(()) => send(&Message::Done)?,
        Err(trouble) => send(&Message::Failed { cause: cause(trouble) })?,
    }
    announce("exit");
    Ok(ExitCode::SUCCESS)
}

fn look(args: &ExplainWorkerArgs) -> Result<(), Trouble> {
    announce("loading the library");
    let host = Host::load(&args.library)?;
    announce("H5open");
    host.initialise()?;
    announce("opening the file");
    let file = host.open_file(&c_string(args.file.as_os_str())?)?;
    let operation = host.find_explain();
    let connector = host.connector_name(file)?;
    tell(&Message::Opened { connector, explains: operation.is_some() })?;

    let names = if args.datasets.is_empty() { search(&host, file)? } else { named(args)? };
    for (number, name) in names.iter().enumerate() {
        let path = wording::name(name.to_bytes());
        announce(&format!("dataset {} of {}: {}", number + 1, names.len(), wording::printable(&path)));
        tell(&match inspect(&host, file, name, &path, operation) {
            Ok(dataset) => Message::Dataset(Box::new(dataset)),
            Err(trouble) => Message::Problem(Problem { path: Some(path), cause: cause(trouble) }),
        })?;
    }
    announce("closing the file");
    host.close_file(file)
}

/// All datasets of the file.
fn search(host: &Host, file: FileId) -> Result<Vec<CString>, Trouble> {
    announce("the search for datasets");
    let (names, result) = host.datasets(file, |objects| {
        if objects % OBJECTS_PER_STEP == 0 {
            announce(&format!("the search for datasets: {objects} objects"));
        }
    });
    if let Err(trouble) = result {
        let cause = format!("the search for datasets ended early: {}", cause(trouble));
        tell(&Message::Problem(Problem { path: None, cause }))?;
    }
    names.iter().map(|name| absolute(name.to_bytes())).collect()
}

/// The datasets asked for.
fn named(args: &ExplainWorkerArgs) -> Result<Vec<CString>, Trouble> {
    args.datasets.iter().map(|name| absolute(name.as_bytes())).collect()
}

fn absolute(name: &[u8]) -> Result<CString, Trouble> {
    let slash: &[u8] = if name.starts_with(b"/") { b"" } else { b"/" };
    c_string(OsStr::from_bytes(&[slash, name].concat()))
}

fn c_string(text: &OsStr) -> Result<CString, Trouble> {
    CString::new(text.as_bytes()).map_err(|_| Trouble::new("a name holds a NUL byte"))
}

fn inspect(
    host: &Host,
    file: FileId,
    name: &CStr,
    path: &str,
    operation: Option<ExplainOperation>,
) -> Result<Dataset, Trouble> {
    let dataset = host.inspect(file, name)?;
    let extent = dataset.extent()?;
    let (datatype, element_bytes) = dataset.datatype()?;
    let (layout, filters) = dataset.storage(&extent, element_bytes)?;
    let explanation = match operation.map(|operation| dataset.explanation(operation)) {
        Some(Ok(text)) => Explanation::parse(&text),
        Some(Err(trouble)) => Explanation::unknown(format!("the connector failed: {}", cause(trouble))),
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
}

/// The innermost description, which is the nearest to what is wrong.
fn cause(trouble: Trouble) -> String {
    trouble.cause.map_or(trouble.message, |description| wording::cause(&description))
}

fn tell(message: &Message) -> Result<(), Trouble> {
    send(message).map_err(|error| Trouble::new(error.to_string()))
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
