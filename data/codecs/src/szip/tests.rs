//! What the real library stored, and what must hold for any data.

use proptest::prelude::*;

use super::codec;
use crate::codec::decoded_by;
use crate::error::CodecError;
use crate::work::Work;

fn encoded(parameters: &[u32], input: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut output = vec![1, 2, 3];
    codec(parameters).unwrap().encode(input, &mut output, &mut Work::new()).map(|()| output)
}

fn decoded(parameters: &[u32], stored: &[u8], len: usize) -> Result<Vec<u8>, CodecError> {
    decoded_by(&*codec(parameters).unwrap(), stored, len)
}

/// Chunks written by HDF5 2.0.0 with libaec.
#[track_caller]
fn known(parameters: &[u32], elements: impl IntoIterator<Item: AsRef<[u8]>>, stored: &[u8]) {
    let elements: Vec<u8> = elements.into_iter().flat_map(|element| element.as_ref().to_vec()).collect();
    assert_eq!(decoded(parameters, stored, elements.len()).unwrap(), elements);
    assert_eq!(encoded(parameters, &elements).unwrap(), stored);
    for len in 0..stored.len() / 2 {
        assert!(matches!(decoded(parameters, &stored[..len], elements.len()), Err(CodecError::Corrupt(_))));
    }
    assert_eq!(decoded(parameters, stored, elements.len() - 1), Err(CodecError::NoRoom));
}

#[test]
fn lines_that_are_not_whole_blocks() {
    let elements = || (0..40_u16).map(|i| [(i * i / 64).to_le_bytes()[0]]);
    known(
        &[169, 8, 8, 20],
        elements(),
        &[
            0x28, 0x00, 0x00, 0x00, 0x00, 0x08, 0xb1, 0x11, 0x11, 0xc8, 0x34, 0x93, 0x24, 0x92, 0x49, 0x24,
            0x92, 0x49, 0xf0,
        ],
    );
    known(
        &[141, 8, 8, 20],
        elements(),
        &[
            0x28, 0x00, 0x00, 0x00, 0x0a, 0xf5, 0x5f, 0x34, 0x49, 0x3e, 0x60, 0xd5, 0x24, 0x93, 0x58, 0xb7,
            0x15, 0x49, 0x26, 0x5d, 0xc1, 0x4e, 0x12, 0x4f, 0xcb, 0xb8, 0x00, 0x00,
        ],
    );
}

#[test]
fn what_would_grow_is_not_encoded() {
    let squares: Vec<u8> = (0..40_u32).map(|i| (i * i % 251).to_le_bytes()[0]).collect();
    let error = encoded(&[169, 8, 8, 20], &squares).unwrap_err();
    assert_eq!(error, CodecError::NotApplicable("the data would grow"));
}
#[test]
fn pairs_of_small_samples() {
    known(
        &[149, 8, 16, 40],
        (0..40_u16).map(|i| (i % 5).to_be_bytes()),
        &[
            0x50, 0x00, 0x00, 0x00, 0x1a, 0x44, 0x34, 0x92, 0x75, 0x39, 0x42, 0xa9, 0xd6, 0x94, 0x8e, 0xa7,
            0x29, 0x25, 0x3a, 0x94, 0xa0,
        ],
    );
}

#[test]
fn a_large_difference() {
    known(
        &[169, 16, 16, 40],
        (0..40).map(|i| if i < 35 { 7_u16 } else { 60000 }.to_le_bytes()),
        &[
            0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3b, 0x9c, 0x00, 0x00, 0x00, 0x1f, 0xff, 0x00, 0x00, 0x00,
            0x00, 0x26, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00,
        ],
    );
}

