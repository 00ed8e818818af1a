//! The plan of a request, of either direction: tasks, in the order of their bytes in the files.

use core::ops::Range;
use std::sync::Arc;

use chunk_cache::Decoded;
use codecs::Pipeline;
use selection::{ChunkGrid, LocalSelection, Row, Selection, TouchedChunks};

use crate::error::EngineError;
use crate::outline::{Outline, Storage, reach};
use crate::request::{ChunkAddress, ChunkData, FileRun, FilteredChunks, Layout, Part, Request};
use crate::source::{CHUNK_COST, Costs};

/// Bytes of a task, roughly: enough that handing it out costs nothing, few enough to divide a call well.
pub const TASK_BYTES: u64 = 1024 * 1024;

/// Separate reads of a task, roughly.
pub(crate) const TASK_READS: u64 = 256;

/// Runs of [`Layout::Runs`] in a task.
const TASK_RUNS: usize = 64;

/// The cost of decoding a byte, in bytes that could be copied meanwhile.
pub(crate) const DECODE_COST: u64 = 8;

/// The same for chunks that went through these filters: without any they are only read.
pub(crate) fn decode_cost(pipeline: &Pipeline) -> u64 {
    if pipeline.is_empty() { 1 } else { DECODE_COST }
}

/// A piece of work that one thread does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Work {
    /// Elements of these ranks of a contiguous dataset.
    Ranks(Range<u64>),
    /// Some of [`PartPlan::rows`], of a contiguous dataset.
    Rows(Range<usize>),
    /// Some of [`PartPlan::chunks`], which lie near each other.
    Chunks(Range<usize>),
    /// Of one of [`PartPlan::chunks`], these of the elements selected in it.
    Elements(usize, Range<u64>),
    /// Some of [`PartPlan::chunks`], which must be decoded.
    Decode(Range<usize>),
    /// Elements of these ranks, of a dataset without storage.
    Fill(Range<u64>),
    /// Some of [`PartPlan::missing`].
    FillChunks(Range<usize>),
    /// Some of the runs of [`Layout::Runs`].
    Runs(Range<usize>),
}

/// Work, where it is and whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    /// Identity of the source, and about where in it the work begins. Exact if there are several parts.
    pub(crate) place: (usize, u64),
    /// Which part.
    pub(crate) part: usize,
    pub(crate) work: Work,
}

/// Tasks and what they refer to.
#[derive(Debug, Default)]
pub(crate) struct Plan<'r> {
    pub(crate) tasks: Vec<Task>,
    pub(crate) parts: Vec<PartPlan<'r>>,
    /// Parts go to the same memory: those must come one after another, as without us. The tasks are then in the
    /// order of the parts.
    pub(crate) overlap: bool,
    /// Estimated work, in bytes copied.
    pub(crate) cost: u64,
}

/// What the tasks of one part refer to.
#[derive(Debug, Default)]
pub(crate) struct PartPlan<'r> {
    /// For file selections out of order: their rows in order of offset.
    pub(crate) rows: Vec<Row>,
    /// For chunked parts, which chunks are touched.
    pub(crate) touched: Option<TouchedChunks<'r>>,
    /// Touched chunks with storage, by address: their number among the touched ones, and the address.
    pub(crate) chunks: Vec<(u64, u64)>,
    /// Touched chunks without.
    pub(crate) missing: Vec<u64>,
    /// For those that must be decoded, in the order of `chunks`: the ones that are in the cache.
    pub(crate) ready: Vec<Option<Decoded>>,
}

impl<'r> Plan<'r> {
    /// Plans a request in tasks of about `task_bytes`.
    pub(crate) fn new(request: &'r Request<'_>, task_bytes: u64) -> Result<Self, EngineError> {
        let parts = request.parts.as_slice();
        let overlap = parts.len() > 1 && buffers_overlap(parts);
        Self::of(parts.iter().map(Outline::of_read), overlap, task_bytes)
    }

