//! What clients of HDF5 do, natively and through connectors: `bench/clients`.

use std::fs;

use anyhow::{Context, Result};
use bench_report::clients::{Check, ClientResults};
use bench_report::page;

use super::guard;
use crate::args::Clients;
use crate::layout::Layout;
use crate::{setup, shell};

/// The rows that read real data begin with this.
const REAL: &str = "real";

/// Measures and shows it, keeps it in the repository, or compares it; `Ok(false)` when something fell.
pub(super) fn run(layout: &Layout, options: &Clients) -> Result<bool> {
    if options.list {
        let mut python = command(layout);
        return shell::run_shown("the list", python.arg("--list")).map(|()| true);
    }
    if options.check {
        return check(layout, options);
    }
    if options.save {
        return guard::save_clients(layout, || measure(layout, options, "clients")).map(|()| true);
    }
    measure(layout, options, "clients").map(|_| true)
}

/// Compares with the baseline, if there is one, and with what is asked. What seems to have fallen is measured once more:
/// other work on the machine comes and goes.
fn check(layout: &Layout, options: &Clients) -> Result<bool> {
    let mut before = guard::read_clients(layout)?;
    if let Some(before) = &mut before {
        guard::warn_of_other_processor(&before.about);
        guard::keep_chosen(&mut before.rows, |row| &row.row.name, &options.only);
    }
    let now = measure(layout, options, "clients-check")?;
    let mut found = Check::of(before.as_ref(), &now);
    let only = found.suspects();
    if !only.is_empty() {
        println!("\n{found}\nonce more, what fell:\n");
        let again = measure(layout, &Clients { only, ..options.clone() }, "clients-check-again")?;
        found.keep_confirmed(&Check::of(before.as_ref(), &again));
    }
    println!("\n{found}");
    Ok(found.holds())
}

/// The results, which are also in `target/bench/NAME.json` and, as a page, `NAME.html`. If the run fails or is interrupted,
/// the JSON has what was measured until then.
fn measure(layout: &Layout, options: &Clients, name: &str) -> Result<ClientResults> {
    let folder = super::results(layout)?;
    let (json, html) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.html")));
    let mut python = command(layout);
    if options.only.is_empty() || options.only.iter().any(|only| only.starts_with(REAL)) {
        match setup::real_data(layout) {
            Ok(folder) => drop(python.env("H5BYPASS_REAL_DATA", folder)),
            Err(reason) => println!("rows with real data are skipped: {reason:#}"),
        }
    }
    python.arg("--folder").arg(folder.join("clients"));
    python.arg("--plugins").arg(layout.plugins()).arg("--json").arg(&json);
    if options.quick {
        python.args(["--quick", "--rounds", "1"]);
    } else {
        python.arg("--rounds").arg(options.rounds.to_string());
    }
    for only in &options.only {
        python.arg("--only").arg(only);
    }
    shell::run_shown("the benchmark", &mut python)?;
    let text = fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
    let results =
        ClientResults::read(&text).with_context(|| format!("{} is not what it should be", json.display()))?;
    fs::write(&html, page::html(&results.results()))
        .with_context(|| format!("cannot write {}", html.display()))?;
    Ok(results)
}

fn command(layout: &Layout) -> std::process::Command {
    let mut python = shell::command(layout.python());
    python.arg(layout.root.join("bench/clients/run.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}
