//! The datasets as text.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;

use super::Report;
use super::dataset::Dataset;
use super::size::Bytes;
use super::wording::printable;

/// Width of the column with the verdict.
pub(super) const MARGIN: usize = 12;
/// The maximum width of a column. A wider entry does not widen it.
const WIDEST: usize = 44;
/// The number of columns with properties.
pub(super) const COLUMNS: usize = 5;

/// Writes the listing. The stream decides whether to keep the colours.
pub(super) fn write(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let seen = format!("HDF5 {}, {}", report.library.version, report.library.path);
    writeln!(out, "{} {}", printable(&report.file).bold(), format_args!("({})", printable(&seen)).dimmed())?;
    writeln!(out)?;
    let rows: Vec<_> = report.datasets.iter().map(properties).collect();
    let widths = widths(&rows);
    for (dataset, row) in report.datasets.iter().zip(&rows) {
        block(out, dataset, &aligned(row, &widths))?;
    }
    if !report.datasets.is_empty() {
        writeln!(out)?;
    }
    // If the file could not be read to its end, it may have datasets that were not found.
    if report.complete || !report.datasets.is_empty() {
        writeln!(out, "{}", report.summary.sentence())?;
    }
    // It is the same for all datasets, so it is said once.
    if let Some(except) = report.datasets.iter().find_map(|dataset| dataset.explanation.except.as_deref()) {
        writeln!(out, "{}", printable(except).dimmed())?;
    }
    out.flush()
}

fn block(out: &mut impl Write, dataset: &Dataset, properties: &str) -> io::Result<()> {
    let explanation = &dataset.explanation;
    let path = printable(&dataset.path);
    match explanation.bypassed {
        Some(true) => writeln!(out, "{} {path}", format_args!("{:<MARGIN$}", "bypassed").green().bold())?,
        Some(false) if explanation.is_small() => {
            writeln!(out, "{} {path}", format_args!("{:<MARGIN$}", "small").green())?;
        }
        Some(false) => writeln!(out, "{} {path}", format_args!("{:<MARGIN$}", "passed on").yellow())?,
        None => writeln!(out, "{} {path}", format_args!("{:<MARGIN$}", "unknown").red())?,
    }
    writeln!(out, "{:MARGIN$} {properties}", "")?;
    if let Some(reason) = &explanation.reason {
        writeln!(out, "{:MARGIN$} {}", "", printable(reason))?;
    }
    if let Some(advice) = &explanation.advice {
        writeln!(out, "{:MARGIN$} -> {}", "", printable(advice))?;
    }
    Ok(())
}

fn properties(dataset: &Dataset) -> [String; COLUMNS] {
    let filters: Vec<_> = dataset.filters.iter().map(ToString::to_string).collect();
    let size = Bytes(dataset.bytes).to_string();
    [
        dataset.datatype.clone(),
        dataset.extent.to_string(),
        size,
        dataset.layout.to_string(),
        filters.join(", "),
    ]
    .map(|text| printable(&text))
}

pub(super) fn widths(rows: &[[String; COLUMNS]]) -> [usize; COLUMNS] {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = (*width).max(text.chars().count().min(WIDEST));
        }
    }
    widths
}

/// One line, without trailing blanks.
pub(super) fn aligned(row: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> String {
    let cells: Vec<_> = row.iter().zip(widths).map(|(text, width)| format!("{text:<width$}")).collect();
    cells.join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Extent, Filter, chunk_grid};
    use super::super::explanation::Explanation;
    use super::super::summary::Summary;
    use super::super::{Library, Report};
    use super::*;

    fn dataset(path: &str, shape: &[u64], explanation: &str) -> Dataset {
        let extent = Extent::new(shape.to_vec(), vec![None; shape.len()]);
        let layout = chunk_grid(&extent, vec![512; shape.len()], 4);
        Dataset {
            path: path.into(),
            bytes: extent.elements() * 4,
            extent,
            datatype: "f4".into(),
            element_bytes: 4,
            layout,
            filters: vec![Filter::new(2, "", &[]), Filter::new(1, "", &[4])],
            explanation: Explanation::parse(explanation),
        }
    }

    #[test]
    fn columns_line_up() {
        let datasets = vec![
            dataset("/a", &[1024, 1024], "bypassed\nexcept the smallest"),
            dataset("/b\x1b", &[5], "passed on: code\nfor a reason\nchange it"),
            dataset("/c", &[1], "passed on: compact\nsmall: it is in the header"),
        ];
        let report = Report {
            h5bypass: "1",
            file: "f.h5".into(),
            library: Library { path: "/lib".into(), version: "2.0.0".into() },
            plugin: None,
            explains: true,
            complete: true,
            summary: Summary::of(&datasets),
            datasets,
            problems: Vec::new(),
        };
        let mut out = Vec::new();
        write(&mut anstream::StripStream::new(&mut out), &report).unwrap();
        let expected = "\
f.h5 (HDF5 2.0.0, /lib)

bypassed     /a
             f4  1024/* x 1024/*  4 MiB  chunked 512x512, 4 chunks of 1 MiB  shuffle, deflate(4)
passed on    /b\\u{1b}
             f4  5/*              20 B   chunked 512, 1 chunk of 2 KiB       shuffle, deflate(4)
             for a reason
             -> change it
small        /c
             f4  1/*              4 B    chunked 512, 1 chunk of 2 KiB       shuffle, deflate(4)
             small: it is in the header

1 of 3 datasets (99 % of the bytes) is bypassed; 1 is small, and native HDF5 is as fast
except the smallest
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
