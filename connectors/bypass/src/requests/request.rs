//! One operation that is under way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use global_lock::{Claim, Ending, Wanted};
use h5_vol::calls::Notification;
use h5_vol::{Callback, Host, KeptErrors, Object, Result};
use pool::{Ended, Job};
use trace::{Kind, Label};

use crate::Bypass;

/// What is done for a request.
pub(crate) trait Operation: Send + Sync {
    /// The callback that has begun it, for its errors.
    fn callback(&self) -> Callback;

    /// Moves data, on any thread, without HDF5. Never fails: what went wrong is told by [`finish`](Self::finish).
    fn work(&self);

    /// Does what needs HDF5, which is not called by anybody else meanwhile unless the lock is given up. Fails if the work has.
    fn finish(&self, connector: &Bypass, host: Host) -> Result<()>;

    /// What may be done when it claims nothing any more.
    fn relieve(&self, _connector: &Bypass, _host: Host) -> Result<()> {
        Ok(())
    }

    /// Whether [`finish`](Self::finish) stores something. Until then nothing of it is in the file, and it keeps its claims.
    fn stores(&self) -> bool;

    /// For the trace.
    fn label(&self) -> Label {
        Label::NONE
    }
}

/// How a request has ended.
#[derive(Debug)]
pub(crate) enum End {
    Succeeded,
    Cancelled,
    Failed { message: String, errors: Option<KeptErrors> },
}

/// An operation, from the call that has begun it to the event set that frees it.
pub(crate) struct Request {
    /// Its place in the order of all requests of the host.
    pub(crate) number: u64,
    /// The process it belongs to.
    pub(super) process: u32,
    /// The callback that has begun it.
    callback: Callback,
    /// Whether something is stored when it is finished.
    pub(super) stores: bool,
    /// What is done, until it has ended: an event set may keep a request for long, but not the file open.
    under_way: Mutex<Option<UnderWay>>,
    claims: Mutex<Vec<Claim>>,
    pub(super) job: OnceLock<Job>,
    /// When it began to work, in microseconds since 1970, and for how long.
    time: OnceLock<(u64, Duration)>,
    pub(super) ending: Ending<Arc<End>>,
    /// Who wants to hear of its end.
    notifications: Mutex<Vec<Notification>>,
    /// Somebody has asked what went wrong.
    is_explained: AtomicBool,
}

/// What a request holds on to until it has ended.
#[derive(Clone)]
pub(super) struct UnderWay {
    pub(super) operation: Arc<dyn Operation>,
    /// The handles that it was begun through.
    pub(super) handles: Arc<[Arc<Object<Bypass>>]>,
}

impl Request {
    pub(super) fn new(number: u64, process: u32, under_way: UnderWay, claims: Vec<Claim>) -> Self {
        Self {
            number,
            process,
            callback: under_way.operation.callback(),
            stores: under_way.operation.stores(),
            under_way: Mutex::new(Some(under_way)),
            claims: Mutex::new(claims),
            job: OnceLock::new(),
            time: OnceLock::new(),
            ending: Ending::new(),
            notifications: Mutex::default(),
            is_explained: AtomicBool::new(false),
        }
    }

    /// Does the work, on the thread of a pool or of one who waits.
    pub(super) fn work(&self) {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = Instant::now();
        if let Some(UnderWay { operation, handles }) = self.under_way() {
            let mut call = trace::begin(Kind::Request).goes_on();
            let label = if call.is_on() { operation.label() } else { Label::NONE };
            call.deserves_a_span();
            call.note(label, handles.len(), 0);
            let _inside = call.enter(label);
            operation.work();
        }
        let started = u64::try_from(started.as_micros()).unwrap_or(u64::MAX);
        let _ = self.time.set((started, clock.elapsed()));
        if !self.stores {
            self.release_claims();
        }
    }

    /// What it does; `None` if it has ended.
    pub(super) fn under_way(&self) -> Option<UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets go of everything that it holds. In a callback of HDF5: this may close files.
    pub(super) fn let_go(&self) {
        let under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(under_way);
    }

    /// The callback that has begun it.
    pub(super) fn callback(&self) -> Callback {
        self.callback
    }

    /// When it began to work, in microseconds since 1970, and for how many nanoseconds it did. Zeros if it never has.
    pub(super) fn time(&self) -> (u64, u64) {
        let (started, lasted) = self.time.get().copied().unwrap_or_default();
        (started, u64::try_from(lasted.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Whether this call would have to wait for it.
    pub(super) fn is_in_the_way_of(&self, wanted: &Wanted) -> bool {
        let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.iter().any(|claim| wanted.has_to_wait_for(claim))
    }

    pub(super) fn release_claims(&self) {
        let claims = std::mem::take(&mut *self.claims.lock().unwrap_or_else(PoisonError::into_inner));
        drop(claims);
    }

    /// Whether it was begun through this handle.
    pub(crate) fn is_of(&self, handle: &Object<Bypass>) -> bool {
        let under_way = self.under_way();
        under_way.is_some_and(|it| it.handles.iter().any(|own| std::ptr::eq(&raw const **own, handle)))
    }

    /// Whether it reads or writes a dataset that was reached through the same file as this object.
    pub(super) fn is_in_file_of(&self, object: &Object<Bypass>) -> bool {
        let of = object.data().opening.as_ref();
        let number = of.and_then(|opening| opening.file_number());
        let is_same = |handle: &Arc<Object<Bypass>>| {
            let own = handle.data().opening.as_ref();
            own.is_some_and(|own| {
                of.is_some_and(|of| Arc::ptr_eq(of, own)) || number.is_some() && number == own.file_number()
            })
        };
        self.under_way().is_some_and(|it| it.handles.iter().any(is_same))
    }

    /// Whether it writes.
    pub(super) fn writes(&self) -> bool {
        self.callback == Callback::DatasetWrite
    }

    /// Whether the work is done.
    pub(super) fn has_worked(&self) -> bool {
        self.job.get().is_none_or(|job| job.ended().is_some())
    }

    /// Waits for the work, and helps. The work may have panicked.
    pub(super) fn wait_for_work(&self) -> Ended {
        self.job.get().map_or(Ended::Done, Job::wait)
    }

    /// How it has ended, if it has.
    pub(super) fn end(&self) -> Option<Arc<End>> {
        self.ending.get()
    }

    /// Somebody has asked what went wrong.
    pub(super) fn note_explained(&self) {
        self.is_explained.store(true, Ordering::Relaxed);
    }

    /// Whether it has failed, and nobody has asked why. If such a request is freed, its event set is: to forget a failure, the
    /// functions of event sets ask for the errors first.
    pub(super) fn has_failed_unexplained(&self) -> bool {
        matches!(self.end().as_deref(), Some(End::Failed { .. }))
            && !self.is_explained.load(Ordering::Relaxed)
    }

    /// It has ended. Gives how, and who wants to hear of it.
    pub(super) fn set_end(&self, end: End) -> (Arc<End>, Vec<Notification>) {
        let mut notifications = self.notifications.lock().unwrap_or_else(PoisonError::into_inner);
        (self.ending.set(Arc::new(end)), std::mem::take(&mut notifications))
    }

    /// Somebody wants to hear of its end. Given back if it has ended.
    pub(super) fn notify(&self, notification: Notification) -> Option<(Notification, Arc<End>)> {
        let mut notifications = self.notifications.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(end) = self.end() {
            return Some((notification, end));
        }
        notifications.push(notification);
        None
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Request").field("number", &self.number).finish_non_exhaustive()
    }
}
