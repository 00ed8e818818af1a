//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::steps::StepName;

/// Sets up, builds, tests and measures h5bypass. Everything it makes is below target/.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Fetch what the tests need: stock HDF5 clients from PyPI, HDF5 headers from crates.io.
    ///
    /// Makes target/xtask/venv from python/requirements.txt, target/hdf5-src/VERSION/src with the C headers of
    /// HDF5 1.14.5 and 2.2.0, and the lists of stock libhdf5 files target/xtask/hosts.txt and old-host.txt
    /// (lines of name, tab, path). What is already there and up to date is left alone.
    Setup,
    /// Build the connectors and the command line tool, optimised.
    Build,
    /// Show the connector at work: read a file with stock h5py natively and through it.
    Demo,
    /// Run all tests, among them the clients' own suites through the connectors.
    Test(Test),
    /// Try codecs and conversions on arbitrary input, guided by coverage (libFuzzer).
    ///
    /// Starts from fuzz/corpus and what earlier runs found, which is in target/fuzz/corpus. An input that makes
    /// something go wrong is left in target/fuzz/crashes. Needs a C++ compiler.
    Fuzz(Fuzz),
    /// Measure.
    #[command(subcommand)]
    Bench(Bench),
}

/// Options of `cargo xtask test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Run only this step (may be given several times).
    #[arg(long, value_name = "STEP")]
    pub(crate) only: Vec<StepName>,
    /// Leave this step out (may be given several times).
    #[arg(long, value_name = "STEP")]
    pub(crate) skip: Vec<StepName>,
    /// List the steps and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
    /// Also run natively what is otherwise compared with recorded counts (the suite of PyTables).
    #[arg(long)]
    pub(crate) long: bool,
}

/// Options of `cargo xtask fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fuzz {
    /// How long to try each target.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1500))]
    pub(crate) seconds: u32,
    /// Try only this target (may be given several times).
    #[arg(long, value_name = "TARGET")]
    pub(crate) only: Vec<String>,
    /// Run the target on this input, once.
    #[arg(long, value_name = "FILE", requires = "only")]
    pub(crate) input: Option<PathBuf>,
    /// List the targets and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// The cost of passing through: h5py opens a file, reads a little and closes it.
    ///
    /// Native, through bypass, through h5stats over bypass and through HDF5's own pass_through, alternating in
    /// one process in random order. Writes target/bench/overhead.json.
    Overhead(Overhead),
    /// The gain: reads through bypass against native ones.
    ///
    /// Of contiguous and chunked data, in large and small pieces, alternating in one process in random order, beside
    /// plain parallel pread as the limit. The files read are below target/bench/data, 1.4 GB of them by default.
    /// Writes target/bench/reads.json.
    Reads(Reads),
    /// Filtered and converted reads: compressed chunks, numbers of another type, fields of records.
    ///
    /// Each time from a file just opened, alternating in one process in random order, beside parallel pread, decoding
    /// and converting without HDF5 as the limit; also by four threads at once, and the peak of memory. The files
    /// read are below target/bench/data, 2 GB of them by default. Writes target/bench/filters.json.
    Filters(Filters),
    /// Writes: compressed, plain, converted, in pieces, appended and by several threads.
    ///
    /// Each time a file of its own, from its creation until it is closed, alternating in one process in random order,
    /// beside parallel pwrite and compressing without HDF5 as the limit; also how large compressed files become. The
    /// files are written below target/bench/data and removed. Writes target/bench/writes.json.
    Writes(Writes),
    /// Reads by four threads at once, natively and through bypass, and the cost of small calls.
    ///
    /// In a thread-safe host, by tests/c/bench_threads.c; the small calls in every host. Writes
    /// target/bench/threads.json.
    Threads(Threads),
}

/// Options of `cargo xtask bench overhead`.
#[derive(Debug, clap::Args)]
pub(crate) struct Overhead {
    /// How many rounds; each gives one ratio per connector.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(3..))]
    pub(crate) rounds: u32,
}

/// Options of `cargo xtask bench reads`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reads {
    /// How many rounds; each gives one ratio per case.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(3..))]
    pub(crate) rounds: u32,
    /// Measure only this case (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Size of the matrices that are read.
    #[arg(long, value_name = "MiB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(16..))]
    pub(crate) size: u32,
    /// Whose libhdf5 reads: h5py, netCDF4 or tables.
    #[arg(long, default_value = "h5py", value_parser = ["h5py", "netCDF4", "tables"])]
    pub(crate) host: String,
    /// List the cases with the required ratios and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options of `cargo xtask bench filters`.
#[derive(Debug, clap::Args)]
pub(crate) struct Filters {
    /// How many rounds; each gives one ratio per case.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(3..))]
    pub(crate) rounds: u32,
    /// Measure only this case (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Size of most datasets; that of the peak of memory has four times as much.
    #[arg(long, value_name = "MiB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(16..))]
    pub(crate) size: u32,
    /// Small datasets and few rounds: to see that all of it works, not to measure. Writes filters-quick.json.
    #[arg(long, conflicts_with_all = ["rounds", "size"])]
    pub(crate) quick: bool,
    /// What the connector may keep decoded: that much more memory is allowed at the peak.
    #[arg(long, value_name = "MiB", default_value_t = 0)]
    pub(crate) cache: u32,
    /// Whose libhdf5 reads: h5py, netCDF4 or tables. Only h5py's knows lzf.
    #[arg(long, default_value = "h5py", value_parser = ["h5py", "netCDF4", "tables"])]
    pub(crate) host: String,
    /// List the cases with the required ratios and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options of `cargo xtask bench writes`.
#[derive(Debug, clap::Args)]
pub(crate) struct Writes {
    /// How many rounds; each gives one ratio per case.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Measure only this case (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Size of most datasets.
    #[arg(long, value_name = "MiB", default_value_t = 128, value_parser = clap::value_parser!(u32).range(4..))]
    pub(crate) size: u32,
    /// Small datasets and few rounds: to see that all of it works, not to measure. Writes writes-quick.json.
    #[arg(long, conflicts_with_all = ["rounds", "size"])]
    pub(crate) quick: bool,
    /// Whose libhdf5 writes: h5py, netCDF4 or tables. Only h5py's knows lzf.
    #[arg(long, default_value = "h5py", value_parser = ["h5py", "netCDF4", "tables"])]
    pub(crate) host: String,
    /// List the cases with the required ratios and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options of `cargo xtask bench threads`.
#[derive(Debug, clap::Args)]
pub(crate) struct Threads {
    /// How many rounds; each gives one ratio per scenario.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub(crate) rounds: u32,
    /// Where in a page buffers begin, counted from where the data begins in its own. 1 to 63 is slow.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..4096))]
    pub(crate) page_offset: u16,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn steps_may_be_named_several_times() {
        let args = Args::try_parse_from(["xtask", "test", "--only", "rust", "--only", "h5py"])
            .expect("valid arguments");
        let Task::Test(test) = args.task else { panic!("not the test task") };
        assert_eq!(test.only, [StepName::Rust, StepName::H5py]);
        assert!(Args::try_parse_from(["xtask", "test", "--only", "nonsense"]).is_err());
    }
}
