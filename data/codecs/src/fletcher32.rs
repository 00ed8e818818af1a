//! The filter "fletcher32": the bytes, then a checksum of them in 4 bytes, little-endian.

use core::array;
use core::ops::Range;

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, appended, copied};

/// The codec with these parameters.
#[expect(clippy::unnecessary_wraps, reason = "all filters are made in the same way")]
pub(crate) fn codec(_parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    Ok(Box::new(Fletcher32))
}

#[derive(Debug)]
struct Fletcher32;

impl Codec for Fletcher32 {
    fn always_applies(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let data = checked(input, true)?;
        output.get_mut(..data.len()).ok_or(CodecError::NoRoom)?.copy_from_slice(data);
        Ok(data.len())
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        input.len().checked_sub(4)
    }

    fn contained(&self, input: &[u8], verify: bool) -> Option<Result<Range<usize>, CodecError>> {
        Some(checked(input, verify).map(|data| 0..data.len()))
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        copied(output, input)?;
        appended(output, &checksum(input).to_le_bytes())
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        input.checked_add(4)
    }
}

/// The bytes before the checksum, which agrees with them if it is looked at.
fn checked(input: &[u8], verify: bool) -> Result<&[u8], CodecError> {
    let (data, stored) =
        input.split_last_chunk::<4>().ok_or(CodecError::Corrupt("no room for a checksum"))?;
    if verify {
        let stored = u32::from_le_bytes(*stored);
        let computed = checksum(data);
        // HDF5 before 1.6.3 swapped the bytes of both halves on little-endian machines. HDF5 still accepts that.
        let swapped = (computed & 0x00ff_00ff) << 8 | (computed >> 8) & 0x00ff_00ff;
        if stored != computed && stored != swapped {
            return Err(CodecError::Checksum { stored, computed });
        }
    }
    Ok(data)
}

/// How many sums run next to each other.
const LANES: usize = 16;

/// How many words a lane takes before its sums, of 32 bits, could overflow: n(n+1)/2 words of 65535 must fit.
const ROWS: usize = 256;

/// HDF5's Fletcher checksum: of 16-bit words, big-endian, an odd last byte being the high byte of a word.
///
/// The two sums, of the words and of those sums, are modulo 65535, where 65536 is 1. So swapping the bytes of
/// a word multiplies it by 256, and the sums of the little-endian words need that at the end only. Within a
/// block each lane sums every sixteenth word: word `l` of row `r` counts `LANES * (rows - r) - l` times in the
/// block's second sum, and `rows - r` times in its lane's.
fn checksum(data: &[u8]) -> u32 {
    let (mut first, mut second) = (0_u64, 0_u64);
    let (rows, rest) = data.as_chunks::<{ 2 * LANES }>();
    for rows in rows.chunks(ROWS) {
        let (sums, sums_of_sums) = lanes(rows);
        // What the words before this block add to each sum in it.
        second += (LANES * rows.len()) as u64 * first;
        for (lane, (sum, sum_of_sums)) in (0..).zip(sums.into_iter().zip(sums_of_sums)) {
            second += LANES as u64 * u64::from(sum_of_sums) - lane * u64::from(sum);
            first += u64::from(sum);
        }
        (first, second) = (u64::from(reduced(first)), u64::from(reduced(second)));
    }
    for word in rest.chunks(2) {
        first += u64::from(word[0]) | word.get(1).map_or(0, |&high| u64::from(high) << 8);
        second += first;
    }
    u32::from(reduced(256 * second)) << 16 | u32::from(reduced(256 * first))
}

/// The two sums of each lane.
///
/// By itself, because the compiler gives up vectors, and eight times the speed, where it sees what the sums are
/// used for.
#[inline(never)]
fn lanes(rows: &[[u8; 2 * LANES]]) -> ([u32; LANES], [u32; LANES]) {
    let (mut sums, mut sums_of_sums) = ([0; LANES], [0; LANES]);
    for row in rows {
        let words: [u16; LANES] =
            array::from_fn(|lane| u16::from_le_bytes([row[2 * lane], row[2 * lane + 1]]));
        for lane in 0..LANES {
            sums[lane] += u32::from(words[lane]);
            sums_of_sums[lane] += sums[lane];
        }
    }
    (sums, sums_of_sums)
}

/// The remainder modulo 65535, but 65535 instead of zero where the number is not zero, as HDF5's way of adding
/// the upper half to the lower gives it.
fn reduced(sum: u64) -> u16 {
    let remainder = sum.checked_sub(1).map_or(0, |less| less % 65535 + 1);
    u16::try_from(remainder).expect("at most 65535")
}
