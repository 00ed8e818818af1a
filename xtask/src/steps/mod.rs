//! `cargo xtask test`: the steps, in order, each with its counts; a failing step does not stop the next.

mod clients;
mod mpi;
mod mpi_example;
mod part;
mod python;
mod rust;
mod side_by_side;
mod stubs;

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;

use crate::args::Test;
use crate::layout::Layout;
use crate::report::{Line, Summary, Tally};
use crate::shell::seconds;
use crate::{fuzz, plugins, setup, shell};
use part::Part;

/// For each target: enough to find obvious errors. `cargo xtask fuzz` runs longer.
const FUZZ_SECONDS: u32 = 4;

/// The steps, in the order they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StepName {
    /// Unit, integration and doc tests of all crates (cargo test).
    Rust,
    /// Models of the thread pool, the lock protocol and the cache, over many thread schedules (shuttle).
    Models,
    /// Fuzzing of codecs and conversions, a few seconds each (libFuzzer).
    Fuzz,
    /// Tests of the plugins inside Python clients (python/tests).
    Python,
    /// C programs under valgrind's memcheck: a few of them, less than a minute; with --long all, with all libraries.
    Valgrind,
    /// Processes that share files through MPI, with a parallel HDF5 that is built first; with --long
    /// with two HDF5s, MPICH and Open MPI, and up to 8 processes.
    Mpi,
    /// The test suite of h5py: natively, through bypass, and through h5stats over bypass.
    H5py,
    /// The test suite of h5py with every file a Zarr directory; with --long also xarray's tests of h5netcdf.
    Zarr,
    /// The test suite of h5py with every file mirrored, and compared when it is closed.
    Mirror,
    /// The suites of netCDF4 and PyTables (a part) with every file a Zarr directory behind a stub; with --long all, and xarray's.
    Stubs,
    /// The test suite of PyTables through bypass; with --long also natively.
    Tables,
    /// The tests of xarray's netCDF4 and h5netcdf backends: natively and through bypass.
    Xarray,
}

impl StepName {
    fn name(self) -> String {
        self.value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn help(self) -> String {
        self.value().and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }

    fn value(self) -> Option<clap::builder::PossibleValue> {
        self.to_possible_value()
    }

    fn run(self, layout: &Layout, options: &Test) -> Result<Tally> {
        let part = Part(&options.part);
        ensure!(
            part.is_all() || matches!(self, Self::Rust | Self::Python),
            "--match does not choose a part of this step"
        );
        if let Some(why) = self.is_impossible() {
            bail!("{why}");
        }
        match self {
            Self::Rust => rust::run(layout, part),
            Self::Models => rust::models(layout),
            Self::Fuzz => fuzz::test(layout, FUZZ_SECONDS),
            Self::Python => python::run(layout, part),
            Self::Valgrind => python::memcheck(layout, options.long),
            Self::Mpi => mpi::run(layout, options.long),
            Self::H5py => clients::h5py(layout),
            Self::Zarr => clients::over_zarr(layout, options.long),
            Self::Mirror => clients::over_mirror(layout),
            Self::Stubs => stubs::run(layout, options.long),
            Self::Tables => clients::tables(layout, options.long),
            Self::Xarray => clients::xarray(layout),
        }
    }

    /// Why the step cannot be run on this machine: `setup` does not fetch everything. If it was named, that is a failure.
    fn is_impossible(self) -> Option<&'static str> {
        let version = || shell::capture("asking valgrind", shell::command("valgrind").arg("--version"));
        (self == Self::Valgrind && version().is_err()).then_some("valgrind is not installed")
    }
}

/// Runs the chosen steps. Returns whether all of them passed.
pub(crate) fn run(layout: &Layout, options: &Test) -> bool {
    let steps = chosen(&options.only, &options.skip);
    if options.list {
        for step in steps {
            println!("{:10}{}", step.name(), step.help());
        }
        return true;
    }

    let mut summary = Summary::default();
    if let Err(error) = setup::run(layout).and_then(|()| plugins::build(layout)) {
        println!("error: {error:#}");
        summary.add(Line::of_error("setup"));
    } else {
        for step in steps {
            println!("\n{}: {}", step.name(), step.help());
            if let Some(why) = step.is_impossible().filter(|_| !options.only.contains(&step)) {
                println!("  SKIPPED: {why}");
                summary.skip(&step.name(), why);
                continue;
            }
            let started = Instant::now();
            let tally = step.run(layout, options).unwrap_or_else(|error| {
                println!("  error: {error:#}");
                Tally { passed: 0, failed: 1 }
            });
            let took = started.elapsed();
            println!("  {} passed, {} failed in {}", tally.passed, tally.failed, seconds(took));
            summary.add(Line { step: step.name(), tally, took });
        }
    }
    println!("\n{summary}");
    summary.all_passed()
}

fn chosen(only: &[StepName], skip: &[StepName]) -> Vec<StepName> {
    let asked = |step: &StepName| only.is_empty() || only.contains(step);
    StepName::value_variants().iter().copied().filter(|step| asked(step) && !skip.contains(step)).collect()
}

/// Tells our own tests where to find what they need. HDF5's variables are not set: the tests set them in the processes that
/// they start.
fn tell_where_things_are(layout: &Layout, command: &mut Command) -> Result<()> {
    command
        .env("H5_HOSTS_FILE", layout.hosts_file())
        .env("H5_OLD_HOST_FILE", layout.old_host_file())
        .env("H5_ABI_HEADERS", setup::header_folders(layout)?)
        .env("H5BYPASS_PLUGIN_DIR", layout.plugins())
        .env("H5BYPASS_PYTHON", layout.python())
        .env("H5BYPASS_TEST_LIBHDF5", setup::libraries(layout)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_in_their_order() {
        assert_eq!(chosen(&[], &[]), StepName::value_variants());
        assert_eq!(chosen(&[StepName::Xarray, StepName::Rust], &[]), [StepName::Rust, StepName::Xarray]);
        assert_eq!(chosen(&[StepName::Rust], &[StepName::Rust]), []);
        assert_eq!(chosen(&[], &[StepName::Tables]).len(), StepName::value_variants().len() - 1);
    }
}
