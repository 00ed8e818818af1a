//! Settings from the environment.
//!
//! An invalid value is an error that names the variable, the value and what is valid. It is found when the connector
//! starts and reported when a file is opened. Which values are valid is in the crate `settings`.

use std::ffi::OsString;
use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use settings::Variable;
pub(crate) use settings::{Fault, MpiReads};

/// What the environment says.
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// `BYPASS_VOL_NTHREADS`: threads that work on one call; absent means one per available core, or this
    /// process's share of the cores under a launcher of parallel programs.
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
    /// `BYPASS_VOL_READ_AHEAD`: most bytes that are decoded ahead for each dataset; absent means a quarter of the cache.
    pub(crate) read_ahead: Option<u64>,
    /// `BYPASS_VOL_WRITE_BEHIND`: changed chunks that look complete are encoded before they must be stored.
    pub(crate) write_behind: bool,
    /// `BYPASS_VOL_STATS`: tell a summary when the process ends.
    pub(crate) summary: Summary,
    /// `BYPASS_VOL_TRACE`: write a trace to this file when the process ends; absolute, with `%p` for the process id, and the rank
    /// in the place of `%r`.
    pub(crate) trace: Option<PathBuf>,
    /// `BYPASS_VOL_DISABLE`: pass everything on.
    pub(crate) disabled: bool,
    /// `BYPASS_VOL_STRICT`: missing sources of virtual datasets are errors.
    pub(crate) strict: bool,
    pub(crate) asynchronous: Asynchronous,
    /// `BYPASS_VOL_MPI`: who reads files that processes share.
    pub(crate) mpi: MpiReads,
}

/// What concerns asynchronous writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asynchronous {
    /// `BYPASS_VOL_ASYNC_COPY`: they copy the application's data.
    pub(crate) copies: bool,
    /// `HDF5_ASYNC_MAX_MEM_MB`: bytes that they may hold; absent means as many as the cache.
    pub(crate) memory: Option<usize>,
}

/// Where the summary goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Summary {
    None,
    /// A table on stderr.
    Table,
    /// JSON in this file; absolute, with `%p` for the process id.
    Json(PathBuf),
}

/// A variable names a file that cannot be written.
pub(crate) fn unwritable(variable: Variable, file: &Path, error: &io::Error) -> String {
    // Without the number that Rust adds.
    let cause = error.to_string();
    let cause = cause.split(" (os error").next().unwrap_or_default();
    format!("environment variable {}='{}': cannot be written: {cause}", variable.name, file.display())
}

/// Below this native HDF5 is faster: it serves such reads from its sieve buffer or chunk cache, without a
/// system call.
const SMALL_READ: u64 = 512;

impl Configuration {
    pub(crate) fn from_environment() -> Result<Self, Fault> {
        Self::read(std::env::var_os)
    }

    /// Reads with `look_up`, so that tests need not change the process's environment.
    fn read(look_up: impl Fn(&'static str) -> Option<OsString>) -> Result<Self, Fault> {
        let set = |variable: Variable| look_up(variable.name).filter(|value| !value.is_empty());
        let value = |variable| {
            let value = set(variable)?.to_string_lossy().trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let read = Reader { value: &value };
        // A file name is taken as it is, and counted from the directory at the beginning.
        let absolute = |variable: Variable, file: OsString| {
            let file = settings::with_rank(file, &look_up);
            std::path::absolute(&file).map_err(|_| variable.fault(&file.to_string_lossy()))
        };
        let summary = match set(settings::STATS).filter(|value| settings::is_json_file(value)) {
            Some(file) => Summary::Json(absolute(settings::STATS, file)?),
            None if read.switch(settings::STATS)? => Summary::Table,
            None => Summary::None,
        };
        // Two variables of the C connector that have no meaning here. They are still checked: a wrong value
        // in one of them shows a misunderstanding that should not go unnoticed.
        read.count(settings::NSTEPS)?;
        read.count(settings::MAX_NELMTS)?;
        Ok(Self {
            threads: read
                .as_usize(settings::NTHREADS, Reader::count)?
                .or_else(|| settings::share_of_cores(&look_up)),
            no_pool: read.switch(settings::NO_TPOOL)?,
            io_size: read.positive_size(settings::IO_SIZE)?,
            small_read: read.size(settings::SMALL_READ)?.unwrap_or(SMALL_READ),
            cache: read.as_usize(settings::CACHE, Reader::size)?,
            read_ahead: read.size(settings::READ_AHEAD)?,
            write_behind: read.parsed(settings::WRITE_BEHIND, settings::switch)?.unwrap_or(true),
            summary,
            trace: set(settings::TRACE).map(|file| absolute(settings::TRACE, file)).transpose()?,
            disabled: read.switch(settings::DISABLE)?,
            strict: read.switch(settings::STRICT)?,
            mpi: read.parsed(settings::MPI, settings::mpi_reads)?.unwrap_or(MpiReads::Auto),
            asynchronous: Asynchronous {
                copies: read.switch(settings::ASYNC_COPY)?,
                memory: read
                    .as_usize(settings::ASYNC_MAX_MEM_MB, Reader::count_or_default)?
                    .map(|mebibytes: NonZeroUsize| mebibytes.get().saturating_mul(1 << 20)),
            },
        })
    }
}

/// Reads variables, given what they hold.
struct Reader<'a> {
    value: &'a dyn Fn(Variable) -> Option<String>,
}

impl Reader<'_> {
    fn parsed<T>(&self, variable: Variable, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Fault> {
        let Some(value) = (self.value)(variable) else { return Ok(None) };
        parse(&value).map(Some).ok_or_else(|| variable.fault(&value))
    }

    fn count(&self, variable: Variable) -> Result<Option<NonZeroU64>, Fault> {
        self.parsed(variable, settings::count)
    }

    fn count_or_default(&self, variable: Variable) -> Result<Option<NonZeroU64>, Fault> {
        Ok(self.parsed(variable, settings::count_or_default)?.flatten())
    }

    fn size(&self, variable: Variable) -> Result<Option<u64>, Fault> {
        self.parsed(variable, settings::size)
    }

    fn positive_size(&self, variable: Variable) -> Result<Option<NonZeroU64>, Fault> {
        self.parsed(variable, |value| settings::size(value).and_then(NonZeroU64::new))
    }

    fn switch(&self, variable: Variable) -> Result<bool, Fault> {
        Ok(self.parsed(variable, settings::switch)?.unwrap_or(false))
    }

    /// A number that must fit into the memory of this machine.
    fn as_usize<T: Copy + std::fmt::Display, U: TryFrom<T>>(
        &self,
        variable: Variable,
        read: impl Fn(&Self, Variable) -> Result<Option<T>, Fault>,
    ) -> Result<Option<U>, Fault> {
        let Some(number) = read(self, variable)? else { return Ok(None) };
        U::try_from(number).map(Some).map_err(|_| variable.fault(&number.to_string()))
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
            read_ahead: None,
            write_behind: true,
            summary: Summary::None,
            trace: None,
            disabled: false,
            strict: false,
            asynchronous: Asynchronous { copies: false, memory: None },
            mpi: MpiReads::Auto,
        };
        assert_eq!(read(&[]), Ok(expected));
    }

