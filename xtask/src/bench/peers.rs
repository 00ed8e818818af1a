//! Others that read HDF5 or the like, beside us: `bench/peers`, in a Python environment of its own.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use bench_report::peers::PeerResults;

use super::guard;
use crate::args::Peers;
use crate::layout::Layout;
use crate::setup::Environment;
use crate::shell;

/// Measures, shows it, and keeps it in the repository if that is asked for.
pub(super) fn run(layout: &Layout, options: &Peers) -> Result<()> {
    let json = super::results(layout)?.join("peers.json");
    if !options.save {
        return measure(layout, options, &json);
    }
    guard::save_peers(layout, || {
        measure(layout, options, &json)?;
        let text = fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
        PeerResults::read(&text).with_context(|| format!("{} is not what it should be", json.display()))
    })
}

fn measure(layout: &Layout, options: &Peers, json: &Path) -> Result<()> {
    let sources = layout.root.join("bench/peers");
    let environment = Environment {
        folder: layout.own().join("peers-venv"),
        requirements: sources.join("requirements.txt"),
        what: "installing hidefix, zarr, pyfive, b2h5py and others from PyPI",
    };
    environment.make(layout)?;
    let mut python = shell::command(environment.python());
    python.arg(sources.join("run.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    if options.list {
        return shell::run_shown("the list", python.arg("--list"));
    }
    python.arg("--folder").arg(super::results(layout)?.join("peers"));
    python.arg("--plugins").arg(layout.plugins()).arg("--json").arg(json);
    let (size, rounds) = if options.quick { (4, 1) } else { (options.size, options.rounds) };
    python.arg("--size").arg(size.to_string()).arg("--rounds").arg(rounds.to_string());
    for name in &options.only {
        python.arg("--only").arg(name);
    }
    shell::run_shown("the benchmark", &mut python)
}
