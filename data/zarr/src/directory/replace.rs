//! Replacing files and removing folders such that nobody sees half of it.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Durability;
use crate::error::ZarrError;

/// What temporary names end with.
const ENDING: &str = ".h5tmp~";

/// Bytes of a name that are kept in its temporary one, for people.
const KEPT: usize = 100;

/// How often a file is written again because somebody took it for one that was left behind.
const TRIES: usize = 5;

/// Tells processes apart that have the same number: on other machines, or in other containers.
static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(process::id()));

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Whether a file or folder has a temporary name.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(ENDING)
}

/// A name beside this one that nobody else has.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kept: String = name
        .chars()
        .scan(0, |bytes, character| {
            *bytes += character.len_utf8();
            (*bytes <= KEPT).then_some(character)
        })
        .collect();
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{kept}.{:x}-{:x}-{number:x}{ENDING}", process::id(), *PROCESS))
}

/// Replaces a file.
pub(super) fn replace(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), ZarrError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let temporary = temporary(path);
        let written = write(&temporary, bytes, durability).and_then(|file| {
            fs::rename(&temporary, path).map_err(ZarrError::io("replace", path))?;
            // The lock goes only now that the name is not a temporary one any more.
            drop(file);
            Ok(())
        });
        match written {
            Ok(()) => break,
            Err(ZarrError::Io { source, .. }) if source.kind() == ErrorKind::NotFound && tries < TRIES => {
                let parent = path.parent().unwrap_or(path);
                fs::create_dir_all(parent).map_err(ZarrError::io("make", parent))?;
            }
            Err(error) => {
                let _ = fs::remove_file(&temporary);
                return Err(error);
            }
        }
    }
    if durability == Durability::EachFile
        && let Some(parent) = path.parent()
    {
        let synced = File::open(parent).and_then(|folder| folder.sync_all());
        synced.map_err(ZarrError::io("write out", parent))?;
    }
    Ok(())
}

fn write(temporary: &Path, bytes: &[u8], durability: Durability) -> Result<File, ZarrError> {
    let file = OpenOptions::new().write(true).create_new(true).open(temporary);
    let mut file = file.map_err(ZarrError::io("create", temporary))?;
    // Without locks, files that were left behind are not told from others, and stay.
    let _ = store::try_lock(&file, true);
    file.write_all(bytes).map_err(ZarrError::io("write", temporary))?;
    if durability == Durability::EachFile {
        file.sync_data().map_err(ZarrError::io("write out", temporary))?;
    }
    Ok(file)
}

/// Removes a temporary file or folder that nobody works on. Failing is no harm: whoever comes next tries again.
pub(super) fn clean(temporary: &Path) {
    if temporary.is_dir() {
        // Folders have temporary names only while they are removed.
        let _ = fs::remove_dir_all(temporary);
        return;
    }
    let Ok(file) = OpenOptions::new().read(true).open(temporary) else { return };
    if matches!(store::try_lock(&file, true), Ok(true)) {
        let _ = fs::remove_file(temporary);
    }
}

/// Removes a folder.
pub(super) fn remove_folder(path: &Path) -> Result<(), ZarrError> {
    let temporary = temporary(path);
    match fs::rename(path, &temporary) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(ZarrError::io("remove", path)(error)),
    }
    match fs::remove_dir_all(&temporary) {
        // Somebody else cleans up.
        Err(error) if error.kind() != ErrorKind::NotFound => Err(ZarrError::io("remove", &temporary)(error)),
        _ => Ok(()),
    }
}
