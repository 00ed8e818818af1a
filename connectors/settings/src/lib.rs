//! The environment variables of the connectors: their names, and which values are valid.
//!
//! The connectors read them, and `h5bypass doctor` checks them without loading a connector. Both must agree, so both
//! use this. A variable that is empty counts as unset.

#![forbid(unsafe_code)]

mod processes;
mod size;

use std::ffi::OsStr;
use std::fmt;
use std::num::NonZeroU64;

pub use processes::{share_of_cores, with_rank};
pub use size::size;

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number greater than zero.
    Count,
    /// A whole number; zero stands for the default.
    CountOrDefault,
    /// A number of bytes.
    Size,
    /// A number of bytes greater than zero.
    PositiveSize,
    /// On or off.
    Switch,
    /// On or off, or the name of a file that ends in `.json`.
    SwitchOrJson,
    /// The name of a file.
    File,
    /// One of the words of [`MpiReads`].
    MpiReads,
}

/// Who reads files that processes share through MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiReads {
    /// The connector does, but for collective reads of data without filters on parallel file systems.
    Auto,
    /// Native HDF5.
    Native,
    /// The connector, but for collective reads of data without filters.
    Filtered,
    /// The connector.
    All,
}

/// A variable that a connector reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
}

/// Threads that work on one call.
pub const NTHREADS: Variable = Variable { name: "BYPASS_VOL_NTHREADS", kind: Kind::Count };
/// The calling threads do all the work themselves.
pub const NO_TPOOL: Variable = Variable { name: "BYPASS_VOL_NO_TPOOL", kind: Kind::Switch };
/// The largest single read or write.
pub const IO_SIZE: Variable = Variable { name: "BYPASS_VOL_IO_SIZE", kind: Kind::PositiveSize };
/// Smaller reads are left to native HDF5.
pub const SMALL_READ: Variable = Variable { name: "BYPASS_VOL_SMALL_READ", kind: Kind::Size };
/// Decoded chunks that are kept.
pub const CACHE: Variable = Variable { name: "BYPASS_VOL_CACHE", kind: Kind::Size };
/// How much is decoded ahead for each dataset.
pub const READ_AHEAD: Variable = Variable { name: "BYPASS_VOL_READ_AHEAD", kind: Kind::Size };
/// Compress chunks that look complete before they must be stored.
pub const WRITE_BEHIND: Variable = Variable { name: "BYPASS_VOL_WRITE_BEHIND", kind: Kind::Switch };
/// A summary at the end of the process: a table, or a JSON file.
pub const STATS: Variable = Variable { name: "BYPASS_VOL_STATS", kind: Kind::SwitchOrJson };
/// A trace at the end of the process.
pub const TRACE: Variable = Variable { name: "BYPASS_VOL_TRACE", kind: Kind::File };
/// Pass everything on.
pub const DISABLE: Variable = Variable { name: "BYPASS_VOL_DISABLE", kind: Kind::Switch };
/// Missing sources of virtual datasets are errors.
pub const STRICT: Variable = Variable { name: "BYPASS_VOL_STRICT", kind: Kind::Switch };
/// Asynchronous writes copy the application's data.
pub const ASYNC_COPY: Variable = Variable { name: "BYPASS_VOL_ASYNC_COPY", kind: Kind::Switch };
/// Mebibytes that asynchronous writes may hold. A variable of the Async connector, whose users know it; zero stands
/// for the default there, too.
pub const ASYNC_MAX_MEM_MB: Variable = Variable { name: "HDF5_ASYNC_MAX_MEM_MB", kind: Kind::CountOrDefault };
/// Who reads files that processes share through MPI.
pub const MPI: Variable = Variable { name: "BYPASS_VOL_MPI", kind: Kind::MpiReads };
/// A variable of the C connector. It is checked, but has no effect here.
pub const NSTEPS: Variable = Variable { name: "BYPASS_VOL_NSTEPS", kind: Kind::Count };
/// A variable of the C connector. It is checked, but has no effect here.
pub const MAX_NELMTS: Variable = Variable { name: "BYPASS_VOL_MAX_NELMTS", kind: Kind::Count };
/// Where `h5stats` writes its counts to.
pub const STATS_OUT: Variable = Variable { name: "H5STATS_OUT", kind: Kind::File };

/// Decoded chunks that the connector `zarr` keeps.
pub const ZARR_CACHE: Variable = Variable { name: "ZARR_VOL_CACHE", kind: Kind::Size };

/// All of them.
pub const VARIABLES: [Variable; 18] = [
    NTHREADS,
    NO_TPOOL,
    IO_SIZE,
    SMALL_READ,
    CACHE,
    WRITE_BEHIND,
    READ_AHEAD,
    STATS,
    TRACE,
    DISABLE,
    STRICT,
    ASYNC_COPY,
    ASYNC_MAX_MEM_MB,
    MPI,
    NSTEPS,
    MAX_NELMTS,
    STATS_OUT,
    ZARR_CACHE,
];

