//! Integer to float: rounds to the nearest, and halves to even.

use crate::datatype::{Float, Integer};

use super::Rule;
use super::format::Format;
use crate::number::bits::{self, get, highest, mask};

#[derive(Debug)]
pub(super) struct IntegerToFloat {
    from: Integer,
    to: Format,
}

impl IntegerToFloat {
    pub(super) fn new(from: (usize, &Integer), to: (usize, &Float)) -> Option<Self> {
        let (source, destination) = (from.1, Format::destination(to.0, to.1)?);
        // HDF5 looks at what it cuts off in one 64-bit word, and writes past it if that is too short.
        let fits = source.bits.precision <= destination.mantissa.1 + 64;
        (bits::is_sound(&source.bits, from.0) && fits).then_some(Self { from: *source, to: destination })
    }
}

impl Rule for IntegerToFloat {
    fn convert(&self, source: u128) -> u128 {
        let to = &self.to;
        let precision = self.from.bits.precision;
        let stored = get(source, self.from.bits.offset, precision);
        let negative = self.from.signed && get(stored, precision - 1, 1) == 1;
        let magnitude = if negative { stored.wrapping_neg() & mask(precision) } else { stored };
        let mut result = 0;
        let Some(first) = highest(magnitude) else { return result };
        to.put_sign(&mut result, negative);

        let mut exponent = first as u128 + u128::from(to.bias.unsigned_abs());
        let (mut mantissa, length) =
            if to.implied { (magnitude & !(1 << first), first) } else { (magnitude, first + 1) };
        let room = to.mantissa.1;
        if length > room {
            let cut = length - room;
            let half = get(mantissa, cut - 1, 1) == 1;
            let more = mantissa & mask(cut - 1) != 0;
            let odd = get(mantissa, cut, 1) == 1;
            mantissa >>= cut;
            if half && (more || odd) {
                mantissa += 1;
                if get(mantissa, room, 1) == 1 {
                    exponent += 1;
                    mantissa >>= usize::from(!to.implied);
                }
            }
        } else {
            mantissa <<= room - length;
        }
        // The exponent of what is not a number is not too large for HDF5.
        if exponent > mask(to.exponent.1) {
            exponent = mask(to.exponent.1);
            mantissa = 0;
        }
        to.put_exponent(&mut result, exponent);
        to.put_mantissa(&mut result, mantissa);
        result
    }
}
