//! What can be measured.

use core::iter::Sum;
use core::ops::Add;

use bench_report::{Asked, Cell};
use serde::{Deserialize, Serialize};

/// Who does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// HDF5 by itself.
    Native,
    /// HDF5 through the connector.
    Bypass,
}

impl Way {
    /// What the connector that serves it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Bypass => "bypass",
        }
    }
}

/// One line of the table, before it is measured.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Names it, also on the command line.
    pub name: String,
    /// The heading it stands under.
    pub group: &'static str,
    /// What is done, in a few words.
    pub what: String,
    /// Threads of the application that make the calls; more than one needs a thread-safe libhdf5.
    pub application_threads: u32,
    /// Whether the pool works, too.
    pub has_pool: bool,
    /// Threads that work on one call, the calling one included; all cores if nothing is said.
    pub pool_threads: Option<u32>,
    /// Where it is in the matrix, if it is.
    pub cell: Option<Cell>,
    /// What is required of it.
    pub asked: Asked,
    /// Whether memory is measured, too.
    pub measures_peak: bool,
    /// Whether leaving it to native HDF5 is a decision, not a failure.
    pub may_pass_on: bool,
}

impl Scenario {
    /// One of which nothing is required, with one thread of the application and all of the pool.
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

    /// The same, at least so many times as fast as native HDF5.
    #[must_use]
    pub fn asking(mut self, ratio: f64) -> Self {
        self.asked.ratio = Some(ratio);
        self
    }
}

/// What one pass took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spent {
    /// Seconds by the clock.
    pub(crate) seconds: f64,
    /// Seconds of the processor, all threads together.
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
