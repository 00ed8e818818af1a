//! From coded blocks to samples.

use super::bits::Bits;
use super::stream::{MAX_BLOCK, SEGMENT, Stream};
use crate::error::CodecError;

/// Decodes samples until `output` is full. It has whole samples.
pub(super) fn decode(stream: &Stream, input: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
    match stream.bytes() {
        1 => decode_samples::<1>(stream, input, output.as_chunks_mut().0),
        2 => decode_samples::<2>(stream, input, output.as_chunks_mut().0),
        _ => decode_samples::<4>(stream, input, output.as_chunks_mut().0),
    }
}

fn decode_samples<const BYTES: usize>(
    stream: &Stream,
    input: &[u8],
    output: &mut [[u8; BYTES]],
) -> Result<(), CodecError> {
    let mut decoder = Decoder { stream, bits: Bits::new(input), block: [0; MAX_BLOCK] };
    for line in output.chunks_mut(stream.line) {
        decoder.line(line)?;
    }
    Ok(())
}

/// Turns differences into samples.
struct Samples {
    last: u32,
    largest: u32,
    /// Bits of a sample without its highest.
    low_bits: u32,
}

impl Samples {
    /// The next sample.
    ///
    /// Differences up and down take turns, nearest first, as long as both stay in the range of samples; after
    /// that only one direction is left. For differences that cannot be, the sample is what other decoders give.
    ///
    /// Without branches but for the rare case, because which direction comes next cannot be predicted.
    #[inline]
    fn next(&mut self, difference: u32) -> u32 {
        let in_upper_half = self.last >> self.low_bits & 1;
        let mirror = in_upper_half.wrapping_neg() & self.largest;
        let (half, odd) = (difference >> 1, difference & 1);
        self.last = if half + odd > mirror ^ self.last {
            one_direction(mirror, difference)
        } else {
            // Half up, or half and one more down.
            self.last.wrapping_add(half ^ odd.wrapping_neg())
        };
        self.last
    }
}

/// Out of line, so that this is a branch: the next sample then need not wait for the comparison.
#[cold]
#[inline(never)]
fn one_direction(mirror: u32, difference: u32) -> u32 {
    mirror ^ difference
}

/// What a coded block turned out to be.
enum Block {
    /// The samples, or differences, of one block.
    One,
    /// That many blocks of nothing but zeroes.
    Zeroes(usize),
}

struct Decoder<'a> {
    stream: &'a Stream,
    bits: Bits<'a>,
    /// What is in the block that was decoded last.
    block: [u32; MAX_BLOCK],
}

impl Decoder<'_> {
    fn line<const BYTES: usize>(&mut self, mut line: &mut [[u8; BYTES]]) -> Result<(), CodecError> {
        let Stream { block: len, differences, .. } = *self.stream;
        let (largest, low_bits) = (self.stream.largest(), self.stream.bits - 1);
        let mut samples = Samples { last: 0, largest, low_bits };
        let mut blocks = 0;
        while !line.is_empty() {
            let first = differences && blocks == 0;
            let count = match self.block(blocks, first)? {
                Block::One => 1,
                Block::Zeroes(count) => {
                    self.block[usize::from(first)..len].fill(0);
                    count
                }
            };
            let mut coded = &self.block[..len];
            let (mut place, rest) = line.split_at_mut(len.min(line.len()));
            if first {
                // A line's first sample is stored as it is.
                samples.last = coded[0];
                place[0] = self.stream.sample(coded[0]);
                (coded, place) = (&coded[1..], &mut place[1..]);
            }
            if differences {
                for (coded, sample) in coded.iter().zip(place) {
                    *sample = self.stream.sample(samples.next(*coded));
                }
            } else {
                for (coded, sample) in coded.iter().zip(place) {
                    *sample = self.stream.sample(*coded);
                }
            }
            // Without a difference the sample stays the same.
            let (place, rest) = rest.split_at_mut((len * (count - 1)).min(rest.len()));
            place.fill(self.stream.sample(if differences { samples.last } else { 0 }));
            line = rest;
            blocks += count;
        }
        Ok(())
    }

    /// Decodes the next block, of which `blocks` are before it in its line. `reference` is whether it begins
    /// with a sample as it is.
    #[inline]
    fn block(&mut self, blocks: usize, reference: bool) -> Result<Block, CodecError> {
        let stream = *self.stream;
        let option = self.bits.number(stream.option_bits())?;
        let block = &mut self.block[..stream.block];
        if option == 0 {
            let pairs = self.bits.number(1)? == 1;
            let block = reference_sample(&mut self.bits, block, reference, stream.bits)?;
            if pairs {
                decode_pairs(&mut self.bits, block)?;
                return Ok(Block::One);
            }
            return self.zeroes(blocks).map(Block::Zeroes);
        }
        if option == (1 << stream.option_bits()) - 1 {
            for sample in block {
                *sample = self.bits.number(stream.bits)?;
            }
            return Ok(Block::One);
        }
        let block = reference_sample(&mut self.bits, block, reference, stream.bits)?;
        let low = option - 1;
        for sample in block.iter_mut() {
            *sample = self.bits.zeroes()? << low;
        }
        if low > 0 {
            self.bits.add_numbers(low, block)?;
        }
        Ok(Block::One)
    }

    /// How many blocks of zeroes there are.
    fn zeroes(&mut self, blocks: usize) -> Result<usize, CodecError> {
        let left = self.stream.blocks() - blocks;
        let count = match self.bits.zeroes()? as usize {
            few @ ..4 => few + 1,
            4 => left.min(SEGMENT - blocks % SEGMENT),
            many => many,
        };
        if count > left {
            return Err(CodecError::Corrupt("more blocks of zeroes than there are blocks"));
        }
        Ok(count)
    }
}

/// Reads the sample a line begins with, if it does here. Gives the rest of the block.
#[inline]
fn reference_sample<'a>(
    bits: &mut Bits,
    block: &'a mut [u32],
    there: bool,
    width: u32,
) -> Result<&'a mut [u32], CodecError> {
    if !there {
        return Ok(block);
    }
    let (first, rest) = block.split_first_mut().ok_or(CodecError::Corrupt("an empty block"))?;
    *first = bits.number(width)?;
    Ok(rest)
}

/// Pairs of small numbers, each pair coded as one. If the block is of odd length its first number was replaced:
/// the pair it would have been in has only one.
fn decode_pairs(bits: &mut Bits, block: &mut [u32]) -> Result<(), CodecError> {
    let odd = block.len() % 2;
    let (single, pairs) = block.split_at_mut(odd);
    for single in single {
        (_, *single) = pair(bits.zeroes()?)?;
    }
    for two in pairs.as_chunks_mut::<2>().0 {
        let (first, second) = pair(bits.zeroes()?)?;
        *two = [first, second];
    }
    Ok(())
}

/// The pair with that number: they are counted by their sum, and those of equal sum by the second.
fn pair(number: u32) -> Result<(u32, u32), CodecError> {
    // The largest sum is 12, so there are 91 pairs.
    let (mut sum, mut second) = (0, number);
    while second > sum {
        second -= sum + 1;
        sum += 1;
        if sum > 12 {
            return Err(CodecError::Corrupt("a pair of samples that cannot be"));
        }
    }
    Ok((sum - second, second))
}

impl Stream {
    /// A sample as it is in memory.
    #[inline]
    fn sample<const BYTES: usize>(&self, value: u32) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        if self.big_endian {
            bytes.copy_from_slice(&value.to_be_bytes()[4 - BYTES..]);
        } else {
            bytes.copy_from_slice(&value.to_le_bytes()[..BYTES]);
        }
        bytes
    }
}
