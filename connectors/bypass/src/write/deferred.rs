//! Writes that go on after the call has returned.
//!
//! Bytes whose place in the file is known are written by the pool. Chunks that filters go over are put together and encoded by the
//! pool, and stored by the thread that finishes the request. Writes that native HDF5 has to find a place for, and that need no
//! encoding, gain nothing by that and are done at once.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{
    ChunkAddress, ChunkJob, Converted, Engine, EngineError, Gathered, InPlace, Places, Source, WritePart,
};
use global_lock::Claim;
use h5_vol::calls::DatasetWrite;
use h5_vol::{Callback, Error, Host, Object, Result};
use selection::{Chunk, Selection};
use trace::Label;

use crate::Bypass;
use crate::coherency::labels::label_of;
use crate::coherency::resolved::Resolved;
use crate::coherency::shared::Shared;
use crate::inspect::chunk_index::Found;
use crate::inspect::chunks::Chunks;
use crate::inspect::storage::Storage;
use crate::report::summary::{self, Direction};
use crate::requests::request::Operation;
use crate::run::engine::engine;
use crate::run::{cache, memory};
use crate::transfer::Submission;
use crate::write::chunks::{ENCODED_TOGETHER, Job, Keeping, gathering, sort_jobs, store, writer};
use crate::write::prepare::{OurPart, OurWrite, Owner, parts_of};

/// Bytes of all writes under way in the process that are in memory of ours: encoded and not yet stored, or copied.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// In a forked child: what the parent holds is not held here.
pub(crate) fn after_fork_in_child() {
    HELD.store(0, Ordering::Relaxed);
}

/// A write that is under way.
struct DeferredWrite {
    engine: Engine<'static>,
    /// Bytes that all writes under way may hold.
    most: usize,
    parts: Vec<Part>,
    label: Label,
    progress: Mutex<Progress>,
}

/// One dataset's part, which owns what it needs.
struct Part {
    object: Arc<Object<Bypass>>,
    dataset: Arc<Resolved>,
    shared: Arc<Shared>,
    element: u64,
    conversion: Option<Arc<Converted>>,
    file: Selection,
    file_in_order: bool,
    memory_selection: Selection,
    memory: Bytes,
    filler: Arc<[u8]>,
    target: Source,
    is_all_claimed: bool,
    /// Where it is written, if that is known.
    places: Option<Places>,
}

/// What is written.
enum Bytes {
    /// The application's own, which it leaves alone until the request has ended.
    Applications(&'static [u8]),
    /// A copy, for applications that do not.
    Copied(Held<Vec<u8>>),
}

/// A value in memory of ours.
struct Held<T> {
    value: T,
    bytes: usize,
}

impl<T> Held<T> {
    fn new(value: T, bytes: usize) -> Self {
        HELD.fetch_add(bytes, Ordering::Relaxed);
        Self { value, bytes }
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        HELD.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// How far it is.
#[derive(Default)]
struct Progress {
    /// Chunks that are to be put together, with the number of their part.
    waiting: VecDeque<(usize, Chunk, ChunkJob)>,
    /// Chunks to store, likewise.
    ready: Vec<(usize, Chunk, Held<Option<Gathered>>)>,
    /// What went wrong, and with which part.
    failure: Option<(usize, EngineError)>,
}

/// What is to be done for a part.
#[expect(clippy::large_enum_variant, reason = "a write has few, and boxing would be an allocation for each")]
enum Plan {
    InPlace(Places),
    Chunks(Vec<(Chunk, ChunkJob)>),
}

/// Begins a write of these parts, if all of them can be written after the call has returned.
pub(super) fn submit<'p>(
    connector: &Bypass,
    host: Host,
    call: &DatasetWrite<'_, Bypass>,
    ours: Vec<OurWrite<'p>>,
    claims: Vec<Claim>,
) -> Submission<OurWrite<'p>> {
    // Sources of virtual datasets are written at once.
    let objects: Option<Vec<_>> = parts_of(&ours).map(OurPart::object).collect();
    let Some(objects) = objects else { return Submission::NotPossible(ours, claims) };
    let configuration = connector.configuration.as_ref().ok();
    let most = configuration.and_then(|it| it.asynchronous.memory).unwrap_or_else(cache::capacity);
    let copies = configuration.is_some_and(|it| it.asynchronous.copies);
    let to_copy: usize = if copies { parts_of(&ours).map(|part| part.part.memory.len()).sum() } else { 0 };
    if to_copy > most.saturating_sub(HELD.load(Ordering::Relaxed)) {
        return Submission::NotPossible(ours, claims);
    }
    let plans: Option<Vec<_>> = parts_of(&ours).map(|part| connector.plan_deferred(host, part)).collect();
    let Some(plans) = plans else { return Submission::NotPossible(ours, claims) };
    let mut progress = Progress::default();
    let mut parts = Vec::with_capacity(ours.len());
    let datasets = objects.clone();
    let ours = ours.into_iter().flat_map(|ours| ours.0);
    for (number, ((part, object), plan)) in ours.zip(objects).zip(plans).enumerate() {
        let places = match plan {
            Plan::InPlace(places) => Some(places),
            Plan::Chunks(jobs) => {
                progress.waiting.extend(jobs.into_iter().map(|(chunk, job)| (number, chunk, job)));
                None
            }
        };
        parts.push(Part::new(part, object, places, copies));
    }
    let operation = DeferredWrite {
        engine: engine(configuration),
        most,
        label: if trace::is_on() { label_of(&datasets[0]) } else { Label::NONE },
        parts,
        progress: Mutex::new(progress),
    };
    summary::asynchronous(Direction::Write);
    Submission::Begun(connector.submit(host, &call.request, datasets, claims, Arc::new(operation)))
}

impl Bypass {
    /// What is to be done for a part after the call has returned; `None` if it is better done at once.
    fn plan_deferred(&self, host: Host, part: &OurPart<'_>) -> Option<Plan> {
        // Native HDF5 stores values of variable length, which is most of the work, and under the lock.
        if part.variable.is_some() {
            return None;
        }
        let plan = match part.dataset.storage() {
            Storage::Contiguous(offset, _) => Plan::InPlace(Places::Contiguous(*offset)),
            Storage::External(_) => Plan::InPlace(Places::Contiguous(0)),
            Storage::Chunked(chunks) => self.plan_chunks(host, part, chunks)?,
            Storage::Missing | Storage::Virtual(_) => return None,
        };
        if let Plan::InPlace(places) = &plan {
            // A few bytes are only copied, to a window.
            if part.dataset.sink(places, &part.part.file, part.is_all_claimed).ok()?.is_some() {
                return None;
            }
        }
        Some(plan)
    }

