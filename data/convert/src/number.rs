//! Integers, floats, bitfields and complex numbers.
//!
//! HDF5 has several ways to convert numbers, and they differ in more than speed. Which one it takes depends on the
//! two types only, so we follow the same choice:
//!
//! 1. The same type on both sides: nothing to do.
//! 2. *Hard*: both are types of the C compiler that built HDF5. A cast, with checks for overflow.
//! 3. *Order*: same class, same size, no offset, opposite byte order. The bytes are swapped, and nothing else is
//!    looked at. Two integers need not even agree about the sign: big-endian -1 read as a little-endian unsigned
//!    number is the largest one, although with equal byte orders it is zero.
//! 4. *Soft*: everything else, bit by bit. Rounding, overflow and what is not a number are not what the hard way
//!    makes of them.

mod bits;
mod complex;
mod general;
mod half;
mod hard;
mod native;
mod order;
mod soft;
mod typed;

use crate::conversion::Kernel;
use crate::datatype::{Class, Datatype, Float, Normalization, Order};
use crate::host::HostTraits;

use native::{Known, Native};
use typed::Typed;

/// The kernel between two types that are not made of other types (save for complex numbers).
pub(crate) fn kernel(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    if from.size == 0 || to.size == 0 {
        return None;
    }
    if from == to {
        return Some(Box::new(order::Copy));
    }
    if let (Some(source), Some(destination)) = (Known::of(from), Known::of(to)) {
        match hard(source, destination, host) {
            Hard::Kernel(kernel) => return Some(kernel),
            Hard::Unknown => return None,
            Hard::No => {}
        }
    }
    if only_order_differs(from, to) {
        return Some(order::swap(from.size));
    }
    match (&from.class, &to.class) {
        (Class::Complex(_), _) | (_, Class::Complex(_)) => complex::kernel(from, to, host),
        _ => soft(from, to, host),
    }
}

/// What the hard way has for two types.
enum Hard {
    Kernel(Box<dyn Kernel>),
    /// Not all builds of HDF5 have the same, or it leaves bytes of the destination as they were.
    Unknown,
    No,
}

fn hard(from: Known, to: Known, host: HostTraits) -> Hard {
    let of_compiler =
        |side: Known| side.order == Order::MEMORY && (side.native != Some(Native::F16) || host.native_half);
    if !of_compiler(from) || !of_compiler(to) {
        return Hard::No;
    }
    match (from.native, to.native) {
        (Some(source), Some(destination)) => hard::routine(source, destination)
            .map_or(Hard::Unknown, |routine| {
                Hard::Kernel(Typed::in_memory_order(routine, source.size(), destination.size()))
            }),
        _ => Hard::Unknown,
    }
}

/// The soft way, even where the hard one or a swap would be taken between two numbers on their own.
fn soft(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    if let (Class::Float(source), Class::Float(destination)) = (&from.class, &to.class)
        && host.keeps_denormal_flag
        && is_rounded(source, destination)
    {
        return None;
    }
    if let (Some(source), Some(destination)) = (Known::of(from), Known::of(to))
        && let (Some(one), Some(other)) = (source.native, destination.native)
        && let Some(routine) = soft::routine(one, other)
    {
        let swap_source = source.order != Order::MEMORY;
        let swap_destination = destination.order != Order::MEMORY;
        return Some(Typed::swapping(routine, (one.size(), swap_source), (other.size(), swap_destination)));
    }
    general::kernel(from, to)
}

/// Whether normal numbers of one format are rounded to fit another.
fn is_rounded(from: &Float, to: &Float) -> bool {
    let stored = usize::from(to.normalization != Normalization::Implied);
    from.mantissa.1 > to.mantissa.1.saturating_sub(stored)
}

/// Whether HDF5 swaps the bytes of each element without looking at them.
fn only_order_differs(from: &Datatype, to: &Datatype) -> bool {
    let opposite = |from: Order, to: Order| {
        matches!((from, to), (Order::Little, Order::Big) | (Order::Big, Order::Little))
    };
    if from.size != to.size {
        return false;
    }
    match (&from.class, &to.class) {
        (Class::Integer(from), Class::Integer(to)) => {
            opposite(from.bits.order, to.bits.order) && from.bits.offset == 0 && to.bits.offset == 0
        }
        (Class::Float(from), Class::Float(to)) => {
            opposite(from.bits.order, to.bits.order)
                && from.bits.offset == 0
                && to.bits.offset == 0
                && same_fields(from, to)
        }
        _ => false,
    }
}

/// Whether sign, exponent and mantissa are at the same places and mean the same.
fn same_fields(from: &Float, to: &Float) -> bool {
    Float { bits: to.bits, ..*from } == *to
}
