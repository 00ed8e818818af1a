//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::steps::StepName;

/// Sets up, builds, tests and measures h5bypass. It writes only into target/, except where a command says so.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Download what the tests need: h5py, PyTables and others from PyPI, HDF5 headers from crates.io.
    ///
    /// Makes target/xtask/venv from python/requirements.txt, target/hdf5-src/VERSION/src with the C headers of
    /// HDF5 1.14.5 and 2.2.0, and the lists of stock libhdf5 files target/xtask/hosts.txt and old-host.txt
    /// (lines of name, tab, path). Does nothing if all of it is up to date.
    Setup,
    /// Build the connectors and the command line tool in release mode.
    Build,
    /// Run an h5py script with and without the connector, and show the times.
    Demo,
    /// Build the Python package into target/wheels: the plugins, the command and the module, for all versions of Python.
    Wheel(Wheel),
    /// Run all tests, including the test suites of h5py, PyTables and xarray through the connectors.
    Test(Test),
    /// Fuzz codecs and conversions with libFuzzer.
    ///
    /// Starts from the inputs in fuzz/corpus and those that earlier runs left in target/fuzz/corpus. Inputs that fail
    /// are kept in target/fuzz/crashes. Needs a C++ compiler.
    Fuzz(Fuzz),
    /// Run the whole benchmark with the stock libraries: native HDF5, bypass and plain I/O in turns.
    ///
    /// Writes target/bench/results.json and results.html, and keeps the data files in target/bench/data.
    Bench(Bench),
    /// Write the documents that show measurements: docs/PERFORMANCE.md, README.md's tables and pictures, docs/asynchronous.md's tables.
    ///
    /// Measures nothing: reads bench/baseline.json, and clients.json, peers.json, asynchronous.json and again.json beside it.
    Figures(Figures),
}

/// Options of `cargo xtask figures`.
#[derive(Debug, clap::Args)]
pub(crate) struct Figures {
    /// Write nothing; fail if a document is out of date.
    #[arg(long)]
    pub(crate) check: bool,
}

/// Options of `cargo xtask wheel`.
#[derive(Debug, clap::Args)]
pub(crate) struct Wheel {
    /// Build for systems with this version of glibc or a newer one, such as 2.17 [default: this system's]
    ///
    /// Installs Zig from PyPI into target/ for that, and builds everything once more, in target/wheel-build.
    #[arg(long, value_name = "VERSION")]
    pub(crate) glibc: Option<String>,
    /// Pack the sources, too, which `pip` can build from.
    #[arg(long)]
    pub(crate) sdist: bool,
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
    /// Run only Python test files or crates with this in their names (may be given several times).
    ///
    /// For --only python and --only rust; the names of crates are those in their Cargo.toml.
    #[arg(long = "match", value_name = "NAME", requires = "only")]
    pub(crate) part: Vec<String>,
    /// List the steps and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
    /// Also run PyTables' suite natively, instead of comparing with recorded counts, all C programs under valgrind, xarray's tests
    /// of h5netcdf with Zarr directories, and all of the suites over stubs.
    #[arg(long)]
    pub(crate) long: bool,
}

/// Options of `cargo xtask fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fuzz {
    /// Seconds per target.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1500))]
    pub(crate) seconds: u32,
    /// Fuzz only this target (may be given several times).
    #[arg(long, value_name = "TARGET")]
    pub(crate) only: Vec<String>,
    /// Run the target once on this input.
    #[arg(long, value_name = "FILE", requires = "only")]
    pub(crate) input: Option<PathBuf>,
    /// List the targets and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) suite: Suite,
    #[command(subcommand)]
    pub(crate) measurement: Option<Measurement>,
}

/// What else can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Measurement {
    /// Measure what users of h5py, netCDF4, PyTables, pandas and xarray do, with and without bypass.
    ///
    /// Each case runs natively, natively again (the noise), through HDF5's own pass_through (the floor for any connector)
    /// and through bypass, in turns. What they read and write must be equal. Writes target/bench/clients.json and
    /// clients.html, and keeps the data files in target/bench/clients. Meant to take less than 12 minutes on
    /// 2 idle cores.
    Clients(Clients),
    /// Measure other libraries beside h5py with and without bypass.
    ///
    /// These are hidefix, pyfive, zarr and b2h5py, on the same data in the same run, each in its own process. They are
    /// installed into target/xtask/peers-venv. Writes target/bench/peers.json.
    Peers(Peers),
    /// Measure how much I/O goes on while a program computes: asynchronous calls, and loops of h5py.
    ///
    /// Writes target/bench/asynchronous.json. Takes about 3 minutes on 2 idle cores.
    Overlap(Overlap),
    /// Measure the connector `zarr` beside zarr-python, zarrs and tensorstore, on the same arrays with the same codecs.
    ///
    /// Each is a process of its own. Writes target/bench/zarr.json, and keeps the arrays in target/bench/zarr. Takes about 4 minutes
    /// on 2 idle cores.
    Zarr(Zarr),
    /// Repeat the run that made bench/baseline.json, to see how far two runs agree; run it right after `--save`.
    ///
    /// Writes bench/again.json and docs/PERFORMANCE.md.
    Again,
}