#[test]
fn segments_of_zeroes_and_four_planes() {
    known(
        &[169, 2, 32, 256],
        (0..1500_u32).map(|i| (i / 700).to_le_bytes()),
        &[
            0x70, 0x17, 0x00, 0x00, 0x00, 0x00, 0x80, 0x40, 0x00, 0x20, 0x10, 0x00, 0x08, 0x00, 0x00, 0x00,
            0x01, 0x14, 0x02, 0x00, 0x21, 0x00, 0x80, 0x08, 0x40, 0x20, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x12, 0x60, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0x18, 0x04, 0x00, 0x02, 0x01,
            0x00, 0x00, 0x80, 0x40, 0x00, 0x20, 0x10, 0x00, 0x08, 0x04, 0x00, 0x02, 0x01, 0x00, 0x00, 0x80,
            0x40, 0x00, 0x20, 0x10, 0x00, 0x08, 0x04, 0x00, 0x02, 0x01, 0x00, 0x00, 0x80, 0x40, 0x00, 0x20,
            0x10, 0x00, 0x08, 0x04, 0x00, 0x02, 0x01, 0x00, 0x00, 0x80, 0x40, 0x00, 0x20, 0x10, 0x00, 0x08,
            0x04, 0x00, 0x02, 0x01, 0x00, 0x00, 0x80, 0x40,
        ],
    );
}

#[test]
fn eight_planes() {
    known(
        &[169, 4, 64, 4],
        (0..16_u8).map(|i| (f64::from(i) * 0.5).to_le_bytes()),
        &[
            0x80, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x40, 0x02, 0x00, 0x10, 0x00, 0x80, 0x04, 0x00, 0x20,
            0x01, 0x00, 0x08, 0x00, 0x40, 0x02, 0x00, 0x10, 0x00, 0x80, 0x04, 0x00, 0x20, 0x01, 0x00, 0x08,
            0x00, 0x40, 0x02, 0x00, 0x10, 0x00, 0x80, 0x04, 0x00, 0x20, 0x01, 0xe0, 0x1c, 0x04, 0x02, 0x10,
            0x02, 0xb0, 0x08, 0x21, 0xe4, 0x90, 0x63, 0xc9, 0x28, 0x00, 0xfe, 0x00, 0x08, 0x10, 0x40, 0x82,
            0x04,
        ],
    );
}

#[test]
fn fewer_bits_than_the_element_has() {
    known(
        &[169, 4, 20, 40],
        (0..40_u32).map(|i| (i * 26000).to_le_bytes()),
        &[
            0xa0, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x57, 0x2c, 0x84, 0xb2, 0x09, 0x64, 0x10, 0x55, 0x96,
            0x41, 0x2c, 0x82, 0x59, 0x04, 0xb2, 0x08, 0x2a, 0xcb, 0x20, 0x96, 0x41, 0x2c, 0x82, 0x59, 0x04,
            0x15, 0x65, 0x90, 0x4b, 0x20, 0x96, 0x41, 0x2c, 0x82, 0x0a, 0xb2, 0xc8, 0x25, 0x90, 0x4b, 0x20,
            0x96, 0x41, 0x05, 0x59, 0x64, 0x12, 0xc8, 0x25, 0x90, 0x4b, 0x20, 0x82, 0xac, 0xb2, 0x09, 0x64,
            0x12, 0xc8, 0x25, 0x90, 0x41, 0x56, 0x59, 0x04, 0xb2, 0x09, 0x64, 0x12, 0xc8, 0x20, 0xab, 0x2c,
            0x82, 0x59, 0x04, 0xb2, 0x09, 0x64, 0x10, 0x55, 0x96, 0x41, 0x2c, 0x82, 0x59, 0x04, 0xb2, 0x00,
        ],
    );
}

#[test]
fn nonsense_is_refused() {
    let why = |parameters: &[u32]| codec(parameters).unwrap_err().0;
    assert!(why(&[]).contains("there are 0"));
    assert!(why(&[169, 8, 16]).contains("there are 3"));
    for bits in [0, 33, 63, 65, u32::MAX] {
        assert!(why(&[169, 8, bits, 40]).contains("bits per pixel"));
    }
    for block in [0, 3, 66, u32::MAX, u32::MAX - 1] {
        assert!(why(&[169, block, 16, 40]).contains("per block"));
    }
    for line in [0, 4097, u32::MAX] {
        assert!(why(&[169, 8, 16, line]).contains("per scanline"));
    }
}

