//! The command line: every option, its help and its examples.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::compare::CompareArgs;
use crate::connector::Base;
use crate::copy::CopyArgs;

/// Makes HDF5 use all cores. Start with `h5bypass doctor`, then `h5bypass run -- python x.py`.
///
/// h5bypass is a VOL connector that an unchanged libhdf5 (1.14 or newer) loads when two environment variables are
/// set. This command sets them (`run`), checks that the connector works here (`doctor`), lists which datasets of a
/// file it reads (`explain`), and measures how much faster it is (`bench`).
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
    Copy(CopyArgs),
    Compare(CompareArgs),
    Stub(StubArgs),
    #[command(subcommand)]
    Stats(StatsCommand),
    Completions(CompletionsArgs),
    Man(ManArgs),
    #[command(hide = true)]
    Env(EnvArgs),
}

/// Work with the summaries that processes have written (BYPASS_VOL_STATS=FILE.json).
#[derive(Debug, Subcommand)]
pub(crate) enum StatsCommand {
    Merge(MergeArgs),
}

/// Add up the summaries of the processes of a program, and print the sum.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// The summaries
    #[arg(value_name = "FILE.json", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// Commands that this program starts itself with. They are separate from the commands of users, so that clap never suggests
/// one of them for a typo.
#[derive(Debug, Parser)]
#[command(name = "h5bypass")]
pub(crate) enum Worker {
    #[command(name = PROBE)]
    Probe(ProbeArgs),
    #[command(name = EXPLAIN_WORKER)]
    Explain(ExplainWorkerArgs),
    #[command(name = EXCHANGE_WORKER)]
    Exchange(ExchangeWorkerArgs),
    #[command(name = BENCH_WORKER)]
    Bench(BenchWorkerArgs),
}

/// The command that tests a library.
pub(crate) const PROBE: &str = "__probe";
/// The command that lists the datasets of a file.
pub(crate) const EXPLAIN_WORKER: &str = "__explain";
/// The command that compares or copies.
pub(crate) const EXCHANGE_WORKER: &str = "__exchange";
/// The command that measures one scenario.
pub(crate) const BENCH_WORKER: &str = "bench-worker";

impl Worker {
    /// Whether this word is the name of a worker command.
    pub(crate) fn is_name(word: &OsStr) -> bool {
        [PROBE, EXPLAIN_WORKER, EXCHANGE_WORKER, BENCH_WORKER].into_iter().any(|name| word == name)
    }
}

/// Run a command with the connector loaded.
///
/// h5bypass becomes the command: its exit code and signals are the command's own. The exit code is 127 if the
/// command does not exist, 126 if it cannot be executed, and 2 if h5bypass refuses to start it, for example because
/// the plugin cannot be loaded.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(after_help = RUN_EXAMPLES, override_usage = "h5bypass run [OPTIONS] [--] <COMMAND>...\n       h5bypass run [OPTIONS] --print-env")]
pub(crate) struct RunArgs {
    /// The connector: `bypass` reads and writes HDF5 files on all cores; `zarr` lets programs work on Zarr directories
    #[arg(short, long, value_enum, default_value_t, value_name = "NAME")]
    pub(crate) connector: Base,

    /// With --connector zarr: new files become Zarr directories NAME.zarr, with a regular file at NAME that stands for the
    /// directory (a stub). PyTables and netCDF4 need it
    #[arg(long)]
    pub(crate) stub: bool,

    /// With --connector zarr: every new file becomes a Zarr directory, whatever its name
    #[arg(long)]
    pub(crate) all: bool,

    /// Threads that read and decode, including the calling thread [default: one per available core]
    #[arg(short = 't', long, value_name = "N", value_parser = number::<u32, 1, 1_000_000>)]
    pub(crate) threads: Option<u32>,

    /// Count and time every HDF5 call; at exit, report what was bypassed and what was not
    #[arg(short, long)]
    pub(crate) stats: bool,

    /// Write the counts and times as JSON to FILE (implies --stats)
    #[arg(long, value_name = "FILE")]
    pub(crate) stats_out: Option<PathBuf>,

    /// At exit, write a trace of all threads to FILE, for ui.perfetto.dev or chrome://tracing
    ///
    /// An existing trace is replaced. `%p` in the name becomes the process id. Without it, the first of several processes
    /// gets the name, and the others append their process ids.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Directory that holds libh5bypass_vol.so, or libh5zarr_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Print the variables as shell commands instead of running anything
    #[arg(long)]
    pub(crate) print_env: bool,

