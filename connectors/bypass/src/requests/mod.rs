//! Operations that go on after the call that has begun them: asynchronous reads and writes.
//!
//! The data plane is asynchronous, the control plane is not. A call resolves everything that HDF5 must be asked, under its lock,
//! and leaves the rest to a job of the pool. What needs HDF5 again (storing chunks) is done by the thread that *finishes* the
//! request: who waits for it, or who needs what it works on. So HDF5 is never called by a thread of ours, and it does not
//! depend on time where chunks are stored: requests that store are finished in their order.
//!
//! * **Claims** of a request belong to no thread. A call that needs the same area finishes the request first
//!   (`Wanted::claim_finishing`).
//! * **Barriers** finish requests: closing and flushing, calls that look at what is stored, opening files, the end of the
//!   library.
//! * **Closes** of datasets are put off until the last request of the handle has ended. They have no request of their own: HDF5
//!   uses the handle's memory after it was freed if they have one.
//! * **Failures** are kept with the request until an event set asks. After one, everything runs synchronously: an event set
//!   with a failure takes no more requests, and calls would fail whose operations are under way. That ends when the set is
//!   closed, if that can be told: it frees the request, and nobody has asked for its errors.
//! * **fork():** a child knows nothing of its parent's requests. Waiting for one fails there.

pub(crate) mod answers;
pub(crate) mod finish;
pub(crate) mod order;
pub(crate) mod registry;
pub(crate) mod request;
pub(crate) mod submit;
