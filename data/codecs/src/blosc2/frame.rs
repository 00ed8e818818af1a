//! Contiguous frames: what Blosc2 keeps chunks in.
//!
//! The header is of fixed length (87 bytes, big-endian numbers at fixed places, since Blosc2 always writes the
//! same kinds of MessagePack values), followed by *layers*: named descriptions of the data. After the chunks
//! there is an index, itself a chunk: eight bytes (little-endian) per chunk, its distance from the header's end,
//! or, if negative, the value all of it has. The trailer is of no use to us.

use crate::blosc2::chunk::{Blocks, COPIED, Chunk, EXTENDED, HEADER as CHUNK_HEADER};
use crate::error::CodecError;
use crate::work::{Work, room};

/// Length of the header without layers.
const HEADER: usize = 87;
/// What a frame begins with.
const MAGIC: &[u8; 10] = b"\x9e\xa8b2frame\0";
/// An index of this length is always read; a longer one must be explained by the data.
const SMALL_INDEX: usize = 4096;

const CUT_SHORT: CodecError = CodecError::Corrupt("the frame is cut short");
const NO_SENSE: CodecError = CodecError::Corrupt("a size in the frame makes no sense");

/// A frame whose header has been read.
#[derive(Debug)]
pub(super) struct Frame<'frame> {
    header: &'frame [u8],
    /// The chunks.
    chunks: &'frame [u8],
    /// The index, and what follows.
    index: &'frame [u8],
    /// Bytes of all data before compression; not 0.
    pub(super) len: usize,
    /// Bytes of a chunk before compression; not 0. The last one can have less.
    pub(super) chunk: usize,
    /// Bytes of an element; not 0.
    pub(super) element: usize,
}

impl<'frame> Frame<'frame> {
    /// Reads and checks the header.
    pub(super) fn read(input: &'frame [u8]) -> Result<Self, CodecError> {
        if input.len() < HEADER {
            return Err(CUT_SHORT);
        }
        if !input.starts_with(MAGIC) {
            return Err(CodecError::Corrupt("this is no frame of Blosc2"));
        }
        let size = |size: Option<u64>| size.and_then(|size| usize::try_from(size).ok()).ok_or(CUT_SHORT);
        let (header, all) = (size(big_endian::<4>(input, 11))?, size(big_endian::<8>(input, 16))?);
        let (len, stored) = (size(big_endian::<8>(input, 30))?, size(big_endian::<8>(input, 39))?);
        let (element, chunk) = (size(big_endian::<4>(input, 48))?, size(big_endian::<4>(input, 58))?);
        let (flags, kind) = (input[25], input[26]);
        if flags & 0x0f > 3 || flags >> 6 != 0 || kind != 0 {
            return Err(CodecError::Foreign("the frame is of a kind that is not supported"));
        }
        if all != input.len() || header < HEADER {
            return Err(NO_SENSE);
        }
        let most = usize::try_from(i32::MAX).unwrap_or(usize::MAX);
        if len == 0 || chunk == 0 || chunk > most || element == 0 || element > most {
            return Err(NO_SENSE);
        }
        let (header, rest) = input.split_at_checked(header).ok_or(CUT_SHORT)?;
        let (chunks, index) = rest.split_at_checked(stored).ok_or(CUT_SHORT)?;
        Ok(Self { header, chunks, index, len, chunk, element })
    }

    /// Where the chunks are. `data` is the number of bytes that are expected: a frame of more chunks than that
    /// explains is not read.
    pub(super) fn index(
        &self,
        data: usize,
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<Vec<u8>, CodecError> {
        let len = self.len.div_ceil(self.chunk).checked_mul(8).ok_or(NO_SENSE)?;
        if len > SMALL_INDEX.max(data) {
            return Err(CodecError::Corrupt("the frame has more chunks than its data explains"));
        }
        let chunk = Chunk::read(self.index)?;
        if chunk.len != len {
            return Err(CodecError::Corrupt("the frame's index does not have the length for its chunks"));
        }
        let mut index = Vec::new();
        Blocks::new(chunk, room(memory, Blocks::memory(&chunk))?).all(room(&mut index, len)?, work)?;
        Ok(index)
    }

    /// One of the chunks in the index.
    pub(super) fn chunk(&self, index: &[u8], number: usize) -> Result<Chunk<'frame>, CodecError> {
        let outside = CodecError::Corrupt("a chunk lies outside of the frame");
        let place =
            index.chunks_exact(8).nth(number).and_then(|place| place.first_chunk()).ok_or(outside.clone())?;
        let place = i64::from_le_bytes(*place);
        if place < 0 {
            let from = number.saturating_mul(self.chunk);
            let len = self.chunk.min(self.len.saturating_sub(from));
            return Chunk::special(place.to_be_bytes()[0] & 0x7f, len, self.element);
        }
        let bytes = usize::try_from(place).ok().and_then(|place| self.chunks.get(place..)).ok_or(outside)?;
        Chunk::read(bytes)
    }