    /// Override conflicting variables: another HDF5_VOL_CONNECTOR, HDF5_PLUGIN_PRELOAD=::
    #[arg(long)]
    pub(crate) replace: bool,

    /// The command and its arguments
    #[arg(value_name = "COMMAND", trailing_var_arg = true, required_unless_present = "print_env")]
    pub(crate) command: Vec<OsString>,
}

/// Find every libhdf5 on this machine and test the connector with it.
///
/// Each library is loaded in a separate process, which writes and reads a small file through the connector. Doctor
/// also checks the environment variables of HDF5 and h5bypass. The exit code is 0 if every supported library (HDF5
/// 1.14 or newer) works and the environment is valid. It is 1 if a library fails, none was found, a variable has an
/// invalid value, or HDF5 cannot load the connector that HDF5_VOL_CONNECTOR names.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Python interpreter whose packages are searched [default: the active environment's, or python3]
    #[arg(long, value_name = "PYTHON")]
    pub(crate) python: Option<PathBuf>,

    /// Test only this shared libhdf5 (may be repeated)
    #[arg(long = "lib", value_name = "PATH")]
    pub(crate) libs: Vec<PathBuf>,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Give up on a library after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = number::<u64, 1, 3600>)]
    pub(crate) timeout: u64,

    /// Try another value of HDF5_VOL_CONNECTOR, such as that of a connector built into libhdf5
    #[arg(long, value_name = "VALUE", hide = true)]
    pub(crate) connector: Option<String>,
}

/// List the datasets of a file: which are bypassed, and why the others are not.
///
/// The file may be an HDF5 file, a Zarr directory, or a stub of one. For a Zarr directory, each array is listed with its data
/// type, shape, size, chunks, shards and codecs, and whether all cores read it, or why not. For an HDF5 file:
///
/// The file is opened read-only through the connector, in a separate process. No data is read, and links to other files
/// are not followed. Each dataset is listed with its datatype, its shape (current/maximum, '*' if unlimited), its size before
/// compression, its layout, chunks and filters, and whether the connector reads it (bypassed) or leaves it to HDF5 (passed on).
/// In the latter case, the listing gives the reason and what would change it.
///
/// The exit code is 0 if everything was listed, 1 if the file or a dataset is missing or cannot be read, and 2 if the
/// connector could not be used.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The HDF5 file or Zarr directory
    pub(crate) file: PathBuf,

    /// Paths of datasets in the file [default: all]
    #[arg(value_name = "DATASET")]
    pub(crate) datasets: Vec<OsString>,

    /// The libhdf5 to open it with [default: the newest that works, as `h5bypass doctor` lists them]
    #[arg(long, value_name = "PATH")]
    pub(crate) lib: Option<PathBuf>,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Print the result as one JSON document: the library, each dataset with its properties and, if it is passed on, the
    /// reason with its code (docs/reasons.md lists the codes), and a summary
    #[arg(long)]
    pub(crate) json: bool,

    /// Give up if HDF5 makes no progress for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = number::<u64, 1, 3600>)]
    pub(crate) timeout: u64,

    /// Use another value of HDF5_VOL_CONNECTOR, such as that of a connector built into libhdf5
    #[arg(long, value_name = "VALUE", hide = true)]
    pub(crate) connector: Option<String>,
}

/// Make the regular file that stands for a Zarr directory (a stub).
///
/// Some programs insist on a regular file with HDF5's signature at the name that they open; PyTables and netCDF4 are among
/// them. A stub is one. With the Zarr connector loaded, they open it and find what is in the directory. A stub names the
/// directory as seen from itself, so both can be moved together. The directory must be beside the stub or below it.
///
/// A stub of that name is replaced; any other file is left alone. The exit code is 0, or 2 if no stub was made.
#[derive(Debug, Args)]
#[command(after_help = STUB_EXAMPLES)]
pub(crate) struct StubArgs {
    /// The Zarr directory
    #[arg(value_name = "DIR.zarr")]
    pub(crate) directory: PathBuf,

    /// Name of the stub [default: DIR without .zarr; with .h5 if it has no other ending]
    pub(crate) name: Option<PathBuf>,
}

/// Print what makes a shell complete this command.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page, in the format of `man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Write the pages of all commands into this directory instead
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

/// Switch h5bypass on for a whole Python environment. Python does that: this program cannot.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct EnvArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) rest: Vec<OsString>,
}

/// List one file, in the process that `explain` started for it.
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

