//! Working off one task of a write: from strided pieces to system calls.
//!
//! The counterpart of [`fetch`](crate::fetch): long blocks that need no conversion are
//! written straight from the application's memory, smaller ones are collected in a window. What lies side by side in
//! the file is written with one system call, however scattered it is in memory.
//!
//! Between blocks that do not touch there are bytes that must stay as they are. If the blocks are many, the window is
//! read first and then written with those bytes as they were. Nobody else may write them meanwhile: who calls has
//! claimed the chunks it writes, or for a contiguous dataset the smallest box around what it selects. So only bytes
//! inside of that box, between the first and the last byte of a task in it, are ever written back; the planner's tasks
//! do not lie between each other.

use convert::Conversion;
use selection::{Chunk, Piece, Selection};
use store::Target;
use trace::Kind;

use crate::bytes::Bytes;
use crate::delivery::Delivery;
use crate::memory::Memory;
use crate::scatter::Blocks;
use crate::source::{Costs, Sink};
use crate::walk::{MoveError, Mover};
use crate::write::WritePart;

/// Buffers of the thread that writes.
pub(crate) struct Buffers<'b> {
    /// As for fetching.
    pub(crate) window: &'b mut [u8],
    /// For converting.
    pub(crate) gathered: &'b mut [u8],
    pub(crate) converted: &'b mut [u8],
}

/// Pieces in file order, turned into writes. (Any order is correct, but only neighbours are written together.)
pub(crate) struct Deposit<'f, 'b, T> {
    target: &'f T,
    costs: Costs,
    memory: &'f [u8],
    conversion: Option<&'f Conversion>,
    /// Bytes of an element in the file, and in memory.
    sizes: (u64, u64),
    buffers: Buffers<'b>,
    claim: Claim,
    /// Pieces waiting to be written together; `to` is relative to `start`.
    waiting: Vec<Blocks>,
    /// The same, divided where bytes lie between that are not ours to write back.
    spans: Vec<Span>,
    start: u64,
    end: u64,
    /// Where in the claim the last piece is.
    last: (u64, u64),
}

/// What nobody else writes, as rows: runs of bytes that are at a distance from each other.
#[derive(Debug, Clone, Copy)]
struct Claim {
    /// Tells chunks apart.
    area: u64,
    /// Where the rows are counted from.
    base: u64,
    /// Bytes from the beginning of a row of the extent to the next; no row is longer.
    distance: u64,
}

/// Blocks between which everything may be written back.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// Where it begins in the window.
    start: u64,
    end: u64,
    /// The first of its blocks.
    first: usize,
    /// How many runs of bytes the blocks are.
    runs: u64,
}

impl Span {
    /// Whether reading and writing all of it costs less than writing each run.
    fn is_worth_sieving(&self, costs: Costs) -> bool {
        let requests = costs.request.saturating_add(costs.write);
        let all = (self.end - self.start).saturating_mul(2).saturating_add(requests);
        self.runs > 1 && self.runs.saturating_mul(costs.write) > all
    }
}

impl Claim {
    /// The row in which the byte at this offset is, and where the next one begins.
    fn row(&self, offset: u64) -> ((u64, u64), u64) {
        let number = offset.saturating_sub(self.base) / self.distance;
        let end = (number.saturating_add(1)).saturating_mul(self.distance).saturating_add(self.base);
        ((self.area, number), end)
    }
}

impl<'f, 'b, T: Sink> Deposit<'f, 'b, T> {
    /// Writes elements of a part to a target.
    pub(crate) fn new(target: &'f T, part: &'f WritePart<'f>, buffers: Buffers<'b>) -> Self {
        Self {
            target,
            costs: target.costs(),
            memory: part.memory,
            conversion: part.conversion(),
            sizes: part.sizes(),
            buffers,
            claim: Claim { area: 0, base: 0, distance: u64::MAX },
            waiting: Vec::new(),
            spans: Vec::new(),
            start: 0,
            end: 0,
            last: (0, 0),
        }
    }

    /// Only the smallest box around the selection, of a dataset that begins at `base`, is claimed.
    pub(crate) fn within_box_of(&mut self, base: u64, selection: &Selection) {
        let Some((low, high)) = selection.bounds() else { return };
        // The box is as wide as the extent in its last dimensions: all of that is one run. It is not in this one.
        let dims = selection.extent().dims();
        let narrow = (0..dims.len()).rev().find(|&d| low[d] != 0 || high[d] + 1 != dims[d]);
        let elements = narrow
            .map(|narrow| dims[narrow..].iter().fold(1, |product: u64, dim| product.saturating_mul(*dim)));
        // What does not fit is longer than anything.
        let distance = elements.map_or(u64::MAX, |elements| elements.saturating_mul(self.sizes.0)).max(1);
        self.claim = Claim { area: 0, base, distance };
    }

    /// Cuts one block that is larger than the window into elements that fit it.
    fn in_windows(&mut self, block: &Bytes) -> Result<(), MoveError> {
        let window = self.buffers.window.len() as u64;
        block.parts(window, self.sizes).try_for_each(|part| self.gather(&part))
    }

