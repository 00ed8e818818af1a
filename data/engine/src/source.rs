//! Where bytes come from and go to: a file, or external files one after another.

use std::sync::Arc;

use store::{Run, Store, StoreError, Target};

/// A sequence of bytes to read from and to write to.
#[derive(Debug, Clone)]
pub enum Source {
    /// The file itself.
    File(Arc<Store>),
    /// Pieces of other files, which together make up a dataset's bytes.
    External(Arc<[Segment]>),
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
    pub(crate) fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.check(offset, length),
            Self::External(_) => Ok(()),
        }
    }

    /// A number that tells sources apart, for sorting.
    pub(crate) fn identity(&self) -> usize {
        match self {
            Self::File(store) => Arc::as_ptr(store).addr(),
            Self::External(segments) => segments.as_ptr().addr(),
        }
    }
}

/// What bytes can be read from.
pub(crate) trait Origin {
    /// Fills `target` from `offset` on. `bounce` is memory to copy through where that is faster.
    fn read(&self, offset: u64, target: Target<'_>, bounce: &mut [u8]) -> Result<(), StoreError>;
}

/// What bytes can be written to as well.
pub(crate) trait Sink: Origin {
    /// Writes all of `bytes` from `offset` on.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError>;
}

impl Origin for Source {
    fn read(&self, offset: u64, mut target: Target<'_>, bounce: &mut [u8]) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.read(offset, target, bounce),
            Self::External(segments) => {
                each_segment(segments, offset, target.len(), |store, position, part| {
                    store.read(position, target.reborrow().part(part), bounce)
                })
            }
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
