//! What the C compiler makes of a cast between its types, with HDF5's checks for overflow before it.

use super::half::Half;
use super::native::Native;
use super::typed::{Machine, Routine, each};

/// The cast from one type to another.
pub(super) trait Hard<D> {
    fn hard(self) -> D;
}

/// What a cast gives where C does not say what: HDF5 does not look at NaN before it casts, and it takes the largest
/// integer for too large a float only if the float is above the largest integer *as a float*. That may have been
/// rounded up, and then is out of range itself. What follows depends on the processor's instructions.
trait Undefined {
    const NOT_A_NUMBER: Self;
    /// For the power of two just above the largest integer.
    const JUST_ABOVE: Self;
}

macro_rules! undefined {
    ($($type:ty: $not_a_number:expr, $just_above:expr;)*) => { $(
        impl Undefined for $type {
            // Processors other than x86 give zero, and the nearest integer, as Rust does.
            const NOT_A_NUMBER: Self = if cfg!(target_arch = "x86_64") { $not_a_number } else { 0 };
            const JUST_ABOVE: Self = if cfg!(target_arch = "x86_64") { $just_above } else { Self::MAX };
        }
    )* };
}

// One bit pattern stands for all errors, that of the smallest 32-bit or 64-bit integer. The unsigned types have no
// instruction of their own: the 32-bit one takes the low half of a 64-bit integer, and the 64-bit one subtracts 2^63
// first when the number is that large.
undefined! {
    i32: i32::MIN, i32::MIN;
    u32: 0, 0;
    i64: i64::MIN, i64::MIN;
    u64: 1 << 63, 0;
}

macro_rules! from_integers {
    ($($source:ty)*) => { $(
        from_integer!($source: i8 u8 i16 u16 i32 u32 i64 u64);
        from_integer!($source as f32 f64);
    )* };
}

macro_rules! from_integer {
    ($source:ty: $($destination:ty)*) => { $(
        impl Hard<$destination> for $source {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_possible_wrap,
                clippy::cast_lossless,
                reason = "clamped to what both have"
            )]
            fn hard(self) -> $destination {
                const LOW: i128 = if (<$source>::MIN as i128) < <$destination>::MIN as i128 {
                    <$destination>::MIN as i128
                } else {
                    <$source>::MIN as i128
                };
                const HIGH: i128 = if (<$source>::MAX as i128) > <$destination>::MAX as i128 {
                    <$destination>::MAX as i128
                } else {
                    <$source>::MAX as i128
                };
                self.clamp(LOW as $source, HIGH as $source) as $destination
            }
        }
    )* };
    ($source:ty as $($destination:ty)*) => { $(
        impl Hard<$destination> for $source {
            #[inline]
            #[allow(
                clippy::cast_precision_loss,
                clippy::cast_lossless,
                reason = "rounding is what is asked for"
            )]
            fn hard(self) -> $destination {
                self as $destination
            }
        }
    )* };
}

macro_rules! float_to_integer {
    ($source:ty: $($destination:ty)*) => { $(
        impl Hard<$destination> for $source {
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                clippy::float_cmp,
                clippy::cast_lossless,
                reason = "what does not fit is looked at"
            )]
            fn hard(self) -> $destination {
                const LARGEST: $source = <$destination>::MAX as $source;
                const IS_ROUNDED_UP: bool = LARGEST as u128 > <$destination>::MAX as u128;
                let nearest = self as $destination;
                if self.is_nan() {
                    <$destination>::NOT_A_NUMBER
                } else if IS_ROUNDED_UP && self == LARGEST {
                    <$destination>::JUST_ABOVE
                } else {
                    nearest
                }
            }
        }
    )* };
}

/// Integers that have no instruction of their own: what is not a number is zero for all processors.
macro_rules! float_to_short_integer {
    ($source:ty: $($destination:ty)*) => { $(
        impl Hard<$destination> for $source {
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
            fn hard(self) -> $destination {
                (self as i32).clamp(<$destination>::MIN.into(), <$destination>::MAX.into()) as $destination
            }
        }
    )* };
}

from_integers!(i8 u8 i16 u16 i32 u32 i64 u64);
float_to_short_integer!(f32: i8 u8 i16 u16);
float_to_short_integer!(f64: i8 u8 i16 u16);
float_to_integer!(f32: i32 u32 i64 u64);
float_to_integer!(f64: i32 u32 i64 u64);

impl Hard<Self> for f32 {
    fn hard(self) -> Self {
        self
    }
}

impl Hard<Self> for f64 {
    fn hard(self) -> Self {
        self
    }
}

impl Hard<f64> for f32 {
    #[inline]
    fn hard(self) -> f64 {
        f64::from(self)
    }
}

impl Hard<f32> for f64 {
    /// What is above the largest float is infinite, even where it would be rounded down to it.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
    fn hard(self) -> f32 {
        if self > Self::from(f32::MAX) {
            f32::INFINITY
        } else if self < Self::from(f32::MIN) {
            f32::NEG_INFINITY
        } else {
            self as f32
        }
    }
}

/// The loop from one type to another, if we know what it gives on this processor.
pub(super) fn routine(from: Native, to: Native) -> Option<Routine> {
    if (from == Native::F16 || to == Native::F16) && !cfg!(target_arch = "x86_64") {
        return None;
    }
    let from_float = matches!(from, Native::F32 | Native::F64);
    let to_float = matches!(to, Native::F32 | Native::F64);
    if from_float && !to_float && !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return None;
    }
    Some(match from {
        Native::I8 => routine_from::<i8>(to),
        Native::U8 => routine_from::<u8>(to),
        Native::I16 => routine_from::<i16>(to),
        Native::U16 => routine_from::<u16>(to),
        Native::I32 => routine_from::<i32>(to),
        Native::U32 => routine_from::<u32>(to),
        Native::I64 => routine_from::<i64>(to),
        Native::U64 => routine_from::<u64>(to),
        Native::F16 => routine_from::<Half>(to),
        Native::F32 => routine_from::<f32>(to),
        Native::F64 => routine_from::<f64>(to),
    })
}

fn routine_from<S>(to: Native) -> Routine
where
    S: Machine + Hard<i8> + Hard<u8> + Hard<i16> + Hard<u16> + Hard<i32> + Hard<u32>,
    S: Hard<i64> + Hard<u64> + Hard<Half> + Hard<f32> + Hard<f64>,
{
    match to {
        Native::I8 => cast::<S, i8>,
        Native::U8 => cast::<S, u8>,
        Native::I16 => cast::<S, i16>,
        Native::U16 => cast::<S, u16>,
        Native::I32 => cast::<S, i32>,
        Native::U32 => cast::<S, u32>,
        Native::I64 => cast::<S, i64>,
        Native::U64 => cast::<S, u64>,
        Native::F16 => cast::<S, Half>,
        Native::F32 => cast::<S, f32>,
        Native::F64 => cast::<S, f64>,
    }
}

fn cast<S: Machine + Hard<D>, D: Machine>(source: &[u8], destination: &mut [u8]) {
    each(source, destination, S::hard);
}
