//! Gives the host library's global lock up for the time of a data transfer, and takes it back.
//!
//! Every call into a thread-safe HDF5 runs under one lock, so a second thread that reads waits until the first has
//! read. A connector's callback may let go of that lock while it moves bytes and asks nothing of the library;
//! [`GlobalLock::without`] does that, and several threads of an unchanged application read at the same time.
//!
//! ```
//! # if cfg!(feature = "shuttle") { return }
//! use global_lock::{DatasetLock, GlobalLock, HostLock};
//! # struct Host;
//! # impl HostLock for Host {
//! #     fn release(&self) -> u32 { 1 }
//! #     fn try_acquire(&self, _count: u32) -> bool { true }
//! # }
//! # let host = Host;
//! static LOCK: GlobalLock = GlobalLock::new(); // one for each host library
//! let chunks = DatasetLock::new(vec![1, 2, 3]);
//!
//! // In a callback of the host, its lock held: ask the control plane everything that is needed. Then:
//! let sum: i32 = LOCK.without(&host, |access| match access.released() {
//!     // The lock is given up. We may wait for data locks, read, decode, and call the control plane in between.
//!     Some(released) => chunks.read(&released).iter().sum(),
//!     // Inside a user's callback it stays held: do not wait for anybody.
//!     None => chunks.try_read().map_or(0, |chunks| chunks.iter().sum()),
//! });
//! // Its lock is held again, as often as before.
//! assert_eq!(sum, 6);
//! ```
//!
//! # Rules
//!
//! 1. **Order.** Data locks outside, the global lock inside: a thread that holds the global lock never *waits* for a
//!    data lock. That is checked by the compiler: waiting asks for a [`Released`], which exists only where the lock
//!    has been given up. Who holds a data lock may wait for the global lock: [`Released::with_lock`].
//! 2. **One spins, the others queue.** The host offers no more than a try-lock for taking its lock back. One thread at
//!    a time tries, with growing pauses; the others wait in the order in which they came.
//! 3. **User callbacks.** Inside an iteration the library holds metadata under its lock and must not lose it. There
//!    (see [`UserCallbackScope`]) `without` keeps the lock.
//! 4. **Nesting.** `without` inside `without` has nothing to give up and just runs.
//! 5. **Unwinding.** The lock is taken back when the work panics, too: the host expects it held whatever we do.
//!
//! What the compiler refuses: to wait without having given up the lock,
//!
//! ```compile_fail,E0061
//! let lock = global_lock::DatasetLock::new(0);
//! let guard = lock.read();
//! ```
//!
//! to keep the proof, or a data lock taken with it, when the global lock is held again,
//!
//! ```compile_fail
//! # use global_lock::{DatasetLock, GlobalLock, HostLock};
//! fn keep(lock: &GlobalLock, host: &impl HostLock, data: &DatasetLock<u8>) {
//!     let guard = lock.without(host, |access| access.released().map(|released| data.read(&released)));
//! }
//! ```
//!
//! ```compile_fail
//! # use global_lock::{GlobalLock, HostLock};
//! fn keep(lock: &GlobalLock, host: &impl HostLock) {
//!     let proof = lock.without(host, |access| access.released());
//! }
//! ```
//!
//! to use it while the lock is held in between,
//!
//! ```compile_fail,E0502
//! # use global_lock::{DatasetLock, Released};
//! fn both(mut released: Released<'_>, data: &DatasetLock<u8>) {
//!     released.with_lock(|| drop(data.try_read().unwrap_or_else(|| data.read(&released))));
//! }
//! ```
//!
//! and to give the proof to another thread (threads of the pool never call the host):
//!
//! ```compile_fail,E0277
//! # use global_lock::{GlobalLock, HostLock};
//! fn give(lock: &GlobalLock, host: &impl HostLock) {
//!     lock.without(host, |access| {
//!         std::thread::scope(|scope| { scope.spawn(|| { let _ = &access; }); });
//!     });
//! }
//! ```
//!
//! # fork()
//!
//! A child inherits the queue as it was, with threads in it that do not exist there. It is recognised by its process
//! id and begins with an empty queue. The host's own lock and the data locks are as they were: if another thread held
//! them at that moment, they stay held, as they do in HDF5 without us.

#![forbid(unsafe_code)]

mod backoff;
mod dataset_lock;
mod lock;
mod queue;
mod shim;
mod thread_mark;

#[cfg(test)]
mod model;
#[cfg(all(test, feature = "shuttle"))]
mod shuttle_tests;
#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

pub use crate::dataset_lock::{DatasetLock, DatasetReadGuard, DatasetWriteGuard};
pub use crate::lock::{Access, GlobalLock, HostLock, Released};
pub use crate::thread_mark::UserCallbackScope;
