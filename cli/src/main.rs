//! `h5bypass`: starts a program with the bypass connector loaded into its libhdf5 (`run`), finds out which libhdf5
//! libraries of this machine the connector works with (`doctor`), which datasets of a file it reads (`explain`), and how
//! much faster than HDF5 by itself (`bench`).
//!
//! Exit codes: `run` becomes the command, so they are the command's (126 and 127 as a shell gives them);
//! `doctor`, `explain` and `bench` give 0 or 1; whatever stops h5bypass itself is 2; Ctrl-C is 130.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod connector;
mod doctor;
mod environment;
mod explain;
mod libraries;
mod plain;
mod plugin_dir;
mod probe;
mod process;
mod run;
mod shell;
mod variables;

use std::process::ExitCode;

use anyhow::Result;
use bench_suite::controller::{interrupted_by, watch_for_interrupts};
use clap::Parser as _;

use args::Worker;

/// What h5bypass itself exits with when it cannot do what was asked; clap uses the same for a wrong option.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| Worker::is_name(&word)) {
        return ended(work(Worker::parse()));
    }
    ended(match args::Cli::parse().command {
        args::Command::Run(run) => run::run(&run),
        args::Command::Doctor(doctor) => interruptible(|| doctor::doctor(&doctor)),
        args::Command::Explain(explain) => interruptible(|| explain::explain(&explain)),
        args::Command::Bench(bench) => interruptible(|| bench::bench(&bench)),
    })
}

/// A process that another h5bypass has started.
fn work(worker: Worker) -> Result<ExitCode> {
    match worker {
        Worker::Probe(probe) => probe::probe(&probe),
        Worker::Explain(worker) => explain::worker::work(&worker),
        Worker::Bench(worker) => Ok(bench_suite::work(&worker.request)),
    }
}

/// Lets a command end in its own way when it is interrupted, so that it removes what it has made.
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

/// Whether the reader of our output went away (`| head -1`): nothing to complain about.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
