//! Beginning an operation that goes on after the call.

use std::sync::Arc;

use global_lock::{Claim, UserCallbackScope};
use h5_vol::calls::RequestSlot;
use h5_vol::{Error, Host, Object, Result};
use pool::{Class, Pool, Refused};

use crate::requests::order;
use crate::requests::request::{Operation, Request, UnderWay};
use crate::{Bypass, Data};

/// Bytes from which it is worth leaving them to another thread: below, the caller is done as soon.
pub(crate) const WORTH_SUBMITTING: u64 = 16 * 1024;

impl Bypass {
    /// Whether a call that moves so many bytes may go on after it has returned.
    pub(crate) fn may_submit(&self, slot: &RequestSlot<'_>, bytes: u64) -> bool {
        slot.is_asynchronous()
            && bytes >= WORTH_SUBMITTING
            && !UserCallbackScope::is_active()
            && Pool::global().threads() > 1
            && !self.requests.has_failed()
    }

    /// Begins an operation. If nobody is there to do it, it is done now.
    pub(crate) fn submit(
        &self,
        host: Host,
        slot: &RequestSlot<'_>,
        handles: Vec<Arc<Object<Self>>>,
        claims: Vec<Claim>,
        operation: Arc<dyn Operation>,
    ) -> Result<()> {
        order::forget();
        let Some(first) = handles.first().map(Arc::clone) else {
            return Err(Error::bad_argument("an operation on no dataset"));
        };
        // Otherwise nobody would finish it if the process ends.
        let can_be_finished = first.call_before_library_closes();
        let (number, process) = self.requests.next();
        let under_way = UnderWay { operation, handles: handles.into() };
        let request = Arc::new(Request::new(number, process, under_way, claims));
        let worker = Arc::clone(&request);
        let is_under_way = can_be_finished
            && match Pool::global().submit(Class::Request, move |_| worker.work()) {
                Ok(job) => request.job.set(job).is_ok(),
                Err(Refused(_)) => false,
            };
        if !is_under_way {
            return self.do_now(host, &request);
        }
        self.requests.add(&request);
        slot.give(&first, Data::of_request(Arc::clone(&request))).inspect_err(|_| {
            self.finish(host, &request);
        })
    }

    /// Does what nobody else is there to do.
    fn do_now(&self, host: Host, request: &Request) -> Result<()> {
        let Some(UnderWay { operation, .. }) = request.under_way() else { return Ok(()) };
        if request.stores {
            // What came first is stored first. It keeps what goes wrong.
            let _ = self.finish_those(host, |other| other.stores);
            self.locks.without_but_claims(host, || request.work());
        } else {
            self.locks.without(host, || request.work());
        }
        let finished = operation.finish(self, host);
        request.release_claims();
        finished.and_then(|()| operation.relieve(self, host))
    }
}