#[test]
fn what_would_lose_bits_is_not_encoded() {
    let input: Vec<u8> = (0..40_u16).flat_map(|i| (i | 0x1000).to_le_bytes()).collect();
    assert!(encoded(&[169, 8, 13, 40], &input).is_ok());
    assert!(matches!(encoded(&[169, 8, 12, 40], &input), Err(CodecError::NotApplicable(_))));
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let stored = encoded(&[169, 8, 32, 40], &[0; 160]).unwrap();
    for wrong in [0, 1, 159] {
        let stored = [&u32::to_le_bytes(wrong)[..], &stored[4..]].concat();
        assert!(matches!(decoded(&[169, 8, 32, 40], &stored, 160), Err(CodecError::Corrupt(_))));
    }
    assert!(matches!(encoded(&[169, 8, 32, 40], &[0; 159]), Err(CodecError::NotApplicable(_))));
    assert!(matches!(encoded(&[169, 8, 16, 40], &[0; 159]), Err(CodecError::NotApplicable(_))));
}

fn parameters() -> impl Strategy<Value = [u32; 4]> {
    let options = prop::sample::select(vec![169, 141, 177, 149]);
    let bits = prop_oneof![1..=31_u32, Just(32), Just(64)];
    (options, 1..=32_u32, bits, 1..=4096_u32)
        .prop_map(|(options, block, bits, line)| [options, 2 * block, bits, line])
}

/// Elements with long runs, small steps and jumps.
fn walk() -> impl Strategy<Value = Vec<u64>> {
    let run = (any::<u64>(), 0..64_u32, 1..200_usize, 0..3_u64);
    prop::collection::vec(run, 1..20).prop_map(|runs| {
        let runs = runs.into_iter().flat_map(|(value, shift, len, step)| {
            (0..len as u64).map(move |i| (value >> shift).wrapping_add(i * step))
        });
        runs.collect()
    })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(parameters in parameters(), values in walk()) {
        let bits = parameters[2];
        let size = match bits { ..=8 => 1, 9..=16 => 2, 17..=32 => 4, _ => 8 };
        let mask = u64::MAX >> (64 - bits);
        let big_endian = parameters[0] & 16 != 0;
        let input: Vec<u8> = values.iter().flat_map(|value| {
            let bytes = (value & mask).to_le_bytes();
            let mut bytes = bytes[..size].to_vec();
            if big_endian {
                bytes.reverse();
            }
            bytes
        }).collect();
        match encoded(&parameters, &input) {
            Ok(stored) => {
                prop_assert!(stored.len() <= input.len() + 4);
                prop_assert_eq!(decoded(&parameters, &stored, input.len()), Ok(input));
            }
            Err(error) => prop_assert_eq!(error, CodecError::NotApplicable("the data would grow")),
        }
    }

    #[test]
    fn damage_does_no_harm(
        parameters in parameters(),
        values in walk(),
        at in any::<prop::sample::Index>(),
        bit in 0..8_u32,
        cut in any::<prop::sample::Index>(),
    ) {
        let input: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let parameters = [parameters[0], parameters[1], 64, parameters[3]];
        if let Ok(mut stored) = encoded(&parameters, &input) {
            let at = at.index(stored.len());
            stored[at] ^= 1_u8 << bit;
            let _ = decoded(&parameters, &stored, input.len());
            stored.truncate(cut.index(stored.len()));
            let _ = decoded(&parameters, &stored, input.len());
        }
    }

    #[test]
    fn random_input_does_no_harm(
        parameters in parameters(),
        len in 0..20_000_u32,
        random in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let stored = [&len.to_le_bytes()[..], &random].concat();
        let _ = decoded(&parameters, &stored, 20_000);
        let _ = decoded(&parameters, &random, 20_000);
    }
}
