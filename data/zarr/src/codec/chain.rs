//! All codecs of an array.

use core::mem;
use std::sync::Arc;

use codecs::{Filter, Pipeline, Work, beyond};
use serde_json::Value;

use super::boxes::{coordinates, fill};
use super::named::Codec;
use super::shard::Sharding;
use super::values::Values;
use crate::error::{ChunkProblem, Problem};
use crate::metadata::{ArrayMetadata, DataType, FillValue, Order};

/// How deep shards may contain shards.
const DEEPEST: usize = 4;

/// More bytes than a chunk of elements without a fixed size ever has.
const MOST_BYTES: usize = 1 << 32;

/// What can be read of a chunk without reading all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partial {
    /// Any range of bytes: elements are stored as they are, row-major.
    Bytes,
    /// Inner chunks: see [`Sharding`].
    InnerChunks,
    /// Nothing.
    Whole,
}

/// The codecs of an array, for chunks of one shape.
#[derive(Debug)]
pub struct Chain {
    shape: Vec<u64>,
    /// How many elements a chunk has.
    count: usize,
    /// Bytes of an element, if they have a fixed size.
    element: Option<usize>,
    /// One element that was never written, as it is stored.
    fill: Vec<u8>,
    order: Order,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The codec `bytes`. A `transpose` before it is the first filter.
    Bytes { pipeline: Arc<Pipeline>, partial: Partial },
    /// The codecs `vlen-utf8` and `vlen-bytes`.
    Values { is_text: bool, transposed: Option<Vec<usize>>, pipeline: Pipeline },
    /// The codec `sharding_indexed`, and what is before and after it.
    Shards(Box<Shards>),
}

#[derive(Debug)]
struct Shards {
    transposed: Option<(Vec<usize>, Pipeline)>,
    sharding: Sharding,
    after: Pipeline,
}

/// What a chain is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Content<'c> {
    pub(super) data_type: &'c DataType,
    pub(super) fill_value: &'c FillValue,
    pub(super) shape: &'c [u64],
}

impl Chain {
    /// The codecs of an array.
    pub fn new(array: &ArrayMetadata) -> Result<Self, Problem> {
        let content =
            Content { data_type: &array.data_type, fill_value: &array.fill_value, shape: &array.chunk_shape };
        Self::of(&array.codecs, content, DEEPEST)
    }

    pub(super) fn of(codecs: &[Value], content: Content<'_>, depth: usize) -> Result<Self, Problem> {
        let invalid = |reason: &str| Problem::invalid("codecs", reason);
        let Content { data_type, fill_value, shape } = content;
        let size = data_type.size();
        let element =
            size.map(|size| usize::try_from(size).map_err(|_| invalid("too large elements"))).transpose()?;
        let count = shape.iter().try_fold(1_u64, |product, length| product.checked_mul(*length));
        let count = count.and_then(|count| usize::try_from(count).ok()).filter(|count| {
            count.checked_mul(element.unwrap_or(1)).is_some_and(|bytes| isize::try_from(bytes).is_ok())
        });
        let count = count.ok_or_else(|| invalid("chunks are larger than any memory"))?;
        let mut order_of_dimensions: Vec<usize> = (0..shape.len()).collect();
        let mut rest = codecs.iter();
        let to_bytes = loop {
            let value = rest.next().ok_or_else(|| invalid("none of them makes bytes of elements"))?;
            match Codec::read(value, size)? {
                Codec::Transpose(order) => transpose(&mut order_of_dimensions, &order)?,
                Codec::Filter(filter) => {
                    return Err(invalid(&format!("{} comes before elements have become bytes", filter.name)));
                }
                other => break other,
            }
        };
        let filters = rest.map(|value| match Codec::read(value, size)? {
            Codec::Filter(filter) => Ok(filter),
            _ => Err(invalid(&format!("{value} comes after elements have become bytes"))),
        });
        let mut filters: Vec<Filter> = filters.collect::<Result<_, _>>()?;
        let is_transposed = !order_of_dimensions.is_sorted();
        let transposed = is_transposed.then_some(order_of_dimensions);
        let mut order = Order::Little;
        let kind = match (to_bytes, data_type) {
            (Codec::Bytes(_), DataType::String | DataType::Bytes(_)) => {
                return Err(invalid("bytes is not for elements without a fixed size"));
            }
            (Codec::Bytes(given), _) => {
                order = given.unwrap_or(Order::Little);
                if let Some(dimensions) = &transposed {
                    filters.insert(0, transpose_filter(element.unwrap_or(1), shape, dimensions)?);
                }
                let pipeline = pipeline(&filters)?;
                let partial = if pipeline.is_empty() { Partial::Bytes } else { Partial::Whole };
                Kind::Bytes { pipeline: Arc::new(pipeline), partial }
            }
            (Codec::VlenUtf8, DataType::String) => {
                Kind::Values { is_text: true, transposed, pipeline: pipeline(&filters)? }
            }
            (Codec::VlenBytes, DataType::Bytes(_)) => {
                Kind::Values { is_text: false, transposed, pipeline: pipeline(&filters)? }
            }
            (Codec::VlenUtf8 | Codec::VlenBytes, _) => {
                return Err(invalid(&format!("no codec for {}", data_type.to_json())));
            }
            (Codec::Sharding(configuration), _) => {
                let depth = depth.checked_sub(1).ok_or_else(|| invalid("too many shards in each other"))?;
                let stored_shape: Vec<u64> = match &transposed {
                    Some(dimensions) => dimensions.iter().map(|&dimension| shape[dimension]).collect(),
                    None => shape.to_vec(),
                };
                let sharding =
                    Sharding::new(&configuration, Content { shape: &stored_shape, ..content }, depth)?;
                order = sharding.inner().order;
                let before = match (&transposed, element) {
                    (Some(dimensions), Some(element)) => {
                        pipeline(&[transpose_filter(element, shape, dimensions)?])?
                    }
                    _ => pipeline(&[])?,
                };
                let transposed = transposed.map(|dimensions| (dimensions, before));
                Kind::Shards(Box::new(Shards { transposed, sharding, after: pipeline(&filters)? }))
            }
            (Codec::Transpose(_) | Codec::Filter(_), _) => return Err(invalid("cannot be")),
        };
        let fill = fill_value.element(data_type, order == Order::Big);
        Ok(Self { shape: shape.to_vec(), count, element, fill, order, kind })
    }

