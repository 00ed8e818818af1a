//! All requests of one host that have not ended, and the closes that wait for them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use global_lock::PerProcess;
use h5_vol::{Object, Result};

use crate::Bypass;
use crate::requests::request::Request;

/// The requests of a host. A forked process has none of its parent's.
#[derive(Debug)]
pub(crate) struct Requests {
    here: PerProcess<Here>,
}

#[derive(Debug, Default)]
struct Here {
    /// How many there are, so that calls need not take the lock. Changed under it.
    count: AtomicUsize,
    next: AtomicU64,
    /// Operations that have failed, and whose event sets may still be there.
    failures: AtomicUsize,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    /// In their order.
    under_way: VecDeque<Arc<Request>>,
    closes: Vec<PutOff>,
}

/// Closes a handle.
pub(crate) type Close = Box<dyn FnOnce(&Bypass) -> Result<()> + Send>;

/// A close that comes when no request of the handle is under way any more.
struct PutOff {
    handle: Arc<Object<Bypass>>,
    close: Close,
}

impl std::fmt::Debug for PutOff {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PutOff").field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl Here {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Requests {
    pub(crate) fn new() -> Self {
        Self { here: PerProcess::new(Here::default()) }
    }

    fn here(&self) -> &Here {
        self.here.here().0
    }

    /// Whether none is under way.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Acquire: who has added one, or removed it, did so before under the host's lock, which this thread holds now.
        self.here().count.load(Ordering::Acquire) == 0
    }

    /// A number for the next one, and the process it belongs to.
    pub(super) fn next(&self) -> (u64, u32) {
        let (here, process) = self.here.here();
        (here.next.fetch_add(1, Ordering::Relaxed), process)
    }

    /// Where it is, to tell the requests of different hosts apart.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether a request is one of this process.
    pub(super) fn is_here(&self, request: &Request) -> bool {
        self.here.here().1 == request.process
    }

    pub(super) fn add(&self, request: &Arc<Request>) {
        let here = self.here();
        let mut lists = here.lists();
        lists.under_way.push_back(Arc::clone(request));
        here.count.store(lists.under_way.len(), Ordering::Release);
    }

    pub(super) fn remove(&self, request: &Arc<Request>) {
        let here = self.here();
        let mut lists = here.lists();
        if let Ok(place) = lists.under_way.binary_search_by_key(&request.number, |other| other.number) {
            lists.under_way.remove(place);
        }
        here.count.store(lists.under_way.len(), Ordering::Release);
    }

    /// Those that are under way and of which this is true, in their order. Nothing else is asked of this value meanwhile.
    pub(super) fn those(&self, is_wanted: impl Fn(&Request) -> bool) -> Vec<Arc<Request>> {
        if self.is_empty() {
            return Vec::new();
        }
        self.here().lists().under_way.iter().filter(|request| is_wanted(request)).cloned().collect()
    }

    /// Those that come before this one and store something, in their order.
    pub(super) fn storing_before(&self, request: &Request) -> Vec<Arc<Request>> {
        let lists = self.here().lists();
        let before = lists.under_way.iter().take_while(|other| other.number < request.number);
        before.filter(|other| other.stores).cloned().collect()
    }

    /// Whether one is under way that was begun through this handle.
    pub(crate) fn has_any_of(&self, handle: &Object<Bypass>) -> bool {
        !self.is_empty() && self.here().lists().under_way.iter().any(|request| request.is_of(handle))
    }

    /// Puts the close of a handle off until no request of it is under way.
    pub(crate) fn put_off(&self, handle: Arc<Object<Bypass>>, close: Close) {
        self.here().lists().closes.push(PutOff { handle, close });
    }

    /// Those that were begun through handles whose close was put off, in their order.
    pub(super) fn of_closed_handles(&self) -> Vec<Arc<Request>> {
        if self.is_empty() {
            return Vec::new();
        }
        let lists = self.here().lists();
        let is_closed = |request: &Request| lists.closes.iter().any(|put_off| request.is_of(&put_off.handle));
        lists.under_way.iter().filter(|request| is_closed(request)).cloned().collect()
    }

    /// Takes the closes that nothing is in the way of any more, in their order.
    pub(super) fn due_closes(&self) -> Vec<Close> {
        let mut lists = self.here().lists();
        let Lists { under_way, closes } = &mut *lists;
        let is_due = |put_off: &mut PutOff| !under_way.iter().any(|request| request.is_of(&put_off.handle));
        closes.extract_if(.., is_due).map(|put_off| put_off.close).collect()
    }

    /// An operation has failed: its event set takes no more requests.
    pub(super) fn note_failure(&self) {
        self.here().failures.fetch_add(1, Ordering::Relaxed);
    }

    /// The event set of an operation that has failed is gone.
    pub(super) fn forget_failure(&self) {
        let less = |failures: usize| failures.checked_sub(1);
        let _ = self.here().failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Whether there may be an event set that takes no more requests.
    pub(super) fn has_failed(&self) -> bool {
        self.here().failures.load(Ordering::Relaxed) > 0
    }
}
