//! What the benchmark found: as data, as a table, as a page with plots, as PERFORMANCE.md, and against a baseline.
//!
//! Everything but what clients and other libraries do, and what overlaps, begins with [`Results`], which are kept as JSON:
//!
//! | | |
//! |---|---|
//! | [`Results::read`], [`Results::write`] | the JSON |
//! | [`table::text`] | for the terminal |
//! | [`page::html`] | one page with plots that needs nothing else |
//! | [`performance::markdown`], [`performance::unexplained`] | docs/PERFORMANCE.md, and what it lacks |
//! | [`readme::with_table`], [`readme::chart`] | the figures of README.md, and their picture |
//! | [`clients::ClientResults`], [`clients::Check`] | HDF5's clients, a part of docs/PERFORMANCE.md, and what fell there |
//! | [`peers::PeerResults`] | other libraries beside us, a part of docs/PERFORMANCE.md |
//! | [`overlap::OverlapResults`] | what goes on while a program computes, a part of the same and of docs/asynchronous.md |
//! | [`zarr::ZarrResults`] | the connector for Zarr beside other implementations, a part of docs/PERFORMANCE.md |
//! | [`baseline::compare`] | what fell against earlier results |
//! | [`chrome_trace::timeline`] | [`Results::timeline`] from a trace of the connector |
//! | [`Row::misses`], [`Tally::of`] | what is not as required |
//! | [`known_names`] | names that must not change unnoticed |
//!
//! Nothing here reads files, starts processes or asks for the time. Names of files and datasets are somebody else's:
//! wherever they are shown, what they could do there is taken from them.

#![allow(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "a page is made once: what a second buffer costs is nothing beside reading it"
)]

pub mod baseline;
mod causes;
pub mod chrome_trace;
pub mod clients;
mod figures;
mod groups;
mod has;
mod json;
mod matrix;
pub mod overlap;
pub mod page;
pub mod peers;
pub mod performance;
pub mod readme;
mod results;
pub mod table;
mod text;
mod verdict;
pub mod zarr;

pub use json::Unreadable;
pub use results::{
    About, Arrangement, Asked, Cell, FORMAT, Layout, Library, Measured, Mode, Operation, Outcome, Peak,
    Proof, RatioOf, Results, Row, Sizes, Span, Spread, Thread, Timeline, Times, Unit,
};
pub use verdict::Tally;

/// The rows that are known here by their names: those of the page's headline, those of the README, and those with a cause.
/// A test of the crate that defines the rows checks that they exist.
pub fn known_names() -> Vec<&'static str> {
    page::names().chain(readme::names()).chain(causes::names()).collect()
}
