//! Scenarios: what can be measured.

use core::iter::Sum;
use core::ops::Add;

use bench_report::{Asked, Cell};
use serde::{Deserialize, Serialize};

/// The way in which a file is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// Native HDF5.
    Native,
    /// HDF5 through the connector.
    Bypass,
}

impl Way {
    /// The name of the connector.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Bypass => "bypass",
        }
    }
}

/// One row of the table, before it is measured.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name, also on the command line.
    pub name: String,
    /// The heading of its group.
    pub group: &'static str,
    /// A short description.
    pub what: String,
    /// The number of application threads. More than one needs a thread-safe libhdf5.
    pub application_threads: u32,
    /// Whether the connector's thread pool is used.
    pub has_pool: bool,
    /// The number of threads that work on one call, including the calling thread. `None` means one per core.
    pub pool_threads: Option<u32>,
    /// Its cell, if it belongs to the matrix.
    pub cell: Option<Cell>,
    /// Its targets.
    pub asked: Asked,
    /// Whether memory is measured as well.
    pub measures_peak: bool,
    /// Whether the connector may leave it to native HDF5 by design.
    pub may_pass_on: bool,
}

impl Scenario {
    /// A scenario without targets, with one application thread and the whole pool.
    pub fn new(name: impl Into<String>, group: &'static str, what: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            group,
            what: what.into(),
            application_threads: 1,
            has_pool: true,
            pool_threads: None,
            cell: None,
            asked: Asked::default(),
            measures_peak: false,
            may_pass_on: false,
        }
    }

    /// Adds a target: this many times as fast as native HDF5.
    #[must_use]
    pub fn asking(mut self, ratio: f64) -> Self {
        self.asked.ratio = Some(ratio);
        self
    }
}

/// The duration of one pass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spent {
    /// Wall-clock time in seconds.
    pub(crate) seconds: f64,
    /// Processor time of all threads in seconds.
    pub(crate) cpu: f64,
}

impl Add for Spent {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { seconds: self.seconds + other.seconds, cpu: self.cpu + other.cpu }
    }
}

impl Sum for Spent {
    fn sum<All: Iterator<Item = Self>>(all: All) -> Self {
        all.fold(Self::default(), Add::add)
    }
}
