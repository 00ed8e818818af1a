//! The clients' own test suites, run through a connector and compared with a native run.
//!
//! A run gives three things: how each test ended ([`outcome`]), the proof that the connector was really
//! loaded ([`proof`]), and whatever went wrong with the run as a whole ([`run`]).

mod compare;
mod containers;
mod expected;
mod outcome;
mod proof;
mod run;

pub(crate) use compare::{Comparison, Difference, compare};
pub(crate) use expected::{Expected, H5NETCDF_OVER_ZARR, H5PY_OVER_MIRROR, H5PY_OVER_ZARR};
pub(crate) use outcome::{Outcome, Outcomes};
pub(crate) use run::{Folder, Pytest, Run, run_folder, run_part_of_tables, run_pytest, run_tables};
