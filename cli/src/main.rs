//! `h5bypass`: starts a program with the bypass connector loaded into its libhdf5 (`run`), finds out which libhdf5
//! libraries on this machine the connector works with (`doctor`) and which datasets of a file it reads (`explain`), and
//! measures how much faster it is than native HDF5 (`bench`). It copies and compares files and objects
//! (`copy`, `compare`). For the Zarr connector it makes stubs (`stub`). It adds up the summaries of many processes (`stats merge`), and
//! describes itself to shells and to `man` (`completions`, `man`).
//!
//! Exit codes: `run` becomes the command, so its exit code is the command's (126 and 127 as in a shell). `doctor`,
//! `explain`, `bench` and `compare` exit with 0 or 1. An error that stops h5bypass itself is 2, and Ctrl-C is 130.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod compare;
mod connector;
mod copy;
mod doctor;
mod environment;
mod exchange;
mod explain;
mod libraries;
mod manual;
mod merge;
mod plain;
mod plugin_dir;
mod probe;
mod process;
mod run;
mod shell;
mod stub;
mod variables;

use std::process::ExitCode;

use anyhow::Result;
use bench_suite::controller::{interrupted_by, watch_for_interrupts};
use clap::Parser as _;

use args::Worker;

/// The exit code when h5bypass cannot do what was asked. clap uses the same for a wrong option.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| Worker::is_name(&word)) {
        return ended(work(Worker::parse()));
    }
    ended(match args::Cli::parse().command {
        args::Command::Run(run) => run::run(&run),
        args::Command::Doctor(doctor) => interruptible(|| doctor::doctor(&doctor)),
        args::Command::Explain(explain) => interruptible(|| explain::explain(&explain)),
        args::Command::Copy(copy) => interruptible(|| copy::copy(&copy)),
        args::Command::Compare(compare) => interruptible(|| compare::compare(&compare)),
        args::Command::Stub(stub) => stub::stub(&stub),
        args::Command::Stats(args::StatsCommand::Merge(merge)) => merge::merge(&merge),
        args::Command::Bench(bench) => interruptible(|| bench::bench(&bench)),
        args::Command::Completions(completions) => manual::completions(&completions),
        args::Command::Man(man) => manual::man(&man),
        args::Command::Env(env) => Err(no_python(&env)),
    })
}

/// The error of `h5bypass env`, which the command of the Python package does before it becomes this program.
fn no_python(env: &args::EnvArgs) -> anyhow::Error {
    let rest: Vec<_> = env.rest.iter().map(|word| word.to_string_lossy()).collect();
    anyhow::anyhow!(
        "`env` is part of the Python package: use the h5bypass that pip has installed, or `python -m h5bypass env {}`",
        rest.join(" ")
    )
}

/// Runs a command that another h5bypass process has started.
fn work(worker: Worker) -> Result<ExitCode> {
    match worker {
        Worker::Probe(probe) => probe::probe(&probe),
        Worker::Explain(worker) => explain::worker::work(&worker),
        Worker::Exchange(worker) => exchange::worker::work(&worker),
        Worker::Bench(worker) => Ok(bench_suite::work(&worker.request)),
    }
}

/// Runs a command that handles an interrupt itself, so that it can remove its temporary files.
fn interruptible(command: impl FnOnce() -> Result<ExitCode>) -> Result<ExitCode> {
    watch_for_interrupts();
    let result = command();
    match interrupted_by() {
        Some(signal) => {
            if result.is_err() {
                plain::say("interrupted");
            }
            Ok(ExitCode::from(128 + signal))
        }
        None => result,
    }
}

fn ended(result: Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        if !is_broken_pipe(&error) {
            plain::say(&format!("{error:#}"));
        }
        ExitCode::from(EXIT_USAGE)
    })
}

/// Whether the reader of our output has gone away (`| head -1`). That is not an error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
