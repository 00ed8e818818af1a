//! The test suites of real clients. Every test must have the same outcome through the connector as natively.

use anyhow::{Context, Result};

use super::side_by_side::side_by_side;
use crate::connector::Connector;
use crate::layout::Layout;
use crate::report::Tally;
use crate::setup;
use crate::suites::{
    Comparison, Difference, Expected, H5NETCDF_OVER_ZARR, H5PY_OVER_MIRROR, H5PY_OVER_ZARR, Outcome,
    Outcomes, Pytest, Run, compare, run_pytest, run_tables,
};

const H5PY: Pytest = Pytest { name: "h5py", package: "h5py", select: "", clients: &["h5py"] };

/// The part of xarray's suite that writes and reads HDF5, which is done by netCDF4 and by h5py. What needs the
/// network is left out.
pub(super) const XARRAY: Pytest = Pytest {
    name: "xarray",
    package: "xarray.tests.test_backends",
    select: "(netcdf4 or h5netcdf or GenericNetCDF or DataArrayToNetCDF) and not Ros3",
    clients: &["h5py", "netCDF4"],
};

/// The part of it in which h5netcdf, which works on h5py, writes or reads.
const H5NETCDF: Pytest = Pytest {
    name: "h5netcdf",
    package: "xarray.tests.test_backends",
    select: "h5netcdf and not Ros3",
    clients: &["h5py"],
};

/// The result of PyTables' suite without the connector. It is recorded, so that the suite need not run twice every time.
pub(super) const TABLES: Recorded =
    Recorded { distribution: "tables-3.11.1.dist-info", run: 6851, skipped: 202 };

/// Counts of a native run of a suite in which nothing failed.
pub(super) struct Recorded {
    /// The folder by which an installed version is known.
    pub(super) distribution: &'static str,
    pub(super) run: usize,
    pub(super) skipped: usize,
}

impl Recorded {
    fn agrees_with(&self, outcomes: &Outcomes) -> bool {
        outcomes.len() == self.run
            && outcomes.count(Outcome::Skipped) == self.skipped
            && outcomes.count(Outcome::Passed) == self.run - self.skipped
    }
}

/// h5py's suite: native against bypass and against h5stats over bypass.
pub(crate) fn h5py(layout: &Layout) -> Result<Tally> {
    natively_and_through(layout, &H5PY, &[Connector::bypass(layout), Connector::stats_over_bypass(layout)])
}

/// h5py's suite, and if `long` is set also xarray's tests of h5netcdf, with every file a Zarr directory. Tests that cannot pass are
/// listed with their reasons; no others may fail, and these must.
pub(crate) fn over_zarr(layout: &Layout, long: bool) -> Result<Tally> {
    let mut tally = with_exceptions(layout, &H5PY, Connector::zarr(layout), H5PY_OVER_ZARR)?;
    if long {
        tally += with_exceptions(layout, &H5NETCDF, Connector::zarr(layout), H5NETCDF_OVER_ZARR)?;
    }
    Ok(tally)
}

/// h5py's suite with every file mirrored by native HDF5. Whenever a file is closed, its sides are compared. A difference fails the
/// step.
pub(crate) fn over_mirror(layout: &Layout) -> Result<Tally> {
    with_exceptions(layout, &H5PY, Connector::mirror(layout), H5PY_OVER_MIRROR)
}

/// Runs a suite natively and through a connector with which not every test can pass.
fn with_exceptions(layout: &Layout, suite: &Pytest, connector: Connector, expected: &str) -> Result<Tally> {
    let expected = Expected::parse(expected)?;
    let label = connector.label;
    let ways = [Connector::native(), connector];
    let mut runs = side_by_side(&ways, ways.len(), |way| run_pytest(layout, suite, way)).into_iter();
    let (native, through) = runs
        .next()
        .zip(runs.next())
        .context("a suite was not run both natively and through the connector")?;
    let (native, through) = (native?, through?);
    let mut failed = report_trouble(&native) + report_trouble(&through);
    let Comparison { both_pass, differences, .. } = compare(&native.outcomes, &through.outcomes);
    let surprises = expected.surprises(&differences);
    for surprise in &surprises {
        println!("  {surprise}");
    }
    failed += surprises.len();
    println!("  {both_pass} pass, {} cannot through {label}, as listed", expected.len());
    Ok(Tally { passed: both_pass, failed })
}

/// xarray's suite: native against bypass.
pub(crate) fn xarray(layout: &Layout) -> Result<Tally> {
    natively_and_through(layout, &XARRAY, &[Connector::bypass(layout)])
}

/// PyTables' suite through bypass. The expected result is recorded. The suite also runs natively if `long` is set, or if the
/// result differs from the record.
pub(crate) fn tables(layout: &Layout, long: bool) -> Result<Tally> {
    let through = run_tables(layout, &Connector::bypass(layout))?;
    if through.outcomes.len() == 0 {
        return Ok(Tally { passed: 0, failed: report_trouble(&through) });
    }
    let on_record = setup::site_packages(layout)?.join(TABLES.distribution).exists();
    if !long && on_record && TABLES.agrees_with(&through.outcomes) {
        println!("  as recorded for a native run: {} run, {} skipped", TABLES.run, TABLES.skipped);
        let failed = report_trouble(&through);
        return Ok(Tally { passed: through.outcomes.count(Outcome::Passed), failed });
    }
    if !long {
        println!("  not as recorded, so it runs natively, too");
    }
    let native = run_tables(layout, &Connector::native())?;
    Ok(judge("bypass", &native, &through) + Tally { passed: 0, failed: report_trouble(&native) })
}

