//! From elements to chunks as they are stored.

use std::sync::{Arc, Mutex, PoisonError};

use codecs::Pipeline;
use selection::Dims;
use trace::Kind;

use crate::error::EngineError;
use crate::plan::{groups, helpers};
use crate::run::Engine;
use crate::unpack::{Filtering, buffers, filtering_span};

/// What encoding a byte costs in bytes that could be copied meanwhile.
pub(crate) const ENCODE_COST: u64 = 16;

impl Engine<'_> {
    /// Encodes chunks: the elements of each, whether filters go over it (if not, it is stored as it is), and its origin
    /// for errors. Gives for each, in order, the bytes to store and the filters that were left out.
    ///
    /// # Errors
    /// That of the first chunk that failed.
    pub fn encode(
        &self,
        pipeline: &Pipeline,
        chunks: &[(Arc<Vec<u8>>, bool, Dims)],
    ) -> Result<Vec<(Vec<u8>, u32)>, EngineError> {
        let bytes = chunks.iter().map(|(elements, ..)| elements.len() as u64).fold(0, u64::saturating_add);
        let cost = bytes.saturating_mul(ENCODE_COST);
        let tasks: Vec<_> =
            groups(chunks.len(), cost / (chunks.len() as u64).max(1), self.task_bytes).collect();
        let done = Slots::new(chunks.len());
        let context = trace::context();
        let outcome = self.pool.run(tasks.len(), helpers(cost), |task, scratch| {
            let _span = context.task().of(tasks[task].len());
            for number in tasks[task].clone() {
                let (elements, is_filtered, origin) = &chunks[number];
                let ([], filtering) = buffers([], scratch)?;
                done.put(number, encode(pipeline, elements, *is_filtered, origin, filtering)?);
            }
            Ok(())
        });
        outcome.map(|()| done.into_all())
    }
}

/// Encodes one chunk.
pub(crate) fn encode(
    pipeline: &Pipeline,
    elements: &[u8],
    is_filtered: bool,
    origin: &Dims,
    filtering: &mut Filtering,
) -> Result<(Vec<u8>, u32), EngineError> {
    if !is_filtered {
        return Ok((copied(elements)?, 0));
    }
    let _span = filtering_span(Kind::Encode, elements.len()).of(elements.len() as u64);
    let Filtering { work, encoded, .. } = filtering;
    let mask = pipeline
        .encode(elements, encoded, work)
        .map_err(|source| EngineError::Encode { chunk: origin.clone(), source })?;
    // Filters take room for the longest that can come out. If that is much more than did, the room stays with the
    // thread: it has been paid for, and many chunks may wait to be written.
    let is_tight = encoded.capacity() - encoded.len() <= encoded.len() / 8;
    let bytes = if is_tight { core::mem::take(encoded) } else { copied(encoded)? };
    Ok((bytes, mask))
}

/// A copy of these bytes.
pub(crate) fn copied(bytes: &[u8]) -> Result<Vec<u8>, EngineError> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(|_| EngineError::OutOfMemory(bytes.len()))?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Places for what many threads make, each its own.
pub(crate) struct Slots<T>(Vec<Mutex<Option<T>>>);

impl<T> Slots<T> {
    /// Empty places.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::new(None)).collect())
    }

    /// Places with something in each.
    pub(crate) fn full(list: Vec<T>) -> Self {
        Self(list.into_iter().map(|thing| Mutex::new(Some(thing))).collect())
    }

    pub(crate) fn put(&self, number: usize, thing: T) {
        *self.0[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(thing);
    }

    pub(crate) fn take(&self, number: usize) -> Option<T> {
        self.0[number].lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What is in the places, in order.
    pub(crate) fn into_all(self) -> Vec<T> {
        self.0
            .into_iter()
            .filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}
