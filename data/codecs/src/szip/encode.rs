//! From samples to coded blocks.
//!
//! The choice between the ways to code a block is the same that libaec makes, so that the bytes are the same.

use super::stream::{SEGMENT, Stream};
use crate::error::CodecError;
use crate::nbit::fields::{FieldWriter, from_bytes};

/// Encodes all samples of `input` behind what is in `output`. The code must not take more than `most` bytes.
pub(super) fn encode(
    stream: &Stream,
    input: &[u8],
    output: &mut Vec<u8>,
    most: usize,
) -> Result<(), CodecError> {
    match stream.bytes() {
        1 => encode_samples::<1>(stream, input, output, most),
        2 => encode_samples::<2>(stream, input, output, most),
        _ => encode_samples::<4>(stream, input, output, most),
    }
}

fn encode_samples<const BYTES: usize>(
    stream: &Stream,
    input: &[u8],
    output: &mut Vec<u8>,
    most: usize,
) -> Result<(), CodecError> {
    let end = output.len() + most;
    let (samples, rest) = input.as_chunks::<BYTES>();
    if !rest.is_empty() {
        return Err(CodecError::NotApplicable("not whole samples"));
    }
    let largest = stream.largest();
    let mut line = vec![0; stream.blocks() * stream.block];
    let mut encoder = Encoder { stream, out: FieldWriter::new(output), low: 0, zeroes: None };
    for bytes in samples.chunks(stream.line) {
        let (used, padding) = line.split_at_mut(bytes.len());
        for (sample, bytes) in used.iter_mut().zip(bytes) {
            *sample = u32::try_from(from_bytes(*bytes, stream.big_endian)).unwrap_or(u32::MAX);
            if *sample > largest {
                return Err(CodecError::NotApplicable("an element has more bits than its type says"));
            }
        }
        padding.fill(if stream.differences { used.last().copied().unwrap_or_default() } else { 0 });
        if stream.differences {
            to_differences(&mut line, largest);
        }
        encoder.line(&line);
        if encoder.out.written() > end {
            return Err(GREW);
        }
    }
    encoder.out.finish();
    if output.len() > end { Err(GREW) } else { Ok(()) }
}

const GREW: CodecError = CodecError::NotApplicable("the data would grow");

/// Replaces all samples but the first by their differences to the one before.
///
/// Small differences up and down take turns, down being odd; if they are so large that only one direction is
/// possible, they are counted on from there.
fn to_differences(line: &mut [u32], largest: u32) {
    let mut last = line[0];
    for sample in &mut line[1..] {
        let next = *sample;
        let room = last.min(largest - last);
        let distance = next.abs_diff(last);
        *sample = if distance > room {
            room + distance
        } else if next >= last {
            2 * distance
        } else {
            2 * distance - 1
        };
        last = next;
    }
}

/// Blocks of zeroes that are not written yet.
#[derive(Clone, Copy)]
struct Zeroes {
    count: usize,
    /// The sample as it is that the first begins with.
    reference: Option<u32>,
}

struct Encoder<'a> {
    stream: &'a Stream,
    out: FieldWriter<'a>,
    /// How many low bits were split off in the last block this was done with. The best number for the next
    /// block is looked for near it.
    low: u32,
    zeroes: Option<Zeroes>,
}

