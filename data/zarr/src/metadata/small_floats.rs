//! Floats of two bytes: to and from those of eight, rounding to the nearest.

/// How a float of two bytes is divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Small {
    exponent_bits: u32,
    mantissa_bits: u32,
}

/// IEEE's half precision.
pub(crate) const HALF: Small = Small { exponent_bits: 5, mantissa_bits: 10 };
/// The upper half of a float of four bytes.
pub(crate) const BFLOAT: Small = Small { exponent_bits: 8, mantissa_bits: 7 };

const MANTISSA_64: u32 = 52;
const BIAS_64: i32 = 1023;

impl Small {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn infinity(self) -> u16 {
        let ones = (1_u32 << self.exponent_bits) - 1;
        u16::try_from(ones << self.mantissa_bits).unwrap_or(0x7c00)
    }

    /// NaN as others write it.
    pub(crate) fn nan(self) -> u16 {
        self.infinity() | 1 << (self.mantissa_bits - 1)
    }

    #[cfg(test)]
    fn is_nan(self, bits: u16) -> bool {
        bits & 0x7fff > self.infinity()
    }

    /// The float as one of eight bytes, which is exact.
    pub(crate) fn widen(self, bits: u16) -> f64 {
        let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
        let exponent = i32::from((bits & self.infinity()) >> self.mantissa_bits);
        let mantissa = f64::from(bits & ((1 << self.mantissa_bits) - 1));
        let scale = i32::try_from(self.mantissa_bits).unwrap_or(0);
        if bits & self.infinity() == self.infinity() {
            return if mantissa > 0.0 { f64::NAN } else { sign * f64::INFINITY };
        }
        if exponent == 0 {
            return sign * mantissa * 2_f64.powi(1 - self.bias() - scale);
        }
        sign * (mantissa + 2_f64.powi(scale)) * 2_f64.powi(exponent - self.bias() - scale)
    }

    /// The nearest float of two bytes; of two that are equally near the even one.
    pub(crate) fn narrow(self, value: f64) -> u16 {
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        if value.is_nan() {
            return sign | self.nan();
        }
        let bits = value.abs().to_bits();
        let exponent = i32::try_from(bits >> MANTISSA_64).unwrap_or(0) - BIAS_64;
        if value == 0.0 || exponent < -BIAS_64 + 1 {
            return sign;
        }
        let mantissa = bits & ((1 << MANTISSA_64) - 1) | 1 << MANTISSA_64;
        let least = 1 - self.bias();
        // Bits that are lost: more where the result has a smaller exponent than can be written.
        let denormal = u32::try_from(least - exponent).unwrap_or(0);
        let lost = (MANTISSA_64 - self.mantissa_bits).saturating_add(denormal);
        if lost > MANTISSA_64 + 1 {
            return sign;
        }
        let kept = mantissa >> lost;
        let (rest, half) = (mantissa & ((1 << lost) - 1), 1_u64 << (lost - 1));
        let up = u64::from(rest > half || rest == half && kept & 1 == 1);
        // The bit before the mantissa adds one to the exponent, and so does a carry.
        let before = u64::try_from((exponent - least).max(0)).unwrap_or(0) << self.mantissa_bits;
        let result = before + kept + up;
        sign | u16::try_from(result.min(u64::from(self.infinity()))).unwrap_or_else(|_| self.infinity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_come_back() {
        for small in [HALF, BFLOAT] {
            for bits in 0..=u16::MAX {
                if small.is_nan(bits) {
                    assert!(small.widen(bits).is_nan());
                } else {
                    assert_eq!(small.narrow(small.widen(bits)), bits, "{bits:#x}");
                }
            }
        }
    }

    #[test]
    fn rounding_is_to_the_nearest_and_to_even() {
        for small in [HALF, BFLOAT] {
            for bits in 0..small.infinity() - 1 {
                let (low, high) = (small.widen(bits), small.widen(bits + 1));
                let middle = f64::midpoint(low, high);
                assert_eq!(small.narrow(middle), bits + (bits & 1), "{bits:#x}");
                assert_eq!(small.narrow(middle.next_down()), bits);
                assert_eq!(small.narrow(middle.next_up()), bits + 1);
            }
            assert_eq!(small.narrow(1e300), small.infinity());
        }
        assert_eq!(HALF.widen(0x3c00).to_bits(), 1_f64.to_bits());
        assert_eq!(BFLOAT.widen(0x3f80).to_bits(), 1_f64.to_bits());
        assert_eq!(HALF.nan(), 0x7e00);
    }
}
