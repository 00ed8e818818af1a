//! docs/PERFORMANCE.md.

mod agreement;
mod beside;
mod clients;
mod markup;
mod overlap;
mod tables;
mod zarr;

use crate::clients::ClientResults;
use crate::figures::{counted, extent, libraries, machine, ratio, ratios};
use crate::groups::{groups, usual_library};
use crate::overlap::OverlapResults;
use crate::peers::PeerResults;
use crate::zarr::ZarrResults;
use crate::{Outcome, Results, Row, Tally, causes, matrix};

use markup::{Text, code, escape};

/// What stands for a cause that nobody found yet.
const UNKNOWN: &str = "cause not known yet";

/// What is in the document beside the benchmark itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Others<'a> {
    /// Clients of HDF5.
    pub clients: Option<&'a ClientResults>,
    /// Other libraries.
    pub peers: Option<&'a PeerResults>,
    /// What goes on while a program computes.
    pub overlap: Option<&'a OverlapResults>,
    /// Other implementations of Zarr.
    pub zarr: Option<&'a ZarrResults>,
    /// A second run of the benchmark right after: how far the two agree is told.
    pub again: Option<&'a Results>,
}

/// The document.
pub fn markdown(results: &Results, others: Others<'_>) -> String {
    let Others { clients, peers, overlap, zarr, again } = others;
    let mut text = Text::default();
    text.line("# Performance");
    text.paragraph(
        "How many times as fast as native HDF5 the connector is, as measured by `h5bypass bench`. `cargo xtask figures` makes \
         this file from the results in bench/: do not edit it.",
    );
    about(results, &mut text);
    for group in groups(results) {
        text.paragraph(&format!("## {}", escape(group)));
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.group == group).collect();
        let (grids, others) = matrix::split(&rows);
        tables::rows(&others, usual_library(results), &mut text);
        for grid in &grids {
            tables::grid(grid, &mut text);
        }
    }
    if let Some(clients) = clients {
        clients::write(clients, &mut text);
    }
    if let Some(overlap) = overlap {
        overlap::write(overlap, &mut text);
    }
    if let Some(peers) = peers {
        beside::write(peers, &mut text);
    }
    if let Some(zarr) = zarr {
        zarr::write(zarr, &mut text);
    }
    losses(results, &mut text);
    not_measured(results, &mut text);
    if let Some(again) = again {
        agreement::write(results, again, &mut text);
    }
    text.finish()
}

/// Rows that are slower than native HDF5 or less than what is required, and for which no cause is known.
pub fn unexplained(results: &Results) -> Vec<&Row> {
    results.rows.iter().filter(|row| row.is_loss() && causes::of(row).is_none()).collect()
}

fn about(results: &Results, text: &mut Text) {
    let about = &results.about;
    let Tally { ok, missed, slower, skipped, failed, .. } = Tally::of(results);
    text.paragraph(&format!(
        "{ok} of {} met, {missed} missed; {} slower than native HDF5 ([why](#where-we-lose-and-why)), {skipped} skipped, \
         {failed} failed.",
        counted(ok + missed, "target is", "targets are"),
        counted(slower, "row is", "rows are"),
    ));
    text.paragraph("## How it was measured");
    let cache =
        if about.is_cold { "files dropped from the system's cache before each pass" } else { "warm cache" };
    let rounds = counted(about.rounds as usize, "round", "rounds");
    text.list(&[
        format!("**Machine:** {}", escape(&machine(about))),
        format!("**Date:** {}; load of the machine at the start {:.2}", escape(&about.date), about.load),
        format!("**Versions:** h5bypass {}; {}", escape(&about.version), escape(&libraries(about))),
        format!("**Command:** {}", code(&about.command)),
        format!("**Data:** {}, {cache}; {rounds}", extent(about)),
    ]);
    text.paragraph(
        "Native HDF5, the connector, and a limit without HDF5 (plain parallel reads and writes, with the same codec) take \
         turns in one process, in a new random order in each round, so that other load on the machine affects them \
         alike. Each round gives one ratio. The figure is the median; *middle half* is the range between the quartiles. \
         *cpu* is the same ratio for the processor time of all threads: below 1, the connector is faster but does more \
         work. Before a row is measured, all data read or written is compared with native HDF5's byte by byte.",
    );
}

fn losses(results: &Results, text: &mut Text) {
    text.paragraph("## Where we lose, and why");
    let losses: Vec<&Row> = results.rows.iter().filter(|row| row.is_loss()).collect();
    if losses.is_empty() {
        return text.paragraph("Nowhere in this run.");
    }
    text.paragraph("Every row that is slower than native HDF5 or misses its target.");
    let items = losses.into_iter().map(|row| {
        let mut figures = Vec::new();
        if let Some(measured) = row.measured().filter(|_| row.is_slower()) {
            let noise = if measured.ratio.high >= 1.0 { ", not clearly slower" } else { "" };
            figures.push(format!("{} ({}){noise}", ratio(measured.ratio.median), ratios(&measured.ratio)));
        }
        figures.extend(row.misses().iter().map(|miss| format!("missed: {}", escape(miss))));
        let cause = causes::of(row).map_or_else(|| format!("**{UNKNOWN}**"), str::to_owned);
        let (group, what, name) = (escape(&row.group), escape(&row.what), code(&row.name));
        format!("{group}, {what} ({name}): {}. {cause}.", figures.join("; "))
    });
    text.list(&items.collect::<Vec<_>>());
}

/// A list with a line above it, if there is anything in it.
fn list(above: &str, items: &[String], text: &mut Text) {
    if items.is_empty() {
        return;
    }
    text.paragraph(above);
    text.list(items);
}

fn not_measured(results: &Results, text: &mut Text) {
    let mut items = Vec::new();
    for row in &results.rows {
        let (what, why) = match &row.outcome {
            Outcome::Measured(_) => continue,
            Outcome::Skipped(why) => ("skipped", why),
            Outcome::Failed(why) => ("**failed**", why),
        };
        items.push(format!("{} ({}): {what}: {}", escape(&row.what), code(&row.name), escape(why)));
    }
    if items.is_empty() {
        return;
    }
    text.paragraph("## Not measured");
    text.list(&items);
}
