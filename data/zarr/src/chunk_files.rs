//! The files of chunks as the engine reads them.
//!
//! The engine knows a sequence of bytes and where chunks are in it. [`ChunkFiles`] is that sequence: the files that a read
//! touches, one after another with gaps between them. What was found out about a file when the read was planned is checked
//! when it is opened, because another process may have replaced it meanwhile.

use core::error::Error;
use core::fmt;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{ByteStore, Costs};
use store::{Descriptor, Store, StoreError, Target};

use crate::container::Container;
use crate::error::ZarrError;

/// Bytes between two files, more than the engine reads over.
const BETWEEN: u64 = 4 * Costs::LOCAL_FILE.gap;

/// The files of chunks that a read touches, as one sequence of bytes for the engine.
#[derive(Debug)]
pub struct ChunkFiles {
    container: Container,
    files: Vec<Placed>,
    end: u64,
}

#[derive(Debug)]
struct Placed {
    start: u64,
    file: ChunkFile,
}

/// A file as it was when the read was planned.
#[derive(Debug, Clone)]
pub(crate) struct ChunkFile {
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
    /// Its descriptor, if it was kept open.
    pub(crate) open: Option<Arc<Store>>,
}

/// What tells a file from one that replaced it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    pub(crate) length: u64,
    number: u64,
    changed: (i64, i64),
}

impl Version {
    /// As numbers that can be compared.
    pub fn numbers(&self) -> [u64; 4] {
        let (seconds, nanoseconds) = self.changed;
        [self.length, self.number, seconds.cast_unsigned(), nanoseconds.cast_unsigned()]
    }

    pub(crate) fn of(found: &Metadata) -> Self {
        Self { length: found.len(), number: found.ino(), changed: (found.ctime(), found.ctime_nsec()) }
    }
}

/// Another process has replaced a chunk after a read of it was planned. The read may be tried again.
#[derive(Debug)]
pub struct Replaced(PathBuf);

impl fmt::Display for Replaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was replaced while it was read", self.0.display())
    }
}

impl Error for Replaced {}

impl Replaced {
    /// Whether a read failed because of that.
    pub fn is_cause_of(error: &StoreError) -> bool {
        match error {
            StoreError::Io { source, .. } => {
                source.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Self>)
            }
            _ => false,
        }
    }
}

impl ChunkFiles {
    pub(crate) fn new(container: Container) -> Self {
        Self { container, files: Vec::new(), end: 0 }
    }

    /// Adds a file; where it begins. `None` if there are more bytes than can be counted.
    pub(crate) fn add(&mut self, file: ChunkFile) -> Option<u64> {
        let start = self.end;
        self.end = start.checked_add(file.version.length)?.checked_add(BETWEEN)?;
        self.files.push(Placed { start, file });
        Some(start)
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file that has these bytes, and where they begin in it.
    fn find(&self, offset: u64, length: u64) -> Result<(&ChunkFile, u64), StoreError> {
        let outside = || StoreError::OutsideFile { offset, length, end: self.end };
        let after = self.files.partition_point(|placed| placed.start <= offset);
        let placed = after.checked_sub(1).and_then(|last| self.files.get(last)).ok_or_else(outside)?;
        let within = offset - placed.start;
        match within.checked_add(length) {
            Some(end) if end <= placed.file.version.length => Ok((&placed.file, within)),
            _ => Err(outside()),
        }
    }

    fn open(&self, file: &ChunkFile) -> io::Result<Arc<Store>> {
        if let Some(open) = &file.open {
            return Ok(Arc::clone(open));
        }
        let found = self.container.directory().open_file(&file.path).map_err(|error| match error {
            ZarrError::Io { source, path, action } => {
                io::Error::new(source.kind(), format!("cannot {action} {}: {source}", path.display()))
            }
            other => io::Error::other(other.to_string()),
        })?;
        let replaced = || io::Error::other(Replaced(file.path.clone()));
        let (opened, found) = found.ok_or_else(replaced)?;
        if Version::of(&found) != file.version {
            return Err(replaced());
        }
        Ok(Arc::new(Store::new(Descriptor::new(opened.into()), found.len())))
    }
}

impl ByteStore for ChunkFiles {
    fn costs(&self) -> Costs {
        // To open a file costs about as much as to read a few pages of it.
        Costs { request: 4 * Costs::LOCAL_FILE.request, ..Costs::LOCAL_FILE }
    }

    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        self.find(offset, length).map(|_| ())
    }

    fn read(&self, offset: u64, target: Target<'_>) -> Result<(), StoreError> {
        let length = target.len() as u64;
        let (file, within) = self.find(offset, length)?;
        let fail = |source| StoreError::Io { offset: within, length, source };
        let store = self.open(file).map_err(fail)?;
        match store.read(within, target, &mut []) {
            Err(StoreError::Io { offset, length, source }) => {
                let named = io::Error::new(source.kind(), format!("{}: {source}", file.path.display()));
                Err(StoreError::Io { offset, length, source: named })
            }
            done => done,
        }
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let source = io::Error::new(io::ErrorKind::Unsupported, "chunks are replaced as a whole");
        Err(StoreError::Write { offset, length: bytes.len() as u64, source })
    }
}
