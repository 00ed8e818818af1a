//! Claims: which calls read or write which part of a dataset, and which calls wait for one.
//!
//! A table holds all claims in the order in which they were requested. A claim is granted as soon as no earlier claim
//! conflicts with it. So no claim overtakes a conflicting one, and claims that do not conflict are held together. The
//! lock of the table orders everything. It is held for a few instructions, and no thread waits while it holds it.

use crate::area::{Area, Use};
use crate::committers::Committing;
use crate::lock::Released;
use crate::per_process::PerProcess;
use crate::shim::{Condvar, Mutex, MutexGuard, thread};
use crate::thread_mark::UserCallbackScope;
use std::fmt;
use std::sync::{Arc, PoisonError};
use thread::ThreadId;
use trace::Kind;

/// Waiters are spread over this many condition variables by their ticket. As long as there are no more waiters than
/// this, only those that can proceed are woken.
const SLOTS: usize = 16;

/// The claims on one dataset: areas that calls read, areas that calls write, and the calls that wait for them.
///
/// A call claims the area that it touches before it does anything else, and keeps the claim until it has taken effect.
/// Calls that conflict take effect one after the other, in the order of their requests. So each call is atomic.
pub struct Claims {
    table: PerProcess<Table>,
}

/// An area that a call has claimed, until the value is dropped.
///
/// It belongs to the thread that requested it, but another thread may drop it.
#[must_use = "the area is given up as soon as the claim is dropped"]
pub struct Claim {
    claims: Arc<Claims>,
    process: u32,
    ticket: u64,
}

#[derive(Default)]
struct Table {
    entries: Mutex<Entries>,
    granted: [Condvar; SLOTS],
}

#[derive(Default)]
struct Entries {
    next_ticket: u64,
    /// In the order of their tickets.
    list: Vec<Entry>,
    waiting: usize,
}

struct Entry {
    ticket: u64,
    area: Area,
    what: Use,
    owner: ThreadId,
    /// Asked for in a user's callback: see [`Claims::claim_in_callback`].
    in_callback: bool,
    waits: bool,
}

impl Claims {
    /// No claims.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { table: PerProcess::new(Table::default()) })
    }

    /// Claims an area without waiting. Returns `None` if another call holds, or waits for, a conflicting area. Allowed
    /// everywhere.
    pub fn try_claim(self: &Arc<Self>, area: &Area, what: Use) -> Option<Claim> {
        let entry = Entry::new(area, what, false);
        let (table, process) = self.table.here();
        let mut entries = table.lock();
        let ticket = entries.add(entry);
        if entries.is_blocked(ticket) {
            entries.remove(ticket);
            return None;
        }
        Some(Claim { claims: Arc::clone(self), process, ticket })
    }

    /// Waits for an area, first come, first served: a later claim never overtakes an earlier one that conflicts with it.
    ///
    /// A thread that has waited holds the claim before it holds the global lock again, so it must be counted among the
    /// [`Committers`](crate::Committers) at least until then. A thread that holds a claim does not wait for another one;
    /// it requests several together: [`Wanted`](crate::Wanted).
    pub(crate) fn claim(
        self: &Arc<Self>,
        area: &Area,
        what: Use,
        _proof: &Released<'_>,
        _counted: &Committing<'_>,
    ) -> Claim {
        self.wait_for(Entry::new(area, what, false))
    }

    /// Waits for an area in a user's callback, where the thread keeps the global lock.
    ///
    /// It waits only for calls that do not need the lock before they release their claims. Calls that need it are
    /// [`Committers`](crate::Committers), and none was left when the callback began. It does not wait for claims of its
    /// own thread: they belong to the call that calls back, which does not end before this one.
    pub(crate) fn claim_in_callback(self: &Arc<Self>, area: &Area, what: Use) -> Claim {
        assert!(UserCallbackScope::is_active(), "not in a user's callback: wait without the global lock");
        self.wait_for(Entry::new(area, what, true))
    }

    /// For the models that show what happens to a thread that waits without a proof.
    #[cfg(all(test, feature = "shuttle"))]
    pub(crate) fn claim_without_proof(self: &Arc<Self>, area: &Area, what: Use) -> Claim {
        self.wait_for(Entry::new(area, what, false))
    }

    /// Whether a claim of this area would have to wait for that one.
    pub(crate) fn would_wait_for(self: &Arc<Self>, area: &Area, what: Use, claim: &Claim) -> bool {
        if !Arc::ptr_eq(self, &claim.claims) {
            return false;
        }
        let Some(table) = self.table.still_in(claim.process) else { return false };
        let entries = table.lock();
        let entry = entries.place(claim.ticket).map(|place| &entries.list[place]);
        entry.is_some_and(|entry| what.excludes(entry.what) && area.overlaps(&entry.area))
    }

    /// Whether no call holds a claim or waits for one.
    pub fn is_idle(&self) -> bool {
        self.table.here().0.lock().list.is_empty()
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.table.here().0.lock().waiting
    }

    /// Joins the queue for an area without waiting. Allowed everywhere. What comes later does not overtake it.
    pub(crate) fn queue_up(self: &Arc<Self>, area: &Area, what: Use) -> Queued {
        self.add(Entry::new(area, what, false))
    }

    fn wait_for(self: &Arc<Self>, entry: Entry) -> Claim {
        self.add(entry).granted()
    }

    fn add(self: &Arc<Self>, entry: Entry) -> Queued {
        let (table, process) = self.table.here();
        let ticket = table.lock().add(entry);
        Queued(Claim { claims: Arc::clone(self), process, ticket })
    }
}

