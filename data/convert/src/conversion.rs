//! One datatype to another.

use core::fmt::Debug;

use crate::datatype::{Class, Datatype};
use crate::host::HostTraits;

/// A way from one datatype to another.
#[derive(Debug)]
pub struct Conversion {
    from: usize,
    to: usize,
    /// Whether every byte of the destination is written, whatever was there.
    writes_all: bool,
    kernel: Box<dyn Kernel>,
}

/// Converts elements that lie one after another on both sides.
pub(crate) trait Kernel: Debug + Send + Sync {
    /// Both have room for the same number of elements. What a conversion leaves alone in the destination (members
    /// of a compound type that the source lacks) keeps its value.
    fn convert(&self, source: &[u8], destination: &mut [u8]);

    /// Whether every byte of the destination is written, whatever was there before.
    fn writes_all(&self) -> bool;
}

impl Conversion {
    /// The conversion, if we have one that gives what the host's own does.
    pub fn new(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Self> {
        if from.size == 0 || to.size == 0 {
            return None;
        }
        let kernel = kernel(from, to, host)?;
        Some(Self { from: from.size, to: to.size, writes_all: kernel.writes_all(), kernel })
    }

    /// Whether every byte of the destination is written. If not, what was there before shows through.
    pub fn writes_all(&self) -> bool {
        self.writes_all
    }

    /// Converts as many elements as there are in `source`.
    ///
    /// # Panics
    /// If the destination does not have room for exactly as many.
    pub fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let count = source.len() / self.from;
        assert_eq!(source.len(), count * self.from, "whole elements");
        assert_eq!(
            Some(destination.len()),
            count.checked_mul(self.to),
            "as many elements in the destination"
        );
        self.kernel.convert(source, destination);
    }
}

/// The kernel from one type to another.
pub(crate) fn kernel(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    if is_copy(from, to) {
        return Some(Box::new(Copy));
    }
    match (&from.class, &to.class) {
        (Class::Compound(_), Class::Compound(_)) => crate::compound::kernel(from, to, host),
        (Class::Array { .. }, Class::Array { .. }) => crate::array::kernel(from, to, host),
        (Class::Enum { .. }, _) => crate::enumeration::kernel(from, to, host),
        (Class::String { .. }, Class::String { .. }) => crate::string::kernel(from, to),
        (
            Class::Integer(_) | Class::Float(_) | Class::Bitfield(_) | Class::Complex(_),
            Class::Integer(_) | Class::Float(_) | Class::Bitfield(_) | Class::Complex(_),
        ) => crate::number::kernel(from, to, host),
        _ => None,
    }
}

/// Whether the bytes stay as they are.
pub(crate) fn is_copy(from: &Datatype, to: &Datatype) -> bool {
    let same_kind = match (&from.class, &to.class) {
        (Class::Other(from), Class::Other(to)) => from == to,
        (Class::Variable(from), Class::Variable(to)) => from == to,
        _ => false,
    };
    (same_kind && from.size == to.size) || from.passes_as(to)
}

/// The bytes as they are.
#[derive(Debug)]
struct Copy;

impl Kernel for Copy {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        destination.copy_from_slice(source);
    }

    fn writes_all(&self) -> bool {
        true
    }
}