    /// The lengths of a chunk.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// How many elements a chunk has.
    pub fn elements(&self) -> usize {
        self.count
    }

    /// Bytes of a chunk in memory; `None` if elements have no fixed size.
    pub fn chunk_bytes(&self) -> Option<usize> {
        Some(self.element? * self.count)
    }

    /// Bytes of an element; `None` if they have no fixed size.
    pub fn element_bytes(&self) -> Option<usize> {
        self.element
    }

    /// The order of bytes in numbers that decoding gives and encoding takes: as they are stored.
    pub fn order(&self) -> Order {
        self.order
    }

    /// One element that was never written, with its bytes in that order; the content of one without a fixed size.
    pub fn fill(&self) -> &[u8] {
        &self.fill
    }

    /// What can be read of a chunk without reading all of it.
    pub fn partial(&self) -> Partial {
        match &self.kind {
            Kind::Bytes { partial, .. } => *partial,
            Kind::Shards(shards) if shards.transposed.is_none() && shards.after.is_empty() => {
                Partial::InnerChunks
            }
            Kind::Values { .. } | Kind::Shards(_) => Partial::Whole,
        }
    }

    /// The filters that make elements of what is stored, if that is all there is to do.
    pub fn pipeline(&self) -> Option<&Arc<Pipeline>> {
        match &self.kind {
            Kind::Bytes { pipeline, .. } => Some(pipeline),
            _ => None,
        }
    }

    /// The filters, for a chain that is used for nothing else.
    pub(super) fn into_pipeline(self) -> Option<Pipeline> {
        match self.kind {
            Kind::Bytes { pipeline, .. } => Arc::into_inner(pipeline),
            _ => None,
        }
    }

    /// The shards, if inner chunks of them can be read one by one.
    pub fn sharding(&self) -> Option<&Sharding> {
        match &self.kind {
            Kind::Shards(shards) if self.partial() == Partial::InnerChunks => Some(&shards.sharding),
            _ => None,
        }
    }

    /// The most bytes that a file of a chunk may have and make sense.
    pub(crate) fn most_stored(&self) -> u64 {
        let inner = match &self.kind {
            Kind::Values { .. } => return MOST_BYTES as u64,
            Kind::Bytes { .. } => 0,
            Kind::Shards(shards) => shards.sharding.overhead(),
        };
        match self.chunk_bytes() {
            Some(bytes) => (bytes as u64).saturating_mul(2).saturating_add(64 * 1024).saturating_add(inner),
            None => MOST_BYTES as u64,
        }
    }