    /// The layer that describes the data as an array of many dimensions, if there is one.
    pub(super) fn array(&self) -> Option<Result<&'frame [u8], CodecError>> {
        let layers = self.header.get(HEADER..)?;
        // Three values: the length of this part, a map of names to places, and a list of contents.
        let count = big_endian::<2>(layers, 5)?;
        let mut entries = layers.get(7..)?;
        for _ in 0..count {
            let (&tag, rest) = entries.split_first()?;
            let (name, rest) = rest.split_at_checked(usize::from(tag & 0x1f))?;
            let place = big_endian::<4>(rest, 1)?;
            entries = rest.get(5..)?;
            if name == b"b2nd" || name == b"caterva" {
                return Some(
                    self.layer(place).ok_or(CodecError::Corrupt("a layer lies outside of the header")),
                );
            }
        }
        None
    }

    fn layer(&self, place: u64) -> Option<&'frame [u8]> {
        let layer = self.header.get(usize::try_from(place).ok()?..)?;
        let len = usize::try_from(big_endian::<4>(layer, 1)?).ok()?;
        layer.get(5..)?.get(..len)
    }
}

/// A number of `N` bytes at this place.
pub(super) fn big_endian<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes: &[u8; N] = bytes.get(at..)?.first_chunk()?;
    Some(bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// What the header of a frame of one chunk says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Description<'a> {
    /// Bytes before compression.
    pub(super) len: usize,
    pub(super) element: usize,
    pub(super) block: usize,
    pub(super) level: u8,
    pub(super) compressor: u8,
    pub(super) filter: u8,
    /// The layer that describes an array.
    pub(super) array: Option<&'a [u8]>,
}

impl Description<'_> {
    /// Writes the header. The lengths of the frame and of its chunk come later, by [`finish`].
    pub(super) fn write(&self, output: &mut Vec<u8>) -> Option<()> {
        let int = |size: usize| Some(i32::try_from(size).ok()?.to_be_bytes());
        output.extend(MAGIC);
        output.extend([0xd2, 0, 0, 0, 0]);
        output.extend([0xcf, 0, 0, 0, 0, 0, 0, 0, 0]);
        // Version 2 with places of 64 bits; contiguous; compressor and level; streams as C-Blosc splits them.
        output.extend([0xa4, 0x12, 0, self.compressor | self.level << 4, 3]);
        output.push(0xd3);
        output.extend(u64::try_from(self.len).ok()?.to_be_bytes());
        output.extend([0xd3, 0, 0, 0, 0, 0, 0, 0, 0]);
        for size in [self.element, self.block, self.len] {
            output.push(0xd2);
            output.extend(int(size)?);
        }
        // One thread for each direction; nothing in the trailer.
        output.extend([0xd1, 0, 1, 0xd1, 0, 1, 0xc2]);
        output.extend([0xd8, 6, 0, 0, 0, 0, 0, self.filter, self.compressor, 0]);
        output.extend([0; 8]);
        output.push(0x93);
        match self.array {
            None => output.extend([0xcd, 0, 7, 0xde, 0, 0, 0xdc, 0, 0]),
            Some(layer) => {
                output.extend([0xcd, 0, 17, 0xde, 0, 1, 0xa4]);
                output.extend(b"b2nd");
                output.push(0xd2);
                output.extend(int(output.len() + 4 + 3)?);
                output.extend([0xdc, 0, 1, 0xc6]);
                output.extend(int(layer.len())?);
                output.extend(layer);
            }
        }
        let header = int(output.len())?;
        output[11..15].copy_from_slice(&header);
        Some(())
    }
}

/// Where the chunk of a frame is.
pub(super) enum Place {
    /// After the header.
    Here,
    /// Nowhere: it is all zeros.
    Zeros,
}

/// Writes what follows the chunk, and the lengths that are known now. `header` is the length of the header.
pub(super) fn finish(place: &Place, header: usize, output: &mut Vec<u8>) -> Option<()> {
    let chunk = u64::try_from(output.len() - header).ok()?;
    output[39..47].copy_from_slice(&chunk.to_be_bytes());
    let mut index = [0; CHUNK_HEADER + 8];
    index[..4].copy_from_slice(&[5, 1, EXTENDED | COPIED, 8]);
    // Its length, that of its only block, and with the header.
    (index[4], index[8], index[12]) = (8, 8, 40);
    index[21] = 1;
    if let Place::Zeros = place {
        index[CHUNK_HEADER + 7] = 0x81;
    }
    output.extend(index);
    // Version 1, no layers, its length, no checksum.
    output.extend([0x94, 1, 0x93, 0xcd, 0, 6, 0xde, 0, 0, 0xdc, 0, 0, 0xce, 0, 0, 0, 35, 0xd8, 0]);
    output.extend([0; 16]);
    let all = u64::try_from(output.len()).ok()?;
    output[16..24].copy_from_slice(&all.to_be_bytes());
    Some(())
}
