//! Halves: the compiler's `_Float16`, as x86 processors have it.
//!
//! Without instructions of their own, halves become an `f32` or come from one; only from an `f64` there is a direct
//! way, so that nothing is rounded twice. From integers nothing can be: those in range are exact as an `f32`.

use super::hard::Hard;
use super::typed::Machine;

/// The bits of a half.
#[derive(Clone, Copy)]
pub(super) struct Half(u16);

impl Machine for Half {
    type Bytes = [u8; 2];

    fn read(bytes: Self::Bytes) -> Self {
        Self(u16::from_ne_bytes(bytes))
    }

    fn bytes(self) -> Self::Bytes {
        self.0.to_ne_bytes()
    }

    fn all(bytes: &[u8]) -> &[Self::Bytes] {
        bytes.as_chunks().0
    }

    fn all_mut(bytes: &mut [u8]) -> &mut [Self::Bytes] {
        bytes.as_chunks_mut().0
    }
}

/// The exponent of infinite halves, and of what is not a number.
const INFINITE: u16 = 0x7c00;
/// The first bit of the mantissa of all that is not a number, once it went through a conversion.
const QUIET: u16 = 0x0200;
/// Above this, HDF5 does not leave it to the compiler: it is infinite, even where it would be rounded down.
const LARGEST: u16 = 65504;

impl Half {
    fn is_finite(self) -> bool {
        self.0 & INFINITE != INFINITE
    }
}

impl Hard<Self> for Half {
    fn hard(self) -> Self {
        self
    }
}

impl Hard<f32> for Half {
    #[inline]
    fn hard(self) -> f32 {
        /// What exponents differ by for the same number.
        const BIAS: u32 = (127 - 15) << 23;
        /// The smallest normal half.
        const NORMAL: u32 = (127 - 14) << 23;
        let sign = u32::from(self.0 & 0x8000) << 16;
        let magnitude = u32::from(self.0 & 0x7fff) << 13;
        let is_number = magnitude <= u32::from(INFINITE) << 13;
        let special =
            f32::INFINITY.to_bits() | magnitude | if is_number { 0 } else { u32::from(QUIET) << 13 };
        // Below the normal numbers the mantissa counts from zero and not from the smallest normal number.
        let tiny = (f32::from_bits(NORMAL + magnitude) - f32::from_bits(NORMAL)).to_bits();
        let bits = if !self.is_finite() {
            special
        } else if magnitude < 1 << 23 {
            tiny
        } else {
            magnitude + BIAS
        };
        f32::from_bits(sign | bits)
    }
}

impl Hard<f64> for Half {
    #[inline]
    fn hard(self) -> f64 {
        let single: f32 = self.hard();
        single.into()
    }
}

macro_rules! from_float {
    ($($source:ident, $bits:ident: mantissa $mantissa:literal, bias $bias:literal;)*) => { $(
        impl Hard<Half> for $source {
            /// Rounds to the nearest, and halves to even.
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_lossless,
                reason = "what is left fits a half"
            )]
            fn hard(self) -> Half {
                /// Bits of the mantissa that a half has not.
                const EXCESS: u32 = $mantissa - 10;
                /// What exponents differ by for the same number.
                const BIAS: $bits = ($bias - 15) << $mantissa;
                /// The smallest normal half.
                const NORMAL: $bits = ($bias - 14) << $mantissa;
                /// The last bit of its mantissa is worth as much as that of the halves below the normal ones.
                const ALIGNED: $source = $source::from_bits(($bias + $mantissa - 24) << $mantissa);
                let sign = (self.to_bits() >> ($bits::BITS - 16)) as u16 & 0x8000;
                let magnitude = self.to_bits() & ($bits::MAX >> 1);
                let odd = (magnitude >> EXCESS) & 1;
                let normal = magnitude.wrapping_sub(BIAS).wrapping_add((1 << (EXCESS - 1)) - 1 + odd) >> EXCESS;
                let tiny = ($source::from_bits(magnitude) + ALIGNED).to_bits().wrapping_sub(ALIGNED.to_bits());
                let not_a_number = INFINITE | QUIET | (magnitude >> EXCESS) as u16 & 0x3ff;
                Half(sign | if magnitude > $source::INFINITY.to_bits() {
                    not_a_number
                } else if magnitude > (LARGEST as $source).to_bits() {
                    INFINITE
                } else if magnitude < NORMAL {
                    tiny as u16
                } else {
                    normal as u16
                })
            }
        }
    )* };
}

from_float! {
    f32, u32: mantissa 23, bias 127;
    f64, u64: mantissa 52, bias 1023;
}

macro_rules! from_integer {
    ($($source:ty)*) => { $(
        impl Hard<Half> for $source {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_possible_wrap,
                clippy::cast_lossless,
                clippy::cast_precision_loss,
                reason = "clamped to what both have"
            )]
            fn hard(self) -> Half {
                /// The first integer that becomes infinite.
                const BEYOND: i128 = LARGEST as i128 + 1;
                const LOW: i128 =
                    if (<$source>::MIN as i128) < -BEYOND { -BEYOND } else { <$source>::MIN as i128 };
                const HIGH: i128 =
                    if <$source>::MAX as i128 > BEYOND { BEYOND } else { <$source>::MAX as i128 };
                (self.clamp(LOW as $source, HIGH as $source) as i32 as f32).hard()
            }
        }
    )* };
}

from_integer!(i8 u8 i16 u16 i32 u32 i64 u64);

/// HDF5 looks whether halves fit these, as it does for other floats.
macro_rules! to_checked_integer {
    ($($destination:ty)*) => { $(
        impl Hard<$destination> for Half {
            #[inline]
            fn hard(self) -> $destination {
                let single: f32 = self.hard();
                single.hard()
            }
        }
    )* };
}

to_checked_integer!(i8 u8);

impl Hard<i16> for Half {
    /// As for those, but the largest integer is 32768 as a half, and that does not count as too large.
    #[inline]
    fn hard(self) -> i16 {
        /// 32768.
        const JUST_ABOVE: u16 = 0x7800;
        let single: f32 = self.hard();
        if self.0 == JUST_ABOVE { i16::MIN } else { single.hard() }
    }
}

/// HDF5 takes it for granted that halves fit the larger types, whatever their sign. For negative numbers, unsigned
/// types get the low bits of a signed integer.
macro_rules! to_integer {
    ($($destination:ty: $positive:expr, $others:expr;)*) => { $(
        impl Hard<$destination> for Half {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_lossless,
                reason = "the low bits are what is asked for"
            )]
            fn hard(self) -> $destination {
                let single: f32 = self.hard();
                if self.is_finite() {
                    single as i32 as $destination
                } else if self.0 == INFINITE {
                    $positive
                } else {
                    $others
                }
            }
        }
    )* };
}

// What infinity becomes, and negative infinity and what is not a number.
to_integer! {
    u16: 0, 0;
    i32: i32::MIN, i32::MIN;
    u32: 0, 0;
    i64: i64::MIN, i64::MIN;
    u64: 0, 1 << 63;
}
