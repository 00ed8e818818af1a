//! `h5bypass copy`: copies files and objects.

mod arguments;
mod filters;
mod output;
mod temporary;

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

pub(crate) use arguments::CopyArgs;

use crate::connector::{BYPASS, ZARR};
use crate::exchange::request::{ChangesRequest, Message, SideRequest, Task};
use crate::exchange::session;
use crate::exchange::sides::{Named, shown};
use crate::libraries::choice;
use crate::plain;
use temporary::Temporary;

/// What the Zarr connector does with filters that Zarr does not have.
const TRANSCODE: &str = "transcode=zstd";

/// Copies, and says what was copied.
pub(crate) fn copy(args: &CopyArgs) -> Result<ExitCode> {
    let (source, destination) = (Named::parse(&args.source), Named::parse(&args.destination));
    let from = source.existing(args.src_connector.as_deref())?;
    let is_added = destination.object.is_some() && destination.file.symlink_metadata().is_ok();
    check(args, &source, &destination, is_added)?;
    let mut to = if is_added {
        destination.existing(args.dst_connector.as_deref())?
    } else {
        destination.to_make(args.dst_connector.as_deref())?
    };
    let is_zarr = to.connector.as_deref() == Some(ZARR);
    if is_zarr && is_added {
        bail!("{}: an object cannot be added to a Zarr directory; copy to a new one", destination.shown());
    }
    if is_zarr && to.info.is_none() {
        to.info = Some(TRANSCODE.to_owned());
    }
    let is_whole = source.object.is_none() && destination.object.is_none();
    let is_same_way = [&from, &to].into_iter().all(|side| side.connector.as_deref() == Some(BYPASS));
    let is_changed = args.filter.is_some() || args.chunks.is_some() || args.repack;
    let as_bytes = is_whole && is_same_way && !is_changed;
    if args.dry_run && as_bytes && !args.json {
        output::plan_of_bytes(&mut std::io::stdout().lock(), &source).context(plain::NO_OUTPUT)?;
        return Ok(ExitCode::SUCCESS);
    }
    let choice = choice::choose(args.lib.as_deref(), args.plugin_dir.as_deref(), None)?;
    let changes = changes(args);
    if args.dry_run {
        return show_plan(
            args,
            &session::run(&choice, Task::Plan { source: from, destination: to, changes })?,
        );
    }
    let temporary = Temporary::beside(&destination.file, is_zarr)?;
    if is_added {
        std::fs::copy(&destination.file, temporary.path())
            .with_context(|| format!("{}: a copy to add to", shown(&destination.file)))?;
    }
    let to = SideRequest { file: temporary.path().as_os_str().as_bytes().to_vec(), ..to };
    let task = if as_bytes {
        Task::CopyBytes { source: from, destination: to.file }
    } else {
        Task::Copy { source: from, destination: to, into_existing: is_added, changes }
    };
    let copied = session::run(&choice, task).map_err(|error| {
        // People know the name that they have asked for.
        let text =
            format!("{error:#}").replace(&*temporary.path().to_string_lossy(), &shown(&destination.file));
        anyhow::anyhow!("{text}\n  nothing was copied")
    })?;
    let Message::Copied(summary) = copied else { bail!("{}: the copy did not end", source.shown()) };
    temporary.rename(&destination.file, args.force || is_added)?;
    let text = if args.json {
        serde_json::to_string_pretty(&summary)?
    } else {
        output::summary(&destination, &summary)
    };
    writeln!(std::io::stdout(), "{text}").context(plain::NO_OUTPUT)?;
    Ok(ExitCode::SUCCESS)
}

/// Fails if the destination is taken, or is the source.
fn check(args: &CopyArgs, source: &Named, destination: &Named, is_added: bool) -> Result<()> {
    let identity = |path: &Path| path.metadata().map(|metadata| (metadata.dev(), metadata.ino())).ok();
    if identity(&source.file).is_some() && identity(&source.file) == identity(&destination.file) && !is_added
    {
        bail!("{}: the source and the destination are the same file", destination.shown());
    }
    let Ok(metadata) = destination.file.symlink_metadata() else { return Ok(()) };
    if is_added {
        return Ok(());
    }
    if !args.force && !args.dry_run {
        bail!("{}: exists; use --force to replace it", shown(&destination.file));
    }
    if metadata.is_dir() && !zarr::Container::exists(&destination.file) {
        bail!(
            "{}: is a directory, and not a Zarr directory; refusing to replace it",
            shown(&destination.file)
        );
    }
    if matches!(stub::Stub::read(&destination.file), Ok(Some(_))) {
        bail!("{}: is a stub of a Zarr directory; name the directory", shown(&destination.file));
    }
    Ok(())
}

fn changes(args: &CopyArgs) -> ChangesRequest {
    ChangesRequest {
        filters: args.filter.as_ref().map(|filters| filters.0.clone()),
        chunk: args.chunks.as_ref().map(|chunk| chunk.0.clone()),
        again: args.repack,
    }
}

fn show_plan(args: &CopyArgs, message: &Message) -> Result<ExitCode> {
    let Message::Planned(steps) = message else { bail!("there is no plan") };
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(steps)?)
    } else {
        output::plan(&mut out, steps)
    }
    .context(plain::NO_OUTPUT)?;
    Ok(ExitCode::SUCCESS)
}
