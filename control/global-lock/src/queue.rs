//! First come, first served: who may try the host's lock next.
//!
//! A ticket lock whose waiters sleep. The lock of the queue orders everything; it is held for a few instructions.

use crate::shim::{Condvar, Mutex, MutexGuard};
use std::process;
use std::sync::{OnceLock, PoisonError};
use trace::Kind;

/// Waiters are spread over this many condition variables by their ticket, so that the next one is woken and (as long
/// as there are not more than this) nobody else.
const SLOTS: usize = 16;

pub(crate) struct Queue {
    /// The process in which the queue was first used.
    home: OnceLock<u32>,
    tickets: Mutex<Tickets>,
    served: [Condvar; SLOTS],
    /// The queue of a child process, see [`Queue::here`].
    child: OnceLock<Box<Queue>>,
}

struct Tickets {
    next: u64,
    serving: u64,
}

/// It is this thread's turn, until the value is dropped.
pub(crate) struct Turn<'queue> {
    queue: &'queue Queue,
    ticket: u64,
}

impl Queue {
    pub(crate) const fn new() -> Self {
        Self {
            home: OnceLock::new(),
            tickets: Mutex::new(Tickets { next: 0, serving: 0 }),
            served: [const { Condvar::new() }; SLOTS],
            child: OnceLock::new(),
        }
    }

    /// Waits in the line until all who came before have had their turns.
    pub(crate) fn wait_for_turn(&self) -> Turn<'_> {
        let queue = self.here();
        let mut tickets = queue.lock();
        let ticket = tickets.next;
        tickets.next += 1;
        let _waiting = (tickets.serving != ticket).then(|| trace::span(Kind::LockWait));
        while tickets.serving != ticket {
            tickets = queue.slot(ticket).wait(tickets).unwrap_or_else(PoisonError::into_inner);
        }
        Turn { queue, ticket }
    }

    /// How many are in the line, including the one whose turn it is.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        let tickets = self.here().lock();
        tickets.next - tickets.serving
    }

    /// The queue of this process. After fork() the old one is not touched any more: its lock may be held, and its
    /// tickets belong to threads that do not exist here. (The cells hold a number and an empty queue: what fills them
    /// takes no time, and happens once in a process.)
    fn here(&self) -> &Self {
        let process = process::id();
        let mut queue = self;
        while *queue.home.get_or_init(|| process) != process {
            queue = queue.child.get_or_init(|| Box::new(Self::new()));
        }
        queue
    }

    fn lock(&self) -> MutexGuard<'_, Tickets> {
        // Nothing panics while it holds this lock.
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, ticket: u64) -> &Condvar {
        // The remainder fits whatever a usize is.
        &self.served[usize::try_from(ticket % SLOTS as u64).unwrap_or(0)]
    }
}

impl Turn<'_> {
    /// Tickets are numbered in the order of arrival.
    pub(crate) fn ticket(&self) -> u64 {
        self.ticket
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut tickets = self.queue.lock();
        tickets.serving += 1;
        drop(tickets);
        // More than one may sleep in the slot; only the one whose number it is goes on.
        self.queue.slot(self.ticket + 1).notify_all();
    }
}
