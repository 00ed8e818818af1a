//! `cargo xtask bench`: measurements, each done by a script under `python/bench`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::args::{Bench, Filters, Overhead, Reads, Threads, Writes};
use crate::layout::Layout;
use crate::shell;

/// Does one measurement.
pub(crate) fn run(layout: &Layout, measurement: &Bench) -> Result<()> {
    match measurement {
        Bench::Overhead(options) => overhead(layout, options),
        Bench::Reads(options) => reads(layout, options),
        Bench::Filters(options) => filters(layout, options),
        Bench::Writes(options) => writes(layout, options),
        Bench::Threads(options) => threads(layout, options),
    }
}

/// The cost of passing through, by `python/bench/overhead.py`.
fn overhead(layout: &Layout, options: &Overhead) -> Result<()> {
    let folder = layout.scratch("bench-overhead");
    shell::empty_folder(&folder)?;
    let mut python = script(layout, "overhead.py");
    python.arg("--rounds").arg(options.rounds.to_string());
    python.arg("--folder").arg(&folder).arg("--output").arg(results(layout)?.join("overhead.json"));
    python.env("H5STATS_OUT", folder.join("h5stats.json"));
    start(&mut python)
}

/// Reads against native ones, by `python/bench/reads.py`.
fn reads(layout: &Layout, options: &Reads) -> Result<()> {
    let mut python = script(layout, "reads.py");
    if options.list {
        return start(python.arg("--list"));
    }
    python.arg("--limit").arg(build_limit(layout)?);
    python.arg("--rounds").arg(options.rounds.to_string()).arg("--size").arg(options.size.to_string());
    for name in &options.only {
        python.arg("--only").arg(name);
    }
    python.arg("--host").arg(&options.host).arg("--hosts").arg(layout.hosts_file());
    let results = results(layout)?;
    python.arg("--data").arg(results.join("data")).arg("--output").arg(results.join("reads.json"));
    start(&mut python)
}

/// Filtered and converted reads, by `python/bench/filters.py`.
fn filters(layout: &Layout, options: &Filters) -> Result<()> {
    let mut python = script(layout, "filters.py");
    if options.list {
        return start(python.arg("--list"));
    }
    let folder = layout.scratch("bench-filters");
    shell::empty_folder(&folder)?;
    python.arg("--limit").arg(build_limit(layout)?);
    python.arg("--rounds").arg(options.rounds.to_string()).arg("--size").arg(options.size.to_string());
    if options.quick {
        python.arg("--quick");
    }
    python.arg("--cache").arg(options.cache.to_string());
    for name in &options.only {
        python.arg("--only").arg(name);
    }
    python.arg("--host").arg(&options.host).arg("--hosts").arg(layout.hosts_file());
    let results = results(layout)?;
    python.arg("--data").arg(results.join("data")).arg("--folder").arg(folder);
    let output = if options.quick { "filters-quick.json" } else { "filters.json" };
    python.arg("--output").arg(results.join(output));
    start(&mut python)
}

/// Writes against native ones, by `python/bench/writes.py`.
fn writes(layout: &Layout, options: &Writes) -> Result<()> {
    let mut python = script(layout, "writes.py");
    if options.list {
        return start(python.arg("--list"));
    }
    python.arg("--limit").arg(build_limit(layout)?);
    python.arg("--rounds").arg(options.rounds.to_string()).arg("--size").arg(options.size.to_string());
    if options.quick {
        python.arg("--quick");
    }
    for name in &options.only {
        python.arg("--only").arg(name);
    }
    python.arg("--host").arg(&options.host).arg("--hosts").arg(layout.hosts_file());
    let results = results(layout)?;
    let output = if options.quick { "writes-quick.json" } else { "writes.json" };
    python.arg("--data").arg(results.join("data")).arg("--output").arg(results.join(output));
    start(&mut python)
}

/// Reads by several threads, by `python/bench/threads.py`.
fn threads(layout: &Layout, options: &Threads) -> Result<()> {
    let folder = layout.scratch("bench-threads");
    shell::empty_folder(&folder)?;
    let results = results(layout)?;
    let mut python = script(layout, "threads.py");
    python.arg("--rounds").arg(options.rounds.to_string());
    python.arg("--page-offset").arg(options.page_offset.to_string());
    python.arg("--hosts").arg(layout.hosts_file()).arg("--folder").arg(folder);
    python.arg("--data").arg(results.join("data")).arg("--output").arg(results.join("threads.json"));
    start(&mut python)
}

/// The folder for results.
fn results(layout: &Layout) -> Result<PathBuf> {
    let results = layout.target.join("bench");
    fs::create_dir_all(&results).context("cannot make the folder for results")?;
    Ok(results)
}

/// One of our scripts. Only the plugins' folder is set: which connector a file is opened through, the script says
/// file by file.
fn script(layout: &Layout, name: &str) -> Command {
    let mut python = shell::command(layout.python());
    python.arg(layout.python_sources().join("bench").join(name));
    python.env("HDF5_PLUGIN_PATH", layout.plugins()).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

fn start(python: &mut Command) -> Result<()> {
    let status = python.status().context("cannot start Python")?;
    ensure!(status.success(), "the benchmark failed ({status})");
    Ok(())
}

/// Builds liblimit, in a target folder of its own: HDF5 tries every library in the plugins' folder.
fn build_limit(layout: &Layout) -> Result<PathBuf> {
    let target = layout.target.join("bench/cargo");
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &target);
    cargo.args(["build", "--release", "--package", "limit", "--lib"]);
    shell::run_step(layout, "build-limit", "building the yardstick", &mut cargo)?;
    Ok(target.join("release/liblimit.so"))
}
