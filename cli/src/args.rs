//! The command line: every option, its help and its examples.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::bench;

/// Parallel HDF5 reads and writes for programs that were not changed for it.
///
/// h5bypass is a VOL connector that a stock libhdf5 (1.14 or newer) loads by itself when two environment
/// variables are set. This command sets them (`run`), checks that it works here (`doctor`), tells which datasets
/// of a file it reads (`explain`), and measures what is gained (`bench`).
#[derive(Debug, Parser)]
#[command(name = "h5bypass", version, after_help = TOP_EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Doctor(DoctorArgs),
    Explain(ExplainArgs),
    Bench(BenchArgs),
}

/// What this program starts itself for. Apart from the commands of users, so that no typo is answered with one of these.
#[derive(Debug, Parser)]
#[command(name = "h5bypass")]
pub(crate) enum Worker {
    #[command(name = PROBE)]
    Probe(ProbeArgs),
    #[command(name = EXPLAIN_WORKER)]
    Explain(ExplainWorkerArgs),
    #[command(name = bench::WORKER)]
    Bench(BenchWorkerArgs),
}

/// The command by which this program tries a library.
pub(crate) const PROBE: &str = "__probe";
/// The command by which this program looks into a file.
pub(crate) const EXPLAIN_WORKER: &str = "__explain";

impl Worker {
    /// Whether this is the name of one.
    pub(crate) fn is_name(word: &OsStr) -> bool {
        [PROBE, EXPLAIN_WORKER, bench::WORKER].into_iter().any(|name| word == name)
    }
}

/// Run a command with the connector loaded.
///
/// h5bypass becomes the command: its exit code and signals are the command's own. If the command does not
/// exist the exit code is 127, if it cannot be executed 126, and 2 if h5bypass could not set it up.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES, override_usage = "h5bypass run [OPTIONS] [--] <COMMAND>...\n       h5bypass run [OPTIONS] --print-env")]
pub(crate) struct RunArgs {
    /// Threads that read and decode, the calling one included [default: one per available core]
    #[arg(short = 't', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) threads: Option<u32>,

    /// Count and time every HDF5 call, and report at exit what was bypassed and what was not
    #[arg(short, long)]
    pub(crate) stats: bool,

    /// Write the counts and times as JSON into FILE (implies --stats)
    #[arg(long, value_name = "FILE")]
    pub(crate) stats_out: Option<PathBuf>,

    /// Write what each thread did when into FILE at exit, for ui.perfetto.dev or chrome://tracing
    ///
    /// A trace that is there is replaced. `%p` in the name becomes the process id; of several processes without it, the
    /// first one gets the name, and the others append their ids.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Print the variables as shell commands instead of running anything
    #[arg(long)]
    pub(crate) print_env: bool,

    /// Override variables that contradict: another HDF5_VOL_CONNECTOR, HDF5_PLUGIN_PRELOAD=::
    #[arg(long)]
    pub(crate) replace: bool,

    /// The command and its arguments
    #[arg(value_name = "COMMAND", trailing_var_arg = true, required_unless_present = "print_env")]
    pub(crate) command: Vec<OsString>,
}

/// Find every libhdf5 on this machine and try the connector with it.
///
/// Each library is loaded in a process of its own, which writes and reads a small file through the connector.
/// The exit code is 0 if every supported library (HDF5 1.14 or newer) works, 1 if one fails or none was found.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Python interpreter whose packages are searched [default: that of the active environment, or python3]
    #[arg(long, value_name = "PYTHON")]
    pub(crate) python: Option<PathBuf>,

    /// Check this library only (may be repeated)
    #[arg(long = "lib", value_name = "PATH")]
    pub(crate) libs: Vec<PathBuf>,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Give up on a library after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,

    /// Try another value of HDF5_VOL_CONNECTOR, such as that of a connector built into libhdf5
    #[arg(long, value_name = "VALUE", hide = true)]
    pub(crate) connector: Option<String>,
}

