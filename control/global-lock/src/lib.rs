//! Gives up the host library's global lock during a data transfer, and takes it back.
//!
//! Every call into a thread-safe HDF5 runs under one lock, so a second reader waits until the first has finished. A
//! connector's callback may release that lock while it moves bytes and does not call the library.
//! [`GlobalLock::without`] does that, so several threads of an unchanged application read at the same time.
//!
//! ```
//! # if cfg!(feature = "shuttle") { return }
//! use global_lock::{GlobalLock, HostLock};
//! # struct Host;
//! # impl HostLock for Host {
//! #     fn release(&self) -> u32 { 1 }
//! #     fn try_acquire(&self, _count: u32) -> bool { true }
//! # }
//! # let host = Host;
//! static LOCK: GlobalLock = GlobalLock::new(); // one for each host library
//!
//! // In a callback of the host, its lock held: ask the control plane everything that is needed. Then:
//! let sum: i32 = LOCK.without(&host, || {
//!     // The lock is given up: read and decode, but ask the host nothing.
//!     [1, 2, 3].iter().sum()
//! });
//! // The lock is held again, as often as before.
//! assert_eq!(sum, 6);
//! ```
//!
//! # Rules
//!
//! 1. **One spins, the others queue.** The host offers only a try-lock for taking its lock back. One thread at a time
//!    tries, with growing pauses. The others wait in the order in which they came.
//! 2. **User callbacks.** Inside an iteration the library holds metadata under its lock and must not lose it. There
//!    (see [`UserCallbackScope`]) `without` keeps the lock.
//! 3. **Nesting.** `without` inside `without` has nothing to give up and just runs.
//! 4. **Unwinding.** The lock is also taken back when the work panics: the host expects it held whatever we do.
//!
//! # Claims
//!
//! [`Claims`] keep apart the calls on a dataset of a writable file. A call claims the [`Area`] that it touches before it
//! asks the host anything: shared for reading, exclusive for writing. It keeps the claim until it has taken effect. Calls
//! that conflict take effect one after the other, in the order in which they asked. All others run together. A [`Claim`]
//! may be held while the global lock is taken back, used, and given up again.
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
//! LOCK.without(&host, || {
//!     // read,
//!     drop(claims); // and release the claims before the lock is taken back.
//! });
//!
//! // A call that needs the host before it can release its claims, to commit chunks:
//! COMMITTERS.give_way(&LOCK, &host);
//! let committing = COMMITTERS.enter();
//! let wanted: Wanted = [(dataset.clone(), Area::Everything, Use::Write)].into_iter().collect();
//! let claims = wanted.claim(&COMMITTERS, &LOCK, &host);
//! LOCK.without(&host, || { /* encode */ });
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
//! 5. **Claims first.** A call claims before it asks the host about the dataset. It claims everything at once
//!    ([`Wanted`], in one order for all calls): a thread that holds a claim never waits for another. Trying is always
//!    allowed.
//! 6. **Order.** Claims outside, the global lock inside: a thread that holds the global lock does not wait for a claim,
//!    but a thread that holds a claim may wait for the global lock. Inside this crate the compiler checks that: waiting
//!    takes a proof, which exists only where the lock has been given up.
//! 7. **Committers are counted.** A thread that will wait for the global lock with a claim in its hands is counted
//!    ([`Committers`]) before it gives the lock up. So is a thread that *waits* for a claim, even for reading: when it
//!    gets the claim, it does not have the lock. All other threads release their claims inside `without`.
//! 8. **User callbacks.** A thread in a user's callback keeps the global lock, and may have to wait for claims with it.
//!    It would wait forever for a thread that needs that lock. So before the callback begins, and before anything is
//!    claimed, it waits until no thread is counted ([`Committers::wait_for_none`]). The threads that are left hold all the
//!    claims that they want, and need nobody to finish.
//! 9. **Newcomers give way** ([`Committers::give_way`]) to threads that wait like this. Otherwise these might wait as long
//!    as others write.
//!
//! A thread is counted for itself only; the compiler refuses to let another one be counted instead:
//!
//! ```compile_fail,E0277
//! # use global_lock::Committers;
//! fn give(committers: &Committers) {
//!     let committing = committers.enter();
//!     std::thread::scope(|scope| { scope.spawn(move || drop(committing)); });
//! }
//! ```
//!
//! A [`UserCallbackScope`] applies to all hosts. Inside a callback of one host, a call into another host keeps that lock
//! too, and has not waited for its committers. It must not wait for claims there.
//!
//! # fork()
//!
//! A child inherits the queue as it was, with threads in it that do not exist there. The queue recognises the child by its
//! process id and starts empty. Claims and committers start empty once the child has called [`after_fork_in_child`]; what
//! its one thread has inherited of these means nothing there. The host's own lock is as it was: if another thread held it
//! at that moment, it stays held, as it does in HDF5 without us.

#![forbid(unsafe_code)]

mod area;
mod backoff;
mod claims;
mod committers;
mod ending;
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
mod model_host;
#[cfg(all(test, feature = "shuttle"))]
mod shuttle_claims;
#[cfg(all(test, feature = "shuttle"))]
mod shuttle_tests;
#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

pub use crate::area::{Area, Corners, Use};
pub use crate::claims::{Claim, Claims};
pub use crate::committers::{Committers, Committing};
pub use crate::ending::Ending;
pub use crate::lock::{GlobalLock, HostLock};
pub use crate::per_process::{PerProcess, after_fork_in_child};
pub use crate::thread_mark::UserCallbackScope;
pub use crate::wanted::Wanted;
