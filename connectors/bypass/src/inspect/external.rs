//! Raw data in external files (`H5Pset_external`).

use core::ops::{Range, RangeInclusive};
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use engine::{Segment, Source};
use h5_host::questions::ExternalSegment;
use store::{Descriptor, Store};

use crate::report::reason::Reason;

/// The external files of a dataset.
#[derive(Debug)]
pub(crate) struct ExternalFiles {
    segments: Vec<ExternalSegment>,
    /// Where relative names start from.
    folder: Option<PathBuf>,
}

impl ExternalFiles {
    /// `prefix` is the dataset access property, `environment` what the environment said when HDF5 started.
    pub(crate) fn new(
        segments: Vec<ExternalSegment>,
        prefix: Option<Vec<u8>>,
        hdf5_file: Option<&Path>,
        environment: Option<&OsStr>,
    ) -> Self {
        let prefix = prefix.map(OsString::from_vec);
        let folder = folder_of(environment.or(prefix.as_deref()), hdf5_file);
        Self { segments, folder }
    }

    /// Opens the files and puts their pieces together.
    pub(crate) fn open(&self) -> Result<Source, Reason> {
        self.each(|_, path| File::open(path))
    }

    /// The same to write to these of all their bytes. Like native HDF5 does, files that do not exist are created, if
    /// there is something to write to them.
    pub(crate) fn open_to_write(&self, bytes: &RangeInclusive<u64>) -> Result<Source, Reason> {
        self.each(|piece, path| {
            if piece.start > *bytes.end() || piece.end <= *bytes.start() {
                // Nobody will look into it.
                return File::open("/dev/null");
            }
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
        })
    }

    /// Opens each of the files, which is told its bytes and its name.
    fn each(&self, open: impl Fn(Range<u64>, &Path) -> io::Result<File>) -> Result<Source, Reason> {
        let mut start = 0_u64;
        let segments = self.segments.iter().map(|segment| {
            let end = start.saturating_add(segment.size);
            let opened = self.open_one(segment, |path| open(start..end, path));
            start = end;
            opened
        });
        Ok(Source::External(segments.collect::<Result<_, _>>()?))
    }

    fn open_one(
        &self,
        segment: &ExternalSegment,
        open: impl FnOnce(&Path) -> io::Result<File>,
    ) -> Result<Segment, Reason> {
        let name = Path::new(OsStr::from_bytes(&segment.name));
        let path = self.folder.as_ref().map_or_else(|| name.to_path_buf(), |folder| folder.join(name));
        let file = open(&path).map_err(|error| Reason::External(format!("{}: {error}", path.display())))?;
        // An external file has no end of its own: what it lacks reads as zeros.
        let store = Arc::new(Store::new(Descriptor::new(OwnedFd::from(file)), u64::MAX));
        Ok(Segment { store, offset: segment.offset, length: segment.size })
    }
}

/// What the environment said about external files when the connector was first used in this process. HDF5
/// looks once too, when it starts.
pub(crate) fn prefix_of_environment() -> Option<&'static OsStr> {
    static PREFIX: OnceLock<Option<OsString>> = OnceLock::new();
    let prefix =
        PREFIX.get_or_init(|| std::env::var_os("HDF5_EXTFILE_PREFIX").filter(|value| !value.is_empty()));
    prefix.as_deref()
}

/// The folder that relative names start from, by HDF5's rules: none for `.`, and for `${ORIGIN}` that of the
/// HDF5 file.
fn folder_of(prefix: Option<&OsStr>, hdf5_file: Option<&Path>) -> Option<PathBuf> {
    let prefix = prefix?;
    if prefix.is_empty() || prefix == "." {
        return None;
    }
    match prefix.as_bytes().strip_prefix(b"${ORIGIN}") {
        None => Some(PathBuf::from(prefix)),
        Some(rest) => {
            let folder = hdf5_file?.canonicalize().ok()?.parent()?.to_path_buf();
            let rest = OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest));
            Some(if rest.is_empty() { folder } else { folder.join(rest) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_follow_hdf5() {
        let folder = |prefix: &str| folder_of(Some(OsStr::new(prefix)), Some(Path::new("/usr/bin/env")));
        assert_eq!(folder_of(None, None), None);
        assert_eq!(folder(""), None);
        assert_eq!(folder("."), None);
        assert_eq!(folder("/data"), Some(PathBuf::from("/data")));
        assert_eq!(folder("data"), Some(PathBuf::from("data")));
        let origin = Path::new("/usr/bin/env").canonicalize().unwrap().parent().unwrap().to_path_buf();
        assert_eq!(folder("${ORIGIN}"), Some(origin.clone()));
        assert_eq!(folder("${ORIGIN}/raw"), Some(origin.join("raw")));
    }
}
