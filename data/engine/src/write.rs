//! Writing in place, where storage exists.

use core::ops::Range;
use std::sync::Arc;

use convert::Conversion;
use pool::Scratch;
use selection::{ChunkGrid, Row, Selection};
use trace::Kind;

use crate::delivery::buffer_lengths;
use crate::deposit::{Buffers, Deposit};
use crate::error::EngineError;
use crate::fetch::window_length;
use crate::outline::{Outline, Storage, reach};
use crate::plan::{Plan, Work};
use crate::request::{ChunkAddress, Converted};
use crate::run::Engine;
use crate::source::{Sink, Source};
use crate::walk::Walk;

/// One dataset's part of a write.
#[derive(Debug)]
pub struct WritePart<'a> {
    /// Bytes of an element in the file.
    pub element: u64,
    /// How elements in memory become those in the file; `None` if they are the same. Its
    /// [`element`](Converted::element) is, as for reads, the bytes of an element in memory.
    pub conversion: Option<Arc<Converted>>,
    /// What is written of the dataset. No place of it is selected twice.
    pub file: Selection,
    /// Whether it is in order of offset. If this says so and it is not, what lies between may be lost.
    pub file_in_order: bool,
    /// Where the elements are in memory; a place may be selected several times.
    pub memory_selection: Selection,
    /// The application's memory.
    pub memory: &'a [u8],
}

/// A part whose storage exists and is written in place.
#[derive(Debug)]
pub struct InPlace<'a> {
    /// What is written.
    pub part: &'a WritePart<'a>,
    /// Where to.
    pub target: &'a Source,
    /// How elements map to bytes there.
    pub layout: Places,
    /// Nobody else writes anywhere in the dataset meanwhile, so that short runs can be written with what lies between.
    pub is_all_claimed: bool,
}

/// Where a dataset's elements are written.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a write has few, and boxing would be an allocation for each")]
pub enum Places {
    /// Row-major in one piece from this offset on.
    Contiguous(u64),
    /// In chunks.
    Chunked {
        /// The grid.
        grid: ChunkGrid,
        /// The chunks that the file selection touches, in the order in which the grid counts them. What is selected in
        /// missing ones is not written here.
        chunks: Vec<ChunkAddress>,
    },
}

impl WritePart<'_> {
    /// Bytes of an element in the file and in memory.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.element, self.conversion.as_ref().map_or(self.element, |with| with.element))
    }

    pub(crate) fn conversion(&self) -> Option<&Conversion> {
        self.conversion.as_ref().map(|with| &with.conversion)
    }

    /// The part for the planner and its checks.
    pub(crate) fn outline<'r>(&'r self, target: &'r Source, storage: Storage<'r>) -> Outline<'r> {
        Outline {
            source: target,
            storage,
            sizes: self.sizes(),
            file: &self.file,
            file_in_order: self.file_in_order,
            memory_selection: &self.memory_selection,
            memory_length: self.memory.len(),
            fill: None,
            is_copied: false,
            apart: true,
        }
    }
}

impl InPlace<'_> {
    fn outline(&self) -> Outline<'_> {
        let storage = match &self.layout {
            Places::Contiguous(base) => Storage::Contiguous(*base),
            Places::Chunked { grid, chunks } => Storage::Chunked(grid, chunks),
        };
        self.part.outline(self.target, storage)
    }

    /// The bytes of the target between which everything is that the part writes.
    fn ranges(&self) -> Vec<Range<u64>> {
        let range = |at: u64, reach: Range<u64>| at.saturating_add(reach.start)..at.saturating_add(reach.end);
        match &self.layout {
            Places::Contiguous(base) => {
                let reach = reach(&self.part.file, self.part.element);
                reach.map(|reach| range(*base, reach)).into_iter().collect()
            }
            Places::Chunked { grid, chunks } => {
                let bytes = grid.chunk_len().saturating_mul(self.part.element);
                let each = |chunk: &ChunkAddress| match chunk {
                    ChunkAddress::At(address) => Some(range(*address, 0..bytes)),
                    ChunkAddress::Missing => None,
                };
                chunks.iter().filter_map(each).collect()
            }
        }
    }

    fn deposit<'b>(&'b self, scratch: &'b mut Scratch) -> Result<Deposit<'b, 'b, Source>, EngineError> {
        let (conversion, (element, memory_element)) = (self.part.conversion(), self.part.sizes());
        let lengths = buffer_lengths(conversion.is_some(), (memory_element, element));
        let window = window_length(self.target.costs(), conversion.is_some(), element);
        let [window, gathered, converted] = scratch
            .pieces([window, lengths[0], lengths[1]])
            .map_err(|error| EngineError::OutOfMemory(error.bytes))?;
        Ok(Deposit::new(self.target, self.part, Buffers { window, gathered, converted }))
    }
}

