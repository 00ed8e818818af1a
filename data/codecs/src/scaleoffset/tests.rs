//! What the real library stored, and what must hold for any data.

use proptest::prelude::*;

use super::codec;
use crate::codec::decoded_by;
use crate::error::CodecError;
use crate::work::Work;

fn encoded(parameters: &[u32], input: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut output = vec![1, 2, 3];
    let codec = codec(parameters).unwrap();
    codec.encode(input, &mut output, &mut Work::new()).map(|()| output)
}

fn decoded(parameters: &[u32], stored: &[u8], len: usize) -> Result<Vec<u8>, CodecError> {
    decoded_by(&*codec(parameters).unwrap(), stored, len)
}

/// All parameters, of which the last few are not used.
fn all(parameters: &[u32]) -> Vec<u32> {
    let mut parameters = parameters.to_vec();
    parameters.resize(20, 0);
    parameters
}

/// Bytes of elements.
macro_rules! bytes {
    ($to_bytes:ident, $($element:expr),*) => {
        [$($element.$to_bytes().to_vec()),*].concat()
    };
}

/// Chunks written by HDF5 2.0.0: what was written, what it stored (header and rest) and what it read back.
#[track_caller]
fn known(parameters: &[u32], written: &[u8], header: (u32, [u8; 8]), packed: &[u8], read: &[u8]) {
    let parameters = all(parameters);
    let (width, smallest) = header;
    let stored = [&width.to_le_bytes()[..], &[8], &smallest, &[0; 8], packed].concat();
    assert_eq!(encoded(&parameters, written).unwrap(), stored);
    assert_eq!(decoded(&parameters, &stored, read.len()).unwrap(), read);
    assert_eq!(decoded(&parameters, &stored, read.len() - 1), Err(CodecError::NoRoom));
    for len in 0..13 {
        let error = decoded(&parameters, &stored[..len], read.len()).unwrap_err();
        assert_eq!(error, CodecError::Corrupt("the header is not complete"));
    }
    let elements = parameters[2] as usize;
    let needed = if width == 0 { 13 } else { 21 + (width as usize * elements).div_ceil(8) };
    for len in 13..needed {
        let error = decoded(&parameters, &stored[..len], read.len()).unwrap_err();
        assert_eq!(error, CodecError::Corrupt("the packed elements end too early"));
    }
}

#[test]
fn bytes_with_the_default_fill_value() {
    let elements = bytes!(to_le_bytes, -3_i8, 0_i8, 4_i8, -1_i8, 2_i8);
    known(
        &[2, 0, 5, 0, 1, 1, 0, 1, 0],
        &elements,
        (4, (-3_i64).to_le_bytes()),
        &[0x0f, 0x72, 0x50],
        &elements,
    );
}

#[test]
fn big_endian_with_a_fill_value() {
    let elements = bytes!(to_be_bytes, 999_u16, 1000_u16, 1500_u16, 999_u16, 1234_u16);
    let packed = [0xff, 0x80, 0x3e, 0x9f, 0xf7, 0x50];
    known(&[2, 0, 5, 0, 2, 0, 1, 1, 999], &elements, (9, 1000_u64.to_le_bytes()), &packed, &elements);
}

#[test]
fn fewer_bits_than_needed() {
    known(
        &[2, 3, 5, 0, 4, 1, 0, 1, 0],
        &bytes!(to_le_bytes, -5_i32, -4_i32, 2_i32, 40_i32, 0_i32),
        (3, (-5_i64).to_le_bytes()),
        &[0x07, 0xde],
        &bytes!(to_le_bytes, -5_i32, -4_i32, 0_i32, 0_i32, 0_i32),
    );
}

#[test]
fn all_bits_needed() {
    let elements = bytes!(to_le_bytes, i64::MIN, i64::MAX);
    known(&[2, 0, 2, 0, 8, 1, 0, 0], &elements, (64, [0; 8]), &elements, &elements);
    let elements = bytes!(to_le_bytes, i8::MIN, i8::MAX);
    known(&[2, 0, 2, 0, 1, 1, 0, 0], &elements, (8, (-128_i64).to_le_bytes()), &elements, &elements);
}

