//! Numbers, with results taken from HDF5's own `H5Tconvert`.

mod common;
mod number_types;

use convert::{Conversion, Datatype, HostTraits, Normalization, Order, Pad};
use number_types::{bitfield, change_bits, change_float, complex, float, integer};
use proptest::prelude::*;

const BIG: Order = Order::Big;
const LITTLE: Order = Order::Little;

/// The latest HDF5, as it is mostly built.
const LATEST: HostTraits = HostTraits { native_half: true, keeps_denormal_flag: false };

/// The conversion in the latest HDF5.
fn conversion(from: &Datatype, to: &Datatype) -> Option<Conversion> {
    Conversion::new(from, to, LATEST)
}

/// What the elements in `source` become.
fn convert(from: &Datatype, to: &Datatype, source: &[u8]) -> Vec<u8> {
    let conversion = conversion(from, to).expect("a conversion");
    assert!(conversion.writes_all());
    let mut destination = vec![0x5a; source.len() / from.size * to.size];
    conversion.convert(source, &mut destination);
    destination
}

/// What doubles in some byte order become, element by element.
fn from_f64<const SIZE: usize>(order: Order, to: &Datatype, values: &[f64]) -> Vec<[u8; SIZE]> {
    let bytes = values.iter().flat_map(|value| match order {
        BIG => value.to_be_bytes(),
        _ => value.to_le_bytes(),
    });
    let result = convert(&float(8, order), to, &bytes.collect::<Vec<_>>());
    result.as_chunks().0.to_vec()
}

#[test]
fn integers_that_do_not_fit_become_the_nearest_that_does() {
    let source: Vec<u8> = [-1_i32, 70_000, -70_000, 5].iter().flat_map(|value| value.to_le_bytes()).collect();
    let to = |size, signed| convert(&integer(4, true, LITTLE), &integer(size, signed, BIG), &source);
    assert_eq!(to(2, true), [0xff, 0xff, 0x7f, 0xff, 0x80, 0x00, 0x00, 0x05]);
    assert_eq!(to(2, false), [0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x05]);
    assert_eq!(to(1, false), [0x00, 0xff, 0x00, 0x05]);
}

#[test]
fn integers_of_one_size_and_opposite_order_are_swapped_whatever_their_sign() {
    let swapped = convert(&integer(4, true, BIG), &integer(4, false, LITTLE), &(-2_i32).to_be_bytes());
    assert_eq!(swapped, u32::MAX.wrapping_sub(1).to_le_bytes());
    let clamped = convert(&integer(4, true, BIG), &integer(4, false, BIG), &(-2_i32).to_be_bytes());
    assert_eq!(clamped, [0; 4]);
    assert_eq!(convert(&integer(1, true, BIG), &integer(1, false, LITTLE), &[0xff]), [0xff]);
    assert_eq!(convert(&integer(1, true, LITTLE), &integer(1, false, LITTLE), &[0xff]), [0x00]);
}

