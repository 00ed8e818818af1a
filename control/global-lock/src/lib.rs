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
//! # Claims
//!
//! What calls do to a dataset of a writable file is kept apart by [`Claims`]: a call claims the [`Area`] that it touches
//! before it asks the host anything, shared for reading, alone for writing, and keeps the claim until it has taken
//! effect. Calls that conflict take effect one after the other, in the order in which they asked; others go on together.
//! Unlike the guard of a [`DatasetLock`], a [`Claim`] may be held while the global lock is taken back, used, and given
//! up again.
//!
//! ```
//! # if cfg!(feature = "shuttle") { return }
//! use global_lock::{Area, Claims, Committers, GlobalLock, HostLock, Use, Wanted};
//! # struct Host;
//! # impl HostLock for Host {
//! #     fn release(&self) -> u32 { 1 }
//! #     fn try_acquire(&self, _count: u32) -> bool { true }
//! # }
//! # let host = Host;
//! static LOCK: GlobalLock = GlobalLock::new(); // one for each host library
//! static COMMITTERS: Committers = Committers::new(); // likewise
//! let dataset = Claims::new(); // one for each dataset
//!
//! // In a callback of the host, its lock held. A call that ends without the host's help:
//! let wanted: Wanted = [(dataset.clone(), Area::between(&[0, 0], &[1, 2]), Use::Read)].into_iter().collect();
//! let claims = wanted.claim(&COMMITTERS, &LOCK, &host);
//! // The host is asked where the chunks are: what it says holds as long as the claims. Then:
//! LOCK.without(&host, |_| {
//!     // read,
//!     drop(claims); // and release the claims before the lock is taken back.
//! });
//!
//! // A call that needs the host before it can release its claims, to commit chunks:
//! COMMITTERS.give_way(&LOCK, &host);
//! let committing = COMMITTERS.enter();
//! let wanted: Wanted = [(dataset.clone(), Area::Everything, Use::Write)].into_iter().collect();
//! let claims = wanted.claim(&COMMITTERS, &LOCK, &host);
//! LOCK.without(&host, |_| { /* encode */ });
//! // commit,
//! drop(claims);
//! drop(committing);
//!
//! // A call that calls the user back:
//! COMMITTERS.wait_for_none(&LOCK, &host);
//! let scope = global_lock::UserCallbackScope::enter();
//! // pass it on; what the user does meanwhile comes through `Wanted::claim` as always.
//! # drop(scope);
//! # assert!(dataset.is_idle());
//! ```
//!
//! 6. **Claims first.** A call claims before it asks the host about the dataset. All that it claims, it claims at once
//!    ([`Wanted`], in one order for all calls): who holds a claim never waits for another. Trying is always allowed.
//! 7. **Who holds the global lock does not wait for a claim**; as with data locks, waiting asks for a [`Released`].
//! 8. **Committers are counted.** Who holds a claim when it waits for the global lock is counted ([`Committers`]) before
//!    it gives the lock up. That goes for those who *wait* for a claim, too, be it for reading: when they get it, they
//!    do not have the lock. So waiting asks for a [`Committing`]. Everybody else releases its claims inside `without`.
//! 9. **User callbacks.** A thread in a user's callback keeps the global lock, and may have to wait for claims with it.
//!    It would wait for ever for somebody who needs that lock; so before the callback begins, and before anything is
//!    claimed, it waits until nobody is counted ([`Committers::wait_for_none`]). Those who are left hold all the claims
//!    that they want, and need nobody to end.
//! 10. **Newcomers give way** ([`Committers::give_way`]) to threads that wait so, or these might wait as long as others
//!     write.
//!
//! The compiler refuses to wait for a claim uncounted,
//!
//! ```compile_fail,E0061
//! # use global_lock::{Area, Claims, Released, Use};
//! fn wait(claims: &std::sync::Arc<Claims>, released: &Released<'_>) {
//!     let claim = claims.claim(&Area::Everything, Use::Read, released);
//! }
//! ```
//!
//! and to let another thread be counted instead:
//!
//! ```compile_fail,E0277
//! # use global_lock::Committers;
//! fn give(committers: &Committers) {
//!     let committing = committers.enter();
//!     std::thread::scope(|scope| { scope.spawn(move || drop(committing)); });
//! }
//! ```
//!
//! A [`UserCallbackScope`] counts for all hosts: inside a callback of one host, a call into another keeps that one's
//! lock, too, and has not waited for its committers. Claims there must not be waited for.
//!
//! # fork()
//!
//! A child inherits the queue as it was, with threads in it that do not exist there. It is recognised by its process
//! id and begins with an empty queue; likewise, once it has called [`after_fork_in_child`], with no claims and no
//! committers, and what its one thread has inherited of these means nothing there. The host's own lock and the data locks are as they were: if another thread held
//! them at that moment, they stay held, as they do in HDF5 without us.

#![forbid(unsafe_code)]

mod area;
mod backoff;
mod claims;
mod committers;
mod dataset_lock;
mod lock;
mod per_process;
mod queue;
mod shim;
mod thread_mark;
mod wanted;

#[cfg(all(test, not(feature = "shuttle")))]
mod claims_tests;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_claims;
#[cfg(all(test, feature = "shuttle"))]
mod shuttle_claims;
#[cfg(all(test, feature = "shuttle"))]
mod shuttle_tests;
#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

pub use crate::area::{Area, Corners, Use};
pub use crate::claims::{Claim, Claims};
pub use crate::committers::{Committers, Committing};
pub use crate::dataset_lock::{DatasetLock, DatasetReadGuard, DatasetWriteGuard};
pub use crate::lock::{Access, GlobalLock, HostLock, Released};
pub use crate::per_process::after_fork_in_child;
pub use crate::thread_mark::UserCallbackScope;
pub use crate::wanted::Wanted;
