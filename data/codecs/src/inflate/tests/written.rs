//! Streams as they are written by a library.

use libdeflater::{CompressionLvl, Compressor};

use super::random::Random;
use super::{Decoded, all_decode, decode, decode_pair};
use crate::error::CodecError;

/// Data of several kinds.
const KINDS: usize = 6;

fn data(kind: usize, len: usize) -> Vec<u8> {
    let mut random = Random::new(u64::try_from(7 * len + kind).unwrap());
    let low = |number: usize| number.to_le_bytes()[0];
    match kind {
        // Noise.
        0 => (0..len).map(|_| random.byte()).collect(),
        // Words.
        1 => {
            let words = ["chunk ", "of ", "the ", "dataset ", "was ", "compressed, ", "and ", "again ", "\n"];
            let mut text = Vec::new();
            while text.len() < len {
                text.extend_from_slice(random.pick(&words).as_bytes());
            }
            text.truncate(len);
            text
        }
        // Runs.
        2 => {
            let mut runs = Vec::new();
            while runs.len() < len {
                let (byte, count) = (random.byte(), random.below(700));
                runs.extend(vec![byte; count]);
            }
            runs.truncate(len);
            runs
        }
        // Floats that change slowly, all their first bytes, then all the second ones.
        3 => {
            let mut value = 1.0_f32;
            let floats: Vec<[u8; 4]> = (0..len.div_ceil(4))
                .map(|_| {
                    value += f32::from(random.byte()) / 1024.0;
                    value.to_le_bytes()
                })
                .collect();
            let mut planes: Vec<u8> =
                (0..4).flat_map(|plane| floats.iter().map(move |float| float[plane])).collect();
            planes.truncate(len);
            planes
        }
        // A ramp.
        4 => (0..len).map(|place| low(place / 3)).collect(),
        // Few bits.
        _ => (0..len).map(|_| low(random.below(3))).collect(),
    }
}

fn compressed(level: i32, data: &[u8]) -> Vec<u8> {
    let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
    let mut stream = vec![0; compressor.zlib_compress_bound(data.len())];
    let count = compressor.zlib_compress(data, &mut stream).unwrap();
    stream.truncate(count);
    stream
}

#[test]
fn short_ones() {
    let mut levels = (0..=12).cycle();
    let mut streams = Vec::new();
    for len in 0..600 {
        for kind in 0..KINDS {
            let data = data(kind, len);
            streams.push((compressed(levels.next().unwrap(), &data), data));
        }
    }
    all_decode(&streams);
}

#[test]
fn long_ones() {
    for len in [600, 1000, 4095, 4096, 10_000, 32_767, 32_768, 32_769, 65_535, 65_536, 70_000] {
        let mut streams = Vec::new();
        for level in 0..=12 {
            for kind in 0..KINDS {
                let data = data(kind, len);
                streams.push((compressed(level, &data), data));
            }
        }
        all_decode(&streams);
    }
}

fn is_corrupt(decoded: &Decoded) -> bool {
    matches!(decoded, Err(CodecError::Corrupt(_)))
}

/// A stream that ends too early is an error, and does not concern the other one.
#[test]
fn without_their_ends() {
    let other = data(1, 3000);
    let other_stream = compressed(6, &other);
    for kind in 0..KINDS {
        for level in [0, 1, 6, 12] {
            let data = data(kind, 1500);
            let stream = compressed(level, &data);
            for end in 0..stream.len() {
                let cut = &stream[..end];
                assert!(is_corrupt(&decode(cut, data.len() + 300)), "{kind}, {level}, {end}");
                assert!(decode(cut, data.len()).is_err(), "{kind}, {level}, {end}");
                let [first, second] =
                    decode_pair([(cut, data.len() + 300, 0), (&other_stream, other.len(), 0)]);
                assert!(is_corrupt(&first) && second.as_ref() == Ok(&other), "{kind}, {level}, {end}");
                let [first, second] =
                    decode_pair([(&other_stream, other.len(), 0), (cut, data.len() + 300, 0)]);
                assert!(first.as_ref() == Ok(&other) && is_corrupt(&second), "{kind}, {level}, {end}");
            }
        }
    }
}

#[test]
fn too_little_room() {
    for kind in 0..KINDS {
        for level in 0..=12 {
            for len in [1, 2, 10, 300, 1500, 66_000] {
                let data = data(kind, len);
                let stream = compressed(level, &data);
                for room in [0, len / 2, len - 1] {
                    assert_eq!(
                        decode(&stream, room),
                        Err(CodecError::NoRoom),
                        "{kind}, {level}, {len}, {room}"
                    );
                    let [first, second] = decode_pair([(&stream, room, 0), (&stream, len, 0)]);
                    assert!(
                        first == Err(CodecError::NoRoom) && second == Ok(data.clone()),
                        "{kind}, {level}"
                    );
                }
            }
        }
    }
}

#[test]
fn with_more_after_the_end() {
    for kind in 0..KINDS {
        let data = data(kind, 2000);
        for more in [1, 7, 8, 23, 100] {
            let stream = [compressed(6, &data), vec![0xFF; more]].concat();
            for room in [2000, 2001, 5000] {
                assert!(decode(&stream, room).as_ref() == Ok(&data), "{kind}, {more}, {room}");
            }
        }
    }
}
