//! Writes the results: a table to the terminal, and JSON and a page if asked for.

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use bench_report::table::Look;
use bench_report::{Results, page, table};
use bench_suite::controller::width_of_output;

use crate::args::BenchArgs;
use crate::plain;

/// The width of the table if there is no terminal.
const WIDTH: usize = 110;

/// Reports an output file that cannot be written, before anything is measured.
pub(super) fn check(args: &BenchArgs) -> Result<()> {
    for (option, file) in [("--json", &args.json), ("--html", &args.html)] {
        let Some(file) = file else { continue };
        let path = std::path::absolute(file).with_context(|| format!("{option} {}", file.display()))?;
        if path.is_dir() {
            bail!("{option} {} is a directory", file.display());
        }
        if !path.parent().is_some_and(Path::is_dir) {
            bail!("{option} {}: its directory does not exist", file.display());
        }
        let measured = args.file.as_deref().and_then(|measured| measured.canonicalize().ok());
        if measured.is_some() && path.canonicalize().ok() == measured {
            bail!("{option} {} is the file to be measured", file.display());
        }
    }
    if args.json.is_some() && args.json == args.html {
        bail!("--json and --html name the same file");
    }
    Ok(())
}

/// The table.
pub(super) fn print(results: &Results) -> Result<()> {
    let width = width_of_output().or_else(|| std::env::var("COLUMNS").ok()?.parse().ok()).unwrap_or(WIDTH);
    let text = table::text(results, Look { width, has_colours: true });
    // The stream decides whether to keep the colours.
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader that closes the pipe has seen enough. The exit code still gives the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context(plain::NO_OUTPUT),
        _ => Ok(()),
    }
}

/// The files that were asked for.
pub(super) fn write(args: &BenchArgs, results: &Results) -> Result<()> {
    if let Some(file) = &args.json {
        write_file(file, &results.write()?)?;
    }
    if let Some(file) = &args.html {
        write_file(file, &page::html(results))?;
    }
    Ok(())
}

fn write_file(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    plain::say(&format!("wrote {}", file.display()));
    Ok(())
}
