//! The filter "deflate": the zlib format, with the level as its parameter. The same in gzip's format is for Zarr.

mod level;
mod noise;

use core::mem;
use core::num::NonZero;

use libdeflater::{Adler32, CompressionLvl, Compressor, Crc};

use crate::codec::{Codec, DecodePair};
use crate::error::{CodecError, Unsupported};
use crate::inflate::{Wrapping, inflate, inflate_pair};
use crate::work::{Work, sized};

/// The most bytes of a block that are stored as they are.
const LONGEST_BLOCK: usize = 0xFFFF;

/// The most bytes that a stream begins and ends with, and those that a stored block begins with.
const HEADER: usize = 10;
const CHECKSUM: usize = 8;
const BLOCK_HEADER: usize = 5;

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    in_form(Wrapping::Zlib, parameters)
}

/// The same in gzip's format.
pub(crate) fn gzip_codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    in_form(Wrapping::Gzip, parameters)
}

fn in_form(wrapping: Wrapping, parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    match *parameters {
        [level @ 0..=9] => {
            let level = usize::try_from(level).unwrap_or(0);
            Ok(Box::new(Deflate { wrapping, level, shuffled: None }))
        }
        _ => Err(Unsupported(format!("parameters {parameters:?} instead of a level"))),
    }
}

/// Level 0 is data in zlib's wrapping, without compression.
#[derive(Debug)]
struct Deflate {
    wrapping: Wrapping,
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

    /// A stream whose first bytes are stored as they are.
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
            self.begin(output);
            for block in noise.chunks(LONGEST_BLOCK) {
                let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
                // Not the last block, and stored.
                output.push(0);
                output.extend_from_slice(&length.to_le_bytes());
                output.extend_from_slice(&(!length).to_le_bytes());
                output.extend_from_slice(block);
            }
            output.extend_from_slice(&packed[..written]);
            self.end((noise, rest), output);
            Ok(())
        });
        work.inside = packed;
        copied
    }

    /// What a stream begins with.
    fn begin(&self, output: &mut Vec<u8>) {
        match self.wrapping {
            Wrapping::Zlib => output.extend_from_slice(&header(self.level)),
            // No flags, no time, no hint at the level, and no system.
            Wrapping::Gzip => output.extend_from_slice(&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]),
        }
    }

    /// What a stream of these bytes ends with.
    fn end(&self, (noise, rest): (&[u8], &[u8]), output: &mut Vec<u8>) {
        match self.wrapping {
            Wrapping::Zlib => {
                let mut checksum = Adler32::new();
                checksum.update(noise);
                checksum.update(rest);
                output.extend_from_slice(&checksum.sum().to_be_bytes());
            }
            Wrapping::Gzip => {
                let mut checksum = Crc::new();
                checksum.update(noise);
                checksum.update(rest);
                output.extend_from_slice(&checksum.sum().to_le_bytes());
                // The length modulo 2^32.
                let [a, b, c, d, ..] = ((noise.len() + rest.len()) as u64).to_le_bytes();
                output.extend_from_slice(&[a, b, c, d]);
            }
        }
    }
}

