//! Working off one task: from strided pieces to system calls.
//!
//! A system call costs about as much as copying [`GAP`] bytes. So neighbours closer than that are read
//! together into a window and copied out of it, sparse pieces are read one by one, and blocks of at least
//! [`DIRECT`] bytes go straight into the application's memory.
//!
//! There are no vectored reads here: for every block smaller than [`DIRECT`] a window that stays in the core's
//! cache is faster, up to two times (measured; the kernel copies to many small targets slowly).

use selection::Piece;
use store::{StoreError, Target};

use crate::delivery::Delivery;
use crate::error::EngineError;
use crate::scatter::Blocks;
use crate::source::Origin;

/// Bytes between two pieces up to which they are read together.
pub(crate) const GAP: u64 = 4096;

/// Bytes of a block from which it is read straight into memory.
pub(crate) const DIRECT: u64 = 16 * 1024;

/// Bytes read together at most: small enough to stay in a core's own cache until they are copied out.
pub(crate) const WINDOW: usize = 128 * 1024;

/// Buffers of the thread that fetches.
pub(crate) struct Buffers<'b> {
    /// For windows: [`WINDOW`] bytes, or as many as one element has if it is converted.
    pub(crate) window: &'b mut [u8],
    /// For copying through.
    pub(crate) bounce: &'b mut [u8],
}

/// Pieces in file order, turned into reads. (Any order is correct, but only neighbours are read together.)
pub(crate) struct Fetch<'f, 'b, S> {
    source: &'f S,
    delivery: Delivery<'f, 'b>,
    /// Bytes of an element in the file, and in memory.
    element: u64,
    memory_element: u64,
    buffers: Buffers<'b>,
    /// Pieces waiting to be read together; `from` is relative to `start`.
    waiting: Vec<Blocks>,
    start: u64,
    end: u64,
}

/// What stops a fetch; the task adds which part it was.
#[derive(Debug)]
pub(crate) enum FetchError {
    Store(StoreError),
    Overflow,
}

impl From<StoreError> for FetchError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl FetchError {
    pub(crate) fn of_part(self, part: usize, chunk: Option<selection::Dims>) -> EngineError {
        match self {
            Self::Store(source) => EngineError::Read { part, chunk, source },
            Self::Overflow => EngineError::Overflow { part, chunk },
        }
    }
}

/// A piece in bytes.
#[derive(Debug, Clone, Copy)]
struct Bytes {
    file: u64,
    file_stride: u64,
    memory: usize,
    memory_stride: usize,
    /// Bytes of a block in the file, and in memory.
    block: u64,
    memory_block: usize,
    count: u64,
}

impl<'f, 'b, S: Origin> Fetch<'f, 'b, S> {
    /// A fetch of elements of these sizes, in the file and in memory.
    pub(crate) fn new(
        source: &'f S,
        delivery: Delivery<'f, 'b>,
        (element, memory_element): (u64, u64),
        buffers: Buffers<'b>,
    ) -> Self {
        Self { source, delivery, element, memory_element, buffers, waiting: Vec::new(), start: 0, end: 0 }
    }

    /// Fetches a piece whose elements are counted from byte `base` of the source.
    pub(crate) fn piece(&mut self, base: u64, piece: &Piece) -> Result<(), FetchError> {
        let bytes =
            Bytes::new(base, piece, (self.element, self.memory_element)).ok_or(FetchError::Overflow)?;
        if !self.delivery.is_plain() && bytes.block > self.buffers.window.len() as u64 {
            return (0..bytes.count).try_for_each(|turn| self.in_windows(&bytes.nth(turn)));
        }
        if bytes.block >= DIRECT && self.delivery.is_plain() {
            self.flush()?;
            return self.direct(&bytes);
        }
        if bytes.count > 1 && bytes.file_stride - bytes.block > GAP {
            for turn in 0..bytes.count {
                self.gather(&bytes.nth(turn))?;
            }
            return Ok(());
        }
        self.gather(&bytes)
    }

