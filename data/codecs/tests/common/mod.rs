//! What the tests of pipelines share.

#![allow(dead_code, reason = "no test uses all of it")]

use codecs::{Filter, Pipeline, PipelineError, Work};
use proptest::prelude::*;

pub(crate) const DEFLATE: i32 = 1;
pub(crate) const SHUFFLE: i32 = 2;
pub(crate) const FLETCHER32: i32 = 3;
pub(crate) const BZIP2: i32 = 307;
pub(crate) const LZF: i32 = 32000;
pub(crate) const LZ4: i32 = 32004;
pub(crate) const ZSTD: i32 = 32015;

/// A filter that must succeed.
pub(crate) fn filter(id: i32, parameters: &[u32]) -> Filter {
    Filter { id, name: format!("number {id}"), optional: false, parameters: parameters.to_vec() }
}

pub(crate) fn optional(id: i32, parameters: &[u32]) -> Filter {
    Filter { optional: true, ..filter(id, parameters) }
}

pub(crate) fn pipeline(filters: &[Filter]) -> Pipeline {
    Pipeline::new(filters).unwrap()
}

/// Decodes into a chunk of this size, with checksums looked at.
pub(crate) fn decode(
    pipeline: &Pipeline,
    stored: &[u8],
    mask: u32,
    len: usize,
) -> Result<Vec<u8>, PipelineError> {
    let mut output = vec![0xaa; len];
    pipeline.decode(stored, mask, true, &mut output, &mut Work::new())?;
    Ok(output)
}

pub(crate) fn encode(pipeline: &Pipeline, elements: &[u8]) -> Result<(Vec<u8>, u32), PipelineError> {
    let mut stored = b"something from before".to_vec();
    let mask = pipeline.encode(elements, &mut stored, &mut Work::new())?;
    Ok((stored, mask))
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().map(|digit| u8::try_from(digit.to_digit(16).unwrap()).unwrap()).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Bytes of all kinds: random, with few values, in long runs, with a period, growing slowly.
pub(crate) fn data(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    (any::<u64>(), 1..=longest, 0..5).prop_map(|(seed, len, kind)| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut random = || random.u8(..);
        let period = 1 + usize::from(random());
        let mut bytes: Vec<u8> = Vec::with_capacity(len);
        for index in 0..len {
            let last = bytes.last().copied().unwrap_or_default();
            bytes.push(match kind {
                1 => random() % 3,
                2 if random() < 250 => last,
                3 if index >= period => bytes[index - period],
                4 => last.wrapping_add(random() % 2),
                _ => random(),
            });
        }
        bytes
    })
}

/// A filter of any of these kinds with valid parameters.
pub(crate) fn any_filter() -> impl Strategy<Value = Filter> {
    prop_oneof![
        4 => (0..=9_u32).prop_map(|level| filter(DEFLATE, &[level])),
        4 => prop_oneof![1..=20_u32, 1..3000_u32].prop_map(|size| filter(SHUFFLE, &[size])),
        4 => Just(filter(FLETCHER32, &[])),
        4 => Just(optional(LZF, &[4, 261, 1000])),
        4 => (0..=9_u32).prop_map(|level| filter(ZSTD, &[level])),
        4 => prop_oneof![Just(0), 1..5000_u32].prop_map(|block| filter(LZ4, &[block])),
        // Slow.
        1 => (1..=9_u32).prop_map(|level| filter(BZIP2, &[level])),
    ]
}
