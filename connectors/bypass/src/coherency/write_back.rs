//! Writing what is newer in memory than in the file: on eviction, flush and close, and before native HDF5 does anything
//! that reads or moves raw data.

use std::sync::Arc;

use engine::{Behind, EncodedChunk, EngineError};
use global_lock::Use;
use h5_vol::{BelowObject, Error, Host, Object, ObjectKind, Result};
use selection::Chunk;
use trace::{Kind, Label};

use crate::Bypass;
use crate::coherency::commit::ChunkWriter;
use crate::coherency::dirty::{self, DirtyChunk};
use crate::coherency::handle::DatasetHandle;
use crate::coherency::labels::label_of;
use crate::coherency::opening::Opening;
use crate::coherency::resolved::Resolved;
use crate::coherency::shared::{Shared, Through};
use crate::inspect::chunks::Chunks;
use crate::report::fault::cannot_write;
use crate::run::cache;
use crate::run::engine::engine;

/// Bytes of chunks that are encoded together.
const TOGETHER: usize = 32 << 20;

/// Bytes of chunks of a dataset that wait in memory although they look complete: enough for idle threads to go on encoding while
/// the application does something else, and so little that memory is used again before it leaves the processor's caches.
const MOST_COMPLETE: usize = 8 << 20;

impl Bypass {
    /// Writes what is newer in memory of all datasets in the file of an object.
    pub(crate) fn settle_file(&self, object: &Object<Self>) -> Result<()> {
        let host = object.host();
        let finished = self.finish_file(host, object);
        if dirty::is_all_written() {
            return finished;
        }
        let file = number_of_file(object);
        // One failure must not keep the others from being written.
        let mut datasets = self.files.shared_datasets();
        datasets.retain(|dataset| file.is_none_or(|file| dataset.file() == file));
        // Native HDF5 flushes the sources with the virtual datasets.
        datasets.extend(self.files.writable_sources(file));
        let outcomes: Vec<_> = datasets.iter().map(|dataset| self.settle(host, dataset)).collect();
        finished.and(outcomes.into_iter().collect())
    }

    /// Writes what is newer in memory of one dataset.
    pub(crate) fn settle(&self, host: Host, shared: &Arc<Shared>) -> Result<()> {
        if !shared.has_unwritten() {
            return Ok(());
        }
        let _claims = self.claim_whole(host, [shared], Use::Write);
        self.settle_claimed(host, shared)
    }

    /// The same for one that is claimed.
    pub(crate) fn settle_claimed(&self, host: Host, shared: &Arc<Shared>) -> Result<()> {
        let flushed = shared.flush_windows().map_err(|error| {
            let handle = shared.handle(None);
            match handle.as_ref().and_then(Through::below) {
                Some(below) => cannot_write(below, &error),
                None => Error::failed(format_args!("cannot write changes of a dataset: {error}")),
            }
        });
        if shared.dirty.is_empty() {
            return flushed;
        }
        let handle = shared.handle(None).ok_or_else(|| {
            Error::failed("chunks that were not written yet belong to a dataset that is closed")
        })?;
        self.settle_through(host, shared, &handle, Settling::ALL).and(flushed)
    }

    /// Writes what is newer in memory of the dataset of this handle.
    pub(crate) fn settle_object(&self, host: Host, object: &Object<Self>) -> Result<()> {
        self.finish_file(host, object)?;
        self.shared_if_dirty(host, object).map_or(Ok(()), |shared| self.settle(host, &shared))?;
        sources_of(object).iter().try_for_each(|source| self.settle(host, source))
    }

    /// Writes what is newer in memory of the sources of a virtual dataset, which are about to be closed with it.
    pub(crate) fn settle_sources(&self, host: Host, object: &Object<Self>) -> Result<()> {
        let mut outcome = Ok(());
        for source in sources_of(object) {
            if !source.has_unwritten() && source.claims.is_idle() {
                continue;
            }
            // Who is in the middle of writing on another thread came first, and may leave something.
            let _claims = self.claim_whole(host, [&source], Use::Write);
            let settled = self.settle_claimed(host, &source);
            if settled.is_err() {
                // It is told now, and perhaps there is no way left to write it.
                source.dirty.clear();
                source.windows.forget();
            }
            outcome = outcome.and(settled);
        }
        outcome
    }

