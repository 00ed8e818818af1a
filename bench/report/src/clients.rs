//! What `cargo xtask bench clients` found: HDF5's clients natively, through HDF5's own `pass_through` and through bypass, as
//! `bench/clients/run.py` writes it.
//!
//! A row is one of the benchmark's, so that tables, pages and comparisons are made as for those; what was measured beside it
//! comes with it.

mod check;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{About, FORMAT as RESULTS, Measured, Results, Row, Spread, Unreadable, json};

pub use check::{Check, Missed};

/// The number of this form of the JSON; one that a program does not know it refuses.
pub const FORMAT: u32 = 1;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientResults {
    /// [`FORMAT`]
    pub format: u32,
    /// Where, when and how it was measured.
    pub about: About,
    /// Versions of the clients, by the names of their packages.
    pub packages: BTreeMap<String, String>,
    /// One for each case, in the order of the table.
    pub rows: Vec<ClientRow>,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientRow {
    /// Native HDF5 and bypass.
    #[serde(flatten)]
    pub row: Row,
    /// What was measured in the same rounds, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
}

/// What was measured in the same rounds, and what the connector said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// Native time / time of HDF5's own `pass_through`: what HDF5's layers cost any connector.
    pub floor: Spread,
    /// The same of the processor time of all threads.
    pub floor_cpu: Spread,
    /// Native time / native time of another process. A quick run has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Spread>,
    /// Whether the row misses its target because of the floor.
    pub is_explained: bool,
    /// What the connector did.
    pub connector: Connector,
}

/// What the connector did with the calls of a row's process, by its own statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connector {
    /// Datasets read.
    pub reads: Calls,
    /// Datasets written.
    pub writes: Calls,
    /// Why calls were passed on, the most frequent first.
    pub reasons: Vec<Reason>,
}

/// Calls of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Done by the connector.
    pub bypassed: u64,
    /// Done by HDF5.
    pub passed_on: u64,
}

/// Why calls were passed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// As in docs/reasons.md.
    pub code: String,
    /// How often.
    pub count: u64,
}

impl ClientResults {
    /// From JSON. The error does not name the file: its path is the caller's.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        json::read(text, "`cargo xtask bench clients`", FORMAT)
    }

    /// As JSON, with a line break at the end. Figures have seven digits.
    pub fn write(&self) -> serde_json::Result<String> {
        json::write(self)
    }

    /// Native HDF5 and bypass alone.
    pub fn results(&self) -> Results {
        let rows = self.rows.iter().map(|row| row.row.clone()).collect();
        Results { format: RESULTS, about: self.about.clone(), rows, timeline: None }
    }
}

impl ClientRow {
    /// The figures, if there are any.
    pub(crate) fn measured(&self) -> Option<(&Measured, &Beside)> {
        Some((self.row.measured()?, self.beside.as_ref()?))
    }

    /// Whether it is below its target.
    pub fn is_missed(&self) -> bool {
        !self.row.misses().is_empty()
    }

    /// Whether it is below its target because of what HDF5's layers cost any connector.
    pub fn is_explained(&self) -> bool {
        self.is_missed() && self.beside.as_ref().is_some_and(|beside| beside.is_explained)
    }
}
