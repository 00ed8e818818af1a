//! How much I/O goes on while a program computes: `bench/asynchronous.py`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use bench_report::overlap::OverlapResults;

use super::guard;
use crate::args::Overlap;
use crate::layout::Layout;
use crate::{setup, shell};

/// The libraries whose asynchronous calls are measured: the first one is shown to users.
const LIBRARIES: [&str; 2] = ["tables", "h5py"];

/// Measures, shows it, and keeps it in the repository if that is asked for.
pub(super) fn run(layout: &Layout, options: &Overlap) -> Result<()> {
    let json = super::results(layout)?.join("asynchronous.json");
    if !options.save {
        return measure(layout, options, &json);
    }
    guard::save_overlap(layout, || {
        measure(layout, options, &json)?;
        let text = fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
        OverlapResults::read(&text).with_context(|| format!("{} is not what it should be", json.display()))
    })
}

fn measure(layout: &Layout, options: &Overlap, json: &Path) -> Result<()> {
    let hosts = setup::stock_libraries(layout)?;
    let mut python = shell::command(layout.python());
    python.arg(layout.root.join("bench/asynchronous.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    python.arg("--plugins").arg(layout.plugins()).arg("--json").arg(json);
    python.arg("--rounds").arg(options.rounds.to_string());
    for wanted in LIBRARIES {
        let path = hosts.iter().find(|(name, _)| name == wanted).map(|(_, path)| path);
        let path = path.with_context(|| format!("there is no libhdf5 of {wanted}"))?;
        python.arg("--host").arg(format!("{wanted}={}", path.display()));
    }
    shell::run_shown("the benchmark", &mut python)
}
