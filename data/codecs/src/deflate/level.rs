//! Which of the library's levels stands for one of zlib's.
//!
//! What a chunk becomes depends on its own bytes and on nothing else: neither on the chunks before it nor on which thread
//! encodes it. So the same data gives the same file in each run.

use core::mem;
use core::num::NonZero;

use super::noise::{repeats, sampled};
use super::{Form, compress};
use crate::error::CodecError;
use crate::work::{Work, appended};

/// The library's level for each of zlib's, so that what is written is hardly ever longer than by zlib: its own first levels
/// are faster, but not as thorough.
const LEVELS: [usize; 10] = [0, 2, 2, 3, 4, 5, 6, 7, 8, 9];

/// The library's fastest level. Shuffled bytes are often compressed as well by it as by zlib at its first levels.
const FASTEST: usize = 1;

/// zlib's levels for which the fastest one may do.
const FAST_LEVELS: core::ops::RangeInclusive<usize> = 2..=4;

/// How much longer than at the next level the result may be, in percent: that is about as much as the next level gains on
/// zlib where it gains anything.
const LONGER: usize = 6;

/// Bytes of each plane that are counted to tell what kind it is, and looked through for repetitions: enough for that, and
/// hardly any work.
const COUNTED: usize = 512;
const LOOKED_THROUGH: usize = 4 << 10;

/// Bits of a byte from which on no level compresses it, and up to which each level does.
const NOISE: f64 = 7.5;
const CONSTANT: f64 = 0.1;

/// The part of the bits that may be in other planes: levels differ there only.
const BETWEEN: f64 = 0.2;

/// From this length on it is tried whether the fastest level does, on so many pieces of so many bytes. Of shorter chunks that
/// would take as long as it gains, and shorter pieces say nothing about how often bytes repeat.
const WORTH_TRYING: usize = 256 << 10;
const PIECES: usize = 4;
const PIECE: usize = 4 << 10;

/// The library's level for a chunk that is compressed at one of zlib's, in planes if its elements of so many bytes were
/// shuffled. It begins with noise that is stored as it is. `output` and `work` are for trying.
pub(super) fn of_library(
    level: usize,
    shuffled: Option<NonZero<usize>>,
    (noise, rest): (&[u8], &[u8]),
    output: &mut Vec<u8>,
    work: &mut Work,
) -> Result<usize, CodecError> {
    let usual = LEVELS.get(level).copied().unwrap_or(0);
    let Some(element) = shuffled.filter(|_| FAST_LEVELS.contains(&level)) else { return Ok(usual) };
    let plane = (noise.len() + rest.len()) / element;
    let is_fast = levels_hardly_differ(noise.len(), rest, plane)
        || (rest.len() >= WORTH_TRYING && is_as_short(noise.len(), rest, output, work)?);
    Ok(if is_fast { FASTEST } else { usual })
}

/// Whether nearly all bits are those of planes that no level compresses.
fn levels_hardly_differ(noise: usize, rest: &[u8], plane: usize) -> bool {
    if plane < COUNTED {
        return false;
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of planes")]
    let mut all = 8.0 * (noise / plane) as f64;
    let mut between = 0.0;
    for bytes in rest.chunks_exact(plane) {
        let bits = bits_of_a_byte(bytes);
        let is_noise = bits >= NOISE && !repeats(&bytes[..plane.min(LOOKED_THROUGH)]);
        all += bits;
        if bits > CONSTANT && !is_noise {
            between += bits;
        }
    }
    between <= all * BETWEEN
}

/// How many bits a byte needs at least if the bytes are independent of each other, from how often two of them are equal. That
/// takes no logarithm for each of the possible bytes.
fn bits_of_a_byte(bytes: &[u8]) -> f64 {
    let (counts, all) = sampled(bytes, COUNTED);
    let equal: u32 = counts.iter().map(|count| count * count.saturating_sub(1)).sum();
    let pairs = f64::from(all) * f64::from(all.saturating_sub(1));
    (pairs / f64::from(equal).max(1.0)).log2().clamp(0.0, 8.0)
}

/// Whether some pieces become about as short at the fastest level as at the next one.
fn is_as_short(noise: usize, rest: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<bool, CodecError> {
    let mut sample = mem::take(&mut work.inside);
    sample.clear();
    for piece in rest.chunks(rest.len().div_ceil(PIECES).max(PIECE)) {
        appended(&mut sample, &piece[..piece.len().min(PIECE)])?;
    }
    let fast = compress(Form::Zlib, FASTEST, &sample, output, work);
    let next = compress(Form::Zlib, FASTEST + 1, &sample, output, work);
    // What is stored as it is has its part in the length of the result.
    let stored = noise.saturating_mul(sample.len()) / rest.len().max(1);
    work.inside = sample;
    let (fast, next) = (fast? + stored, next? + stored);
    Ok(fast <= next + next * LONGER / 100)
}
