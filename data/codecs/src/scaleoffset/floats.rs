//! Floating-point numbers.
//!
//! Which of the two types each step is calculated in is part of the format: the bits that come out depend on
//! it. All is done in the elements' own type, but for one comparison with the fill value.

use core::fmt::Debug;
use core::hint::black_box;
use core::ops::{Add, Div, Mul, Sub};

use super::{Header, Numbers, bits_for, pack_each, unpack_each};
use crate::nbit::fields::{FieldWriter, from_bytes, low_bits};

/// Floating-point numbers of that type, which has that many bytes, with `digits` decimal places to keep.
pub(super) fn numbers<T: Real, const SIZE: usize>(digits: i32, fill: Option<u64>) -> Box<dyn Numbers> {
    Box::new(Floats::<T, SIZE> {
        scale: T::power_of_ten(digits),
        close: T::power_of_ten(digits.saturating_neg()),
        close_in_double: f64::power_of_ten(digits.saturating_neg()),
        fill: fill.map(T::from_pattern),
    })
}

/// A type of elements.
pub(super) trait Real:
    Add<Output = Self>
    + Copy
    + Debug
    + Div<Output = Self>
    + Into<f64>
    + Mul<Output = Self>
    + PartialOrd
    + Send
    + Sub<Output = Self>
    + Sync
    + 'static
{
    const ZERO: Self;
    /// The largest range of elements that fits into a signed integer of the same size, and one more.
    const LIMIT: Self;

    fn from_pattern(pattern: u64) -> Self;
    fn pattern(self) -> u64;
    fn from_whole(whole: u64) -> Self;
    fn power_of_ten(exponent: i32) -> Self;
    fn abs(self) -> Self;
    /// To the nearest whole number, away from zero if there are two.
    fn round(self) -> Self;
}

/// The constants in these functions are hidden from the compiler: it would calculate a power of ten by another
/// function of the C library than native HDF5 does, and that one may round differently.
impl Real for f32 {
    const ZERO: Self = 0.0;
    const LIMIT: Self = 2_147_483_648.0;

    fn from_pattern(pattern: u64) -> Self {
        let [a, b, c, d, ..] = pattern.to_le_bytes();
        Self::from_le_bytes([a, b, c, d])
    }

    fn pattern(self) -> u64 {
        self.to_bits().into()
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "as native HDF5 does")]
    fn from_whole(whole: u64) -> Self {
        whole as Self
    }

    #[expect(clippy::cast_precision_loss, reason = "powers that large are infinite or zero anyway")]
    fn power_of_ten(exponent: i32) -> Self {
        black_box(10.0_f32).powf(exponent as Self)
    }

    fn abs(self) -> Self {
        self.abs()
    }

    fn round(self) -> Self {
        self.round()
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const LIMIT: Self = 9_223_372_036_854_775_808.0;

    fn from_pattern(pattern: u64) -> Self {
        Self::from_bits(pattern)
    }

    fn pattern(self) -> u64 {
        self.to_bits()
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "as native HDF5 does")]
    fn from_whole(whole: u64) -> Self {
        whole as Self
    }

    fn power_of_ten(exponent: i32) -> Self {
        black_box(10.0_f64).powf(exponent.into())
    }

    fn abs(self) -> Self {
        self.abs()
    }

    fn round(self) -> Self {
        self.round()
    }
}

/// C's `lround`, with what x86-64 gives for numbers that do not fit.
fn nearest(value: impl Real) -> i64 {
    let rounded: f64 = value.round().into();
    if (-f64::LIMIT..f64::LIMIT).contains(&rounded) {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        let whole = rounded as i64;
        whole
    } else {
        i64::MIN
    }
}

#[derive(Debug)]
struct Floats<T, const SIZE: usize> {
    scale: T,
    /// Elements nearer to the fill value than this are fill values.
    close: T,
    /// The same for finding the range, where native HDF5 compares in double precision.
    close_in_double: f64,
    fill: Option<T>,
}

impl<T: Real, const SIZE: usize> Floats<T, SIZE> {
    /// Smallest and largest element, fill values left out; zero if there are no others.
    ///
    /// If the first element is not a number, none is smaller or larger.
    fn range(&self, input: &[u8], big_endian: bool) -> (T, T) {
        let is_fill = |element: T| match self.fill {
            Some(fill) => (element - fill).into().abs() < self.close_in_double,
            None => false,
        };
        let elements = input.as_chunks::<SIZE>().0.iter();
        let elements = elements.map(|bytes| T::from_pattern(from_bytes(*bytes, big_endian)));
        let mut elements = elements.filter(|element| !is_fill(*element));
        let Some(first) = elements.next() else {
            return (T::ZERO, T::ZERO);
        };
        elements.fold((first, first), |(smallest, largest), element| {
            (
                if element < smallest { element } else { smallest },
                if element > largest { element } else { largest },
            )
        })
    }
}

impl<T: Real, const SIZE: usize> Numbers for Floats<T, SIZE> {
    fn size(&self) -> usize {
        SIZE
    }

    fn unpack(&self, header: Header, packed: &[u8], output: &mut [u8], big_endian: bool) {
        let Header { width, smallest } = header;
        let (smallest, scale) = (T::from_pattern(smallest), self.scale);
        let element = |bits| (T::from_whole(bits) / scale + smallest).pattern();
        if let Some(fill) = self.fill {
            let (ones, fill) = (low_bits(width), fill.pattern());
            unpack_each::<SIZE>(width, packed, output, big_endian, |bits| {
                if bits == ones { fill } else { element(bits) }
            });
        } else {
            unpack_each::<SIZE>(width, packed, output, big_endian, element);
        }
    }

    fn header(&self, input: &[u8], big_endian: bool) -> Header {
        let (smallest, largest) = self.range(input, big_endian);
        let range = largest * self.scale - smallest * self.scale;
        if range.round() > T::LIMIT {
            let bits = if SIZE == 4 { u32::BITS } else { u64::BITS };
            return Header { width: bits, smallest: 0 };
        }
        let values = nearest(range).cast_unsigned().wrapping_add(1 + u64::from(self.fill.is_some()));
        Header { width: bits_for(values), smallest: smallest.pattern() }
    }

    fn pack(&self, header: Header, input: &[u8], big_endian: bool, fields: &mut FieldWriter) {
        let least = T::from_pattern(header.smallest) * self.scale;
        pack_each::<SIZE>(header.width, input, big_endian, fields, |element| {
            let element = T::from_pattern(element);
            match self.fill {
                Some(fill) if (element - fill).abs() < self.close => u64::MAX,
                _ => nearest(element * self.scale - least).cast_unsigned(),
            }
        });
    }
}
