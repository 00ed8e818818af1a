//! What the worker is asked to do, and what it says, as JSON.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use h5_exchange::compare::Report;
use h5_exchange::copy::{Changes, Step, Summary};
use h5_exchange::{Place, Tolerance};
use serde::{Deserialize, Serialize};

/// What the worker is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// The libhdf5, as bytes: names of files need not be UTF-8.
    pub(crate) library: Vec<u8>,
    pub(crate) task: Task,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    Compare { a: SideRequest, b: SideRequest, options: CompareRequest },
    Copy { source: SideRequest, destination: SideRequest, into_existing: bool, changes: ChangesRequest },
    CopyBytes { source: SideRequest, destination: Vec<u8> },
    Plan { source: SideRequest, destination: SideRequest, changes: ChangesRequest },
}

/// A side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SideRequest {
    pub(crate) file: Vec<u8>,
    pub(crate) object: Option<Vec<u8>>,
    pub(crate) connector: Option<String>,
    pub(crate) info: Option<String>,
}

/// How to compare.
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct CompareRequest {
    pub(crate) convertible: bool,
    pub(crate) relative: f64,
    pub(crate) absolute: f64,
    pub(crate) steps: u64,
    pub(crate) properties: bool,
    pub(crate) order: bool,
    pub(crate) excluded: Vec<Vec<u8>>,
    pub(crate) most_elements: usize,
    pub(crate) first_only: bool,
}

/// What is changed on the way.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChangesRequest {
    /// Numbers and options.
    pub(crate) filters: Option<Vec<(i32, Vec<u32>)>>,
    pub(crate) chunk: Option<Vec<u64>>,
    pub(crate) again: bool,
}

/// What the worker says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    /// How far it is: the object, bytes so far, and how many there are if that is known.
    Progress {
        path: String,
        bytes: u64,
        all: Option<u64>,
    },
    Compared(Report),
    Copied(Summary),
    Planned(Vec<Step>),
    Failed {
        cause: String,
    },
}

impl SideRequest {
    pub(crate) fn place(self) -> Place {
        // None of these has a NUL byte: they came from the command line.
        let text = |bytes: Vec<u8>| CString::new(bytes).unwrap_or_default();
        Place {
            file: path(self.file),
            object: self.object.map(text),
            connector: self.connector.map(|name| text(name.into_bytes())),
            info: self.info.map(|info| text(info.into_bytes())),
        }
    }
}

impl CompareRequest {
    pub(crate) fn options(self) -> h5_exchange::compare::Options {
        h5_exchange::compare::Options {
            convertible: self.convertible,
            tolerance: Tolerance { relative: self.relative, absolute: self.absolute, steps: self.steps },
            properties: self.properties,
            order: self.order,
            excluded: self.excluded.into_iter().map(|path| CString::new(path).unwrap_or_default()).collect(),
            most_elements: self.most_elements,
            first_only: self.first_only,
        }
    }
}

impl ChangesRequest {
    pub(crate) fn changes(self) -> Changes {
        let filters = self.filters.map(|filters| {
            filters.iter().map(|(number, options)| h5_client::Filter::new(*number, options)).collect()
        });
        Changes { filters, chunk: self.chunk, again: self.again }
    }
}

pub(crate) fn path(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}
