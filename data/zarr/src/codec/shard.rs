//! Chunks in chunks: the codec `sharding_indexed`.
//!
//! A shard has an index at its beginning or end: for each inner chunk where it is and how long it is, in 8 bytes each. Inner
//! chunks that are not there have all bits set in both.

use std::collections::BTreeMap;

use codecs::{Pipeline, Work};

use super::boxes::{Inside, coordinates, is_filled};
use super::chain::{Chain, Content, Partial, zeros};
use super::named::ShardingConfiguration;
use super::values::Values;
use crate::error::{ChunkProblem, Problem};
use crate::metadata::{DataType, FillValue, Order};

/// What the index has for inner chunks that are not there.
const MISSING: u64 = u64::MAX;

/// Bytes of the index for each inner chunk.
const ENTRY: usize = 16;

/// How chunks are divided into inner chunks.
#[derive(Debug)]
pub struct Sharding {
    shape: Vec<u64>,
    /// How many inner chunks there are in each dimension.
    grid: Vec<u64>,
    count: usize,
    inner: Chain,
    index: Index,
}

#[derive(Debug)]
struct Index {
    pipeline: Pipeline,
    order: Order,
    /// Bytes that are stored.
    length: usize,
    at_start: bool,
}

/// Where an inner chunk is in its shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerChunk {
    /// Its first byte.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
}

impl Sharding {
    pub(super) fn new(
        configuration: &ShardingConfiguration,
        content: Content<'_>,
        depth: usize,
    ) -> Result<Self, Problem> {
        let invalid = |reason: String| Problem::invalid("codecs", format!("sharding_indexed: {reason}"));
        let (shape, inner_shape) = (content.shape, &configuration.chunk_shape);
        if inner_shape.len() != shape.len() {
            return Err(invalid(format!("chunk_shape {inner_shape:?} in shards of {shape:?}")));
        }
        let divided = shape.iter().zip(inner_shape).map(|(&length, &inner)| {
            let is_divided = inner > 0 && length.is_multiple_of(inner);
            is_divided.then(|| length / inner)
        });
        let grid: Option<Vec<u64>> = divided.collect();
        let grid =
            grid.ok_or_else(|| invalid(format!("chunk_shape {inner_shape:?} does not divide {shape:?}")))?;
        let count = grid.iter().try_fold(1_u64, |product, length| product.checked_mul(*length));
        let count = count.and_then(|count| usize::try_from(count).ok());
        let index_bytes = count.and_then(|count| count.checked_mul(ENTRY));
        let (Some(count), Some(index_bytes)) = (count, index_bytes) else {
            return Err(invalid("too many inner chunks".to_owned()));
        };
        let inner = Chain::of(&configuration.codecs, Content { shape: inner_shape, ..content }, depth)?;
        let mut index_shape = grid.clone();
        index_shape.push(2);
        let data_type = DataType::UInt(8);
        let fill_value = FillValue::zero(&data_type);
        let index_content = Content { data_type: &data_type, fill_value: &fill_value, shape: &index_shape };
        let index = Chain::of(&configuration.index_codecs, index_content, 0)?;
        let order = index.order();
        let pipeline =
            index.into_pipeline().ok_or_else(|| invalid("index_codecs of this kind".to_owned()))?;
        let length = pipeline.encoded_len(index_bytes);
        let length = length.ok_or_else(|| invalid("index_codecs that give no fixed length".to_owned()))?;
        let index = Index { pipeline, order, length, at_start: configuration.index_at_start };
        Ok(Self { shape: shape.to_vec(), grid, count, inner, index })
    }

    /// How many inner chunks there are in each dimension.
    pub fn grid(&self) -> &[u64] {
        &self.grid
    }

    /// How many inner chunks there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The codecs of inner chunks.
    pub fn inner(&self) -> &Chain {
        &self.inner
    }

    /// Bytes of the index as it is stored.
    pub fn index_length(&self) -> usize {
        self.index.length
    }

    /// Where the index is in a shard of this length; `None` if it does not fit.
    pub fn index_offset(&self, shard: u64) -> Option<u64> {
        let behind = shard.checked_sub(self.index.length as u64)?;
        Some(if self.index.at_start { 0 } else { behind })
    }

