//! Chunks that are put together in memory, and encoded if they are complete.
//!
//! Filtered chunks cannot be written in part, and chunks without storage cannot be written in place: the elements
//! selected in a chunk are gathered from the application's memory into a buffer on top of what was there before.

use std::sync::Arc;

use codecs::Pipeline;
use pool::Scratch;
use selection::{Chunk, ChunkGrid, LocalSelection, SelectionError, TouchedChunks};
use trace::Kind;

use crate::bytes::into_buffer;
use crate::delivery::{Delivery, buffer_lengths};
use crate::encode::{ENCODE_COST, Slots, copied, encode};
use crate::error::EngineError;
use crate::memory::Memory;
use crate::outline::Storage;
use crate::plan::{DECODE_COST, decode_cost, groups, helpers};
use crate::request::{MakesChunks, StoredChunk, TakesChunks};
use crate::run::Engine;
use crate::source::{CHUNK_COST, Source};
use crate::spares::Spares;
use crate::unpack::{Encoded, Filtering, Unpacker, buffers, filtering_span};
use crate::walk::{MoveError, each_piece, run_in_memory};
use crate::write::WritePart;

/// What chunks are put together from.
#[derive(Debug, Clone, Copy)]
pub struct Gathering<'a> {
    /// What is written.
    pub part: &'a WritePart<'a>,
    /// Where stored chunks are.
    pub source: &'a Source,
    /// The dataset's chunks.
    pub grid: &'a ChunkGrid,
    /// Its filters; without any, chunks are stored as they are.
    pub pipeline: &'a Pipeline,
    /// What was never written, one element as in the file.
    pub fill: &'a [u8],
    /// Memory for chunks that are not encoded; they are given back by who has used them.
    pub spares: &'a Spares,
    /// Who stores chunks that are given away, if there are such.
    pub taker: Option<&'a dyn TakesChunks>,
}

/// What is to be done with one chunk.
#[derive(Debug)]
pub struct ChunkJob {
    /// Its number in the grid.
    pub chunk: u64,
    /// What is there before.
    pub base: Base,
    /// What becomes of it.
    pub then: Then,
}

/// What a chunk is before elements are put into it.
#[derive(Debug)]
pub enum Base {
    /// Everything in it that belongs to the dataset is written now. What lies outside of the dataset's extent becomes
    /// fill.
    Overwritten,
    /// Nothing yet: what is not written now becomes fill.
    Fill,
    /// In the file.
    Stored(StoredChunk),
    /// As it is stored, but in memory already.
    Fetched {
        /// The bytes.
        bytes: Vec<u8>,
        /// Filters that were left out.
        mask: u32,
    },
    /// Somebody else knows its elements.
    Made(Arc<dyn MakesChunks>),
    /// Its elements. They are changed in place if nobody else holds them.
    Decoded(Arc<Vec<u8>>),
}

/// What becomes of a chunk that was put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Its elements are kept.
    Keep,
    /// It is encoded.
    Encode {
        /// Whether filters go over it; if not, it is stored as it is, with no filter counted as left out.
        filtered: bool,
    },
    /// It is given to who stores it.
    Give,
}

/// A chunk that was put together.
#[derive(Debug)]
pub enum Gathered {
    /// Its elements.
    Kept(Vec<u8>),
    /// What to store.
    Encoded {
        /// The bytes.
        bytes: Vec<u8>,
        /// Filters that were left out.
        mask: u32,
    },
    /// Somebody else has stored it.
    Given,
}

