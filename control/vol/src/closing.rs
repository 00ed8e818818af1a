//! A last callback before a host closes everything.
//!
//! When a process ends, HDF5 closes what is open, but it knows nothing of operations that are still under way, nor of
//! objects whose close was put off. It calls the functions that were registered with `H5atclose` before it closes anything.

use core::ffi::c_void;

use h5_host::Host;
use h5_host::errors::preserve;

use crate::connector::Connector;
use crate::funnel;
use crate::instance::Instance;
use crate::object::Object;

/// Which instance wants to be called.
struct Registered {
    host: Host,
    slot: usize,
}

impl<C: Connector> Object<C> {
    /// Makes the host call [`Connector::library_closes`] before it closes anything. Does nothing the second time. False
    /// if the host cannot do that.
    pub fn call_before_library_closes(&self) -> bool {
        self.instance().is_called_before_close(|instance| {
            let host = instance.host();
            let Some(register) = host.functions().H5atclose else { return false };
            let registered = Box::new(Registered { host, slot: instance.slot() });
            // SAFETY: a function that stays mapped (plugins are never unloaded), and the data that it expects.
            preserve(host, || unsafe {
                register(Some(library_closes::<C>), Box::into_raw(registered).cast()) >= 0
            })
        })
    }
}

unsafe extern "C" fn library_closes<C: Connector>(data: *mut c_void) {
    // A panic has nobody to be reported to: what follows closes everything all the same.
    let _ = funnel::catch(|| {
        // SAFETY: the value that was registered with this function. HDF5 calls it once and then forgets it.
        let Registered { host, slot } = *unsafe { Box::from_raw(data.cast::<Registered>()) };
        let instance = C::slots()
            .instance(slot)
            .filter(|instance: &std::sync::Arc<Instance<C>>| instance.host() == host);
        if let Some(instance) = instance {
            preserve(host, || instance.connector().library_closes(host));
        }
    });
}