    /// Plans parts, which must come one after another if they overlap.
    pub(crate) fn of(
        parts: impl ExactSizeIterator<Item = Outline<'r>>,
        overlap: bool,
        task_bytes: u64,
    ) -> Result<Self, EngineError> {
        let several = parts.len() > 1;
        let mut plan = Self { overlap, ..Self::default() };
        plan.parts.reserve_exact(parts.len());
        for (index, part) in parts.enumerate() {
            let part_plan = Planner { plan: &mut plan, task_bytes, several, index, part }.part()?;
            plan.parts.push(part_plan);
        }
        if several && !plan.overlap {
            plan.tasks.sort_by_key(|task| task.place);
        }
        Ok(plan)
    }

    /// How many threads are worth waking for it.
    pub(crate) fn helpers(&self) -> usize {
        helpers(self.cost)
    }
}

/// Work, in bytes copied, below which waking another thread takes longer than doing it.
const WORTH_WAKING: u64 = 256 * 1024;

/// Work on one piece of a file that is only copied counts that many times less: it is the memory's more than the processor's, and a
/// second thread gains nothing below 4 MiB.
const ONE_PIECE: u64 = 16;

/// How many threads are worth waking for work of this cost.
pub(crate) fn helpers(cost: u64) -> usize {
    usize::try_from(cost / WORTH_WAKING).unwrap_or(usize::MAX)
}

impl Plan<'_> {
    /// Makes one task of two that decode one chunk each, where two chunks are decoded faster at the same time and there
    /// are enough of them for all threads.
    pub(crate) fn pair_up(&mut self, request: &Request<'_>, threads: impl FnOnce() -> usize) {
        let gains = |part: &Part<'_>| match &part.layout {
            Layout::Filtered(chunks) => {
                chunks.chunk_bytes(part.element).is_some_and(|bytes| chunks.gain_by_pairs(bytes))
            }
            _ => false,
        };
        if !request.parts.iter().any(gains) || self.tasks.len() < threads().saturating_mul(2) {
            return;
        }
        self.tasks.dedup_by(|next, task| {
            let (Work::Decode(next_range), Work::Decode(range)) = (&next.work, &mut task.work) else {
                return false;
            };
            let are_single = range.len() == 1 && next_range.len() == 1;
            let are_neighbours = task.part == next.part && range.end == next_range.start;
            let is_pair = are_single && are_neighbours && gains(&request.parts[task.part]);
            if is_pair {
                range.end = next_range.end;
            }
            is_pair
        });
    }
}

/// Plans one part.
struct Planner<'p, 'r> {
    plan: &'p mut Plan<'r>,
    task_bytes: u64,
    several: bool,
    index: usize,
    part: Outline<'r>,
}

