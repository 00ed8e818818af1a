//! Running: the host's lock, the application's memory, the cache and the engine, as reads and writes use them.

pub(crate) mod ahead;
pub(crate) mod background;
pub(crate) mod cache;
pub(crate) mod engine;
pub(crate) mod heap_top;
pub(crate) mod locality;
pub(crate) mod locks;
pub(crate) mod memory;
pub(crate) mod revisited;
