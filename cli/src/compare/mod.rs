//! `h5bypass compare`: whether two files or objects are equal.

mod arguments;
mod output;

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use h5_exchange::compare::Report;

pub(crate) use arguments::CompareArgs;
pub(crate) use output::plural;

use crate::exchange::request::{CompareRequest, Message, Task};
use crate::exchange::session;
use crate::exchange::sides::Named;
use crate::libraries::choice;
use crate::plain;

/// The exit code if both differ.
const EXIT_DIFFERENT: u8 = 1;

/// Compares, and prints what differs.
pub(crate) fn compare(args: &CompareArgs) -> Result<ExitCode> {
    let (a, b) = (Named::parse(&args.a), Named::parse(&args.b));
    let sides = (a.existing(args.a_connector.as_deref())?, b.existing(args.b_connector.as_deref())?);
    let choice = choice::choose(args.lib.as_deref(), args.plugin_dir.as_deref(), None)?;
    let task = Task::Compare { a: sides.0, b: sides.1, options: options(args)? };
    let Message::Compared(report) = session::run(&choice, task)? else {
        bail!("{}: the comparison did not end", a.shown());
    };
    let printed = print(args, &a, &b, &report);
    if let Err(error) = printed
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return Err(error).context(plain::NO_OUTPUT);
    }
    Ok(if report.is_equal() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_DIFFERENT) })
}

fn options(args: &CompareArgs) -> Result<CompareRequest> {
    let excluded = args.exclude.iter().map(|path| {
        let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
        if !bytes.starts_with(b"/") {
            bail!("--exclude {}: a path in the file begins with '/'", path.display());
        }
        Ok(bytes.to_vec())
    });
    Ok(CompareRequest {
        convertible: args.convertible,
        relative: args.rtol,
        absolute: args.atol,
        steps: args.ulp,
        properties: args.properties,
        order: args.order,
        excluded: excluded.collect::<Result<_>>()?,
        most_elements: args.max,
        first_only: args.quiet,
    })
}

fn print(args: &CompareArgs, a: &Named, b: &Named, report: &Report) -> std::io::Result<()> {
    if args.quiet {
        return Ok(());
    }
    if args.json {
        let text = output::json(a, b, report)?;
        return std::io::stdout().lock().write_all((text + "\n").as_bytes());
    }
    output::write(&mut anstream::stdout().lock(), a, b, report)
}