impl<'r> Planner<'_, 'r> {
    fn part(&mut self) -> Result<PartPlan<'r>, EngineError> {
        if self.part.file.is_empty() {
            return Ok(PartPlan::default());
        }
        let bytes = self.part.check(self.index)?;
        match self.part.storage {
            Storage::Missing if self.part.fill.is_none() => {}
            Storage::Missing => {
                self.cost(bytes, 1);
                for ranks in divide(self.part.file.len(), bytes.div_ceil(self.task_bytes)) {
                    self.task(0, Work::Fill(ranks));
                }
            }
            Storage::Contiguous(base) if !self.part.file_in_order => return Ok(self.out_of_order(base)),
            Storage::Contiguous(base) => self.contiguous(base),
            Storage::Chunked(grid, chunks) => return self.chunked(grid, chunks),
            Storage::Filtered(chunks) => return self.filtered(chunks),
            Storage::Runs(runs) => self.runs(runs)?,
        }
        Ok(PartPlan::default())
    }

    /// Tasks for runs, in their order: who lists them knows which files are near each other.
    fn runs(&mut self, runs: &[FileRun]) -> Result<(), EngineError> {
        let length = self.part.memory_length;
        for run in runs {
            let end = run.to.checked_add(run.length);
            if end.is_none_or(|end| end > length) {
                let needed = end.map_or(u64::MAX, |end| end as u64);
                return Err(EngineError::MemoryTooShort { part: self.index, needed, length });
            }
            self.cost((run.length as u64).saturating_add(Costs::LOCAL_FILE.request), 1);
        }
        for start in (0..runs.len()).step_by(TASK_RUNS) {
            self.task(0, Work::Runs(start..runs.len().min(start + TASK_RUNS)));
        }
        Ok(())
    }

    fn cost(&mut self, each: u64, times: u64) {
        self.plan.cost = self.plan.cost.saturating_add(each.saturating_mul(times));
    }

    fn task(&mut self, offset: u64, work: Work) {
        let place = (self.part.source.identity(), offset);
        self.plan.tasks.push(Task { place, part: self.index, work });
    }

    fn contiguous(&mut self, base: u64) {
        let (file, element) = (self.part.file, self.part.sizes.0);
        let effort = Effort::of_selection(file, element, self.part.source.costs());
        let is_one_piece = self.part.is_copied && effort.reads == 1;
        self.cost(if is_one_piece { effort.cost() / ONE_PIECE } else { effort.cost() }, 1);
        let tasks = effort.tasks(self.task_bytes);
        for ranks in divide(file.len(), if self.several { tasks } else { balanced(tasks) }) {
            // A single part's tasks are in order as they come.
            let first = if self.several { file.cursor(ranks.start).next_run(1) } else { None };
            let offset = first.map_or(0, |(offset, _)| base.saturating_add(offset.saturating_mul(element)));
            self.task(offset, Work::Ranks(ranks));
        }
    }

    fn out_of_order(&mut self, base: u64) -> PartPlan<'r> {
        let element = self.part.sizes.0;
        let rows: Vec<_> = self.part.file.rows_by_offset().collect();
        let bytes = self.part.file.len().saturating_mul(element);
        let effort = Effort { reads: rows.len() as u64, bytes, each: self.part.source.costs().request };
        self.cost(effort.cost(), 1);
        for range in divide(rows.len() as u64, effort.tasks(self.task_bytes)) {
            let range = index(range.start)..index(range.end);
            let offset = base.saturating_add(rows[range.start].offset.saturating_mul(element));
            self.task(offset, Work::Rows(range));
        }
        PartPlan { rows, ..PartPlan::default() }
    }

    fn chunked(
        &mut self,
        grid: &'r ChunkGrid,
        addresses: &[ChunkAddress],
    ) -> Result<PartPlan<'r>, EngineError> {
        let (index, element) = (self.index, self.part.sizes.0);
        let touched =
            grid.touched(self.part.file).map_err(|source| EngineError::Selection { part: index, source })?;
        if touched.count() != addresses.len() as u64 {
            let (touched, given) = (touched.count(), addresses.len());
            return Err(EngineError::ChunkCount { part: index, touched, given });
        }
        // One from the middle is like most of them.
        let Some(typical) = touched.nth(touched.count() / 2) else { return Ok(PartPlan::default()) };
        let effort = Effort::of_chunk(&touched.local(&typical), element, self.part.source.costs());
        let chunks = located(addresses);
        self.cost(effort.cost(), chunks.len() as u64);
        // Elements out of order can only be divided into tasks that mix.
        let is_divisible = self.part.file_in_order || !self.part.apart;
        if is_divisible && effort.tasks(self.task_bytes) > 1 {
            for (number, &(nth, address)) in chunks.iter().enumerate() {
                let Some(chunk) = touched.nth(nth) else { continue };
                for elements in divide(touched.local(&chunk).len(), effort.tasks(self.task_bytes)) {
                    self.task(address, Work::Elements(number, elements));
                }
            }
        } else {
            let each = effort.cost().max(self.part.source.costs().least_of_chunk());
            for range in groups(chunks.len(), each, self.task_bytes) {
                self.task(chunks[range.start].1, Work::Chunks(range));
            }
        }
        let missing = if chunks.len() < addresses.len() {
            self.missing(&touched, addresses.iter().map(|address| *address == ChunkAddress::Missing))
        } else {
            Vec::new()
        };
        Ok(PartPlan { touched: Some(touched), chunks, missing, ..PartPlan::default() })
    }

    fn filtered(&mut self, list: &'r FilteredChunks) -> Result<PartPlan<'r>, EngineError> {
        let (index, element) = (self.index, self.part.sizes.0);
        let file = self.part.file;
        let touched =
            list.grid.touched(file).map_err(|source| EngineError::Selection { part: index, source })?;
        if touched.count() != list.chunks.len() as u64 {
            let (touched, given) = (touched.count(), list.chunks.len());
            return Err(EngineError::ChunkCount { part: index, touched, given });
        }
        let bytes = list.chunk_bytes(element).ok_or(EngineError::Overflow { part: index, chunk: None })?;
        let mut chunks: Vec<_> = (0_u64..)
            .zip(&list.chunks)
            .filter_map(|(number, chunk)| match chunk {
                ChunkData::Missing => None,
                ChunkData::Stored(stored) => Some((number, stored.address)),
                ChunkData::Fetched(..) | ChunkData::Decoded(_) | ChunkData::Made(_) => Some((number, 0)),
            })
            .collect();
        chunks.sort_by_key(|&(_, address)| address);
        let kept = list.cache_for(bytes);
        let ready = |&(number, _): &(u64, u64)| {
            let chunk = touched.nth(number);
            match list.chunks.get(usize::try_from(number).ok()?) {
                Some(ChunkData::Decoded(elements)) if elements.len() != bytes => {
                    let (length, chunk) = (elements.len(), chunk.map(|chunk| chunk.origin));
                    Some(Err(EngineError::ChunkLength { part: index, chunk, length, needed: bytes }))
                }
                Some(ChunkData::Decoded(elements)) => Some(Ok(Arc::clone(elements))),
                _ => kept.and_then(|kept| kept.cache().get(kept.key(chunk?.number))).map(Ok),
            }
        };
        let ready = chunks.iter().map(|chunk| ready(chunk).transpose()).collect::<Result<Vec<_>, _>>()?;
        let to_decode = ready.iter().filter(|ready| ready.is_none()).count() as u64;
        let selected = file.len().saturating_mul(element);
        let is_made = list.chunks.iter().any(|chunk| matches!(chunk, ChunkData::Made(_)));
        let decoding = if is_made { DECODE_COST } else { decode_cost(&list.pipeline) };
        let cost = selected.saturating_add(to_decode.saturating_mul(bytes as u64).saturating_mul(decoding));
        self.cost(cost, 1);
        let least = self.part.source.costs().least_of_chunk();
        let each = (cost / (chunks.len() as u64).max(1)).max(least);
        for range in groups(chunks.len(), each, self.task_bytes) {
            self.task(chunks[range.start].1, Work::Decode(range));
        }
        let missing = if chunks.len() < list.chunks.len() {
            self.missing(&touched, list.chunks.iter().map(|chunk| matches!(chunk, ChunkData::Missing)))
        } else {
            Vec::new()
        };
        Ok(PartPlan { touched: Some(touched), chunks, missing, ready, ..PartPlan::default() })
    }

    /// Tasks for the chunks without storage, whose numbers are returned.
    fn missing(&mut self, touched: &TouchedChunks<'_>, is_missing: impl Iterator<Item = bool>) -> Vec<u64> {
        if self.part.fill.is_none() {
            return Vec::new();
        }
        let missing: Vec<_> =
            (0_u64..).zip(is_missing).filter(|(_, missing)| *missing).map(|(number, _)| number).collect();
        let each = (self.part.file.len() / touched.count()).saturating_mul(self.part.sizes.1);
        self.cost(each, missing.len() as u64);
        for range in groups(missing.len(), each, self.task_bytes) {
            self.task(u64::MAX, Work::FillChunks(range));
        }
        missing
    }
}