    fn plan_chunks(&self, host: Host, part: &OurPart<'_>, chunks: &Chunks) -> Option<Plan> {
        let touched = chunks.grid.touched(&part.part.file).ok()?;
        // Without the index HDF5 is asked about each chunk.
        host.ask_below(|questions| {
            let _ = chunks.index.for_request(questions, touched.count(), &chunks.grid, part.below());
        });
        part.note_owner();
        if chunks.filtering.is_none() {
            if !part.shared.is_unknown_to_native() {
                return None;
            }
            // Chunks that were new a moment ago have a place, which only HDF5 knows.
            let is_detour = |chunk: &Chunk| matches!(chunks.index.find(chunk.number), Found::Written(_));
            let detours = touched.iter().filter(is_detour).count();
            if detours > 0 {
                host.ask_below(|questions| {
                    let _ = chunks.index.note_detours(questions, detours, &chunks.grid, part.below());
                });
            }
            let place = |chunk: Chunk| match chunks.index.find(chunk.number) {
                Found::Stored(stored) if !part.shared.dirty.contains(&chunk.origin) => {
                    Some(ChunkAddress::At(stored.address))
                }
                _ => None,
            };
            let addresses = touched.iter().map(place).collect::<Option<Vec<_>>>()?;
            host.ask_below(|questions| self.files.look_for_end(questions, &part.dataset.file, part.below()));
            return Some(Plan::InPlace(Places::Chunked { grid: chunks.grid.clone(), chunks: addresses }));
        }
        let chunk_bytes = chunks.grid.chunk_len().saturating_mul(part.part.element);
        let keeping = Keeping::of(part, chunks, touched.count(), chunk_bytes);
        let job = |chunk: Chunk| Job::new(part, chunks, &touched.local(&chunk), chunk.clone());
        let jobs = touched.iter().map(job).collect();
        let (group, in_memory) = sort_jobs(host, part, chunks, jobs, keeping).ok()?;
        // What is only in memory is changed there, which takes little time.
        in_memory.is_empty().then(|| Plan::Chunks(group.chunks.into_iter().zip(group.jobs).collect()))
    }
}

impl Part {
    fn new(part: OurPart<'_>, object: Arc<Object<Bypass>>, places: Option<Places>, copies: bool) -> Self {
        let OurPart { dataset, shared, part, filler, target, is_all_claimed, .. } = part;
        let memory = if copies {
            Bytes::Copied(Held::new(part.memory.to_vec(), part.memory.len()))
        } else {
            Bytes::Applications(memory::bytes_outliving(part.memory))
        };
        Self {
            object,
            dataset,
            shared,
            element: part.element,
            conversion: part.conversion,
            file: part.file,
            file_in_order: part.file_in_order,
            memory_selection: part.memory_selection,
            memory,
            filler,
            target,
            is_all_claimed,
            places,
        }
    }

    /// As it was in the call; `None` if its dataset was closed, which comes after the request.
    fn as_in_call(&self) -> Option<OurPart<'_>> {
        Some(OurPart {
            dataset: Arc::clone(&self.dataset),
            shared: Arc::clone(&self.shared),
            owner: Owner::Handle(&self.object, self.object.below()?),
            part: WritePart {
                element: self.element,
                conversion: self.conversion.clone(),
                file: self.file.clone(),
                file_in_order: self.file_in_order,
                memory_selection: self.memory_selection.clone(),
                memory: match &self.memory {
                    Bytes::Applications(bytes) => bytes,
                    Bytes::Copied(copy) => &copy.value,
                },
            },
            variable: None,
            filler: Arc::clone(&self.filler),
            target: self.target.clone(),
            is_all_claimed: self.is_all_claimed,
            goes_behind: false,
        })
    }
}

