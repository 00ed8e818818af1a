//! The engine, as the environment wants it.

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
