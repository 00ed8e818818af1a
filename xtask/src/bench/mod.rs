//! `cargo xtask bench`: measurements with the stock libraries and the optimised build.

mod clients;
mod documents;
mod guard;
mod overlap;
mod peers;
mod suite;
mod zarr;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::args::{Bench, Figures, Measurement};
use crate::layout::Layout;

/// Does one measurement; `Ok(false)` when something fell behind the baseline.
pub(crate) fn run(layout: &Layout, bench: &Bench) -> Result<bool> {
    match &bench.measurement {
        Some(Measurement::Clients(options)) => clients::run(layout, options),
        Some(Measurement::Peers(options)) => peers::run(layout, options).map(|()| true),
        Some(Measurement::Overlap(options)) => overlap::run(layout, options).map(|()| true),
        Some(Measurement::Zarr(options)) => zarr::run(layout, options).map(|()| true),
        Some(Measurement::Again) => guard::save_again(layout).map(|()| true),
        None if bench.suite.check => guard::check(layout, &bench.suite),
        None if bench.suite.save => guard::save(layout, &bench.suite).map(|()| true),
        None => suite::run(layout, &bench.suite, "results").map(|_| true),
    }
}

/// Makes the documents from what was measured, or only compares; `Ok(false)` when one is out of date.
pub(crate) fn figures(layout: &Layout, options: &Figures) -> Result<bool> {
    if options.check { documents::check(layout) } else { documents::write(layout).map(|()| true) }
}

/// The folder for results.
fn results(layout: &Layout) -> Result<PathBuf> {
    let results = layout.target.join("bench");
    fs::create_dir_all(&results).context("cannot make the folder for results")?;
    Ok(results)
}
