//! Finishing requests: by who waits for one, or who needs what it works on.

use std::sync::Arc;

use global_lock::Wanted;
use h5_vol::{Error, Host, Object, ObjectKind, Result};
use pool::{Ended, Job};

use crate::Bypass;
use crate::requests::request::{End, Request, UnderWay};

impl Bypass {
    /// Finishes the requests that a call would have to wait for.
    pub(crate) fn finish_in_the_way(&self, host: Host, wanted: &Wanted) {
        // They keep what went wrong, for those who wait for them.
        let _ = self.finish_those(host, |request| request.is_in_the_way_of(wanted));
    }

    /// Finishes the requests of a handle. Fails if one of them is a write and fails.
    pub(crate) fn finish_handle(&self, host: Host, handle: &Object<Self>) -> Result<()> {
        self.finish_those(host, |request| request.is_of(handle))
    }

    /// Finishes the requests in the file of an object. Fails if one of them is a write and fails.
    pub(crate) fn finish_file(&self, host: Host, object: &Object<Self>) -> Result<()> {
        // An object may have been reached through another file than the one that it lies in.
        let is_file = object.kind() == ObjectKind::File;
        self.finish_those(host, |request| !is_file || request.is_in_file_of(object))
    }

    /// Finishes the requests of files that should be closed by now, before a file is opened or looked for by its name.
    pub(crate) fn finish_closed_files(&self, host: Host) {
        for request in self.requests.of_closed_handles() {
            // It keeps what went wrong, for those who wait for it.
            self.finish(host, &request);
        }
    }

    /// Finishes all requests of the host. Fails if one of them is a write and fails.
    pub(crate) fn finish_all(&self, host: Host) -> Result<()> {
        self.finish_those(host, |_| true)
    }

    /// The library is about to close everything: reads that have not begun are dropped, the rest is finished.
    pub(crate) fn finish_at_the_end(&self, host: Host) {
        for request in self.requests.those(|request| !request.stores) {
            if !request.writes() && request.job.get().is_some_and(Job::cancel) {
                self.end_cancelled(&request);
            }
        }
        // Nobody is left to tell what goes wrong.
        let _ = self.finish_all(host);
    }

    /// Finishes requests of which this is true. Fails if one of them is a write and fails.
    pub(crate) fn finish_those(&self, host: Host, is_wanted: impl Fn(&Request) -> bool) -> Result<()> {
        if self.requests.is_empty() {
            return Ok(());
        }
        let mut outcome = Ok(());
        for request in self.requests.those(is_wanted) {
            if let End::Failed { message, .. } = &*self.finish(host, &request)
                && request.writes()
            {
                outcome = outcome.and(Err(Error::failed(message)));
            }
        }
        outcome
    }

    /// Finishes a request, and before it all others that store something and came first: where chunks are stored must not
    /// depend on who waits for what.
    pub(super) fn finish(&self, host: Host, request: &Arc<Request>) -> Arc<End> {
        if request.stores {
            for earlier in self.requests.storing_before(request) {
                self.finish_one(host, &earlier);
            }
        }
        self.finish_one(host, request)
    }

    fn finish_one(&self, host: Host, request: &Arc<Request>) -> Arc<End> {
        if let Some(end) = request.end() {
            return end;
        }
        // Its claims were released when the work was done, or it keeps them until the end.
        let worked = if request.has_worked() {
            request.wait_for_work()
        } else {
            self.locks.without(host, || request.wait_for_work())
        };
        if let Some(end) = self.locks.take(host, &request.ending) {
            return end;
        }
        let Some(UnderWay { operation, handles }) = request.under_way() else {
            return tell_end(request, End::Cancelled);
        };
        let unfinished = Unfinished { connector: self, request };
        let finished = match worked {
            Ended::Done => operation.finish(self, host),
            Ended::Dropped | Ended::Panicked | Ended::InParent => {
                Err(Error::failed("an asynchronous operation has ended early"))
            }
        };
        request.release_claims();
        // The rest is done all the same.
        self.requests.remove(request);
        let relieved = operation.relieve(self, host);
        drop(operation);
        let end = self.let_go(request, &handles, finished.and(relieved), End::Succeeded);
        std::mem::forget(unfinished);
        tell_end(request, end)
    }

    /// A request that has not begun and will not.
    pub(super) fn end_cancelled(&self, request: &Arc<Request>) -> Arc<End> {
        let handles = request.under_way().map_or_else(Arc::default, |under_way| under_way.handles);
        request.release_claims();
        self.requests.remove(request);
        let end = self.let_go(request, &handles, Ok(()), End::Cancelled);
        tell_end(request, end)
    }

    /// Lets go of what a request holds, and closes what waits for that. Gives how it ends if nothing fails.
    fn let_go(
        &self,
        request: &Request,
        handles: &[Arc<Object<Self>>],
        finished: Result<()>,
        end: End,
    ) -> End {
        request.let_go();
        match finished.and(self.close_what_is_due()) {
            Ok(()) => end,
            Err(error) => self.failure_of(request, handles, &error),
        }
    }

    fn failure_of(&self, request: &Request, handles: &[Arc<Object<Self>>], error: &Error) -> End {
        self.requests.note_failure();
        let errors = handles.first().and_then(|handle| handle.keep_errors(request.callback(), error));
        End::Failed { message: error.to_string(), errors }
    }

    /// Closes handles whose requests have all ended.
    fn close_what_is_due(&self) -> Result<()> {
        let outcomes: Vec<_> = self.requests.due_closes().into_iter().map(|close| close(self)).collect();
        outcomes.into_iter().collect()
    }
}

/// Notes how a request has ended, and tells those who want to hear of it.
fn tell_end(request: &Request, end: End) -> Arc<End> {
    let (end, notifications) = request.set_end(end);
    for notification in notifications {
        notification.tell(end.status());
    }
    end
}

/// A request that a panic has left unfinished: it has failed, so that nobody waits for ever.
struct Unfinished<'a> {
    connector: &'a Bypass,
    request: &'a Arc<Request>,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.request.release_claims();
        self.request.let_go();
        self.connector.requests.remove(self.request);
        self.connector.requests.note_failure();
        let message = "a panic".to_owned();
        drop(self.request.set_end(End::Failed { message, errors: None }));
    }
}
