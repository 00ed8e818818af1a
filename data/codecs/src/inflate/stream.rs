//! A stream, step by step: what is between the long stretches of codes that [`super::fast`] decodes.

use libdeflater::{Adler32, Crc};

use super::bits::Bits;
use super::codes::{Codes, LengthCodes};
use super::fast;
use crate::error::CodecError;

pub(super) const CORRUPT: CodecError = CodecError::Corrupt("not a valid zlib stream");

/// Bytes of a zlib stream before its first block.
const HEADER: usize = 2;

/// Bytes of a gzip stream before its first block, if nothing that may be missing is there.
const GZIP_HEADER: usize = 10;

/// What deflated blocks are wrapped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapping {
    /// Two bytes and Adler's checksum.
    Zlib,
    /// What gzip's files have: ten bytes or more, a checksum and the length.
    Gzip,
}

/// The most symbols and distances that a block may have codes for.
const MOST_SYMBOLS: usize = 286;
const MOST_DISTANCES: usize = 30;

/// The order in which the lengths of the codes for lengths are given.
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A stream that is being decoded.
pub(super) struct Stream<'s> {
    wrapping: Wrapping,
    pub(super) bits: Bits<'s>,
    pub(super) output: &'s mut [u8],
    /// Bytes that were decoded.
    pub(super) written: usize,
    pub(super) codes: &'s mut Codes,
    is_last_block: bool,
    state: State,
}

/// What comes next.
enum State {
    Block,
    /// The codes of a block.
    Codes,
    Checksum,
    Failed(CodecError),
}

impl<'s> Stream<'s> {
    pub(super) fn new(
        wrapping: Wrapping,
        input: &'s [u8],
        output: &'s mut [u8],
        codes: &'s mut Codes,
    ) -> Self {
        let begin = match wrapping {
            Wrapping::Zlib => is_header(input).then_some(HEADER),
            Wrapping::Gzip => gzip_header(input),
        };
        let state = if begin.is_some() { State::Block } else { State::Failed(CORRUPT) };
        let bits = Bits::new(input, begin.unwrap_or(0));
        Self { wrapping, bits, output, written: 0, codes, is_last_block: false, state }
    }

    /// Goes on until there are codes, and room for what they stand for, such that [`super::fast`] can decode them. Nothing
    /// is left to do if there are none.
    pub(super) fn is_ready(&mut self) -> bool {
        loop {
            let done = match self.state {
                State::Checksum | State::Failed(_) => return false,
                State::Codes if fast::can_run(self) => return true,
                State::Codes => self.decode_carefully(),
                State::Block => self.begin_block(),
            };
            if let Err(error) = done {
                self.state = State::Failed(error);
            }
        }
    }

    pub(super) fn end_block(&mut self) {
        self.state = if self.is_last_block { State::Checksum } else { State::Block };
    }

    pub(super) fn fail(&mut self) {
        self.state = State::Failed(CORRUPT);
    }

    /// The number of bytes, if they are what was compressed.
    pub(super) fn finish(mut self) -> Result<usize, CodecError> {
        if let State::Failed(error) = self.state {
            return Err(error);
        }
        let stored = self.bits.bytes(size_of::<u32>()).ok_or(CORRUPT)?;
        let output = &self.output[..self.written];
        let is_right = match self.wrapping {
            Wrapping::Zlib => {
                let mut checksum = Adler32::new();
                checksum.update(output);
                checksum.sum().to_be_bytes() == *stored
            }
            Wrapping::Gzip => {
                let mut checksum = Crc::new();
                checksum.update(output);
                let length = self.bits.bytes(size_of::<u32>()).ok_or(CORRUPT)?;
                // The length modulo 2^32.
                checksum.sum().to_le_bytes() == *stored && self.written.to_le_bytes().starts_with(length)
            }
        };
        if is_right { Ok(self.written) } else { Err(CORRUPT) }
    }

    fn begin_block(&mut self) -> Result<(), CodecError> {
        self.bits.fill();
        self.is_last_block = self.bits.take(1) == 1;
        match self.bits.take(2) {
            0 => return self.copy_stored(),
            1 => self.codes.set_fixed().ok_or(CORRUPT)?,
            2 => self.read_codes()?,
            _ => return Err(CORRUPT),
        }
        self.bits.check()?;
        self.state = State::Codes;
        Ok(())
    }

    /// A block that is stored as it is.
    fn copy_stored(&mut self) -> Result<(), CodecError> {
        self.bits.skip(self.bits.count & 7);
        let header = self.bits.bytes(4).and_then(<[u8]>::first_chunk).ok_or(CORRUPT)?;
        let [low, high, not_low, not_high] = *header;
        if [low, high] != [!not_low, !not_high] {
            return Err(CORRUPT);
        }
        let length = usize::from(u16::from_le_bytes([low, high]));
        let stored = self.bits.bytes(length).ok_or(CORRUPT)?;
        let room = &mut self.output[self.written..];
        room.get_mut(..length).ok_or(CodecError::NoRoom)?.copy_from_slice(stored);
        self.written += length;
        self.end_block();
        Ok(())
    }