    /// Makes elements of a stored chunk: fills all of `output`.
    pub fn decode(&self, stored: &[u8], output: &mut [u8], work: &mut Work) -> Result<(), ChunkProblem> {
        self.check_length(output.len())?;
        match &self.kind {
            Kind::Bytes { pipeline, .. } => Ok(pipeline.decode(stored, 0, true, output, work)?),
            Kind::Values { .. } => Err(no_fixed_size()),
            Kind::Shards(shards) => {
                let mut unpacked = Vec::new();
                let stored = shards.unpacked(stored, &mut unpacked, self.most_stored(), work)?;
                let Some((_, before)) = &shards.transposed else {
                    return shards.sharding.decode(stored, output, work);
                };
                let mut elements = zeros(output.len())?;
                shards.sharding.decode(stored, &mut elements, work)?;
                Ok(before.decode(&elements, 0, true, output, work)?)
            }
        }
    }

    /// Makes a chunk to store of elements: replaces the content of `stored`. Gives false if there is nothing to store, because
    /// all of it is the fill value.
    pub fn encode(
        &self,
        elements: &[u8],
        stored: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<bool, ChunkProblem> {
        self.check_length(elements.len())?;
        match &self.kind {
            Kind::Bytes { pipeline, .. } => {
                pipeline.encode(elements, stored, work)?;
                Ok(true)
            }
            Kind::Values { .. } => Err(no_fixed_size()),
            Kind::Shards(shards) => {
                let mut transposed = Vec::new();
                let elements = match &shards.transposed {
                    Some((_, before)) => {
                        before.encode(elements, &mut transposed, work)?;
                        &transposed
                    }
                    None => elements,
                };
                let is_stored = shards.sharding.encode(elements, stored, work)?;
                shards.pack(stored, work)?;
                Ok(is_stored)
            }
        }
    }

    /// Makes elements without a fixed size of a stored chunk.
    pub fn decode_values(&self, stored: &[u8], work: &mut Work) -> Result<Values, ChunkProblem> {
        match &self.kind {
            Kind::Bytes { .. } => Err(fixed_size()),
            Kind::Values { is_text, transposed, pipeline } => {
                let mut bytes = Vec::new();
                pipeline.decode_any_length(stored, true, MOST_BYTES, &mut bytes, work)?;
                let mut values = Values::decode(bytes, self.count, *is_text)?;
                if let Some(dimensions) = transposed {
                    values.reordered(self.places_in_stored(dimensions).into_iter());
                }
                Ok(values)
            }
            Kind::Shards(shards) => {
                let mut unpacked = Vec::new();
                let stored = shards.unpacked(stored, &mut unpacked, self.most_stored(), work)?;
                let mut values = shards.sharding.decode_values(stored, work)?;
                if let Some((dimensions, _)) = &shards.transposed {
                    values.reordered(self.places_in_stored(dimensions).into_iter());
                }
                Ok(values)
            }
        }
    }

    /// Makes a chunk to store of elements without a fixed size, as [`Chain::encode`].
    pub fn encode_values(
        &self,
        values: &Values,
        stored: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<bool, ChunkProblem> {
        if values.len() != self.count {
            return Err(ChunkProblem::Elements(format!(
                "{} elements instead of {}",
                values.len(),
                self.count
            )));
        }
        let reordered = |dimensions: &[usize]| {
            let mut places = vec![0; self.count];
            for (element, place) in self.places_in_stored(dimensions).into_iter().enumerate() {
                places[place] = element;
            }
            let mut values = values.clone();
            values.reordered(places.into_iter());
            values
        };
        match &self.kind {
            Kind::Bytes { .. } => Err(fixed_size()),
            Kind::Values { is_text, transposed, pipeline } => {
                if *is_text && values.iter().any(|value| core::str::from_utf8(value).is_err()) {
                    return Err(ChunkProblem::Elements("an element is not UTF-8".to_owned()));
                }
                let mut bytes = Vec::new();
                match transposed {
                    Some(dimensions) => reordered(dimensions).encode(&mut bytes)?,
                    None => values.encode(&mut bytes)?,
                }
                pipeline.encode(&bytes, stored, work)?;
                Ok(true)
            }
            Kind::Shards(shards) => {
                let is_stored = match &shards.transposed {
                    Some((dimensions, _)) => {
                        shards.sharding.encode_values(&reordered(dimensions), stored, work)?
                    }
                    None => shards.sharding.encode_values(values, stored, work)?,
                };
                shards.pack(stored, work)?;
                Ok(is_stored)
            }
        }
    }

    /// For each element its number in what is stored.
    fn places_in_stored(&self, dimensions: &[usize]) -> Vec<usize> {
        let mut strides = vec![0; dimensions.len()];
        let mut stride = 1;
        for &dimension in dimensions.iter().rev() {
            strides[dimension] = stride;
            stride *= usize::try_from(self.shape[dimension]).unwrap_or(0);
        }
        let place = |at: Vec<u64>| {
            at.iter().zip(&strides).map(|(at, stride)| usize::try_from(*at).unwrap_or(0) * stride).sum()
        };
        coordinates(&self.shape).map(place).collect()
    }

    /// Fills a chunk in memory with elements that were never written.
    pub fn fill_chunk(&self, output: &mut [u8]) {
        fill(output, &self.fill);
    }

    /// A chunk of elements without a fixed size that were never written.
    pub fn fill_values(&self) -> Result<Values, ChunkProblem> {
        Values::repeated(&self.fill, self.count)
    }

    fn check_length(&self, length: usize) -> Result<(), ChunkProblem> {
        match self.chunk_bytes() {
            None => Err(no_fixed_size()),
            Some(bytes) if bytes == length => Ok(()),
            Some(bytes) => {
                Err(ChunkProblem::Elements(format!("{length} bytes of elements instead of {bytes}")))
            }
        }
    }
}

impl Shards {
    /// The shard, without the codecs that come after it.
    fn unpacked<'b>(
        &self,
        stored: &'b [u8],
        buffer: &'b mut Vec<u8>,
        most: u64,
        work: &mut Work,
    ) -> Result<&'b [u8], ChunkProblem> {
        if self.after.is_empty() {
            return Ok(stored);
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        self.after.decode_any_length(stored, true, most, buffer, work)?;
        Ok(buffer)
    }

    fn pack(&self, stored: &mut Vec<u8>, work: &mut Work) -> Result<(), ChunkProblem> {
        if !self.after.is_empty() {
            let shard = mem::take(stored);
            self.after.encode(&shard, stored, work)?;
        }
        Ok(())
    }
}

/// Memory for so many bytes.
pub(crate) fn zeros(length: usize) -> Result<Vec<u8>, ChunkProblem> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| ChunkProblem::OutOfMemory(length as u64))?;
    bytes.resize(length, 0);
    Ok(bytes)
}

