//! The counts as an HTML page that needs nothing else, with the look of the benchmark's page.

use std::fmt::Write;

use page_look::escape;

use crate::json::{DatasetRecord, Document};
use crate::sizes::SizeClass;
use crate::table::{counted, rate, size, time};
use crate::timeline::Spans;

/// How many datasets are shown; the rest are summed up in a line.
const MOST_DATASETS: usize = 60;
/// The height of pictures with columns, in pixels.
const HEIGHT: f64 = 160.0;
/// Colours of reads, writes and other calls.
const COLOURS: [&str; 3] = ["--k1", "--k2", "--native"];

/// The page.
pub(crate) fn render(document: &Document) -> String {
    let calls: u64 = document.callbacks.iter().map(|callback| callback.calls).sum();
    let datasets = || document.files.iter().flat_map(|file| &file.datasets);
    let read: u64 = datasets().map(|dataset| dataset.bytes_read).sum();
    let written: u64 = datasets().map(|dataset| dataset.bytes_written).sum();
    let files = counted(document.files.len() as u64, "file");
    let mut body = format!(
        "<p class=\"brand\">h5stats, process {}</p>\n<h1>{} read, {} written</h1>\n<p class=\"lead\">{} of {}.</p>\n",
        document.pid,
        size(read),
        size(written),
        counted(calls, "call"),
        files,
    );
    body += &over_time(&document.timeline);
    body += &sizes(document);
    body += &of_datasets(document);
    body += &callbacks(document);
    body += &about(document);
    page_look::page(&format!("h5stats, process {}", document.pid), &body, "")
}

fn legend() -> String {
    let names = ["reads of datasets", "writes of datasets", "other calls"];
    let mut items = String::new();
    for (name, colour) in names.iter().zip(COLOURS) {
        // Writing to a String cannot fail.
        let _ =
            write!(items, "<li><span class=\"swatch\" style=\"background:var({colour})\"></span>{name}</li>");
    }
    format!("<ul class=\"legend\">{items}</ul>\n")
}

/// A share of a whole, which is not zero.
fn share(part: u64, whole: u64) -> f64 {
    // Places on a page are not exact.
    #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
    let (part, whole) = (part as f64, whole.max(1) as f64);
    part / whole
}

/// Columns of a picture, each with parts of these colours on one another. Titles say what a column is.
fn columns(label: &str, all: &[(String, Vec<(u64, &str)>)]) -> String {
    let most = all.iter().map(|(_, parts)| parts.iter().map(|part| part.0).sum::<u64>()).max().unwrap_or(0);
    let each = 100.0 / f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX).max(1));
    let mut inside = String::new();
    for (place, (title, parts)) in all.iter().enumerate() {
        let x = each * f64::from(u32::try_from(place).unwrap_or(0));
        let mut top = HEIGHT;
        // Writing to a String cannot fail.
        let _ = write!(inside, "<g><title>{}</title>", escape(title));
        for (count, colour) in parts.iter().filter(|part| part.0 > 0) {
            // What is there is seen.
            let height = (share(*count, most) * HEIGHT).max(1.0);
            top -= height;
            let _ = write!(
                inside,
                "<rect x=\"{x:.3}%\" width=\"{:.3}%\" y=\"{:.1}\" height=\"{height:.1}\" style=\"fill:var({colour})\"/>",
                each * 0.86,
                top.max(0.0),
            );
        }
        inside += "</g>";
    }
    format!(
        "<svg role=\"img\" aria-label=\"{0}\" height=\"{HEIGHT}\"><title>{0}</title>{inside}</svg>\n",
        escape(label)
    )
}

/// What is at the left and the right end of a picture.
fn ends(left: &str, right: &str) -> String {
    format!(
        "<svg height=\"18\" aria-hidden=\"true\"><text x=\"0\" y=\"14\">{left}</text>\
         <text x=\"100%\" y=\"14\" text-anchor=\"end\">{right}</text></svg>\n"
    )
}

fn over_time(line: &Spans) -> String {
    if line.spans.is_empty() {
        return String::new();
    }
    let all: Vec<_> = line
        .spans
        .iter()
        .enumerate()
        .map(|(place, span)| {
            let start = line.span_ns.saturating_mul(place as u64);
            let title = format!(
                "{} after the start: {}, {}, {}; {} read, {} written",
                time(start),
                counted(span.reads, "read"),
                counted(span.writes, "write"),
                counted(span.others, "other call"),
                size(span.bytes_read),
                size(span.bytes_written)
            );
            let parts = vec![(span.reads, COLOURS[0]), (span.writes, COLOURS[1]), (span.others, COLOURS[2])];
            (title, parts)
        })
        .collect();
    let most = line.spans.iter().map(crate::timeline::Span::calls).max().unwrap_or(0);
    let end = line.span_ns.saturating_mul(line.spans.len() as u64);
    format!(
        "<section id=\"time\">\n<h2>Calls over time</h2>\n<p>Calls that began in each {}; the highest column is {}.</p>\n{}\
         <div class=\"card\">{}{}</div>\n</section>\n",
        time(line.span_ns),
        counted(most, "call"),
        legend(),
        columns("calls over time", &all),
        ends("start", &time(end)),
    )
}