impl Engine<'_> {
    /// Puts chunks together: one result for each job, in order. Stored chunks are decoded with their checksums looked
    /// at.
    ///
    /// # Errors
    /// That of the first job that failed.
    pub fn gather(&self, what: &Gathering<'_>, jobs: Vec<ChunkJob>) -> Result<Vec<Gathered>, EngineError> {
        self.gather_with(what, jobs, None::<fn()>)
    }

    /// The same, while this thread first does something else.
    ///
    /// # Errors
    /// As for [`gather`](Self::gather); if nothing can be begun, the other thing is done all the same.
    pub fn gather_beside(
        &self,
        what: &Gathering<'_>,
        jobs: Vec<ChunkJob>,
        aside: impl FnOnce(),
    ) -> Result<Vec<Gathered>, EngineError> {
        self.gather_with(what, jobs, Some(aside))
    }

    fn gather_with(
        &self,
        what: &Gathering<'_>,
        jobs: Vec<ChunkJob>,
        aside: Option<impl FnOnce()>,
    ) -> Result<Vec<Gathered>, EngineError> {
        let gatherer = match Gatherer::new(what) {
            Ok(gatherer) => gatherer,
            Err(error) => {
                if let Some(aside) = aside {
                    aside();
                }
                return Err(error);
            }
        };
        let cost = jobs.iter().map(|job| gatherer.cost(job)).fold(0, u64::saturating_add);
        let each = (cost / (jobs.len() as u64).max(1)).max(gatherer.least(&jobs));
        let tasks: Vec<_> = groups(jobs.len(), each, self.task_bytes).collect();
        let done = Slots::new(jobs.len());
        let jobs = Slots::full(jobs);
        let context = (helpers(cost) > 0).then(trace::context);
        let work = |task: usize, scratch: &mut Scratch| {
            let _span = context.map(|context| context.task().of(tasks[task].len()));
            for number in tasks[task].clone() {
                if let Some(job) = jobs.take(number) {
                    done.put(number, gatherer.job(job, scratch)?);
                }
            }
            Ok(())
        };
        let outcome: Result<(), EngineError> = match aside {
            Some(aside) => self.pool.run_beside(tasks.len(), helpers(cost), work, aside),
            None => self.pool.run(tasks.len(), helpers(cost), work),
        };
        outcome.map(|()| done.into_all())
    }
}

/// Puts chunks of one part together.
struct Gatherer<'g> {
    what: &'g Gathering<'g>,
    touched: TouchedChunks<'g>,
    /// Bytes of a chunk's elements.
    length: usize,
}

impl<'g> Gatherer<'g> {
    fn new(what: &'g Gathering<'g>) -> Result<Self, EngineError> {
        let Gathering { part, source, grid, fill, .. } = *what;
        let touched =
            grid.touched(&part.file).map_err(|source| EngineError::Selection { part: 0, source })?;
        if !part.file.is_empty() {
            part.outline(source, Storage::Chunked(grid, &[])).check(0)?;
        }
        if fill.len() as u64 != part.element {
            let (length, element) = (fill.len(), part.element);
            return Err(EngineError::FillLength { part: 0, length, element });
        }
        let length = grid.chunk_len().checked_mul(part.element).and_then(|bytes| usize::try_from(bytes).ok());
        let length = length.ok_or(EngineError::Overflow { part: 0, chunk: None })?;
        Ok(Self { what, touched, length })
    }

    /// The least cost of a job.
    fn least(&self, jobs: &[ChunkJob]) -> u64 {
        let reads = jobs.iter().any(|job| matches!(job.base, Base::Stored(_)));
        if reads { self.what.source.costs().least_of_chunk() } else { CHUNK_COST }
    }

    /// The approximate cost of a job, in bytes copied: what is written of the chunk, and what is done with all of it.
    fn cost(&self, job: &ChunkJob) -> u64 {
        let written = self.chunk(job.chunk).map_or(0, |chunk| self.touched.local(&chunk).len());
        let preparing = match job.base {
            Base::Overwritten | Base::Decoded(_) => 0,
            Base::Fill => 1,
            Base::Stored(_) | Base::Fetched { .. } => decode_cost(self.what.pipeline),
            Base::Made(_) => DECODE_COST,
        };
        let encoding = match job.then {
            Then::Encode { filtered: true } | Then::Give => ENCODE_COST,
            Then::Encode { filtered: false } | Then::Keep => 0,
        };
        let all = (self.length as u64).saturating_mul(preparing + encoding);
        written.saturating_mul(self.what.part.element).saturating_add(all)
    }

