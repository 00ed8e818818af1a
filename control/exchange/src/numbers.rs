//! Numbers of any format of HDF5's.

use h5_abi::{H5T_NORM_IMPLIED, H5T_ORDER_BE, H5T_ORDER_LE};
use h5_client::{Bits, Float};

/// The bits of an element as a number, lowest byte first in memory or last. Nothing if there are too many, or the order is
/// another one.
fn raw(bits: &Bits, bytes: &[u8]) -> Option<u128> {
    let mut word = [0_u8; 16];
    let room = word.get_mut(..bytes.len())?;
    room.copy_from_slice(bytes);
    match bits.order {
        H5T_ORDER_LE => {}
        H5T_ORDER_BE => room.reverse(),
        // A single byte has no order.
        _ if bytes.len() == 1 => {}
        _ => return None,
    }
    Some(u128::from_le_bytes(word))
}

/// So many bits, from this one on.
fn field(word: u128, position: usize, size: usize) -> u128 {
    let shifted = u32::try_from(position).ok().and_then(|position| word.checked_shr(position)).unwrap_or(0);
    let mask = if size >= 128 { u128::MAX } else { (1_u128 << size) - 1 };
    shifted & mask
}

/// The bits that count.
pub(crate) fn significant(bits: &Bits, bytes: &[u8]) -> Option<u128> {
    Some(field(raw(bits, bytes)?, bits.offset, bits.precision))
}

/// An integer. Nothing if it is too large for any arithmetic.
pub(crate) fn integer(bits: &Bits, signed: bool, bytes: &[u8]) -> Option<i128> {
    let value = significant(bits, bytes)?;
    if signed && bits.precision > 0 && bits.precision <= 128 && field(value, bits.precision - 1, 1) == 1 {
        let fill = if bits.precision == 128 { 0 } else { u128::MAX << bits.precision };
        return Some((value | fill).cast_signed());
    }
    i128::try_from(value).ok()
}

/// A floating-point number, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    is_negative: bool,
    exponent: u128,
    mantissa: u128,
    is_nan: bool,
    is_zero: bool,
    /// In the order of values: neighbours are neighbours.
    rank: i128,
}

impl Parts {
    pub(crate) fn of(float: &Float, bytes: &[u8]) -> Option<Self> {
        let word = raw(&float.bits, bytes)?;
        let is_negative = field(word, float.sign, 1) == 1;
        let exponent = field(word, float.exponent.0, float.exponent.1);
        let mantissa = field(word, float.mantissa.0, float.mantissa.1);
        let is_special = float.exponent.1 > 0 && exponent == field(u128::MAX, 0, float.exponent.1);
        // With an explicit leading bit, that bit does not make a NaN.
        let fraction = if float.normalization == H5T_NORM_IMPLIED {
            mantissa
        } else {
            field(mantissa, 0, float.mantissa.1.saturating_sub(1))
        };
        let magnitude = u32::try_from(float.mantissa.1).ok().and_then(|size| exponent.checked_shl(size));
        let magnitude = i128::try_from(magnitude.unwrap_or(0) | mantissa).unwrap_or(i128::MAX);
        Some(Self {
            is_negative,
            exponent,
            mantissa,
            is_nan: is_special && fraction != 0,
            is_zero: exponent == 0 && mantissa == 0,
            rank: if is_negative { -magnitude } else { magnitude },
        })
    }

    pub(crate) fn is_nan(self) -> bool {
        self.is_nan
    }

    /// Whether both are the same number. NaN is the same as NaN, and zero as minus zero.
    pub(crate) fn is_same(self, other: Self) -> bool {
        (self.is_nan && other.is_nan)
            || (self.is_zero && other.is_zero)
            || (self.is_negative, self.exponent, self.mantissa)
                == (other.is_negative, other.exponent, other.mantissa)
    }

    /// How many numbers of the format lie between both.
    pub(crate) fn steps(self, other: Self) -> u128 {
        self.rank.abs_diff(other.rank)
    }

    /// As a number of Rust's, rounded if that is necessary.
    #[expect(clippy::cast_precision_loss, reason = "as documented")]
    pub(crate) fn value(self, float: &Float) -> f64 {
        let sign = if self.is_negative { -1.0 } else { 1.0 };
        if self.is_nan {
            return f64::NAN;
        }
        if float.exponent.1 > 0 && self.exponent == field(u128::MAX, 0, float.exponent.1) {
            return sign * f64::INFINITY;
        }
        let size = i32::try_from(float.mantissa.1).unwrap_or(0);
        let is_implied = float.normalization == H5T_NORM_IMPLIED;
        let is_small = self.exponent == 0;
        let leading =
            if is_implied && !is_small && float.mantissa.1 < 127 { 1_u128 << float.mantissa.1 } else { 0 };
        // With an explicit leading bit, the point is behind that.
        let point = if is_implied { size } else { size - 1 };
        let exponent = i64::try_from(self.exponent).unwrap_or(0) - i64::try_from(float.bias).unwrap_or(0);
        let exponent = if is_small { exponent + 1 } else { exponent } - i64::from(point);
        scaled(sign * (leading | self.mantissa) as f64, exponent)
    }
}

