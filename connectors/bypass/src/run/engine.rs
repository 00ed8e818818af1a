//! The engine, as the environment wants it.

use core::num::NonZeroU64;

use engine::Engine;
use pool::Pool;

use crate::configuration::Configuration;

/// Bytes from which giving the global lock up is worth its cost.
pub(crate) const WORTH_RELEASING: u64 = 16 * 1024;

/// The engine on the process's pool.
pub(crate) fn engine(configuration: Option<&Configuration>) -> Engine<'static> {
    let engine = Engine::new(Pool::global());
    match configuration.and_then(|configuration| configuration.io_size) {
        Some(bytes) => engine.with_task_bytes(bytes),
        None => engine,
    }
}

/// Bytes from which a run that is only copied from a file is left to the engine, which divides it into tasks.
pub(crate) fn straight(configuration: Option<&Configuration>) -> u64 {
    configuration.and_then(|configuration| configuration.io_size).map_or(engine::TASK_BYTES, NonZeroU64::get)
}