/// List the datasets of a file: which are bypassed, and why the others are not.
///
/// The file is opened read-only through the connector, in a process of its own; no element is read, and no link out
/// of the file is followed. Of every dataset you see its datatype, shape (current/maximum, '*' without limit), size
/// before compression, layout, chunks and filters; whether the connector reads it (bypassed) or leaves it to HDF5 (passed
/// on), and in that case the reason and what would change it.
///
/// The exit code is 0 if all could be listed, 1 if the file or one of the datasets cannot be read or is missing, 2 if the
/// connector could not be asked.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The HDF5 file
    pub(crate) file: PathBuf,

    /// Paths of datasets in it [default: all of them]
    #[arg(value_name = "DATASET")]
    pub(crate) datasets: Vec<OsString>,

    /// The libhdf5 to open it with [default: the newest that `h5bypass doctor` finds working]
    #[arg(long, value_name = "PATH")]
    pub(crate) lib: Option<PathBuf>,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Give up when HDF5 gets no further for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,

    /// Use another value of HDF5_VOL_CONNECTOR, such as that of a connector built into libhdf5
    #[arg(long, value_name = "VALUE", hide = true)]
    pub(crate) connector: Option<String>,
}

/// One file, looked at in the process that `explain` started for it.
#[derive(Debug, Args)]
pub(crate) struct ExplainWorkerArgs {
    /// The shared library
    #[arg(long = "lib")]
    pub(crate) library: PathBuf,

    /// The HDF5 file
    pub(crate) file: PathBuf,

    /// Datasets in it
    pub(crate) datasets: Vec<OsString>,
}

/// Measure native HDF5, the connector and, where there is one, a limit without HDF5, in turns.
///
/// Without a file: reads and writes of files that are made for it, as contiguous and chunked data, compressed, converted,
/// by one thread and by many. With a file: reads of its datasets, the largest first; it is only ever read.
///
/// Each scenario is measured in a process of its own, native HDF5 and the connector in turns with the same libhdf5 and the
/// same memory, after both have given the same bytes. You see medians over the rounds, how far they spread, the ratio, the
/// share of the limit, and whether the connector really did it.
///
/// The exit code is 0 if everything was measured, also where less came out than is asked for; 1 if something failed, and 2 if
/// it could not begin.
#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct BenchArgs {
    /// An HDF5 file to read, instead of files made for it
    pub(crate) file: Option<PathBuf>,

    /// A dataset in it [default: the 12 largest]
    pub(crate) dataset: Option<String>,

    /// List the scenarios with what is asked of them, and measure nothing
    #[arg(long, conflicts_with = "file")]
    pub(crate) list: bool,

    /// Only the scenario of this name, or those whose names begin with it if there is none (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,

    /// Only the scenarios under this heading (may be repeated)
    #[arg(long, value_name = "HEADING", conflicts_with = "file")]
    pub(crate) group: Vec<String>,

    /// Mebibytes of most datasets; of a file's dataset, what is read at most [default: 256; of a file 1024]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) size: Option<u32>,

    /// Rounds, each of which gives one ratio [default: 11; of a file 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,

    /// Threads of the application in the scenarios that have several
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) threads: u32,

    /// Threads of the connector that work on one call, the calling one included [default: one per available core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) pool: Option<u32>,

    /// The libhdf5: its path, NAME=PATH, or the Python package that has it, as h5py, netCDF4, tables (may be repeated;
    /// scenarios of several threads take the first that is thread-safe) [default: that of h5py, or the first that works]
    #[arg(long = "host", value_name = "HOST")]
    pub(crate) hosts: Vec<OsString>,

    /// Directory with filter plugins for native HDF5 [default: that of the Python package hdf5plugin]
    #[arg(long, value_name = "DIR")]
    pub(crate) filters: Option<PathBuf>,

    /// Drop files from the system's cache before each pass
    #[arg(long)]
    pub(crate) cold: bool,

    /// A quick look: small datasets, three rounds
    #[arg(long)]
    pub(crate) quick: bool,

    /// Write the results as JSON into FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the results as a page with plots into FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Directory in which files are made [default: the user's cache directory, or /tmp]
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    pub(crate) folder: Option<PathBuf>,

    /// Keep the files that were made, for the next time
    #[arg(long, conflicts_with = "file")]
    pub(crate) keep: bool,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Give up on a scenario without a sign of life for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub(crate) timeout: u64,
}

