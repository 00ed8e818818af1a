//! The figures of README.md and docs/asynchronous.md. They stand between two lines each, and are made anew from the results.

use crate::figures::{duration, ratio};
use crate::{Unreadable, readme};

use super::{Calls, Loop, OverlapResults, Point};

/// The line above a part that is made from the results.
pub const BEGIN: &str = "<!-- overlap: made by `cargo xtask figures` from bench/asynchronous.json -->";
/// The same for what ordinary programs do.
pub const BEGIN_LOOPS: &str = "<!-- loops: made by `cargo xtask figures` from bench/asynchronous.json -->";
/// The line below.
pub const END: &str = "<!-- end of overlap -->";

/// Points are shown by how long the program computes, as a part of what one thread takes for the I/O.
const LONG: f64 = 1.0;
const SHORT: f64 = 0.5;

/// Asynchronous calls that README.md shows, in words that need no knowledge of the benchmark.
const IN_README: [(&str, &str); 2] = [
    ("read", "C program: read a gzip dataset with `H5Dread_async`, compute meanwhile"),
    ("write", "C program: write a gzip dataset with `H5Dwrite_async`, compute meanwhile"),
];

/// Loops that README.md shows.
const LOOPS_IN_README: [(&str, &str); 2] = [
    ("read", "h5py script: read a gzip dataset chunk by chunk, compute after each"),
    ("write", "h5py script: write a gzip dataset chunk by chunk, compute after each"),
];

/// README.md with its table.
///
/// # Errors
/// If a line is missing between which the table stands, or one of its rows was not measured.
pub fn in_readme(readme: &str, results: &OverlapResults) -> Result<String, Unreadable> {
    let mut table = String::from(
        "| | native HDF5 | h5bypass, no overlap | h5bypass | at best |\n|---|---:|---:|---:|---:|\n",
    );
    for (name, what) in IN_README {
        let calls =
            of_first_library(results).find(|calls| calls.name == name).ok_or_else(|| lacking(name))?;
        let (point, native) = calls.point(LONG).zip(calls.native).ok_or_else(|| lacking(name))?;
        let times = [
            native + point.compute,
            calls.plain + point.compute,
            point.together.median,
            calls.at_best(point),
        ];
        table += &line(what, &times.map(duration));
    }
    for (name, what) in LOOPS_IN_README {
        let found = results.loops.iter().find(|one| one.name == name).ok_or_else(|| lacking(name))?;
        let Loop { native, without, together, .. } = found;
        let times = [native.median, without.median, together.median, found.at_best()];
        table += &line(what, &times.map(duration));
    }
    readme::between(readme, BEGIN, END, &table)
}

/// docs/asynchronous.md with its tables.
///
/// # Errors
/// If a line is missing between which one of them stands.
pub fn in_guide(guide: &str, results: &OverlapResults) -> Result<String, Unreadable> {
    let guide = readme::between(guide, BEGIN, END, &calls_in_guide(results))?;
    readme::between(&guide, BEGIN_LOOPS, END, &loops_in_guide(results))
}

fn calls_in_guide(results: &OverlapResults) -> String {
    let mut text = String::from("| | W | C | together | at best | native HDF5, then computing |\n");
    text += "|---|---:|---:|---:|---:|---:|\n";
    for calls in of_first_library(results) {
        for point in [SHORT, LONG].iter().filter_map(|ratio| calls.point(*ratio)) {
            let times =
                [calls.work, point.compute, point.together.median, calls.at_best(point)].map(duration);
            let native = calls.native.map_or_else(String::new, |native| duration(native + point.compute));
            text += &line(&calls.what, &[&times[..], &[native]].concat());
        }
    }
    let Some(library) = results.libraries.first() else { return text };
    let submitting: Vec<_> = results
        .submitting
        .iter()
        .filter(|one| one.library == library.name)
        .map(|one| format!("{} for {} KiB", duration(one.median), one.kib))
        .collect();
    text += &format!(
        "\nMeasured with the HDF5 of {} ({}). A call returns after {}, half of the time.\n",
        library.name,
        library.version,
        submitting.join(" and ")
    );
    text
}

fn loops_in_guide(results: &OverlapResults) -> String {
    let mut text = String::from(
        "| a loop | I/O alone | C | without overlap | with it | at best | times as fast | at best |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for one in &results.loops {
        let times =
            [one.plain, one.compute, one.without.median, one.together.median, one.at_best()].map(duration);
        let gains = [one.gain(), one.largest_gain()].map(ratio);
        text += &line(&one.what, &[&times[..], &gains[..]].concat());
    }
    text
}

fn line(what: &str, figures: &[String]) -> String {
    format!("| {what} | {} |\n", figures.join(" | "))
}

fn lacking(name: &str) -> Unreadable {
    Unreadable(format!("the README shows '{name}', which was not measured"))
}

/// The documents for users show one library; docs/PERFORMANCE.md shows all.
fn of_first_library(results: &OverlapResults) -> impl Iterator<Item = &Calls> {
    let name = results.libraries.first().map(|library| &library.name);
    results.calls.iter().filter(move |calls| Some(&calls.library) == name)
}

impl Calls {
    /// The point at which the program computes for this part of the time that one thread takes for the I/O.
    fn point(&self, ratio: f64) -> Option<&Point> {
        self.points.iter().find(|point| (point.compute / self.work - ratio).abs() < 0.01)
    }
}
