//! What `cargo xtask bench zarr` found: h5py on Zarr directories beside other implementations of Zarr, as `bench/zarr/run.py` writes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::peers::Machine;
use crate::{Spread, Unreadable, json};

/// The number of this form of the JSON; one that a program does not know it refuses.
pub const FORMAT: u32 = 1;

/// One run. It names no folders: results are committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZarrResults {
    /// [`FORMAT`]
    pub format: u32,
    /// The command that gives this again.
    pub command: String,
    /// The day, as 2026-11-16.
    pub date: String,
    /// Where it was measured.
    pub machine: Machine,
    /// Load of the machine when it began.
    pub load: f64,
    /// Version of h5bypass.
    pub version: String,
    /// Version of h5py's libhdf5.
    pub hdf5: String,
    /// Version of Python.
    pub python: String,
    /// Versions of what was measured.
    pub packages: BTreeMap<String, String>,
    /// Lengths of a chunk.
    pub chunk: Vec<u32>,
    /// Rounds; small arrays are read and written three times in each.
    pub rounds: u32,
    /// Those that took part, in the order of the table. The first is ours.
    pub peers: Vec<Peer>,
    /// What was read and written.
    pub cases: Vec<Case>,
    /// What was done with the container of many arrays.
    pub many: Vec<Many>,
    /// How many it has.
    pub arrays: u32,
}

/// A program that reads and writes Zarr.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The short name that lines refer to it by.
    pub name: String,
    /// What it is, in a few words.
    pub what: String,
}

/// Something that was done with one array by all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Names it.
    pub name: String,
    /// What is done, in a few words.
    pub what: String,
    /// Mebibytes of the array.
    pub mebibytes: u32,
    /// One for each peer.
    pub lines: Vec<Line>,
}

/// Something that was done with the container of many arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Many {
    /// Names it.
    pub name: String,
    /// What is done, in a few words.
    pub what: String,
    /// One for each peer that can.
    pub lines: Vec<Line>,
}

/// The figures of one peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The [`Peer::name`].
    pub peer: String,
    /// By the clock.
    pub seconds: Spread,
    /// Its time / ours, round by round.
    pub times_ours: Spread,
}

impl ZarrResults {
    /// From JSON. The error does not name the file: its path is the caller's.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        json::read(text, "`cargo xtask bench zarr`", FORMAT)
    }

    /// As JSON, with a line break at the end. Figures have seven digits.
    pub fn write(&self) -> serde_json::Result<String> {
        json::write(self)
    }
}
