//! `h5bypass explain` of a Zarr directory: the report, as text and as JSON.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use owo_colors::OwoColorize as _;
use serde::Serialize;
use serde_json::Value;

use super::listing::{COLUMNS, MARGIN, aligned, widths};
use super::size::Bytes;
use super::wording::{name, printable};
use super::worker::Problem;
use super::zarr_directory::{self, ZarrArray};
use super::{EXIT_FILE, print_failed};
use crate::args::ExplainArgs;
use crate::plain;

/// All results. `--json` prints this as JSON.
#[derive(Debug, Serialize)]
struct Report {
    /// Version of this program.
    h5bypass: &'static str,
    file: String,
    /// What the file is: `zarr`.
    format: &'static str,
    /// The directory. It is another name than `file` if that is a stub.
    directory: String,
    zarr_format: u8,
    /// Whether everything was listed without a problem.
    complete: bool,
    arrays: Vec<ZarrArray>,
    problems: Vec<Problem>,
    summary: Summary,
}

/// Counts over all arrays listed.
#[derive(Debug, Default, Serialize)]
struct Summary {
    arrays: usize,
    parallel: usize,
}

/// Lists the arrays of a directory.
pub(super) fn explain(args: &ExplainArgs, directory: &Path) -> Result<ExitCode> {
    let file = printable(&args.file.to_string_lossy());
    let names: Vec<String> = args.datasets.iter().map(|one| name(one.as_encoded_bytes())).collect();
    let contents = match zarr_directory::list(directory, &names) {
        Ok(contents) => contents,
        Err(cause) => {
            plain::say(&format!("{file}: cannot be opened: {}", printable(&cause)));
            return Ok(ExitCode::from(EXIT_FILE));
        }
    };
    let report = Report {
        h5bypass: env!("CARGO_PKG_VERSION"),
        file: args.file.to_string_lossy().into_owned(),
        format: "zarr",
        directory: directory.to_string_lossy().into_owned(),
        zarr_format: contents.format,
        complete: contents.problems.is_empty(),
        summary: Summary {
            arrays: contents.arrays.len(),
            parallel: contents.arrays.iter().filter(|array| array.parallel).count(),
        },
        arrays: contents.arrays,
        problems: contents.problems,
    };
    let printed = if args.json {
        let text = serde_json::to_string_pretty(&report)?;
        io::stdout().lock().write_all((text + "\n").as_bytes())
    } else {
        write(&mut anstream::stdout().lock(), &report)
    };
    if let Some(error) = print_failed(printed) {
        return Err(error).context(plain::NO_OUTPUT);
    }
    for problem in &report.problems {
        let path = problem.path.as_deref().map(|path| format!(": '{path}'")).unwrap_or_default();
        plain::say(&format!("{file}{}", printable(&format!("{path}: {}", problem.cause))));
    }
    Ok(ExitCode::from(if report.complete { 0 } else { EXIT_FILE }))
}

fn write(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let mut seen = format!("Zarr version {}", report.zarr_format);
    if report.directory != report.file {
        seen = format!("a stub of {}, {seen}", report.directory);
    }
    writeln!(out, "{} {}", printable(&report.file).bold(), format_args!("({})", printable(&seen)).dimmed())?;
    writeln!(out)?;
    let rows: Vec<_> = report.arrays.iter().map(properties).collect();
    let widths = widths(&rows);
    for (array, row) in report.arrays.iter().zip(&rows) {
        let path = printable(&array.path);
        if array.parallel {
            writeln!(out, "{} {path}", format_args!("{:<MARGIN$}", "all cores").green().bold())?;
        } else {
            writeln!(out, "{} {path}", format_args!("{:<MARGIN$}", "slower").yellow())?;
        }
        writeln!(out, "{:MARGIN$} {}", "", aligned(row, &widths))?;
        if let Some(reason) = &array.reason {
            writeln!(out, "{:MARGIN$} {}", "", printable(reason))?;
        }
    }
    if !report.arrays.is_empty() {
        writeln!(out)?;
    }
    if report.complete || !report.arrays.is_empty() {
        writeln!(out, "{}", report.summary.sentence())?;
    }
    out.flush()
}

impl Summary {
    fn sentence(&self) -> String {
        match (self.arrays, self.parallel) {
            (0, _) => "no arrays".into(),
            (1, 1) => "all cores read the array".into(),
            (arrays, parallel) if arrays == parallel => format!("all cores read each of {arrays} arrays"),
            (arrays, parallel) => format!("all cores read {parallel} of {arrays} arrays"),
        }
    }
}

fn properties(array: &ZarrArray) -> [String; COLUMNS] {
    let size = array.bytes.map_or_else(|| "?".to_owned(), |bytes| Bytes(bytes).to_string());
    let chunks = match &array.shard_shape {
        Some(shards) => format!("chunks {} in shards {}", by(&array.chunk_shape), by(shards)),
        None => format!("chunks {}", by(&array.chunk_shape)),
    };
    let codecs: Vec<_> = array.codecs.iter().map(codec).collect();
    [data_type(&array.data_type), by(&array.shape), size, chunks, codecs.join(", ")]
        .map(|text| printable(&text))
}

/// Lengths, or `scalar`.
fn by(shape: &[u64]) -> String {
    let lengths: Vec<_> = shape.iter().map(u64::to_string).collect();
    if lengths.is_empty() { "scalar".into() } else { lengths.join(" x ") }
}

/// The name of a data type; those that have a configuration have a name, too.
fn data_type(value: &Value) -> String {
    value.as_str().or_else(|| value["name"].as_str()).unwrap_or("unknown").to_owned()
}

/// The name of a codec, and what matters most about it.
fn codec(value: &Value) -> String {
    let name = value.as_str().or_else(|| value["name"].as_str()).unwrap_or("unknown");
    let configuration = &value["configuration"];
    let word = |key: &str| configuration[key].as_str().map(str::to_owned);
    let number = |key: &str| configuration[key].as_i64().map(|number| number.to_string());
    let inner = configuration["codecs"].as_array().map(|codecs| {
        let codecs: Vec<_> = codecs.iter().map(codec).collect();
        codecs.join(", ")
    });
    let details = [inner, word("cname"), number("level").or_else(|| number("clevel")), word("shuffle")];
    let details: Vec<_> = details.into_iter().flatten().collect();
    if details.is_empty() { name.to_owned() } else { format!("{name}({})", details.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codecs_say_what_matters() {
        for (value, expected) in [
            (json!("bytes"), "bytes"),
            (json!({"name": "bytes", "configuration": {"endian": "little"}}), "bytes"),
            (json!({"name": "gzip", "configuration": {"level": 5}}), "gzip(5)"),
            (
                json!({"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "shuffle"}}),
                "blosc(zstd, 3, shuffle)",
            ),
            (
                json!({"name": "sharding_indexed", "configuration": {
                    "codecs": [{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 0}}]}}),
                "sharding_indexed(bytes, zstd(0))",
            ),
            (json!(7), "unknown"),
        ] {
            assert_eq!(codec(&value), expected);
        }
    }

    #[test]
    fn sentences_count() {
        let sentence = |arrays, parallel| Summary { arrays, parallel }.sentence();
        assert_eq!(sentence(0, 0), "no arrays");
        assert_eq!(sentence(1, 1), "all cores read the array");
        assert_eq!(sentence(3, 3), "all cores read each of 3 arrays");
        assert_eq!(sentence(3, 2), "all cores read 2 of 3 arrays");
        assert_eq!(sentence(1, 0), "all cores read 0 of 1 arrays");
    }
}
