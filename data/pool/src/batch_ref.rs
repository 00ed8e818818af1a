//! A pointer to a batch, for other threads than the one that lends it.

use crate::batch::TakePart;
use std::mem;
use std::ptr::NonNull;

/// A pointer to a batch on its caller's stack.
#[derive(Clone, Copy)]
pub(crate) struct BatchRef(NonNull<dyn TakePart>);

// SAFETY: `TakePart` is `Sync`, so a reference to a batch may be used by another thread; when it may be dereferenced
// is the protocol of `crew`.
unsafe impl Send for BatchRef {}

impl BatchRef {
    pub(crate) fn new<'batch>(batch: &'batch (dyn TakePart + 'batch)) -> Self {
        let pointer = NonNull::from(batch);
        // SAFETY: the two types differ only in the lifetime bound of the trait object, which has no effect on the
        // layout of a pointer. The bound is forgotten here and kept by the protocol: see `get`.
        Self(unsafe {
            mem::transmute::<NonNull<dyn TakePart + 'batch>, NonNull<dyn TakePart + 'static>>(pointer)
        })
    }

    /// # Safety
    ///
    /// Either the lock is held and the batch's entry is in the queue, or the calling worker is counted in the entry's
    /// `inside`; and the reference is not used any more when neither holds.
    pub(crate) unsafe fn get<'batch>(self) -> &'batch dyn TakePart {
        // SAFETY: the caller of `with_helpers` has lent the batch, and `with_helpers` does not end before the entry
        // is out of the queue and `inside` is 0.
        unsafe { self.0.as_ref() }
    }
}