/// A variable with a value that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment variable {variable}='{value}': {expected}")]
pub struct Fault {
    /// Its name.
    pub variable: &'static str,
    /// What it holds.
    pub value: String,
    /// What it should hold.
    pub expected: Expected,
}

/// What a valid value would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected(Kind);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Count => "expected a whole number greater than zero",
            Kind::CountOrDefault => "expected a whole number; zero stands for the default",
            Kind::Size => "expected a number of bytes, such as 65536, 512K, 64M or 1GiB",
            Kind::PositiveSize => {
                "expected a number of bytes greater than zero, such as 65536, 512K, 64M or 1GiB"
            }
            Kind::Switch => "expected true or false (or 1, 0, yes, no, on, off)",
            Kind::SwitchOrJson => {
                "expected true or false (or 1, 0, yes, no, on, off), or the name of a file that ends in .json"
            }
            Kind::File => "expected the name of a file",
            Kind::MpiReads => "expected auto, native, filtered or all",
        })
    }
}

impl Variable {
    /// The error for an invalid value.
    pub fn fault(self, value: &str) -> Fault {
        Fault { variable: self.name, value: value.to_owned(), expected: Expected(self.kind) }
    }

    /// Whether a value is valid.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(self, value: &OsStr) -> Result<(), Fault> {
        let text = value.to_string_lossy();
        let text = text.trim();
        let is_valid = text.is_empty()
            || match self.kind {
                Kind::Count => count(text).is_some(),
                Kind::CountOrDefault => count_or_default(text).is_some(),
                Kind::Size => size(text).is_some(),
                Kind::PositiveSize => size(text).is_some_and(|bytes| bytes > 0),
                Kind::Switch => switch(text).is_some(),
                Kind::SwitchOrJson => switch(text).is_some() || is_json_file(value),
                Kind::File => true,
                Kind::MpiReads => mpi_reads(text).is_some(),
            };
        if is_valid { Ok(()) } else { Err(self.fault(text)) }
    }
}

/// The variable of this name.
pub fn variable(name: &str) -> Option<Variable> {
    VARIABLES.into_iter().find(|variable| variable.name == name)
}

/// A whole number greater than zero.
pub fn count(text: &str) -> Option<NonZeroU64> {
    text.parse().ok().and_then(NonZeroU64::new)
}

/// A whole number, and whether it is more than the zero that stands for the default.
pub fn count_or_default(text: &str) -> Option<Option<NonZeroU64>> {
    text.parse().ok().map(NonZeroU64::new)
}

/// On or off.
pub fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Who reads files that processes share through MPI.
pub fn mpi_reads(text: &str) -> Option<MpiReads> {
    match text.to_ascii_lowercase().as_str() {
        "auto" => Some(MpiReads::Auto),
        "native" => Some(MpiReads::Native),
        "filtered" => Some(MpiReads::Filtered),
        "all" => Some(MpiReads::All),
        _ => None,
    }
}

/// Whether a value is the name of a JSON file.
pub fn is_json_file(value: &OsStr) -> bool {
    value.as_encoded_bytes().ends_with(b".json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_the_variable_the_value_and_what_is_valid() {
        for (variable, value, expected) in [
            (NTHREADS, "abc", "whole number greater than zero"),
            (NTHREADS, "0", "whole number greater than zero"),
            (ASYNC_MAX_MEM_MB, "-1", "whole number"),
            (IO_SIZE, "0", "greater than zero"),
            (CACHE, "64X", "64M"),
            (STATS, "2", "true or false"),
            (STATS, "out.jsn", "ends in .json"),
        ] {
            let fault = variable.check(OsStr::new(value)).unwrap_err().to_string();
            assert!(fault.contains(&format!("{}='{value}'", variable.name)), "{fault}");
            assert!(fault.contains(expected), "{fault}");
        }
    }

    #[test]
    fn a_summary_is_switched_on_or_written_to_a_json_file() {
        for value in ["1", "off", "out.json", "/tmp/stats-%p.json", ".json"] {
            assert_eq!(STATS.check(OsStr::new(value)), Ok(()), "{value}");
        }
    }

    #[test]
    fn zero_stands_for_the_default_where_users_know_it_so() {
        assert_eq!(ASYNC_MAX_MEM_MB.check(OsStr::new("0")), Ok(()));
        assert_eq!(count_or_default("0"), Some(None));
        assert_eq!(count_or_default("3"), Some(NonZeroU64::new(3)));
    }

    #[test]
    fn an_empty_variable_is_as_good_as_none() {
        for variable in VARIABLES {
            assert_eq!(variable.check(OsStr::new("")), Ok(()), "{}", variable.name);
            assert_eq!(variable.check(OsStr::new("  ")), Ok(()), "{}", variable.name);
        }
    }

    #[test]
    fn variables_are_found_by_their_names() {
        for each in VARIABLES {
            assert_eq!(variable(each.name), Some(each));
        }
        assert_eq!(variable("BYPASS_VOL_THREADS"), None);
    }
}