impl Engine<'_> {
    /// Writes parts whose storage exists. They are different datasets or different areas; where one lies between
    /// what another writes, the parts come one after another.
    ///
    /// The caller sees to it that nobody else writes inside the smallest box around what a contiguous part selects (or anywhere
    /// in the dataset, if it says so), or to the chunks of a chunked one: bytes there that are not selected may be read and
    /// written back.
    ///
    /// # Errors
    /// The first failure in order of the files' bytes. What was selected may then be written or not.
    pub fn write(&self, parts: &[InPlace<'_>]) -> Result<(), EngineError> {
        if let [part] = parts
            && let Some(outcome) = write_run(part)
        {
            return outcome;
        }
        let overlap = parts.len() > 1 && targets_overlap(parts);
        let selected = |part: &InPlace<'_>| part.part.file.len().saturating_mul(part.part.element);
        let planning = trace::step_of(Kind::Plan, || parts.iter().map(selected).fold(0, u64::saturating_add));
        let plan = Plan::of(parts.iter().map(InPlace::outline), overlap, self.task_bytes)?;
        drop(planning);
        self.work_off(&plan, |task, scratch| {
            let (part, plan) = (&parts[task.part], &plan.parts[task.part]);
            let WritePart { file, file_in_order, memory_selection, .. } = part.part;
            let walk = Walk { memory: memory_selection, in_order: *file_in_order, plan };
            let mut deposit = part.deposit(scratch)?;
            let (range, elements) = match &task.work {
                Work::Ranks(ranks) => {
                    return rows(part, &walk, file.rows_of_ranks(ranks.clone()), &mut deposit, task.part);
                }
                Work::Rows(range) => {
                    let sorted = plan.rows[range.clone()].iter().copied();
                    return rows(part, &walk, sorted, &mut deposit, task.part);
                }
                Work::Chunks(range) => (range.clone(), None),
                Work::Elements(number, elements) => (*number..*number + 1, Some(elements)),
                // Not of parts that are written.
                Work::Decode(_) | Work::Runs(_) | Work::Fill(_) | Work::FillChunks(_) => {
                    return Ok(());
                }
            };
            let written = walk.chunks(range, elements, &mut deposit);
            written.map_err(|(error, chunk)| error.of_written_part(task.part, chunk))
        })
    }
}

/// Writes rows of a contiguous part.
fn rows(
    part: &InPlace<'_>,
    walk: &Walk<'_>,
    rows: impl Iterator<Item = Row>,
    deposit: &mut Deposit<'_, '_, Source>,
    number: usize,
) -> Result<(), EngineError> {
    let Places::Contiguous(base) = part.layout else { return Ok(()) };
    if !part.is_all_claimed {
        deposit.within_box_of(base, &part.part.file);
    }
    walk.rows(base, rows, deposit).map_err(|error| error.of_written_part(number, None))
}

/// Writes a part that is one short run on both sides, without a plan. `None` if it is not, or if it does not fit:
/// then the planner says why.
fn write_run(part: &InPlace<'_>) -> Option<Result<(), EngineError>> {
    let InPlace { part, target, layout: Places::Contiguous(base), .. } = part else { return None };
    if part.conversion.is_some() {
        return None;
    }
    let (to, from) = (part.file.as_contiguous()?, part.memory_selection.as_contiguous()?);
    let length = part.file.len().checked_mul(part.element)?;
    let (to, from) = (to.checked_mul(part.element)?, from.checked_mul(part.element)?);
    if length >= target.costs().direct || part.file.len() > part.memory_selection.len() {
        return None;
    }
    let from = usize::try_from(from).ok()?;
    let bytes = part.memory.get(from..from.checked_add(usize::try_from(length).ok()?)?)?;
    let outcome = target.write(base.checked_add(to)?, bytes);
    Some(outcome.map_err(|source| EngineError::Write { part: 0, chunk: None, source }))
}

/// Whether a part may lie between what another writes.
fn targets_overlap(parts: &[InPlace<'_>]) -> bool {
    let mut ranges: Vec<(usize, Range<u64>, usize)> = Vec::new();
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.part.file.is_empty()) {
        let identity = part.target.identity();
        ranges.extend(part.ranges().into_iter().map(|range| (identity, range, number)));
    }
    ranges.sort_unstable_by_key(|(identity, range, _)| (*identity, range.start));
    ranges.windows(2).any(|pair| {
        let [(source, one, part), (next_source, next, next_part)] = pair else { return false };
        source == next_source && part != next_part && one.end > next.start
    })
}

#[cfg(test)]
mod tests;
