//! Pieces in bytes.

use selection::Piece;

use crate::scatter::Blocks;

/// A piece in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes {
    pub(crate) file: u64,
    pub(crate) file_stride: u64,
    pub(crate) memory: usize,
    pub(crate) memory_stride: usize,
    /// Bytes of a block in the file, and in memory.
    pub(crate) block: u64,
    pub(crate) memory_block: usize,
    pub(crate) count: u64,
}

impl Bytes {
    /// A piece in bytes, of elements of these sizes in the file and in memory; `None` if it does not fit.
    pub(crate) fn new(base: u64, piece: &Piece, (element, memory_element): (u64, u64)) -> Option<Self> {
        let scale = |elements: u64| elements.checked_mul(element);
        let in_memory = |elements: u64| usize::try_from(elements.checked_mul(memory_element)?).ok();
        let bytes = Self {
            file: base.checked_add(scale(piece.file)?)?,
            file_stride: scale(piece.file_stride)?,
            memory: in_memory(piece.memory)?,
            memory_stride: in_memory(piece.memory_stride)?,
            block: scale(piece.block)?,
            memory_block: in_memory(piece.block)?,
            count: piece.count,
        };
        // The last byte must be addressable too; everything else relies on it.
        bytes.file_stride.checked_mul(bytes.count - 1)?.checked_add(bytes.block)?.checked_add(bytes.file)?;
        Some(bytes)
    }

    /// Block number `turn` alone, with the strides of all.
    pub(crate) fn nth(&self, turn: u64) -> Self {
        // `turn` is below the count, so none of this overflows: `new` has checked the last block, and
        // memory positions that do not fit fail at the use.
        let step = usize::try_from(turn).unwrap_or(usize::MAX).saturating_mul(self.memory_stride);
        Self {
            file: self.file + turn * self.file_stride,
            memory: self.memory.saturating_add(step),
            count: 1,
            ..*self
        }
    }

    /// `count` blocks as the scatter wants them, from a buffer that begins at file offset `start`.
    pub(crate) fn out_of_window(&self, start: u64, count: u64) -> Option<Blocks> {
        Some(Blocks {
            from: usize::try_from(self.file - start).ok()?,
            from_stride: usize::try_from(self.file_stride).ok()?,
            to: self.memory,
            to_stride: self.memory_stride,
            length: usize::try_from(self.block).ok()?,
            to_length: self.memory_block,
            count: usize::try_from(count).ok()?,
        })
    }

    /// One block cut into elements, of these sizes in the file and in memory, that together have at most `most` bytes
    /// in the file. One element always fits.
    pub(crate) fn parts(
        self,
        most: u64,
        (element, memory_element): (u64, u64),
    ) -> impl Iterator<Item = Self> {
        let most = (most / element.max(1)).max(1);
        let elements = self.block / element.max(1);
        let memory = move |count: u64| usize::try_from(count * memory_element).unwrap_or(usize::MAX);
        (0..elements.div_ceil(most)).map(move |part| {
            let done = part * most;
            let count = most.min(elements - done);
            Self {
                file: self.file + done * element,
                memory: self.memory.saturating_add(memory(done)),
                block: count * element,
                memory_block: memory(count),
                ..self
            }
        })
    }

    /// `count` blocks the other way, from memory to a buffer that begins at file offset `start`.
    pub(crate) fn into_window(self, start: u64, count: u64) -> Option<Blocks> {
        let Blocks { from, from_stride, to, to_stride, length, to_length, count } =
            self.out_of_window(start, count)?;
        Some(Blocks {
            from: to,
            from_stride: to_stride,
            to: from,
            to_stride: from_stride,
            length: to_length,
            to_length: length,
            count,
        })
    }
}

/// A piece of elements that lie in a buffer, as blocks to take out of it; `None` if it does not fit.
pub(crate) fn in_buffer(piece: &Piece, sizes: (u64, u64)) -> Option<Blocks> {
    Bytes::new(0, piece, sizes)?.out_of_window(0, piece.count)
}

/// A piece of elements that belong in a buffer, as blocks to put into it; `None` if it does not fit. The sizes are
/// those of an element in the buffer and in memory, as always.
pub(crate) fn into_buffer(piece: &Piece, sizes: (u64, u64)) -> Option<Blocks> {
    Bytes::new(0, piece, sizes)?.into_window(0, piece.count)
}
