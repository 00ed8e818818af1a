//! Running a loop between two machine types over elements in any byte order.

use crate::conversion::Kernel;

use super::order;

/// Converts elements of one machine type to another, both in memory order.
pub(super) type Routine = fn(&[u8], &mut [u8]);

/// A routine, and how to bring elements into memory order for it.
pub(super) struct Typed {
    routine: Routine,
    source: Side,
    destination: Side,
}

/// One side of a conversion.
#[derive(Debug, Clone, Copy)]
struct Side {
    size: usize,
    /// Not in memory order.
    swapped: bool,
}

/// Elements that are swapped at a time: few enough to stay in the fastest cache with their results, so that loops
/// need to exist for memory order only.
const BLOCK: usize = 512;

/// The largest machine type.
const LARGEST: usize = 8;

impl Typed {
    /// A kernel for elements in memory order.
    pub(super) fn in_memory_order(routine: Routine, source: usize, destination: usize) -> Box<dyn Kernel> {
        Self::swapping(routine, (source, false), (destination, false))
    }

    /// A kernel for elements of some size that are in memory order, or not.
    pub(super) fn swapping(
        routine: Routine,
        source: (usize, bool),
        destination: (usize, bool),
    ) -> Box<dyn Kernel> {
        let side = |(size, swapped)| Side { size, swapped: swapped && size > 1 };
        Box::new(Self { routine, source: side(source), destination: side(destination) })
    }
}

impl core::fmt::Debug for Typed {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter
            .debug_struct("Typed")
            .field("source", &self.source)
            .field("destination", &self.destination)
            .finish_non_exhaustive()
    }
}

impl Kernel for Typed {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        if !self.source.swapped && !self.destination.swapped {
            return (self.routine)(source, destination);
        }
        let mut scratch = [0; BLOCK * LARGEST];
        let sources = source.chunks(BLOCK * self.source.size);
        let destinations = destination.chunks_mut(BLOCK * self.destination.size);
        for (source, destination) in sources.zip(destinations) {
            if self.source.swapped {
                let scratch = &mut scratch[..source.len()];
                order::copy_swapped(self.source.size, source, scratch);
                (self.routine)(scratch, destination);
            } else {
                (self.routine)(source, destination);
            }
            if self.destination.swapped {
                order::swap_in_place(self.destination.size, destination);
            }
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// A machine type that lies in memory as its bytes.
pub(super) trait Machine: Copy {
    /// Its bytes.
    type Bytes: Copy;
    fn read(bytes: Self::Bytes) -> Self;
    fn bytes(self) -> Self::Bytes;
    fn all(bytes: &[u8]) -> &[Self::Bytes];
    fn all_mut(bytes: &mut [u8]) -> &mut [Self::Bytes];
}

macro_rules! machine {
    ($($type:ty)*) => { $(
        impl Machine for $type {
            type Bytes = [u8; size_of::<$type>()];

            fn read(bytes: Self::Bytes) -> Self {
                Self::from_ne_bytes(bytes)
            }

            fn bytes(self) -> Self::Bytes {
                self.to_ne_bytes()
            }

            fn all(bytes: &[u8]) -> &[Self::Bytes] {
                bytes.as_chunks().0
            }

            fn all_mut(bytes: &mut [u8]) -> &mut [Self::Bytes] {
                bytes.as_chunks_mut().0
            }
        }
    )* };
}

machine!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// Converts each element on its own.
pub(super) fn each<S: Machine, D: Machine>(source: &[u8], destination: &mut [u8], convert: impl Fn(S) -> D) {
    for (source, destination) in S::all(source).iter().zip(D::all_mut(destination)) {
        *destination = convert(S::read(*source)).bytes();
    }
}