    #[test]
    fn no_bound_of_asynchronous_writes_is_the_default() {
        assert_eq!(read(&[("HDF5_ASYNC_MAX_MEM_MB", "0")]), read(&[]));
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
            ("BYPASS_VOL_STRICT", "1"),
            ("BYPASS_VOL_ASYNC_COPY", "1"),
            ("HDF5_ASYNC_MAX_MEM_MB", "3"),
        ])
        .unwrap();
        assert_eq!(configuration.threads.map(NonZeroUsize::get), Some(4));
        assert!(configuration.no_pool);
        assert_eq!(configuration.io_size.map(NonZeroU64::get), Some(65536));
        assert_eq!(configuration.small_read, 0);
        assert_eq!(configuration.cache, Some(1_000_000));
        assert_eq!(configuration.summary, Summary::Table);
        let here = std::env::current_dir().unwrap();
        assert_eq!(configuration.trace, Some(here.join("out-%p.json")));
        assert!(!configuration.disabled && configuration.strict);
        assert_eq!(configuration.asynchronous, Asynchronous { copies: true, memory: Some(3 << 20) });
    }

    #[test]
    fn names_of_files_have_the_rank() {
        let summary = |pairs: &[_]| read(pairs).unwrap().summary;
        let ranked = summary(&[("BYPASS_VOL_STATS", "/tmp/s-%r.json"), ("PMI_RANK", "5")]);
        assert_eq!(ranked, Summary::Json(PathBuf::from("/tmp/s-5.json")));
    }

    #[test]
    fn a_summary_may_go_to_a_file() {
        let summary = |value| read(&[("BYPASS_VOL_STATS", value)]).unwrap().summary;
        let here = std::env::current_dir().unwrap();
        assert_eq!(summary("out-%p.json"), Summary::Json(here.join("out-%p.json")));
        assert_eq!(summary("/tmp/a b.json"), Summary::Json(PathBuf::from("/tmp/a b.json")));
        assert_eq!(summary("off"), Summary::None);
    }

    #[test]
    fn faults_name_variable_and_value() {
        for (variable, value) in [
            ("BYPASS_VOL_NTHREADS", "abc"),
            ("BYPASS_VOL_NTHREADS", "0"),
            ("BYPASS_VOL_NTHREADS", "-1"),
            ("BYPASS_VOL_NTHREADS", "99999999999999999999"),
            ("BYPASS_VOL_IO_SIZE", "0"),
            ("BYPASS_VOL_IO_SIZE", "1 MB"),
            ("BYPASS_VOL_NO_TPOOL", "maybe"),
            ("BYPASS_VOL_NSTEPS", "x"),
            ("BYPASS_VOL_STATS", "2"),
            ("BYPASS_VOL_STATS", "out.txt"),
            ("BYPASS_VOL_SMALL_READ", "-5"),
            ("BYPASS_VOL_CACHE", "64 X"),
        ] {
            let message = read(&[(variable, value)]).unwrap_err().to_string();
            assert!(message.contains(&format!("{variable}='{value}'")), "{message}");
        }
    }

    #[test]
    fn sizes_have_units() {
        let configuration = read(&[
            ("BYPASS_VOL_IO_SIZE", "512K"),
            ("BYPASS_VOL_SMALL_READ", "1k"),
            ("BYPASS_VOL_CACHE", "64MiB"),
        ])
        .unwrap();
        assert_eq!(configuration.io_size.map(NonZeroU64::get), Some(512 << 10));
        assert_eq!(configuration.small_read, 1 << 10);
        assert_eq!(configuration.cache, Some(64 << 20));
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let names = settings::VARIABLES.map(|variable| variable.name);
        for value in ["", " "] {
            // A file may be called a blank.
            let is_unset = |name: &&str| value.is_empty() || *name != settings::TRACE.name;
            let pairs: Vec<_> = names.into_iter().filter(is_unset).map(|name| (name, value)).collect();
            assert_eq!(read(&pairs), read(&[]), "{value:?}");
        }
    }
}
