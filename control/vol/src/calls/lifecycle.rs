//! `initialize` and `terminate`: a connector begins and ends in one host.

use core::ffi::c_int;

use h5_abi::hid_t;

use crate::connector::Connector;
use crate::funnel::{self, Outcome};
use crate::instance::Instance;

pub(crate) unsafe extern "C" fn initialize<C: Connector, const SLOT: usize>(_vipl: hid_t) -> c_int {
    funnel::enter_without_instance(|| match C::slots().host(SLOT) {
        None => c_int::FAILURE,
        Some(host) => {
            C::slots().set_instance(SLOT, Instance::new(host, SLOT));
            0
        }
    })
}

pub(crate) unsafe extern "C" fn terminate<C: Connector, const SLOT: usize>() -> c_int {
    funnel::enter_without_instance(|| {
        if let Some(instance) = C::slots().take_instance(SLOT) {
            instance.connector().terminate();
        }
        0
    })
}