/// Whether two parts of a call go to the same memory. Those that share it are known not to.
fn buffers_overlap(parts: &[Part<'_>]) -> bool {
    let addresses = |part: &Part<'_>| {
        let start = part.memory.address() as u64;
        // What does not fit is refused later.
        let reach = reach(&part.memory_selection, part.memory_element());
        reach.map(|reach| start.saturating_add(reach.start)..start.saturating_add(reach.end))
    };
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut last_share = None;
    for part in parts.iter().filter(|part| !part.file.is_empty()) {
        let Some(range) = addresses(part) else { continue };
        let share = part.memory.share();
        match ranges.last_mut() {
            // Parts that share memory follow one another.
            Some(before) if share.is_some() && share == last_share => {
                *before = before.start.min(range.start)..before.end.max(range.end);
            }
            _ => ranges.push(range),
        }
        last_share = share;
    }
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.windows(2).any(|pair| pair[0].end > pair[1].start)
}

/// `count` chunks in ranges whose work is about one task's.
pub(crate) fn groups(count: usize, cost: u64, task_bytes: u64) -> impl Iterator<Item = Range<usize>> {
    let group = index(task_bytes / cost.max(CHUNK_COST)).max(1);
    (0..count).step_by(group).map(move |at| at..at.saturating_add(group).min(count))
}

