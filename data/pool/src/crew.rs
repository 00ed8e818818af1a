//! The threads, and the queue of batches they help with. (Jobs, which nobody has to wait for, are in `owned`.)
//!
//! # Protocol
//!
//! Everything but the claiming of tasks happens under one lock, `Crew::state`.
//!
//! * **Enrol.** The caller appends an entry (a pointer to its batch, how many helpers it wants) to the queue, and
//!   invites helpers: it wakes sleeping workers, or starts new ones. Then it takes part itself.
//! * **Enter.** An idle worker looks for the most urgent entry, and the oldest of these, that has unclaimed tasks and room
//!   for a helper, counts itself into `inside`, and invites further helpers, so that many are woken in a tree, not one after the other by
//!   the caller. If the tasks are all claimed by then, nobody else is woken.
//! * **Leave.** The worker counts itself out of `inside`. If it was the last one and the caller waits, it wakes the
//!   caller, still holding the lock.
//! * **Withdraw.** When no task is unclaimed (or it unwinds), the caller closes its entry, so that nobody can enter
//!   any more, waits until `inside` is 0, and removes the entry. Only then does `run` return.
//!
//! # Why the borrows are sound
//!
//! A worker dereferences the pointer to a batch in three places: while it looks for work, between enter and leave,
//! and to wake the caller in leave. In the first and third it holds the lock and has found the entry in the queue;
//! in the second `inside` counts it. The caller removes the entry under the lock, and only with `inside` at 0: so no
//! worker is at any of the three places when the batch goes away, nor can one get there afterwards. The removal is
//! in a destructor, so it happens on unwinding too. (In rayon's words: the latch is set as the very last access, and
//! since the lock belongs to the crew and not to the batch, unlocking it is no access.)
//!
//! # Memory ordering
//!
//! What the caller wrote before `run` is seen by a helper: the caller unlocks after enrolling, the helper locks to
//! enter. What a helper's tasks wrote is seen by the caller after `run`: the helper locks and unlocks to leave, the
//! caller locks to find `inside` at 0. The lock makes both happen-before; no atomic needs more than `Relaxed`.
//!
//! # Ending
//!
//! A worker belongs to an *era*. Shutting down begins the next era; workers of an earlier one leave their batch after
//! the task they are at (the caller does the rest) and end. Nothing has to be reset: workers started meanwhile, by a
//! call that comes in during the shutdown, are of the new era and stay.

use crate::batch::TakePart;
use crate::batch_ref::BatchRef;
use crate::home::Home;
use crate::owned::Jobs;
use crate::scratch::{Scratch, with_callers_scratch};
use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::shim::thread::{self, JoinHandle};
use crate::shim::{Condvar, Mutex, MutexGuard, lock, wait};
use crate::signals::SignalsBlocked;
use crate::urgency::{Demand, Urgency};
use std::cell::Cell;
use std::collections::VecDeque;
use std::hint;
use std::mem;
use std::sync::{Arc, Weak};
use trace::Kind;

/// How many others each participant invites at most.
const INVITATIONS: usize = 2;

/// How many times a caller looks whether its last helpers have left before it goes to sleep, and how many pauses of
/// the CPU it makes between two looks. Some 20 microseconds: waking it would take longer than the helpers often do.
const LOOKS: u32 = if cfg!(feature = "shuttle") { 1 } else { 16 };
const PAUSES: u32 = 32;

/// Tasks decode with buffers from the heap. (The C library takes thread-local storage from this, too.)
const STACK_BYTES: usize = 1 << 20;

