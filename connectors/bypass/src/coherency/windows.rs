//! Windows on datasets that are being written: small reads and writes of what is stored as it is.
//!
//! Native HDF5 has a sieve for contiguous datasets and a cache for chunks. Both are empty while a dataset is ours, so these
//! windows take their place. They are written when changed chunks are: on flush and close, and before native HDF5, or the
//! engine in larger steps, reads or moves the same bytes. A window has bytes that lie between those that a call selects, so
//! whoever uses windows has claimed all of the dataset.

use std::sync::Arc;

use engine::{ByteStore, ChunkAddress, Costs, Layout, Places, Source};
use selection::Selection;
use store::{Piece, Run, Store, StoreError, Target, Windows};

use crate::coherency::resolved::Resolved;
use crate::coherency::shared::Shared;
use crate::inspect::storage::Storage;

/// Bytes of a call from which the engine moves them without windows.
pub(crate) const LARGE: u64 = 16 * 1024;

impl Resolved {
    /// All bytes of a contiguous dataset.
    pub(crate) fn piece(&self, start: u64) -> Option<Piece> {
        let length = self.extent().count().checked_mul(self.element())?;
        Some(Piece { start, length })
    }

    /// What a read of these elements reads from. In a file that is open for writing small reads go through windows if all of the
    /// dataset is claimed, and before others the windows are written.
    pub(crate) fn origin(
        &self,
        layout: &Layout,
        elements: &Selection,
        is_all_claimed: bool,
    ) -> Result<Option<Source>, StoreError> {
        let windowed = match layout {
            _ if !is_all_claimed => None,
            Layout::Contiguous(start) => self.through_windows(&[ChunkAddress::At(*start)], elements),
            Layout::Chunked { chunks, .. } => self.through_windows(chunks, elements),
            _ => None,
        };
        match &self.shared {
            Some(shared) if windowed.is_none() => shared.flush_windows().map(|()| None),
            _ => Ok(windowed),
        }
    }

    /// What a write of these elements to storage that exists goes to. Before others than small ones the windows are given up.
    pub(crate) fn sink(
        &self,
        places: &Places,
        elements: &Selection,
        is_all_claimed: bool,
    ) -> Result<Option<Source>, StoreError> {
        if let Storage::Chunked(chunks) = self.storage() {
            chunks.forget_revisited(elements);
        }
        let addresses = match places {
            Places::Contiguous(start) => &[ChunkAddress::At(*start)][..],
            Places::Chunked { chunks, .. } => chunks,
        };
        let windowed = if is_all_claimed { self.through_windows(addresses, elements) } else { None };
        match &self.shared {
            Some(shared) if windowed.is_none() => shared.leave_windows().map(|()| None),
            _ => Ok(windowed),
        }
    }

    /// The pieces that begin at these addresses through windows, if these elements of them are few and in few windows.
    fn through_windows(&self, addresses: &[ChunkAddress], elements: &Selection) -> Option<Source> {
        let shared = self.shared.as_ref()?;
        if elements.len().saturating_mul(self.element()) >= LARGE {
            return None;
        }
        let length = match self.storage() {
            Storage::Contiguous(start, _) => self.piece(*start)?.length,
            Storage::Chunked(chunks) => chunks.index.kind().bytes,
            Storage::Missing | Storage::External(_) | Storage::Virtual(_) => return None,
        };
        if needs_many_windows(elements, (addresses.len() as u64).saturating_mul(length)) {
            return None;
        }
        let Ok(Source::File(store)) = self.source() else { return None };
        let mut pieces: Vec<_> = addresses
            .iter()
            .filter_map(|address| match address {
                ChunkAddress::At(start) => Some(Piece { start: *start, length }),
                ChunkAddress::Missing => None,
            })
            .collect();
        pieces.sort_unstable_by_key(|piece| piece.start);
        Some(Source::Other(Arc::new(Windowed { store, pieces, shared: Arc::clone(shared) })))
    }
}

/// Whether elements are spread over more windows than a dataset has at a time, in so many bytes of the file at most. Such a call would
/// give up each window before it is used again, and the engine reads and writes more at a time.
fn needs_many_windows(elements: &Selection, within: u64) -> bool {
    let Some((low, high)) = elements.bounds() else { return false };
    let sides = low.iter().zip(high.iter()).map(|(low, high)| (high - low).saturating_add(1));
    // Each line of the box is in a window of its own, unless lines are short.
    let lines = sides.take(low.len().saturating_sub(1)).fold(1, u64::saturating_mul);
    let windows = within.div_ceil(Windows::WINDOW as u64);
    lines.min(windows).min(elements.len()) > Windows::MOST_BY_SIZE as u64
}

/// Some pieces of a file, read and written through a dataset's windows.
#[derive(Debug)]
struct Windowed {
    store: Arc<Store>,
    /// In the order of the file.
    pieces: Vec<Piece>,
    shared: Arc<Shared>,
}

impl Windowed {
    /// Calls `work` with each piece that has some of `length` bytes from `offset` on: where they begin in the file, and which
    /// of the bytes they are. Pieces may lie side by side.
    fn each_piece(
        &self,
        mut offset: u64,
        length: usize,
        mut work: impl FnMut(Piece, u64, Run) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut done = 0;
        while done < length {
            let left = length - done;
            let behind = self.pieces.partition_point(|piece| piece.start <= offset);
            let piece = behind.checked_sub(1).map(|index| self.pieces[index]);
            let room =
                |piece: &Piece| piece.length.checked_sub(offset - piece.start).filter(|room| *room > 0);
            let Some((piece, room)) = piece.and_then(|piece| Some((piece, room(&piece)?))) else {
                return Err(StoreError::OutsideFile { offset, length: left as u64, end: self.store.end() });
            };
            let part = Run { offset: done, length: left.min(usize::try_from(room).unwrap_or(left)) };
            work(piece, offset, part)?;
            done += part.length;
            offset += part.length as u64;
        }
        Ok(())
    }
}

impl ByteStore for Windowed {
    fn costs(&self) -> Costs {
        // A request is a copy: nothing is gained by joining any.
        Costs { request: 64, write: 64, gap: 0, direct: 1, window: 16 * 1024 }
    }

    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        self.store.check(offset, length)
    }

    fn read(&self, offset: u64, mut target: Target<'_>) -> Result<(), StoreError> {
        let windows = &self.shared.windows;
        self.each_piece(offset, target.len(), |piece, at, part| {
            windows.read(&self.store, piece, at, target.reborrow().part(part))
        })
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let windows = &self.shared.windows;
        self.each_piece(offset, bytes.len(), |piece, at, part| {
            windows.write(&self.store, piece, at, &bytes[part.offset..][..part.length])
        })
    }
}