/// A number known to be one of a list's.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The chunks with storage, sorted by address.
fn located(chunks: &[ChunkAddress]) -> Vec<(u64, u64)> {
    let mut list: Vec<_> = (0_u64..)
        .zip(chunks)
        .filter_map(|(number, chunk)| match chunk {
            ChunkAddress::At(address) => Some((number, *address)),
            ChunkAddress::Missing => None,
        })
        .collect();
    list.sort_by_key(|&(_, address)| address);
    list
}

/// How much there is to do for a selection of a contiguous piece of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Effort {
    reads: u64,
    bytes: u64,
    /// The cost of each read.
    each: u64,
}

impl Effort {
    fn of_selection(file: &Selection, element: u64, costs: Costs) -> Self {
        let row = |number: u64| file.rows(number..number + 1).next();
        Self::of_rows(row, file.row_count(), file.len(), element, costs)
    }

    fn of_chunk(local: &LocalSelection<'_>, element: u64, costs: Costs) -> Self {
        let row = |number: u64| local.rows_in(number..number + 1).next();
        Self::of_rows(row, local.row_count(), local.len(), element, costs)
    }

    /// Judges by the first row and where the last one is: the others look like the first.
    fn of_rows(row: impl Fn(u64) -> Option<Row>, rows: u64, length: u64, element: u64, costs: Costs) -> Self {
        let of = |reads, bytes| Self { reads, bytes, each: costs.request };
        let Some(first) = row(0) else { return of(0, 0) };
        let gap = costs.gap / element.max(1);
        if first.count > 1 && first.stride - first.block > gap {
            let reads = length / first.block;
            return of(reads, length.saturating_mul(element));
        }
        let width = first.end() - first.offset;
        if rows == 1 {
            return of(1, width.saturating_mul(element));
        }
        let span = row(rows - 1).map_or(0, |last| last.end().saturating_sub(first.offset)).max(length);
        let together = rows.saturating_mul(width).clamp(length, span);
        if (span - together) / rows > gap {
            return of(rows, together.saturating_mul(element));
        }
        of(1, span.saturating_mul(element))
    }

    fn cost(&self) -> u64 {
        self.bytes.saturating_add(self.reads.saturating_mul(self.each))
    }

    fn tasks(&self, task_bytes: u64) -> u64 {
        self.bytes.div_ceil(task_bytes).max(self.reads.div_ceil(TASK_READS))
    }
}

/// From so many tasks on it hardly matters that some threads do one more than others.
const MANY_TASKS: u64 = 16;

/// How many tasks to make of equal work that needs at least this many, so that all of the usual numbers of threads get the same share:
/// of three tasks, one of two threads does two.
fn balanced(tasks: u64) -> u64 {
    if tasks < MANY_TASKS { tasks.next_power_of_two() } else { tasks }
}

/// `0..length` in `parts` nearly equal ranges, none of them empty.
fn divide(length: u64, parts: u64) -> impl Iterator<Item = Range<u64>> {
    let parts = parts.clamp(1, length.max(1));
    let step = length.div_ceil(parts).max(1);
    (0..length.div_ceil(step)).map(move |part| part * step..((part + 1).saturating_mul(step)).min(length))
}

#[cfg(test)]
mod tests;