/// The workers of one pool in one process.
pub(crate) struct Crew {
    home: Home,
    /// Itself, for the threads that it starts and for jobs.
    pub(crate) me: Weak<Crew>,
    pub(crate) state: Mutex<State>,
    /// Where idle workers sleep.
    invited: Condvar,
    /// Where those sleep who wait for jobs.
    pub(crate) waiting: Condvar,
    /// What there is to do for workers.
    pub(crate) demand: Demand,
    /// A mistake for the models to find: the end of a job wakes nobody.
    #[cfg(all(test, feature = "shuttle"))]
    pub(crate) forgets_waiters: std::sync::atomic::AtomicBool,
    /// The present era. Written under the lock. Read without it, `Relaxed`, by workers between two tasks, who will
    /// see a change sooner or later and need see nothing else by it.
    era: AtomicUsize,
}

pub(crate) struct State {
    queue: VecDeque<Entry>,
    pub(crate) jobs: Jobs,
    next_key: u64,
    /// Workers of this era: their handles, as long as they have not been asked to end.
    workers: Vec<JoinHandle<()>>,
    /// How many of them sleep, including those that are being woken.
    asleep: usize,
    /// Invitations that no sleeper has taken yet; never more than `asleep`. A sleeper stays asleep without one, so
    /// spurious wake-ups do not upset the counts.
    invitations: usize,
    /// The system would not start another thread: do not ask again in this era.
    refused: bool,
}

/// A batch in the queue.
struct Entry {
    key: u64,
    batch: BatchRef,
    urgency: Urgency,
    /// How many helpers may be inside at a time; 0 when the caller has closed the entry.
    room: usize,
    inside: usize,
    /// How many have been invited or have come by themselves; when it reaches the first `room`, nobody is invited.
    expected: usize,
    caller_waits: bool,
}

/// A batch that a helper has entered, and has to leave.
pub(crate) struct Entered {
    key: u64,
    batch: BatchRef,
    urgency: Urgency,
}

