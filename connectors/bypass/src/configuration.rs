//! Settings from the environment.
//!
//! A value that cannot be understood is an error that names the variable and the value. It is found when the
//! connector starts and reported when a file is opened.

use std::ffi::OsString;
use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

/// What the environment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// `BYPASS_VOL_NTHREADS`: threads that work on one call; absent means one per available core.
    pub(crate) threads: Option<NonZeroUsize>,
    /// `BYPASS_VOL_NO_TPOOL`: the calling threads do all the work themselves.
    pub(crate) no_pool: bool,
    /// `BYPASS_VOL_IO_SIZE`: largest single read or write in bytes.
    pub(crate) io_size: Option<NonZeroU64>,
    /// `BYPASS_VOL_SMALL_READ`: reads of fewer bytes are left to native HDF5.
    pub(crate) small_read: u64,
    /// `BYPASS_VOL_CACHE`: bytes of decoded chunks that are kept; absent means a default, or more if the
    /// application asks HDF5 for more.
    pub(crate) cache: Option<usize>,
    /// `BYPASS_VOL_STATS`: print a summary when the process ends.
    pub(crate) summary: bool,
    /// `BYPASS_VOL_TRACE`: write a trace to this file when the process ends; absolute, with `%p` for the process id.
    pub(crate) trace: Option<PathBuf>,
    /// `BYPASS_VOL_DISABLE`: pass everything on.
    pub(crate) disabled: bool,
}

/// A variable with a value that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment variable {variable}='{value}': {expected}")]
pub(crate) struct Fault {
    variable: &'static str,
    value: String,
    expected: &'static str,
}

/// The variable that names the file for the trace.
const TRACE: &str = "BYPASS_VOL_TRACE";

/// That variable names a file that cannot be written.
pub(crate) fn unwritable_trace(file: &Path, error: &io::Error) -> String {
    format!("environment variable {TRACE}='{}': cannot be written: {error}", file.display())
}

/// Below this native HDF5 is faster: it serves such reads from its sieve buffer or chunk cache, without a
/// system call.
const SMALL_READ: u64 = 512;

const SIZE: &str = "expected a whole number of bytes";
const POSITIVE: &str = "expected a whole number greater than zero";
const FILE: &str = "expected the name of a file";
const SWITCH: &str = "expected true or false (or 1, 0, yes, no, on, off)";

impl Configuration {
    pub(crate) fn from_environment() -> Result<Self, Fault> {
        Self::read(std::env::var_os)
    }