/// An area that a call has asked for and may not use yet.
pub(crate) struct Queued(Claim);

impl Queued {
    /// Waits for it, as [`Claims::claim`] does.
    pub(crate) fn wait(self, _proof: &Released<'_>, _counted: &Committing<'_>) -> Claim {
        self.granted()
    }

    fn granted(self) -> Claim {
        let claim = self.0;
        if let Some(table) = claim.claims.table.still_in(claim.process) {
            let (mut entries, ticket) = (table.lock(), claim.ticket);
            if entries.is_blocked(ticket) {
                entries.set_waits(ticket, true);
                let _waiting = trace::span(Kind::ClaimWait);
                while entries.is_blocked(ticket) {
                    let slot = &table.granted[slot_of(ticket)];
                    entries = slot.wait(entries).unwrap_or_else(PoisonError::into_inner);
                }
                entries.set_waits(ticket, false);
            }
        }
        claim
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The claims of the parent are no business of a child's.
        let Some(table) = self.claims.table.still_in(self.process) else { return };
        let mut entries = table.lock();
        let unblocked = entries.remove(self.ticket);
        drop(entries);
        for (slot, granted) in table.granted.iter().enumerate() {
            if unblocked & 1 << slot != 0 {
                // More than one may sleep in the slot; who is still blocked sleeps on.
                granted.notify_all();
            }
        }
    }
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        // Nothing panics while it holds this lock.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// Appends an entry under a new ticket.
    fn add(&mut self, mut entry: Entry) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        entry.ticket = ticket;
        self.list.push(entry);
        ticket
    }

    /// Removes an entry. Returns, as bits, the slots of waiters that only this entry still blocked.
    fn remove(&mut self, ticket: u64) -> u32 {
        let Some(place) = self.place(ticket) else { return 0 };
        let gone = self.list.remove(place);
        if self.waiting == 0 {
            return 0;
        }
        let mut unblocked = 0;
        for (place, later) in self.list.iter().enumerate().skip(place) {
            if later.waits && later.has_to_wait_for(&gone) && !later.is_blocked_by(&self.list[..place]) {
                unblocked |= 1 << slot_of(later.ticket);
            }
        }
        unblocked
    }

    fn is_blocked(&self, ticket: u64) -> bool {
        self.place(ticket).is_some_and(|place| self.list[place].is_blocked_by(&self.list[..place]))
    }

    fn set_waits(&mut self, ticket: u64, waits: bool) {
        if let Some(place) = self.place(ticket) {
            self.list[place].waits = waits;
            self.waiting = if waits { self.waiting + 1 } else { self.waiting - 1 };
        }
    }

    fn place(&self, ticket: u64) -> Option<usize> {
        self.list.binary_search_by_key(&ticket, |entry| entry.ticket).ok()
    }
}

impl Entry {
    fn new(area: &Area, what: Use, in_callback: bool) -> Self {
        let owner = thread::current().id();
        Self { ticket: 0, area: area.clone(), what, owner, in_callback, waits: false }
    }

    fn is_blocked_by(&self, earlier: &[Self]) -> bool {
        earlier.iter().any(|earlier| self.has_to_wait_for(earlier))
    }

    fn has_to_wait_for(&self, earlier: &Self) -> bool {
        self.what.excludes(earlier.what)
            && self.area.overlaps(&earlier.area)
            && !(self.in_callback && self.owner == earlier.owner)
    }
}

fn slot_of(ticket: u64) -> usize {
    // The remainder fits whatever a usize is.
    usize::try_from(ticket % SLOTS as u64).unwrap_or(0)
}

impl fmt::Debug for Claims {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Claims").finish_non_exhaustive()
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Claim").field("ticket", &self.ticket).finish_non_exhaustive()
    }
}