/// The first two bytes of a zlib stream: a window of 32 KiB, and about the level, made a multiple of 31.
fn header(level: usize) -> [u8; 2] {
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
    Gzip,
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
        Form::Gzip => {
            let bound = compressor.gzip_compress_bound(input.len());
            compressor.gzip_compress(input, sized(output, bound)?)
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
        let decoded = inflate(self.wrapping, input, output, work.inflate.get_or_insert_default());
        decoded.map_err(|error| match (self.wrapping, error) {
            (Wrapping::Gzip, CodecError::Corrupt(_)) => CodecError::Corrupt("not a valid gzip stream"),
            (_, error) => error,
        })
    }

    fn pair_decoder(&self) -> Option<DecodePair> {
        Some(match self.wrapping {
            Wrapping::Zlib => |inputs, outputs, works| {
                let codes = works.map(|work| work.inflate.get_or_insert_default());
                inflate_pair(Wrapping::Zlib, inputs, outputs, codes)
            },
            Wrapping::Gzip => |inputs, outputs, works| {
                let codes = works.map(|work| work.inflate.get_or_insert_default());
                inflate_pair(Wrapping::Gzip, inputs, outputs, codes)
            },
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
        let form = match self.wrapping {
            Wrapping::Zlib => Form::Zlib,
            Wrapping::Gzip => Form::Gzip,
        };
        let written = compress(form, level, input, output, work)?;
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

    fn gzip(level: u32) -> Pipeline {
        let filter =
            Filter { id: crate::beyond::GZIP, name: "gzip".into(), optional: false, parameters: vec![level] };
        Pipeline::new(&[filter]).unwrap()
    }

    #[test]
    fn gzip_is_read_with_everything_that_its_header_may_have() {
        let data = integers(1, 5000);
        let mut encoded = Vec::new();
        gzip(6).encode(&data, &mut encoded, &mut Work::new()).unwrap();
        assert!(encoded.len() < data.len());
        let decode = |stored: &[u8]| {
            let mut decoded = vec![0; data.len()];
            gzip(1).decode(stored, 0, true, &mut decoded, &mut Work::new()).map(|()| decoded)
        };
        let (header, rest) = encoded.split_at(10);
        let (extra, name, comment, checksum) = (b"\x03\0abc", b"name\0", b"\0", b"\x12\x34");
        for flags in 0..32 {
            let mut stored = header.to_vec();
            stored[3] = flags;
            for (flag, bytes) in [(4, &extra[..]), (8, name), (16, comment), (2, checksum)] {
                if flags & flag != 0 {
                    stored.extend_from_slice(bytes);
                }
            }
            stored.extend_from_slice(rest);
            assert!(decode(&stored).as_ref() == Ok(&data), "flags {flags}");
            for length in [0, 3, 9, 10, 11, 15, stored.len() - 8, stored.len() - 1] {
                assert!(decode(&stored[..length]).is_err(), "flags {flags}, cut to {length}");
            }
        }
        // Both halves of what follows the data are looked at, and so is what comes first.
        for at in [0, 1, 2, encoded.len() - 8, encoded.len() - 1] {
            let mut stored = encoded.clone();
            stored[at] ^= 1;
            let error = decode(&stored).unwrap_err();
            assert_eq!(error.source, CodecError::Corrupt("not a valid gzip stream"), "byte {at}");
        }
        let mut reserved = encoded.clone();
        reserved[3] = 0x20;
        assert!(decode(&reserved).is_err());
        // The same in pairs.
        let (mut one, mut other) = (vec![0; data.len()], vec![0; data.len()]);
        let packed = [&mut one, &mut other].map(|output| crate::Packed { stored: &encoded, mask: 0, output });
        let pipeline = gzip(6);
        assert!(pipeline.gains_by_pairs());
        let decoded = pipeline.decode_pair(packed, true, [&mut Work::new(), &mut Work::new()]);
        assert!(decoded.iter().all(Result::is_ok) && one == data && other == data);
        // What libdeflate says of it, with noise in front, too.
        for noisy in [0, 2] {
            let data = integers(noisy, 100_000);
            let shuffle = Filter { id: 2, name: "shuffle".into(), optional: false, parameters: vec![4] };
            let deflate =
                Filter { id: crate::beyond::GZIP, name: "gzip".into(), optional: false, parameters: vec![4] };
            let pipeline = Pipeline::new(&[shuffle.clone(), deflate]).unwrap();
            pipeline.encode(&data, &mut encoded, &mut Work::new()).unwrap();
            let mut planes = vec![0; data.len()];
            let count = libdeflater::Decompressor::new().gzip_decompress(&encoded, &mut planes).unwrap();
            assert_eq!(count, data.len());
            let mut expected = Vec::new();
            Pipeline::new(&[shuffle]).unwrap().encode(&data, &mut expected, &mut Work::new()).unwrap();
            assert!(planes == expected);
        }
    }

    #[test]
    fn chunks_of_any_length_are_decoded() {
        let data = integers(1, 50_000);
        let mut encoded = Vec::new();
        gzip(6).encode(&data, &mut encoded, &mut Work::new()).unwrap();
        let mut decoded = vec![1, 2, 3];
        gzip(6).decode_any_length(&encoded, true, 1 << 20, &mut decoded, &mut Work::new()).unwrap();
        assert!(decoded == data);
        let error = gzip(6).decode_any_length(&encoded, true, data.len() - 1, &mut decoded, &mut Work::new());
        assert_eq!(error.unwrap_err().source, CodecError::NoRoom);
        gzip(6).decode_any_length(&encoded, true, data.len(), &mut decoded, &mut Work::new()).unwrap();
        assert!(decoded == data);
    }
}
