//! Complex numbers: two floats, one after the other.
//!
//! HDF5 takes the real part when the destination is a single number, and an imaginary part of zero when the source
//! is. From complex to complex there is only what looks at each part on its own: the soft way leaves one part of the
//! result as it was when only the other part is infinite or not a number.

use crate::conversion::Kernel;
use crate::datatype::{Class, Datatype};
use crate::host::HostTraits;

use super::{Hard, Known, Native, hard, only_order_differs, order, soft};

/// The kernel from or to a complex number.
pub(super) fn kernel(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    match (&from.class, &to.class) {
        (Class::Complex(source), Class::Complex(destination)) => {
            let sound = is_pair(from, source) && is_pair(to, destination);
            let way = if is_half(source) || is_half(destination) {
                None
            } else {
                hard_way(source, destination, host)
            };
            match way {
                _ if !sound => None,
                Some(Hard::Kernel(parts)) => Some(parts),
                Some(Hard::No) | None if only_order_differs(source, destination) => {
                    Some(order::swap(source.size))
                }
                _ => None,
            }
        }
        (Class::Complex(source), _) if is_pair(from, source) => {
            Some(Box::new(Real { parts: part(source, (source, to), host)?, part: source.size, to: to.size }))
        }
        (_, Class::Complex(destination)) if is_pair(to, destination) => Some(Box::new(WithoutImaginary {
            parts: part(destination, (from, destination), host)?,
            from: from.size,
            part: destination.size,
        })),
        _ => None,
    }
}

/// Whether a complex type is two floats of this type and nothing else.
fn is_pair(complex: &Datatype, part: &Datatype) -> bool {
    matches!(part.class, Class::Float(_)) && part.size > 0 && part.size.checked_mul(2) == Some(complex.size)
}

/// Whether a part is a half. Compilers may have halves, but no complex numbers of them.
fn is_half(part: &Datatype) -> bool {
    Known::of(part).is_some_and(|part| part.native == Some(Native::F16))
}

fn hard_way(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Hard> {
    Some(hard(Known::of(from)?, Known::of(to)?, host))
}

/// From one part to a number, or from a number to one part. Neither a copy nor a swap is a way of its own here: what
/// is not a number becomes another one on the soft way even between floats of the same type.
/// `part` is the one of the two that is in a complex number.
fn part(part: &Datatype, (from, to): (&Datatype, &Datatype), host: HostTraits) -> Option<Box<dyn Kernel>> {
    match hard_way(from, to, host) {
        _ if is_half(part) => soft(from, to, host),
        Some(Hard::Kernel(kernel)) => Some(kernel),
        Some(Hard::Unknown) => None,
        Some(Hard::No) | None => soft(from, to, host),
    }
}

/// Elements whose parts are gathered or spread at a time.
const BLOCK: usize = 256;

/// The largest part.
const LARGEST: usize = 16;

/// Complex to anything else.
#[derive(Debug)]
struct Real {
    parts: Box<dyn Kernel>,
    part: usize,
    to: usize,
}

impl Kernel for Real {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let mut scratch = [0; BLOCK * LARGEST];
        let sources = source.chunks(BLOCK * 2 * self.part);
        for (source, destination) in sources.zip(destination.chunks_mut(BLOCK * self.to)) {
            let real = &mut scratch[..source.len() / 2];
            for (source, real) in source.chunks_exact(2 * self.part).zip(real.chunks_exact_mut(self.part)) {
                real.copy_from_slice(&source[..self.part]);
            }
            self.parts.convert(real, destination);
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// Anything else to complex.
#[derive(Debug)]
struct WithoutImaginary {
    parts: Box<dyn Kernel>,
    from: usize,
    part: usize,
}

impl Kernel for WithoutImaginary {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let mut scratch = [0; BLOCK * LARGEST];
        let destinations = destination.chunks_mut(BLOCK * 2 * self.part);
        for (source, destination) in source.chunks(BLOCK * self.from).zip(destinations) {
            let real = &mut scratch[..destination.len() / 2];
            self.parts.convert(source, real);
            let elements = destination.chunks_exact_mut(2 * self.part);
            for (real, destination) in real.chunks_exact(self.part).zip(elements) {
                let (first, second) = destination.split_at_mut(self.part);
                first.copy_from_slice(real);
                second.fill(0);
            }
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}
