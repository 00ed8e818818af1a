//! What `cargo xtask bench overlap` found: how much I/O goes on while a program computes, as `bench/asynchronous.py` writes it.
//!
//! With *C* seconds of computing and *W* seconds of I/O work on one thread, both take at best the longer one of *C* and (*C* + *W*) / 2 on
//! two cores: that is all the work there is, and the program itself computes on one of them.

mod tables;

pub use tables::{BEGIN, BEGIN_LOOPS, END, in_guide, in_readme};

use serde::{Deserialize, Serialize};

use crate::peers::Machine;
use crate::{Spread, Unreadable, json};

/// The number of this form of the JSON; one that a program does not know it refuses.
pub const FORMAT: u32 = 1;

/// The threads that all of it was measured with, the program's own among them.
const THREADS: f64 = 2.0;

/// One run. It names no folders: results are committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverlapResults {
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
    /// The libraries whose asynchronous calls were measured.
    pub libraries: Vec<Library>,
    /// What the loops ran with.
    pub h5py: H5py,
    /// Version of Python.
    pub python: String,
    /// Mebibytes of the dataset.
    pub mebibytes: u32,
    /// Rounds.
    pub rounds: u32,
    /// Asynchronous calls of a C program.
    pub calls: Vec<Calls>,
    /// New chunks without filters, for which HDF5 has to find a place.
    pub new_chunks: Vec<NewChunks>,
    /// What a call costs the program.
    pub submitting: Vec<Submitting>,
    /// Ordinary h5py programs, which make no asynchronous call.
    pub loops: Vec<Loop>,
}

/// A libhdf5, named by the Python package that brings it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The package.
    pub name: String,
    /// Of HDF5.
    pub version: String,
}

/// h5py and its HDF5.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct H5py {
    /// Version of h5py.
    pub h5py: String,
    /// Version of its libhdf5.
    pub hdf5: String,
}

/// One asynchronous call on a whole dataset, beside computing of several lengths. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// The [`Library::name`].
    pub library: String,
    /// Names it.
    pub name: String,
    /// What is done.
    pub what: String,
    /// What one thread takes for it.
    pub work: f64,
    /// The same with all threads and without computing.
    pub plain: f64,
    /// With native HDF5, where that can be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<f64>,
    /// With computing.
    pub points: Vec<Point>,
}

/// Some computing beside a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Seconds of computing.
    pub compute: f64,
    /// Seconds of both.
    pub together: Spread,
}

/// New chunks without filters, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewChunks {
    /// The [`Library::name`].
    pub library: String,
    /// With a call that is not asynchronous.
    pub plain: f64,
    /// With one that is.
    pub asynchronous: f64,
}

/// Until a call returns whose read goes on, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submitting {
    /// The [`Library::name`].
    pub library: String,
    /// Kibibytes that are read.
    pub kib: u32,
    /// The one in the middle of 10,000.
    pub median: f64,
    /// 99 of 100 take at most this.
    pub high: f64,
    /// The same with a connector that does nothing: what HDF5's event sets cost any connector.
    pub idle: Idle,
}

/// Until a call returns that does nothing, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idle {
    /// The one in the middle of 10,000.
    pub median: f64,
    /// 99 of 100 take at most this.
    pub high: f64,
}

/// A loop of h5py. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// Names it.
    pub name: String,
    /// What is done, in a few words.
    pub what: String,
    /// What the I/O takes on one thread.
    pub work: f64,
    /// The same with all threads, without overlap.
    pub plain: f64,
    /// Computing alone.
    pub compute: f64,
    /// Both, with reading ahead and writing behind switched off.
    pub without: Spread,
    /// Both.
    pub together: Spread,
    /// Both, with native HDF5.
    pub native: Spread,
}

/// The least time in which so much computing and so much other work can be done.
fn at_best(compute: f64, work: f64) -> f64 {
    compute.max((compute + work) / THREADS)
}

impl Calls {
    /// What a point would take at best. A disk that is waited for is no work, and takes its time whatever else is done; but two
    /// threads wait for two pieces at a time.
    pub fn at_best(&self, point: &Point) -> f64 {
        at_best(point.compute, self.work)
    }
}

impl Loop {
    /// What it would take at best.
    pub fn at_best(&self) -> f64 {
        at_best(self.compute, self.work)
    }

    /// How many times as fast it is as without overlap.
    pub fn gain(&self) -> f64 {
        self.without.median / self.together.median
    }

    /// The same for the middle half of the rounds with overlap.
    pub fn gains(&self) -> Spread {
        let gain = |seconds: f64| self.without.median / seconds;
        Spread { median: self.gain(), low: gain(self.together.high), high: gain(self.together.low) }
    }

    /// The most that could be, compared with I/O and computing one after the other.
    pub fn largest_gain(&self) -> f64 {
        (self.plain + self.compute) / self.at_best()
    }
}

impl OverlapResults {
    /// From JSON. The error does not name the file: its path is the caller's.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        json::read(text, "`cargo xtask bench overlap`", FORMAT)
    }

    /// As JSON, with a line break at the end.
    pub fn write(&self) -> serde_json::Result<String> {
        json::write(self)
    }
}
