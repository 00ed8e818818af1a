//! Copies a file byte for byte: nothing can be truer to it, and nothing is faster.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

use h5_client::Session;

use super::Summary;
use crate::error::{Error, Result};
use crate::place::Place;
use crate::progress::Progress;

/// Bytes between two looks at whether to go on.
const STEP: u64 = 64 << 20;

/// Copies the bytes of an HDF5 file. It stays open in HDF5 meanwhile, so that others that obey its locks do not change it.
pub fn copy_bytes(
    session: &Session,
    source: &Place,
    destination: &Path,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let _open = source.open(session)?;
    let read = |error: io::Error| Error::new(source.shown(), error.to_string());
    let written = |error: io::Error| Error::new(destination.display().to_string(), error.to_string());
    let file = File::open(&source.file).map_err(read)?;
    let metadata = file.metadata().map_err(read)?;
    let all = metadata.len();
    progress.expects(all);
    progress.begins(&source.shown());
    let mut target = OpenOptions::new().write(true).create_new(true).open(destination).map_err(written)?;
    let mut done = 0;
    while done < all {
        if progress.is_stopped() {
            return Err(Error::new(source.shown(), "the copy was stopped"));
        }
        // The system copies without taking the bytes through this process.
        let step = io::copy(&mut (&file).take(STEP), &mut target).map_err(written)?;
        if step == 0 {
            return Err(Error::new(source.shown(), "it became shorter while it was copied"));
        }
        done += step;
        progress.moved(step);
    }
    target.set_permissions(metadata.permissions()).map_err(written)?;
    Ok(Summary { bytes: done, as_bytes: true, ..Summary::default() })
}
