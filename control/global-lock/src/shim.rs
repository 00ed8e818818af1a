//! Where the locks and threads come from: the standard library, or shuttle when its feature is on.

#[cfg(not(feature = "shuttle"))]
mod imp {
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use std::{hint, thread, thread_local};
}

#[cfg(feature = "shuttle")]
mod imp {
    pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
    pub(crate) use shuttle::{hint, thread, thread_local};
}

pub(crate) use imp::*;