    /// Cuts one block that is larger than the window into elements that fit it.
    fn in_windows(&mut self, block: &Bytes) -> Result<(), FetchError> {
        let most = self.buffers.window.len() as u64 / self.element.max(1);
        let elements = block.block / self.element.max(1);
        let mut done = 0;
        while done < elements {
            let count = most.min(elements - done);
            let memory = |count: u64| usize::try_from(count * self.memory_element).unwrap_or(usize::MAX);
            self.gather(&Bytes {
                file: block.file + done * self.element,
                memory: block.memory.saturating_add(memory(done)),
                block: count * self.element,
                memory_block: memory(count),
                ..*block
            })?;
            done += count;
        }
        Ok(())
    }

    /// Adds small blocks to the window, reading it when they do not fit.
    fn gather(&mut self, bytes: &Bytes) -> Result<(), FetchError> {
        let capacity = self.buffers.window.len() as u64;
        let mut done = 0;
        while done < bytes.count {
            let rest = bytes.nth(done);
            // What begins inside the window fits as well as what follows it: repeated points do.
            let follows = !self.waiting.is_empty()
                && rest.file >= self.start
                && rest.file.saturating_sub(self.end) <= GAP
                && rest.file + rest.block - self.start <= capacity;
            if !follows {
                self.flush()?;
                (self.start, self.end) = (rest.file, rest.file);
            }
            // The first block fits: it was checked above, or the window is empty and a block is smaller. One block is
            // the common case, and a division would be most of its cost.
            let count = if bytes.count - done == 1 {
                1
            } else {
                let room = capacity - (rest.file - self.start);
                let more = (room - rest.block).checked_div(rest.file_stride).unwrap_or(u64::MAX);
                more.saturating_add(1).min(bytes.count - done)
            };
            self.end = self.end.max(rest.file + (count - 1) * rest.file_stride + rest.block);
            let blocks = rest.blocks(self.start, count).ok_or(FetchError::Overflow)?;
            if !self.waiting.last_mut().is_some_and(|last| last.append(&blocks)) {
                self.waiting.push(blocks);
            }
            done += count;
        }
        Ok(())
    }

    /// Reads the window and copies everything out of it.
    pub(crate) fn flush(&mut self) -> Result<(), FetchError> {
        match self.waiting.as_slice() {
            [] => return Ok(()),
            [only] if only.count == 1 && self.delivery.is_plain() => {
                let target = self.delivery.memory.target(only.to, only.length);
                self.source.read(self.start, target, self.buffers.bounce)?;
            }
            several => {
                let length = usize::try_from(self.end - self.start).map_err(|_| FetchError::Overflow)?;
                let window = &mut self.buffers.window[..length];
                self.source.read(self.start, Target::from_slice(window), self.buffers.bounce)?;
                for blocks in several {
                    self.delivery.deliver(window, blocks);
                }
            }
        }
        self.waiting.clear();
        Ok(())
    }

    /// Reads large blocks straight into memory.
    fn direct(&mut self, bytes: &Bytes) -> Result<(), FetchError> {
        let block = usize::try_from(bytes.block).map_err(|_| FetchError::Overflow)?;
        for turn in 0..bytes.count {
            let one = bytes.nth(turn);
            let target = self.delivery.memory.target(one.memory, block);
            self.source.read(one.file, target, self.buffers.bounce)?;
        }
        Ok(())
    }
}

impl Bytes {
    /// A piece in bytes, of elements of these sizes in the file and in memory; `None` if it does not fit.
    fn new(base: u64, piece: &Piece, (element, memory_element): (u64, u64)) -> Option<Self> {
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
    fn nth(&self, turn: u64) -> Self {
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
    fn blocks(&self, start: u64, count: u64) -> Option<Blocks> {
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
}

/// A piece of elements that lie in a buffer, as blocks to deliver; `None` if it does not fit.
pub(crate) fn blocks_in_buffer(piece: &Piece, elements: (u64, u64)) -> Option<Blocks> {
    Bytes::new(0, piece, elements)?.blocks(0, piece.count)
}

#[cfg(test)]
mod tests;
