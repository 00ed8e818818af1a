//! The clients' own test suites, run through a connector and compared with a native run.
//!
//! A run gives three things: how each test ended ([`outcome`]), the proof that the connector was really
//! loaded ([`proof`]), and whatever went wrong with the run as a whole ([`run`]).

mod compare;
mod outcome;
mod proof;
mod run;

pub(crate) use compare::{Comparison, Difference, compare};
pub(crate) use outcome::{Outcome, Outcomes};
pub(crate) use run::{Pytest, Run, run_pytest, run_tables};
