//! Our own Python tests, `python/tests`.

use std::fs;

use anyhow::{Context, Result};

use super::tell_where_things_are;
use crate::layout::Layout;
use crate::report::Tally;
use crate::suites::{Outcome, Outcomes};
use crate::{setup, shell};

/// Runs pytest on `python/tests`; the tests start their own processes with the connector loaded.
pub(crate) fn run(layout: &Layout) -> Result<Tally> {
    build_filter_program(layout)?;
    let place = layout.scratch("python");
    let (cwd, tmp, written) = (place.join("cwd"), place.join("tmp"), place.join("outcomes"));
    shell::empty_folder(&place)?;
    shell::empty_folder(&cwd)?;
    shell::empty_folder(&tmp)?;

    let mut pytest = shell::command(layout.python());
    tell_where_things_are(layout, &mut pytest)?;
    pytest
        .current_dir(&cwd)
        .env("TMPDIR", &tmp)
        .env("PYTHONPATH", layout.python_sources().join("suites"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("H5BYPASS_OUTCOMES", &written);
    match setup::browser(layout) {
        Ok(browser) => pytest.env("H5BYPASS_BROWSER", browser),
        Err(reason) => {
            println!("  tests of the benchmark's page are skipped: {reason:#}");
            pytest.env("H5BYPASS_NO_BROWSER", format!("{reason:#}"))
        }
    };
    pytest.args(["-m", "pytest", "-q", "-o", "faulthandler_timeout=300"]);
    pytest.args(["-p", "no:cacheprovider", "-p", "outcomes"]);
    pytest.arg("--rootdir").arg(&layout.root).arg(layout.python_sources().join("tests"));
    let finished = shell::run_logged(layout, "test-python", &mut pytest)?;

    let written = fs::read_to_string(&written)
        .context("pytest did not start; see target/xtask/logs/test-python.log")?;
    let outcomes = Outcomes::parse(&written)?;
    println!("  {outcomes}");
    for (test, outcome) in outcomes.bad() {
        println!("  {outcome} {test}");
    }
    let mut tally = Tally { passed: outcomes.count(Outcome::Passed), failed: outcomes.bad().count() };
    if finished.status.success() {
        fs::remove_dir_all(&place).context("cannot clean up after pytest")?;
    } else {
        shell::show_end_of(&finished.log);
        tally.failed = tally.failed.max(1);
    }
    Ok(tally)
}

/// The program through which the tests reach our codecs, `target/release/examples/filter`.
fn build_filter_program(layout: &Layout) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &layout.target);
    cargo.args(["build", "--release", "--package", "codecs", "--example", "filter"]);
    shell::run_step(layout, "build-filter", "building the program that runs our codecs", &mut cargo)
}
