//! Copies an object as an application wants it (`H5Ocopy`): its files are open, and stay so.

use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, CString};

use h5_client::{AnyLocation, CopyFlags, LinkCreation, Links as _, Object as _};

use super::{Changes, Copying, Summary};
use crate::error::{At as _, Error, Result};
use crate::place::{Place, Side};
use crate::progress::Quiet;

/// How an application wants something copied.
#[derive(Debug)]
pub struct Wanted {
    /// What its object copy property list says.
    pub flags: CopyFlags,
    /// How the name of the copy is made.
    pub link: LinkCreation,
}

/// Where a copy goes.
#[derive(Debug)]
pub struct Target<'t> {
    /// What the name is relative to.
    pub location: AnyLocation,
    /// The name of the copy.
    pub name: &'t CStr,
    /// Whether datasets are stored as in HDF5 files.
    pub is_plain: bool,
    /// Whether committed datatypes are known by their names only, also while something uses them.
    pub knows_types_by_name: bool,
}

/// Copies the root of a side. If that fails, nothing of it is left.
pub fn copy_lent(source: &Side, target: &Target<'_>, wanted: &Wanted) -> Result<Summary> {
    let destination = Place::file(target.location.file_name().at(|| "where the copy goes".to_owned())?);
    let shown = || format!("{}:{}", destination.shown(), target.name.to_string_lossy());
    let new = first_new(&target.location, target.name).at(shown)?;
    let Some(new) = new else { return Err(Error::new(shown(), "there is an object of this name already")) };
    let mut copying = Copying {
        source,
        target: &target.location,
        destination: &Place { object: Some(target.name.to_owned()), ..destination.clone() },
        is_plain_target: target.is_plain,
        named_types: target.knows_types_by_name.then(Vec::new),
        wanted: Some(wanted),
        changes: &Changes::default(),
        progress: &mut Quiet,
        summary: Summary::default(),
        done: HashMap::new(),
        types: HashMap::new(),
        pending: VecDeque::new(),
        referenced: Vec::new(),
        there: None,
    };
    let copied = copying.tree().and_then(|()| copying.references());
    let unnamed = copying.take_names_away(copied.is_err());
    let summary = copying.summary;
    if copied.is_err() && target.location.link_exists(&new).unwrap_or(false) {
        // The failure itself is what is told.
        let _ = target.location.delete_link(&new);
    }
    copied.and(unnamed).map(|()| summary)
}

/// The part of a name up to the first link that is not there; nothing if all are.
fn first_new(location: &AnyLocation, name: &CStr) -> h5_client::Result<Option<CString>> {
    let bytes = name.to_bytes();
    let ends = (1..=bytes.len()).filter(|end| bytes.get(*end).is_none_or(|byte| *byte == b'/'));
    for end in ends {
        let Ok(part) = CString::new(&bytes[..end]) else { continue };
        let is_name = part.to_bytes().iter().any(|byte| *byte != b'/') && !part.to_bytes().ends_with(b"/.");
        if is_name && part.as_c_str() != c"." && !location.link_exists(&part)? {
            return Ok(Some(part));
        }
    }
    Ok(None)
}