/// One scenario, measured in the process that `bench` started for it.
#[derive(Debug, Args)]
pub(crate) struct BenchWorkerArgs {
    /// What to do, as JSON
    pub(crate) request: String,
}

/// One library, tried in the process that `doctor` started for it.
#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// What to try
    #[arg(long, value_enum)]
    pub(crate) step: Step,

    /// An empty directory for the file to be written
    #[arg(long, required_if_eq("step", "roundtrip"))]
    pub(crate) scratch: Option<PathBuf>,

    /// The shared library
    pub(crate) library: PathBuf,
}

/// How far a probe goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Load a plugin
    Load,
    /// Load a libhdf5 and ask for its version
    Identify,
    /// Write a file and read it back
    Roundtrip,
}

const TOP_EXAMPLES: &str = "\
Examples:
  h5bypass run -- python train.py          run a script with all cores
  h5bypass run --threads 4 --stats -- h5dump -d /x data.h5
  h5bypass doctor                          does it work with the HDF5 libraries here?
  h5bypass explain data.h5                 which datasets does it read, and which not?
  h5bypass bench data.h5                   how much faster are they read?

`h5bypass help run` (or doctor, explain, bench) tells more.";

const RUN_EXAMPLES: &str = "\
Examples:
  h5bypass run -- python train.py
  h5bypass run --threads 4 -- h5repack in.h5 out.h5
  h5bypass run --stats-out calls.json -- python train.py
  h5bypass run --trace trace.json -- python train.py
  eval \"$(h5bypass run --print-env)\"      sets up the shell for all that follows

Where libh5bypass_vol.so is looked for: --plugin-dir, else $H5BYPASS_PLUGIN_DIR, else
the directory of this program, ../lib/h5bypass/plugin and ../lib/hdf5/plugin beside it.
BYPASS_VOL_DISABLE=1 switches the connector off without changing anything else.";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  h5bypass doctor
  h5bypass doctor --python ~/venv/bin/python
  h5bypass doctor --lib /opt/hdf5/lib/libhdf5.so
  h5bypass doctor --json | jq '.libraries[] | {path, verdict}'";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  h5bypass explain data.h5
  h5bypass explain data.h5 /images /labels
  h5bypass explain --lib /opt/hdf5/lib/libhdf5.so data.h5
  h5bypass explain --json data.h5 | jq -r '.datasets[] | select(.bypassed | not) | .path, .reason'

Sizes do not count what variable-length elements point to. Names that are not UTF-8 are shown
with \\xNN for the bytes that are not.";

const BENCH_EXAMPLES: &str = "\
Examples:
  h5bypass bench --quick                           everything, in a few minutes
  h5bypass bench --list
  h5bypass bench --only chunks --html page.html
  h5bypass bench --host tables --threads 8 --cold
  h5bypass bench data.h5                           reads of your own file
  h5bypass bench data.h5 /images --json images.json

What is made for it is removed at the end, unless you --keep it.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_after_the_command_belong_to_the_command() {
        let cli = Cli::try_parse_from(["h5bypass", "run", "-t", "3", "prog", "--stats", "--", "-x"]).unwrap();
        let Command::Run(run) = cli.command else { panic!("expected run") };
        assert_eq!(run.threads, Some(3));
        assert!(!run.stats);
        assert_eq!(run.command, ["prog", "--stats", "--", "-x"]);
    }

    #[test]
    fn a_typo_is_answered_with_a_command_of_users() {
        for (typo, meant) in [
            ("explan", "explain"),
            ("_explain", "explain"),
            ("doctr", "doctor"),
            ("bench-work", "bench"),
            ("probe", ""),
            ("rum", "run"),
        ] {
            let error = Cli::try_parse_from(["h5bypass", typo]).unwrap_err().to_string();
            let hint = error.lines().find(|line| line.contains("tip:")).unwrap_or_default();
            assert!(hint.contains(meant), "{error}");
            assert!(!error.contains("__") && !error.contains("-worker"), "{error}");
        }
    }

    #[test]
    fn zero_threads_are_refused() {
        assert!(Cli::try_parse_from(["h5bypass", "run", "--threads", "0", "true"]).is_err());
    }
}
