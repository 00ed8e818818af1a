//! Where the parts of a float are.

use crate::datatype::{Float, Normalization, Order};

use crate::number::bits::{WORD, get, mask, put};

/// A float of a format that conversions can rely on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    pub(super) precision: usize,
    pub(super) sign: usize,
    pub(super) exponent: (usize, usize),
    pub(super) mantissa: (usize, usize),
    pub(super) bias: i64,
    /// The first bit of the mantissa is not stored.
    pub(super) implied: bool,
}

/// Values with a meaning of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Zero,
    Infinite,
    NotANumber,
}

impl Format {
    /// The format of a source.
    pub(super) fn source(size: usize, float: &Float) -> Option<Self> {
        // HDF5 swaps the pairs of bytes of a VAX float by halves, which only works out for these sizes.
        let known_order = float.bits.order != Order::Vax || matches!(size, 4 | 8 | 16);
        Self::new(size, float).filter(|_| known_order)
    }

    /// The format of a destination. Its parts make up all of its bits: HDF5 does not touch others, and then what
    /// was in its buffer shows through.
    pub(super) fn destination(size: usize, float: &Float) -> Option<Self> {
        let format = Self::new(size, float)?;
        let part = |(position, size)| mask(size) << position;
        let (sign, exponent, mantissa) =
            (part((format.sign, 1)), part(format.exponent), part(format.mantissa));
        let disjoint = sign & exponent | sign & mantissa | exponent & mantissa == 0;
        let all = sign | exponent | mantissa == part((float.bits.offset, float.bits.precision));
        // A carry may reach the bit above the mantissa, where the exponent follows, or padding: not the sign.
        let carry_is_lost = format.sign != format.mantissa.0 + format.mantissa.1;
        (disjoint && all && carry_is_lost && float.bits.order != Order::Vax).then_some(format)
    }

    fn new(size: usize, float: &Float) -> Option<Self> {
        let fits = |(position, length): (usize, usize)| {
            length > 0 && position.checked_add(length).is_some_and(|end| end <= 8 * size)
        };
        let implied = match float.normalization {
            Normalization::Implied => true,
            Normalization::None => false,
            Normalization::MsbSet => return None,
        };
        let sound = size <= WORD
            && fits((float.bits.offset, float.bits.precision))
            && fits((float.sign, 1))
            && fits(float.exponent)
            && fits(float.mantissa)
            && float.mantissa.0 + float.mantissa.1 < 8 * size
            && float.exponent.1 < 32
            && float.mantissa.1 > 1;
        sound.then_some(Self {
            precision: float.bits.precision,
            sign: float.sign,
            exponent: float.exponent,
            mantissa: float.mantissa,
            bias: i64::from(u32::try_from(float.bias).ok()?),
            implied,
        })
    }

    /// Whether the sign is that of a negative number.
    pub(super) fn is_negative(&self, word: u128) -> bool {
        get(word, self.sign, 1) == 1
    }

    pub(super) fn special(&self, word: u128) -> Option<Special> {
        let exponent = get(word, self.exponent.0, self.exponent.1);
        let mantissa = get(word, self.mantissa.0, self.mantissa.1);
        let all_ones = exponent == mask(self.exponent.1);
        // Where it is stored, the first bit of the mantissa is set in an infinite number.
        let infinite = mantissa == 0 || !self.implied && mantissa & mask(self.mantissa.1 - 1) == 0;
        match (mantissa, exponent) {
            (0, 0) => Some(Special::Zero),
            _ if all_ones && infinite => Some(Special::Infinite),
            _ if all_ones => Some(Special::NotANumber),
            _ => None,
        }
    }

    /// The exponent as it is stored.
    pub(super) fn stored_exponent(&self, word: u128) -> i64 {
        i64::try_from(get(word, self.exponent.0, self.exponent.1)).unwrap_or(i64::MAX)
    }

    pub(super) fn put_sign(&self, word: &mut u128, negative: bool) {
        put(word, self.sign, 1, u128::from(negative));
    }

    pub(super) fn put_exponent(&self, word: &mut u128, exponent: u128) {
        put(word, self.exponent.0, self.exponent.1, exponent);
    }

    pub(super) fn put_mantissa(&self, word: &mut u128, mantissa: u128) {
        put(word, self.mantissa.0, self.mantissa.1, mantissa);
    }
}
