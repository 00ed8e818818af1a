//! Working off a plan.

use core::num::NonZeroU64;
use core::ops::Range;

use chunk_cache::OutOfMemory;
use pool::{Pool, Scratch};
use selection::{Piece, Row};
use store::{StoreError, Target};
use trace::Kind;

use crate::decode::{Decoder, Wanted};
use crate::delivery::{Delivery, buffer_lengths};
use crate::error::EngineError;
use crate::fetch::{Buffers, Fetch, window_length};
use crate::plan::{PartPlan, Plan, TASK_BYTES, Task, Work};
use crate::request::{FileRun, Fill, Layout, Part, Request, Window};
use crate::scatter::{Blocks, scatter};
use crate::source::{Origin, Source};
use crate::unpack::Encoded;
use crate::walk::{MoveError, Walk, each_piece};

/// Bytes of the buffer to copy through: at least a page more than what is copied at a time.
const BOUNCE: usize = 64 * 1024 + 4096;

/// The data plane.
#[derive(Debug, Clone, Copy)]
pub struct Engine<'p> {
    pub(crate) pool: &'p Pool,
    pub(crate) task_bytes: u64,
}

impl<'p> Engine<'p> {
    /// An engine whose work is done by this pool and its callers.
    pub fn new(pool: &'p Pool) -> Self {
        Self { pool, task_bytes: TASK_BYTES }
    }

