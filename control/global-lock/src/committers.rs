//! Committers: threads that will need the global lock before they can release their claims.
//!
//! A thread in a user's callback cannot give the global lock up. If it waited for the claim of a thread that waits for
//! that lock, both would wait forever. So such threads are counted, and a callback starts only when the count is zero.
//!
//! **Ordering.** The count grows only under the global lock, and a callback reads it for the last time under that lock.
//! So if it reads zero then, the count stays zero until it releases the lock.

use crate::lock::{GlobalLock, HostLock};
use crate::per_process::PerProcess;
use crate::shim::{Condvar, Mutex, MutexGuard, thread_local};
use crate::thread_mark::UserCallbackScope;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::PoisonError;
use trace::Kind;

thread_local! {
    /// How many times this thread is counted.
    static OWN: Cell<u32> = const { Cell::new(0) };
}

fn own() -> u32 {
    OWN.try_with(Cell::get).unwrap_or(0)
}

/// Counts the threads of one host that hold claims, or wait for some, and will need the global lock before they release
/// them.
pub struct Committers {
    gate: PerProcess<Gate>,
}

/// Keeps this thread counted until the value is dropped.
///
/// Drop it after the claims are released, or as soon as the thread holds the global lock and will not have to take it
/// again before it releases them.
#[must_use = "the thread is counted as long as this value lives"]
pub struct Committing<'committers> {
    committers: &'committers Committers,
    process: u32,
    _of_this_thread: PhantomData<*const ()>,
}

#[derive(Default)]
struct Gate {
    count: Mutex<Count>,
    /// Signalled when the count reaches zero.
    none: Condvar,
    /// Signalled when all waiting callbacks have started.
    opened: Condvar,
}

#[derive(Default)]
struct Count {
    committing: u64,
    /// Threads in [`Committers::wait_for_none`].
    callbacks: u64,
    /// How many times `callbacks` went down to zero.
    openings: u64,
}

impl Committers {
    /// No thread is counted.
    pub const fn new() -> Self {
        let count = Mutex::new(Count { committing: 0, callbacks: 0, openings: 0 });
        Self { gate: PerProcess::new(Gate { count, none: Condvar::new(), opened: Condvar::new() }) }
    }

    /// Counts this thread. Never waits.
    ///
    /// Call it with the global lock held, before the lock is given up to wait for a claim, or with a claim that is kept
    /// until the lock is held again.
    pub fn enter(&self) -> Committing<'_> {
        let (gate, process) = self.gate.here();
        gate.lock().committing += 1;
        // A thread whose thread-locals are gone is ending and does not iterate.
        let _ = OWN.try_with(|own| own.set(own.get() + 1));
        Committing { committers: self, process, _of_this_thread: PhantomData }
    }

    /// Lets waiting callbacks start first. Without this, several threads that write all the time could keep the count
    /// above zero forever.
    ///
    /// Call it at the start of a call that will be counted, with the global lock held and *before* anything is claimed.
    /// The lock may be given up in between, but not in a user's callback. A thread that is counted already continues at
    /// once, because the callbacks wait for it.
    pub fn give_way<H: HostLock>(&self, lock: &GlobalLock, host: &H) {
        let (gate, _) = self.gate.here();
        let count = gate.lock();
        let before = count.openings;
        let is_free = count.callbacks == 0;
        drop(count);
        if is_free || own() > 0 || UserCallbackScope::is_active() {
            return;
        }
        let _waiting = trace::span(Kind::GateWait);
        lock.without(host, || {
            let mut count = gate.lock();
            while count.callbacks > 0 && count.openings == before {
                count = gate.opened.wait(count).unwrap_or_else(PoisonError::into_inner);
            }
        });
    }

    /// Gives the global lock up until no thread is counted, and returns with the lock held. The count then stays zero
    /// until this thread releases the lock, because a thread must hold the lock to be counted.
    ///
    /// Call it before an operation that calls the user back, with the global lock held and no claim, and before the
    /// [`UserCallbackScope`]. Inside a scope it does nothing: the outermost call has waited.
    pub fn wait_for_none<H: HostLock>(&self, lock: &GlobalLock, host: &H) {
        if UserCallbackScope::is_active() {
            return;
        }
        assert_eq!(own(), 0, "a thread that commits cannot wait for none to be left");
        let (gate, _) = self.gate.here();
        if gate.lock().committing == 0 {
            return;
        }
        // Until it is our turn, the newcomers give way. Those who had begun to before may still come in between.
        let _first = First::new(gate);
        let _waiting = trace::span(Kind::GateWait);
        while gate.lock().committing > 0 {
            lock.without(host, || {
                let mut count = gate.lock();
                while count.committing > 0 {
                    count = gate.none.wait(count).unwrap_or_else(PoisonError::into_inner);
                }
            });
        }
    }

    /// How many callbacks wait for the count to reach zero.
    #[cfg(test)]
    pub(crate) fn waiting_callbacks(&self) -> u64 {
        self.gate.here().0.lock().callbacks
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        let _ = OWN.try_with(|own| own.set(own.get() - 1));
        let Some(gate) = self.committers.gate.still_in(self.process) else { return };
        let mut count = gate.lock();
        count.committing -= 1;
        if count.committing == 0 && count.callbacks > 0 {
            drop(count);
            gate.none.notify_all();
        }
    }
}

/// Closes the gate for newcomers as long as it lives.
struct First<'gate>(&'gate Gate);

impl<'gate> First<'gate> {
    fn new(gate: &'gate Gate) -> Self {
        gate.lock().callbacks += 1;
        Self(gate)
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        let mut count = self.0.lock();
        count.callbacks -= 1;
        if count.callbacks == 0 {
            count.openings += 1;
            drop(count);
            self.0.opened.notify_all();
        }
    }
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Count> {
        // Nothing panics while it holds this lock.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Committers {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Committers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Committers").finish_non_exhaustive()
    }
}

impl fmt::Debug for Committing<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Committing").finish_non_exhaustive()
    }
}
