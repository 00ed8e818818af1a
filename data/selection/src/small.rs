//! A vector that keeps its first few items in place.
//!
//! HDF5 allows 32 dimensions and almost nobody uses more than four. Arrays of 32 would make every selection
//! several kilobytes of zeros to write and to move, which costs more than the arithmetic; so up to `N` items
//! are inline and only more than that (rank five and up) go to the heap.

use std::ops::{Deref, DerefMut};

/// Up to `N` items inline, more on the heap.
#[derive(Clone, Debug)]
pub(crate) enum Small<T, const N: usize> {
    Inline { len: usize, items: [T; N] },
    Heap(Vec<T>),
}

impl<T: Copy + Default, const N: usize> Small<T, N> {
    #[inline]
    pub(crate) fn new() -> Self {
        Self::Inline { len: 0, items: [T::default(); N] }
    }

    /// `len` copies of `value`.
    #[inline]
    pub(crate) fn filled(value: T, len: usize) -> Self {
        if len <= N { Self::Inline { len, items: [value; N] } } else { Self::Heap(vec![value; len]) }
    }

    #[inline]
    pub(crate) fn from_slice(source: &[T]) -> Self {
        if source.len() > N {
            return Self::Heap(source.to_vec());
        }
        let mut items = [T::default(); N];
        for (to, from) in items.iter_mut().zip(source) {
            *to = *from;
        }
        Self::Inline { len: source.len(), items }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        match self {
            Self::Inline { len, items } if *len < N => {
                items[*len] = item;
                *len += 1;
            }
            _ => self.push_on_heap(item),
        }
    }

    #[cold]
    fn push_on_heap(&mut self, item: T) {
        match self {
            Self::Inline { len, items } => {
                let mut heap = Vec::with_capacity(2 * N + 2);
                heap.extend_from_slice(&items[..*len]);
                heap.push(item);
                *self = Self::Heap(heap);
            }
            Self::Heap(heap) => heap.push(item),
        }
    }
}

impl<T, const N: usize> Deref for Small<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Inline { len, items } => &items[..*len],
            Self::Heap(heap) => heap,
        }
    }
}

impl<T, const N: usize> DerefMut for Small<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Inline { len, items } => &mut items[..*len],
            Self::Heap(heap) => heap,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_from_inline_to_heap() {
        let mut small = Small::<u64, 2>::new();
        for i in 0..5 {
            small.push(i);
        }
        assert_eq!(&small[..], &[0, 1, 2, 3, 4]);
        small[3] = 9;
        assert_eq!(&small.clone()[2..], &[2, 9, 4]);
        assert_eq!(&Small::<u64, 2>::from_slice(&[7, 8])[..], &[7, 8]);
        assert_eq!(&Small::<u64, 2>::filled(1, 3)[..], &[1, 1, 1]);
    }
}