    fn job(&self, job: ChunkJob, scratch: &mut Scratch) -> Result<Gathered, EngineError> {
        let chunk = self.chunk(job.chunk)?;
        let local = self.touched.local(&chunk);
        // Whether somebody looks at it and it is forgotten then.
        let is_passing = match job.then {
            Then::Encode { filtered } => filtered,
            Then::Give => true,
            Then::Keep => false,
        };
        if matches!(job.base, Base::Overwritten)
            && let Some(elements) = self.in_one_piece(&local)
        {
            let ([], filtering) = buffers([], scratch)?;
            return self.finish_borrowed(job.then, &chunk, elements, filtering);
        }
        if let Base::Decoded(elements) = job.base {
            let mut elements = self.owned(elements, &chunk)?;
            let [gathered, converted] = self.conversion_buffers();
            let ([gathered, converted], filtering) = buffers([gathered, converted], scratch)?;
            self.put(&mut elements, &local, [gathered, converted])?;
            return self.finish(job.then, &chunk, elements, filtering);
        }
        // What is only encoded and then forgotten needs no memory of its own.
        let passing = if is_passing { self.length as u64 } else { 0 };
        let encoded = match &job.base {
            Base::Stored(stored) => Some(Encoded::Stored(*stored)),
            Base::Fetched { bytes, mask } => Some(Encoded::Fetched(bytes, *mask)),
            Base::Made(maker) => Some(Encoded::Made(&**maker)),
            _ => None,
        };
        let [gathered, converted] = self.conversion_buffers();
        let stored = encoded.map_or(0, |encoded| self.unpacker().bytes_to_decode(encoded, self.length));
        let lengths = [stored, passing, gathered, converted];
        let ([bytes, passing, gathered, converted], filtering) = match encoded {
            Some(encoded) => self.unpacker().buffers(lengths, &chunk, encoded, scratch)?,
            None => buffers(lengths, scratch)?,
        };
        let mut own = Vec::new();
        let elements = if is_passing {
            passing
        } else {
            own = self.what.spares.take(self.length)?;
            &mut own
        };
        match encoded {
            Some(encoded) => {
                self.unpacker().decode(&chunk, encoded, bytes, elements, &mut filtering.work)?;
            }
            None if matches!(job.base, Base::Overwritten) && self.covers(&chunk, &local) => {}
            None => fill(elements, self.what.fill),
        }
        self.put(elements, &local, [gathered, converted])?;
        if is_passing {
            return self.finish_borrowed(job.then, &chunk, elements, filtering);
        }
        self.finish(job.then, &chunk, own, filtering)
    }

    /// The chunk of this number.
    fn chunk(&self, number: u64) -> Result<Chunk, EngineError> {
        let shape = self.what.grid.shape();
        let count = shape.iter().try_fold(1_u64, |count, &along| count.checked_mul(along));
        if count.is_some_and(|count| number >= count) {
            return Err(EngineError::Selection { part: 0, source: SelectionError::OutOfBounds { dim: 0 } });
        }
        Ok(self.what.grid.chunk_numbered(number))
    }

