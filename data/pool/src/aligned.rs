//! A page-aligned byte buffer. The only file of this crate that allocates by hand.

use crate::scratch::ALIGNMENT;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Initialised bytes at an address that is a multiple of [`ALIGNMENT`]; freed on drop.
///
/// Invariant: either `len` is 0 and nothing is allocated, or `start` is an allocation of `layout(len)` whose `len`
/// bytes are initialised and belong to this value alone.
pub(crate) struct AlignedBytes {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the value owns its bytes, as a `Vec<u8>` does; no thread-bound state is attached to them.
unsafe impl Send for AlignedBytes {}
// SAFETY: through `&AlignedBytes` only `len` can be read.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// A buffer of no bytes: allocates nothing.
    pub(crate) const fn empty() -> Self {
        Self { start: NonNull::dangling(), len: 0 }
    }

    /// `len` zero bytes, or `None` if the system has not that much.
    pub(crate) fn zeroed(len: usize) -> Option<Self> {
        if len == 0 {
            return Some(Self::empty());
        }
        let layout = Self::layout(len)?;
        // SAFETY: the size of `layout` is `len`, which is not 0.
        let start = unsafe { alloc_zeroed(layout) };
        NonNull::new(start).map(|start| Self { start, len })
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: by the invariant `start` has `len` initialised bytes, and `&mut self` is the only access to them
        // for the lifetime of the slice. With `len` 0 a dangling, non-null pointer is what a slice asks for.
        // `Layout` has seen to it that `len` is at most `isize::MAX`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    fn layout(len: usize) -> Option<Layout> {
        Layout::from_size_align(len, ALIGNMENT).ok()
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        if self.len != 0
            && let Some(layout) = Self::layout(self.len)
        {
            // SAFETY: by the invariant `start` was allocated with this very layout and is freed only here.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_zeroed_and_writable() {
        for len in [1, 7, 4096, 4097, 1 << 20] {
            let mut bytes = AlignedBytes::zeroed(len).unwrap();
            let slice = bytes.as_mut_slice();
            assert_eq!(slice.len(), len);
            assert_eq!(slice.as_ptr().addr() % ALIGNMENT, 0);
            assert!(slice.iter().all(|&byte| byte == 0));
            slice.fill(1);
        }
    }

    #[test]
    fn nothing_and_too_much() {
        assert!(AlignedBytes::zeroed(0).unwrap().as_mut_slice().is_empty());
        assert!(AlignedBytes::zeroed(usize::MAX).is_none());
        assert!(AlignedBytes::zeroed(isize::MAX as usize).is_none());
    }
}
