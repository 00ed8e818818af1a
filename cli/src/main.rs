//! `h5bypass`: starts a program with the bypass connector loaded into its libhdf5 (`run`), finds out which libhdf5
//! libraries of this machine the connector works with (`doctor`), which datasets of a file it reads (`explain`), and how
//! much faster than HDF5 by itself (`bench`).
//!
//! Exit codes: `run` becomes the command, so they are the command's (126 and 127 as a shell gives them);
//! `doctor`, `explain` and `bench` give 0 or 1; whatever stops h5bypass itself is 2.

#![deny(unsafe_code)]

mod args;
mod bench;
mod connector;
mod doctor;
mod environment;
mod explain;
mod plugin_dir;
mod probe;
mod run;
mod shell;

use std::process::ExitCode;

use clap::Parser as _;

/// What h5bypass itself exits with when it cannot do what was asked; clap uses the same for a wrong option.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let result = match cli.command {
        args::Command::Run(run) => run::run(&run),
        args::Command::Doctor(doctor) => doctor::doctor(&doctor),
        args::Command::Explain(explain) => explain::explain(&explain),
        args::Command::Bench(bench) => bench::bench(&bench),
        args::Command::Probe(probe) => probe::probe(&probe),
        args::Command::ExplainWorker(worker) => explain::worker::work(&worker),
        args::Command::BenchWorker(worker) => Ok(bench_suite::work(&worker.request)),
    };
    result.unwrap_or_else(|error| {
        if !is_broken_pipe(&error) {
            anstream::eprintln!("h5bypass: {error:#}");
        }
        ExitCode::from(EXIT_USAGE)
    })
}

/// Whether the reader of our output went away (`| head -1`): nothing to complain about.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
