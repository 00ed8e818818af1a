//! `h5bypass __exchange`: compares or copies, in a process that may crash without harm. It writes each [`Message`] as a line of JSON.

use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use h5_client::Library;
use h5_exchange::Progress;
use h5_exchange::compare::compare;
use h5_exchange::copy::{copy, copy_bytes, plan};

use super::request::{Message, Request, Task, path};
use crate::args::ExchangeWorkerArgs;

/// The shortest time between two messages about progress.
const INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn work(args: &ExchangeWorkerArgs) -> Result<ExitCode> {
    let request: Request = serde_json::from_str(&args.request).context("the request")?;
    let message = match answer(request) {
        Ok(message) => message,
        Err(error) => Message::Failed { cause: format!("{error:#}") },
    };
    send(&message)?;
    Ok(ExitCode::SUCCESS)
}

fn answer(request: Request) -> Result<Message> {
    let library = path(request.library);
    let h5 =
        Library::load(&library).and_then(Library::enter).with_context(|| library.display().to_string())?;
    let mut watch = Watch::new();
    Ok(match request.task {
        Task::Copy { source, destination, into_existing, changes } => {
            let (from, to) = (source.place(), destination.place());
            let copied = copy(&h5, &from, &to, into_existing, &changes.changes(), &mut watch);
            if copied.is_err() && watch.is_stopped() {
                // Nobody is left to remove it.
                remove(&to.file);
            }
            Message::Copied(copied?)
        }
        Task::CopyBytes { source, destination } => {
            let to = path(destination);
            let copied = copy_bytes(&h5, &source.place(), &to, &mut watch);
            if copied.is_err() && watch.is_stopped() {
                remove(&to);
            }
            Message::Copied(copied?)
        }
        Task::Plan { source, destination, changes } => {
            Message::Planned(plan(&h5, &source.place(), &destination.place(), &changes.changes())?)
        }
        Task::Compare { a, b, options } => {
            Message::Compared(compare(&h5, &a.place(), &b.place(), &options.options(), &mut watch)?)
        }
    })
}

/// Removes a file or directory, if it is there.
fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

fn send(message: &Message) -> Result<()> {
    println!("{}", serde_json::to_string(message)?);
    Ok(())
}

/// Tells how far the work is, and stops it when nobody waits for it any more.
struct Watch {
    parent: u32,
    path: String,
    bytes: u64,
    all: Option<u64>,
    told: Option<Instant>,
}

impl Watch {
    fn new() -> Self {
        Self { parent: parent_id(), path: String::new(), bytes: 0, all: None, told: None }
    }

    fn tell(&mut self) {
        if self.told.is_none_or(|told| told.elapsed() >= INTERVAL) {
            self.told = Some(Instant::now());
            // Nobody may be listening; the answer at the end tells.
            let _ = send(&Message::Progress { path: self.path.clone(), bytes: self.bytes, all: self.all });
        }
    }
}

impl Progress for Watch {
    fn begins(&mut self, path: &str) {
        path.clone_into(&mut self.path);
        self.tell();
    }

    fn expects(&mut self, bytes: u64) {
        self.all = Some(bytes);
    }

    fn moved(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.tell();
    }

    fn is_stopped(&self) -> bool {
        parent_id() != self.parent
    }
}