impl DeferredWrite {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what has its place. Gives which part failed, and why.
    fn write_in_place(&self) -> Result<(), (usize, EngineError)> {
        let placed = self
            .parts
            .iter()
            .enumerate()
            .filter_map(|(number, part)| Some((number, part.as_in_call()?, part.places.clone()?)));
        let placed: Vec<_> = placed.collect();
        let in_place: Vec<_> = placed
            .iter()
            .map(|(_, part, places)| InPlace {
                part: &part.part,
                target: part.target(),
                layout: places.clone(),
                is_all_claimed: part.is_all_claimed,
            })
            .collect();
        if in_place.is_empty() {
            return Ok(());
        }
        self.engine.write(&in_place).map_err(|error| {
            let number = error.part().and_then(|part| placed.get(part)).map_or(0, |(number, ..)| *number);
            (number, error)
        })
    }

    /// Puts together as many of the next chunks as are encoded at a time, without HDF5. `None` if there are no more, or not
    /// that much memory.
    fn gather_some(&self, is_bounded: bool) -> Option<Result<(), (usize, EngineError)>> {
        let mut progress = self.progress();
        let number = progress.waiting.front()?.0;
        let part = &self.parts[number];
        let chunks = part.dataset.chunks()?;
        let chunk_bytes = chunks.grid.chunk_len().saturating_mul(part.element).max(1);
        let together = usize::try_from((ENCODED_TOGETHER / chunk_bytes).max(1)).unwrap_or(usize::MAX);
        let count = progress.waiting.iter().take(together).take_while(|(of, ..)| *of == number).count();
        let bytes = usize::try_from(chunk_bytes).unwrap_or(usize::MAX).saturating_mul(count);
        if is_bounded && HELD.load(Ordering::Relaxed).saturating_add(bytes) > self.most {
            return None;
        }
        let (of, jobs): (Vec<_>, Vec<_>) =
            progress.waiting.drain(..count).map(|(_, chunk, job)| (chunk, job)).unzip();
        drop(progress);
        let as_in_call = part.as_in_call()?;
        let gathered = match self.engine.gather(&gathering(&as_in_call, chunks), jobs) {
            Ok(gathered) => gathered,
            Err(error) => return Some(Err((number, error))),
        };
        let ready = of.into_iter().zip(gathered).map(|(chunk, gathered)| {
            let bytes = match &gathered {
                Gathered::Kept(bytes) | Gathered::Encoded { bytes, .. } => bytes.len(),
                Gathered::Given => 0,
            };
            (number, chunk, Held::new(Some(gathered), bytes))
        });
        self.progress().ready.extend(ready);
        Some(Ok(()))
    }

    /// Stores what is ready.
    fn store_ready(&self, host: Host) -> Result<()> {
        let ready = std::mem::take(&mut self.progress().ready);
        let mut outcome = Ok(());
        for (number, chunk, mut held) in ready {
            let part = &self.parts[number];
            let (Some(as_in_call), Some(chunks), Some(gathered)) =
                (part.as_in_call(), part.dataset.chunks(), held.value.take())
            else {
                return Err(Error::failed("a dataset was closed before it was written"));
            };
            if outcome.is_ok() {
                outcome = store(&writer(host, &as_in_call, chunks), &as_in_call, [(&chunk, gathered)]);
            }
        }
        outcome
    }

    fn describe(&self, (number, error): &(usize, EngineError)) -> Error {
        match self.parts[*number].as_in_call() {
            Some(part) => part.describe(error),
            None => Error::failed(error),
        }
    }
}

impl Operation for DeferredWrite {
    fn callback(&self) -> Callback {
        Callback::DatasetWrite
    }

    fn work(&self) {
        let mut outcome = self.write_in_place();
        while outcome.is_ok()
            && let Some(gathered) = self.gather_some(true)
        {
            outcome = gathered;
        }
        self.progress().failure = outcome.err();
    }

    fn finish(&self, connector: &Bypass, host: Host) -> Result<()> {
        // What was encoded before a failure is stored, as it is by a call that is not asynchronous.
        self.store_ready(host)?;
        if let Some(failure) = self.progress().failure.take() {
            return Err(self.describe(&failure));
        }
        while let Some(gathered) = connector.locks.without_but_claims(host, || self.gather_some(false)) {
            gathered.map_err(|failure| self.describe(&failure))?;
            self.store_ready(host)?;
        }
        Ok(())
    }

    fn relieve(&self, connector: &Bypass, host: Host) -> Result<()> {
        self.parts.iter().try_for_each(|part| connector.relieve(host, &part.shared, &part.dataset))
    }

    fn stores(&self) -> bool {
        self.parts.iter().any(|part| part.places.is_none())
    }

    fn label(&self) -> Label {
        self.label
    }
}
