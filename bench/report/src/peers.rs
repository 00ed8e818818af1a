//! What `cargo xtask bench peers` found: other libraries beside us, as `bench/peers/run.py` writes it.
//!
//! What is in the JSON and not known here is an error, as is what is missing: nothing that was measured gets lost unseen
//! between the two.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Spread, Unreadable, json};

/// The number of this form of the JSON; one that a program does not know it refuses.
pub const FORMAT: u32 = 1;

/// The name of what all are compared with: h5py with native HDF5.
pub(crate) const NATIVE: &str = "h5py";
/// The same through bypass.
pub(crate) const BYPASS: &str = "bypass";

/// One run. It names no folders: results are committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerResults {
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
    /// Mebibytes of the array.
    pub mebibytes: u32,
    /// Rounds; each gives one ratio per line.
    pub rounds: u32,
    /// Those that took part, in the order of the table.
    pub peers: Vec<Peer>,
    /// Why others did not, by their names.
    pub left_out: BTreeMap<String, String>,
    /// What was read and written.
    pub cases: Vec<Case>,
}

/// Where it was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Processors there are.
    pub cores: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// System and its version.
    pub system: String,
}

/// A program that reads and writes arrays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The short name that lines refer to it by.
    pub name: String,
    /// What it is, in a few words.
    pub what: String,
    /// Versions of the packages it consists of.
    pub versions: BTreeMap<String, String>,
    /// If it works through bypass: the name of the same program without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
    /// Where it takes part, if that is not everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

/// Something that is read or written by all who can.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Names it, also on the command line.
    pub name: String,
    /// What is done, in a few words.
    pub what: String,
    /// Bytes of the application's memory that one pass fills or stores.
    pub bytes: u64,
    /// Whether its speed is a time, not a rate.
    pub is_small: bool,
    /// Why there are no figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// One for each peer that takes part.
    #[serde(rename = "peers")]
    pub lines: Vec<Line>,
}

/// What became of a case with one peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Line {
    /// Figures.
    Measured(Box<Figures>),
    /// Another program has no means for it.
    Cannot(Reason),
    /// It went wrong where it must not: natively, or through bypass.
    Error(Reason),
}

/// The figures of one peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The [`Peer::name`].
    pub peer: String,
    /// Of one pass, by the clock.
    pub seconds: Spread,
    /// Time of h5py with native HDF5 / its own, round by round.
    pub times_h5py: Spread,
    /// Time of h5py through bypass / its own, round by round.
    pub times_bypass: Spread,
    /// Memory that one pass takes beyond the array, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// What the connector itself said about it, if it was loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// Why a peer has no figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The [`Peer::name`].
    pub peer: String,
    /// In one line.
    pub why: String,
}

/// What the connector said about the reads or writes of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether it was as it should be.
    pub verdict: Verdict,
    /// How many were bypassed.
    pub bypassed: u64,
    /// How many HDF5 did.
    pub passed_on: u64,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Whether reads or writes were bypassed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All were.
    Bypassed,
    /// Some were left to native HDF5 because it is as fast or faster with them.
    Decided,
    /// Some or all were not.
    Failed,
}

impl Line {
    /// The [`Peer::name`].
    pub fn peer(&self) -> &str {
        match self {
            Self::Measured(figures) => &figures.peer,
            Self::Cannot(reason) | Self::Error(reason) => &reason.peer,
        }
    }

    /// The figures, if there are any.
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Self::Measured(figures) => Some(figures),
            Self::Cannot(_) | Self::Error(_) => None,
        }
    }
}

impl Case {
    /// The line of a peer, if it takes part.
    pub fn line(&self, peer: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.peer() == peer)
    }
}

impl PeerResults {
    /// From JSON. The error does not name the file: its path is the caller's.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        json::read(text, "`cargo xtask bench peers`", FORMAT)
    }

    /// As JSON, with a line break at the end. Figures have seven digits.
    pub fn write(&self) -> serde_json::Result<String> {
        json::write(self)
    }
}