fn sizes(document: &Document) -> String {
    let one = |what: &str, classes: &[SizeClass], colour: &'static str| {
        let Some((first, last)) = classes.first().zip(classes.last()) else { return String::new() };
        let all: Vec<_> = classes
            .iter()
            .map(|class| {
                let most = class.bytes.saturating_mul(2).max(1);
                let title = format!(
                    "{} bytes to less than {}: {}",
                    size(class.bytes),
                    size(most),
                    counted(class.calls, "call")
                );
                (title, vec![(class.calls, colour)])
            })
            .collect();
        let most = classes.iter().map(|class| class.calls).max().unwrap_or(0);
        format!(
            "<figure><figcaption>{what}: up to {} of a size</figcaption>{}{}</figure>\n",
            counted(most, "call"),
            columns(&format!("{what} by size"), &all),
            ends(&size(first.bytes), &size(last.bytes.saturating_mul(2).max(1))),
        )
    };
    let figures =
        one("Reads", &document.sizes.reads, COLOURS[0]) + &one("Writes", &document.sizes.writes, COLOURS[1]);
    if figures.is_empty() {
        return figures;
    }
    format!(
        "<section id=\"sizes\">\n<h2>How large they are</h2>\n<p>Each column is twice as large as the one before it.</p>\n\
         <div class=\"figures-row\">{figures}</div>\n</section>\n"
    )
}

fn of_datasets(document: &Document) -> String {
    let mut rows: Vec<(&str, &DatasetRecord)> = document
        .files
        .iter()
        .flat_map(|file| file.datasets.iter().map(|dataset| (file.file.as_str(), dataset)))
        .filter(|(_, dataset)| dataset.reads + dataset.writes > 0)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.sort_by_key(|(_, dataset)| std::cmp::Reverse(dataset.bytes()));
    let most = rows[0].1.bytes();
    let mut bars = String::new();
    for (file, dataset) in rows.iter().take(MOST_DATASETS) {
        let (read, written) =
            (share(dataset.bytes_read, most) * 100.0, share(dataset.bytes_written, most) * 100.0);
        let title = format!(
            "{}: {} of {}, {}; {} of {}, {}; {} failed",
            dataset.dataset,
            counted(dataset.reads, "read"),
            size(dataset.bytes_read),
            rate(dataset.bytes_read, dataset.read_ns),
            counted(dataset.writes, "write"),
            size(dataset.bytes_written),
            rate(dataset.bytes_written, dataset.write_ns),
            dataset.failed_reads + dataset.failed_writes,
        );
        let _ = writeln!(
            bars,
            "<div class=\"bar\"><span class=\"what\">{}<small>{}</small></span>\
             <svg height=\"26\" role=\"img\" aria-label=\"{2}\"><title>{2}</title>\
             <rect x=\"0\" width=\"{3:.2}%\" y=\"7\" height=\"12\" style=\"fill:var({4})\"/>\
             <rect x=\"{3:.2}%\" width=\"{5:.2}%\" y=\"7\" height=\"12\" style=\"fill:var({6})\"/></svg>\
             <span class=\"figures\">{7}</span></div>",
            escape(&dataset.dataset),
            escape(file),
            escape(&title),
            read.max(0.6),
            COLOURS[0],
            written,
            COLOURS[1],
            figures(dataset),
        );
    }
    let rest = rows.get(MOST_DATASETS..).unwrap_or_default();
    if !rest.is_empty() {
        let bytes = rest.iter().map(|(_, dataset)| dataset.bytes()).sum();
        let _ = writeln!(bars, "<p>And {} more datasets with {} in all.</p>", rest.len(), size(bytes));
    }
    format!(
        "<section id=\"datasets\">\n<h2>Datasets</h2>\n{}<div class=\"card\">{bars}</div>\n</section>\n",
        legend()
    )
}

/// How much, and how fast.
fn figures(dataset: &DatasetRecord) -> String {
    let one = |bytes, ns, calls: u64| (calls > 0).then(|| format!("{} at {}", size(bytes), rate(bytes, ns)));
    let parts = [
        one(dataset.bytes_read, dataset.read_ns, dataset.reads),
        one(dataset.bytes_written, dataset.write_ns, dataset.writes),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("<br>")
}

fn callbacks(document: &Document) -> String {
    let mut rows: Vec<_> = document.callbacks.iter().collect();
    rows.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then(a.callback.cmp(b.callback)));
    let mut lines = String::new();
    for row in rows {
        let _ = writeln!(
            lines,
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            row.callback,
            row.calls,
            row.failures,
            time(row.total_ns),
            time(row.total_ns / row.calls.max(1)),
            time(row.longest_ns)
        );
    }
    format!(
        "<section id=\"callbacks\">\n<h2>Callbacks</h2>\n<div class=\"card scroll\"><table><thead><tr><th>callback</th>\
         <th>calls</th><th>failed</th><th>total</th><th>mean</th><th>longest</th></tr></thead>\n<tbody>{lines}</tbody></table></div>\n</section>\n"
    )
}

fn about(document: &Document) -> String {
    let mut items = String::new();
    for host in &document.hosts {
        let kind = if host.thread_safe { "thread-safe" } else { "not thread-safe" };
        let _ = write!(
            items,
            "<dt>HDF5 {}, {kind}</dt><dd>{}</dd>",
            escape(&host.version),
            escape(&host.library)
        );
    }
    for file in &document.files {
        let _ =
            write!(items, "<dt>opened {}</dt><dd>{}</dd>", counted(file.opens, "time"), escape(&file.file));
    }
    format!("<section id=\"about\">\n<h2>Files and libraries</h2>\n<dl>{items}</dl>\n</section>\n")
}
