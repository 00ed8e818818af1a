//! What the real library stored, and what must hold for any data.

use proptest::prelude::*;

use super::codec;
use crate::codec::decoded_by;
use crate::error::CodecError;
use crate::work::Work;

fn encoded(parameters: &[u32], input: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut output = vec![1, 2, 3];
    let codec = codec(parameters).unwrap();
    codec.encode(input, &mut output, &mut Work::new())?;
    assert_eq!(codec.encoded_len(input.len()), Some(output.len()));
    Ok(output)
}

fn decoded(parameters: &[u32], stored: &[u8], len: usize) -> Result<Vec<u8>, CodecError> {
    decoded_by(&*codec(parameters).unwrap(), stored, len)
}

/// Chunks written by HDF5 2.0.0: what was written, what it stored and what it read back.
#[track_caller]
fn known(parameters: &[u32], written: &[u8], stored: &[u8], read: &[u8]) {
    assert_eq!(encoded(parameters, written).unwrap(), stored);
    assert_eq!(decoded(parameters, stored, read.len()).unwrap(), read);
    assert_eq!(encoded(parameters, read).unwrap(), stored);
    assert_eq!(decoded(parameters, stored, read.len() - 1), Err(CodecError::NoRoom));
}

#[test]
fn twelve_bits_of_sixteen() {
    let elements: Vec<u8> = (0..5_u16).flat_map(|i| (i * 0x123).to_le_bytes()).collect();
    let stored = [0x00, 0x01, 0x23, 0x24, 0x63, 0x69, 0x48, 0xc0];
    let parameters = [8, 0, 5, 1, 2, 0, 12, 0];
    known(&parameters, &elements, &stored, &elements);
    for len in 0..stored.len() {
        let error = decoded(&parameters, &stored[..len], 10).unwrap_err();
        assert_eq!(error, CodecError::Corrupt("the packed elements end too early"));
    }
    assert!(matches!(encoded(&parameters, &elements[..8]), Err(CodecError::NotApplicable(_))));
}

#[test]
fn bits_in_the_middle_of_big_endian_numbers() {
    let elements: Vec<u8> = (0..4_u32).flat_map(|i| ((i * 0x7654) << 5).to_be_bytes()).collect();
    let stored = [0x00, 0x00, 0x1d, 0x95, 0x1d, 0x95, 0x16, 0x2f, 0xc0];
    known(&[8, 0, 4, 1, 4, 1, 17, 5], &elements, &stored, &elements);
}

#[test]
fn numbers_larger_than_a_word() {
    let written: Vec<u8> = (0..32).collect();
    known(
        &[8, 0, 2, 1, 16, 0, 80, 3],
        &written,
        &[
            0x41, 0x21, 0x00, 0xe0, 0xc0, 0xa0, 0x80, 0x60, 0x40, 0x20, 0x43, 0x23, 0x02, 0xe2, 0xc2, 0xa2,
            0x82, 0x62, 0x42, 0x22, 0x00,
        ],
        &[
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,
        ],
    );
    known(
        &[8, 0, 2, 1, 16, 1, 80, 3],
        &written,
        &[
            0xa0, 0xc0, 0xe1, 0x01, 0x21, 0x41, 0x61, 0x81, 0xa1, 0xc1, 0xa2, 0xc2, 0xe3, 0x03, 0x23, 0x43,
            0x63, 0x83, 0xa3, 0xc3, 0x00,
        ],
        &[
            0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x08,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x18,
        ],
    );
}

#[test]
fn compounds_with_arrays_and_gaps() {
    let written: Vec<u8> = (200..228).collect();
    known(
        &[
            33, 0, 2, 3, 14, 4, 0, 1, 1, 0, 3, 0, 1, 4, 2, 4, 2, 4, 1, 2, 1, 9, 2, 8, 3, 5, 1, 1, 1, 4, 0,
            32, 0,
        ],
        &written,
        &[
            0x19, 0x39, 0x53, 0x3d, 0x9e, 0xa6, 0x9e, 0x96, 0x8e, 0xd7, 0xd8, 0x5b, 0x4d, 0xf8, 0xb8, 0x78,
            0x37, 0xc0,
        ],
        &[
            0x00, 0xc9, 0xca, 0x00, 0x04, 0xcc, 0x06, 0xcc, 0x00, 0xd1, 0xd2, 0xd3, 0xd4, 0x00, 0x06, 0xd7,
            0xd8, 0x00, 0x02, 0xd8, 0x04, 0xdc, 0x00, 0xdf, 0xe0, 0xe1, 0xe2, 0x00,
        ],
    );
}