/// `number * 2^exponent`, in steps that neither overflow nor vanish too early.
fn scaled(mut number: f64, mut exponent: i64) -> f64 {
    const STEP: i64 = 1000;
    while exponent > STEP && number.is_finite() && number != 0.0 {
        number *= 2_f64.powi(1000);
        exponent -= STEP;
    }
    while exponent < -STEP && number != 0.0 {
        number *= 2_f64.powi(-1000);
        exponent += STEP;
    }
    number * 2_f64.powi(i32::try_from(exponent.clamp(-STEP, STEP)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use h5_abi::{H5T_NORM_MSBSET, H5T_PAD_ZERO, H5T_order_t};

    use super::*;

    fn bits(order: H5T_order_t, precision: usize) -> Bits {
        Bits { order, precision, offset: 0, low_pad: H5T_PAD_ZERO, high_pad: H5T_PAD_ZERO }
    }

    fn double(order: H5T_order_t) -> Float {
        Float {
            bits: bits(order, 64),
            sign: 63,
            exponent: (52, 11),
            bias: 1023,
            mantissa: (0, 52),
            normalization: H5T_NORM_IMPLIED,
            inner_pad: H5T_PAD_ZERO,
        }
    }

    #[test]
    fn integers_of_all_sizes_and_orders() {
        assert_eq!(integer(&bits(H5T_ORDER_LE, 16), true, &[0xfe, 0xff]), Some(-2));
        assert_eq!(integer(&bits(H5T_ORDER_LE, 16), false, &[0xfe, 0xff]), Some(65534));
        assert_eq!(integer(&bits(H5T_ORDER_BE, 32), true, &[0, 0, 1, 2]), Some(258));
        let odd = Bits { offset: 3, ..bits(H5T_ORDER_LE, 5) };
        assert_eq!(integer(&odd, true, &[0b1111_0111]), Some(-2), "the lowest bits do not count");
        assert_eq!(integer(&bits(H5T_ORDER_LE, 128), true, &[0xff; 16]), Some(-1));
        assert_eq!(integer(&bits(H5T_ORDER_LE, 136), false, &[0; 17]), None);
    }

    #[test]
    fn doubles_are_what_rust_says() {
        for number in
            [0.0, -0.0, 1.0, -2.5, 1e300, 1e-300, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY]
        {
            for (order, bytes) in [(H5T_ORDER_LE, number.to_le_bytes()), (H5T_ORDER_BE, number.to_be_bytes())]
            {
                let float = double(order);
                let found = Parts::of(&float, &bytes).unwrap().value(&float);
                assert!(found.to_bits() == number.to_bits(), "{number} {found}");
            }
        }
        let float = double(H5T_ORDER_LE);
        let parts = |number: f64| Parts::of(&float, &number.to_le_bytes()).unwrap();
        assert!(parts(f64::NAN).is_same(parts(-f64::NAN)) && parts(f64::NAN).value(&float).is_nan());
        assert!(parts(0.0).is_same(parts(-0.0)) && !parts(1.0).is_same(parts(-1.0)));
        assert_eq!(parts(1.0).steps(parts(f64::from_bits(1.0_f64.to_bits() + 3))), 3);
        assert_eq!(parts(f64::from_bits(1)).steps(parts(-f64::from_bits(1))), 2);
    }

    #[test]
    fn an_explicit_leading_bit_counts_as_such() {
        // 80 bits of x87: 1.5 is 0x3fff and 0xc000000000000000.
        let float = Float {
            bits: bits(H5T_ORDER_LE, 80),
            sign: 79,
            exponent: (64, 15),
            bias: 16383,
            mantissa: (0, 64),
            normalization: H5T_NORM_MSBSET,
            inner_pad: H5T_PAD_ZERO,
        };
        let mut bytes = [0_u8; 16];
        bytes[7..10].copy_from_slice(&[0xc0, 0xff, 0x3f]);
        assert!((Parts::of(&float, &bytes).unwrap().value(&float) - 1.5).abs() < 1e-15);
        bytes[7..10].copy_from_slice(&[0x80, 0xff, 0x7f]);
        assert!(!Parts::of(&float, &bytes).unwrap().is_nan(), "infinity");
        bytes[7..10].copy_from_slice(&[0xc0, 0xff, 0x7f]);
        assert!(Parts::of(&float, &bytes).unwrap().is_nan());
    }
}
