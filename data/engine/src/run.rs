//! Working off a plan.

use core::num::NonZeroU64;
use core::ops::Range;

use pool::{Pool, Scratch};
use selection::{Piece, Row, pieces};
use store::StoreError;

use crate::decode::Decoder;
use crate::delivery::{Delivery, buffer_lengths};
use crate::error::EngineError;
use crate::fetch::{Buffers, DIRECT, Fetch, FetchError, WINDOW};
use crate::plan::{PartPlan, Plan, TASK_BYTES, Task, Work};
use crate::request::{Fill, Layout, Part, Request};
use crate::scatter::{Blocks, scatter};
use crate::source::{Origin, Source};

/// Work, in bytes copied, below which waking another thread takes longer than doing it.
const WORTH_WAKING: u64 = 256 * 1024;

/// Bytes of the buffer to copy through: at least a page more than what is copied at a time.
const BOUNCE: usize = 64 * 1024 + 4096;

/// The data plane.
#[derive(Debug, Clone, Copy)]
pub struct Engine<'p> {
    pool: &'p Pool,
    task_bytes: u64,
}

impl<'p> Engine<'p> {
    /// An engine whose work is done by this pool and its callers.
    pub fn new(pool: &'p Pool) -> Self {
        Self { pool, task_bytes: TASK_BYTES }
    }

    /// The same engine, which reads at most about this many bytes at a time.
    #[must_use]
    pub fn with_task_bytes(self, bytes: NonZeroU64) -> Self {
        Self { task_bytes: bytes.get(), ..self }
    }

    /// Reads everything that is requested. (The request is not changed, but its memory is: hence `&mut`.)
    ///
    /// # Errors
    /// The first failure in order of the files' bytes. The memory's content is then unspecified, as after a
    /// failed read of HDF5, but nothing outside the selections is touched.
    pub fn read(&self, request: &mut Request<'_>) -> Result<(), EngineError> {
        let request = &*request;
        if let [part] = request.parts.as_slice()
            && let Some(outcome) = read_run(part)
        {
            return outcome;
        }
        let plan = Plan::new(request, self.task_bytes)?;
        let helpers = if plan.cost < WORTH_WAKING {
            0
        } else {
            usize::try_from(plan.cost / WORTH_WAKING).unwrap_or(usize::MAX)
        };
        let caller = std::thread::current().id();
        let run = |tasks: &[Task]| {
            self.pool.run(tasks.len(), helpers, |index, scratch| {
                let task = &tasks[index];
                // The caller has come for its own data; only idle threads look ahead.
                if matches!(task.work, Work::Ahead(_)) && std::thread::current().id() == caller {
                    return Ok(());
                }
                Worker { request, plan: &plan, part: task.part }.work(&task.work, scratch)
            })
        };
        if plan.overlap {
            return plan.tasks.chunk_by(|one, next| one.part == next.part).try_for_each(run);
        }
        run(&plan.tasks)
    }
}

/// Reads a part that is one short run on both sides, without a plan. `None` if it is not, or if it does not fit:
/// then the planner says why.
fn read_run(part: &Part<'_>) -> Option<Result<(), EngineError>> {
    let Layout::Contiguous(base) = part.layout else { return None };
    if part.conversion.is_some() {
        return None;
    }
    let (from, to) = (part.file.as_contiguous()?, part.memory_selection.as_contiguous()?);
    let length = part.file.len().checked_mul(part.element)?;
    let (from, to) = (from.checked_mul(part.element)?, to.checked_mul(part.element)?);
    let fits = length < DIRECT
        && part.file.len() <= part.memory_selection.len()
        && to.checked_add(length)? <= part.memory.len() as u64;
    if !fits {
        return None;
    }
    let target = part.memory.target(usize::try_from(to).ok()?, usize::try_from(length).ok()?);
    let outcome = part.source.read(base.checked_add(from)?, target, &mut []);
    Some(outcome.map_err(|source| EngineError::Read { part: 0, chunk: None, source }))
}

/// Does the tasks of one part.
struct Worker<'w, 'r> {
    request: &'w Request<'r>,
    plan: &'w Plan<'w>,
    part: usize,
}

