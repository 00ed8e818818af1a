//! The protocol between the controller and its workers.
//!
//! Each scenario is measured in a separate process, a worker. Its environment says where the connector is and how many threads
//! it has. The worker gets a [`Request`] as its only argument and writes [`Event`]s to standard output, one per line. The
//! connector's summary at the end of the process is on standard error.

use std::path::PathBuf;

use bench_report::{Sizes, Unit};
use serde::{Deserialize, Serialize};

use crate::Way;

/// What a worker shall do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The libhdf5.
    pub library: PathBuf,
    /// A folder with filter plugins for native HDF5.
    pub filters: Option<PathBuf>,
    /// [`crate::Scenario::name`]
    pub scenario: String,
    /// The user's own dataset, for the scenarios that read it.
    pub own: Option<Own>,
    /// The folder for generated files, which later workers use again.
    pub folder: PathBuf,
    /// The size of most datasets in MiB.
    pub mebibytes: u32,
    /// The number of application threads in the scenarios that have several.
    pub application_threads: u32,
    /// The number of threads of the limit.
    pub limit_threads: u32,
    /// Whether files are dropped from the system's cache before each pass.
    pub is_cold: bool,
    /// The purpose of the worker.
    pub purpose: Purpose,
}

/// A user's dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// The file.
    pub file: PathBuf,
    /// The dataset's path in it.
    pub dataset: String,
}

/// The purpose of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Compare the results of all ways, and measure them in turns.
    Measure {
        /// The number of rounds.
        rounds: u32,
    },
    /// Do one pass in one way, and report how much memory it needed.
    Peak(Way),
}

/// A message from a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The stage that begins, such as "writing the files".
    Stage(String),
    /// Some of the rounds are done.
    Round {
        /// The number of rounds that are done.
        done: u32,
        /// The number of all rounds.
        of: u32,
    },
    /// The figures of [`Purpose::Measure`].
    Finished(Box<Finished>),
    /// The answer to [`Purpose::Peak`]: bytes in addition to the application's own memory.
    Peak(u64),
    /// The scenario cannot be measured here, for this reason.
    Skipped(String),
    /// The scenario failed.
    Failed(String),
}

/// The figures of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The number of bytes that one pass reads or writes.
    pub bytes: u64,
    /// The number of calls in one pass.
    pub calls: u64,
    /// The unit in which its speed is shown.
    pub unit: Unit,
    /// Native HDF5.
    pub native: Samples,
    /// The connector.
    pub bypass: Samples,
    /// What this machine can do without HDF5.
    pub limit: Option<Samples>,
    /// The sizes of the written files.
    pub sizes: Option<Sizes>,
}

/// The duration of one pass in each round, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Wall-clock time.
    pub seconds: Vec<f64>,
    /// Processor time of all threads.
    pub cpu: Vec<f64>,
}
