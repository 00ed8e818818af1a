//! What planning needs to know of a part, whichever way its bytes go.

use core::ops::Range;

use selection::{ChunkGrid, Selection, SelectionError};

use crate::error::EngineError;
use crate::request::{ChunkAddress, FileRun, Fill, FilteredChunks, Layout, Part};
use crate::source::Source;

/// A part in outline.
pub(crate) struct Outline<'r> {
    pub(crate) source: &'r Source,
    pub(crate) storage: Storage<'r>,
    /// Bytes of an element in the file and in memory.
    pub(crate) sizes: (u64, u64),
    pub(crate) file: &'r Selection,
    pub(crate) file_in_order: bool,
    pub(crate) memory_selection: &'r Selection,
    pub(crate) memory_length: usize,
    /// What missing data reads as; `None` if nothing is done about it.
    pub(crate) fill: Option<&'r [u8]>,
    /// Elements are the same in memory as in the file.
    pub(crate) is_copied: bool,
    /// No task may touch bytes that lie between those of another: for writing.
    pub(crate) apart: bool,
}

/// How a dataset's elements are stored.
#[derive(Clone, Copy)]
pub(crate) enum Storage<'r> {
    Missing,
    Contiguous(u64),
    Chunked(&'r ChunkGrid, &'r [ChunkAddress]),
    Filtered(&'r FilteredChunks),
    Runs(&'r [FileRun]),
}

impl<'r> Outline<'r> {
    pub(crate) fn of_read(part: &'r Part<'_>) -> Self {
        Self {
            source: part.source,
            storage: match &part.layout {
                Layout::Missing => Storage::Missing,
                Layout::Contiguous(base) => Storage::Contiguous(*base),
                Layout::Chunked { grid, chunks } => Storage::Chunked(grid, chunks),
                Layout::Filtered(chunks) => Storage::Filtered(chunks),
                Layout::Runs(runs) => Storage::Runs(runs),
            },
            sizes: part.sizes(),
            file: &part.file,
            file_in_order: part.file_in_order,
            memory_selection: &part.memory_selection,
            memory_length: part.memory.len(),
            fill: match &part.fill {
                Fill::Element(value) => Some(value),
                Fill::Untouched => None,
            },
            is_copied: part.conversion.is_none(),
            apart: false,
        }
    }

    /// Checks that the selections fit each other and the memory; gives the number of bytes selected.
    pub(crate) fn check(&self, part: usize) -> Result<u64, EngineError> {
        let (element, memory_element) = self.sizes;
        let overflow = EngineError::Overflow { part, chunk: None };
        let (needed, memory) = (self.file.len(), self.memory_selection.len());
        if needed > memory {
            let source = SelectionError::LengthMismatch { needed, memory };
            return Err(EngineError::Selection { part, source });
        }
        let length = self.memory_length;
        let whole = self.memory_selection.extent().count().checked_mul(memory_element);
        if whole.is_none_or(|whole| whole > length as u64) {
            let Some(reach) = reach(self.memory_selection, memory_element) else { return Err(overflow) };
            if reach.end > length as u64 {
                return Err(EngineError::MemoryTooShort { part, needed: reach.end, length });
            }
        }
        match self.fill {
            Some(value) if value.len() as u64 != memory_element => {
                Err(EngineError::FillLength { part, length: value.len(), element: memory_element })
            }
            _ => self.file.len().checked_mul(element).ok_or(overflow),
        }
    }
}

/// The bytes from the first to behind the last selected place, as if all between were selected, of elements of this
/// size. `None` if that does not fit.
pub(crate) fn reach(selection: &Selection, element: u64) -> Option<Range<u64>> {
    let (first, last) = match (selection.as_contiguous(), selection.bounds()) {
        (_, None) => return Some(0..0),
        (Some(first), _) => (first, first + selection.len() - 1),
        (None, Some((low, high))) => {
            let strides = selection.extent().strides();
            // Both corners lie in the extent, whose elements are countable.
            let place = |corner: &[u64]| corner.iter().zip(strides.iter()).map(|(at, step)| at * step).sum();
            (place(&low), place(&high))
        }
    };
    Some(first.checked_mul(element)?..last.checked_add(1)?.checked_mul(element)?)
}