impl<'w> Worker<'w, '_> {
    fn work(&self, work: &Work, scratch: &mut Scratch) -> Result<(), EngineError> {
        let part = self.part();
        match work {
            Work::Ranks(ranks) => self.contiguous(part.file.rows_of_ranks(ranks.clone()), scratch),
            Work::Rows(range) => {
                self.contiguous(self.part_plan().rows[range.clone()].iter().copied(), scratch)
            }
            Work::Chunks(range) => self.chunks(range.clone(), None, scratch),
            Work::Decode(range) => self.filtered(range.clone(), scratch),
            Work::Ahead(index) => {
                self.ahead(*index, scratch);
                Ok(())
            }
            Work::Elements(number, elements) => self.chunks(*number..*number + 1, Some(elements), scratch),
            Work::Fill(ranks) => self.fill(part.file.rows_of_ranks(ranks.clone())),
            Work::FillChunks(range) => {
                let Some(touched) = &self.part_plan().touched else { return Ok(()) };
                for &number in &self.part_plan().missing[range.clone()] {
                    if let Some(chunk) = touched.nth(number) {
                        self.fill(touched.local(&chunk).rows())?;
                    }
                }
                Ok(())
            }
        }
    }

    fn part(&self) -> &'w Part<'w> {
        &self.request.parts[self.part]
    }

    fn part_plan(&self) -> &'w PartPlan<'w> {
        &self.plan.parts[self.part]
    }

    fn contiguous(&self, rows: impl Iterator<Item = Row>, scratch: &mut Scratch) -> Result<(), EngineError> {
        let part = self.part();
        let Layout::Contiguous(base) = part.layout else { return Ok(()) };
        let mut fetch = fetch(part, scratch)?;
        each_piece(rows, part, |piece| fetch.piece(base, piece))
            .and_then(|()| Ok(fetch.flush()?))
            .map_err(|error| error.of_part(self.part, None))
    }

    /// Reads what is selected in each of the chunks, or only these elements of it.
    fn chunks(
        &self,
        range: Range<usize>,
        elements: Option<&Range<u64>>,
        scratch: &mut Scratch,
    ) -> Result<(), EngineError> {
        let (part, plan) = (self.part(), self.part_plan());
        let Some(touched) = &plan.touched else { return Ok(()) };
        let chunks = &plan.chunks[range];
        let mut fetch = fetch(part, scratch)?;
        let mut current = 0;
        let mut read = || {
            for &(number, address) in chunks {
                current = number;
                let Some(chunk) = touched.nth(number) else { continue };
                let local = touched.local(&chunk);
                let mut use_piece = |piece: &Piece| fetch.piece(address, piece);
                match elements {
                    None if part.file_in_order => each_piece(local.rows(), part, &mut use_piece)?,
                    Some(range) if part.file_in_order => {
                        each_piece(cut(local.rows(), range.clone()), part, &mut use_piece)?;
                    }
                    _ => {
                        let range = elements.cloned().unwrap_or(0..u64::MAX);
                        let mut rows: Vec<_> = cut(local.rows(), range).collect();
                        rows.sort_unstable_by_key(|row| (row.offset, row.rank));
                        each_piece(rows.into_iter(), part, &mut use_piece)?;
                    }
                }
            }
            Ok(fetch.flush()?)
        };
        read().map_err(|error: WalkError| {
            // A read may be of several chunks, and of earlier ones than the current.
            let number = error.at().map_or(current, |at| {
                chunks.iter().rev().find(|(_, address)| *address <= at).map_or(current, |chunk| chunk.0)
            });
            error.of_part(self.part, touched.nth(number).map(|chunk| chunk.origin))
        })
    }

    /// Decodes chunks and delivers what is selected of them.
    fn filtered(&self, range: Range<usize>, scratch: &mut Scratch) -> Result<(), EngineError> {
        let (part, plan) = (self.part(), self.part_plan());
        let (Layout::Filtered(chunks), Some(touched)) = (&part.layout, &plan.touched) else { return Ok(()) };
        let decoder = Decoder { part, index: self.part, chunks };
        for (&(number, _), ready) in plan.chunks[range.clone()].iter().zip(&plan.ready[range]) {
            let Some(chunk) = touched.nth(number) else { continue };
            let local = touched.local(&chunk);
            match (ready, usize::try_from(number).ok().and_then(|number| chunks.chunks.get(number))) {
                (Some(elements), _) => decoder.deliver(elements, &local, scratch)?,
                (None, Some(Some(stored))) => decoder.chunk(&chunk, stored, &local, scratch)?,
                // Only chunks with storage are in the list.
                (None, _) => {}
            }
        }
        Ok(())
    }

    fn ahead(&self, index: usize, scratch: &mut Scratch) {
        let part = self.part();
        let Layout::Filtered(chunks) = &part.layout else { return };
        if let Some((number, stored)) = chunks.ahead.get(index) {
            Decoder { part, index: self.part, chunks }.ahead(*number, stored, scratch);
        }
    }

    /// Writes the fill value to everything the rows select.
    fn fill(&self, rows: impl Iterator<Item = Row>) -> Result<(), EngineError> {
        let part = self.part();
        let Fill::Element(element) = &part.fill else { return Ok(()) };
        // A stretch of fill values long enough that copying it is cheap.
        let repeats = (4096 / element.len().max(1)).max(1);
        let pattern = element.repeat(repeats);
        let fill_piece = |piece: &Piece| -> Result<(), FetchError> {
            for turn in 0..piece.count {
                let mut at = piece.memory + turn * piece.memory_stride;
                let mut left = piece.block;
                while left > 0 {
                    let count = left.min(repeats as u64);
                    let blocks = fill_blocks(at, count, part.memory_element()).ok_or(FetchError::Overflow)?;
                    scatter(&pattern, &part.memory, &blocks);
                    at += count;
                    left -= count;
                }
            }
            Ok(())
        };
        each_piece(rows, part, fill_piece).map_err(|error| error.of_part(self.part, None))
    }
}

