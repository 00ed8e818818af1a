//! The worker threads of the data plane: one pool per process, and the caller works too.
//!
//! A read or write is cut into pieces sorted by file offset. [`Pool::run`] hands the pieces out in that order to
//! the calling thread and to as many workers as are free, and returns when all of them are done:
//!
//! ```
//! # if cfg!(feature = "shuttle") { return Ok(()) }
//! use pool::Pool;
//! use std::sync::Mutex;
//!
//! let sum = Mutex::new(0);
//! Pool::global().run(100, usize::MAX, |index, _scratch| {
//!     *sum.lock().unwrap() += index; // borrows from the caller's stack: `run` outlives every use
//!     Ok::<(), std::io::Error>(())
//! })?;
//! assert_eq!(sum.into_inner().unwrap(), 4950);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What the rest of the project relies on:
//!
//! * **Nobody waits for a worker.** The caller claims tasks like everybody else, so a call makes progress when all
//!   workers are busy, when they could not be started, and after [`Pool::shutdown`].
//! * **Small calls stay small.** One task, no helpers wanted, or a pool of one thread: the task runs on the caller
//!   with no lock taken and nobody woken.
//! * **Errors are those of a plain loop.** Tasks are claimed in increasing order, a claimed task always runs, and
//!   the error of the lowest index is returned: the one that a loop over the tasks would have met first.
//! * **A panic is the caller's.** It is caught on the worker, the tasks nobody claimed are skipped, and it goes on
//!   in the thread that called `run`. Workers survive.
//! * **fork().** A child has none of its parent's threads and perhaps some of its locks, held for ever. The pool
//!   notices by process id, without touching those locks, and starts afresh.
//! * **Signals and HDF5.** Workers run with every asynchronous signal blocked, so the application's handlers run on
//!   the application's threads. They run nothing but tasks; a task never calls HDF5.
//!
//! * **Work may go on after a call.** [`Pool::submit`] queues a [`Job`], which owns what it works on. Calls come first;
//!   who waits for a job helps.
//!
//! The files: `batch` is one call and its outcome, `crew` the threads and the queue of calls (the protocol
//! that makes borrowing sound is described there), `owned` the jobs, `urgency` what comes first, `pool` the public face, `scratch` and `aligned` the buffers,
//! `signals` and `home` what the operating system needs, `shim` the switch to shuttle for the tests.
//!
//! # A task cannot outlive what it borrows
//!
//! `run` takes any closure that may be *shared* between threads and gives it back its borrows before it returns.
//! What is not safe does not compile. A task cannot keep its scratch:
//!
//! ```compile_fail,E0521
//! let kept = std::sync::Mutex::new(None);
//! pool::Pool::new(2).run(2, 1, |_, scratch: &mut pool::Scratch| {
//!     *kept.lock().unwrap() = Some(scratch);
//!     Ok::<(), ()>(())
//! });
//! ```
//!
//! nor free what all tasks share, nor change it without a lock:
//!
//! ```compile_fail,E0507
//! let buffer = vec![0u8; 16];
//! pool::Pool::new(2).run(2, 1, |_, _| Ok::<(), ()>(drop(buffer)));
//! ```
//!
//! ```compile_fail,E0594
//! let mut sum = 0;
//! pool::Pool::new(2).run(2, 1, |index, _| {
//!     sum += index;
//!     Ok::<(), ()>(())
//! });
//! ```
//!
//! an error cannot smuggle out a borrow of something that dies first:
//!
//! ```compile_fail,E0597
//! let outcome = {
//!     let local = String::from("gone");
//!     pool::Pool::new(2).run(2, 1, |_, _| Err::<(), &str>(&local))
//! };
//! assert!(outcome.is_err());
//! ```
//!
//! and neither unshareable data nor unsendable errors get in:
//!
//! ```compile_fail,E0277
//! let count = std::cell::Cell::new(0);
//! pool::Pool::new(2).run(2, 1, |_, _| Ok::<(), ()>(count.set(1)));
//! ```
//!
//! ```compile_fail,E0277
//! pool::Pool::new(2).run(2, 1, |_, _| Err::<(), _>(std::rc::Rc::new(1)));
//! ```

mod aligned;
mod batch;
mod batch_ref;
mod crew;
mod home;
mod owned;
mod pool;
mod scratch;
mod shim;
mod signals;
mod urgency;

#[cfg(all(test, feature = "shuttle"))]
mod shuttle_tests;

pub use crate::owned::{Class, Ended, Job, Refused, Wanted};
pub use crate::pool::{Pool, after_fork_in_child};
pub use crate::scratch::{ALIGNMENT, KEPT_BYTES, OutOfMemory, Scratch, Tool};
