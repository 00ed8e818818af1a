//! The filter "lzf" of h5py. A control byte below 32 is followed by that many literal bytes plus one. Any other
//! repeats earlier bytes: its upper three bits are their number less two, or 7 if the number less nine is the
//! next byte; its lower five and the last byte are the distance less one.

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::Work;

/// The codec with these parameters.
///
/// They are the filter's revision, LZF's version and the size of a chunk. All revisions can be decoded in the
/// same way, and the size is known without them.
#[expect(clippy::unnecessary_wraps, reason = "all filters are made in the same way")]
pub(crate) fn codec(_parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    Ok(Box::new(Lzf))
}

#[derive(Debug)]
struct Lzf;

impl Codec for Lzf {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        decompress(input, output)
    }

    fn decoded_len(&self, _input: &[u8]) -> Option<usize> {
        None
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        output.clear();
        work.lzf.clear();
        work.lzf.try_reserve(TABLE).map_err(|_| CodecError::OutOfMemory(TABLE))?;
        work.lzf.resize(TABLE, NOWHERE);
        compress(input, output, &mut work.lzf)
    }
}

const TRUNCATED: CodecError = CodecError::Corrupt("the LZF data ends too early");

/// How many bytes are copied in one step where what is written too much is written again later.
const STEP: usize = 16;

fn decompress(mut input: &[u8], output: &mut [u8]) -> Result<usize, CodecError> {
    if input.is_empty() {
        return Err(TRUNCATED);
    }
    let mut end = 0;
    while let Some((&control, rest)) = input.split_first() {
        if control < 32 {
            let len = usize::from(control) + 1;
            let (literals, after) = rest.split_at_checked(len).ok_or(TRUNCATED)?;
            let to = output.get_mut(end..).unwrap_or_default();
            match (to.first_chunk_mut(), rest.first_chunk::<MAX_LITERALS>()) {
                // A copy of fixed length is much faster, and what is too much is overwritten later.
                (Some(to), Some(from)) => *to = *from,
                _ => to.get_mut(..len).ok_or(CodecError::NoRoom)?.copy_from_slice(literals),
            }
            input = after;
            end += len;
        } else {
            let (len, rest) = match (control >> 5, rest) {
                (7, [more, rest @ ..]) => (usize::from(*more) + 9, rest),
                (len, rest) => (usize::from(len) + 2, rest),
            };
            let (&low, rest) = rest.split_first().ok_or(TRUNCATED)?;
            let distance = (usize::from(control & 31) << 8 | usize::from(low)) + 1;
            if output.len() - end < len {
                return Err(CodecError::NoRoom);
            }
            if distance > end {
                return Err(CodecError::Corrupt("LZF data refers to bytes before the first"));
            }
            repeat(output, end, distance, len);
            input = rest;
            end += len;
        }
    }
    Ok(end)
}

/// Writes `len` bytes at `end`, equal to those `distance` before. Those may be bytes written here.
fn repeat(output: &mut [u8], end: usize, distance: usize, len: usize) {
    let from = end - distance;
    if distance >= STEP && output.len() - end >= len + STEP {
        for done in (0..len).step_by(STEP) {
            output.copy_within(from + done..from + done + STEP, end + done);
        }
    } else if distance == 1 {
        let byte = output[from];
        output[end..end + len].fill(byte);
    } else {
        // The pattern gets longer with each copy of it.
        let mut done = 0;
        while done < len {
            let step = (distance + done).min(len - done);
            output.copy_within(from..from + step, end + done);
            done += step;
        }
    }
}

/// Entries of the table of positions.
const TABLE: usize = 1 << 15;

/// An entry not yet used.
const NOWHERE: u32 = u32::MAX;

const MAX_LITERALS: usize = 32;
const MAX_DISTANCE: usize = 1 << 13;
const MAX_LEN: usize = 255 + 9;

/// Fails if the result would not be shorter than the input, much as the filter does.
fn compress(input: &[u8], output: &mut Vec<u8>, table: &mut [u32]) -> Result<(), CodecError> {
    // Each run of literals costs a byte more, so there can be no more before the check below.
    let most = input.len().saturating_add(input.len() / MAX_LITERALS + 2 * MAX_LITERALS);
    output.try_reserve(most).map_err(|_| CodecError::OutOfMemory(most))?;
    let mut literals = 0;
    let mut position = 0;
    while let Some(next) = input.get(position..).and_then(|rest| rest.first_chunk::<3>()) {
        let entry = &mut table[hash(*next)];
        let earlier = usize::try_from(*entry).ok().filter(|&earlier| {
            *entry != NOWHERE && position - earlier <= MAX_DISTANCE && input[earlier..].starts_with(next)
        });
        *entry = u32::try_from(position).map_err(|_| CodecError::NotApplicable("longer than 4 GiB"))?;
        let Some(earlier) = earlier else {
            position += 1;
            continue;
        };
        put_literals(&input[literals..position], output)?;
        let same = input[position..].iter().zip(&input[earlier..]).take(MAX_LEN);
        let len = same.take_while(|(one, other)| one == other).count();
        put_repeat(len, position - earlier, output)?;
        position += len;
        literals = position;
        if output.len() >= input.len() {
            return Err(NO_GAIN);
        }
    }
    put_literals(&input[literals..], output)?;
    if output.len() >= input.len() { Err(NO_GAIN) } else { Ok(()) }
}

const NO_GAIN: CodecError = CodecError::NotApplicable("LZF does not make the data shorter");

/// A place in the table for three bytes.
fn hash(bytes: [u8; 3]) -> usize {
    let [a, b, c] = bytes.map(u32::from);
    let product = (a << 16 | b << 8 | c).wrapping_mul(0x9e37_79b1);
    usize::try_from(product >> (u32::BITS - TABLE.ilog2())).unwrap_or_default()
}

fn put_literals(literals: &[u8], output: &mut Vec<u8>) -> Result<(), CodecError> {
    for run in literals.chunks(MAX_LITERALS) {
        output.push(u8::try_from(run.len() - 1).map_err(|_| NO_GAIN)?);
        output.extend_from_slice(run);
    }
    Ok(())
}

fn put_repeat(len: usize, distance: usize, output: &mut Vec<u8>) -> Result<(), CodecError> {
    let [high, low] = u16::try_from(distance - 1).map_err(|_| NO_GAIN)?.to_be_bytes();
    match len - 2 {
        len @ ..7 => output.extend([u8::try_from(len).map_err(|_| NO_GAIN)? << 5 | high, low]),
        len => output.extend([7 << 5 | high, u8::try_from(len - 7).map_err(|_| NO_GAIN)?, low]),
    }
    Ok(())
}
