//! Subprocesses: starting one with a deadline, a private directory for its files, and a line that shows its progress.

pub(crate) mod progress;
pub(crate) mod scratch;
pub(crate) mod subprocess;
