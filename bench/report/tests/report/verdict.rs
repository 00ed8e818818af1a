//! What counts as reached.

use bench_report::{Peak, Proof, Sizes, Tally};

use crate::sample::{Make, row, sample};

#[test]
fn rows_are_counted() {
    let tally = Tally::of(&sample());
    assert_eq!(tally, Tally { measured: 93, ok: 49, missed: 5, slower: 8, skipped: 1, failed: 3 });
}

#[test]
fn what_is_asked_is_reached_by_the_median() {
    let row = |ratio| row("name", "Group", "what", 1.0, ratio).asking(2.0);
    assert!(row(2.0).misses().is_empty());
    assert_eq!(row(1.98).misses(), ["ratio 1.98, target 2.00"]);
}

#[test]
fn every_requirement_can_be_missed() {
    let mut row =
        row("name", "Group", "what", 1.0, 3.0).asking(2.0).with_limit(0.79, Some(0.8)).with(|measured| {
            measured.peak = Some(Peak { native: 0, bypass: (64 << 20) + 1 });
            measured.sizes = Some(Sizes { native: 1000, bypass: 1060 });
            measured.proof = Proof::PassedOn("unknown filter 12345".to_owned());
        });
    row.asked.peak = Some(64 << 20);
    row.asked.larger_percent = Some(5.0);
    assert_eq!(
        row.misses(),
        [
            "79 % of the limit, target 80 %",
            "64.0 MiB of memory, target at most 64 MiB",
            "files 6.0 % larger, target at most 5.0 %",
            "not bypassed: unknown filter 12345",
        ]
    );
    row.change(|measured| {
        measured.peak = Some(Peak { native: 0, bypass: 64 << 20 });
        measured.sizes = Some(Sizes { native: 1000, bypass: 1050 });
        measured.proof = Proof::Decided("as fast".to_owned());
    });
    assert_eq!(row.misses(), ["79 % of the limit, target 80 %"]);
}

#[test]
fn where_nothing_is_asked_nothing_is_missed() {
    let row = row("name", "Group", "what", 1.0, 0.5)
        .with(|measured| measured.proof = Proof::PassedOn("a compound with strings".to_owned()));
    assert!(row.misses().is_empty() && row.is_slower());
}