fn no_fixed_size() -> ChunkProblem {
    ChunkProblem::Elements("the elements have no fixed size".to_owned())
}

fn fixed_size() -> ChunkProblem {
    ChunkProblem::Elements("the elements have a fixed size".to_owned())
}

/// Puts another order of dimensions after those before it.
fn transpose(dimensions: &mut Vec<usize>, order: &[usize]) -> Result<(), Problem> {
    let mut seen = vec![false; dimensions.len()];
    let is_valid = order.len() == dimensions.len()
        && order.iter().all(|&at| seen.get_mut(at).is_some_and(|seen| !mem::replace(seen, true)));
    if !is_valid {
        let reason = format!("transpose with the order {order:?} of {} dimensions", dimensions.len());
        return Err(Problem::invalid("codecs", reason));
    }
    *dimensions = order.iter().map(|&at| dimensions[at]).collect();
    Ok(())
}

fn transpose_filter(element: usize, shape: &[u64], dimensions: &[usize]) -> Result<Filter, Problem> {
    let too_large = || Problem::unsupported("codecs", "transpose of so large chunks");
    let lengths = shape.iter().map(|&length| u32::try_from(length).map_err(|_| too_large()));
    let mut parameters = vec![
        u32::try_from(element).map_err(|_| too_large())?,
        u32::try_from(shape.len()).map_err(|_| too_large())?,
    ];
    parameters.extend(lengths.collect::<Result<Vec<_>, _>>()?);
    for &dimension in dimensions {
        parameters.push(u32::try_from(dimension).map_err(|_| too_large())?);
    }
    Ok(Filter { id: beyond::TRANSPOSE, name: "transpose".to_owned(), optional: false, parameters })
}

fn pipeline(filters: &[Filter]) -> Result<Pipeline, Problem> {
    let pipeline =
        Pipeline::new(filters).map_err(|unsupported| Problem::unsupported("codecs", unsupported.0))?;
    Ok(pipeline.refusing_longer_chunks())
}
