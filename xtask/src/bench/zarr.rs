//! HDF5 programs on Zarr beside other implementations of Zarr: `bench/zarr`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use bench_report::zarr::ZarrResults;

use super::guard;
use crate::args::Zarr;
use crate::layout::Layout;
use crate::{setup, shell};

/// Measures, shows it, and keeps it in the repository if that is asked for.
pub(super) fn run(layout: &Layout, options: &Zarr) -> Result<()> {
    // Its Python has the others, too.
    setup::stock_libraries(layout)?;
    let json = super::results(layout)?.join("zarr.json");
    if !options.save {
        return measure(layout, options, &json);
    }
    guard::save_zarr(layout, || {
        measure(layout, options, &json)?;
        let text = fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
        ZarrResults::read(&text).with_context(|| format!("{} is not what it should be", json.display()))
    })
}

fn measure(layout: &Layout, options: &Zarr, json: &Path) -> Result<()> {
    let mut python = shell::command(layout.python());
    python.arg(layout.root.join("bench/zarr/run.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    python.arg("--plugins").arg(layout.plugins()).arg("--json").arg(json);
    python.arg("--folder").arg(super::results(layout)?.join("zarr"));
    python.arg("--rounds").arg(options.rounds.to_string());
    if options.small {
        python.arg("--small");
    }
    for name in &options.only {
        python.arg("--only").arg(name);
    }
    shell::run_shown("the benchmark", &mut python)
}
