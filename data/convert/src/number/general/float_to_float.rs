//! Float to float.
//!
//! Rounds to the nearest, and halves up; but never up to infinity. Below the normal numbers of the destination
//! rounding loses its carry, and the last bit before zero is always rounded up.
//!
//! These are the rules of HDF5 2, and of 1.14 as long as normal numbers need not be rounded.

use crate::datatype::Float;

use super::Rule;
use super::format::{Format, Special};
use crate::number::bits::{get, highest, mask, put};

#[derive(Debug)]
pub(super) struct FloatToFloat {
    from: Format,
    to: Format,
}

impl FloatToFloat {
    pub(super) fn new(from: (usize, &Float), to: (usize, &Float)) -> Option<Self> {
        let source = Format::source(from.0, from.1)?;
        // HDF5 1.14 uses what it had for the element before when a mantissa without its first bit set turns up.
        source.implied.then_some(Self { from: source, to: Format::destination(to.0, to.1)? })
    }

    /// A number that is neither zero nor infinite nor not a number.
    fn regular(&self, mut source: u128) -> u128 {
        let (from, to) = (&self.from, &self.to);
        let (from_position, from_size) = from.mantissa;
        let (to_position, to_size) = to.mantissa;
        let largest = (1_i64 << to.exponent.1) - 1;
        let mut result = 0;
        to.put_sign(&mut result, from.is_negative(source));

        // The bits of the mantissa below the first one that is set, stored or implied, and its true exponent.
        let mut exponent = from.stored_exponent(source);
        let mut denormal = exponent == 0;
        let mut size = from_size;
        if denormal {
            let first = highest(get(source, from_position, from_size)).unwrap_or(0);
            exponent -= from.bias - 1 + length(from_size) - length(first);
            size = first;
            if first == 0 {
                size = 1;
                put(&mut source, from_position, 1, 0);
            }
        } else {
            exponent -= from.bias;
        }

        // How far to shift the mantissa for the exponents that the destination has.
        let mut shift = usize::from(!to.implied);
        exponent += to.bias;
        if exponent < -length(to_size) {
            exponent = 0;
            size = 0;
        } else if exponent <= 0 {
            shift += usize::try_from(1 - exponent).unwrap_or(usize::MAX);
            exponent = 0;
            denormal = true;
        } else if exponent >= largest {
            exponent = largest;
            size = 0;
        }

        let mut carry = false;
        if size > 0 && shift <= to_size && shift + size > to_size {
            let cut = shift + size - to_size;
            let (position, kept) = (from_position + cut - 1, 1 + size - cut);
            let value = get(source, position, kept);
            let half = value & 1 == 1;
            let all_ones = value == mask(kept);
            if half && (denormal || !all_ones || exponent < largest - 1) {
                put(&mut source, position, kept, value + 1);
                carry = all_ones && !denormal;
            }
        }

        // What stands before the mantissa: one, or two after a carry.
        let leading = if carry { 2 } else { 1 };
        let mut mantissa = 0;
        if shift == to_size + 1 {
            mantissa = 1;
        } else if shift == to_size {
            mantissa = leading;
        } else if shift < to_size {
            let room = to_size - shift;
            if shift > 0 {
                // May reach one bit beyond the mantissa, where the exponent is written later.
                mantissa = leading << room;
            }
            let value = get(source, from_position, size);
            mantissa |= if size >= room { value >> (size - room) } else { value << (room - size) };
        }
        put(&mut result, to_position, to_size, mantissa);

        if carry {
            exponent += 1;
            if exponent >= largest {
                exponent = largest;
                put(&mut result, to_position, to_size, 0);
            }
        }
        to.put_exponent(&mut result, u128::try_from(exponent).unwrap_or(0));
        result
    }
}

impl Rule for FloatToFloat {
    fn convert(&self, source: u128) -> u128 {
        let Some(special) = self.from.special(source) else { return self.regular(source) };
        let to = &self.to;
        let mut result = 0;
        to.put_sign(&mut result, self.from.is_negative(source));
        match special {
            Special::Zero => {}
            Special::Infinite => {
                to.put_exponent(&mut result, u128::MAX);
                to.put_mantissa(&mut result, if to.implied { 0 } else { 1 << (to.mantissa.1 - 1) });
            }
            Special::NotANumber => {
                to.put_exponent(&mut result, u128::MAX);
                to.put_mantissa(&mut result, u128::MAX);
            }
        }
        result
    }
}

/// A number of bits, for arithmetic with exponents.
fn length(bits: usize) -> i64 {
    i64::try_from(bits).unwrap_or(i64::MAX)
}
