//! The optional dataset operation that an application uses to ask a connector about a dataset.

use core::ffi::{c_char, c_int, c_void};

use h5_abi::{H5VL_optional_args_t, hid_t};

use super::{dataset_optional, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Error;
use crate::object::Object;
use crate::views::TextOut;

/// The operation's arguments.
#[repr(C)]
struct DescriptionArguments {
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
}

/// Answers the connector's own operation, and passes all others to its `dataset_optional`.
pub(crate) unsafe extern "C" fn dataset_optional_or_description<C: Connector>(
    raw: *mut c_void,
    arguments: *mut H5VL_optional_args_t,
    transfer: hid_t,
    request: *mut *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes null or valid arguments.
    let operation = unsafe { arguments.as_ref() }.map(|arguments| arguments.op_type);
    // SAFETY: HDF5 passes one of our objects.
    let object = unsafe { Object::<C>::borrow_raw(raw) };
    let is_ours = object.is_some_and(|object| object.instance().is_description(operation));
    let description = const { C::METHODS.stacking }.and_then(|stacking| stacking.description);
    let Some(description) = description.filter(|_| is_ours) else {
        // SAFETY: the arguments of this very callback.
        return unsafe { dataset_optional::<C>(raw, arguments, transfer, request) };
    };
    // SAFETY: as above.
    unsafe {
        with_object::<C, _>(raw, Callback::DatasetOptional, |instance, object| {
            // SAFETY: whoever knows the operation's number passes its arguments.
            let out = (*arguments)
                .args
                .cast::<DescriptionArguments>()
                .as_ref()
                .ok_or_else(|| Error::bad_argument("no room for a description"))?;
            let text = (description.describe)(instance.connector(), &object)?;
            TextOut::new(out.buffer, out.size, out.length).write(&text);
            Ok(0)
        })
    }
}
