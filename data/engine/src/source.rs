//! Where bytes come from and go to: a file, external files one after another, or any other store.
//!
//! The plan and the size of each request follow from the [`Costs`] that a source states.

use core::fmt::Debug;
use std::sync::Arc;

use store::{Run, Store, StoreError, Target};

/// A sequence of bytes to read from and to write to. Files are variants of their own, so that reading them needs no
/// dynamic call.
#[derive(Debug, Clone)]
pub enum Source {
    /// The file itself.
    File(Arc<Store>),
    /// Pieces of other files, which together make up a dataset's bytes.
    External(Arc<[Segment]>),
    /// Any other store.
    Other(Arc<dyn ByteStore>),
}

/// A store that is not a local file, such as an object in an object store.
pub trait ByteStore: Debug + Send + Sync {
    /// The costs of its requests.
    fn costs(&self) -> Costs;

    /// Fails if a range lies outside of the stored bytes. It is checked before memory is taken for the range.
    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError>;

    /// Fills `target` from `offset` on. Several threads may read at the same time.
    fn read(&self, offset: u64, target: Target<'_>) -> Result<(), StoreError>;

    /// Writes all of `bytes` from `offset` on.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError>;
}

/// The least cost of a chunk, in bytes copied: finding it, and setting up what works on it.
pub(crate) const CHUNK_COST: u64 = 1024;

/// The costs of a source's requests. All of them are bytes: as many as a thread copies in the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// The price of a request that reads, whatever its length.
    pub request: u64,
    /// The price of a request that writes, whatever its length.
    pub write: u64,
    /// Two pieces with at most this many bytes between them are read together, with what lies between.
    pub gap: u64,
    /// The length from which a block is moved straight to or from the application's memory, by a request of its own.
    /// Shorter ones go through a window, together with their neighbours.
    pub direct: u64,
    /// The most bytes in a window. Larger windows do not stay in a core's own cache.
    pub window: usize,
}

impl Costs {
    /// A local file: a request is a system call. (On ext4 one that writes takes 5 microseconds for one byte as for 8192, as long as
    /// it takes to read and to write back 32 KiB with another; on tmpfs it takes less than one.)
    pub const LOCAL_FILE: Self =
        Self { request: 4096, write: 8 * 4096, gap: 4096, direct: 16 * 1024, window: 128 * 1024 };

    /// Blocks with at most this many bytes between them may be written together, with what lies between.
    pub(crate) fn gap_of_writes(self) -> u64 {
        // All of that is read and written.
        if self.gap == 0 { 0 } else { self.gap.max(self.write / 2) }
    }

    /// The least cost of a chunk that is read, for dividing chunks into tasks. Neighbours may share a request.
    pub(crate) fn least_of_chunk(self) -> u64 {
        (self.request / 4).max(CHUNK_COST)
    }
}

/// A piece of a file.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The file.
    pub store: Arc<Store>,
    /// Where the piece begins in it.
    pub offset: u64,
    /// How long it is.
    pub length: u64,
}

impl Source {
    /// Checks that a range lies in the allocated space, before memory is taken for it.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.check(offset, length),
            Self::External(_) => Ok(()),
            Self::Other(other) => other.check(offset, length),
        }
    }

    /// The costs of its requests.
    pub(crate) fn costs(&self) -> Costs {
        match self {
            Self::File(_) | Self::External(_) => Costs::LOCAL_FILE,
            Self::Other(other) => other.costs(),
        }
    }

    /// A number that tells sources apart, for sorting.
    pub(crate) fn identity(&self) -> usize {
        match self {
            Self::File(store) => Arc::as_ptr(store).addr(),
            Self::External(segments) => segments.as_ptr().addr(),
            Self::Other(other) => Arc::as_ptr(other).addr(),
        }
    }
}

/// What bytes can be read from.
pub(crate) trait Origin {
    /// The costs of its requests.
    fn costs(&self) -> Costs;

    /// Fills `target` from `offset` on. `bounce` is memory to copy through where that is faster.
    fn read(&self, offset: u64, target: Target<'_>, bounce: &mut [u8]) -> Result<(), StoreError>;
}

/// What bytes can be written to as well.
pub(crate) trait Sink: Origin {
    /// Writes all of `bytes` from `offset` on.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError>;
}

impl Origin for Source {
    fn costs(&self) -> Costs {
        Self::costs(self)
    }

    fn read(&self, offset: u64, mut target: Target<'_>, bounce: &mut [u8]) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.read(offset, target, bounce),
            Self::External(segments) => {
                each_segment(segments, offset, target.len(), |store, position, part| {
                    store.read(position, target.reborrow().part(part), bounce)
                })
            }
            Self::Other(other) => other.read(offset, target),
        }
    }
}

impl Sink for Source {
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.write(offset, bytes),
            Self::External(segments) => {
                each_segment(segments, offset, bytes.len(), |store, position, part| {
                    store.write(position, &bytes[part.offset..][..part.length])
                })
            }
            Self::Other(other) => other.write(offset, bytes),
        }
    }
}

/// Calls `move_part` with each file that has some of `length` bytes from `offset` on: where they begin in it, and which
/// of the bytes they are.
fn each_segment(
    segments: &[Segment],
    offset: u64,
    length: usize,
    mut move_part: impl FnMut(&Store, u64, Run) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (mut skip, mut done, mut end) = (offset, 0, 0_u64);
    for segment in segments {
        if done == length {
            return Ok(());
        }
        end = end.saturating_add(segment.length);
        if skip >= segment.length {
            skip -= segment.length;
            continue;
        }
        let room = usize::try_from(segment.length - skip).unwrap_or(usize::MAX);
        let part = Run { offset: done, length: room.min(length - done) };
        let position = segment.offset.checked_add(skip).ok_or(StoreError::OutsideFile {
            offset: segment.offset,
            length: skip,
            end: segment.store.end(),
        })?;
        move_part(&segment.store, position, part)?;
        done += part.length;
        skip = 0;
    }
    if done == length {
        return Ok(());
    }
    Err(StoreError::OutsideFile { offset, length: (length - done) as u64, end })
}