    pub(crate) fn shared_if_dirty(&self, host: Host, object: &Object<Self>) -> Option<Arc<Shared>> {
        // Most of the time nothing is, and which dataset this is need not be asked.
        if dirty::is_all_written() {
            return None;
        }
        host.ask_below(|questions| self.shared(questions, object)).filter(|shared| shared.has_unwritten())
    }

    /// Writes changed chunks of a dataset if there are too many: it has more than the application allows it, and all
    /// datasets together have more than the cache may hold. Those that look complete are not kept for as long.
    pub(crate) fn relieve(&self, host: Host, shared: &Arc<Shared>, dataset: &Resolved) -> Result<()> {
        let Some(chunks) = dataset.chunks() else { return Ok(()) };
        // Half of them, so that not every call writes one.
        let wanted = if !has_room(shared, chunks, 0) {
            let (own, all, capacity) = (shared.dirty.bytes(), dirty::bytes_in_process(), cache::capacity());
            let keep = chunks.write_back_bytes.max(capacity.saturating_sub(all - own)) / 2;
            Settling { keep, only_complete: false }
        } else if shared.is_short_of_room() {
            Settling { keep: 0, only_complete: true }
        } else if shared.dirty.complete_bytes() > MOST_COMPLETE {
            Settling { keep: MOST_COMPLETE / 2, only_complete: true }
        } else {
            return Ok(());
        };
        // All of it is claimed: who writes to one of the chunks at the same time would lose what it writes.
        let _claims = self.claim_whole(host, [shared], Use::Write);
        match shared.handle(None) {
            Some(handle) => self.settle_through(host, shared, &handle, wanted),
            None => Ok(()),
        }
    }

    /// Writes changed chunks.
    fn settle_through(
        &self,
        host: Host,
        shared: &Arc<Shared>,
        through: &Through,
        wanted: Settling,
    ) -> Result<()> {
        let Some(below) = through.below() else {
            return Err(Error::failed("the dataset is closed"));
        };
        let dataset = host.ask(|questions| self.ours_through(questions, through)).map_err(|reason| {
            cannot_write(below, &format_args!("changed chunks cannot be written: {reason}"))
        })?;
        let mut call = trace::begin(Kind::WriteBack).goes_on();
        let label = match through {
            Through::Handle(handle) if call.is_on() => label_of(handle),
            _ => Label::NONE,
        };
        call.deserves_a_span();
        call.note(label, 1, shared.dirty.bytes().saturating_sub(wanted.keep) as u64);
        let _inside = call.enter(label);
        self.settle_chunks(host, shared, &dataset, below, wanted)
    }

    fn settle_chunks(
        &self,
        host: Host,
        shared: &Shared,
        dataset: &Resolved,
        below: &BelowObject,
        Settling { keep, only_complete }: Settling,
    ) -> Result<()> {
        let Some(chunks) = dataset.chunks() else { return Ok(()) };
        let writer = ChunkWriter { host, chunks, below, shared, file: dataset.file() };
        let mut outcome = Ok(());
        let dirty = &shared.dirty;
        let waiting = if only_complete { dirty.oldest_complete(keep) } else { dirty.oldest(keep) };
        let mut waiting = waiting.into_iter().peekable();
        while waiting.peek().is_some() {
            let (mut batch, mut bytes) = (Vec::new(), 0);
            while let Some(DirtyChunk { origin, elements, behind }) =
                waiting.next_if(|chunk| bytes == 0 || bytes + chunk.elements.len() <= TOGETHER)
            {
                bytes += elements.len();
                match chunk_at(chunks.grid.chunk_dims(), &origin)
                    .and_then(|scaled| chunks.grid.chunk(&scaled).ok())
                {
                    Some(chunk) => batch.push(Unwritten { chunk, elements, behind }),
                    // It is outside of the dataset now.
                    None => drop(shared.dirty.take(&origin)),
                }
            }
            let encoded = match self.encode(host, &writer, &batch) {
                Ok(encoded) => encoded,
                Err(error) => {
                    outcome = outcome.and(Err(cannot_write(below, &error)));
                    continue;
                }
            };
            // Those that no filter goes over are stored as they are.
            let encoded = encoded.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
            for (Unwritten { chunk, elements, behind }, encoded) in batch.into_iter().zip(encoded) {
                let (stored, mask) =
                    encoded.as_ref().map_or((&**elements, 0), |(stored, mask)| (stored.as_slice(), *mask));
                let written = writer.commit(&chunk, stored, mask);
                if written.is_ok() {
                    drop((shared.dirty.take(&chunk.origin), behind));
                    // Who writes chunk by chunk does not come back to this one.
                    if !only_complete {
                        writer.keep(&chunk, &elements);
                    }
                    if let Ok(memory) = Arc::try_unwrap(elements) {
                        dirty::SPARES.give(memory);
                    }
                }
                if let Some((memory, _)) = encoded {
                    dirty::SPARES.give(memory);
                }
                // The others are written all the same.
                outcome = outcome.and(written);
            }
        }
        outcome
    }