    /// Bytes of a shard that are not inner chunks, and what chunks that become longer by their codecs may take.
    pub(super) fn overhead(&self) -> u64 {
        (self.index.length as u64).saturating_add((self.count as u64).saturating_mul(1024))
    }

    /// Reads an index as it is stored, in a shard of this length: where each inner chunk is, in row-major order.
    pub fn read_index(
        &self,
        stored: &[u8],
        shard: u64,
        work: &mut Work,
    ) -> Result<Vec<Option<InnerChunk>>, ChunkProblem> {
        let mut bytes = zeros(self.count * ENTRY)?;
        if stored.len() != self.index.length {
            return Err(ChunkProblem::corrupt("the shard is shorter than its index"));
        }
        self.index.pipeline.decode(stored, 0, true, &mut bytes, work)?;
        let number = |bytes: &[u8; 8]| match self.index.order {
            Order::Little => u64::from_le_bytes(*bytes),
            Order::Big => u64::from_be_bytes(*bytes),
        };
        let entry = |[offset, length]: &[[u8; 8]; 2]| match (number(offset), number(length)) {
            (MISSING, MISSING) => Ok(None),
            (offset, length) if offset.checked_add(length).is_some_and(|end| end <= shard) => {
                Ok(Some(InnerChunk { offset, length }))
            }
            (offset, length) => Err(ChunkProblem::corrupt(format!(
                "the index has an inner chunk of {length} bytes at {offset}, outside of the shard of {shard}"
            ))),
        };
        bytes.as_chunks::<8>().0.as_chunks::<2>().0.iter().map(entry).collect()
    }