impl Crew {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            home: Home::here(),
            me: me.clone(),
            state: Mutex::new(State {
                queue: VecDeque::new(),
                jobs: Jobs::default(),
                next_key: 0,
                workers: Vec::new(),
                asleep: 0,
                invitations: 0,
                refused: false,
            }),
            invited: Condvar::new(),
            waiting: Condvar::new(),
            demand: Demand::default(),
            #[cfg(all(test, feature = "shuttle"))]
            forgets_waiters: std::sync::atomic::AtomicBool::new(false),
            era: AtomicUsize::new(0),
        })
    }

    /// Does this crew belong to the process that asks? If not, its locks must not be touched.
    pub(crate) fn is_here(&self) -> bool {
        self.home.is_here()
    }

    /// Lets up to `room` helpers take part in `batch` while `work` runs. All of them have left when this returns.
    /// At most `most` workers are started.
    pub(crate) fn with_helpers<'batch>(
        &self,
        batch: &'batch (dyn TakePart + 'batch),
        room: usize,
        most: usize,
        work: impl FnOnce(),
    ) {
        let urgency = Urgency::of_this_thread();
        let mut state = lock(&self.state);
        let key = state.next_key;
        state.next_key += 1;
        state.queue.push_back(Entry {
            key,
            batch: BatchRef::new(batch),
            urgency,
            room,
            inside: 0,
            expected: 0,
            caller_waits: false,
        });
        self.demand.more(urgency);
        // From here on the entry must come out of the queue before `batch` goes.
        let enrolled = Enrolled { crew: self, key, batch, urgency };
        let wake = state.invite(self, key, most);
        if urgency != Urgency::Call {
            self.wake_waiters(&state);
        }
        drop(state);
        self.wake(wake);
        work();
        drop(enrolled);
    }

    /// Ends all workers of this era and waits until they are gone.
    pub(crate) fn shutdown(&self) {
        let mut state = lock(&self.state);
        self.era.fetch_add(1, Ordering::Relaxed);
        let workers = mem::take(&mut state.workers);
        state.asleep = 0;
        state.invitations = 0;
        state.refused = false;
        self.invited.notify_all();
        let speculation = state.end_speculation(self);
        drop(state);
        self.drop_jobs(speculation);
        let myself = thread::current().id();
        for worker in workers {
            // A task must not shut its pool down; if it does, at least it does not wait for itself.
            if worker.thread().id() != myself {
                // An error would be a panic of the worker, who catches them all.
                let _ = worker.join();
            }
        }
    }

    pub(crate) fn workers(&self) -> usize {
        lock(&self.state).workers.len()
    }

    /// Wakes as many sleepers as there are new invitations. Without the lock, so that they need not wait for it.
    pub(crate) fn wake(&self, count: usize) {
        for _ in 0..count {
            self.invited.notify_one();
        }
    }

    /// The life of a worker.
    fn work(&self, era: usize, most: usize) {
        let ends = || self.era.load(Ordering::Relaxed) != era;
        let mut state = lock(&self.state);
        while !ends() {
            // What was begun comes before what was not.
            for urgency in [Urgency::Request, Urgency::Speculation] {
                if let Some(entered) = state.enter(urgency) {
                    let wake = state.invite(self, entered.key, most);
                    drop(state);
                    self.wake(wake);
                    let urgency = entered.urgency;
                    // One task at least: what is more urgent may have no room for us.
                    let has_begun = Cell::new(false);
                    with_callers_scratch(|scratch| {
                        self.help(&entered, scratch, &|_| {
                            ends() || has_begun.replace(true) && self.demand.beyond(urgency)
                        });
                    });
                    state = lock(&self.state);
                    break;
                }
                if let Some(job) = state.next_job(self, urgency) {
                    drop(state);
                    self.run_job(job, urgency);
                    state = lock(&self.state);
                    break;
                }
                if urgency == Urgency::Speculation {
                    state = self.sleep(state, era);
                }
            }
        }
    }

    /// Takes part in a batch until there is nothing left to do or `leave` says so, and leaves it.
    pub(crate) fn help(
        &self,
        entered: &Entered,
        scratch: &mut Scratch,
        leave: &dyn Fn(&mut Scratch) -> bool,
    ) {
        {
            // SAFETY: `enter` has counted us in, and `leave` below counts us out; the reference ends before it.
            let batch = unsafe { entered.batch.get() };
            batch.take_part(scratch, leave);
        }
        lock(&self.state).leave(entered.key);
    }

    /// Sleeps until there is an invitation (and takes it) or the era ends.
    fn sleep<'crew>(
        &'crew self,
        mut state: MutexGuard<'crew, State>,
        era: usize,
    ) -> MutexGuard<'crew, State> {
        state.asleep += 1;
        loop {
            state = wait(&self.invited, state);
            if self.era.load(Ordering::Relaxed) != era {
                // The counts are already those of the next era.
                return state;
            }
            if state.invitations > 0 {
                state.invitations -= 1;
                state.asleep -= 1;
                return state;
            }
        }
    }
}

impl State {
    fn entry(&mut self, key: u64) -> Option<&mut Entry> {
        self.queue.iter_mut().find(|entry| entry.key == key)
    }

    /// Enters the oldest of the most urgent batches that can use a helper. Less urgent ones than `least` do not count.
    pub(crate) fn enter(&mut self, least: Urgency) -> Option<Entered> {
        let can_be_entered = |entry: &&mut Entry| {
            // SAFETY: `&mut self` means that the lock is held, and the entry is in the queue.
            entry.urgency <= least
                && entry.inside < entry.room
                && unsafe { entry.batch.get() }.has_unclaimed()
        };
        // The first one of the least: the queue is in order of age.
        let entry = self.queue.iter_mut().filter(can_be_entered).min_by_key(|entry| entry.urgency)?;
        entry.inside += 1;
        Some(Entered { key: entry.key, batch: entry.batch, urgency: entry.urgency })
    }

