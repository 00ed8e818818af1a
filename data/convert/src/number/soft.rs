//! The soft way between machine types whose byte order is not the memory's, in a form that is fast.
//!
//! [`general`](super::general) has the same rules for numbers of any format, halves among them.

use super::hard;
use super::native::Native;
use super::typed::{Machine, Routine, each};

/// The loop from one type to another, for elements brought into memory order.
pub(super) fn routine(from: Native, to: Native) -> Option<Routine> {
    match (from, to) {
        (Native::F16, _) | (_, Native::F16) | (Native::F32, Native::F32) | (Native::F64, Native::F64) => None,
        // Between integers, and from an integer to a float, both ways give the same.
        (
            Native::I8
            | Native::U8
            | Native::I16
            | Native::U16
            | Native::I32
            | Native::U32
            | Native::I64
            | Native::U64,
            _,
        ) => hard::routine(from, to),
        (Native::F32, Native::F64) => Some(f32_to_f64),
        (Native::F64, Native::F32) => Some(f64_to_f32),
        (Native::F32, _) => integer_routine::<f32>(to),
        (Native::F64, _) => integer_routine::<f64>(to),
    }
}

/// The integer for a float.
trait Truncate<D> {
    fn truncate(self) -> D;
}

macro_rules! truncate {
    ($source:ty: $($destination:ty)*) => { $(
        impl Truncate<$destination> for $source {
            /// What does not fit becomes the nearest integer, and what is not a number zero. Negative numbers
            /// nearer to zero than -0.5 count as too small to fit: they become the smallest integer.
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made to fit")]
            fn truncate(self) -> $destination {
                if self < 0.0 && self > -0.5 { <$destination>::MIN } else { self as $destination }
            }
        }
    )* };
}

macro_rules! truncate_short {
    ($source:ty: $($destination:ty)*) => { $(
        impl Truncate<$destination> for $source {
            /// By way of the integers that processors have instructions for.
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
            fn truncate(self) -> $destination {
                let wide: i32 = self.truncate();
                wide.clamp(<$destination>::MIN.into(), <$destination>::MAX.into()) as $destination
            }
        }
    )* };
}

truncate!(f32: i32 u32 i64 u64);
truncate!(f64: i32 u32 i64 u64);
truncate_short!(f32: i8 u8 i16 u16);
truncate_short!(f64: i8 u8 i16 u16);

fn integer_routine<S>(to: Native) -> Option<Routine>
where
    S: Machine + Truncate<i8> + Truncate<u8> + Truncate<i16> + Truncate<u16>,
    S: Truncate<i32> + Truncate<u32> + Truncate<i64> + Truncate<u64>,
{
    Some(match to {
        Native::I8 => integers::<S, i8>,
        Native::U8 => integers::<S, u8>,
        Native::I16 => integers::<S, i16>,
        Native::U16 => integers::<S, u16>,
        Native::I32 => integers::<S, i32>,
        Native::U32 => integers::<S, u32>,
        Native::I64 => integers::<S, i64>,
        Native::U64 => integers::<S, u64>,
        Native::F16 | Native::F32 | Native::F64 => return None,
    })
}

fn integers<S: Machine + Truncate<D>, D: Machine>(source: &[u8], destination: &mut [u8]) {
    each(source, destination, S::truncate);
}

/// Exact, except that all that is not a number becomes the same one.
fn f32_to_f64(source: &[u8], destination: &mut [u8]) {
    each(source, destination, |value: f32| {
        let widened = f64::from(value).to_bits();
        let sign = u64::from(value.to_bits() >> 31) << 63;
        if value.is_nan() { sign | !(1 << 63) } else { widened }
    });
}

/// Elements that are looked at together before they are converted.
const GROUP: usize = 64;

/// Nearly all data is within the range of an `f32`, or zero, and then a few instructions do that the compiler can
/// apply to several elements at once.
fn f64_to_f32(source: &[u8], destination: &mut [u8]) {
    let (sources, last_source) = u64::all(source).as_chunks::<GROUP>();
    let (destinations, last_destination) = u32::all_mut(destination).as_chunks_mut::<GROUP>();
    for (source, destination) in sources.iter().zip(destinations) {
        if source.iter().fold(true, |all, bytes| all & is_easy(u64::from_ne_bytes(*bytes))) {
            narrow_each(source, destination, narrow_easy);
        } else {
            narrow_each(source, destination, narrow);
        }
    }
    narrow_each(last_source, last_destination, narrow);
}

#[inline]
fn narrow_each(source: &[[u8; 8]], destination: &mut [[u8; 4]], narrow: impl Fn(u64) -> u32) {
    for (source, destination) in source.iter().zip(destination) {
        *destination = narrow(u64::from_ne_bytes(*source)).to_ne_bytes();
    }
}

const MAGNITUDE: u64 = !(1 << 63);
/// Bits of the mantissa that an `f64` has and an `f32` has not.
const EXCESS: u32 = 29;
/// What exponents differ by for the same number.
const BIAS: u64 = 1023 - 127;

/// The high half of the smallest number that does not become zero.
const NOT_ZERO: u32 = 0x3690_0000;
/// The high half of the smallest number that has a normal form as an `f32`.
const NORMAL: u32 = 0x3810_0000;
/// The high half of the first numbers that are too large, or that rounding might make so.
const LARGE: u32 = 0x47ef_ffff;

/// Whether the number becomes zero, or one in normal form however it is rounded.
#[inline]
fn is_easy(bits: u64) -> bool {
    let high = high_half(bits & MAGNITUDE);
    high < NOT_ZERO || (NORMAL..LARGE).contains(&high)
}

#[inline]
fn high_half(bits: u64) -> u32 {
    (bits >> 32) as u32
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "numbers in range have no bits above")]
fn low_half(bits: u64) -> u32 {
    bits as u32
}

/// Rounds to the nearest, and halves up.
#[inline]
fn narrow_easy(bits: u64) -> u32 {
    let magnitude = bits & MAGNITUDE;
    let rounded = low_half(magnitude.wrapping_sub(BIAS << 52).wrapping_add(1 << (EXCESS - 1)) >> EXCESS);
    let sign = high_half(bits) & (1 << 31);
    sign | if high_half(magnitude) < NOT_ZERO { 0 } else { rounded }
}

/// The same for any number. Nothing is rounded up to infinity.
fn narrow(bits: u64) -> u32 {
    if is_easy(bits) {
        return narrow_easy(bits);
    }
    let sign = high_half(bits) & (1 << 31);
    let magnitude = bits & MAGNITUDE;
    let mantissa = magnitude & ((1 << 52) - 1);
    sign | match magnitude >> 52 {
        0x7ff if mantissa != 0 => !(1 << 31),
        1151.. => f32::INFINITY.to_bits(),
        exponent @ 873..=896 => narrow_tiny(mantissa, 897 - exponent),
        _ => narrow_easy(magnitude).min(f32::MAX.to_bits()),
    }
}

/// The mantissa of a number below the normal ones of an `f32`, by that many powers of two.
///
/// HDF5 loses the carry when it rounds, and rounds all that is left of the very smallest numbers up.
fn narrow_tiny(mantissa: u64, below: u64) -> u32 {
    if below >= 23 {
        return 1;
    }
    let kept = 23 - below;
    let cut = 52 - kept;
    let rounded = ((mantissa >> (cut - 1)) + 1) >> 1;
    low_half(1 << kept | rounded & ((1 << kept) - 1))
}