/// The elements of the rows that are in `range`, counted over all rows.
fn cut(rows: impl Iterator<Item = Row>, range: Range<u64>) -> impl Iterator<Item = Row> {
    let mut before = 0;
    rows.map_while(move |row| {
        let begin = range.start.saturating_sub(before).min(row.len());
        let end = range.end.checked_sub(before).filter(|left| *left > 0)?.min(row.len());
        before += row.len();
        Some(cut_row(&row, begin, end))
    })
    .flatten()
}

/// Elements `begin` to `end` of a row: the end of a block, whole blocks, the beginning of a block.
fn cut_row(row: &Row, begin: u64, end: u64) -> impl Iterator<Item = Row> + use<> {
    let &Row { offset, block, stride, rank, .. } = row;
    let blocks = |at: u64, block: u64, count: u64| Row {
        offset: offset + at / row.block * row.stride + at % row.block,
        block,
        count,
        stride: if count == 1 { block } else { stride },
        rank: rank + at,
    };
    let head = (begin.next_multiple_of(block).min(end) - begin) % block;
    let whole = (end - begin - head) / block;
    let rest = (end - begin - head) % block;
    [
        (head > 0).then(|| blocks(begin, head, 1)),
        (whole > 0).then(|| blocks(begin + head, block, whole)),
        (rest > 0).then(|| blocks(end - rest, rest, 1)),
    ]
    .into_iter()
    .flatten()
}

/// What stops a walk over pieces.
pub(crate) enum WalkError {
    Fetch(FetchError),
    Selection(selection::SelectionError),
}

impl From<FetchError> for WalkError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

impl WalkError {
    /// The byte of the source that could not be read, if it was one.
    fn at(&self) -> Option<u64> {
        match self {
            Self::Fetch(FetchError::Store(StoreError::Io { offset, .. })) => Some(*offset),
            Self::Fetch(FetchError::Store(StoreError::OutsideFile { offset, length, .. })) => {
                Some(offset.saturating_add(length.saturating_sub(1)))
            }
            _ => None,
        }
    }

    pub(crate) fn of_part(self, part: usize, chunk: Option<selection::Dims>) -> EngineError {
        match self {
            Self::Fetch(error) => error.of_part(part, chunk),
            Self::Selection(source) => EngineError::Selection { part, source },
        }
    }
}

/// Calls `use_piece` with each piece until it fails.
pub(crate) fn each_piece(
    rows: impl Iterator<Item = Row>,
    part: &Part<'_>,
    mut use_piece: impl FnMut(&Piece) -> Result<(), FetchError>,
) -> Result<(), WalkError> {
    let mut failure = None;
    pieces(rows, &part.memory_selection, |piece| {
        if failure.is_none() {
            failure = use_piece(&piece).err();
        }
    })
    .map_err(WalkError::Selection)?;
    failure.map_or(Ok(()), |error| Err(WalkError::Fetch(error)))
}

/// A fetch for a part, with buffers.
fn fetch<'f, 'b>(part: &'f Part<'f>, scratch: &'b mut Scratch) -> Result<Fetch<'f, 'b, Source>, EngineError> {
    let [gathered, converted] = buffer_lengths(part);
    // Elements are converted whole.
    let window =
        WINDOW.max(if gathered == 0 { 0 } else { usize::try_from(part.element).unwrap_or(usize::MAX) });
    let [window, bounce, gathered, converted] = scratch
        .pieces([window, BOUNCE, gathered, converted])
        .map_err(|error| EngineError::OutOfMemory(error.bytes))?;
    let delivery = Delivery::new(part, [gathered, converted]);
    let sizes = (part.element, part.memory_element());
    Ok(Fetch::new(part.source, delivery, sizes, Buffers { window, bounce }))
}

/// `count` elements of the pattern to element `at` of memory.
fn fill_blocks(at: u64, count: u64, element: u64) -> Option<Blocks> {
    let length = usize::try_from(count.checked_mul(element)?).ok()?;
    let to = usize::try_from(at.checked_mul(element)?).ok()?;
    Some(Blocks { from: 0, from_stride: length, to, to_stride: length, length, to_length: length, count: 1 })
}

#[cfg(test)]
mod tests;