impl Encoder<'_> {
    fn line(&mut self, line: &[u32]) {
        let blocks = self.stream.blocks();
        for (number, block) in line.chunks_exact(self.stream.block).enumerate() {
            let reference = (self.stream.differences && number == 0).then(|| block[0]);
            // What follows a sample as it is.
            let coded = &block[usize::from(reference.is_some())..];
            if coded.iter().any(|value| *value != 0) {
                if let Some(zeroes) = self.zeroes.take() {
                    self.write_zeroes(zeroes, false);
                }
                self.write_block(coded, reference);
                continue;
            }
            let zeroes = self.zeroes.get_or_insert(Zeroes { count: 0, reference });
            zeroes.count += 1;
            if (number + 1) % SEGMENT == 0 || number + 1 == blocks {
                let zeroes = *zeroes;
                self.zeroes = None;
                self.write_zeroes(zeroes, true);
            }
        }
    }

    /// Writes blocks of zeroes; `to_the_end` is whether they go to the end of a segment or line.
    fn write_zeroes(&mut self, zeroes: Zeroes, to_the_end: bool) {
        self.out.put(0, self.stream.option_bits() + 1);
        self.write_reference(zeroes.reference);
        let zeroes = match zeroes.count {
            few @ ..5 => few as u64 - 1,
            _ if to_the_end => 4,
            many => many as u64,
        };
        self.write_unary(zeroes);
    }

    /// Writes a block in the shortest way.
    fn write_block(&mut self, coded: &[u32], reference: Option<u32>) {
        let plain = coded.len() as u64 * u64::from(self.stream.bits);
        let split = self.best_split(coded);
        let pairs = pairs_len(coded, plain);
        let option_bits = self.stream.option_bits();
        if pairs <= split && pairs < plain {
            self.out.put(1, option_bits + 1);
            self.write_reference(reference);
            for (first, second) in pairs_of(coded) {
                let sum = first + second;
                self.write_unary(sum * (sum + 1) / 2 + second);
            }
        } else if split < plain {
            let low = self.low;
            self.out.put(u64::from(low) + 1, option_bits);
            self.write_reference(reference);
            for value in coded {
                self.write_unary(u64::from(value >> low));
            }
            if low > 0 {
                let mask = (1 << low) - 1;
                for value in coded {
                    self.out.put(u64::from(value & mask), low);
                }
            }
        } else {
            self.out.put((1 << option_bits) - 1, option_bits);
            self.write_reference(reference);
            for value in coded {
                self.out.put(u64::from(*value), self.stream.bits);
            }
        }
    }

    /// Finds out how many low bits are best written as they are, and what the block's length is then.
    ///
    /// The length has one minimum. The search for it begins at the previous block's number and goes up while
    /// the length gets smaller, then, if it got nowhere, down. It ends early where the next step cannot make the
    /// length smaller: one bit more costs as many bits as there are values, and saves at most half of the unary
    /// part. Which of several equally good numbers is found depends on the way, so the way matters.
    fn best_split(&mut self, coded: &[u32]) -> u64 {
        let values = coded.len() as u64;
        let unary = |low: u32| coded.iter().map(|value| u64::from(value >> low)).sum::<u64>();
        let len = |low: u32, zeroes: u64| zeroes + values * (u64::from(low) + 1);
        let most = (1 << self.stream.option_bits()) - 3;
        let start = self.low;
        let mut zeroes = unary(start);
        let mut best = len(start, zeroes);
        let mut low = start;
        while zeroes >= values && low < most {
            low += 1;
            zeroes = unary(low);
            let next = len(low, zeroes);
            if next >= best {
                break;
            }
            (best, self.low) = (next, low);
        }
        if self.low > start {
            return best;
        }
        for low in (0..start).rev() {
            let zeroes = unary(low);
            let next = len(low, zeroes);
            if next >= best {
                break;
            }
            (best, self.low) = (next, low);
            if zeroes >= values {
                break;
            }
        }
        best
    }

    fn write_reference(&mut self, reference: Option<u32>) {
        if let Some(sample) = reference {
            self.out.put(u64::from(sample), self.stream.bits);
        }
    }

    /// Writes that many zeroes and a one.
    #[inline]
    fn write_unary(&mut self, mut zeroes: u64) {
        while zeroes >= 32 {
            self.out.put(0, 32);
            zeroes -= 32;
        }
        // Less than 32, so that this does not lose anything.
        self.out.put(1, u32::try_from(zeroes).unwrap_or_default() + 1);
    }
}

/// The values in pairs. If there is an odd number, the first one's partner before it is zero.
fn pairs_of(coded: &[u32]) -> impl Iterator<Item = (u64, u64)> {
    let (single, pairs) = coded.split_at(coded.len() % 2);
    let single = single.iter().map(|value| (0, u64::from(*value)));
    single
        .chain(pairs.as_chunks::<2>().0.iter().map(|[first, second]| (u64::from(*first), u64::from(*second))))
}

/// The length of a block whose values are coded in pairs; `u64::MAX` if that is more than `plain`.
fn pairs_len(coded: &[u32], plain: u64) -> u64 {
    let mut len = 1;
    for (first, second) in pairs_of(coded) {
        let sum = first + second;
        len += sum * (sum + 1) / 2 + second + 1;
        if len > plain {
            return u64::MAX;
        }
    }
    len
}
