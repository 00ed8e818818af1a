//! Questions about the connector itself.

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{H5VL_GET_CONN_LVL_CURR, H5VL_class_t, H5VL_get_conn_lvl_t, H5VL_subclass_t};

use super::file::with_slot;
use super::{call_below, status, with_object};
use crate::callback::Callback;
use crate::class;
use crate::connector::Connector;
use crate::error::Result;
use crate::info::Info;
use crate::methods::PassThrough;
use crate::object::Object;

/// Asks whether an optional operation is supported.
pub struct OptionalQuery<'a, C: Connector> {
    /// The object that the operation would be called on.
    pub object: Arc<Object<C>>,
    /// The part of the interface that the operation belongs to (`H5VL_SUBCLS_...`).
    pub subclass: H5VL_subclass_t,
    /// Number of the operation.
    pub operation: c_int,
    /// The answer: `H5VL_OPT_QUERY_...` flags.
    pub flags: &'a mut u64,
}

impl<C: PassThrough> OptionalQuery<'_, C> {
    /// Asks the connector below.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        // SAFETY: our object's counterpart below and a valid out-pointer.
        status(unsafe {
            let flags: *mut u64 = self.flags;
            call_below!(
                below,
                introspect_cls.opt_query,
                H5VLintrospect_opt_query,
                (below.as_ptr()),
                (self.subclass, self.operation, flags)
            )
        })
    }
}

pub(crate) unsafe extern "C" fn opt_query<C: Connector>(
    object: *mut c_void,
    subclass: H5VL_subclass_t,
    operation: c_int,
    flags: *mut u64,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects; `flags` is null or a valid out-pointer.
    unsafe {
        with_object::<C, _>(object, Callback::OptionalQuery, |instance, object| {
            let mut unused = 0;
            let flags = flags.as_mut().unwrap_or(&mut unused);
            let Some(answer) = (const { C::METHODS.introspect_cls.opt_query }) else {
                *flags = 0;
                return Ok(0);
            };
            answer(instance.connector(), OptionalQuery { object, subclass, operation, flags })
        })
    }
}

pub(crate) unsafe extern "C" fn get_conn_cls<C: Connector>(
    object: *mut c_void,
    level: H5VL_get_conn_lvl_t,
    answer: *mut *const H5VL_class_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects and a valid out-pointer.
    unsafe {
        with_object::<C, _>(object, Callback::GetConnectorClass, |instance, object| {
            match object.open_below() {
                Some(below) if level != H5VL_GET_CONN_LVL_CURR => {
                    status((object.host().functions().H5VLintrospect_get_conn_cls)(
                        below.as_ptr(),
                        below.connector().id().0,
                        level,
                        answer,
                    ))
                }
                _ => {
                    *answer = class::of_slot::<C>(instance.slot());
                    Ok(0)
                }
            }
        })
    }
}

pub(crate) unsafe extern "C" fn get_cap_flags<C: Connector, const SLOT: usize>(
    info: *const c_void,
    flags: *mut u64,
) -> c_int {
    with_slot::<C, SLOT, _>(Callback::GetCapabilities, |instance| {
        let default;
        // SAFETY: HDF5 passes null or an info of ours.
        let given = unsafe { Info::<C>::from_raw(info) };
        let info = if let Some(given) = given {
            given
        } else {
            default = Info::default_for(instance.host())?;
            &default
        };
        info.check()?;
        let mut all = C::CAPABILITIES;
        if let Some((connector, below_info)) = info.below() {
            let mut below = 0;
            // SAFETY: the info belongs to that connector; a valid out-pointer.
            status(unsafe {
                (instance.host().functions().H5VLintrospect_get_cap_flags)(
                    below_info.cast_const(),
                    connector.id().0,
                    &raw mut below,
                )
            })?;
            all |= below;
        }
        // SAFETY: a valid out-pointer.
        unsafe { *flags = all };
        Ok(0)
    })
}
