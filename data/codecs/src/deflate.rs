//! The filter "deflate": the zlib format, with the level as its parameter.

mod level;
mod noise;

use core::mem;
use core::num::NonZero;

use libdeflater::{Adler32, CompressionLvl, Compressor};

use crate::codec::{Codec, DecodePair};
use crate::error::{CodecError, Unsupported};
use crate::inflate::{inflate, inflate_pair};
use crate::work::{Work, sized};

/// The most bytes of a block that are stored as they are.
const LONGEST_BLOCK: usize = 0xFFFF;

/// Bytes that a zlib stream begins and ends with, and that a stored block begins with.
const HEADER: usize = 2;
const CHECKSUM: usize = 4;
const BLOCK_HEADER: usize = 5;

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    match *parameters {
        [level @ 0..=9] => {
            let level = usize::try_from(level).unwrap_or(0);
            Ok(Box::new(Deflate { level, shuffled: None }))
        }
        _ => Err(Unsupported(format!("parameters {parameters:?} instead of a level"))),
    }
}

/// Level 0 is data in zlib's wrapping, without compression.
#[derive(Debug)]
struct Deflate {
    /// zlib's level, 0 to 9.
    level: usize,
    /// Bytes of an element if it is given shuffled ones.
    shuffled: Option<NonZero<usize>>,
}

impl Deflate {
    /// How many bytes at the beginning are stored as they are. Of shuffled elements the first planes are the low bytes.
    fn noise(&self, input: &[u8]) -> usize {
        match self.shuffled {
            Some(element) if self.level > 0 => noise::leading(input, input.len() / element),
            _ => 0,
        }
    }

    /// A zlib stream whose first bytes are stored as they are.
    fn encode_after_noise(
        &self,
        (noise, rest): (&[u8], &[u8]),
        level: usize,
        output: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<(), CodecError> {
        let mut packed = mem::take(&mut work.inside);
        let written = compress(Form::Bare, level, rest, &mut packed, work);
        let copied = written.and_then(|written| {
            let blocks = noise.len().div_ceil(LONGEST_BLOCK) * BLOCK_HEADER;
            let bytes = HEADER + noise.len() + blocks + written + CHECKSUM;
            output.clear();
            output.try_reserve_exact(bytes).map_err(|_| CodecError::OutOfMemory(bytes))?;
            output.extend_from_slice(&header(self.level));
            for block in noise.chunks(LONGEST_BLOCK) {
                let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
                // Not the last block, and stored.
                output.push(0);
                output.extend_from_slice(&length.to_le_bytes());
                output.extend_from_slice(&(!length).to_le_bytes());
                output.extend_from_slice(block);
            }
            output.extend_from_slice(&packed[..written]);
            let mut checksum = Adler32::new();
            checksum.update(noise);
            checksum.update(rest);
            output.extend_from_slice(&checksum.sum().to_be_bytes());
            Ok(())
        });
        work.inside = packed;
        copied
    }
}

/// The first two bytes of a zlib stream: a window of 32 KiB, and about the level, made a multiple of 31.
fn header(level: usize) -> [u8; HEADER] {
    let hint = match level {
        0..=1 => 0x01,
        2..=5 => 0x5E,
        6 => 0x9C,
        _ => 0xDA,
    };
    [0x78, hint]
}

/// What compressed bytes are wrapped in.
#[derive(Debug, Clone, Copy)]
enum Form {
    Zlib,
    /// Nothing.
    Bare,
}

/// Compresses at one of the library's levels; the number of bytes.
fn compress(
    form: Form,
    level: usize,
    input: &[u8],
    output: &mut Vec<u8>,
    work: &mut Work,
) -> Result<usize, CodecError> {
    const NO_LEVEL: CodecError = CodecError::NotApplicable("no such level");
    let compressor = match &mut work.deflate[level] {
        Some(compressor) => compressor,
        empty => {
            let level = i32::try_from(level).ok().and_then(|level| CompressionLvl::new(level).ok());
            empty.insert(Compressor::new(level.ok_or(NO_LEVEL)?))
        }
    };
    let written = match form {
        Form::Zlib => {
            let bound = compressor.zlib_compress_bound(input.len());
            compressor.zlib_compress(input, sized(output, bound)?)
        }
        Form::Bare => {
            let bound = compressor.deflate_compress_bound(input.len());
            compressor.deflate_compress(input, sized(output, bound)?)
        }
    };
    written.map_err(|_| CodecError::NotApplicable("no room for the result"))
}

impl Codec for Deflate {
    fn always_applies(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        inflate(input, output, work.inflate.get_or_insert_default())
    }

    fn pair_decoder(&self) -> Option<DecodePair> {
        Some(|inputs, outputs, works| {
            inflate_pair(inputs, outputs, works.map(|work| work.inflate.get_or_insert_default()))
        })
    }

    fn decoded_len(&self, _input: &[u8]) -> Option<usize> {
        None
    }

    fn after_shuffle(&mut self, element: usize) {
        self.shuffled = NonZero::new(element);
    }

    // Unlike what a comment in HDF5 says, its filter does not fail if the result is longer than the input.
    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        let (noise, rest) = input.split_at(self.noise(input));
        let level = level::of_library(self.level, self.shuffled, (noise, rest), output, work)?;
        if !noise.is_empty() {
            return self.encode_after_noise((noise, rest), level, output, work);
        }
        let written = compress(Form::Zlib, level, input, output, work)?;
        output.truncate(written);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Filter, Pipeline};

    /// Integers of four bytes: so many low bytes are noise, the next is a ramp, the others are zero.
    fn integers(low_bytes: u32, count: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(1);
        let element = |number: usize| {
            let noise = random.u32(..);
            let ramp = u32::try_from(number >> 12).unwrap_or(0);
            let mask = u32::MAX.checked_shr(32 - 8 * low_bytes).unwrap_or(0);
            (noise & mask) | ramp.checked_shl(8 * low_bytes).unwrap_or(0)
        };
        (0..count).map(element).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn noise_in_front_is_stored_and_the_rest_compressed() {
        for level in [1, 4, 6, 9] {
            let filter = |id, name: &str, parameter| Filter {
                id,
                name: name.into(),
                optional: false,
                parameters: vec![parameter],
            };
            let pipeline = Pipeline::new(&[filter(2, "shuffle", 4), filter(1, "deflate", level)]).unwrap();
            // Planes of less and of more than one stored block, and of an odd number of bytes.
            for count in [20_000, 65_535, 65_536, 200_001] {
                for noisy in 0..=4 {
                    let data = integers(noisy, count);
                    let (mut encoded, mut decoded) = (Vec::new(), vec![0; data.len()]);
                    let mask = pipeline.encode(&data, &mut encoded, &mut Work::new()).unwrap();
                    assert_eq!(mask, 0);
                    // The header is one of zlib's, and a stored block that is not the last begins with a zero.
                    assert_eq!(u16::from_be_bytes([encoded[0], encoded[1]]) % 31, 0);
                    assert_eq!(encoded[2] == 0, noisy > 0, "{level}, {count}, {noisy}");
                    let noise = count * usize::try_from(noisy).unwrap();
                    assert!(
                        encoded.len() < noise + noise / 1000 + data.len() / 100 + 100,
                        "{level}, {count}, {noisy}"
                    );
                    pipeline.decode(&encoded, 0, true, &mut decoded, &mut Work::new()).unwrap();
                    assert!(decoded == data, "{level}, {count}, {noisy}");
                }
            }
        }
    }
}