    fn unpacker(&self) -> Unpacker<'_> {
        Unpacker { source: self.what.source, pipeline: self.what.pipeline, verify: true, part: 0 }
    }

    /// Lengths of the buffers that [`put`](Self::put) needs.
    fn conversion_buffers(&self) -> [u64; 2] {
        let part = self.what.part;
        let (element, memory_element) = part.sizes();
        buffer_lengths(part.conversion.is_some(), (memory_element, element)).map(|length| length as u64)
    }

    /// Whether putting elements into a chunk writes every byte of it.
    fn covers(&self, chunk: &Chunk, local: &LocalSelection<'_>) -> bool {
        local.is_whole_chunk()
            && self.what.grid.elements_inside(chunk) == self.what.grid.chunk_len()
            && self.what.part.conversion().is_none_or(convert::Conversion::writes_all)
    }

    /// The elements of a chunk where they are in memory, if they are all there as they will be in the file.
    fn in_one_piece(&self, local: &LocalSelection<'_>) -> Option<&'g [u8]> {
        let part = self.what.part;
        if part.conversion.is_some() || local.len() != self.what.grid.chunk_len() {
            return None;
        }
        let place = run_in_memory(local, &part.memory_selection)?;
        let place = usize::try_from(place.checked_mul(part.element)?).ok()?;
        part.memory.get(place..place.checked_add(self.length)?)
    }

    /// The elements, to be changed.
    fn owned(&self, elements: Arc<Vec<u8>>, chunk: &Chunk) -> Result<Vec<u8>, EngineError> {
        if elements.len() != self.length {
            let (length, needed) = (elements.len(), self.length);
            return Err(EngineError::ChunkLength {
                part: 0,
                chunk: Some(chunk.origin.clone()),
                length,
                needed,
            });
        }
        Arc::try_unwrap(elements).or_else(|shared| copied(&shared))
    }

    /// Puts what is selected in a chunk into its elements.
    fn put(
        &self,
        elements: &mut [u8],
        local: &LocalSelection<'_>,
        buffers: [&mut [u8]; 2],
    ) -> Result<(), EngineError> {
        let part = self.what.part;
        let (element, memory_element) = part.sizes();
        let kind = if part.conversion.is_some() { Kind::Convert } else { Kind::Gather };
        let _span = trace::step(kind, local.len().saturating_mul(element));
        let memory = Memory::from_slice(elements);
        let mut delivery = Delivery::new(&memory, part.conversion(), (memory_element, element), buffers);
        each_piece(local.rows(), &part.memory_selection, |piece| {
            let blocks = into_buffer(piece, (element, memory_element)).ok_or(MoveError::Overflow)?;
            delivery.deliver(part.memory, &blocks);
            Ok(())
        })
        .map_err(|error| error.of_written_part(0, None))
    }

    /// What becomes of elements that may be given away.
    fn finish(
        &self,
        then: Then,
        chunk: &Chunk,
        elements: Vec<u8>,
        filtering: &mut Filtering,
    ) -> Result<Gathered, EngineError> {
        match then {
            Then::Keep => Ok(Gathered::Kept(elements)),
            Then::Encode { filtered: false } => Ok(Gathered::Encoded { bytes: elements, mask: 0 }),
            Then::Encode { filtered: true } | Then::Give => {
                self.finish_borrowed(then, chunk, &elements, filtering)
            }
        }
    }

    /// What becomes of elements that are somewhere else.
    fn finish_borrowed(
        &self,
        then: Then,
        chunk: &Chunk,
        elements: &[u8],
        filtering: &mut Filtering,
    ) -> Result<Gathered, EngineError> {
        match then {
            Then::Keep => Ok(Gathered::Kept(copied(elements)?)),
            Then::Encode { filtered } => {
                let (bytes, mask) = encode(self.what.pipeline, elements, filtered, &chunk.origin, filtering)?;
                Ok(Gathered::Encoded { bytes, mask })
            }
            Then::Give => {
                let _span = filtering_span(Kind::Encode, elements.len()).of(elements.len() as u64);
                let taken = match self.what.taker {
                    Some(taker) => taker.take(&chunk.scaled, elements),
                    None => Err("nobody takes it".to_owned()),
                };
                taken.map_err(|message| EngineError::Take { chunk: chunk.origin.clone(), message })?;
                Ok(Gathered::Given)
            }
        }
    }
}

/// Fills elements with copies of one.
fn fill(elements: &mut [u8], element: &[u8]) {
    if element.iter().all(|&byte| byte == 0) {
        elements.fill(0);
        return;
    }
    // What is filled already is copied, twice as much each time.
    let mut done = element.len().min(elements.len());
    elements[..done].copy_from_slice(&element[..done]);
    while done < elements.len() {
        let more = done.min(elements.len() - done);
        elements.copy_within(..more, done);
        done += more;
    }
}
