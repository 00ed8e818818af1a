//! Filters one after another.

use core::mem;
use core::ops::Range;

use crate::codec::Codec;
use crate::error::{CodecError, PipelineError, Unsupported};
use crate::registry::{Filter, codec};
use crate::work::{Work, copied, room};

/// HDF5 keeps which filters were left out of a chunk in 32 bits.
const MAX_FILTERS: usize = 32;

/// More than this beyond twice the chunk's size is never allocated for what a filter gives.
const MARGIN: usize = 64 * 1024;

/// The filters of a dataset.
#[derive(Debug)]
pub struct Pipeline {
    stages: Vec<Stage>,
    exact: bool,
}

#[derive(Debug)]
struct Stage {
    filter: Filter,
    codec: Box<dyn Codec>,
}

impl Stage {
    fn error(&self, source: CodecError) -> PipelineError {
        PipelineError { id: self.filter.id, name: self.filter.name.clone(), source }
    }
}

/// The number of the filter "shuffle".
const SHUFFLE: i32 = 2;

/// A stored chunk that is to be decoded together with another one.
#[derive(Debug)]
pub struct Packed<'c> {
    /// As it is in the file.
    pub stored: &'c [u8],
    /// The filters that were left out when it was written.
    pub mask: u32,
    /// Where its elements go.
    pub output: &'c mut [u8],
}

/// How far a chunk is decoded.
enum Progress {
    /// The filters before this one are still to be undone.
    Before(usize, Place),
    /// The elements are where they belong.
    Done,
}

/// A filter that is undone first.
struct First<'c> {
    /// Which of them.
    index: usize,
    /// What it is given, and how many bytes it gives.
    input: &'c [u8],
    length: usize,
}

/// Where the bytes are that the next filter decodes.
enum Place {
    Stored(Range<usize>),
    Held(Range<usize>),
}

impl Pipeline {
    /// The pipeline of these filters, in the order in which they are applied when writing.
    pub fn new(filters: &[Filter]) -> Result<Self, Unsupported> {
        if filters.len() > MAX_FILTERS {
            return Err(Unsupported(format!("{} filters", filters.len())));
        }
        let mut before: Option<&Filter> = None;
        let stages = filters.iter().map(|filter| {
            let mut codec = codec(filter)?;
            if let Some(Filter { id: SHUFFLE, parameters, .. }) = before.replace(filter)
                && let Some(element) = parameters.first().and_then(|size| usize::try_from(*size).ok())
            {
                codec.after_shuffle(element);
            }
            Ok(Stage { filter: filter.clone(), codec })
        });
        Ok(Self { stages: stages.collect::<Result<_, _>>()?, exact: false })
    }

