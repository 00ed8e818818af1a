//! Chunks as HDF5 2.0 and the plugins of hdf5plugin 7.1 stored them.

mod common;

use codecs::{CodecError, Filter};
use common::*;

/// The elements of most chunks here.
fn elements() -> Vec<u8> {
    let mut elements: Vec<u8> =
        (0..42).map(|i| i / 3 * i % 5).map(|byte: u16| byte.to_le_bytes()[0]).collect();
    elements.resize(64, 1);
    elements
}

fn check(filters: &[Filter], stored: &str, elements: &[u8]) {
    let pipeline = pipeline(filters);
    assert_eq!(decode(&pipeline, &bytes(stored), 0, elements.len()).unwrap(), elements);
    let (ours, mask) = encode(&pipeline, elements).unwrap();
    assert_eq!(mask, 0);
    assert_eq!(decode(&pipeline, &ours, 0, elements.len()).unwrap(), elements);
}

/// Where there is only one way to encode.
fn check_both(filters: &[Filter], stored: &str, elements: &[u8]) {
    check(filters, stored, elements);
    assert_eq!(encode(&pipeline(filters), elements).unwrap(), (bytes(stored), 0));
}

#[test]
fn deflate() {
    let stored = "789c63606060666160626164626066666264c0cd65c40a000cc0005c";
    check(&[filter(DEFLATE, &[6])], stored, &elements());
    check(&[filter(DEFLATE, &[0])], stored, &elements());
    // What follows the stream does not matter.
    check(&[filter(DEFLATE, &[6])], &format!("{stored}abcdef"), &elements());
}

#[test]
fn shuffle() {
    check_both(
        &[filter(SHUFFLE, &[4])],
        "00040103000002020002000101010101000002020002000103040301010101010002000103040300040101010101010103040300\
         040103000002010101010101",
        &elements(),
    );
    check_both(&[filter(SHUFFLE, &[3])], "000302020004040000000103", &elements()[..12]);
    check_both(&[filter(SHUFFLE, &[3])], "0002010302040105", &[0, 1, 2, 2, 3, 4, 1, 5]);
}

#[test]
fn fletcher32() {
    check_both(
        &[filter(FLETCHER32, &[])],
        "00000003040002040102000303020100000003040002040102000303020100000003040002040102000301010101010101010101\
         010101010101010101010101302b60fd",
        &elements(),
    );
    check_both(&[filter(FLETCHER32, &[])], "000000030400020306090a", &elements()[..7]);
    check_both(&[filter(FLETCHER32, &[])], "ffffffffffffffffffffffff", &[0xff; 8]);
    check_both(&[filter(FLETCHER32, &[])], "000000000000", &[0; 2]);
}

#[test]
fn lzf() {
    let stored = "0f00000003040002040102000303020100e0110e0001e00a00010101";
    check(&[optional(LZF, &[4, 261, 64])], stored, &elements());
    check(&[optional(LZF, &[])], stored, &elements());
}

#[test]
fn zstd() {
    let stored = "28b52ffd2040cd000080000000030400020401020003030201010200b84f9070d601";
    check(&[filter(ZSTD, &[3])], stored, &elements());
    check(&[filter(ZSTD, &[])], stored, &elements());
    check(&[filter(ZSTD, &[(-7_i32).cast_unsigned()])], stored, &elements());
}

#[test]
fn zstd_without_the_length() {
    // A frame with a window of 1 KiB instead of a length, and one block of 7 bytes as they are.
    let stored = "28b52ffd000039000001020304050607";
    check(&[filter(ZSTD, &[])], stored, &[1, 2, 3, 4, 5, 6, 7]);
    check(&[filter(FLETCHER32, &[]), filter(ZSTD, &[])], "28b52ffd000039000000000000000000", &[0, 0, 0]);
}

#[test]
fn lz4() {
    check(
        &[filter(LZ4, &[32])],
        "00000000000000400000002000000019f8000000000304000204010200030302010f0050030201000000000014bc000304000204\
         01020003010100500101010101",
        &elements(),
    );
    // Blocks longer than the data, and stored as they are.
    check(&[filter(LZ4, &[])], "00000000000000034000000000000003010203", &[1, 2, 3]);
}

#[test]
fn bzip2() {
    check(
        &[filter(BZIP2, &[9])],
        "425a68393141592653591806ed8f00000160007c001000200021124f2830086e735e61b1581c508448d7df1772453850901806ed8f",
        &elements(),
    );
}

#[test]
fn all_three() {
    check(
        &[filter(SHUFFLE, &[8]), filter(DEFLATE, &[4]), filter(FLETCHER32, &[])],
        "785e1dc9c10d00300cc2400cdd7fe6423e8764842c7126ddfa809a66aacd7eb35e97a7d63f0b62005c332040e2",
        &elements(),
    );
}

#[test]
fn old_checksums_are_accepted() {
    let pipeline = pipeline(&[filter(FLETCHER32, &[])]);
    let (mut stored, _) = encode(&pipeline, &elements()).unwrap();
    stored[64..].as_chunks_mut::<2>().0.iter_mut().for_each(|half| half.reverse());
    assert_eq!(decode(&pipeline, &stored, 0, 64).unwrap(), elements());
    stored[64..].rotate_left(2);
    let error = decode(&pipeline, &stored, 0, 64).unwrap_err();
    assert!(matches!(error.source, CodecError::Checksum { .. }));
}