    fn index_of<'s>(&self, shard: &'s [u8]) -> Result<&'s [u8], ChunkProblem> {
        let offset = self.index_offset(shard.len() as u64).and_then(|offset| usize::try_from(offset).ok());
        let index = offset.and_then(|offset| shard.get(offset..)?.get(..self.index.length));
        index.ok_or_else(|| ChunkProblem::corrupt("the shard is shorter than its index"))
    }

    /// Calls with the coordinates of each inner chunk and its bytes, if it has any.
    fn each<'s>(
        &self,
        shard: &'s [u8],
        work: &mut Work,
        mut call: impl FnMut(&[u64], Option<&'s [u8]>, &mut Work) -> Result<(), ChunkProblem>,
    ) -> Result<(), ChunkProblem> {
        let index = self.read_index(self.index_of(shard)?, shard.len() as u64, work)?;
        for (chunk, place) in coordinates(&self.grid).zip(index) {
            let stored = place.and_then(|place| {
                let (offset, length) =
                    (usize::try_from(place.offset).ok()?, usize::try_from(place.length).ok()?);
                shard.get(offset..)?.get(..length)
            });
            call(&chunk, stored, work)
                .map_err(|problem| ChunkProblem::Inner { chunk, problem: Box::new(problem) })?;
        }
        Ok(())
    }

    /// Where an inner chunk is in the elements of its shard.
    fn inside<'b>(&'b self, origin: &'b [u64], element: usize) -> Inside<'b> {
        Inside { outer: &self.shape, origin, shape: self.inner.shape(), element }
    }

    fn origin(&self, chunk: &[u64]) -> Vec<u64> {
        chunk.iter().zip(self.inner.shape()).map(|(at, length)| at * length).collect()
    }

    pub(super) fn decode(
        &self,
        shard: &[u8],
        output: &mut [u8],
        work: &mut Work,
    ) -> Result<(), ChunkProblem> {
        let element = self.inner.element_bytes().unwrap_or(1);
        let mut elements = zeros(self.inner.chunk_bytes().unwrap_or(0))?;
        self.each(shard, work, |chunk, stored, work| {
            let origin = self.origin(chunk);
            let inside = self.inside(&origin, element);
            match stored {
                Some(stored) => {
                    self.inner.decode(stored, &mut elements, work)?;
                    inside.put(output, &elements);
                }
                None => inside.fill(output, self.inner.fill()),
            }
            Ok(())
        })
    }

    pub(super) fn decode_values(&self, shard: &[u8], work: &mut Work) -> Result<Values, ChunkProblem> {
        let count = self.shape.iter().product::<u64>();
        let mut all = Values::repeated(self.inner.fill(), usize::try_from(count).unwrap_or(0))?;
        self.each(shard, work, |chunk, stored, work| {
            if let Some(stored) = stored {
                let values = self.inner.decode_values(stored, work)?;
                let origin = self.origin(chunk);
                self.inside(&origin, 1).each_run(|outer, inner, length| {
                    for number in 0..length {
                        if let Some(value) = values.get(inner + number) {
                            all.set(outer + number, value);
                        }
                    }
                });
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Puts a shard together: `encode` makes an inner chunk of its coordinates, or says that there is nothing to store.
    /// Gives false if that is so for all of them.
    pub fn assemble(
        &self,
        shard: &mut Vec<u8>,
        work: &mut Work,
        mut encode: impl FnMut(&[u64], &mut Vec<u8>, &mut Work) -> Result<bool, ChunkProblem>,
    ) -> Result<bool, ChunkProblem> {
        shard.clear();
        if self.index.at_start {
            shard.resize(self.index.length, 0);
        }
        let (mut index, mut stored) = (Vec::new(), Vec::new());
        let index_bytes = self.count * ENTRY;
        index.try_reserve_exact(index_bytes).map_err(|_| ChunkProblem::OutOfMemory(index_bytes as u64))?;
        let mut is_empty = true;
        for chunk in coordinates(&self.grid) {
            let is_stored = encode(&chunk, &mut stored, work)
                .map_err(|problem| ChunkProblem::Inner { chunk, problem: Box::new(problem) })?;
            let entry = if is_stored { [shard.len() as u64, stored.len() as u64] } else { [MISSING; 2] };
            for number in entry {
                index.extend_from_slice(&match self.index.order {
                    Order::Little => number.to_le_bytes(),
                    Order::Big => number.to_be_bytes(),
                });
            }
            if is_stored {
                is_empty = false;
                shard
                    .try_reserve(stored.len())
                    .map_err(|_| ChunkProblem::OutOfMemory(stored.len() as u64))?;
                shard.extend_from_slice(&stored);
            }
        }
        self.index.pipeline.encode(&index, &mut stored, work)?;
        if self.index.at_start {
            shard[..stored.len()].copy_from_slice(&stored);
        } else {
            shard.extend_from_slice(&stored);
        }
        Ok(!is_empty)
    }

    /// Puts a shard together of what was stored before and changes: for each inner chunk by its number what is to be stored
    /// instead, if anything.
    pub(crate) fn replaced(
        &self,
        before: Option<&[u8]>,
        changes: &BTreeMap<usize, Option<Vec<u8>>>,
        shard: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<bool, ChunkProblem> {
        let mut old = Vec::new();
        if let Some(before) = before {
            old.try_reserve_exact(self.count)
                .map_err(|_| ChunkProblem::OutOfMemory(self.count as u64 * 16))?;
            self.each(before, work, |_, stored, _| {
                old.push(stored);
                Ok(())
            })?;
        }
        let mut number = 0;
        self.assemble(shard, work, |_, stored, _| {
            let now = match changes.get(&number) {
                Some(change) => change.as_deref(),
                None => old.get(number).copied().flatten(),
            };
            number += 1;
            stored.clear();
            stored.extend_from_slice(now.unwrap_or_default());
            Ok(now.is_some())
        })
    }

    pub(super) fn encode(
        &self,
        elements: &[u8],
        shard: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<bool, ChunkProblem> {
        let element = self.inner.element_bytes().unwrap_or(1);
        let mut taken = zeros(self.inner.chunk_bytes().unwrap_or(0))?;
        self.assemble(shard, work, |chunk, stored, work| {
            self.inside(&self.origin(chunk), element).take(elements, &mut taken);
            if is_filled(&taken, self.inner.fill()) {
                return Ok(false);
            }
            self.inner.encode(&taken, stored, work)
        })
    }

    pub(super) fn encode_values(
        &self,
        values: &Values,
        shard: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<bool, ChunkProblem> {
        self.assemble(shard, work, |chunk, stored, work| {
            let mut taken = Vec::new();
            self.inside(&self.origin(chunk), 1).each_run(|outer, _, length| {
                taken.extend((outer..outer + length).filter_map(|number| values.get(number)));
            });
            if taken.iter().all(|value| *value == self.inner.fill()) {
                return Ok(false);
            }
            self.inner.encode_values(&Values::new(taken), stored, work)
        })
    }

    /// Whether inner chunks are stored as elements one after another.
    pub fn inner_partial(&self) -> Partial {
        self.inner.partial()
    }
}
