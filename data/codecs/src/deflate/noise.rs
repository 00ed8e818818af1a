//! Telling bytes that no level compresses, as the low bytes of measurements are, from others, in a fraction of the time that
//! trying takes.

use core::mem;

/// Fewer bytes than this are not worth looking at.
const SHORTEST: usize = 16 << 10;

/// Bytes that are counted, about.
const COUNTED: usize = 32 << 10;

/// Bits that a byte of noise needs at least: storing it as it is costs at most one percent.
const BITS: f64 = 7.92;

/// Noise may have one byte in so many that is part of a repetition.
const REPEATED: usize = 128;

/// How far back a repetition may be for deflate.
const WINDOW: usize = 32 << 10;

/// How many places are tried without finding a repetition before fewer are, and the most that are left out.
const PATIENCE: usize = 64;
const LEFT_OUT: usize = 15;

/// How many bytes at the beginning, in whole planes, are noise.
pub(super) fn leading(input: &[u8], plane: usize) -> usize {
    if plane < SHORTEST {
        return 0;
    }
    input.chunks_exact(plane).take_while(|bytes| is_noise(bytes)).count() * plane
}

fn is_noise(bytes: &[u8]) -> bool {
    bits_of_a_byte(bytes) >= BITS && !repeats(bytes)
}

/// How many bits a byte needs if the bytes are independent of each other.
#[expect(clippy::cast_precision_loss, reason = "the counts are small")]
fn bits_of_a_byte(bytes: &[u8]) -> f64 {
    let (counts, all) = sampled(bytes, COUNTED);
    let all = f64::from(all);
    let counted: f64 =
        counts.iter().map(|count| f64::from(*count)).map(|count| count * count.max(1.0).log2()).sum();
    // Few bytes seem to be less even than they are (Miller and Madow).
    all.log2() - counted / all + (counts.len() - 1) as f64 / (2.0 * all * core::f64::consts::LN_2)
}

/// How often each byte is among about `samples` of them, and how many these are.
pub(super) fn sampled(bytes: &[u8], samples: usize) -> ([u32; 256], u32) {
    // Odd, so that not only some columns of a matrix are counted.
    let step = (bytes.len() / samples) | 1;
    let mut counts = [0_u32; 256];
    let mut all = 0_u32;
    for byte in bytes.iter().step_by(step) {
        counts[usize::from(*byte)] += 1;
        all += 1;
    }
    (counts, all)
}

/// Whether what was there before comes again, in more than a few places.
pub(super) fn repeats(bytes: &[u8]) -> bool {
    let mut last_seen = [0_usize; 2048];
    let (mut at, mut misses, mut repeated) = (0, 0, 0);
    while let Some(word) = word_at(bytes, at) {
        let slot = usize::try_from(word.wrapping_mul(2_654_435_761) >> 21).unwrap_or(0);
        // Zero is also the place of the first byte: what was not seen is compared with that in vain.
        let before = mem::replace(&mut last_seen[slot], at);
        if before < at && at - before <= WINDOW && word_at(bytes, before) == Some(word) {
            let length =
                bytes[before..].iter().zip(&bytes[at..]).take_while(|(one, other)| one == other).count();
            repeated += length;
            if repeated > bytes.len() / REPEATED {
                return true;
            }
            at += length;
            misses = 0;
        } else {
            misses += 1;
            at += 1 + (misses / PATIENCE).min(LEFT_OUT);
        }
    }
    false
}

fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without any order.
    fn random(len: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(1);
        (0..len).map(|_| random.u8(..)).collect()
    }

    #[test]
    fn random_bytes_are_noise() {
        for len in (SHORTEST..SHORTEST + 20).chain([100_000, 1 << 20]) {
            assert_eq!(leading(&random(len), len), len);
        }
        assert_eq!(leading(&random(SHORTEST - 1), SHORTEST - 1), 0);
    }

    #[test]
    fn what_compresses_is_not() {
        let len = 256 << 10;
        let counter: Vec<u8> = (0..=255).cycle().take(len).collect();
        let row = random(4096);
        let rows: Vec<u8> = row.iter().copied().cycle().take(len).collect();
        let far: Vec<u8> = random(30_000).into_iter().cycle().take(len).collect();
        let skewed: Vec<u8> = random(len).iter().map(|byte| byte & 0xBF).collect();
        let mut partly_constant = random(len);
        partly_constant[len / 2..][..len / 20].fill(7);
        for (name, bytes) in [
            ("zeros", &vec![0; len]),
            ("counter", &counter),
            ("rows", &rows),
            ("far", &far),
            ("skewed", &skewed),
            ("partly constant", &partly_constant),
        ] {
            assert_eq!(leading(bytes, len), 0, "{name}");
        }
    }

    #[test]
    fn planes_are_noise_up_to_the_first_that_is_not() {
        let plane = SHORTEST;
        let mut planes = random(4 * plane);
        planes[2 * plane..3 * plane].fill(0);
        assert_eq!(leading(&planes, plane), 2 * plane);
        // What is left at the end is not a plane.
        assert_eq!(leading(&random(plane + 5), plane), plane);
    }
}
