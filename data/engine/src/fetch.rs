//! Working off one task: from strided pieces to system calls.
//!
//! Neighbours closer than the gap in the source's [`Costs`] are read together into a window and copied out of it,
//! sparse pieces are read one by one, and blocks that are long enough go straight into the application's memory.
//!
//! There are no vectored reads here: for every block too short for a direct read a window that stays in the core's
//! cache is faster, up to two times (measured; the kernel copies to many small targets slowly).

use selection::{Chunk, Piece};
use store::Target;
use trace::Kind;

use crate::bytes::Bytes;
use crate::delivery::Delivery;
use crate::scatter::Blocks;
use crate::source::{Costs, Origin};
use crate::walk::{MoveError, Mover};

/// Bytes of a window for elements of this size in the file: they are converted whole.
pub(crate) fn window_length(costs: Costs, is_converting: bool, element: u64) -> usize {
    // A block that does not go straight into memory fits.
    let window = costs.window.max(usize::try_from(costs.direct).unwrap_or(costs.window));
    if is_converting { usize::try_from(element).unwrap_or(usize::MAX).max(window) } else { window }
}

/// Buffers of the thread that fetches.
pub(crate) struct Buffers<'b> {
    /// For windows: as many bytes as [`window_length`] says, or as many as one element has if it is converted.
    pub(crate) window: &'b mut [u8],
    /// For copying through.
    pub(crate) bounce: &'b mut [u8],
}

/// Pieces in file order, turned into reads. (Any order is correct, but only neighbours are read together.)
pub(crate) struct Fetch<'f, 'b, S> {
    source: &'f S,
    costs: Costs,
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

impl<'f, 'b, S: Origin> Fetch<'f, 'b, S> {
    /// A fetch of elements of these sizes, in the file and in memory.
    pub(crate) fn new(
        source: &'f S,
        delivery: Delivery<'f, 'b>,
        (element, memory_element): (u64, u64),
        buffers: Buffers<'b>,
    ) -> Self {
        let costs = source.costs();
        Self {
            source,
            costs,
            delivery,
            element,
            memory_element,
            buffers,
            waiting: Vec::new(),
            start: 0,
            end: 0,
        }
    }

    /// Cuts one block that is larger than the window into elements that fit it.
    fn in_windows(&mut self, block: &Bytes) -> Result<(), MoveError> {
        let window = self.buffers.window.len() as u64;
        block.parts(window, (self.element, self.memory_element)).try_for_each(|part| self.gather(&part))
    }

    /// Adds small blocks to the window, reading it when they do not fit.
    fn gather(&mut self, bytes: &Bytes) -> Result<(), MoveError> {
        let capacity = self.buffers.window.len() as u64;
        let mut done = 0;
        while done < bytes.count {
            let rest = bytes.nth(done);
            // What begins inside the window fits as well as what follows it: repeated points do.
            let follows = !self.waiting.is_empty()
                && rest.file >= self.start
                && rest.file.saturating_sub(self.end) <= self.costs.gap
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
            let blocks = rest.out_of_window(self.start, count).ok_or(MoveError::Overflow)?;
            if !self.waiting.last_mut().is_some_and(|last| last.append(&blocks)) {
                self.waiting.push(blocks);
            }
            done += count;
        }
        Ok(())
    }

    /// Reads large blocks straight into memory.
    fn direct(&mut self, bytes: &Bytes) -> Result<(), MoveError> {
        let block = usize::try_from(bytes.block).map_err(|_| MoveError::Overflow)?;
        for turn in 0..bytes.count {
            let one = bytes.nth(turn);
            let target = self.delivery.memory.target(one.memory, block);
            let _span = trace::step(Kind::Fetch, bytes.block);
            self.source.read(one.file, target, self.buffers.bounce)?;
        }
        Ok(())
    }
}

impl<S: Origin> Mover for Fetch<'_, '_, S> {
    fn enter(&mut self, _: &Chunk) {}

    fn piece(&mut self, base: u64, piece: &Piece) -> Result<(), MoveError> {
        let bytes =
            Bytes::new(base, piece, (self.element, self.memory_element)).ok_or(MoveError::Overflow)?;
        if !self.delivery.is_plain() && bytes.block > self.buffers.window.len() as u64 {
            return (0..bytes.count).try_for_each(|turn| self.in_windows(&bytes.nth(turn)));
        }
        if bytes.block >= self.costs.direct && self.delivery.is_plain() {
            self.flush()?;
            return self.direct(&bytes);
        }
        if bytes.count > 1 && bytes.file_stride - bytes.block > self.costs.gap {
            for turn in 0..bytes.count {
                self.gather(&bytes.nth(turn))?;
            }
            return Ok(());
        }
        self.gather(&bytes)
    }

    /// Reads the window and copies everything out of it.
    fn flush(&mut self) -> Result<(), MoveError> {
        match self.waiting.as_slice() {
            [] => return Ok(()),
            [only] if only.count == 1 && self.delivery.is_plain() => {
                let target = self.delivery.memory.target(only.to, only.length);
                self.source.read(self.start, target, self.buffers.bounce)?;
            }
            several => {
                let length = usize::try_from(self.end - self.start).map_err(|_| MoveError::Overflow)?;
                let window = &mut self.buffers.window[..length];
                let span = trace::step(Kind::Fetch, length as u64);
                self.source.read(self.start, Target::from_slice(window), self.buffers.bounce)?;
                let kind = if self.delivery.is_plain() { Kind::Scatter } else { Kind::Convert };
                let _span = span.then(kind).of(length as u64);
                for blocks in several {
                    self.delivery.deliver(window, blocks);
                }
            }
        }
        self.waiting.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