/// Measure how much faster the connector is than native HDF5.
///
/// Without a file, it measures reads and writes of generated files: contiguous and chunked, compressed, converted, with
/// one thread and with several. These scenarios have targets, which the table shows. With a file, it measures reads of its
/// datasets, the largest first; the file is never changed.
///
/// Each scenario runs in a separate process. Native HDF5 and the connector take turns with the same libhdf5 and the same
/// memory, after both have returned the same bytes. The table shows the median over the rounds, the spread, the ratio, the
/// share of what this machine can do without HDF5 (where that is known), and whether the connector did the work.
///
/// The exit code is 0 if everything was measured, even if targets were missed; 1 if something failed; 2 if nothing could be
/// measured; 130 after Ctrl-C. Rows measured before Ctrl-C are shown and written.
#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct BenchArgs {
    /// Your own HDF5 file to read, instead of generated files
    pub(crate) file: Option<PathBuf>,

    /// A dataset in that file [default: the 12 largest]
    pub(crate) dataset: Option<String>,

    /// List the scenarios and their targets without measuring anything
    #[arg(long, conflicts_with = "file")]
    pub(crate) list: bool,

    /// Only the scenario with this name or, if there is none, those whose names begin with it (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,

    /// Only the scenarios under this heading (may be repeated)
    #[arg(long, value_name = "HEADING", conflicts_with = "file")]
    pub(crate) group: Vec<String>,

    /// Size of most datasets; with a file, how much to read of each dataset at most. In MiB, or with a unit, such as 64M or
    /// 1G [default: 256; with a file 1024]
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    pub(crate) size: Option<u32>,

    /// Number of rounds; each gives one ratio [default: 11; with a file 5]
    #[arg(long, value_name = "N", value_parser = number::<u32, 1, 1000>)]
    pub(crate) rounds: Option<u32>,

    /// Application threads in the scenarios that use several
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = number::<u32, 2, 256>)]
    pub(crate) threads: u32,

    /// Threads that work on one call, including the calling thread [default: one per available core]
    #[arg(long, value_name = "N", value_parser = number::<u32, 1, 1024>)]
    pub(crate) pool: Option<u32>,

    /// The libhdf5: a path, NAME=PATH, or a Python package that contains one, such as h5py, netCDF4 or tables (may be
    /// repeated; scenarios with several threads use the first that is thread-safe) [default: h5py's, or the first that works]
    #[arg(long = "host", value_name = "HOST")]
    pub(crate) hosts: Vec<OsString>,

    /// Directory with filter plugins for native HDF5 [default: that of the Python package hdf5plugin, if installed]
    #[arg(long, value_name = "DIR")]
    pub(crate) filters: Option<PathBuf>,

    /// Drop files from the system's cache before each pass
    #[arg(long)]
    pub(crate) cold: bool,

    /// A quick look: small datasets, three rounds
    #[arg(long)]
    pub(crate) quick: bool,

    /// Write the results to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the results to FILE as a web page with plots
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Directory for the generated files [default: the user's cache directory, or /tmp]
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    pub(crate) folder: Option<PathBuf>,

    /// Keep the generated files for the next run
    #[arg(long, conflicts_with = "file")]
    pub(crate) keep: bool,

    /// Directory that holds libh5bypass_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,

    /// Give up on a scenario that makes no progress for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = number::<u64, 1, 86400>)]
    pub(crate) timeout: u64,
}

/// Compare or copy, in the process that `compare` or `copy` started for it.
#[derive(Debug, Args)]
pub(crate) struct ExchangeWorkerArgs {
    /// What to do, as JSON
    pub(crate) request: String,
}

/// Measure one scenario, in the process that `bench` started for it.
#[derive(Debug, Args)]
pub(crate) struct BenchWorkerArgs {
    /// What to do, as JSON
    pub(crate) request: String,
}

/// Test one library, in the process that `doctor` started for it.
#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// What to test
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
  h5bypass run -- python train.py          run a script through the connector
  h5bypass run --threads 4 --stats -- h5dump -d /x data.h5
  h5bypass doctor                          does it work with the HDF5 libraries here?
  h5bypass explain data.h5                 which datasets are bypassed, and why not the others?
  h5bypass bench data.h5                   how much faster are they read?
  h5bypass copy data.h5 data.zarr          HDF5 to Zarr; `compare` tells whether both are equal
  h5bypass run --connector zarr --stub -- python convert.py
  h5bypass env enable                      for all programs of a Python environment, if installed with pip

