//! What the program that measures and the processes in which it is measured say to each other.
//!
//! Each scenario is measured in a process of its own, whose environment says how many threads the connector has and
//! where it is. It gets a [`Request`] as its only argument and answers with [`Event`]s, one to a line, on standard output. What
//! the connector says at the end of the process is on standard error.

use std::path::PathBuf;

use bench_report::{Sizes, Unit};
use serde::{Deserialize, Serialize};

use crate::Way;

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The libhdf5.
    pub library: PathBuf,
    /// A folder with filters as plugins for native HDF5.
    pub filters: Option<PathBuf>,
    /// [`crate::Scenario::name`]
    pub scenario: String,
    /// The user's own data, for the scenarios of that.
    pub own: Option<Own>,
    /// Where files are made, and kept for the next time.
    pub folder: PathBuf,
    /// Mebibytes of most datasets.
    pub mebibytes: u32,
    /// Threads of the application in the scenarios that have several.
    pub application_threads: u32,
    /// Threads of the limit.
    pub limit_threads: u32,
    /// Whether files are dropped from the system's cache before each pass.
    pub is_cold: bool,
    /// What for.
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

/// What a worker is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// To compare what all ways give, and to measure them in turns.
    Measure {
        /// So often.
        rounds: u32,
    },
    /// To do one pass in one way and say how much memory it took.
    Peak(Way),
}

/// What a worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// What it begins with, as "writing the files".
    Stage(String),
    /// So many rounds of all are done.
    Round {
        /// Those that are done.
        done: u32,
        /// All.
        of: u32,
    },
    /// The figures of [`Purpose::Measure`].
    Finished(Box<Finished>),
    /// Bytes of [`Purpose::Peak`] beyond the application's own memory.
    Peak(u64),
    /// It cannot be measured here, for this reason.
    Skipped(String),
    /// It went wrong.
    Failed(String),
}

/// The figures of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Bytes of the application's memory that one pass fills or stores.
    pub bytes: u64,
    /// Calls of one pass.
    pub calls: u64,
    /// How its speed is shown.
    pub unit: Unit,
    /// Native HDF5.
    pub native: Samples,
    /// The connector.
    pub bypass: Samples,
    /// What this machine can do without HDF5.
    pub limit: Option<Samples>,
    /// How large the written files are.
    pub sizes: Option<Sizes>,
}

/// Seconds of one pass in each round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// By the clock.
    pub seconds: Vec<f64>,
    /// Of the processor, all threads together.
    pub cpu: Vec<f64>,
}
