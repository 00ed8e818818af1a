//! The diagnosis as text.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;

use super::{Diagnosis, Library};
use crate::libraries::verdict::{Kind, Verdict};

/// Writes the report. The stream decides whether to keep the colours.
pub(super) fn write(out: &mut impl Write, diagnosis: &Diagnosis) -> io::Result<()> {
    plugin(out, diagnosis)?;
    heading(out, "Cores", &format!("{} available", diagnosis.cores))?;
    if let Some(python) = &diagnosis.python {
        heading(out, "Python", python)?;
    }
    environment(out, diagnosis)?;
    writeln!(out)?;
    for library in &diagnosis.libraries {
        block(out, library)?;
    }
    if diagnosis.libraries.is_empty() {
        nothing_found(out, diagnosis)?;
    }
    writeln!(out, "{}", summary(diagnosis))?;
    out.flush()
}

fn heading(out: &mut impl Write, title: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{} {text}", format_args!("{title:<12}").bold())
}

fn plugin(out: &mut impl Write, diagnosis: &Diagnosis) -> io::Result<()> {
    let plugin = &diagnosis.plugin;
    heading(out, "Plugin", plugin.path.as_deref().unwrap_or("not found"))?;
    if let Some(problem) = &plugin.problem {
        for (number, line) in problem.lines().enumerate() {
            if number == 0 {
                writeln!(out, "{:12} {}", "", line.red())?;
            } else {
                writeln!(out, "{:12} {line}", "")?;
            }
        }
    }
    if let Some(advice) = &plugin.advice {
        writeln!(out, "{:12} -> {advice}", "")?;
    }
    heading(
        out,
        "Statistics",
        plugin.stats_path.as_deref().unwrap_or("not installed (only `run --stats` needs it)"),
    )?;
    heading(
        out,
        "Zarr",
        plugin.zarr_path.as_deref().unwrap_or("not installed (only `run --connector zarr` needs it)"),
    )
}

fn environment(out: &mut impl Write, diagnosis: &Diagnosis) -> io::Result<()> {
    if diagnosis.environment.is_empty() {
        heading(out, "Environment", "no HDF5 or h5bypass variables are set")?;
    }
    for (number, (name, value)) in diagnosis.environment.iter().enumerate() {
        heading(out, if number == 0 { "Environment" } else { "" }, &format!("{name}={value}"))?;
    }
    for problem in &diagnosis.problems {
        writeln!(out, "{:12} {} {}", "", "error:".red().bold(), problem.problem)?;
        writeln!(out, "{:12} -> {}", "", problem.advice)?;
    }
    for note in &diagnosis.notes {
        writeln!(out, "{:12} {} {note}", "", "note:".yellow())?;
    }
    Ok(())
}

fn block(out: &mut impl Write, library: &Library) -> io::Result<()> {
    let verdict = &library.verdict;
    let word = match verdict.kind {
        Kind::Ok => "OK",
        Kind::TooOld => "too old",
        Kind::NotThroughConnector => "NOT BYPASSED",
        Kind::Failed => "FAILED",
    };
    let word = format!("{word:<12}");
    let word = match verdict.kind {
        Kind::Ok => word.green().bold().to_string(),
        Kind::TooOld => word.yellow().to_string(),
        Kind::NotThroughConnector | Kind::Failed => word.red().bold().to_string(),
    };
    writeln!(out, "{word} {}", library.path)?;
    let version =
        library.version.map_or_else(|| "version unknown".into(), |version| format!("HDF5 {version}"));
    let threads = match library.thread_safe {
        Some(true) => "thread-safe: yes",
        Some(false) => "thread-safe: no",
        None => "thread-safe: unknown",
    };
    writeln!(out, "{:12} {version}, {threads}", "")?;
    if library.mpi {
        let what = "files that processes share (mpio) are bypassed if they are open read-only";
        writeln!(out, "{:12} built for MPI: {what}, see docs/mpi.md", "")?;
    }
    if let Some(reason) = &verdict.reason {
        writeln!(out, "{:12} {reason}", "")?;
    }
    rest(out, verdict)?;
    match &library.zarr {
        Some(verdict) if verdict.kind == Kind::Ok => {
            writeln!(out, "{:12} Zarr connector: {}", "", "OK".green().bold())?;
        }
        Some(verdict) => {
            let reason = verdict.reason.as_deref().unwrap_or("it does not work");
            writeln!(out, "{:12} Zarr connector: {} {reason}", "", "FAILED".red().bold())?;
            rest(out, verdict)?;
        }
        None => {}
    }
    writeln!(out)
}

/// The details of a verdict, and what to do.
fn rest(out: &mut impl Write, verdict: &Verdict) -> io::Result<()> {
    for line in &verdict.details {
        writeln!(out, "{:12}   {}", "", line.dimmed())?;
    }
    if let Some(advice) = &verdict.advice {
        writeln!(out, "{:12} -> {advice}", "")?;
    }
    Ok(())
}

fn nothing_found(out: &mut impl Write, diagnosis: &Diagnosis) -> io::Result<()> {
    writeln!(
        out,
        "{} Searched the libraries that `ldconfig -p` lists, and these directories:",
        "No libhdf5 was found.".red().bold()
    )?;
    for dir in &diagnosis.searched {
        writeln!(out, "  {dir}")?;
    }
    writeln!(
        out,
        "-> use --lib PATH to name a library, or --python PYTHON to name the interpreter that has h5py\n"
    )
}

/// The last line.
fn summary(diagnosis: &Diagnosis) -> String {
    let count = |kind| diagnosis.libraries.iter().filter(|library| library.verdict.kind == kind).count();
    let (good, old) = (count(Kind::Ok), count(Kind::TooOld));
    let supported = diagnosis.libraries.len() - old;
    let subject = format!("The connector '{}'", diagnosis.connector);
    let mut text = match (good, supported) {
        (_, 0) => format!("{subject} needs HDF5 1.14 or newer, but none was found."),
        (0, 1) => format!("{subject} does not work with the one HDF5 library found."),
        (1, 1) => format!("{subject} works with the one supported HDF5 library found."),
        _ if good == supported => {
            format!("{subject} works with all {supported} supported HDF5 libraries found.")
        }
        _ => format!("{subject} works with {good} of {supported} supported HDF5 libraries found."),
    };
    if old > 0 && supported > 0 {
        text.push_str(if old == 1 { " One more is too old." } else { " Others are too old." });
    }
    let of_zarr = diagnosis.libraries.iter().filter_map(|library| library.zarr.as_ref());
    if of_zarr.clone().any(|verdict| verdict.kind != Kind::Ok) {
        text.push_str(" The Zarr connector does not work with all of them; see above.");
    }
    match diagnosis.problems.len() {
        0 => {}
        1 => text.push_str(" The environment has an error; see above."),
        _ => text.push_str(" The environment has errors; see above."),
    }
    text
}
