//! Float to integer: cuts the fraction off.
//!
//! What does not fit becomes the nearest that does, and what is not a number zero. Negative numbers nearer to zero
//! than -0.5 count as too small to fit.

use crate::datatype::{Float, Integer};

use super::Rule;
use super::format::{Format, Special};
use crate::number::bits::{self, fill, get, highest, mask, put};

#[derive(Debug)]
pub(super) struct FloatToInteger {
    from: Format,
    to: Integer,
    /// Bits of the number that HDF5 shifts.
    width: usize,
}

impl FloatToInteger {
    pub(super) fn new(from: (usize, &Float), to: (usize, &Integer)) -> Option<Self> {
        let source = Format::source(from.0, from.1)?;
        if !bits::is_sound(&to.1.bits, to.0) {
            return None;
        }
        let precision = to.1.bits.precision;
        let width = if precision / 8 > from.0 { precision.next_multiple_of(8) } else { 8 * from.0 };
        // With less, HDF5 reads what is behind it.
        (precision <= width).then_some(Self { from: source, to: *to.1, width })
    }

    /// The largest number.
    fn fill_largest(&self, result: &mut u128) {
        let bits = &self.to.bits;
        fill(result, bits.offset, bits.precision - usize::from(self.to.signed), true);
    }

    /// A number that is neither zero nor infinite nor not a number.
    fn regular(&self, source: u128) -> u128 {
        let (from, bits) = (&self.from, &self.to.bits);
        let (position, size) = from.mantissa;
        let stored = from.stored_exponent(source);
        let exponent =
            if stored == 0 || !from.implied { stored - (from.bias - 1) } else { stored - from.bias };
        // Also where it is zero in truth: the number is too small for that to matter.
        let mantissa = get(source, position, size) | u128::from(from.implied) << size;
        let mut result = 0;
        let Some(first) = highest(mantissa & mask(from.precision)) else { return result };
        let shift = exponent - i64::try_from(size).unwrap_or(i64::MAX);
        let shifted = match usize::try_from(shift.unsigned_abs()) {
            Ok(distance) if distance >= self.width => 0,
            Ok(distance) if shift >= 0 => mantissa << distance & mask(self.width),
            Ok(distance) => mantissa >> distance,
            Err(_) => 0,
        };
        let first = i64::try_from(first).unwrap_or(i64::MAX).saturating_add(shift);
        if first == -1 {
            return result;
        }
        let value_bits = i64::try_from(bits.precision - usize::from(self.to.signed)).unwrap_or(i64::MAX);
        if from.is_negative(source) {
            if self.to.signed && (0..value_bits).contains(&first) {
                put(&mut result, bits.offset, bits.precision, shifted.wrapping_neg());
            } else if self.to.signed {
                fill(&mut result, bits.offset + bits.precision - 1, 1, true);
            }
        } else if first >= value_bits {
            self.fill_largest(&mut result);
        } else if first >= 0 {
            put(&mut result, bits.offset, bits.precision, shifted);
        }
        result
    }
}

impl Rule for FloatToInteger {
    fn convert(&self, source: u128) -> u128 {
        let mut result = 0;
        match self.from.special(source) {
            None => return self.regular(source),
            Some(Special::Infinite) if !self.from.is_negative(source) => self.fill_largest(&mut result),
            Some(Special::Infinite) if self.to.signed => {
                // Without the offset, which makes it another number if there is one.
                fill(&mut result, self.to.bits.precision - 1, 1, true);
            }
            Some(Special::Infinite | Special::Zero | Special::NotANumber) => {}
        }
        result
    }
}
