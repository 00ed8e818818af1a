//! The figures of README.md: a table with one figure per row, and a picture of the same rows.
//!
//! Both are made from the baseline, so that the README cannot claim what was not measured.

mod chart;

pub use chart::{Colours, chart};

use crate::figures::ratio;
use crate::{Results, Row, Unreadable};

/// The lines of the README between which the table stands.
pub const BEGIN: &str = "<!-- figures: made by `cargo xtask figures` from bench/baseline.json -->";
/// The line after the table.
pub const END: &str = "<!-- end of figures -->";

/// The rows shown, in words that need no knowledge of the benchmark. docs/PERFORMANCE.md has all rows.
const SHOWN: [(&str, &str); 24] = [
    ("gzip", "Read a gzip dataset"),
    ("lzf", "Read an lzf dataset"),
    ("zstd", "Read a zstd dataset"),
    ("gzip-threads", "Read gzip in 4 application threads"),
    ("rows", "Read gzip row by row"),
    ("rows-across", "Read rows across 512 × 512 gzip chunks"),
    ("field-gzip", "Read one field of a gzip table"),
    ("be-f8-to-f4", "Read big-endian float64 as float32"),
    ("i2-to-f4", "Read int16 as float32"),
    ("contiguous", "Read a contiguous dataset"),
    ("chunks-1MiB", "Read uncompressed 1 MiB chunks"),
    ("slabs", "Read 100 rows of 1 MiB chunks at a time"),
    ("tiles", "Read 1000 × 1000 tiles"),
    ("column", "Read one column"),
    ("64-bytes", "Read 64 bytes at a time"),
    ("write-gzip-f8", "Write a gzip dataset"),
    ("write-zstd", "Write a zstd dataset"),
    ("write-append", "Append to a gzip dataset, 8 rows at a time"),
    ("write-converted", "Write float64 as big-endian float32"),
    ("write-chunks-1MiB", "Write uncompressed 1 MiB chunks"),
    ("write-contiguous", "Write a contiguous dataset"),
    ("open-read-close", "Open a file, read 64 bytes, close it"),
    ("write-files", "Create a file of 4 KiB"),
    ("write-64-bytes", "Write 64 bytes at a time"),
];

/// A row of the README.
struct Shown {
    what: &'static str,
    /// Native HDF5's time divided by ours.
    ratio: f64,
}

impl Shown {
    /// The figure: two digits are what a second run confirms.
    fn figure(&self) -> String {
        match self.ratio {
            r if r >= 9.95 => format!("{r:.0}"),
            r if r >= 0.995 => format!("{r:.1}"),
            r => ratio(r),
        }
    }

    /// By the figure, not by what rounding hides.
    fn is_slower(&self) -> bool {
        self.ratio < 0.995
    }
}

/// The rows, the fastest first.
fn shown(results: &Results) -> Result<Vec<Shown>, Unreadable> {
    let mut shown = Vec::new();
    for (name, what) in SHOWN {
        let measured = results.rows.iter().find(|row| row.name == name).and_then(Row::measured);
        let Some(measured) = measured else {
            return Err(Unreadable(format!("the README shows '{name}', which was not measured")));
        };
        shown.push(Shown { what, ratio: measured.ratio.median });
    }
    shown.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    Ok(shown)
}

/// The table, one figure per row.
///
/// # Errors
/// If one of the rows was not measured.
pub fn table(results: &Results) -> Result<String, Unreadable> {
    let mut table = String::from("| | times as fast as native HDF5 |\n|---|---:|\n");
    for row in shown(results)? {
        let (what, figure) = (row.what, row.figure());
        table += &if row.is_slower() {
            format!("| {what} | *{figure}* |\n")
        } else {
            format!("| {what} | {figure} |\n")
        };
    }
    Ok(table)
}

/// The README with the table between [`BEGIN`] and [`END`].
///
/// # Errors
/// If one of these lines is missing, or one of the rows was not measured.
pub fn with_table(readme: &str, results: &Results) -> Result<String, Unreadable> {
    between(readme, BEGIN, END, &table(results)?)
}

/// A document with this text between two of its lines.
pub(crate) fn between(document: &str, begin: &str, end: &str, text: &str) -> Result<String, Unreadable> {
    let missing = |line: &str| Unreadable(format!("there is no line '{line}'"));
    let (before, rest) = document.split_once(begin).ok_or_else(|| missing(begin))?;
    let (_, after) = rest.split_once(end).ok_or_else(|| missing(end))?;
    Ok(format!("{before}{begin}\n\n{text}\n{end}{after}"))
}

/// The names above.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SHOWN.iter().map(|(name, _)| *name)
}