    /// What is stored of chunks, and the filters that were left out. Nothing if they are stored as they are.
    fn encode(
        &self,
        host: Host,
        writer: &ChunkWriter<'_>,
        batch: &[Unwritten],
    ) -> std::result::Result<Vec<EncodedChunk>, EngineError> {
        if writer.chunks.filtering.is_none() {
            return Ok(Vec::new());
        }
        let engine = engine(self.configuration.as_ref().ok());
        let encode = |chunks: &[&Unwritten]| {
            let chunks: Vec<_> = chunks
                .iter()
                .map(|Unwritten { chunk, elements, .. }| {
                    (Arc::clone(elements), writer.chunks.is_filtered(chunk), chunk.origin.clone())
                })
                .collect();
            engine.encode(&writer.chunks.pipeline, &chunks)
        };
        self.locks.without_but_claims(host, || {
            let is_begun = |unwritten: &Unwritten| {
                unwritten.behind.as_ref().is_some_and(|behind| behind.keep_if_begun())
            };
            let begun: Vec<_> = batch.iter().map(is_begun).collect();
            let others: Vec<_> = batch
                .iter()
                .zip(&begun)
                .filter(|(_, is_begun)| !**is_begun)
                .map(|(other, _)| other)
                .collect();
            // Meanwhile those that were begun go on.
            let mut encoded = encode(&others)?.into_iter();
            let each = batch.iter().zip(begun).map(|(unwritten, is_begun)| {
                let ready = unwritten.behind.as_ref().filter(|_| is_begun).map(|behind| behind.finish());
                match ready {
                    None => Ok(encoded.next()),
                    Some(Some(ready)) => Ok(Some(ready)),
                    // Why it could not be encoded is told now.
                    Some(None) => encode(&[unwritten]).map(|mut one| one.pop()),
                }
            });
            each.filter_map(std::result::Result::transpose).collect()
        })
    }
}

/// Which changed chunks are written.
#[derive(Debug, Clone, Copy)]
struct Settling {
    /// Bytes of them that may be left.
    keep: usize,
    /// Only those that look complete.
    only_complete: bool,
}

impl Settling {
    const ALL: Self = Self { keep: 0, only_complete: false };
}

/// A changed chunk on its way to the file.
struct Unwritten {
    chunk: Chunk,
    elements: Arc<Vec<u8>>,
    /// If it is encoded in advance.
    behind: Option<Arc<Behind>>,
}

/// The sources of a virtual dataset that are open and can be written.
fn sources_of(object: &Object<Bypass>) -> Vec<Arc<Shared>> {
    let sources = object.data().dataset.as_ref().and_then(DatasetHandle::known_sources);
    sources.map(|sources| sources.writable()).unwrap_or_default()
}

/// The number of the file that an object lies in among the open ones.
pub(crate) fn number_of_file(object: &Object<Bypass>) -> Option<u64> {
    match object.below() {
        Some(below) if object.kind() != ObjectKind::File => object
            .host()
            .ask_below(|questions| below.identity(questions, object.kind()))
            .map(|identity| identity.file),
        _ => object.data().opening.as_deref().and_then(Opening::file_number),
    }
}

/// Whether a dataset may have so many more bytes of changed chunks in memory.
pub(crate) fn has_room(shared: &Shared, chunks: &Chunks, more: usize) -> bool {
    shared.dirty.bytes().saturating_add(more) <= chunks.write_back_bytes
        || dirty::bytes_in_process().saturating_add(more) <= cache::capacity()
}

/// The coordinates in the grid of the chunk that begins here.
fn chunk_at(chunk_dims: &[u64], origin: &[u64]) -> Option<Vec<u64>> {
    (chunk_dims.len() == origin.len())
        .then(|| origin.iter().zip(chunk_dims).map(|(place, size)| place / size).collect())
}
