//! The results of a run, as they are kept in JSON.

use serde::{Deserialize, Serialize};

/// The number of this form of the JSON; one that a program does not know it refuses.
pub const FORMAT: u32 = 1;

/// One run of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`FORMAT`]
    pub format: u32,
    /// Where, when and how it was measured.
    pub about: About,
    /// One for each scenario, in the order of the table.
    pub rows: Vec<Row>,
    /// What the threads did during one read through bypass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

/// Where, when and how it was measured. It names no folders: results are committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The command that gives this again.
    pub command: String,
    /// The day, as 2026-11-16.
    pub date: String,
    /// Version of h5bypass.
    pub version: String,
    /// The processor's name.
    pub processor: String,
    /// Numbers that tell processors of the same name apart: virtual machines often give only a vague name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_model: Option<String>,
    /// Processors there are.
    pub cores: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// System and its version.
    pub system: String,
    /// Kind of the file system that the files are on.
    pub file_system: String,
    /// The libhdf5 copies it was measured with.
    pub libraries: Vec<Library>,
    /// Rounds; each gives one ratio per row.
    pub rounds: u32,
    /// Mebibytes of most datasets.
    pub mebibytes: u32,
    /// Whether files were dropped from the system's cache before each pass.
    pub is_cold: bool,
    /// Load of the machine when it began.
    pub load: f64,
    /// What a ratio is.
    #[serde(default, skip_serializing_if = "RatioOf::is_rounds")]
    pub ratio_of: RatioOf,
    /// The user's own file that was measured, without its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What a ratio is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatioOf {
    /// The median of the ratios of all rounds: native HDF5 and bypass were measured right after each other in each.
    #[default]
    Rounds,
    /// The ratio of the two medians, which the shown speeds are of: for few rounds of long runs.
    Medians,
}

impl RatioOf {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_rounds(&self) -> bool {
        *self == Self::Rounds
    }
}

/// A libhdf5.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// The short name that rows refer to it by: of the Python package it came with, or of its file.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether several threads may use it at once.
    pub is_thread_safe: bool,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Names the scenario, also on the command line; stays the same from version to version.
    pub name: String,
    /// The heading it stands under, as "Compressed reads".
    pub group: String,
    /// What is done, in a few words.
    pub what: String,
    /// The [`Library::name`].
    pub library: String,
    /// Threads of the application that make the calls.
    pub application_threads: u32,
    /// Threads of the connector's pool that work on one call, the calling one included; 1 without a pool.
    pub pool_threads: u32,
    /// Where it is in the matrix of modes, arrangements and layouts, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// What is required of it.
    #[serde(default)]
    pub asked: Asked,
    /// What came out.
    pub outcome: Outcome,
}

/// A place in the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Reads or writes.
    pub operation: Operation,
    /// Whose threads work.
    pub mode: Mode,
    /// How many datasets in how many files.
    pub arrangement: Arrangement,
    /// How they are stored.
    pub layout: Layout,
}

/// Reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// `H5Dread`
    Read,
    /// `H5Dwrite`
    Write,
}

/// Whose threads work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Those of the application, which do all the work themselves.
    Application,
    /// Those of the application and of the pool.
    ApplicationAndPool,
    /// One of the application, and the pool.
    Pool,
}

/// How many datasets in how many files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// Parts of one dataset.
    OneDataset,
    /// A dataset for each thread, in one file.
    Datasets,
    /// A file for each thread, with one dataset.
    Files,
    /// A file for each thread, with several datasets.
    DatasetsInFiles,
}

/// How a dataset is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// In one piece.
    Contiguous,
    /// In chunks.
    Chunked,
}

/// What is required of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// At least so many times as fast as native HDF5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// At least this share of what the limit gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// At most so many bytes of memory beyond the application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<u64>,
    /// Files at most so many percent larger than native HDF5's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub larger_percent: Option<f64>,
}

/// What came out of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Figures.
    Measured(Box<Measured>),
    /// It cannot be measured here, for this reason.
    Skipped(String),
    /// It went wrong.
    Failed(String),
}

/// The figures of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Bytes of the application's memory that one pass fills or stores.
    pub bytes: u64,
    /// Calls of one pass.
    pub calls: u64,
    /// How its speed is shown.
    pub unit: Unit,
    /// Native HDF5.
    pub native: Times,
    /// The connector.
    pub bypass: Times,
    /// What this machine can do without HDF5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Times>,
    /// Native time / bypass time, round by round.
    pub ratio: Spread,
    /// The same of the processor time of all threads.
    pub cpu_ratio: Spread,
    /// Limit time / bypass time, round by round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Spread>,
    /// Memory that one pass takes beyond the application's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<Peak>,
    /// How large the written files are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// What the connector itself said about it.
    pub proof: Proof,
}

/// How a speed is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes per second.
    Rate,
    /// Time per call.
    PerCall,
}

/// Seconds of one pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// By the clock.
    pub seconds: Spread,
    /// Of the processor, all threads together.
    pub cpu: Spread,
}

/// A figure over the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The one in the middle.
    #[serde(serialize_with = "crate::json::seven_digits")]
    pub median: f64,
    /// A quarter of them are below.
    #[serde(serialize_with = "crate::json::seven_digits")]
    pub low: f64,
    /// A quarter of them are above.
    #[serde(serialize_with = "crate::json::seven_digits")]
    pub high: f64,
}

/// Bytes of memory beyond the application's own, at the peak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// Of native HDF5.
    pub native: u64,
    /// Of the connector.
    pub bypass: u64,
}

/// Bytes of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Written by native HDF5.
    pub native: u64,
    /// Written through the connector.
    pub bypass: u64,
}

/// What the connector said about the calls of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// All were bypassed.
    Bypassed,
    /// Some were left to native HDF5 because it is as fast or faster with them; why.
    Decided(String),
    /// Some or all were passed on; why.
    PassedOn(String),
}

/// What the threads did over a short time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// What was read or written.
    pub what: String,
    /// The application's first, then the pool's.
    pub threads: Vec<Thread>,
}

/// What one thread did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// In the order they began in. Those inside of others come after them.
    pub spans: Vec<Span>,
}

/// Something that took time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// What was done, as "decode".
    pub kind: String,
    /// Microseconds from the beginning of the timeline.
    #[serde(serialize_with = "crate::json::seven_digits")]
    pub start: f64,
    /// Microseconds.
    #[serde(serialize_with = "crate::json::seven_digits")]
    pub duration: f64,
}
