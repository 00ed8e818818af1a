//! Makes the file that is copied into.

use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;

use h5_client::{AnyObject, File, FileAccess, Session};

use crate::error::{At as _, Error, Result};
use crate::place::{Place, Side, is_plain};

/// Where the version of the format is, after the signature.
const VERSION: u64 = 8;

/// Creates the target like the source, or opens it.
pub(super) fn target(session: &Session, source: &Side, place: &Place, into_existing: bool) -> Result<File> {
    let mut access = place.access(session)?;
    let shown = || place.file.display().to_string();
    if into_existing {
        return File::open_writable(session, &place.file, &access).at(shown);
    }
    let is_plain_target = place.connector.as_deref().is_none_or(|name| is_plain(&name.to_string_lossy()));
    let Some(like) = source.file.as_ref().filter(|_| is_plain_target && source.is_plain) else {
        return File::create_new(session, &place.file, None, &access).at(shown);
    };
    let from = || source.place.shown();
    let mut creation = like.creation().at(from)?;
    if place.object.is_none()
        && let AnyObject::Group(root) = &source.root
    {
        creation.set_root(&root.creation().at(from)?).at(from)?;
    }
    // HDF5's default list cannot be changed.
    if place.connector.is_some() {
        set_format(&mut access, source, like)?;
    }
    File::create_new(session, &place.file, Some(&creation), &access).at(shown)
}

/// Lets the new file have a format as new as the old one's, so that what needs it goes on to work.
fn set_format(access: &mut FileAccess, source: &Side, like: &File) -> Result<()> {
    let from = || source.place.shown();
    let start = like.creation().and_then(|list| list.user_block()).at(from)?;
    let failed = |error: std::io::Error| Error::new(source.place.shown(), error.to_string());
    let file = std::fs::File::open(&source.place.file).map_err(failed)?;
    let mut version = [0];
    file.read_exact_at(&mut version, start + VERSION).map_err(failed)?;
    access.use_format_of(version[0]).at(from)
}

/// Copies what HDF5 does not: the user block.
pub(super) fn finish(source: &Side, place: &Place) -> Result<()> {
    let is_whole = source.place.object.is_none() && place.object.is_none();
    let Some(like) = source.file.as_ref().filter(|_| is_whole && source.is_plain) else { return Ok(()) };
    let size = like.creation().and_then(|list| list.user_block()).at(|| source.place.shown())?;
    if size == 0 {
        return Ok(());
    }
    let failed = |error: std::io::Error| Error::new(place.shown(), format!("the user block: {error}"));
    let mut block = Vec::new();
    let mut file = std::fs::File::open(&source.place.file).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    file.take(size).read_to_end(&mut block).map_err(failed)?;
    let mut file = OpenOptions::new().write(true).open(&place.file).map_err(failed)?;
    file.write_all(&block).map_err(failed)
}