#[test]
fn no_bits_needed() {
    let elements = bytes!(to_le_bytes, 7_u32, 7_u32, 7_u32);
    known(&[2, 0, 3, 0, 4, 0, 0, 0], &elements, (0, 7_u64.to_le_bytes()), &[0], &elements);
}

#[test]
fn stored_as_they_are() {
    let parameters = all(&[2, 16, 5, 0, 2, 0, 1, 1, 999]);
    let elements: Vec<u8> = (0..10).collect();
    assert_eq!(encoded(&parameters, &elements).unwrap(), elements);
    assert_eq!(decoded(&parameters, &elements, 10).unwrap(), elements);
    let codec = codec(&parameters).unwrap();
    assert_eq!(codec.contained(&elements, true), Some(Ok(0..10)));
    assert_eq!(codec.encoded_len(10), Some(10));
}

#[test]
fn two_decimal_places() {
    known(
        &[0, 2, 5, 1, 4, 0, 0, 1, 0],
        &bytes!(to_le_bytes, 1.5_f32, -2.25_f32, 3.1375_f32, 0.0_f32, 100.125_f32),
        (14, [0x00, 0x00, 0x10, 0xc0, 0, 0, 0, 0]),
        &[0x05, 0xdc, 0x00, 0x00, 0x86, 0xff, 0xff, 0x9f, 0xf8],
        &[
            0x00, 0x00, 0xc0, 0x3f, 0x00, 0x00, 0x10, 0xc0, 0xc2, 0xf5, 0x48, 0x40, 0x00, 0x00, 0x00, 0x00,
            0x8f, 0x42, 0xc8, 0x42,
        ],
    );
}

#[test]
fn one_decimal_place_and_a_fill_value() {
    known(
        &[0, 1, 5, 1, 8, 0, 1, 1, 0, 3_223_453_696],
        &bytes!(to_be_bytes, 1.5_f64, -9.0_f64, 3.1375_f64, 2.0_f64, 1e3_f64),
        (14, 1.5_f64.to_le_bytes()),
        &[0x00, 0x03, 0xff, 0xf0, 0x04, 0x00, 0x05, 0x9c, 0x04],
        &[
            0x3f, 0xf8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x22, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x40, 0x08, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcd, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x40, 0x8f, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00,
        ],
    );
}

#[test]
fn a_range_too_large_to_scale() {
    let elements = bytes!(to_le_bytes, 1e300_f64, -1e300_f64);
    known(&[0, 0, 2, 1, 8, 0, 0, 0], &elements, (64, [0; 8]), &elements, &elements);
}

#[test]
fn what_nobody_could_read_is_not_encoded() {
    let elements = bytes!(to_le_bytes, f32::NAN, 1.0_f32);
    let error = encoded(&all(&[0, 2, 2, 1, 4, 0, 0, 0]), &elements).unwrap_err();
    assert_eq!(error, CodecError::NotApplicable("elements that cannot be scaled"));
}

#[test]
fn nonsense_is_refused() {
    let why = |parameters: &[u32]| codec(parameters).unwrap_err().0;
    let good = all(&[2, 0, 5, 0, 2, 0, 1, 1, 999]);
    codec(&good).unwrap();
    assert!(why(&[]).contains("too few"));
    assert!(why(&good[..19]).contains("there are 19"));
    for (place, value, text) in [
        (0, 1, "scale type 1"),
        (0, 0, "scale type 0 for class 0"),
        (1, 17, "17 bits"),
        (2, 0, "0 elements"),
        (3, 1, "scale type 2 for class 1"),
        (3, 7, "class 7"),
        (4, 3, "elements of 3 bytes"),
        (5, 2, "2 is not a sign"),
        (6, 2, "order of bytes"),
        (7, 3, "kind of fill value"),
    ] {
        let mut bad = good.clone();
        bad[place] = value;
        assert!(why(&bad).contains(text), "{}", why(&bad));
    }
    // Negative is the same as zero.
    let mut negative = good;
    negative[1] = u32::MAX;
    codec(&negative).unwrap();
}