    /// The same engine, which reads or writes at most about this many bytes at a time.
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
        let planning = trace::step_of(Kind::Plan, || request.selected_bytes());
        let mut plan = Plan::new(request, self.task_bytes)?;
        plan.pair_up(request, || self.pool.threads());
        drop(planning);
        // Threads that this request does not need look ahead at once, the others afterwards.
        if plan.tasks.len() < self.pool.threads() {
            self.look_ahead(request);
        }
        self.work_off(&plan, |task, scratch| {
            Worker { request, plan: &plan, part: task.part }.work(&task.work, scratch)
        })?;
        self.look_ahead(request);
        for part in &request.parts {
            if let Layout::Filtered(chunks) = &part.layout
                && let Some(pace) = &chunks.pace
            {
                pace.end();
            }
        }
        Ok(())
    }

    /// Lets idle threads decode what will probably be wanted next.
    fn look_ahead(&self, request: &Request<'_>) {
        for part in &request.parts {
            if let Layout::Filtered(chunks) = &part.layout
                && let Some(ahead) = &chunks.ahead
            {
                ahead.start(self.pool);
            }
        }
    }

    /// Does the tasks of a plan, on this thread and the pool's.
    pub(crate) fn work_off(
        &self,
        plan: &Plan<'_>,
        work: impl Fn(&Task, &mut Scratch) -> Result<(), EngineError> + Sync,
    ) -> Result<(), EngineError> {
        // What is done here and now is told by the call.
        let context = (plan.tasks.len() > 1 && plan.helpers() > 0).then(trace::context);
        let run = |tasks: &[Task]| {
            self.pool.run(tasks.len(), plan.helpers(), |index, scratch| {
                let _span = context.map(trace::Context::task);
                work(&tasks[index], scratch)
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
    let fits = length < part.source.costs().direct
        && part.file.len() <= part.memory_selection.len()
        && to.checked_add(length)? <= part.memory.len() as u64;
    if !fits {
        return None;
    }
    let target = part.memory.target(usize::try_from(to).ok()?, usize::try_from(length).ok()?);
    let outcome = part.source.read(base.checked_add(from)?, target, &mut []);
    Some(outcome.map_err(|source| EngineError::Read { part: 0, chunk: None, source }))
}

/// Reads a run from what is kept around it. What cannot be kept is read by itself.
fn read_through_window(run: &FileRun, window: &Window, target: Target<'_>) -> Result<(), StoreError> {
    /// The window could not be read, or there is no memory for it.
    struct Unkept;
    impl From<OutOfMemory> for Unkept {
        fn from(_: OutOfMemory) -> Self {
            Self
        }
    }

    let read = |bytes: &mut [u8]| {
        run.store.read(window.start, Target::from_slice(bytes), &mut []).map_err(|_| Unkept)
    };
    let kept = window.kept.cache.get_or_decode(window.kept.key(window.number), window.length, read);
    let start = run.from.checked_sub(window.start).and_then(|start| usize::try_from(start).ok());
    let bytes = kept.as_ref().ok().and_then(|kept| kept.get(start?..)?.get(..run.length));
    match bytes {
        Some(bytes) => {
            target.copy_from(bytes);
            Ok(())
        }
        None => run.store.read(run.from, target, &mut []),
    }
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
            Work::Elements(number, elements) => self.chunks(*number..*number + 1, Some(elements), scratch),
            Work::Runs(range) => self.runs(range.clone(), scratch),
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

    fn walk(&self) -> Walk<'w> {
        let part = self.part();
        Walk { memory: &part.memory_selection, in_order: part.file_in_order, plan: self.part_plan() }
    }

    fn contiguous(&self, rows: impl Iterator<Item = Row>, scratch: &mut Scratch) -> Result<(), EngineError> {
        let part = self.part();
        let Layout::Contiguous(base) = part.layout else { return Ok(()) };
        let mut fetch = fetch(part, scratch)?;
        self.walk().rows(base, rows, &mut fetch).map_err(|error| error.of_part(self.part, None))
    }

    /// Reads what is selected in each of the chunks, or only these elements of it.
    fn chunks(
        &self,
        range: Range<usize>,
        elements: Option<&Range<u64>>,
        scratch: &mut Scratch,
    ) -> Result<(), EngineError> {
        let mut fetch = fetch(self.part(), scratch)?;
        let read = self.walk().chunks(range, elements, &mut fetch);
        read.map_err(|(error, chunk)| error.of_part(self.part, chunk))
    }

    /// Reads runs to where they say.
    fn runs(&self, range: Range<usize>, scratch: &mut Scratch) -> Result<(), EngineError> {
        let part = self.part();
        let Layout::Runs(runs) = &part.layout else { return Ok(()) };
        let [bounce] = scratch.pieces([BOUNCE]).map_err(|error| EngineError::OutOfMemory(error.bytes))?;
        runs[range].iter().try_for_each(|run| {
            let target = part.memory.target(run.to, run.length);
            let read = match &run.window {
                Some(window) => read_through_window(run, window, target),
                None => run.store.read(run.from, target, bounce),
            };
            read.map_err(|source| EngineError::Read { part: self.part, chunk: None, source })
        })
    }

    /// Decodes chunks and delivers what is selected of them.
    fn filtered(&self, range: Range<usize>, scratch: &mut Scratch) -> Result<(), EngineError> {
        let (part, plan) = (self.part(), self.part_plan());
        let (Layout::Filtered(chunks), Some(touched)) = (&part.layout, &plan.touched) else { return Ok(()) };
        let decoder = Decoder { part, index: self.part, chunks };
        let gains_by_pairs = decoder.gains_by_pairs();
        let mut waiting = None;
        for (&(number, _), ready) in plan.chunks[range.clone()].iter().zip(&plan.ready[range]) {
            let Some(chunk) = touched.nth(number) else { continue };
            let local = touched.local(&chunk);
            if let Some(elements) = ready {
                decoder.deliver(elements, &local, scratch)?;
                continue;
            }
            let data = usize::try_from(number).ok().and_then(|number| chunks.chunks.get(number));
            // Only chunks with data are in the list.
            let Some(encoded) = data.and_then(Encoded::of) else { continue };
            let wanted = Wanted { chunk, encoded, local };
            if !gains_by_pairs {
                decoder.chunk(&wanted, scratch)?;
            } else if let Some(first) = waiting.take() {
                decoder.pair([&first, &wanted], scratch)?;
            } else {
                waiting = Some(wanted);
            }
        }
        waiting.map_or(Ok(()), |last| decoder.chunk(&last, scratch))
    }

    /// Writes the fill value to everything the rows select.
    fn fill(&self, rows: impl Iterator<Item = Row>) -> Result<(), EngineError> {
        let part = self.part();
        let Fill::Element(element) = &part.fill else { return Ok(()) };
        // A stretch of fill values long enough that copying it is cheap.
        let repeats = (4096 / element.len().max(1)).max(1);
        let pattern = element.repeat(repeats);
        let fill_piece = |piece: &Piece| -> Result<(), MoveError> {
            for turn in 0..piece.count {
                let mut at = piece.memory + turn * piece.memory_stride;
                let mut left = piece.block;
                while left > 0 {
                    let count = left.min(repeats as u64);
                    let blocks = fill_blocks(at, count, part.memory_element()).ok_or(MoveError::Overflow)?;
                    scatter(&pattern, &part.memory, &blocks);
                    at += count;
                    left -= count;
                }
            }
            Ok(())
        };
        each_piece(rows, &part.memory_selection, fill_piece).map_err(|error| error.of_part(self.part, None))
    }
}

/// A fetch for a part, with buffers.
fn fetch<'f, 'b>(part: &'f Part<'f>, scratch: &'b mut Scratch) -> Result<Fetch<'f, 'b, Source>, EngineError> {
    let conversion = part.conversion.as_ref().map(|with| &with.conversion);
    let [gathered, converted] = buffer_lengths(conversion.is_some(), part.sizes());
    let window = window_length(part.source.costs(), conversion.is_some(), part.element);
    let [window, bounce, gathered, converted] = scratch
        .pieces([window, BOUNCE, gathered, converted])
        .map_err(|error| EngineError::OutOfMemory(error.bytes))?;
    let delivery = Delivery::new(&part.memory, conversion, part.sizes(), [gathered, converted]);
    Ok(Fetch::new(part.source, delivery, part.sizes(), Buffers { window, bounce }))
}

/// `count` elements of the pattern to element `at` of memory.
fn fill_blocks(at: u64, count: u64, element: u64) -> Option<Blocks> {
    let length = usize::try_from(count.checked_mul(element)?).ok()?;
    let to = usize::try_from(at.checked_mul(element)?).ok()?;
    Some(Blocks { from: 0, from_stride: length, to, to_stride: length, length, to_length: length, count: 1 })
}