    /// Adds small blocks to the window, writing it when they do not fit.
    fn gather(&mut self, bytes: &Bytes) -> Result<(), MoveError> {
        let capacity = self.buffers.window.len() as u64;
        let mut done = 0;
        while done < bytes.count {
            let rest = bytes.nth(done);
            let fits = !self.waiting.is_empty()
                && rest.file >= self.end
                && rest.file - self.end <= self.costs.gap_of_writes()
                && rest.file + rest.block - self.start <= capacity;
            if !fits {
                self.flush()?;
                (self.start, self.end) = (rest.file, rest.file);
            }
            let (row, row_end) = self.claim.row(rest.file);
            let count = if bytes.count - done == 1 {
                1
            } else {
                // As many as fit the window and lie in one row. The first one does.
                let room = (self.start + capacity).min(row_end);
                let more = room.saturating_sub(rest.file + rest.block).checked_div(rest.file_stride);
                more.unwrap_or(0).saturating_add(1).min(bytes.count - done)
            };
            let blocks = rest.into_window(self.start, count).ok_or(MoveError::Overflow)?;
            self.add(&blocks, rest.file, row);
            self.end = rest.file + (count - 1) * rest.file_stride + rest.block;
            if let Some(span) = self.spans.last_mut() {
                span.end = self.end - self.start;
            }
            done += count;
        }
        Ok(())
    }

    /// Adds blocks that begin at this offset, in this row of the claim.
    fn add(&mut self, blocks: &Blocks, offset: u64, row: (u64, u64)) {
        let is_run = blocks.count == 1 || blocks.to_stride == blocks.to_length;
        let runs = if is_run { 1 } else { blocks.count as u64 };
        let follows = offset == self.end;
        match self.spans.last_mut() {
            Some(span) if follows || row == self.last => {
                span.runs += runs - u64::from(follows);
                if !self.waiting.last_mut().is_some_and(|last| last.append(blocks)) {
                    self.waiting.push(*blocks);
                }
            }
            _ => {
                let start = offset - self.start;
                self.spans.push(Span { start, end: start, first: self.waiting.len(), runs });
                self.waiting.push(*blocks);
            }
        }
        self.last = row;
    }

    /// Puts everything that waits into the window.
    fn fill_window(&mut self) -> Result<(), MoveError> {
        let length = usize::try_from(self.end - self.start).map_err(|_| MoveError::Overflow)?;
        let window = &mut self.buffers.window[..length];
        let keeps_some = self.conversion.is_some_and(|conversion| !conversion.writes_all());
        if keeps_some || self.spans.iter().any(|span| span.is_worth_sieving(self.costs)) {
            let _span = trace::step(Kind::Fetch, length as u64);
            self.target.read(self.start, Target::from_slice(window), &mut [])?;
        }
        let kind = if self.conversion.is_some() { Kind::Convert } else { Kind::Gather };
        let _span = trace::step(kind, length as u64);
        let memory = Memory::from_slice(window);
        let buffers = [&mut *self.buffers.gathered, &mut *self.buffers.converted];
        let sizes = (self.sizes.1, self.sizes.0);
        let mut delivery = Delivery::new(&memory, self.conversion, sizes, buffers);
        for blocks in &self.waiting {
            delivery.deliver(self.memory, blocks);
        }
        Ok(())
    }

    /// Writes what is in the window.
    fn write_window(&self) -> Result<(), MoveError> {
        let _span = trace::step(Kind::Deposit, self.end - self.start);
        let window = &*self.buffers.window;
        let bytes = |range: core::ops::Range<usize>| {
            self.target.write(self.start + range.start as u64, &window[range])
        };
        let ends = self.spans.iter().skip(1).map(|span| span.first).chain([self.waiting.len()]);
        for (span, end) in self.spans.iter().zip(ends) {
            if span.runs == 1 || span.is_worth_sieving(self.costs) {
                let place = |at: u64| usize::try_from(at).map_err(|_| MoveError::Overflow);
                bytes(place(span.start)?..place(span.end)?)?;
                continue;
            }
            let mut run = 0..0;
            for blocks in &self.waiting[span.first..end] {
                let (count, length) = if blocks.to_stride == blocks.to_length {
                    (1, blocks.to_length * blocks.count)
                } else {
                    (blocks.count, blocks.to_length)
                };
                for turn in 0..count {
                    let at = blocks.to + turn * blocks.to_stride;
                    if at != run.end {
                        bytes(core::mem::replace(&mut run, at..at))?;
                    }
                    run.end += length;
                }
            }
            bytes(run)?;
        }
        Ok(())
    }

    /// Writes large blocks straight from memory.
    fn direct(&mut self, bytes: &Bytes) -> Result<(), MoveError> {
        for turn in 0..bytes.count {
            let one = bytes.nth(turn);
            let _span = trace::step(Kind::Deposit, bytes.block);
            self.target.write(one.file, &self.memory[one.memory..][..one.memory_block])?;
        }
        Ok(())
    }
}

impl<T: Sink> Mover for Deposit<'_, '_, T> {
    fn enter(&mut self, _: &Chunk) {
        // A chunk is claimed as a whole.
        self.claim.area += 1;
    }

    fn piece(&mut self, base: u64, piece: &Piece) -> Result<(), MoveError> {
        let bytes = Bytes::new(base, piece, self.sizes).ok_or(MoveError::Overflow)?;
        if self.conversion.is_none() && bytes.block >= self.costs.direct {
            self.flush()?;
            return self.direct(&bytes);
        }
        if bytes.block > self.buffers.window.len() as u64 {
            return (0..bytes.count).try_for_each(|turn| self.in_windows(&bytes.nth(turn)));
        }
        if bytes.count > 1 && bytes.file_stride - bytes.block > self.costs.gap {
            return (0..bytes.count).try_for_each(|turn| self.gather(&bytes.nth(turn)));
        }
        self.gather(&bytes)
    }

    fn flush(&mut self) -> Result<(), MoveError> {
        match self.waiting.as_slice() {
            [] => return Ok(()),
            [only] if only.count == 1 && self.conversion.is_none() => {
                self.target.write(self.start, &self.memory[only.from..][..only.length])?;
            }
            _ => {
                self.fill_window()?;
                self.write_window()?;
            }
        }
        self.waiting.clear();
        self.spans.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
