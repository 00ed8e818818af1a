//! When which thread did what: spans in bounded memory, written as a Chrome trace.
//!
//! Where something may take time, a [`Span`] is made before it and dropped behind it. As long as nobody has asked for a
//! trace ([`start`]) that is one relaxed load of a static. Otherwise the span goes into a list that belongs to the thread
//! (`lane`), which nobody else writes and nobody locks; when the process ends ([`finish`]) all lists become one file that
//! Perfetto and `chrome://tracing` open.
//!
//! ```
//! use trace::Kind;
//!
//! let mut call = trace::begin(Kind::Read).goes_on(); // a call of the application
//! call.note(trace::label("data.h5", "/temperature", "gzip"), 1, 1 << 20);
//! call.deserves_a_span();                            // and not a short one, see below
//! {
//!     let fetch = trace::span(Kind::Fetch).of(1 << 20);
//!     // pread
//!     let _decode = fetch.then(Kind::Decode);        // where one ends the next begins: the clock is looked at once
//! }
//! ```
//!
//! # What it costs
//!
//! Looking at the clock takes some 30 nanoseconds, and a span needs it twice. So nothing is recorded that does not take
//! a hundred times as long: small steps are left out ([`step`]), and short calls in a tight loop are counted until they have
//! taken some 50 microseconds together, which then are one span that says how many there were ([`Call`]).
//!
//! A thread has room for 65280 spans, all threads of the process together for two million (64 MiB). What comes later is
//! dropped, and the trace says how much that was.
//!
//! # fork()
//!
//! A child begins with an empty trace of its own, in another file ([`after_fork_in_child`]). It may end without a word (with
//! `_exit`, or killed), so its file is written while it runs, when files are closed and some time after the
//! last time, and is a whole trace at any moment. What is missing then is the last tenth of a second at most.

#![forbid(unsafe_code)]

mod call;
mod clock;
mod context;
mod json;
mod kind;
mod label;
mod lane;
mod local;
mod output;
mod record;
mod saved;
mod session;
mod span;
mod tally;
mod text;
mod thread_name;

pub use call::{Beginning, Call, begin};
pub use context::{Context, Inside, Task, context};
pub use kind::Kind;
pub use label::{Label, label, reason};
pub use local::name_worker;
pub use output::{Claim, claim};
pub use session::{after_fork_in_child, finish, is_on, save, start, stop};
pub use span::{Span, span, step, step_of};