    /// The codes of a block: the lengths of them, coded themselves.
    fn read_codes(&mut self) -> Result<(), CodecError> {
        let bits = &mut self.bits;
        let (symbols, distances, given) = (257 + bits.take(5), 1 + bits.take(5), 4 + bits.take(4));
        if symbols > MOST_SYMBOLS || distances > MOST_DISTANCES {
            return Err(CORRUPT);
        }
        let mut lengths = [0; LENGTH_ORDER.len()];
        for place in &LENGTH_ORDER[..given] {
            bits.fill();
            lengths[*place] = u8::try_from(bits.take(3)).map_err(|_| CORRUPT)?;
        }
        let codes = LengthCodes::new(&lengths).ok_or(CORRUPT)?;
        let mut lengths = [0; MOST_SYMBOLS + MOST_DISTANCES];
        let lengths = &mut lengths[..symbols + distances];
        let mut done = 0;
        while done < lengths.len() {
            bits.fill();
            bits.check()?;
            let (used, length) = codes.look_up(bits.buffer).ok_or(CORRUPT)?;
            bits.skip(used);
            let (length, times) = match length {
                0..=15 => (length, 1),
                16 => (
                    *done.checked_sub(1).and_then(|last| lengths.get(last)).ok_or(CORRUPT)?,
                    3 + bits.take(2),
                ),
                17 => (0, 3 + bits.take(3)),
                _ => (0, 11 + bits.take(7)),
            };
            lengths.get_mut(done..done + times).ok_or(CORRUPT)?.fill(length);
            done += times;
        }
        let (symbols, distances) = lengths.split_at(symbols);
        self.codes.set(symbols, distances).ok_or(CORRUPT)
    }

    /// Decodes the rest of a block where little is left of the input or of the room, and both are checked.
    fn decode_carefully(&mut self) -> Result<(), CodecError> {
        let (bits, codes) = (&mut self.bits, self.codes.tables());
        loop {
            bits.fill();
            let mut entry = codes.symbol(bits.buffer);
            if !entry.is_byte() && entry.is_rare() && entry.is_longer() {
                bits.skip(entry.bits() & 0xFF);
                entry = codes.longer_symbol(entry, bits.buffer);
            }
            let buffer = bits.buffer;
            bits.skip(entry.bits() & 0xFF);
            // Of zeros beyond the end there are not more than were filled in.
            bits.check()?;
            if entry.is_byte() {
                *self.output.get_mut(self.written).ok_or(CodecError::NoRoom)? = entry.value();
                self.written += 1;
                continue;
            }
            if entry.is_rare() {
                if !entry.is_end() {
                    return Err(CORRUPT);
                }
                self.end_block();
                return Ok(());
            }
            let length = entry.with_extra(buffer);
            bits.fill();
            let mut entry = codes.distance(bits.buffer);
            if entry.is_rare() && entry.is_longer() {
                bits.skip(entry.bits() & 0xFF);
                entry = codes.longer_distance(entry, bits.buffer);
            }
            if entry.is_rare() {
                return Err(CORRUPT);
            }
            let distance = entry.with_extra(bits.buffer);
            bits.skip(entry.bits() & 0xFF);
            let from = self.written.checked_sub(distance).ok_or(CORRUPT)?;
            if self.output.len() - self.written < length {
                return Err(CodecError::NoRoom);
            }
            repeat(&mut self.output[from..self.written + length], distance);
            self.written += length;
        }
    }
}

/// Whether a stream begins like one of zlib's: compressed with a window of at most 32 KiB, without a dictionary.
fn is_header(input: &[u8]) -> bool {
    let Some(&[method, flags]) = input.first_chunk() else { return false };
    let is_multiple = u16::from_be_bytes([method, flags]).is_multiple_of(31);
    method & 0x0F == 8 && method >> 4 <= 7 && flags & 0x20 == 0 && is_multiple
}

/// Where the first block of a gzip stream begins; `None` if it does not begin like one.
fn gzip_header(input: &[u8]) -> Option<usize> {
    const CHECKSUM: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const RESERVED: u8 = 0xE0;
    let &[0x1F, 0x8B, 8, flags, _, _, _, _, _, _] = input.first_chunk::<GZIP_HEADER>()? else { return None };
    if flags & RESERVED != 0 {
        return None;
    }
    let mut begin = GZIP_HEADER;
    if flags & EXTRA != 0 {
        let length = u16::from_le_bytes(*input.get(begin..)?.first_chunk()?);
        begin += 2 + usize::from(length);
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            begin += input.get(begin..)?.iter().position(|&byte| byte == 0)? + 1;
        }
    }
    if flags & CHECKSUM != 0 {
        begin += 2;
    }
    (begin <= input.len()).then_some(begin)
}

/// Fills bytes with what the first `distance` of them are.
fn repeat(bytes: &mut [u8], distance: usize) {
    if distance == 1 {
        let byte = bytes[0];
        bytes.fill(byte);
        return;
    }
    let mut done = distance;
    while done < bytes.len() {
        let count = done.min(bytes.len() - done);
        bytes.copy_within(..count, done);
        // What was copied is as long as a multiple of the distance, except at the end.
        done += count;
    }
}