#[test]
fn unused_bits_are_padded_as_the_destination_says() {
    let narrow = change_bits(integer(4, true, LITTLE), |bits| {
        (bits.precision, bits.offset, bits.low_pad, bits.high_pad) = (17, 5, Pad::Zero, Pad::One);
    });
    let source: Vec<u8> = [1_i16, -1, 300, i16::MIN].iter().flat_map(|value| value.to_be_bytes()).collect();
    let expected = [0xffc0_0020, 0xffff_ffe0, 0xffc0_2580, 0xfff0_0000_u32];
    let result = convert(&integer(2, true, BIG), &narrow, &source);
    assert_eq!(result, expected.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    assert_eq!(convert(&narrow, &integer(2, true, BIG), &result), source);
}

#[test]
fn bitfields_keep_their_low_bits() {
    let narrow = change_bits(bitfield(2, LITTLE), |bits| {
        (bits.precision, bits.offset, bits.low_pad) = (10, 3, Pad::One);
    });
    assert_eq!(convert(&bitfield(4, BIG), &narrow, &0x0012_3456_u32.to_be_bytes()), 0x02b7_u16.to_le_bytes());
    assert_eq!(convert(&narrow, &bitfield(1, LITTLE), &0x02b7_u16.to_le_bytes()), [0x56]);
    let background = change_bits(narrow.clone(), |bits| bits.high_pad = Pad::Background);
    assert!(conversion(&bitfield(4, BIG), &background).is_none());
}

#[test]
fn native_doubles_are_rounded_to_even_and_infinite_above_the_largest_float() {
    let above = f64::from_bits(f64::from(f32::MAX).to_bits() + 1);
    let tie = f64::from_bits(1.0_f64.to_bits() | 1 << 28);
    let odd_tie = f64::from_bits(1.0_f64.to_bits() | 3 << 28);
    let signalling = f64::from_bits(0xfff0_0000_4000_0001);
    let result =
        from_f64(LITTLE, &float(4, LITTLE), &[above, -above, tie, odd_tie, signalling, 1e-46, 1e-45]);
    let expected = [0x7f80_0000, 0xff80_0000, 0x3f80_0000, 0x3f80_0002, 0xffc0_0002, 0, 1_u32];
    assert_eq!(result, expected.map(u32::to_le_bytes));
}

#[test]
fn other_doubles_are_rounded_up_at_halves_and_never_to_infinity() {
    let above = f64::from_bits(f64::from(f32::MAX).to_bits() + (1 << 28));
    let tie = f64::from_bits(1.0_f64.to_bits() | 1 << 28);
    let signalling = f64::from_bits(0xfff0_0000_4000_0001);
    let values = [above, 3.5e38, tie, 255.999_999_999_999_97, signalling, f64::NEG_INFINITY, -0.0, 1e-300];
    let expected =
        [0x7f7f_ffff, 0x7f80_0000, 0x3f80_0001, 0x4380_0000, 0xffff_ffff, 0xff80_0000, 0x8000_0000, 0_u32];
    assert_eq!(from_f64(BIG, &float(4, LITTLE), &values), expected.map(u32::to_le_bytes));
    assert_eq!(from_f64(LITTLE, &float(4, BIG), &values), expected.map(u32::to_be_bytes));
    // In a group of its own, and below the normal numbers.
    let tiny = [2.0_f64.powi(-150), 2.0_f64.powi(-149) * 1.99, 2.0_f64.powi(-126) * 0.999_999_99, 1.5e-40];
    let expected = [1, 1, 0x0040_0000, 0x0001_a224_u32];
    assert_eq!(from_f64(BIG, &float(4, LITTLE), &tiny), expected.map(u32::to_le_bytes));
}

#[test]
fn other_floats_become_doubles_exactly_but_for_one_that_is_no_number() {
    let source: Vec<u8> =
        [0xffc0_0001, 0x0000_0001, 0x3f80_0001_u32].iter().flat_map(|w| w.to_be_bytes()).collect();
    let result = convert(&float(4, BIG), &float(8, LITTLE), &source);
    let expected = [u64::MAX, 2.0_f64.powi(-149).to_bits(), 0x3ff0_0000_2000_0000];
    assert_eq!(result, expected.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
}

#[test]
fn other_floats_just_below_zero_become_the_smallest_integer() {
    let values = [-0.25, -0.5, -0.999, -1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e10, -1e10, -0.0];
    let (low, high) = (i16::MIN, i16::MAX);
    let expected = [low, 0, 0, -1, 0, high, low, high, low, 0];
    assert_eq!(from_f64(BIG, &integer(2, true, LITTLE), &values), expected.map(i16::to_le_bytes));
    let expected = [0, 0, 0, 0, 0, u8::MAX, 0, u8::MAX, 0, 0];
    assert_eq!(from_f64(BIG, &integer(1, false, LITTLE), &values), expected.map(u8::to_le_bytes));
}

#[test]
fn native_floats_are_cut_to_integers() {
    let values = [-0.25, -1.5, f64::INFINITY, f64::NEG_INFINITY, 1e30, 70_000.9];
    let expected = [0, -1, i32::MAX, i32::MIN, i32::MAX, 70_000];
    assert_eq!(from_f64(LITTLE, &integer(4, true, LITTLE), &values), expected.map(i32::to_le_bytes));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn native_floats_that_no_cast_is_defined_for() {
    let values = [f64::NAN, 2.0_f64.powi(63), 2.0_f64.powi(64)];
    let to = |signed| from_f64(LITTLE, &integer(8, signed, LITTLE), &values);
    assert_eq!(to(true), [i64::MIN, i64::MIN, i64::MAX].map(i64::to_le_bytes));
    assert_eq!(to(false), [1 << 63, 1 << 63, 0_u64].map(u64::to_le_bytes));
    let single =
        |signed, value: f32| convert(&float(4, LITTLE), &integer(4, signed, LITTLE), &value.to_le_bytes());
    assert_eq!(single(true, 2.0_f32.powi(31)), i32::MIN.to_le_bytes());
    assert_eq!(single(true, f32::NAN), i32::MIN.to_le_bytes());
    assert_eq!(single(false, 2.0_f32.powi(32)), 0_u32.to_le_bytes());
}

#[test]
fn integers_are_rounded_to_even_floats() {
    let source: Vec<u8> = [16_777_217_i64, 16_777_219, i64::MIN, i64::MAX, -3]
        .iter()
        .flat_map(|value| value.to_be_bytes())
        .collect();
    let expected = [16_777_216.0, 16_777_220.0, -(2.0_f32.powi(63)), 2.0_f32.powi(63), -3.0];
    let result = convert(&integer(8, true, BIG), &float(4, LITTLE), &source);
    assert_eq!(result, expected.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
}

#[test]
fn small_floats() {
    let half: Vec<u8> =
        [0x3c00, 0x0001, 0xfc00, 0x7e00, 0xfbff_u16].iter().flat_map(|w| w.to_be_bytes()).collect();
    let result = convert(&float(2, BIG), &float(4, LITTLE), &half);
    let expected = [0x3f80_0000, 0x3380_0000, 0xff80_0000, 0x7fff_ffff, 0xc77f_e000_u32];
    assert_eq!(result, expected.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    let brain = change_float(float(2, LITTLE), |float| {
        (float.exponent, float.mantissa, float.bias) = ((7, 8), (0, 7), 127);
    });
    assert_eq!(convert(&brain, &float(4, LITTLE), &[0x80, 0xbf]), (-1.0_f32).to_le_bytes());
    assert_eq!(convert(&float(4, LITTLE), &brain, &(1.0_f32 + 1.0 / 256.0).to_le_bytes()), [0x81, 0x3f]);
    // An integer beyond the largest half, but with the exponent of what is not a number.
    assert_eq!(convert(&integer(4, true, BIG), &float(2, BIG), &66_560_i32.to_be_bytes()), [0x7c, 0x10]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn halves_of_the_compiler() {
    let half = float(2, LITTLE);
    let result = convert(&half, &float(4, LITTLE), &[0x01, 0xfc, 0x01, 0x00]);
    assert_eq!(result, [0xffc0_2000, 0x3380_0000_u32].map(u32::to_le_bytes).concat());
    let values = [65504.0, 65504.1, 2.0_f64.powi(-25), 1.1 * 2.0_f64.powi(-25), 2049.0, f64::NEG_INFINITY];
    let expected = [0x7bff, 0x7c00, 0x0000, 0x0001, 0x6800, 0xfc00_u16];
    assert_eq!(from_f64(LITTLE, &half, &values), expected.map(u16::to_le_bytes));
    // Just above a tie, but on it as an `f32`.
    let above = 1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-40);
    assert_eq!(from_f64(LITTLE, &half, &[above]), [0x3c01_u16.to_le_bytes()]);
    let values = [0x7800, 0xbc00, 0x7c00, 0x7e00_u16].map(u16::to_le_bytes).concat();
    let signed = convert(&half, &integer(2, true, LITTLE), &values);
    assert_eq!(signed, [i16::MIN, -1, i16::MAX, 0].map(i16::to_le_bytes).concat());
    let unsigned = convert(&half, &integer(2, false, LITTLE), &values);
    assert_eq!(unsigned, [0x8000, u16::MAX, 0, 0].map(u16::to_le_bytes).concat());
}

#[test]
fn halves_that_no_compiler_has() {
    let host = HostTraits { native_half: false, ..LATEST };
    let source: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let swapped: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_be_bytes).collect();
    for to in [integer(2, false, LITTLE), float(4, LITTLE), float(8, LITTLE)] {
        let conversion = Conversion::new(&float(2, LITTLE), &to, host).expect("a conversion");
        let mut destination = vec![0x5a; source.len() / 2 * to.size];
        conversion.convert(&source, &mut destination);
        assert_eq!(destination, convert(&float(2, BIG), &to, &swapped));
    }
}

#[test]
fn floats_that_are_rounded_in_one_way_or_another() {
    let host = HostTraits { native_half: false, keeps_denormal_flag: true };
    let exists = |from: &Datatype, to: &Datatype| Conversion::new(from, to, host).is_some();
    assert!(!exists(&float(8, BIG), &float(4, LITTLE)));
    assert!(!exists(&float(4, LITTLE), &float(2, LITTLE)));
    assert!(!exists(&complex(float(8, BIG)), &float(4, LITTLE)));
    assert!(exists(&float(8, LITTLE), &float(4, LITTLE)));
    assert!(exists(&float(4, BIG), &float(8, LITTLE)));
    assert!(exists(&float(2, BIG), &float(2, LITTLE)));
    assert!(exists(&float(8, BIG), &integer(2, true, LITTLE)));
}

#[test]
fn small_elements_become_the_same_at_first_and_once_there_were_many() {
    let values: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_be_bytes).collect();
    for to in [integer(1, true, LITTLE), integer(3, false, BIG), float(4, LITTLE), float(8, LITTLE)] {
        let conversion = conversion(&float(2, BIG), &to).expect("a conversion");
        let results = || {
            let mut destination = vec![0x5a; values.len() / 2 * to.size];
            conversion.convert(&values, &mut destination);
            destination
        };
        let first = results();
        assert_eq!(first, results());
    }
}

#[test]
fn vax_floats() {
    let vax = change_float(float(4, Order::Vax), |float| float.bias = 129);
    assert_eq!(convert(&vax, &float(4, LITTLE), &[0x80, 0x40, 0, 0]), 1.0_f32.to_le_bytes());
    assert!(conversion(&float(4, LITTLE), &vax).is_none());
}

#[test]
fn floats_that_results_would_depend_on_something_else_for() {
    let set = change_float(float(8, LITTLE), |float| float.normalization = Normalization::MsbSet);
    let gap = change_float(float(4, LITTLE), |float| float.mantissa = (0, 20));
    assert!(conversion(&set, &float(4, LITTLE)).is_none());
    assert!(conversion(&float(8, LITTLE), &gap).is_none());
    assert!(conversion(&gap, &float(8, LITTLE)).is_some());
}

#[test]
fn complex_numbers() {
    let pair = [1.5_f32, f32::NAN].map(f32::to_be_bytes).concat();
    let swapped = convert(&complex(float(4, BIG)), &complex(float(4, LITTLE)), &pair);
    assert_eq!(swapped, [1.5_f32, f32::NAN].map(f32::to_le_bytes).concat());
    let widened = convert(&complex(float(4, LITTLE)), &complex(float(8, LITTLE)), &swapped);
    assert_eq!(widened, [1.5_f64, f64::NAN].map(f64::to_le_bytes).concat());
    assert_eq!(convert(&complex(float(4, BIG)), &integer(1, true, LITTLE), &pair), [1]);
    let real = convert(&integer(2, true, BIG), &complex(float(8, LITTLE)), &[0xff, 0xff]);
    assert_eq!(real, [-1.0_f64, 0.0].map(f64::to_le_bytes).concat());
    // Takes the soft way, on which a part that is no number leaves the other one as it was.
    assert!(conversion(&complex(float(8, BIG)), &complex(float(4, LITTLE))).is_none());
}

#[test]
fn numbers_of_different_classes() {
    assert!(conversion(&bitfield(4, LITTLE), &integer(4, false, LITTLE)).is_none());
    assert!(conversion(&float(4, LITTLE), &bitfield(4, LITTLE)).is_none());
}

/// The same type for HDF5's general way: with padding that is never there, it is not one that it knows.
fn unknown(datatype: Datatype) -> Datatype {
    change_bits(datatype, |bits| bits.high_pad = Pad::One)
}

fn any_order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(LITTLE), Just(BIG)]
}

fn any_integer() -> impl Strategy<Value = Datatype> {
    (prop_oneof![Just(1), Just(2), Just(4), Just(8)], any_order(), any::<bool>())
        .prop_map(|(size, order, signed)| integer(size, signed, order))
}

fn any_float() -> impl Strategy<Value = Datatype> {
    (prop_oneof![Just(4), Just(8)], any_order()).prop_map(|(size, order)| float(size, order))
}

/// Numbers of 8 bytes that are small, large, or near a power of two, or to rounding.
fn any_words() -> impl Strategy<Value = Vec<u8>> {
    let word = (any::<u64>(), 0_u32..64, 0_u32..64).prop_map(|(word, down, up)| word >> down << up);
    let near = (-200_i32..200, -3_i64..=3, 0_u32..40).prop_map(|(exponent, ulps, shift)| {
        2.0_f64.powi(exponent).to_bits().wrapping_add_signed(ulps << shift)
    });
    prop::collection::vec(prop_oneof![word, near], 0..200)
        .prop_map(|words| words.iter().flat_map(|word| word.to_ne_bytes()).collect())
}

proptest! {
    #[test]
    fn to_the_same_type_is_a_copy(datatype in prop_oneof![any_integer(), any_float()], words in any_words()) {
        prop_assert_eq!(convert(&datatype, &datatype, &words), words);
    }

    #[test]
    fn swapping_twice_is_a_copy(size in prop_oneof![Just(3), Just(4), Just(8), Just(16)], words in any_words()) {
        let words = &words[..words.len() / 48 * 48];
        let (big, little) = (integer(size, true, BIG), integer(size, true, LITTLE));
        prop_assert_eq!(&convert(&little, &big, &convert(&big, &little, words)), words);
    }

    #[test]
    fn wider_integers_hold_all(signed: bool, words in any_words(), order in any_order()) {
        let (narrow, wide) = (integer(4, signed, order), integer(8, signed, BIG));
        prop_assert_eq!(convert(&wide, &narrow, &convert(&narrow, &wide, &words)), words);
    }

    #[test]
    fn integers_keep_their_order(from in any_integer(), to in any_float(), words in any_words()) {
        let numbers = |datatype: &Datatype, bytes: &[u8]| {
            convert(datatype, &float(8, Order::Little), bytes)
                .as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<_>>()
        };
        let (before, after) = (numbers(&from, &words), numbers(&to, &convert(&from, &to, &words)));
        for (one, other) in before.iter().zip(&after).zip(before.iter().zip(&after).skip(1)) {
            prop_assert!(one.0 > other.0 || one.1 <= other.1);
        }
    }

    #[test]
    fn fast_and_general_ways_agree_on_integers(from in any_integer(), to in any_integer(), words in any_words()) {
        let (Order::Little, Order::Little) = (number_types::order(&from), number_types::order(&to)) else {
            return Ok(());
        };
        let general = convert(&unknown(from.clone()), &to, &words);
        prop_assert_eq!(convert(&from, &to, &words), general);
    }

    #[test]
    fn fast_and_general_ways_agree_on_floats(
        size in prop_oneof![Just(4_usize), Just(8)],
        to in prop_oneof![any_integer(), any_float()],
        words in any_words(),
    ) {
        let from = float(size, BIG);
        if to.size != size || !matches!(to.class, convert::Class::Float(_)) {
            prop_assert_eq!(convert(&from, &to, &words), convert(&unknown(from.clone()), &to, &words));
        }
    }

    #[test]
    fn no_description_makes_a_conversion_panic(
        from in number_types::any_description(),
        to in number_types::any_description(),
        native_half: bool,
        keeps_denormal_flag: bool,
        source in prop::collection::vec(any::<u8>(), 64),
    ) {
        if let Some(conversion) = Conversion::new(&from, &to, HostTraits { native_half, keeps_denormal_flag }) {
            let count = source.len().checked_div(from.size).unwrap_or(0);
            let mut destination = vec![0; count * to.size];
            conversion.convert(&source[..count * from.size], &mut destination);
        }
    }
}
