//! BloscLZ: the small LZ77 codec that C-Blosc brings along.
//!
//! A stream is a sequence of instructions. A first byte below 32 says how many bytes, plus one, follow as they
//! are. Otherwise it begins a match: its upper three bits are the length minus two, seven meaning that bytes
//! follow which are added up until one is not 255; the lower five bits and one more byte are the distance minus
//! one. The largest distance, 8192, means that two more bytes follow, to be added to it. The first instruction
//! is never a match and its upper bits do not count; neither is the last one a match.

use crate::error::CodecError;

/// The longest run of plain bytes.
const MOST_PLAIN: usize = 32;
/// The smallest distance that needs two more bytes.
const FAR: usize = 8192;
/// The largest distance.
const FARTHEST: usize = FAR + 0xffff;
/// Matches end before the last so many bytes, as C-Blosc has it.
const TAIL: usize = 12;

const CUT_SHORT: CodecError = CodecError::Corrupt("a BloscLZ stream is cut short");
const WRONG_LENGTH: CodecError =
    CodecError::Corrupt("a BloscLZ stream does not have the length of its block");

/// Decodes a stream that fills the whole output.
pub(crate) fn decompress(stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
    let (&first, mut rest) = stream.split_first().ok_or(CUT_SHORT)?;
    let mut instruction = usize::from(first & 31);
    let mut done = 0;
    loop {
        if instruction < 32 {
            let count = instruction + 1;
            let (plain, after) = rest.split_at_checked(count).ok_or(CUT_SHORT)?;
            output.get_mut(done..done + count).ok_or(WRONG_LENGTH)?.copy_from_slice(plain);
            done += count;
            rest = after;
        } else {
            let (length, distance) = matched(instruction, &mut rest)?;
            repeat(output, done, length, distance)?;
            done += length;
            if rest.is_empty() {
                return Err(CUT_SHORT);
            }
        }
        let Some((&next, after)) = rest.split_first() else { break };
        instruction = usize::from(next);
        rest = after;
    }
    if done == output.len() { Ok(()) } else { Err(WRONG_LENGTH) }
}

/// Length and distance of the match that begins with this instruction.
#[inline]
fn matched(instruction: usize, rest: &mut &[u8]) -> Result<(usize, usize), CodecError> {
    let mut next = || {
        let (&byte, after) = rest.split_first().ok_or(CUT_SHORT)?;
        *rest = after;
        Ok(usize::from(byte))
    };
    let mut length = (instruction >> 5) + 2;
    if instruction >> 5 == 7 {
        loop {
            let more = next()?;
            length += more;
            if more != 255 {
                break;
            }
        }
    }
    let mut distance = ((instruction & 31) << 8) + next()? + 1;
    if distance == FAR {
        distance += (next()? << 8) + next()?;
    }
    Ok((length, distance))
}

/// Copies what lies `distance` before `at` to there. The two may overlap: then it is repeated.
#[inline]
fn repeat(output: &mut [u8], at: usize, length: usize, distance: usize) -> Result<(), CodecError> {
    let from =
        at.checked_sub(distance).ok_or(CodecError::Corrupt("a BloscLZ match begins before its block"))?;
    if length > output.len() - at {
        return Err(WRONG_LENGTH);
    }
    if distance >= length {
        output.copy_within(from..from + length, at);
    } else if distance == 1 {
        let byte = output[from];
        output[at..at + length].fill(byte);
    } else {
        // What is there doubles with each copy.
        let mut there = distance;
        let mut copied = 0;
        while copied < length {
            let count = there.min(length - copied);
            output.copy_within(from..from + count, at + copied);
            copied += count;
            there += count;
        }
    }
    Ok(())
}