    fn leave(&mut self, key: u64) {
        if let Some(entry) = self.entry(key) {
            entry.inside -= 1;
            if entry.inside == 0 && entry.caller_waits {
                // SAFETY: `&mut self` means that the lock is held, and the entry is in the queue: the caller, once
                // woken, has to wait for the lock before it can remove the entry.
                unsafe { entry.batch.get() }.all_left().notify_one();
            }
        }
    }

    /// Invites helpers to a batch: sleepers first, then new workers as long as there are fewer than `most`. Gives
    /// back how many sleepers are to be woken.
    fn invite(&mut self, crew: &Crew, key: u64, most: usize) -> usize {
        let free = self.asleep - self.invitations;
        let can_start = if self.refused { 0 } else { most.saturating_sub(self.workers.len()) };
        let Some(entry) = self.entry(key) else { return 0 };
        // Those who came without an invitation (from another batch) are expected no more than those who had one.
        entry.expected = entry.expected.max(entry.inside);
        let count = entry.room.saturating_sub(entry.expected).min(INVITATIONS).min(free + can_start);
        entry.expected += count;
        let wake = count.min(free);
        self.invitations += wake;
        for _ in wake..count {
            self.start(crew, most);
        }
        wake
    }

    /// Calls a worker in for a job: how many sleepers are to be woken for it. `None` if there is none and none can be
    /// started. One that is busy comes when it is done.
    pub(crate) fn call_in(&mut self, crew: &Crew, most: usize) -> Option<usize> {
        if self.asleep > self.invitations {
            self.invitations += 1;
            return Some(1);
        }
        if !self.refused && self.workers.len() < most {
            self.start(crew, most);
        }
        (!self.workers.is_empty()).then_some(0)
    }

    /// Starts a worker. If the system refuses, the work is done by those who are there.
    fn start(&mut self, crew: &Crew, most: usize) {
        let Some(shared) = crew.me.upgrade() else { return };
        let era = crew.era.load(Ordering::Relaxed);
        let _blocked = SignalsBlocked::here();
        let number = self.workers.len() + 1;
        let started = thread::Builder::new()
            .name(format!("h5bypass-{number}"))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                trace::name_worker(number);
                // Now, and not in the middle of a batch: this takes the loader's lock, and who waits for the batch may be unloading a
                // library.
                with_callers_scratch(|_| ());
                shared.work(era, most);
            });
        match started {
            Ok(handle) => self.workers.push(handle),
            Err(_) => self.refused = true,
        }
    }
}

/// A batch is in the queue; dropping this takes it out and waits for its helpers.
struct Enrolled<'crew, 'batch> {
    crew: &'crew Crew,
    key: u64,
    batch: &'batch (dyn TakePart + 'batch),
    urgency: Urgency,
}

impl Drop for Enrolled<'_, '_> {
    fn drop(&mut self) {
        let mut looks = 0;
        let mut idle = None;
        let mut state = lock(&self.crew.state);
        while let Some(position) = state.queue.iter().position(|entry| entry.key == self.key) {
            let entry = &mut state.queue[position];
            if entry.inside == 0 {
                state.queue.remove(position);
                self.crew.demand.less(self.urgency);
                return;
            }
            entry.room = 0;
            idle.get_or_insert_with(|| trace::span(Kind::PoolWait));
            if looks < LOOKS {
                looks += 1;
                drop(state);
                (0..PAUSES).for_each(|_| hint::spin_loop());
                state = lock(&self.crew.state);
            } else {
                entry.caller_waits = true;
                state = wait(self.batch.all_left(), state);
            }
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_has_refused_a_thread_is_not_asked_again() {
        let crew = Crew::new();
        let work = |_, _: &mut Scratch| Ok::<(), ()>(());
        let batch = crate::batch::Batch::new(4, &work);
        lock(&crew.state).refused = true;
        crew.with_helpers(&batch, 3, 3, || ());
        assert_eq!(lock(&crew.state).call_in(&crew, 3), None);
        assert_eq!(crew.workers(), 0);
        crew.shutdown();
    }
}