`h5bypass help run` (or doctor, explain, bench, copy, compare, stub) has the details.";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  source <(h5bypass completions bash)      for this shell; in ~/.bashrc for every one
  h5bypass completions fish > ~/.config/fish/completions/h5bypass.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  h5bypass man | man -l -
  h5bypass man ~/.local/share/man/man1";

const RUN_EXAMPLES: &str = "\
Examples:
  h5bypass run -- python train.py
  h5bypass run --threads 4 -- h5repack in.h5 out.h5
  h5bypass run --stats-out calls.json -- python train.py
  h5bypass run --trace trace.json -- python train.py
  h5bypass run --connector zarr -- python makes_weather_zarr.py
  h5bypass run --connector zarr --stub -- python uses_netcdf4.py
  eval \"$(h5bypass run --print-env)\"      set the variables in this shell

h5bypass looks for libh5bypass_vol.so in --plugin-dir; if that is not given, in
$H5BYPASS_PLUGIN_DIR; if that is not set, in the directory of this program,
../plugin, ../lib/h5bypass/plugin and ../lib/hdf5/plugin.
BYPASS_VOL_DISABLE=1 turns the connector off without any other change.";

const STUB_EXAMPLES: &str = "\
Examples:
  h5bypass stub weather.zarr                       makes weather.h5
  h5bypass stub data/weather.zarr data/weather.nc
  h5bypass run --connector zarr -- python reads_weather_nc.py";

const MERGE_EXAMPLES: &str = "\
Examples:
  BYPASS_VOL_STATS=stats-%r.json mpiexec -n 4 h5bypass run -- ./program
  h5bypass stats merge stats-*.json";

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
  h5bypass explain data.zarr
  h5bypass explain --lib /opt/hdf5/lib/libhdf5.so data.h5
  h5bypass explain --json data.h5 | jq -r '.datasets[] | select(.bypassed | not) | .path, .code'

Sizes do not include the data that variable-length elements point to. Bytes of names that are
not UTF-8 are shown as \\xNN.";

const BENCH_EXAMPLES: &str = "\
Examples:
  h5bypass bench --quick                           all scenarios, in a few minutes
  h5bypass bench --list
  h5bypass bench --only chunks --html page.html
  h5bypass bench --host tables --threads 8 --cold
  h5bypass bench data.h5                           read your own file
  h5bypass bench data.h5 /images --json images.json

Generated files are removed at the end, unless you use --keep.";

/// Parses a whole number in a range.
fn number<T: TryFrom<u64>, const LEAST: u64, const MOST: u64>(text: &str) -> Result<T, String> {
    let number = text.trim().parse().ok().filter(|number| (LEAST..=MOST).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("expected a whole number from {LEAST} to {MOST}"))
}

/// Parses a number of mebibytes, or a size with a unit.
fn mebibytes(text: &str) -> Result<u32, String> {
    const MIB: u64 = 1 << 20;
    let whole = match text.trim().parse::<u64>() {
        Ok(number) => Some(number),
        Err(_) => settings::size(text).filter(|bytes| bytes % MIB == 0).map(|bytes| bytes / MIB),
    };
    let expected = "expected a whole number of MiB from 1 to 1048576, such as 64, 64M or 1G";
    whole
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| (1..=1 << 20).contains(number))
        .ok_or_else(|| expected.into())
}

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
            ("sub", "stub"),
        ] {
            let error = Cli::try_parse_from(["h5bypass", typo]).unwrap_err().to_string();
            let hint = error.lines().find(|line| line.contains("tip:")).unwrap_or_default();
            assert!(hint.contains(meant), "{error}");
            assert!(!error.contains("__") && !error.contains("-worker"), "{error}");
        }
    }

    #[test]
    fn numbers_out_of_range_say_what_is_valid() {
        assert_eq!(number::<u32, 1, 1000>("1000"), Ok(1000));
        for text in ["0", "1001", "x", "", "1.5", "-1"] {
            assert_eq!(
                number::<u32, 1, 1000>(text),
                Err("expected a whole number from 1 to 1000".into()),
                "{text}"
            );
        }
    }

    #[test]
    fn sizes_are_mebibytes_or_have_a_unit() {
        for (text, expected) in [("64", 64), ("64M", 64), ("64mib", 64), ("1G", 1024), ("2048K", 2)] {
            assert_eq!(mebibytes(text), Ok(expected), "{text}");
        }
        for text in ["0", "512K", "1.5G", "64MB", "-1", "", "2T", "1048577"] {
            assert!(mebibytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn zero_threads_are_refused() {
        assert!(Cli::try_parse_from(["h5bypass", "run", "--threads", "0", "true"]).is_err());
    }
}
