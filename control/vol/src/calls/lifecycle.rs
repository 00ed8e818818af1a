//! `initialize` and `terminate`: the start and the end of a connector in a host.

use core::ffi::c_int;

use h5_abi::hid_t;

use crate::connector::Connector;
use crate::funnel::{self, Outcome};
use crate::instance::Instance;

pub(crate) unsafe extern "C" fn initialize<C: Connector, const SLOT: usize>(_vipl: hid_t) -> c_int {
    // There is no instance yet that could report a panic.
    let initialized = funnel::catch(|| {
        let host = C::slots().host(SLOT)?;
        C::slots().set_instance(SLOT, Instance::new(host, SLOT));
        Some(0)
    });
    initialized.flatten().unwrap_or(c_int::FAILURE)
}

pub(crate) unsafe extern "C" fn terminate<C: Connector, const SLOT: usize>() -> c_int {
    let terminated = funnel::catch(|| {
        if let Some(instance) = C::slots().take_instance(SLOT) {
            instance.connector().terminate();
        }
    });
    terminated.map_or(c_int::FAILURE, |()| 0)
}
