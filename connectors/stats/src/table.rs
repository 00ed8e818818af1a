//! The counts as a table for people.

use std::fmt::Write;

use crate::json::{DatasetRecord, Document};

/// How many datasets are shown; the rest are summed up in a line.
const MOST_DATASETS: usize = 40;

/// Writes the whole table.
pub(crate) fn render(document: &Document) -> String {
    let mut text = String::new();
    let calls: u64 = document.callbacks.iter().map(|callback| callback.calls).sum();
    let opens: u64 = document.files.iter().map(|file| file.opens).sum();
    // Writing to a String cannot fail.
    let (calls, opens) = (counted(calls, "call"), counted(opens, "time"));
    let files = counted(document.files.len() as u64, "file");
    let _ = writeln!(text, "h5stats: {calls}, {files} opened {opens}");
    callbacks(&mut text, document);
    datasets(&mut text, document);
    text
}

/// A number of things.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn callbacks(text: &mut String, document: &Document) {
    let _ = writeln!(
        text,
        "\n  {:<18} {:>10} {:>8} {:>10} {:>10} {:>10}",
        "callback", "calls", "failed", "total", "mean", "longest"
    );
    let mut rows: Vec<_> = document.callbacks.iter().collect();
    rows.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then(a.callback.cmp(b.callback)));
    for row in rows {
        let _ = writeln!(
            text,
            "  {:<18} {:>10} {:>8} {:>10} {:>10} {:>10}",
            row.callback,
            row.calls,
            row.failures,
            time(row.total_ns),
            time(row.total_ns / row.calls.max(1)),
            time(row.longest_ns)
        );
    }
}

fn datasets(text: &mut String, document: &Document) {
    let mut rows: Vec<(&str, &DatasetRecord)> = document
        .files
        .iter()
        .flat_map(|file| file.datasets.iter().map(|dataset| (file.file.as_str(), dataset)))
        .filter(|(_, dataset)| dataset.reads + dataset.writes > 0)
        .collect();
    if rows.is_empty() {
        return;
    }
    rows.sort_by_key(|(_, dataset)| std::cmp::Reverse(dataset.bytes()));
    let _ = writeln!(
        text,
        "\n  {:>8} {:>10} {:>10} {:>8} {:>10} {:>10}  dataset",
        "reads", "read", "rate", "writes", "written", "rate"
    );
    for (file, dataset) in rows.iter().take(MOST_DATASETS) {
        let _ = writeln!(
            text,
            "  {:>8} {:>10} {:>10} {:>8} {:>10} {:>10}  {file}:{}",
            dataset.reads,
            size(dataset.bytes_read),
            rate(dataset.bytes_read, dataset.read_ns),
            dataset.writes,
            size(dataset.bytes_written),
            rate(dataset.bytes_written, dataset.write_ns),
            dataset.dataset
        );
    }
    if let Some(rest) = rows.get(MOST_DATASETS..).filter(|rest| !rest.is_empty()) {
        let bytes = rest.iter().map(|(_, dataset)| dataset.bytes()).sum();
        let _ = writeln!(
            text,
            "  ... and {} more datasets with {} in all: H5STATS_OUT=FILE writes every one as JSON",
            rest.len(),
            size(bytes)
        );
    }
}

/// A number with one digit after the point, in the largest unit that keeps it at or above one.
fn scaled(value: u64, step: u64, units: &[&str]) -> String {
    let (mut whole, mut unit, mut divisor) = (value, 0, 1_u64);
    while whole >= step && unit + 1 < units.len() {
        divisor = divisor.saturating_mul(step);
        whole = value / divisor;
        unit += 1;
    }
    if unit == 0 {
        format!("{value} {}", units[0])
    } else {
        format!("{whole}.{} {}", value % divisor * 10 / divisor, units[unit])
    }
}

pub(crate) fn size(bytes: u64) -> String {
    scaled(bytes, 1024, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

pub(crate) fn time(ns: u64) -> String {
    scaled(ns, 1000, &["ns", "us", "ms", "s"])
}

pub(crate) fn rate(bytes: u64, ns: u64) -> String {
    if bytes == 0 || ns == 0 {
        return "-".to_owned();
    }
    let per_second = u128::from(bytes) * 1_000_000_000 / u128::from(ns);
    format!("{}/s", size(u64::try_from(per_second).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(u64::MAX), "15.9 EiB");
        assert_eq!(time(999), "999 ns");
        assert_eq!(time(1_500), "1.5 us");
        assert_eq!(time(90_000_000_000), "90.0 s");
        assert_eq!(rate(0, 5), "-");
        assert_eq!(rate(1024, 1_000_000_000), "1.0 KiB/s");
    }
}