#[test]
fn nothing_to_pack() {
    let parameters = [8, 1, 2, 1, 4, 0, 32, 0];
    let elements: Vec<u8> = (0..8).collect();
    known(&parameters, &elements, &elements, &elements);
    assert_eq!(codec(&parameters).unwrap().contained(&elements, true), Some(Ok(0..8)));
    known(&[3, 1, 2], &elements, &elements, &elements);
}

#[test]
fn nonsense_is_refused() {
    let why = |parameters: &[u32]| codec(parameters).unwrap_err().0;
    assert!(why(&[]).contains("fewer than 3"));
    assert!(why(&[2, 0]).contains("fewer than 3"));
    assert!(why(&[9, 0, 5, 1, 2, 0, 12, 0]).contains("there are 8, not 9"));
    assert!(why(&[8, 0, 5, 1, 2, 0, 17, 0]).contains("17 bits"));
    assert!(why(&[3, 0, 5]).contains("missing"));
}

/// A datatype: its parameters and its size.
fn datatype() -> impl Strategy<Value = (Vec<u32>, u32)> {
    let number = (1..=20_u32, 0..=1_u32, any::<(prop::sample::Index, prop::sample::Index)>()).prop_map(
        |(size, order, (precision, offset))| {
            let precision = 1 + u32::try_from(precision.index(8 * size as usize)).unwrap();
            let offset = u32::try_from(offset.index((8 * size - precision + 1) as usize)).unwrap();
            (vec![1, size, order, precision, offset], size)
        },
    );
    let bytes = (1..=9_u32).prop_map(|size| (vec![4, size], size));
    prop_oneof![4 => number, 1 => bytes].prop_recursive(3, 24, 4, |inner| {
        let array = (inner.clone(), 1..4_u32).prop_map(|((parameters, size), count)| {
            ([vec![2, size * count], parameters].concat(), size * count)
        });
        let members = prop::collection::vec((inner, 0..4_u32), 1..4);
        let compound = members.prop_map(|members| {
            let count = u32::try_from(members.len()).unwrap();
            let (mut parameters, mut size) = (Vec::new(), 0);
            for ((member, member_size), gap) in members {
                parameters.push(size + gap);
                parameters.extend(member);
                size += gap + member_size;
            }
            ([vec![3, size, count], parameters].concat(), size)
        });
        prop_oneof![array, compound]
    })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        (datatype, size) in datatype(),
        elements in 1..20_u32,
        seed in any::<u64>(),
    ) {
        let count = u32::try_from(datatype.len()).unwrap() + 3;
        let parameters = [vec![count, 0, elements], datatype].concat();
        let len = (elements * size) as usize;
        let mut random = fastrand::Rng::with_seed(seed);
        let input: Vec<u8> = (0..len).map(|_| random.u8(..)).collect();
        // The rest is what native HDF5 must do.
        if codec(&parameters).is_ok() {
            let stored = encoded(&parameters, &input).unwrap();
            prop_assert!(stored.len() <= len + 1);
            let read = decoded(&parameters, &stored, len).unwrap();
            // What is not significant is zero now; what is has not changed.
            prop_assert!(read.iter().zip(&input).all(|(read, written)| read & !written == 0));
            prop_assert_eq!(encoded(&parameters, &read).unwrap(), stored.clone());
            for short in [0, stored.len() / 2, stored.len() - 1] {
                let _ = decoded(&parameters, &stored[..short], len);
            }
        }
    }

    #[test]
    fn random_parameters_do_no_harm(
        mut parameters in prop::collection::vec(prop_oneof![0..9_u32, any::<u32>()], 0..40),
        input in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let count = u32::try_from(parameters.len()).unwrap();
        if let [first, second, ..] = &mut parameters[..] {
            (*first, *second) = (count, 0);
        }
        if let Ok(codec) = codec(&parameters) {
            let mut output = [0; 1000];
            let _ = codec.decode(&input, &mut output, &mut Work::new());
            let _ = codec.encode(&input, &mut Vec::new(), &mut Work::new());
        }
    }
}