    /// Makes chunks that decode to more bytes than a chunk has an error, as they are in HDF5 2.2. HDF5 1.14 and
    /// 2.0 take the first bytes, and without this call so does [`Pipeline::decode`].
    #[must_use]
    pub fn refusing_longer_chunks(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Turns a stored chunk into its elements: fills all of `output`. The bits of `mask` are the filters that
    /// were left out when the chunk was written; `verify` is whether checksums are looked at.
    ///
    /// After an error the content of `output` is not specified.
    pub fn decode(
        &self,
        stored: &[u8],
        mask: u32,
        verify: bool,
        output: &mut [u8],
        work: &mut Work,
    ) -> Result<(), PipelineError> {
        let chunk = Packed { stored, mask, output };
        let progress = self.beginning(&chunk);
        self.decode_rest(chunk, progress, verify, work)
    }

    /// Does the same for two chunks, and does both at the same time where that is faster: see
    /// [`Pipeline::gains_by_pairs`]. What happens to one does not concern the other.
    pub fn decode_pair(
        &self,
        [mut one, mut other]: [Packed<'_>; 2],
        verify: bool,
        [work, other_work]: [&mut Work; 2],
    ) -> [Result<(), PipelineError>; 2] {
        let [progress, other_progress] =
            self.begin_pair([&mut one, &mut other], verify, [&mut *work, &mut *other_work]);
        [
            self.decode_rest(one, progress, verify, work),
            self.decode_rest(other, other_progress, verify, other_work),
        ]
    }

    /// Whether there is a filter that [`Pipeline::decode_pair`] undoes faster than [`Pipeline::decode`].
    pub fn gains_by_pairs(&self) -> bool {
        self.stages.iter().any(|stage| stage.codec.pair_decoder().is_some())
    }

    /// Undoes the first filter of two chunks at the same time, if that gains anything. A chunk of which that fails is at its
    /// beginning still: why is found out there.
    fn begin_pair(
        &self,
        [one, other]: [&mut Packed<'_>; 2],
        verify: bool,
        [work, other_work]: [&mut Work; 2],
    ) -> [Progress; 2] {
        let mut progress = [self.beginning(one), self.beginning(other)];
        let (Some(first), Some(other_first)) = (self.first(one, verify), self.first(other, verify)) else {
            return progress;
        };
        let index = first.index;
        let Some(decode) = self.stages[index].codec.pair_decoder().filter(|_| index == other_first.index)
        else {
            return progress;
        };
        let mut held = [mem::take(&mut work.between[0]), mem::take(&mut other_work.between[0])];
        let [between, other_between] = &mut held;
        let lengths = [one.output.len(), other.output.len()];
        let are_last = [self.is_last(index, one.mask), self.is_last(index, other.mask)];
        let target = if are_last[0] { Ok(&mut *one.output) } else { room(between, first.length) };
        let other_target =
            if are_last[1] { Ok(&mut *other.output) } else { room(other_between, other_first.length) };
        if let (Ok(target), Ok(other_target)) = (target, other_target) {
            let inputs = [first.input, other_first.input];
            let decoded = decode(inputs, [target, other_target], [&mut *work, &mut *other_work]);
            for (number, decoded) in decoded.into_iter().enumerate() {
                progress[number] = match decoded {
                    Ok(length) if !are_last[number] => Progress::Before(index, Place::Held(0..length)),
                    Ok(length) if length == lengths[number] => Progress::Done,
                    Ok(_) | Err(_) => continue,
                };
            }
        }
        [work.between[0], other_work.between[0]] = held;
        progress
    }

    /// Whether no filter is left to undo after this one.
    fn is_last(&self, index: usize, mask: u32) -> bool {
        self.active(mask).next().is_some_and(|(first, _)| first == index)
    }

    /// The first filter of a chunk that has something to decode, if it is known how long the result is.
    fn first<'c>(&self, chunk: &Packed<'c>, verify: bool) -> Option<First<'c>> {
        let mut input = chunk.stored;
        for (index, stage) in self.active(chunk.mask).rev() {
            let Some(part) = stage.codec.contained(input, verify) else {
                let length = self.lengths(chunk.mask, chunk.output.len())[index]?;
                return Some(First { index, input, length });
            };
            input = &input[part.ok()?];
        }
        None
    }

    fn beginning(&self, chunk: &Packed<'_>) -> Progress {
        Progress::Before(self.stages.len(), Place::Stored(0..chunk.stored.len()))
    }

    fn decode_rest(
        &self,
        chunk: Packed<'_>,
        progress: Progress,
        verify: bool,
        work: &mut Work,
    ) -> Result<(), PipelineError> {
        let Progress::Before(index, place) = progress else { return Ok(()) };
        // Out of `work` for the time being, because the filters get all of that.
        let mut between = mem::take(&mut work.between);
        let decoded = self.decode_between(chunk, (index, place), verify, &mut between, work);
        work.between = between;
        decoded
    }

    fn decode_between(
        &self,
        Packed { stored, mask, output }: Packed<'_>,
        (before, mut place): (usize, Place),
        verify: bool,
        [held, free]: &mut [Vec<u8>; 2],
        work: &mut Work,
    ) -> Result<(), PipelineError> {
        let chunk = output.len();
        let lengths = self.lengths(mask, chunk);
        let mut active = self.active(mask).rev().skip_while(|&(index, _)| index >= before).peekable();
        while let Some((index, stage)) = active.next() {
            let input = place.bytes(stored, held);
            if let Some(part) = stage.codec.contained(input, verify) {
                place = place.part(part.map_err(|source| stage.error(source))?);
            } else if active.peek().is_some() {
                let decoded = decode_grown(&*stage.codec, input, lengths[index], chunk, free, work);
                let len = decoded.map_err(|source| stage.error(source))?;
                mem::swap(held, free);
                place = Place::Held(0..len);
            } else {
                let decoded = match stage.codec.decode(input, output, work) {
                    Ok(len) if len < chunk => Err(TOO_SHORT),
                    Ok(_) => Ok(()),
                    Err(CodecError::NoRoom) if !self.exact => {
                        decode_grown(&*stage.codec, input, None, chunk, free, work)
                            .and_then(|len| self.take(&free[..len], output))
                    }
                    Err(error) => Err(error),
                };
                return decoded.map_err(|source| stage.error(source));
            }
        }
        self.take(place.bytes(stored, held), output).map_err(|source| match self.active(mask).next() {
            Some((_, stage)) => stage.error(source),
            None => no_filter(source),
        })
    }

    /// Copies a chunk that no filter is left to decode.
    fn take(&self, bytes: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        if self.exact && bytes.len() > output.len() {
            return Err(CodecError::NoRoom);
        }
        output.copy_from_slice(bytes.get(..output.len()).ok_or(TOO_SHORT)?);
        Ok(())
    }

    /// Turns a stored chunk into its bytes if nobody knows how many those are: replaces the content of `output`. No filter may
    /// have been left out. More than `most` bytes are an error.
    pub fn decode_any_length(
        &self,
        stored: &[u8],
        verify: bool,
        most: usize,
        output: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<(), PipelineError> {
        let mut held = mem::take(&mut work.between[0]);
        let decoded = self.decode_growing(stored, verify, most, [output, &mut held], work);
        work.between[0] = held;
        decoded
    }

    fn decode_growing(
        &self,
        stored: &[u8],
        verify: bool,
        most: usize,
        [output, held]: [&mut Vec<u8>; 2],
        work: &mut Work,
    ) -> Result<(), PipelineError> {
        let mut place = Place::Stored(0..stored.len());
        for (_, stage) in self.active(0).rev() {
            let input = place.bytes(stored, held);
            if let Some(part) = stage.codec.contained(input, verify) {
                place = place.part(part.map_err(|source| stage.error(source))?);
                continue;
            }
            let decoded = decode_without_limit(&*stage.codec, input, most, output, work);
            let length = decoded.map_err(|source| stage.error(source))?;
            mem::swap(held, output);
            place = Place::Held(0..length);
        }
        let bytes = place.bytes(stored, held);
        if bytes.len() > most {
            return Err(no_filter(CodecError::NoRoom));
        }
        copied(output, bytes).map_err(no_filter)
    }

    /// Whether there is nothing to do: what is stored are the elements.
    pub fn is_empty(&self) -> bool {
        self.is_empty_without(0)
    }

    /// Whether there is nothing to do for a chunk for which these filters were left out.
    pub fn is_empty_without(&self, mask: u32) -> bool {
        self.active(mask).next().is_none()
    }

    /// How many bytes a chunk of this length is stored in, if that depends on nothing else.
    pub fn encoded_len(&self, chunk: usize) -> Option<usize> {
        self.active(0).try_fold(chunk, |length, (_, stage)| stage.codec.encoded_len(length))
    }

    /// Whether decoding may meet a chunk that only another implementation of a filter understands
    /// ([`CodecError::Foreign`]).
    pub fn may_be_foreign(&self) -> bool {
        self.stages.iter().any(|stage| stage.codec.may_be_foreign())
    }

    /// Whether a chunk may be stored without one of the filters.
    pub fn may_leave_out(&self) -> bool {
        self.stages.iter().any(|stage| stage.filter.optional && !stage.codec.always_applies())
    }

    /// Turns elements into a chunk to store: replaces the content of `stored`. Gives the mask of the filters
    /// that were left out.
    pub fn encode(
        &self,
        elements: &[u8],
        stored: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<u32, PipelineError> {
        let mut spare = mem::take(&mut work.spare);
        let encoded = self.encode_between(elements, stored, &mut spare, work);
        work.spare = spare;
        encoded
    }

    fn encode_between(
        &self,
        elements: &[u8],
        stored: &mut Vec<u8>,
        spare: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<u32, PipelineError> {
        let mut left_out = 0;
        let mut applied = false;
        for (index, stage) in self.active(0) {
            let input = if applied { stored.as_slice() } else { elements };
            match stage.codec.encode(input, spare, work) {
                Ok(()) => {
                    mem::swap(stored, spare);
                    applied = true;
                }
                Err(_) if stage.filter.optional => left_out |= 1 << index,
                Err(source) => return Err(stage.error(source)),
            }
        }
        if !applied {
            copied(stored, elements).map_err(no_filter)?;
        }
        Ok(left_out)
    }

    /// The filters that were not left out and do something, with the numbers of their bits, in the order of
    /// writing.
    fn active(&self, mask: u32) -> impl DoubleEndedIterator<Item = (usize, &Stage)> {
        let stages = self.stages.iter().enumerate();
        stages.filter(move |(index, stage)| mask & (1 << index) == 0 && !stage.codec.is_identity())
    }

    /// How many bytes each filter was given when a chunk of this size was written, as far as that is fixed.
    fn lengths(&self, mask: u32, chunk: usize) -> [Option<usize>; MAX_FILTERS] {
        let mut lengths = [None; MAX_FILTERS];
        let mut length = Some(chunk);
        for (index, stage) in self.active(mask) {
            lengths[index] = length;
            length = length.and_then(|length| stage.codec.encoded_len(length));
        }
        lengths
    }
}

/// An error where no filter has anything to do.
fn no_filter(source: CodecError) -> PipelineError {
    PipelineError { id: 0, name: "none".to_owned(), source }
}

const TOO_SHORT: CodecError = CodecError::Corrupt("the data is shorter than a chunk");

impl Place {
    fn bytes<'a>(&self, stored: &'a [u8], held: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Stored(range) => &stored[range.clone()],
            Self::Held(range) => &held[range.clone()],
        }
    }

    /// A part of these bytes, counted from their start.
    fn part(self, part: Range<usize>) -> Self {
        let within = |whole: Range<usize>| whole.start + part.start..whole.start + part.end;
        match self {
            Self::Stored(whole) => Self::Stored(within(whole)),
            Self::Held(whole) => Self::Held(within(whole)),
        }
    }
}

/// Decodes into a buffer that grows as far as the size of the chunk explains, and gives the number of bytes.
/// `expected` is what there must be if the chunk is as it should be.
fn decode_grown(
    codec: &dyn Codec,
    input: &[u8],
    expected: Option<usize>,
    chunk: usize,
    buffer: &mut Vec<u8>,
    work: &mut Work,
) -> Result<usize, CodecError> {
    let limit = chunk.saturating_mul(2).saturating_add(MARGIN);
    let told = codec.decoded_len(input);
    // Without a hint: most filters do not make data longer, and the others only a little.
    let mut len = expected.or(told).unwrap_or(chunk.saturating_add(chunk / 16 + 64)).min(limit);
    loop {
        match codec.decode(input, room(buffer, len)?, work) {
            Err(CodecError::NoRoom) if len < limit => {
                len =
                    told.filter(|&told| told > len).unwrap_or(len.saturating_mul(2)).min(limit).max(len + 1);
            }
            decoded => return decoded,
        }
    }
}

/// Decodes into a buffer that grows with what there is, up to `most` bytes; the number of bytes. What a chunk says of its own
/// length is believed only as far as its size makes it likely.
fn decode_without_limit(
    codec: &dyn Codec,
    input: &[u8],
    most: usize,
    buffer: &mut Vec<u8>,
    work: &mut Work,
) -> Result<usize, CodecError> {
    let likely = input.len().saturating_mul(8).saturating_add(MARGIN);
    let mut len = codec.decoded_len(input).unwrap_or(likely).min(likely).min(most);
    loop {
        match codec.decode(input, room(buffer, len)?, work) {
            Err(CodecError::NoRoom) if len < most => len = len.saturating_mul(2).clamp(1, most),
            decoded => return decoded,
        }
    }
}
