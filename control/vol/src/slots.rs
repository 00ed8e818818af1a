//! Which host has which of a connector's classes.
//!
//! One plugin image serves every host in the process, so each host is given its own `H5VL_class_t` whose
//! callbacks know their slot. Callbacks that come without an object (`initialize`, the info callbacks,
//! `file_open`) find their host through it.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use h5_host::{Host, locate};

use crate::connector::Connector;
use crate::instance::Instance;

/// How many hosts one process may hold at a time.
pub const SLOTS: usize = 8;

/// A connector's slots. Declared by [`slots!`](crate::slots) in the connector's crate.
pub struct Slots<C: Connector> {
    hosts: Mutex<[Option<Host>; SLOTS]>,
    instances: [RwLock<Option<Arc<Instance<C>>>>; SLOTS],
}

impl<C: Connector> Slots<C> {
    /// Empty slots.
    pub const fn new() -> Self {
        Self { hosts: Mutex::new([None; SLOTS]), instances: [const { RwLock::new(None) }; SLOTS] }
    }

    /// The slot of a host: its own, a free one, or one whose host was unloaded. `None` if all are in use.
    pub(crate) fn assign(&self, host: Host) -> Option<usize> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let own = hosts.iter().position(|&slot| slot == Some(host));
        let slot = own
            .or_else(|| hosts.iter().position(Option::is_none))
            .or_else(|| hosts.iter().position(|slot| slot.is_some_and(|host| !locate::is_loaded(host))))?;
        if own.is_none() {
            hosts[slot] = Some(host);
            // A host that was unloaded without terminating us leaves an instance behind. Its release would
            // call functions that are no longer there.
            std::mem::forget(self.take_instance(slot));
        }
        Some(slot)
    }

    pub(crate) fn host(&self, slot: usize) -> Option<Host> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)[slot]
    }

    /// The running connector of a slot.
    pub(crate) fn instance(&self, slot: usize) -> Option<Arc<Instance<C>>> {
        self.instances[slot].read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_instance(&self, slot: usize, instance: Instance<C>) {
        *self.instances[slot].write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(instance));
    }

    pub(crate) fn take_instance(&self, slot: usize) -> Option<Arc<Instance<C>>> {
        self.instances[slot].write().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<C: Connector> Default for Slots<C> {
    fn default() -> Self {
        Self::new()
    }
}

/// Implements [`Connector::slots`](crate::Connector::slots) for the named connector.
#[macro_export]
macro_rules! slots {
    ($connector:ty) => {
        fn slots() -> &'static $crate::Slots<$connector> {
            static SLOTS: $crate::Slots<$connector> = $crate::Slots::new();
            &SLOTS
        }
    };
}
