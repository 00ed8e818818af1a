//! The host's global lock, as something that can be given up.

use global_lock::HostLock;
use h5_vol::Host;

/// The global lock of one host.
pub(crate) struct HostGlobalLock(pub(crate) Host);

impl HostLock for HostGlobalLock {
    fn release(&self) -> u32 {
        self.0.release_global_lock()
    }

    fn try_acquire(&self, count: u32) -> bool {
        self.0.try_acquire_global_lock(count)
    }
}
