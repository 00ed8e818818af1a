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
    /// Measure native HDF5, bypass and the limit without HDF5 in turns: all of `h5bypass bench` with the stock libraries.
    ///
    /// Writes target/bench/results.json and results.html; the files read are kept below target/bench/data.
    Bench(Bench),
    /// Write the documents that show measurements: docs/PERFORMANCE.md, and README.md's table and pictures.
    ///
    /// Measures nothing: reads bench/baseline.json, bench/peers.json and bench/again.json.
    Figures(Figures),
}

/// Options of `cargo xtask figures`.
#[derive(Debug, clap::Args)]
pub(crate) struct Figures {
    /// Write nothing; fail if a document is out of date.
    #[arg(long)]
    pub(crate) check: bool,
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
    /// Also run PyTables' suite natively, instead of comparing with recorded counts.
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
    /// The cost of passing through: h5py opens a file, reads a little and closes it.
    ///
    /// Native, through bypass, through h5stats over bypass and through HDF5's own pass_through, alternating in
    /// one process in random order. Writes target/bench/overhead.json.
    Overhead(Overhead),
    /// Other libraries that read HDF5 or the like, beside h5py natively and through bypass.
    ///
    /// hidefix, pyfive, zarr and b2h5py on the same data in the same run, each in a process of its own. Installs them
    /// into target/xtask/peers-venv. Writes target/bench/peers.json.
    Peers(Peers),
    /// All of it once more, as it was measured for bench/baseline.json: for right after `cargo xtask bench --save`.
    ///
    /// Writes bench/again.json, and how far the two runs agree to docs/PERFORMANCE.md.
    Again,
}

/// Options of `cargo xtask bench` itself.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Suite {
    /// Compare the ratios with those of bench/baseline.json, and name what fell by more than 15 %.
    #[arg(long)]
    pub(crate) check: bool,
    /// Write what is measured to bench/baseline.json and, with what bench/peers.json has, to docs/PERFORMANCE.md.
    #[arg(long, conflicts_with_all = ["check", "only", "quick"])]
    pub(crate) save: bool,
    /// Measure only this, or what begins like this (may be given several times; `h5bypass bench --list` has the names).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// How many rounds; each gives one ratio per row.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Size of most datasets. What fits into the processor's caches says little about larger ones.
    #[arg(long, value_name = "MiB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(4..=65536))]
    pub(crate) size: u32,
    /// Small datasets and few rounds: to see that all of it works, not to measure.
    #[arg(long, conflicts_with_all = ["rounds", "size"])]
    pub(crate) quick: bool,
}

/// Options of `cargo xtask bench overhead`.
#[derive(Debug, clap::Args)]
pub(crate) struct Overhead {
    /// How many rounds; each gives one ratio per connector.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(3..))]
    pub(crate) rounds: u32,
}

/// Options of `cargo xtask bench peers`.
#[derive(Debug, clap::Args)]
pub(crate) struct Peers {
    /// Write what is measured to bench/peers.json and, with what bench/baseline.json has, to docs/PERFORMANCE.md.
    #[arg(long, conflicts_with_all = ["only", "quick", "list"])]
    pub(crate) save: bool,
    /// How many rounds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Size of the arrays.
    #[arg(long, value_name = "MiB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(4..=65536))]
    pub(crate) size: u32,
    /// Measure only this case (may be given several times).
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Small and few: to see that all of it works, not to measure.
    #[arg(long, conflicts_with_all = ["rounds", "size"])]
    pub(crate) quick: bool,
    /// List the cases and do nothing.
    #[arg(long)]
    pub(crate) list: bool,
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
