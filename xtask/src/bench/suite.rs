//! `h5bypass bench` with the stock libraries in `target/`.

use std::fs;

use anyhow::{Context, Result};
use bench_report::Results;

use crate::args::Suite;
use crate::layout::Layout;
use crate::{setup, shell};

/// Measures, and gives the results, which are also in `target/bench/NAME.json` and, as a page, `NAME.html`.
pub(super) fn run(layout: &Layout, options: &Suite, name: &str) -> Result<Results> {
    let folder = super::results(layout)?;
    let (json, html) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.html")));
    let mut bench = shell::command(layout.plugins().join("h5bypass"));
    bench.arg("bench");
    for (host, library) in setup::stock_libraries(layout)? {
        bench.arg("--host").arg(format!("{host}={}", library.display()));
    }
    bench.arg("--filters").arg(setup::filter_plugins(layout)?);
    for only in &options.only {
        bench.arg("--only").arg(only);
    }
    if options.quick {
        bench.arg("--quick");
    } else {
        bench.arg("--rounds").arg(options.rounds.to_string()).arg("--size").arg(options.size.to_string());
    }
    bench.arg("--folder").arg(folder.join("data")).arg("--keep");
    bench.arg("--json").arg(&json).arg("--html").arg(&html);
    shell::run_shown("the benchmark", &mut bench)?;
    let text = fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
    Results::read(&text).with_context(|| format!("{} is not what it should be", json.display()))
}