/// Runs a suite natively and through each of the connectors, all at the same time: each is one process, with folders of
/// its own, that uses hardly more than one core.
fn natively_and_through(layout: &Layout, suite: &Pytest, connectors: &[Connector]) -> Result<Tally> {
    let native = Connector::native();
    let ways: Vec<_> = std::iter::once(&native).chain(connectors).collect();
    let runs = side_by_side(&ways, ways.len(), |connector| run_pytest(layout, suite, connector));
    let mut runs = runs.into_iter();
    let native = runs.next().context("there is no native run")??;
    let mut tally = Tally { passed: 0, failed: report_trouble(&native) };
    for (connector, run) in connectors.iter().zip(runs) {
        tally += judge(connector.label, &native, &run?);
    }
    Ok(tally)
}

/// Prints and counts what the run through a connector did differently from the native one.
fn judge(label: &str, native: &Run, through: &Run) -> Tally {
    let Comparison { both_pass, alike, differences } = compare(&native.outcomes, &through.outcomes);
    // A run that crashed early leaves out many tests. One line is enough for all of them.
    let undone = |difference: &&Difference| !through.trouble.is_empty() && difference.is_undone();
    for difference in differences.iter().filter(|difference| !undone(difference)) {
        println!("  DIFFERS through {label}: {difference}");
    }
    match differences.iter().filter(undone).count() {
        0 => (),
        count => println!("  DIFFERS through {label}: {count} tests were not run"),
    }
    if differences.is_empty() {
        println!(
            "  {label} is the same as native: {both_pass} pass, {alike} others agree (skipped, or failing natively, too)"
        );
    }
    Tally { passed: both_pass, failed: differences.len() + report_trouble(through) }
}

/// Prints and counts what makes a run untrustworthy.
pub(super) fn report_trouble(run: &Run) -> usize {
    for trouble in &run.trouble {
        println!("  TROUBLE {trouble}");
    }
    run.trouble.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_about_every_count() {
        let record = Recorded { distribution: "", run: 3, skipped: 1 };
        let agrees = |text: &str| record.agrees_with(&Outcomes::parse(text).expect("parses"));
        assert!(agrees("passed\ta\npassed\tb\nskipped\tc"));
        assert!(!agrees("passed\ta\nfailed\tb\nskipped\tc"));
        assert!(!agrees("passed\ta\npassed\tb\npassed\tc"));
        assert!(!agrees("passed\ta\npassed\tb\nskipped\tc\npassed\td"));
    }

    /// HDF5's own pass_through clears the error stack, from which h5py takes errno: five tests tell.
    #[test]
    #[ignore = "needs `cargo xtask setup` and takes half a minute"]
    fn an_imperfect_connector_is_found_out() {
        let layout = Layout::of_this_workspace().expect("a workspace");
        let native = run_pytest(&layout, &H5PY, &Connector::native()).expect("runs");
        let through = run_pytest(&layout, &H5PY, &Connector::pass_through()).expect("runs");
        assert!(through.trouble.is_empty(), "{:?}", through.trouble);
        let tally = judge("pass_through", &native, &through);
        assert_eq!(tally.failed, 5);
        assert!(tally.passed > 800);
    }

    /// A run without the plugin proves nothing, whatever the client makes of it (h5py crashes, others go on).
    #[test]
    #[ignore = "needs `cargo xtask setup`"]
    fn a_connector_that_is_not_there_is_found_out() {
        let real = Layout::of_this_workspace().expect("a workspace");
        let elsewhere = Layout { target: real.target.join("xtask/tmp/no-such-target"), ..real.clone() };
        let run = run_pytest(&real, &H5PY, &Connector::bypass(&elsewhere)).expect("starts");
        assert!(run.trouble.iter().any(|trouble| trouble.contains("not proven")), "{:?}", run.trouble);
    }

    #[test]
    #[ignore = "needs `cargo xtask setup` and takes five minutes"]
    fn pytables_passes_through_pass_through() {
        let layout = Layout::of_this_workspace().expect("a workspace");
        let run = run_tables(&layout, &Connector::pass_through()).expect("runs");
        assert!(run.trouble.is_empty(), "{:?}", run.trouble);
        assert!(TABLES.agrees_with(&run.outcomes), "{}", run.outcomes);
    }

    #[test]
    #[ignore = "needs `cargo xtask setup` and takes two minutes"]
    fn xarray_passes_through_pass_through() {
        let layout = Layout::of_this_workspace().expect("a workspace");
        let tally = natively_and_through(&layout, &XARRAY, &[Connector::pass_through()]).expect("runs");
        assert_eq!(tally.failed, 0);
        assert!(tally.passed > 800);
    }
}
