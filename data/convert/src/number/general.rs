//! The soft way for numbers of any format of at most 16 bytes, one element at a time.
//!
//! These follow HDF5's own steps closely, because what they make of odd formats and odd values is the result of the
//! steps and of no rule. Formats for which a result would depend on what is around the element have no kernel.

mod float_to_float;
mod float_to_integer;
mod format;
mod integer_to_float;
mod table;

use crate::conversion::Kernel;
use crate::datatype::{Bits, Class, Datatype, Order, Pad};

use super::bits::{self, Padding, get, highest, mask, put};
use float_to_float::FloatToFloat;
use float_to_integer::FloatToInteger;
use integer_to_float::IntegerToFloat;

/// The soft kernel from one type to another.
pub(super) fn kernel(from: &Datatype, to: &Datatype) -> Option<Box<dyn Kernel>> {
    let kernel = by_rule(from, to)?;
    if from.size <= table::LARGEST { Some(table::kernel(kernel, from.size, to.size)) } else { Some(kernel) }
}

fn by_rule(from: &Datatype, to: &Datatype) -> Option<Box<dyn Kernel>> {
    let elements =
        Elements { from: from.size, to: to.size, from_order: Order::Little, to_order: Order::Little };
    match (&from.class, &to.class) {
        (Class::Integer(source), Class::Integer(destination)) => {
            let rule = Clamp {
                source: source.bits,
                source_signed: source.signed,
                destination: destination.bits,
                destination_signed: destination.signed,
            };
            (bits::is_sound(&source.bits, from.size) && bits::is_sound(&destination.bits, to.size))
                .then(|| elements.kernel(rule, &source.bits, &destination.bits))
        }
        (Class::Bitfield(source), Class::Bitfield(destination)) => {
            let padded = destination.low_pad != Pad::Background && destination.high_pad != Pad::Background;
            let rule = CopyBits { source: *source, destination: *destination };
            (padded && bits::is_sound(source, from.size) && bits::is_sound(destination, to.size))
                .then(|| elements.kernel(rule, source, destination))
        }
        (Class::Integer(source), Class::Float(destination)) => {
            let rule = IntegerToFloat::new((from.size, source), (to.size, destination))?;
            Some(elements.kernel(rule, &source.bits, &destination.bits))
        }
        (Class::Float(source), Class::Integer(destination)) => {
            let rule = FloatToInteger::new((from.size, source), (to.size, destination))?;
            Some(elements.kernel(rule, &source.bits, &destination.bits))
        }
        (Class::Float(source), Class::Float(destination)) => {
            let rule = FloatToFloat::new((from.size, source), (to.size, destination))?;
            Some(elements.kernel(rule, &source.bits, &destination.bits))
        }
        _ => None,
    }
}

/// What one element becomes. Bits of the result that the destination does not use do not matter.
trait Rule: core::fmt::Debug + Send + Sync + 'static {
    fn convert(&self, source: u128) -> u128;
}

/// Where elements are.
#[derive(Debug, Clone, Copy)]
struct Elements {
    from: usize,
    to: usize,
    from_order: Order,
    to_order: Order,
}

impl Elements {
    fn kernel(self, rule: impl Rule, source: &Bits, destination: &Bits) -> Box<dyn Kernel> {
        let elements = Self { from_order: source.order, to_order: destination.order, ..self };
        Box::new(ByRule { rule, elements, padding: Padding::new(destination, self.to) })
    }
}

#[derive(Debug)]
struct ByRule<R> {
    rule: R,
    elements: Elements,
    padding: Padding,
}

impl<R: Rule> Kernel for ByRule<R> {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let Elements { from, to, from_order, to_order } = self.elements;
        for (source, destination) in source.chunks_exact(from).zip(destination.chunks_exact_mut(to)) {
            let result = self.rule.convert(bits::read(source, from_order));
            bits::write(self.padding.apply(result), destination, to_order);
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// Integer to integer: what does not fit becomes the nearest that does.
#[derive(Debug)]
struct Clamp {
    source: Bits,
    source_signed: bool,
    destination: Bits,
    destination_signed: bool,
}

impl Rule for Clamp {
    fn convert(&self, source: u128) -> u128 {
        let precision = self.source.precision;
        let value = get(source, self.source.offset, precision);
        let negative = self.source_signed && get(value, precision - 1, 1) == 1;
        let value_bits = self.destination.precision - usize::from(self.destination_signed);
        let result = if negative {
            // The bits above those that tell negative numbers apart are all set.
            let extended = value | !mask(precision);
            match highest(!extended) {
                _ if !self.destination_signed => 0,
                Some(zero) if zero >= value_bits => 1 << value_bits,
                _ => extended,
            }
        } else if highest(value).is_some_and(|one| one >= value_bits) {
            mask(value_bits)
        } else {
            value
        };
        let mut element = 0;
        put(&mut element, self.destination.offset, self.destination.precision, result);
        element
    }
}

/// Bitfield to bitfield: as many of the low bits as there are on both sides.
#[derive(Debug)]
struct CopyBits {
    source: Bits,
    destination: Bits,
}

impl Rule for CopyBits {
    fn convert(&self, source: u128) -> u128 {
        let value = get(source, self.source.offset, self.source.precision);
        let mut element = 0;
        put(&mut element, self.destination.offset, self.destination.precision, value);
        element
    }
}