#[test]
fn damaged_headers_are_refused() {
    let parameters = all(&[2, 0, 2, 0, 2, 0, 0, 0]);
    let mut stored = encoded(&parameters, &[1, 0, 9, 0]).unwrap();
    stored[0] = 17;
    let error = decoded(&parameters, &stored, 4).unwrap_err();
    assert_eq!(error, CodecError::Corrupt("more bits per element than an element has"));
    // Written by a machine with another size of integers.
    stored = vec![0, 0, 0, 0, 1, 5];
    assert_eq!(decoded(&parameters, &stored, 4).unwrap(), [5, 0, 5, 0]);
    stored = vec![0, 0, 0, 0, 9, 5, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(decoded(&parameters, &stored, 4).unwrap(), [5, 0, 5, 0]);
}

/// Elements near each other, so that something is gained.
fn elements() -> impl Strategy<Value = Vec<u64>> {
    (any::<u64>(), 0..64_u32, prop::collection::vec(any::<u64>(), 1..100)).prop_map(
        |(least, shift, values)| values.into_iter().map(|value| least.wrapping_add(value >> shift)).collect(),
    )
}

proptest! {
    #[test]
    fn integers_are_decoded_as_they_were(
        values in elements(),
        size in prop::sample::select(vec![1_u32, 2, 4, 8]),
        (signed, big_endian, filled) in any::<(bool, bool, bool)>(),
        fill in any::<prop::sample::Index>(),
    ) {
        let size_of = size as usize;
        let fill = values[fill.index(values.len())];
        let [low, high] = [fill & 0xffff_ffff, fill >> 32].map(|half| u32::try_from(half).unwrap());
        let count = u32::try_from(values.len()).unwrap();
        let parameters =
            all(&[2, 0, count, 0, size, signed.into(), big_endian.into(), filled.into(), low, high]);
        let input: Vec<u8> = values.iter().flat_map(|value| {
            let mut bytes = value.to_le_bytes()[..size_of].to_vec();
            if big_endian {
                bytes.reverse();
            }
            bytes
        }).collect();
        let stored = encoded(&parameters, &input).unwrap();
        prop_assert_eq!(decoded(&parameters, &stored, input.len()).unwrap(), input);
    }

    #[test]
    fn decimal_places_are_kept(
        values in prop::collection::vec(-1e6..1e6_f64, 1..100),
        digits in 0..5_i32,
        filled in any::<bool>(),
    ) {
        let count = u32::try_from(values.len()).unwrap();
        let digits_parameter = u32::try_from(digits).unwrap();
        let parameters = all(&[0, digits_parameter, count, 1, 8, 0, 0, filled.into()]);
        let input: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let stored = encoded(&parameters, &input).unwrap();
        let read = decoded(&parameters, &stored, input.len()).unwrap();
        for (read, value) in read.as_chunks().0.iter().zip(values) {
            // Twice what rounding loses: a value near the fill value becomes the fill value.
            prop_assert!((f64::from_le_bytes(*read) - value).abs() <= 1.01 * 10_f64.powi(-digits));
        }
    }

    #[test]
    fn any_input_does_no_harm(
        (scale, class) in prop::sample::select(vec![(2, 0), (0, 1)]),
        factor in prop_oneof![0..9_u32, any::<u32>()],
        size in prop::sample::select(vec![1_u32, 2, 4, 8]),
        (sign, order, filled) in (0..2_u32, 0..2_u32, 0..2_u32),
        (low, high) in any::<(u32, u32)>(),
        mut input in prop::collection::vec(any::<u8>(), 0..300),
        width in 0..70_u8,
    ) {
        let count = u32::try_from(input.len()).unwrap() / size;
        let parameters = all(&[scale, factor, count, class, size, sign, order, filled, low, high]);
        if let Ok(codec) = codec(&parameters) {
            let mut output = vec![0; input.len()];
            let _ = codec.decode(&input, &mut output, &mut Work::new());
            let mut stored = Vec::new();
            let whole = (count * size) as usize;
            if codec.encode(&input[..whole], &mut stored, &mut Work::new()).is_ok() {
                prop_assert_eq!(codec.decode(&stored, &mut output, &mut Work::new()), Ok(whole));
            }
            if input.len() > 4 {
                input[..4].copy_from_slice(&[width, 0, 0, 0]);
                let _ = codec.decode(&input, &mut output, &mut Work::new());
            }
        }
    }
}
