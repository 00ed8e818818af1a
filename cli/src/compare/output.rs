//! What differs, in words and as JSON.

use std::io;

use h5_exchange::compare::{Difference, Kind, Report};
use serde_json::json;

use crate::exchange::sides::Named;
use crate::explain::size::Bytes;
use crate::explain::wording::printable;

/// The whole report as JSON.
pub(super) fn json(a: &Named, b: &Named, report: &Report) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&json!({
        "a": a.shown(),
        "b": b.shown(),
        "equal": report.is_equal(),
        "differences": report.differences,
        "statistics": report.statistics,
    }))
}

/// The whole report in words.
pub(super) fn write(out: &mut dyn io::Write, a: &Named, b: &Named, report: &Report) -> io::Result<()> {
    for difference in &report.differences {
        write_one(out, difference)?;
    }
    if !report.is_equal() {
        writeln!(out)?;
    }
    let statistics = report.statistics;
    let objects = plural(statistics.objects, "object");
    let attributes = plural(statistics.attributes, "attribute");
    let amount = format!("{objects}, {attributes}, {}", Bytes(statistics.bytes));
    match report.differences.len() {
        0 if statistics.objects == 0 => writeln!(out, "equal: both are the same object of the same file"),
        0 => writeln!(out, "equal: {amount}"),
        count => {
            let count = plural(count as u64, "difference");
            writeln!(out, "{count} in {amount}; A is {}, B is {}", a.shown(), b.shown())
        }
    }
}

fn write_one(out: &mut dyn io::Write, difference: &Difference) -> io::Result<()> {
    let attribute = difference.attribute.as_ref().map(|name| format!(" attribute '{}'", printable(name)));
    let place = format!("{}{}", printable(&difference.path), attribute.unwrap_or_default());
    let [a, b] = [&difference.a, &difference.b].map(|side| printable(side.as_deref().unwrap_or_default()));
    match difference.kind {
        Kind::OnlyInA => writeln!(out, "{place}: only in A: {a}"),
        Kind::OnlyInB => writeln!(out, "{place}: only in B: {b}"),
        Kind::NotComparable => writeln!(out, "{place}: cannot be compared: {a}"),
        Kind::Value => {
            let count = difference.count.unwrap_or(0);
            writeln!(
                out,
                "{place}: {}",
                if count == 1 { "1 value differs".into() } else { format!("{count} values differ") }
            )?;
            for element in &difference.elements {
                let index: Vec<_> = element.index.iter().map(ToString::to_string).collect();
                writeln!(
                    out,
                    "  [{}]  A: {}  B: {}",
                    index.join(", "),
                    printable(&element.a),
                    printable(&element.b)
                )?;
            }
            if count > difference.elements.len() as u64 && !difference.elements.is_empty() {
                writeln!(out, "  ...")?;
            }
            Ok(())
        }
        kind => writeln!(out, "{place}: {}\n  A: {a}\n  B: {b}", words(kind)),
    }
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::ObjectKind => "different kinds of objects",
        Kind::LinkKind => "different kinds of links",
        Kind::LinkTarget => "the links lead to different places",
        Kind::HardLink => "the names are of different objects",
        Kind::Type => "different datatypes",
        Kind::CommittedType => "different committed datatypes",
        Kind::Shape => "different shapes",
        Kind::MaximumShape => "different maximum shapes",
        Kind::Property => "stored differently",
        Kind::Order => "different order of creation",
        Kind::OnlyInA | Kind::OnlyInB | Kind::Value | Kind::NotComparable => "different",
    }
}

pub(crate) fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
