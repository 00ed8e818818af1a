//! The suites of clients that insist on regular files, with every new file a Zarr directory behind a stub.
//!
//! Tests that cannot pass are listed with their reasons. No others may fail, and these must.

use anyhow::{Context, Result, ensure};

use super::clients::{TABLES, XARRAY, report_trouble};
use super::side_by_side::side_by_side;
use crate::connector::Connector;
use crate::layout::Layout;
use crate::report::Tally;
use crate::setup;
use crate::suites::{
    Comparison, Expected, Folder, Outcome, Outcomes, Run, compare, run_folder, run_part_of_tables,
    run_pytest, run_tables,
};

const TABLES_OVER_STUBS: &str = include_str!("../suites/tables_over_stubs.txt");
const NETCDF4_OVER_STUBS: &str = include_str!("../suites/netcdf4_over_stubs.txt");
const XARRAY_OVER_STUBS: &str = include_str!("../suites/xarray_over_stubs.txt");

/// netCDF4's own tests. One of them writes 4 GiB in a format that is none of HDF5's.
const NETCDF4: Folder = Folder { name: "netcdf4", select: "not test_cdf5", clients: &["netCDF4"] };

/// Of so many parts of PyTables' suite one is run for each core, unless all is asked for.
const PARTS_OF_TABLES: usize = 24;

/// netCDF4's suite and a part of PyTables'; if `long` is set, all of PyTables' and xarray's.
pub(crate) fn run(layout: &Layout, long: bool) -> Result<Tally> {
    let mut tally = netcdf4(layout)?;
    tally += tables(layout, long)?;
    if long {
        let both = |way: &Connector| run_pytest(layout, &XARRAY, way);
        tally += natively_and_over_stubs(layout, XARRAY_OVER_STUBS, both)?;
    }
    Ok(tally)
}

fn netcdf4(layout: &Layout) -> Result<Tally> {
    let tests = setup::netcdf4_tests(layout)?;
    natively_and_over_stubs(layout, NETCDF4_OVER_STUBS, |way| run_folder(layout, &NETCDF4, &tests, way))
}

/// PyTables' suite. Natively every test passes or is skipped, as is recorded for this version.
fn tables(layout: &Layout, long: bool) -> Result<Tally> {
    let is_on_record = setup::site_packages(layout)?.join(TABLES.distribution).exists();
    ensure!(is_on_record, "another version of PyTables is installed than {}", TABLES.distribution);
    let connector = Connector::zarr_stubs(layout);
    let through = if long {
        run_tables(layout, &connector)?
    } else {
        run_part_of_tables(layout, &connector, PARTS_OF_TABLES)?
    };
    let mut tally = judge(TABLES_OVER_STUBS, &as_recorded(&through.outcomes), &through)?;
    let count = |wanted| through.outcomes.count(wanted);
    if long && (through.outcomes.len() != TABLES.run || count(Outcome::Skipped) != TABLES.skipped) {
        println!("  DIFFERS natively {} tests are run, {} of them skipped", TABLES.run, TABLES.skipped);
        tally.failed += 1;
    }
    Ok(tally)
}

/// What a native run of these tests gives, if nothing fails in it.
fn as_recorded(through: &Outcomes) -> Outcomes {
    let mut native = through.clone();
    native.replace(|outcome| if outcome == Outcome::Skipped { outcome } else { Outcome::Passed });
    native
}

fn natively_and_over_stubs(
    layout: &Layout,
    list: &str,
    run: impl Fn(&Connector) -> Result<Run> + Sync,
) -> Result<Tally> {
    let ways = [Connector::native(), Connector::zarr_stubs(layout)];
    let mut runs = side_by_side(&ways, ways.len(), run).into_iter();
    let (native, through) = runs.next().zip(runs.next()).context("a suite was not run both ways")?;
    let (native, through) = (native?, through?);
    let troubles = Tally { passed: 0, failed: report_trouble(&native) };
    Ok(judge(list, &native.outcomes, &through)? + troubles)
}

/// Prints and counts what is not as the list says.
fn judge(list: &str, native: &Outcomes, through: &Run) -> Result<Tally> {
    let expected = Expected::parse(list)?.among(native);
    let Comparison { both_pass, differences, .. } = compare(native, &through.outcomes);
    let surprises = expected.surprises(&differences);
    for surprise in &surprises {
        println!("  {surprise}");
    }
    println!("  {both_pass} pass, {} cannot over stubs, as listed", expected.len());
    Ok(Tally { passed: both_pass, failed: surprises.len() + report_trouble(through) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(text: &str) -> Outcomes {
        Outcomes::parse(&text.replace(' ', "\t").replace(';', "\n")).expect("parses")
    }

    fn failed(list: &str, through: &str) -> usize {
        let outcomes = outcomes(through);
        let native = as_recorded(&outcomes);
        let through = Run { outcomes, trouble: Vec::new(), transfers: None };
        judge(list, &native, &through).expect("a list").failed
    }

    #[test]
    fn failures_must_be_listed_and_listed_tests_must_fail() {
        assert_eq!(failed("# why\nb", "passed a;failed b;skipped c"), 0);
        assert_eq!(failed("# why\nb", "passed a;error b;failed c"), 1);
        assert_eq!(failed("# why\nb", "passed a;passed b"), 1);
        assert_eq!(failed("# why\nb", "passed a;started c"), 1);
        // Tests of a part that was not run, or that this machine cannot run.
        assert_eq!(failed("# why\nb", "passed a"), 0);
        assert_eq!(failed("# why\nb", "passed a;skipped b"), 0);
    }

    #[test]
    fn the_lists_have_reasons() {
        for list in [TABLES_OVER_STUBS, NETCDF4_OVER_STUBS, XARRAY_OVER_STUBS] {
            assert!(Expected::parse(list).expect("a list").len() > 2);
        }
    }
}