/// Options of `cargo xtask bench` itself.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Suite {
    /// Compare the ratios with bench/baseline.json, and list those that fell by more than 15 %.
    #[arg(long)]
    pub(crate) check: bool,
    /// Replace bench/baseline.json and the documents made from it (see `cargo xtask figures`).
    #[arg(long, conflicts_with_all = ["check", "only", "quick"])]
    pub(crate) save: bool,
    /// Measure only rows whose names begin with this (may be given several times; see `h5bypass bench --list`).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Number of rounds; each gives one ratio per row.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Size of most datasets. Datasets that fit into the processor's caches say little about larger ones.
    #[arg(long, value_name = "MiB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(4..=65536))]
    pub(crate) size: u32,
    /// Use small datasets and few rounds, to see that everything works; the figures mean nothing.
    #[arg(long, conflicts_with_all = ["rounds", "size"])]
    pub(crate) quick: bool,
}

/// Options of `cargo xtask bench clients`.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Clients {
    /// Compare with bench/clients.json; list rows that fell by more than 15 %, and rows below what is asked.
    #[arg(long)]
    pub(crate) check: bool,
    /// Replace bench/clients.json and the documents made from it.
    #[arg(long, conflicts_with_all = ["check", "only", "quick", "list"])]
    pub(crate) save: bool,
    /// Measure only rows whose names begin with this (may be given several times; see --list).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Number of rounds; each gives one ratio per row.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Use small data and one round, to see that everything works; the figures mean nothing.
    #[arg(long, conflicts_with_all = ["rounds", "check"])]
    pub(crate) quick: bool,
    /// List the rows and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options of `cargo xtask bench peers`.
#[derive(Debug, clap::Args)]
pub(crate) struct Peers {
    /// Replace bench/peers.json and the documents made from it.
    #[arg(long, conflicts_with_all = ["only", "quick", "list"])]
    pub(crate) save: bool,
    /// Number of rounds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Size of the arrays.
    #[arg(long, value_name = "MiB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(4..=65536))]
    pub(crate) size: u32,
    /// Measure only this case (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Use small arrays and few rounds, to see that everything works; the figures mean nothing.
    #[arg(long, conflicts_with_all = ["rounds", "size"])]
    pub(crate) quick: bool,
    /// List the cases and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
}

/// Options of `cargo xtask bench overlap`.
#[derive(Debug, clap::Args)]
pub(crate) struct Overlap {
    /// Replace bench/asynchronous.json and the documents made from it.
    #[arg(long)]
    pub(crate) save: bool,
    /// Number of rounds.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
}

/// Options of `cargo xtask bench zarr`.
#[derive(Debug, clap::Args)]
pub(crate) struct Zarr {
    /// Replace bench/zarr.json and the documents made from it.
    #[arg(long, conflicts_with_all = ["small", "only"])]
    pub(crate) save: bool,
    /// Number of rounds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Use the smaller array only, and few arrays.
    #[arg(long)]
    pub(crate) small: bool,
    /// Measure only this case, such as read-gzip (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
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

    #[test]
    fn only_a_complete_run_through_the_clients_is_saved() {
        let parse = |options: &[&str]| {
            Args::try_parse_from(["xtask", "bench", "clients"].iter().chain(options)).is_ok()
        };
        assert!(parse(&["--save", "--rounds", "9"]) && parse(&["--check", "--only", "h5py/"]));
        assert!(parse(&["--quick", "--only", "tables"]) && parse(&["--list"]));
        for more in [&["--quick"][..], &["--list"], &["--check"], &["--only", "h5py/rows"]] {
            assert!(!parse(&[&["--save"], more].concat()), "{more:?}");
        }
        // The figures of a quick run mean nothing.
        assert!(!parse(&["--check", "--quick"]));
    }

    #[test]
    fn only_a_complete_run_beside_others_is_saved() {
        let parse = |options: &[&str]| {
            Args::try_parse_from(["xtask", "bench", "peers", "--save"].iter().chain(options))
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        assert_eq!(parse(&[]), Ok(()));
        assert_eq!(parse(&["--rounds", "9", "--size", "128"]), Ok(()));
        for (options, named) in [
            (&["--quick"][..], "'--quick'"),
            (&["--list"], "'--list'"),
            (&["--only", "zstd"], "'--only <NAME>'"),
        ] {
            let error = parse(options).expect_err("part of a run");
            assert!(error.contains(&format!("'--save' cannot be used with {named}")), "{error}");
        }
    }
}
