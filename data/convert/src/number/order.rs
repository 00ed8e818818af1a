//! Kernels that look at no values: copying, and swapping the bytes of each element.

use crate::conversion::Kernel;
use crate::datatype::Order;

impl Order {
    /// The order in memory.
    pub(super) const MEMORY: Self = if cfg!(target_endian = "little") { Self::Little } else { Self::Big };
}

/// The same type on both sides.
#[derive(Debug)]
pub(super) struct Copy;

impl Kernel for Copy {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        destination.copy_from_slice(source);
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// Swaps the bytes of elements of some size.
#[derive(Debug)]
struct Swap {
    size: usize,
}

/// The kernel that swaps the bytes of elements of `size` bytes.
pub(super) fn swap(size: usize) -> Box<dyn Kernel> {
    if size == 1 { Box::new(Copy) } else { Box::new(Swap { size }) }
}

impl Kernel for Swap {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        copy_swapped(self.size, source, destination);
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// Copies elements of `size` bytes with their bytes in the opposite order.
pub(super) fn copy_swapped(size: usize, source: &[u8], destination: &mut [u8]) {
    match size {
        1 => destination.copy_from_slice(source),
        2 => copy_reversed::<2>(source, destination),
        4 => copy_reversed::<4>(source, destination),
        8 => copy_reversed::<8>(source, destination),
        16 => copy_reversed::<16>(source, destination),
        _ => {
            for (source, destination) in source.chunks_exact(size).zip(destination.chunks_exact_mut(size)) {
                destination.copy_from_slice(source);
                destination.reverse();
            }
        }
    }
}

fn copy_reversed<const SIZE: usize>(source: &[u8], destination: &mut [u8]) {
    let (source, _) = source.as_chunks::<SIZE>();
    let (destination, _) = destination.as_chunks_mut::<SIZE>();
    for (source, destination) in source.iter().zip(destination) {
        *destination = *source;
        destination.reverse();
    }
}

/// Swaps the bytes of elements of `size` bytes in place.
pub(super) fn swap_in_place(size: usize, elements: &mut [u8]) {
    match size {
        1 => {}
        2 => reverse::<2>(elements),
        4 => reverse::<4>(elements),
        8 => reverse::<8>(elements),
        _ => elements.chunks_exact_mut(size).for_each(<[u8]>::reverse),
    }
}

fn reverse<const SIZE: usize>(elements: &mut [u8]) {
    let (elements, _) = elements.as_chunks_mut::<SIZE>();
    for element in elements {
        element.reverse();
    }
}
