//! What was copied, or would be, in words.

use std::io;

use h5_exchange::copy::{Step, Summary, Way};

use crate::compare::plural;
use crate::exchange::sides::Named;
use crate::explain::size::Bytes;
use crate::explain::wording::printable;

/// What was copied.
pub(super) fn summary(destination: &Named, summary: &Summary) -> String {
    let target = destination.shown();
    let bytes = Bytes(summary.bytes);
    if summary.as_bytes {
        return format!("{target}: {bytes}, the bytes of the file");
    }
    let lost = match summary.lost_references {
        0 => String::new(),
        count => format!(
            "\n{} lead{} out of what was copied, and nowhere now",
            plural(count, "reference"),
            if count == 1 { "s" } else { "" }
        ),
    };
    let objects = plural(summary.objects, "object");
    format!("{target}: {objects}, {}, {bytes}{lost}", plural(summary.attributes, "attribute"))
}

/// What would be done.
pub(super) fn plan(out: &mut dyn io::Write, steps: &[Step]) -> io::Result<()> {
    for step in steps {
        let how = match step.way {
            None => step.kind.clone(),
            Some(way) => {
                let shape = step.chunk.as_ref().map(|chunk| {
                    let lengths: Vec<_> = chunk.iter().map(ToString::to_string).collect();
                    format!(", chunks {}", lengths.join("x"))
                });
                let filters: Vec<_> = step.filters.iter().map(|number| named(*number)).collect();
                let filters =
                    if filters.is_empty() { String::new() } else { format!(", {}", filters.join("+")) };
                format!(
                    "{}, {}{}{filters}: {}",
                    step.kind,
                    Bytes(step.bytes),
                    shape.unwrap_or_default(),
                    words(way)
                )
            }
        };
        writeln!(out, "{}  {how}", printable(&step.path))?;
    }
    let bytes = steps.iter().fold(0_u64, |all, step| all.saturating_add(step.bytes));
    writeln!(out, "\n{}, {}; nothing was made", plural(steps.len() as u64, "object"), Bytes(bytes))
}

/// That the whole file would be copied.
pub(super) fn plan_of_bytes(out: &mut dyn io::Write, source: &Named) -> io::Result<()> {
    let bytes = source.file.metadata().map_or(0, |metadata| metadata.len());
    writeln!(out, "{}  file, {}: byte for byte\n\nnothing was made", source.shown(), Bytes(bytes))
}

fn words(way: Way) -> &'static str {
    match way {
        Way::Nothing => "no elements to copy",
        Way::Stored => "chunks as they are stored",
        Way::Elements => "elements",
        Way::Encoded => "decoded and encoded",
    }
}

fn named(filter: i32) -> String {
    let name = match filter {
        1 => "gzip",
        2 => "shuffle",
        3 => "fletcher32",
        4 => "szip",
        5 => "nbit",
        6 => "scaleoffset",
        307 => "bzip2",
        32000 => "lzf",
        32001 => "blosc",
        32004 => "lz4",
        32008 => "bitshuffle",
        32015 => "zstd",
        number => return format!("filter {number}"),
    };
    name.to_owned()
}
