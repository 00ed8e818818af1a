//! `cargo xtask`: one entry to everything a contributor or CI does with this project.
//!
//! It needs Rust, compilers for C and C++, and Python 3 with venv and pip, no root, and writes only below `target/`.
//! It downloads the HDF5 libraries, headers and clients that it needs from PyPI and crates.io; see [`setup`]. Newcomers start
//! with `cargo xtask demo`, then `cargo xtask test`.

mod args;
mod bench;
mod connector;
mod demo;
mod fuzz;
mod layout;
mod plugins;
mod report;
mod setup;
mod shell;
mod statistics;
mod steps;
mod suites;
mod wheel;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;

use crate::args::{Args, Task};
use crate::layout::Layout;

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task. `Ok(false)` if it completed, but a test failed.
fn run(args: Args) -> Result<bool> {
    let layout = Layout::of_this_workspace()?;
    match args.task {
        Task::Setup => setup::run(&layout)?,
        Task::Build => plugins::build(&layout)?,
        Task::Demo => {
            let begin = Instant::now();
            setup::run(&layout)?;
            plugins::build(&layout)?;
            demo::run(&layout, begin)?;
        }
        Task::Wheel(options) => wheel::run(&layout, &options)?,
        Task::Test(test) => return Ok(steps::run(&layout, &test)),
        Task::Fuzz(options) => return fuzz::run(&layout, &options),
        Task::Figures(options) => return bench::figures(&layout, &options),
        Task::Bench(measurement) => {
            setup::run(&layout)?;
            plugins::build(&layout)?;
            return bench::run(&layout, &measurement);
        }
    }
    Ok(true)
}
