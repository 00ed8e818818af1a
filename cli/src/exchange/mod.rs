//! What `copy` and `compare` share: sides are named -> a libhdf5 is chosen -> a separate process does the work, because a
//! damaged file may crash it or make it hang.

pub(crate) mod progress;
pub(crate) mod request;
pub(crate) mod session;
pub(crate) mod sides;
pub(crate) mod worker;
