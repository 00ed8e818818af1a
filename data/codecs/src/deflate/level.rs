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

/// The library's fastest level. Shuffled bytes, and floats with noise in their low bytes, are often compressed as well by it as
/// by zlib at its first levels.
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

/// From this length on it is tried whether the fastest level does for shuffled bytes, on so many pieces of so many bytes. Of
/// shorter chunks that would take as long as it gains, and shorter pieces say nothing about how often bytes repeat.
const WORTH_TRYING: usize = 256 << 10;
const PIECES: usize = 4;
const PIECE: usize = 4 << 10;

/// The same for bytes that were not shuffled: from this length on, pieces of so many of its parts.
const PLAIN_WORTH_TRYING: usize = 512 << 10;
const PLAIN_PARTS: usize = 256;

/// From this many percent on that are left of bytes that were not shuffled, they are mostly noise, as floats are. What the
/// fastest level misses then is repetitions of three bytes.
const MOSTLY_NOISE: usize = 70;

/// How much longer than at the usual level their result may be, in thousandths.
const LONGER_NOISE: usize = 14;

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
    if !FAST_LEVELS.contains(&level) {
        return Ok(usual);
    }
    let Some(element) = shuffled else { return of_plain(usual, rest, output, work) };
    let plane = (noise.len() + rest.len()) / element;
    let is_fast = levels_hardly_differ(noise.len(), rest, plane)
        || (rest.len() >= WORTH_TRYING && is_as_short(noise.len(), rest, output, work)?);
    Ok(if is_fast { FASTEST } else { usual })
}

/// The same for bytes that were not shuffled. Some pieces are compressed at the usual level and, if that gains little, at the
/// fastest one.
fn of_plain(usual: usize, bytes: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<usize, CodecError> {
    if bytes.len() < PLAIN_WORTH_TRYING {
        return Ok(usual);
    }
    with_sample(bytes, bytes.len() / PLAIN_PARTS, work, |sample, work| {
        let usually = compress(Form::Zlib, usual, sample, output, work)?;
        // Of other bytes pieces do not show how much is gained by looking for repetitions for longer.
        if usually * 100 < sample.len() * MOSTLY_NOISE {
            return Ok(usual);
        }
        let fast = compress(Form::Zlib, FASTEST, sample, output, work)?;
        Ok(if fast <= usually + usually * LONGER_NOISE / 1000 { FASTEST } else { usual })
    })
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
    with_sample(rest, PIECE, work, |sample, work| {
        // What is stored as it is has its part in the length of the result.
        let stored = noise.saturating_mul(sample.len()) / rest.len().max(1);
        let fast = compress(Form::Zlib, FASTEST, sample, output, work)? + stored;
        let next = compress(Form::Zlib, FASTEST + 1, sample, output, work)? + stored;
        Ok(fast <= next + next * LONGER / 100)
    })
}

/// Calls a function with some pieces of the bytes, of at most so many bytes each, and never more than [`PIECE`].
fn with_sample<T>(
    bytes: &[u8],
    piece: usize,
    work: &mut Work,
    call: impl FnOnce(&[u8], &mut Work) -> Result<T, CodecError>,
) -> Result<T, CodecError> {
    let mut sample = mem::take(&mut work.inside);
    sample.clear();
    let piece = piece.min(PIECE);
    let parts = bytes.chunks(bytes.len().div_ceil(PIECES).max(PIECE));
    let filled =
        parts.map(|part| &part[..part.len().min(piece)]).try_for_each(|part| appended(&mut sample, part));
    let result = filled.and_then(|()| call(&sample, work));
    work.inside = sample;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A random walk in doubles, whose low bytes are noise.
    fn doubles(bytes: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut place = 1000.0;
        let mut next = || {
            place += 16.0 * (random.f64() - 0.5);
            place
        };
        (0..bytes / 8).flat_map(|_| next().to_le_bytes()).collect()
    }

    /// Words of a small vocabulary.
    fn words(bytes: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(1);
        let word = |random: &mut fastrand::Rng| -> Vec<u8> {
            (0..random.usize(2..9)).map(|_| random.alphanumeric() as u8).chain([b' ']).collect()
        };
        let vocabulary: Vec<Vec<u8>> = (0..500).map(|_| word(&mut random)).collect();
        let mut text = Vec::new();
        while text.len() < bytes {
            text.extend(&vocabulary[random.usize(..500)]);
        }
        text.truncate(bytes);
        text
    }

    fn level(bytes: &[u8], level: usize) -> usize {
        of_library(level, None, (&[], bytes), &mut Vec::new(), &mut Work::new()).unwrap()
    }

    #[test]
    fn the_fastest_level_does_for_floats_with_noise() {
        let noise = doubles(1 << 20);
        let mut work = Work::new();
        for zlib in FAST_LEVELS {
            assert_eq!(level(&noise, zlib), FASTEST);
            let mut lengths = [FASTEST, LEVELS[zlib]]
                .map(|level| compress(Form::Zlib, level, &noise, &mut Vec::new(), &mut work).unwrap());
            lengths[1] += lengths[1] / 50;
            assert!(lengths[0] <= lengths[1], "{lengths:?}");
        }
        for zlib in [0, 1, 5, 6, 9] {
            assert_eq!(level(&noise, zlib), LEVELS[zlib]);
        }
    }

    #[test]
    fn the_usual_level_is_for_what_repeats_and_for_short_chunks() {
        assert_eq!(level(&words(1 << 20), 4), LEVELS[4]);
        assert_eq!(level(&doubles(PLAIN_WORTH_TRYING - 8), 4), LEVELS[4]);
        assert_eq!(level(&[], 4), LEVELS[4]);
    }
}