/// Appends a stream of less than `limit` bytes; says whether that was possible. If not, what was appended has no
/// meaning.
pub(crate) fn compress(level: u32, input: &[u8], output: &mut Vec<u8>, limit: usize) -> bool {
    // Smaller tables are faster to fill and fit the caches.
    let table_bits = match level {
        0 | 1 => 12,
        2 | 3 => 13,
        _ => 14,
    };
    // Where nothing is found, bytes are left out: the more, the lower the level.
    let patience = 4 + level.min(9) / 2;
    let hash = |four: u32| (four.wrapping_mul(2_654_435_761) >> (32 - table_bits)) as usize;
    let four = |at: usize| u32::from_le_bytes([input[at], input[at + 1], input[at + 2], input[at + 3]]);

    let begin = output.len();
    let end = input.len().saturating_sub(TAIL);
    let mut table = vec![0_u32; 1 << table_bits];
    let (mut plain, mut at) = (0, 4);
    let mut misses = 0_u32;
    while at + 4 <= end {
        let sequence = four(at);
        let slot = hash(sequence);
        let candidate = table[slot] as usize;
        let Ok(position) = u32::try_from(at) else { return false };
        table[slot] = position;
        let distance = at - candidate;
        if distance == 0 || distance > FARTHEST || four(candidate) != sequence {
            at += 1 + (misses >> patience) as usize;
            misses += 1;
            continue;
        }
        let length = 4 + same_bytes(&input[at + 4..end], &input[candidate + 4..]);
        if distance >= FAR && length < 6 {
            at += 1;
            continue;
        }
        misses = 0;
        put_plain(&input[plain..at], output);
        put_match(length, distance, output);
        if output.len() - begin >= limit {
            return false;
        }
        at += length;
        plain = at;
        if at < end {
            table[hash(four(at - 2))] = position + u32::try_from(length - 2).unwrap_or(0);
        }
    }
    put_plain(&input[plain..], output);
    if output.len() - begin >= limit {
        return false;
    }
    // C-Blosc marks its streams so.
    if let Some(first) = output.get_mut(begin) {
        *first |= 32;
    }
    true
}

/// With how many equal bytes the two begin.
#[inline]
fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    let eights = one.chunks_exact(8).zip(other.chunks_exact(8)).take_while(|(a, b)| a == b).count();
    let rest = one[eights * 8..].iter().zip(&other[eights * 8..]).take_while(|(a, b)| a == b).count();
    eights * 8 + rest
}

fn put_plain(bytes: &[u8], output: &mut Vec<u8>) {
    for run in bytes.chunks(MOST_PLAIN) {
        // At most 32 long.
        output.push(u8::try_from(run.len() - 1).unwrap_or(31));
        output.extend_from_slice(run);
    }
}

fn put_match(length: usize, distance: usize, output: &mut Vec<u8>) {
    let near = distance.min(FAR) - 1;
    let [high, low] = u16::try_from(near).unwrap_or(0).to_be_bytes();
    let short = length - 2;
    if let (Ok(short), true) = (u8::try_from(short), short < 7) {
        output.push(short << 5 | high);
    } else {
        output.push(7 << 5 | high);
        let more = short - 7;
        output.resize(output.len() + more / 255, 255);
        output.push(u8::try_from(more % 255).unwrap_or(0));
    }
    output.push(low);
    if distance >= FAR {
        output.extend(u16::try_from(distance - FAR).unwrap_or(0).to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn noise(seed: u32, len: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(seed.into());
        core::iter::repeat_with(|| random.u8(..)).take(len).collect()
    }

    fn round_trip(level: u32, input: &[u8]) -> Option<usize> {
        let mut stream = vec![7];
        if !compress(level, input, &mut stream, input.len()) {
            return None;
        }
        let mut output = vec![0; input.len()];
        decompress(&stream[1..], &mut output).expect("our own stream");
        assert_eq!(output, input);
        Some(stream.len() - 1)
    }

    #[test]
    fn runs_and_repetitions_become_small() {
        for level in 1..=9 {
            assert!(round_trip(level, &[5; 10_000]).expect("compressible") < 100);
            let pattern: Vec<u8> = (0..30_000_u32).map(|i| (i % 7).to_le_bytes()[0]).collect();
            assert!(round_trip(level, &pattern).expect("compressible") < 300);
        }
    }

    #[test]
    fn every_length_and_distance_survives() {
        for gap in [1, 2, 3, 200, 256, 8000, 8180, 8191, 8192, 8193, 9000, 60_000, 73_000, 74_500] {
            for length in [4, 5, 6, 7, 8, 9, 10, 250, 263, 264, 265, 518, 519, 520, 1000] {
                let phrase = noise(1, length);
                let mut input = phrase.clone();
                input.extend(noise(2, gap));
                input.extend(&phrase);
                input.extend([9; 40]);
                input.extend(noise(3, 20));
                let mut stream = Vec::new();
                assert!(compress(9, &input, &mut stream, input.len() * 2));
                let mut output = vec![0; input.len()];
                decompress(&stream, &mut output).expect("our own stream");
                assert_eq!(output, input, "gap {gap}, length {length}");
            }
        }
    }

    #[test]
    fn noise_is_refused() {
        assert_eq!(round_trip(5, &noise(1, 5000)), None);
    }

    proptest! {
        #[test]
        fn what_is_compressed_comes_back(input in prop::collection::vec(0_u8..4, 0..3000), level in 1_u32..10) {
            round_trip(level, &input);
        }

        #[test]
        fn damaged_streams_are_errors_or_data(stream in prop::collection::vec(any::<u8>(), 0..300), len in 0_usize..500) {
            let _ = decompress(&stream, &mut vec![0; len]);
        }
    }
}