    /// Reads with `look_up`, so that tests need not change the process's environment.
    fn read(look_up: impl Fn(&'static str) -> Option<OsString>) -> Result<Self, Fault> {
        let value =
            |variable: &'static str| look_up(variable).map(|value| value.to_string_lossy().trim().to_owned());
        let number = |variable: &'static str| match value(variable) {
            None => Ok(None),
            Some(value) => match value.parse::<u64>() {
                Ok(number) if number > 0 => Ok(NonZeroU64::new(number)),
                _ => Err(Fault { variable, value, expected: POSITIVE }),
            },
        };
        let switch = |variable: &'static str| match value(variable) {
            None => Ok(false),
            Some(value) => match value.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(true),
                "0" | "false" | "no" | "off" => Ok(false),
                _ => Err(Fault { variable, value, expected: SWITCH }),
            },
        };

        let small_read = match value("BYPASS_VOL_SMALL_READ") {
            None => SMALL_READ,
            Some(value) => match value.parse() {
                Ok(bytes) => bytes,
                Err(_) => return Err(Fault { variable: "BYPASS_VOL_SMALL_READ", value, expected: SIZE }),
            },
        };
        let cache = match value("BYPASS_VOL_CACHE") {
            None => None,
            Some(value) => match value.parse() {
                Ok(bytes) => Some(bytes),
                Err(_) => return Err(Fault { variable: "BYPASS_VOL_CACHE", value, expected: SIZE }),
            },
        };
        let threads = match number("BYPASS_VOL_NTHREADS")? {
            None => None,
            Some(count) => Some(NonZeroUsize::try_from(count).map_err(|_| Fault {
                variable: "BYPASS_VOL_NTHREADS",
                value: count.to_string(),
                expected: POSITIVE,
            })?),
        };
        // A file name is taken as it is, and counted from the directory at the beginning.
        let absolute = |file: OsString| {
            let value = || file.to_string_lossy().into_owned();
            std::path::absolute(&file).map_err(|_| Fault { variable: TRACE, value: value(), expected: FILE })
        };
        let trace = look_up(TRACE).map(absolute).transpose()?;
        // Two variables of the C connector that have no meaning here. They are still checked: a wrong value
        // in one of them shows a misunderstanding that should not go unnoticed.
        number("BYPASS_VOL_NSTEPS")?;
        number("BYPASS_VOL_MAX_NELMTS")?;
        Ok(Self {
            threads,
            no_pool: switch("BYPASS_VOL_NO_TPOOL")?,
            io_size: number("BYPASS_VOL_IO_SIZE")?,
            small_read,
            cache,
            summary: switch("BYPASS_VOL_STATS")?,
            trace,
            disabled: switch("BYPASS_VOL_DISABLE")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Configuration, Fault> {
        Configuration::read(|variable| {
            pairs.iter().find(|(name, _)| *name == variable).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn an_empty_environment_is_the_default() {
        let expected = Configuration {
            threads: None,
            no_pool: false,
            io_size: None,
            small_read: SMALL_READ,
            cache: None,
            summary: false,
            trace: None,
            disabled: false,
        };
        assert_eq!(read(&[]), Ok(expected));
    }

    #[test]
    fn all_variables() {
        let configuration = read(&[
            ("BYPASS_VOL_NTHREADS", "4"),
            ("BYPASS_VOL_NO_TPOOL", "true"),
            ("BYPASS_VOL_IO_SIZE", "65536"),
            ("BYPASS_VOL_SMALL_READ", "0"),
            ("BYPASS_VOL_CACHE", "1000000"),
            ("BYPASS_VOL_STATS", "1"),
            ("BYPASS_VOL_TRACE", "out-%p.json"),
            ("BYPASS_VOL_DISABLE", "off"),
        ])
        .unwrap();
        assert_eq!(configuration.threads.map(NonZeroUsize::get), Some(4));
        assert!(configuration.no_pool);
        assert_eq!(configuration.io_size.map(NonZeroU64::get), Some(65536));
        assert_eq!(configuration.small_read, 0);
        assert_eq!(configuration.cache, Some(1_000_000));
        assert!(configuration.summary);
        let here = std::env::current_dir().unwrap();
        assert_eq!(configuration.trace, Some(here.join("out-%p.json")));
        assert!(!configuration.disabled);
    }

    #[test]
    fn faults_name_variable_and_value() {
        for (variable, value) in [
            ("BYPASS_VOL_NTHREADS", "abc"),
            ("BYPASS_VOL_NTHREADS", "0"),
            ("BYPASS_VOL_NTHREADS", "-1"),
            ("BYPASS_VOL_NTHREADS", ""),
            ("BYPASS_VOL_NTHREADS", "99999999999999999999"),
            ("BYPASS_VOL_IO_SIZE", "1 MiB"),
            ("BYPASS_VOL_NO_TPOOL", "maybe"),
            ("BYPASS_VOL_NSTEPS", "x"),
            ("BYPASS_VOL_STATS", "2"),
            ("BYPASS_VOL_TRACE", ""),
            ("BYPASS_VOL_SMALL_READ", "-5"),
            ("BYPASS_VOL_CACHE", "64 MiB"),
        ] {
            let message = read(&[(variable, value)]).unwrap_err().to_string();
            assert!(message.contains(&format!("{variable}='{value}'")), "{message}");
        }
    }
}
