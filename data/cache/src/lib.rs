//! Decoded chunks, kept for the next read.
//!
//! One [`Cache`] serves all datasets of a process. It is bounded in bytes; what was not used since it last came
//! up for eviction goes first (the clock algorithm: a use costs one look-up and a mark). A chunk that several
//! threads want at once is decoded by one of them, and the others wait for it ([`Cache::get_or_decode`]).
//!
//! Who changes a chunk drops it here ([`Cache::remove`]) or puts the new one in ([`Cache::put`]); what others are
//! decoding of it at that moment is then not kept, because it may be old.
//!
//! Nobody holds the lock while decoding, and who decodes waits for nobody, so waiting ends. A forked child
//! begins with an empty cache ([`Cache::after_fork_in_child`]): the threads that were decoding do not exist there.

#![forbid(unsafe_code)]

mod cache;
#[cfg(not(feature = "shuttle"))]
mod shared;
mod shim;
mod state;

#[cfg(all(test, feature = "shuttle"))]
mod shuttle_tests;
#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

pub use cache::{Begun, Cache, Decoded, OutOfMemory};
#[cfg(not(feature = "shuttle"))]
pub use shared::Shared;

/// Which chunk: the number of its dataset, unique in the process, and its own in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The dataset.
    pub dataset: u64,
    /// The chunk.
    pub chunk: u64,
}
